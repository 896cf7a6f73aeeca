/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes an input as small and as plain as it can while a test holds: by its structure, then byte by byte. The caller tries
 * each candidate, as with trimming (mutator.h), which is the first part of it.
 *
 *     mutator_minimiser *minimiser = mutator_minimiser_new(INPUT_FILE, in, in_size, 10000);
 *     while ((size = mutator_minimiser_next(minimiser, &candidate)) != 0)
 *         mutator_minimiser_tell(minimiser, holds(candidate, size));
 *     mutator_minimiser_free(minimiser);
 *
 * In rounds, until one brings nothing; what goes on for long without bringing anything is left for a later round:
 *
 *     TRIM      buffers, events, items, user data and bytes taken out, enclosing sizes set right
 *     UNPACK    compressed buffers made plain, even if that takes a few bytes
 *     CUT       the end cut off
 *     FINELY    as TRIM, down to single bytes
 *     DELETE    bytes taken out wherever they stand, nothing set right
 *     RUNS      the same with runs of any length, up to 16, wherever they start
 *     PLAIN     bytes set to 0
 *     LESS      bytes made less, as far as they can be: sizes and counts that others are held to; their bits cleared: flags
 *     SEARCH    by chance: mutants that are smaller
 *
 * A candidate is never the same as one before it, nor larger than the input. The test is taken to be the same each time.
 */
#ifndef ETLPROOF_MINIMISER_H
#define ETLPROOF_MINIMISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"

typedef struct mutator_minimiser mutator_minimiser;

/* Never NULL: without memory, the process ends. The bytes are copied. `searches` is how many candidates of SEARCH may bring
   nothing before there are no more; 0 leaves it out. */
mutator_minimiser *mutator_minimiser_new(input_kind input, const uint8_t *in, size_t size, size_t searches);
void mutator_minimiser_free(mutator_minimiser *minimiser);

/* The next candidate; 0 when there is none. Valid until the next call. */
size_t mutator_minimiser_next(mutator_minimiser *minimiser, const uint8_t **candidate);
/* Whether the last candidate still shows what it has to. Keep it if it is better (better.h) than what was kept before:
   SEARCH goes by way of others too. */
void mutator_minimiser_tell(mutator_minimiser *minimiser, bool holds);

#endif
