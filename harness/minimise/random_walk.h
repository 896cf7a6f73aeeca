/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random candidates, for inputs that no single step makes smaller: mutants of the last input that held, with bytes
 * removed. For a while the walk also moves to candidates of the same size that hold: many smaller inputs can be reached
 * only through them.
 */
#ifndef ETLPROOF_MINIMISE_RANDOM_WALK_H
#define ETLPROOF_MINIMISE_RANDOM_WALK_H

#include "mutator.h"
#include "random.h"

typedef struct minimise_random_walk {
    mutator_core *mutator;
    mutator_random random;
    uint8_t *walk;    /* the position of the walk: an input of the size of the last one that held */
    size_t steps;     /* since it was set to the last input that held */
} minimise_random_walk;

/* For inputs of at most `most` bytes. Without memory, the process ends. */
minimise_random_walk minimise_random_walk_new(mutator_core *mutator, size_t most);
void minimise_random_walk_free(minimise_random_walk *search);

/* Starts from `held`. */
void minimise_random_walk_begin(minimise_random_walk *search, const uint8_t *held, size_t size);
/* Writes a candidate that is not larger than `held`. `size`: of `held`, the same as in the last begin; `out` has `most`
   bytes, at least `size`. */
size_t minimise_random_walk_next(minimise_random_walk *search, const uint8_t *held, size_t size, uint8_t *out, size_t most);
/* The last candidate holds. */
void minimise_random_walk_tell(minimise_random_walk *search, const uint8_t *candidate, size_t size);

#endif
