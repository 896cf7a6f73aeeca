/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All candidates of an input: by its structure, then byte by byte, then at random. The caller tries each:
 *
 *     minimise_candidates *candidates = minimise_candidates_new(INPUT_FILE, in, in_size, 10000);
 *     while ((size = minimise_candidates_next(candidates, &candidate)) != 0)
 *         minimise_candidates_tell(candidates, holds(candidate, size));
 *     minimise_candidates_free(candidates);
 *
 * Phases run in rounds, until a round has no gain. A phase without gain for long is interrupted until the next round:
 *
 *     TRIM      removes buffers, events, items, user data and bytes, and corrects enclosing sizes (structural_trim.h)
 *     UNPACK    makes compressed buffers plain, even if that takes a few bytes
 *     CUT       cuts off the end
 *     FINELY    as TRIM, down to single bytes
 *     DELETE    removes bytes anywhere, and corrects nothing
 *     RUNS      the same with runs of any length up to 16, from any start
 *     PLAIN     sets bytes to 0
 *     LESS      lowers bytes as far as the test allows: sizes and counts; then clears their bits: flags
 *     SEARCH    tries smaller random mutants (random_walk.h)
 *
 * No candidate repeats an earlier one, and none is larger than the input. The test must give the same answer each time.
 */
#ifndef ETLPROOF_MINIMISE_CANDIDATES_H
#define ETLPROOF_MINIMISE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuzz_input.h"

typedef struct minimise_candidates minimise_candidates;

/* Never NULL: without memory, the process ends. The bytes are copied. `searches` is how many candidates of SEARCH may fail
   before the search ends; 0 skips the phase. */
minimise_candidates *minimise_candidates_new(input_kind input, const uint8_t *in, size_t size, size_t searches);
void minimise_candidates_free(minimise_candidates *candidates);

/* The next candidate; 0 when there is none. Valid until the next call. */
size_t minimise_candidates_next(minimise_candidates *candidates, const uint8_t **candidate);
/* Whether the test holds for the last candidate. The caller keeps it only if it is simpler (simpler.h) than the input
   kept before: SEARCH also passes through candidates that are not simpler. */
void minimise_candidates_tell(minimise_candidates *candidates, bool holds);

#endif
