/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that look random, the same of the same seed on every machine.
 */
#ifndef ETLPROOF_RANDOM_H
#define ETLPROOF_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct etl_random {
    uint64_t state;
} etl_random;

etl_random etl_random_seed(uint64_t seed);
uint64_t etl_random_next(etl_random *random);
/* 0 to `below` - 1; `below` is not 0. */
size_t etl_random_below(etl_random *random, size_t below);
/* True once in `of` times. */
bool etl_random_once_in(etl_random *random, size_t of);
/* 1 to `most`, small numbers far more often. */
size_t etl_random_small(etl_random *random, size_t most);

#endif
