/* 200 MB that are there, and used, before main begins. */
#include <stdio.h>
#include <string.h>

static char large[200 << 20];

__attribute__((constructor)) static void fill(void) {
    memset(large, 1, sizeof large);
}

int main(void) {
    puts(large[1000] ? "REACHED" : "REFUSED");
    return 0;
}
