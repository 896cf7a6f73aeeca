/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates by chance, for what no single step makes smaller: mutants of what held, with bytes taken out of them. One of
 * the same size that holds is a place to go on from too, for a while, as many small inputs are reached only by way of
 * others that are no smaller.
 */
#ifndef ETLPROOF_SEARCHING_H
#define ETLPROOF_SEARCHING_H

#include "mutator.h"
#include "random.h"

typedef struct mutator_search {
    mutator_session *mutator;
    mutator_random random;
    uint8_t *walk;    /* the place, of the size of what held last */
    size_t steps;     /* since it was set to what held last */
} mutator_search;

/* For inputs of at most so many bytes. Without memory, the process ends. */
mutator_search mutator_search_new(mutator_session *mutator, size_t most);
void mutator_search_free(mutator_search *search);

/* Starts from `held`. */
void mutator_search_begin(mutator_search *search, const uint8_t *held, size_t size);
/* Writes a candidate that is no larger than `held`, which is of the size that the search was begun with; `out` has room for
   `most` bytes, no fewer than `size`. */
size_t mutator_search_next(mutator_search *search, const uint8_t *held, size_t size, uint8_t *out, size_t most);
/* The last candidate holds. */
void mutator_search_tell(mutator_search *search, const uint8_t *candidate, size_t size);

#endif
