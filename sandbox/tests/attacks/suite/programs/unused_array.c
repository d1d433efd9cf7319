/* 800 MB that are reserved and never touched. */
#include <stdio.h>

static char large[800 << 20];

int main(int count, char **arguments) {
    puts(large[(size_t)count * 1000] ? "REFUSED" : "REACHED");
    return 0;
}
