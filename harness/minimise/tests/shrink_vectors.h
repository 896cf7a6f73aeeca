/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of candidates: predicates that must stay true, and minimising many vectors.
 */
#ifndef ETLPROOF_TEST_MINIMISE_SHRINK_VECTORS_H
#define ETLPROOF_TEST_MINIMISE_SHRINK_VECTORS_H

#include "visit_vectors.h"

/* Whether the bytes hold what the test looks for. */
typedef bool predicate(const uint8_t *at, size_t size);

/* Of a byte at least. */
predicate anything;
/* As good as at random, and the same every time. */
predicate odd_sum;

/* What is left, for free(), and the candidates that it took. */
typedef struct shrunk {
    uint8_t *at;
    size_t size, tries;
    size_t bound; /* TRIM: of the tries, as it was said before */
    size_t equal; /* TRIM: candidates as large as what held */
} shrunk;

typedef shrunk shrinker(input_kind input, const uint8_t *at, size_t size, predicate *holds);

typedef struct tally {
    size_t files, inputs, before, after, tries, bound;
    size_t wrong; /* that were made smaller, and do not hold */
} tally;

/* Makes one in `share` of the vectors and their parts smaller, as far as odd_sum() holds, those of at most `most` bytes. */
tally shrink_vectors(int count, char **directories, shrinker *shrink, size_t share, size_t most);

#endif
