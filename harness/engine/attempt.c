/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sigtimedwait, and the registers of a signal */
#include "attempt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "target.h"

/* Bytes of what a run prints that are looked at, and frames of a stack that are printed where no sanitizer does it. */
enum { TEXT_MOST = 32 * 1024, STACK_MOST = 64 };
/* How often the memory of a run is looked at, in nanoseconds. */
enum { GLANCE = 10 * 1000 * 1000 };
/* A run may take so many times its processor time, and so many seconds more, by the clock: it may wait, or the machine is
   busy. */
enum { CLOCK_TIMES = 10, CLOCK_MORE = 10 };

/* Said by the environment that the program was started anew, and taken out of it then. */
static const char prepared[] = "ETLPROOF_TRIM_PREPARED";

static void add_options(const char *name, const char *more)
{
    const char *before = getenv(name);
    char options[1024];
    (void)snprintf(options, sizeof options, "%s%s%s", before ? before : "", before ? ":" : "", more);
    (void)setenv(name, options, 1);
}

void etl_attempts_prepare(char **argv)
{
    if (getenv(prepared)) {
        (void)unsetenv(prepared);
        return;
    }
    add_options("ASAN_OPTIONS", "symbolize=0:handle_abort=2:print_legend=0:print_full_thread_history=0");
    add_options("MSAN_OPTIONS", "symbolize=0:handle_abort=2");
    add_options("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=1");
    (void)setenv("ETLPROOF_STACK", "1", 1);
    (void)setenv(prepared, "1", 1);
    (void)execv("/proc/self/exe", argv);
    (void)unsetenv(prepared); /* slower, then */
}

bool etl_attempts_open(etl_attempts *attempts, double seconds, size_t memory)
{
    FILE *file = tmpfile();
    *attempts = (etl_attempts){.seconds = seconds, .memory = memory, .said = file ? dup(fileno(file)) : -1};
    if (file)
        fclose(file);
    attempts->text = malloc(TEXT_MOST + 1);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* for sigtimedwait */
    return attempts->said >= 0 && attempts->text;
}

void etl_attempts_close(etl_attempts *attempts)
{
    if (attempts->said >= 0)
        (void)close(attempts->said);
    free(attempts->text);
}

/* The child. */

int backtrace(void **addresses, int most) __attribute__((weak)); /* of glibc */
void __lsan_do_leak_check(void) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* A stack as sanitizers print it, from the signal on: what lies above are this function and the system's. */
static void print_stack(int number)
{
    void *frames[STACK_MOST];
    const int count = backtrace ? backtrace(frames, STACK_MOST) : 0;
    const int first = 2;
    for (int i = first; i < count; i++)
        (void)dprintf(STDERR_FILENO, "    #%d %p\n", i - first, frames[i]);
    (void)raise(number); /* the handler is gone */
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    struct sigaction action = {.sa_handler = print_stack, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

static void limit(const etl_attempts *attempts)
{
    const struct rlimit none = {0, 0};
    const time_t whole = (time_t)attempts->seconds;
    const struct itimerval timer = {.it_value = {whole, (suseconds_t)((attempts->seconds - (double)whole) * 1e6)}};
    setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGPROF, SIG_DFL);
    setitimer(ITIMER_PROF, &timer, NULL);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* Never returns. The input is copied, as fuzzers do it: of its exact size, so that a read past it is seen. */
static void run(const etl_attempts *attempts, const uint8_t *at, size_t size)
{
    sigset_t none;
    sigemptyset(&none);
    (void)signal(SIGINT, SIG_IGN); /* the parent's business */
    (void)signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)dup2(attempts->said, STDOUT_FILENO);
    (void)dup2(attempts->said, STDERR_FILENO);
    limit(attempts);
    if (!__sanitizer_set_death_callback)
        watch_signals();
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        _exit(EXIT_FAILURE);
    if (size)
        memcpy(copy, at, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    if (attempts->leaks && __lsan_do_leak_check)
        __lsan_do_leak_check();
    _exit(EXIT_SUCCESS);
}

/* The parent. */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Bytes of memory that a process takes; 0 if the system does not say. */
static size_t memory_of(pid_t child)
{
    char path[64];
    unsigned long total, resident = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)child);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Waits for the child's end, which comes, if need be, from here. */
static etl_end await(const etl_attempts *attempts, pid_t child)
{
    const struct timespec glance = {.tv_nsec = GLANCE};
    const double until = now() + attempts->seconds * CLOCK_TIMES + CLOCK_MORE;
    etl_end end = {0};
    int status = 0;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigtimedwait(&ends, NULL, &glance) == SIGCHLD)
            continue;
        end.timed_out = end.timed_out || now() > until;
        end.out_of_memory = end.out_of_memory || memory_of(child) > attempts->memory;
        if (end.timed_out || end.out_of_memory)
            kill(child, SIGKILL);
    }
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.timed_out = end.timed_out || end.signal == SIGPROF;
    return end;
}

bool etl_attempt(etl_attempts *attempts, const uint8_t *at, size_t size, etl_failure *failure)
{
    if (ftruncate(attempts->said, 0) != 0 || lseek(attempts->said, 0, SEEK_SET) != 0)
        return false;
    const pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0)
        run(attempts, at, size);
    const etl_end end = await(attempts, child);
    const ssize_t got = pread(attempts->said, attempts->text, TEXT_MOST, 0);
    attempts->text[got > 0 ? got : 0] = '\0';
    *failure = etl_failure_read(attempts->text, end);
    return true;
}
