/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on an input in a child process, and reports how it failed. Called by target_command.c.
 */
#define _GNU_SOURCE /* anonymous memory, and pipes that are closed on exec */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* Bytes of the output of a run that are read, and frames of a stack that is printed where no sanitizer does it. */
enum { TEXT_MOST = 32 * 1024, STACK_MOST = 64 };
/* How often the memory of a run is checked, in milliseconds. */
enum { GLANCE = 10 };
/* Wall-clock limit of a run: a multiple of its processor time plus some seconds, since the machine may be busy. */
#define CLOCK_TIMES 10.0
#define CLOCK_MORE 10.0

/* Set in the environment of the restarted program, which removes it. */
static const char prepared[] = "ETLPROOF_TRIM_PREPARED";

static void add_options(const char *name, const char *more)
{
    const char *before = getenv(name);
    char options[1024];
    (void)snprintf(options, sizeof options, "%s%s%s", before ? before : "", before ? ":" : "", more);
    (void)setenv(name, options, 1);
}

void minimise_attempt_prepare(char **argv)
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
    (void)unsetenv(prepared); /* not restarted: slower, but it works */
}

bool minimise_attempt_open(minimise_attempt_child *attempts, minimise_target *target, double seconds, size_t memory)
{
    FILE *file = tmpfile();
    *attempts = (minimise_attempt_child){
        .target = target, .seconds = seconds, .memory = memory, .said = file ? dup(fileno(file)) : -1};
    if (file)
        fclose(file);
    attempts->text = malloc(TEXT_MOST + 1);
    return attempts->said >= 0 && attempts->text;
}

/* The child. */

int backtrace(void **addresses, int most) __attribute__((weak)); /* of glibc */
void __lsan_do_leak_check(void) __attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Prints a stack as sanitizers do, from the frame of the signal outwards: the innermost two are this function's and the
   system's. A return address may already be in the next function if the call never returns. */
static void print_stack(int number)
{
    void *frames[STACK_MOST];
    const int count = backtrace ? backtrace(frames, STACK_MOST) : 0;
    const int first = 2;
    for (int i = first; i < count; i++)
        (void)dprintf(STDERR_FILENO, "    #%d %#" PRIxPTR "\n", i - first, (uintptr_t)frames[i] - (i > first));
    (void)raise(number); /* the handler is removed */
}

