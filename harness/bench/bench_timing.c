/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the median times of a function and of a plain sum over the same bytes. Called by the benchmarks.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench_timing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bench_file bench_read(const char *path)
{
    bench_file file = {.path = path};
    struct stat status;
    int from = open(path, O_RDONLY);
    if (from >= 0 && fstat(from, &status) == 0) {
        size_t size = (size_t)status.st_size;
        file.bytes = malloc(size + 1);
        while (file.bytes && file.size < size) {
            ssize_t got = read(from, file.bytes + file.size, size - file.size);
            if (got <= 0)
                break;
            file.size += (size_t)got;
        }
        close(from);
        if (file.bytes && file.size == size)
            return file;
    }
    perror(path);
    exit(66);
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The least number of rounds, and the seconds after which no further round starts. */
#define ROUNDS_LEAST 5
#define SECONDS_MOST 5.0

bool bench_goes_on(size_t rounds, double begun)
{
    return rounds < ROUNDS_LEAST || (rounds < BENCH_ROUNDS && bench_seconds() - begun < SECONDS_MOST);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

const char *bench_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
