/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the benchmarks. Times are noisy, so the measured code and the code that it is compared with take turns, and
 * the results are the medians and their ratio.
 */
#ifndef ETLPROOF_BENCH_TIMING_H
#define ETLPROOF_BENCH_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_ROUNDS 21

/* Whether to run another round: up to BENCH_ROUNDS, fewer for a large file. */
bool bench_goes_on(size_t rounds, double begun);

/* A file in memory. */
typedef struct bench_file {
    const char *path;
    uint8_t *bytes;
    size_t size;
} bench_file;

/* Reads the file; ends the process with a message if it cannot be read. */
bench_file bench_read(const char *path);

/* Seconds of the monotonic clock. */
double bench_seconds(void);

/* The median; sorts `values`. */
double bench_median(double *values, size_t count);

/* The file's name without its directories. */
const char *bench_name(const char *path);

/*
 * The sum of all 64-bit words, the least work of a reader of every byte: one word after the other, and with the vector
 * instructions of the compiler.
 */
uint64_t bench_sum(const bench_file *file);
uint64_t bench_sum_wide(const bench_file *file);

#endif
