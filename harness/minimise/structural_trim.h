/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates by structure: makes an input smaller while a test holds. Removes halves of its buffers, then of events, items
 * and user data, down to single ones, and sets the enclosing sizes right. The caller tries each candidate:
 *
 *     minimise_trim *trim = minimise_trim_new(INPUT_FILE);
 *     minimise_trim_begin(trim, in, size);
 *     while ((size = minimise_trim_next(trim, &candidate)) != 0)
 *         minimise_trim_tell(trim, holds(candidate, size));
 *     minimise_trim_free(trim);
 */
#ifndef ETLPROOF_MINIMISE_STRUCTURAL_TRIM_H
#define ETLPROOF_MINIMISE_STRUCTURAL_TRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuzz_input.h"

/* Reused from input to input; holds the memory that candidates take. */
typedef struct minimise_trim minimise_trim;

/* Never NULL: without memory, the process ends. */
minimise_trim *minimise_trim_new(input_kind input);
void minimise_trim_free(minimise_trim *trim);

/* Starts with an input, whose bytes are copied. Returns an upper bound of the candidates, for progress. */
size_t minimise_trim_begin(minimise_trim *trim, const uint8_t *in, size_t size);
/* The same, but removes bytes down to single ones, which takes one or two candidates for each byte that stays. */
size_t minimise_trim_finely(minimise_trim *trim, const uint8_t *in, size_t size);

/*
 * The next candidate; 0 when there is none. Valid until the next call. Never larger than the last candidate that held; of
 * the same size only where padding, or a buffer that must keep its size, grows by what was removed.
 */
size_t minimise_trim_next(minimise_trim *trim, const uint8_t **candidate);
/* Whether the test holds for the last candidate; if so, trimming continues from it. */
void minimise_trim_tell(minimise_trim *trim, bool holds);

#endif
