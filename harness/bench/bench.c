/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bench_file bench_read(const char *path)
{
    bench_file file = {.path = path};
    FILE *stream = fopen(path, "rb");
    size_t room = 1 << 16;
    for (;;) {
        file.bytes = realloc(file.bytes, room);
        if (!stream || !file.bytes) {
            perror(path);
            exit(66);
        }
        file.size += fread(file.bytes + file.size, 1, room - file.size, stream);
        if (file.size < room)
            break;
        room *= 2;
    }
    fclose(stream);
    return file;
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
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
