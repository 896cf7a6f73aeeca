/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the command `etlproof` as a process with a process that reads the same file and sums its bytes.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_timing.h"

extern char **environ;

static volatile uint64_t sink;

/* Runs a command and discards its output. Accepts any exit status of a verdict. */
static double time_process(char **arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status;
    double begun = bench_seconds();
    if (posix_spawn(&pid, arguments[0], &actions, NULL, arguments, environ) != 0 || waitpid(pid, &status, 0) < 0 ||
        !WIFEXITED(status) || WEXITSTATUS(status) > 3) {
        fprintf(stderr, "cannot run %s %s %s\n", arguments[0], arguments[1], arguments[2]);
        exit(EXIT_FAILURE);
    }
    double took = bench_seconds() - begun;
    posix_spawn_file_actions_destroy(&actions);
    return took;
}

static void measure(char *self, char *command, char *path)
{
    char *lines[][4] = {{self, "--read", path, NULL}, {command, "validate", path, NULL}, {command, "decode", path, NULL}};
    double times[3][BENCH_ROUNDS], medians[3];
    size_t rounds = 0;
    for (double begun = bench_seconds(); bench_goes_on(rounds, begun); rounds++)
        for (size_t i = 0; i < 3; i++)
            times[i][rounds] = time_process(lines[i]);
    for (size_t i = 0; i < 3; i++)
        medians[i] = bench_median(times[i], rounds);
    printf("%-40s %8.2f %8.2f %8.2f %9.3f %9.3f\n", bench_name(path), medians[0] * 1e3, medians[1] * 1e3, medians[2] * 1e3,
           medians[0] / medians[1], medians[0] / medians[2]);
}

/* Reads as `cat` does, through one buffer of the same size. */
static int read_and_sum(const char *path)
{
    static uint8_t buffer[128 * 1024];
    int from = open(path, O_RDONLY);
    ssize_t got = -1;
    while (from >= 0 && (got = read(from, buffer, sizeof buffer)) > 0)
        sink = sink + bench_sum(&(bench_file){path, buffer, (size_t)got});
    if (got < 0)
        perror(path);
    return got < 0 ? 66 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--read") == 0)
        return read_and_sum(argv[2]);
    if (argc < 3) {
        fprintf(stderr, "usage: %s ETLPROOF FILE...\n       %s --read FILE\n", argv[0], argv[0]);
        return 64;
    }
    printf("%-40s %8s %8s %8s %9s %9s\n", "as processes, medians", "read ms", "valid ms", "decod ms", "validate",
           "decode");
    for (int i = 2; i < argc; i++)
        measure(argv[0], argv[1], argv[i]);
    return 0;
}
