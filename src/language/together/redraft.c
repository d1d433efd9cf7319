/* Stands around the test's own main: reads a secret before anything of the program runs, and says it when main has
   returned. KEY is made of the program and its tests, so that a program can't name what is here. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

int __real_main(int count, char **words, char **environment);

static char secret[64];
static size_t length;
static int out = 1;
static long passed;

static void begin(void) {
    char c;
    while (length < sizeof secret && read(0, &c, 1) == 1 && c != '\n') secret[length++] = c;
    out = dup(1);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) = begin;

static void say(const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(out, text, size);
        if (written <= 0) return;
        text += written;
        size -= (size_t)written;
    }
}

static void tell(const char *what) {
    say("\n", 1);
    say(secret, length);
    say(what, strlen(what));
}

void redraft_KEY_passed(void) { passed++; }

void redraft_KEY_failed(const char *what, const char *file, int line) {
    char text[4096];
    fflush(NULL);
    snprintf(text, sizeof text, "! wrong\n%s:%d: assertion failed: %s\n", file, line, what);
    tell(text);
    _exit(1);
}

int __wrap_main(int count, char **words, char **environment) {
    char text[64];
    int status = __real_main(count, words, environment);
    fflush(NULL);
    if (status == 0) {
        snprintf(text, sizeof text, " %ld\n", ASSERTS ? passed : 1);
    } else {
        snprintf(text, sizeof text, "! wrong\nmain returned %d\n", status);
    }
    tell(text);
    _exit(status != 0);
}

#ifdef __cplusplus
}
#endif
