/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which of two inputs that fail in the same way is kept: the smaller; if the sizes are equal, the one with the
 * smaller sum of bytes.
 */
#ifndef ETLPROOF_MINIMISE_SIMPLER_H
#define ETLPROOF_MINIMISE_SIMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t minimise_sum_of(const uint8_t *at, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += at[i];
    return sum;
}

static inline bool minimise_is_simpler(const uint8_t *at, size_t size, const uint8_t *kept, size_t kept_size)
{
    return size < kept_size || (size == kept_size && minimise_sum_of(at, size) < minimise_sum_of(kept, size));
}

#endif
