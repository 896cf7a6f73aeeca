/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pseudo-random numbers, the same for the same seed on every machine.
 */
#ifndef ETLPROOF_MUTATOR_RANDOM_H
#define ETLPROOF_MUTATOR_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mutator_random {
    uint64_t state;
} mutator_random;

mutator_random mutator_random_seed(uint64_t seed);
uint64_t mutator_random_next(mutator_random *random);
/* 0 to `below` - 1; `below` is not 0. */
size_t mutator_random_below(mutator_random *random, size_t below);
/* True with a chance of one in `of`. */
bool mutator_random_once_in(mutator_random *random, size_t of);
/* 1 to `most`, small numbers far more often. */
size_t mutator_random_small(mutator_random *random, size_t most);

#endif
