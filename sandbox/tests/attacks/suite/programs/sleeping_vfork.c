/* The child of a vfork sleeps: its parent is in the kernel until then, and both ignore what they can. */
#include <signal.h>
#include <unistd.h>

int main(void) {
    for (int number = 1; number < 65; number++) {
        signal(number, SIG_IGN);
    }
    if (vfork() == 0) {
        for (;;) {
            sleep(600);
        }
    }
    return 0;
}
