/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one loop, compiled twice: see bench.h and the build.
 */
#include "bench.h"

#include <string.h>

uint64_t BENCH_SUM(const bench_file *file)
{
    uint64_t sum = 0;
    for (size_t at = 0; at + sizeof sum <= file->size; at += sizeof sum) {
        uint64_t word;
        memcpy(&word, file->bytes + at, sizeof word);
        sum += word;
    }
    return sum;
}
