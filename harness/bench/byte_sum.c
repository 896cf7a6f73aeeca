/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that sums bytes, compiled twice: see bench_timing.h and harness/CMakeLists.txt.
 */
#include "bench_timing.h"

#include <string.h>

uint64_t BENCH_SUM(const bench_file *file)
{
    uint64_t sum = 0;
    size_t words = file->size / sizeof sum;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, file->bytes + i * sizeof word, sizeof word);
        sum += word;
    }
    return sum;
}
