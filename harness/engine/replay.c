/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a target on files; called by standalone.c and afl_main.c. If the target fails, prints the path of the input.
 */
#define _XOPEN_SOURCE 700 /* an alternative stack for signals */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"
#include "target.h"

/* Exit statuses, as of the command etlproof. */
#define EXIT_CANNOT_READ 66
#define EXIT_CANNOT_WRITE 74

static const char *current; /* path of the input that is being run */
static unsigned long times; /* to run each */
static clock_t spent;       /* processor time of the runs themselves */

static void name_input(void)
{
    if (!current)
        return;
    static const char text[] = "while replaying ";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || write(STDERR_FILENO, current, strlen(current)) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0)
        _exit(EXIT_FAILURE);
}

static void on_signal(int number)
{
    name_input();
    (void)raise(number); /* the handler is removed, so the signal ends the process */
}

/* Sanitizers end the process themselves, and call back on the way out. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Uses an alternative stack, as the target's may be exhausted. Leaves signals that a sanitizer handles to the
   sanitizer. */
static void watch_failures(void)
{
    static const int numbers[] = MINIMISE_FAILURE_SIGNALS;
    static uint8_t stack[65536];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    struct sigaction now;
    sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(name_input);
}

static void fail(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(EXIT_CANNOT_READ);
}

int engine_run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        fail(current ? current : "an input");
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

/* To the end of the file, wherever that is: a pipe has no size. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t capacity = 0;
    *size = 0;
    do {
        capacity = capacity ? 2 * capacity : 65536;
        uint8_t *more = file ? realloc(bytes, capacity) : NULL;
        if (!more)
            fail(path);
        bytes = more;
        *size += fread(bytes + *size, 1, capacity - *size, file);
    } while (*size == capacity);
    if (ferror(file))
        fail(path);
    fclose(file);
    return bytes;
}

static void run_file(const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    current = path;
    clock_t begun = clock();
    for (unsigned long i = 0; i < times; i++)
        engine_run_copy(bytes, size);
    spent += clock() - begun;
    current = NULL;
    free(bytes);
}

static size_t run_path(const char *path);

static size_t run_directory(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        fail(path);
    size_t ran = 0;
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;
        size_t size = strlen(path) + strlen(name) + 2;
        char *inner = malloc(size);
        if (!inner)
            fail(path);
        snprintf(inner, size, "%s/%s", path, name);
        if (name[0] != '.')
            ran += run_path(inner);
        free(inner);
        free(entries[i]);
    }
    free(entries);
    return ran;
}

static size_t run_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        fail(path);
    if (S_ISDIR(status.st_mode))
        return run_directory(path);
    run_file(path);
    return 1;
}

int engine_replay(int count, char **paths, unsigned long repeat)
{
    watch_failures();
    times = repeat;
    size_t ran = 0;
    for (int i = 0; i < count; i++)
        ran += run_path(paths[i]);
    if (ran == 0) {
        fprintf(stderr, "%s: no input to replay\n", paths[0]);
        return EXIT_CANNOT_READ;
    }
    printf("%zu input%s replayed, every oracle held\n", ran, ran == 1 ? "" : "s");
    if (repeat > 1)
        printf("%lu times each, in %.6f s of processor time\n", repeat, (double)spent / CLOCKS_PER_SEC);
    if (fflush(stdout) == 0)
        return EXIT_SUCCESS;
    fprintf(stderr, "cannot write to standard output: %s\n", strerror(errno));
    return EXIT_CANNOT_WRITE;
}