static void watch_signals(void)
{
    static const int numbers[] = MINIMISE_FAILURE_SIGNALS;
    struct sigaction action = {.sa_handler = print_stack, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

/* The limit counts from here; a child sets it again for each input. */
static void limit(const minimise_attempt_child *attempts)
{
    const time_t whole = (time_t)attempts->seconds;
    const struct itimerval timer = {.it_value = {whole, (suseconds_t)((attempts->seconds - (double)whole) * 1e6)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void prepare_child(const minimise_attempt_child *attempts)
{
    const struct rlimit none = {0, 0};
    (void)signal(SIGINT, SIG_IGN); /* handled by the parent */
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGPROF, SIG_DFL);
    (void)dup2(attempts->said, STDOUT_FILENO);
    (void)dup2(attempts->said, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (!__sanitizer_set_death_callback)
        watch_signals();
}

/* Runs a copy of exactly the input's size, so that a sanitizer sees a read past it. */
static void run(const minimise_attempt_child *attempts, size_t size)
{
    limit(attempts);
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        _exit(EXIT_FAILURE);
    if (size)
        memcpy(copy, attempts->input, size);
    (void)attempts->target(copy, size);
    free(copy);
    if (attempts->leaks && __lsan_do_leak_check)
        __lsan_do_leak_check();
}

/* Runs one input after another, until an input ends the process or the parent has no more. Never returns. */
static void serve(const minimise_attempt_child *attempts, int orders, int answers)
{
    const char done = 1;
    size_t size;
    prepare_child(attempts);
    while (read(orders, &size, sizeof size) == (ssize_t)sizeof size) {
        run(attempts, size);
        if (write(answers, &done, sizeof done) != (ssize_t)sizeof done)
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* The parent. */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Resident memory of a process in bytes; 0 if unknown. */
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

static bool start(minimise_attempt_child *attempts)
{
    enum { READ, WRITE };
    int orders[2], answers[2];
    if (pipe2(orders, O_CLOEXEC) != 0)
        return false;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        (void)close(orders[READ]);
        (void)close(orders[WRITE]);
        return false;
    }
    attempts->child = fork();
    if (attempts->child == 0) {
        (void)close(orders[WRITE]); /* otherwise the pipe would never end */
        serve(attempts, orders[READ], answers[WRITE]);
    }
    const int reason = errno;
    (void)close(orders[READ]);
    (void)close(answers[WRITE]);
    attempts->orders = orders[WRITE];
    attempts->answers = answers[READ];
    attempts->runs = 0;
    errno = reason;
    return attempts->child > 0;
}

/* Waits for the end of the child, which was asked to end or has ended. Returns its status. */
static int end(minimise_attempt_child *attempts)
{
    int status = 0;
    (void)close(attempts->orders);
    (void)close(attempts->answers);
    while (waitpid(attempts->child, &status, 0) < 0 && errno == EINTR)
        continue;
    attempts->child = 0;
    return status;
}

void minimise_attempt_close(minimise_attempt_child *attempts)
{
    if (attempts->child > 0)
        (void)end(attempts);
    if (attempts->said >= 0)
        (void)close(attempts->said);
    if (attempts->capacity)
        (void)munmap(attempts->input, attempts->capacity);
    free(attempts->text);
}

/* Puts the input where the child reads it. A child that was started earlier does not see memory that is mapped now. */
static bool hand_over(minimise_attempt_child *attempts, const uint8_t *at, size_t size)
{
    if (size > attempts->capacity) {
        if (attempts->child > 0)
            (void)end(attempts);
        if (attempts->capacity)
            (void)munmap(attempts->input, attempts->capacity);
        attempts->capacity = 0;
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        attempts->input = memory;
        attempts->capacity = size;
    }
    if (size)
        memcpy(attempts->input, at, size);
    return true;
}

/* Waits until the child has run the input (true) or has ended (false). Ends the child when it exceeds a limit. */
static bool await(const minimise_attempt_child *attempts, minimise_end *how)
{
    const double until = now() + attempts->seconds * CLOCK_TIMES + CLOCK_MORE;
    struct pollfd answer = {.fd = attempts->answers, .events = POLLIN};
    char done;
    while (poll(&answer, 1, GLANCE) <= 0) {
        how->timed_out = how->timed_out || now() > until;
        how->out_of_memory = how->out_of_memory || memory_of(attempts->child) > attempts->memory;
        if (how->timed_out || how->out_of_memory)
            kill(attempts->child, SIGKILL);
    }
    return read(attempts->answers, &done, sizeof done) == (ssize_t)sizeof done;
}

/* Uses the running child, or starts one. */
bool minimise_attempt(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure)
{
    minimise_end how = {0};
    if (!hand_over(attempts, at, size) || ftruncate(attempts->said, 0) != 0 || lseek(attempts->said, 0, SEEK_SET) != 0)
        return false;
    if (attempts->child <= 0 && !start(attempts))
        return false;
    attempts->runs++;
    if (write(attempts->orders, &size, sizeof size) == (ssize_t)sizeof size && await(attempts, &how)) {
        *failure = (minimise_failure){0};
        return true;
    }
    const int status = end(attempts);
    how.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    how.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    how.timed_out = how.timed_out || how.signal == SIGPROF;
    const ssize_t got = pread(attempts->said, attempts->text, TEXT_MOST, 0);
    attempts->text[got > 0 ? got : 0] = '\0';
    *failure = minimise_failure_read(attempts->text, how);
    return true;
}

bool minimise_attempt_alone(minimise_attempt_child *attempts, const uint8_t *at, size_t size, minimise_failure *failure)
{
    if (attempts->child > 0)
        (void)end(attempts);
    const bool done = minimise_attempt(attempts, at, size, failure);
    if (attempts->child > 0)
        (void)end(attempts);
    return done;
}
