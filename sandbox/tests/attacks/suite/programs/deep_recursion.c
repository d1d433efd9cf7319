/* Calls itself until the stack is full. */
#include <stdio.h>

static volatile int depth;

static int deeper(int number) {
    volatile char room[4096];
    room[0] = (char)number;
    depth++;
    return deeper(number + 1) + room[0];
}

int main(void) {
    printf("%d\n", deeper(0));
    return 0;
}
