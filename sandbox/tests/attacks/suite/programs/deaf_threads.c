/* Four threads that compute for ever and block every signal. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *spin(void *unused) {
    for (volatile unsigned long number = 0;; number++) {
    }
    return unused;
}

int main(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (int number = 0; number < 4; number++) {
        pthread_t thread;
        pthread_create(&thread, NULL, spin, NULL);
    }
    for (;;) {
        pause();
    }
}
