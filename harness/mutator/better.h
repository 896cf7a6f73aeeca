/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of two inputs that show the same is the one to keep: the smaller, and of two as large that of the lower bytes.
 * Targets go by it too, which do not have the mutator.
 */
#ifndef ETLPROOF_BETTER_H
#define ETLPROOF_BETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t mutator_sum_of(const uint8_t *at, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += at[i];
    return sum;
}

static inline bool mutator_is_better(const uint8_t *at, size_t size, const uint8_t *kept, size_t kept_size)
{
    return size < kept_size || (size == kept_size && mutator_sum_of(at, size) < mutator_sum_of(kept, size));
}

#endif
