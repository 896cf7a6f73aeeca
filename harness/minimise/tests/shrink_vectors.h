/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates that candidates must satisfy, and minimising of many vectors. Called by the tests of candidates.
 */
#ifndef ETLPROOF_TEST_MINIMISE_SHRINK_VECTORS_H
#define ETLPROOF_TEST_MINIMISE_SHRINK_VECTORS_H

#include "visit_vectors.h"

/* Whether the bytes have the property that the test keeps. */
typedef bool predicate(const uint8_t *at, size_t size);

/* True for one byte or more. */
predicate anything;
/* Arbitrary, but the same for the same bytes. */
predicate odd_sum;

/* The smallest input, for free(), and the number of candidates tried. */
typedef struct shrunk {
    uint8_t *at;
    size_t size, tries;
    size_t bound; /* TRIM: the announced upper bound of `tries` */
    size_t equal; /* TRIM: candidates as large as the last that held */
} shrunk;

typedef shrunk shrinker(input_kind input, const uint8_t *at, size_t size, predicate *holds);

typedef struct tally {
    size_t files, inputs, before, after, tries, bound;
    size_t wrong; /* results for which the predicate does not hold */
} tally;

/* Minimises one in `share` of the vectors and their parts, those of at most `most` bytes, while odd_sum() holds. */
tally shrink_vectors(int count, char **directories, shrinker *shrink, size_t share, size_t most);

#endif
