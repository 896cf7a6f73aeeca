/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes ETL inputs by their structure. One core for every engine: it walks the input with the decoder into a draft
 * (draft.h), edits the draft, and writes it out again; a RECIPE it edits by its statements (statements.h). Same input,
 * same seed, same result, on every machine.
 *
 * What cannot be walked, and inputs that have no structure (CLOCK, MEMORY, TEXT), is changed byte by byte: a mutation
 * never fails.
 */
#ifndef ETLPROOF_MUTATOR_H
#define ETLPROOF_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* Reused from call to call; holds the memory that the drafts take. */
typedef struct mutator_session mutator_session;

/* Never NULL: without memory, the process ends. */
mutator_session *mutator_new(input_kind input);
void mutator_free(mutator_session *mutator);

/*
 * Writes to `out` what one to some edits make of `in`, and returns its size, at most `most`; 0 only if `most` is 0.
 * `in` and `out` must not overlap.
 */
size_t mutator_mutate(mutator_session *mutator, const uint8_t *in, size_t size, uint8_t *out, size_t most, uint64_t seed);

/* The same of two inputs: buffers, events or items of `other` take their place among those of `in`. */
size_t mutator_cross(mutator_session *mutator, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                     uint8_t *out, size_t most, uint64_t seed);

/* What the last call did, for people: "Size of event 3: 0x58 -> 0xffff; buffer 1 compressed anew". Valid until the next. */
const char *mutator_description(const mutator_session *mutator);

/*
 * Makes an input smaller by its structure while a test holds: takes out halves of its buffers, then of events, items and
 * user data, down to single ones, enclosing sizes set right. The caller tries each candidate.
 *
 *     mutator_trim_begin(mutator, in, size);
 *     while ((size = mutator_trim_next(mutator, &candidate)) != 0)
 *         mutator_trim_tell(mutator, holds(candidate, size));
 */
/* Returns an upper bound of the steps, for progress. */
size_t mutator_trim_begin(mutator_session *mutator, const uint8_t *in, size_t size);
/* The same, but bytes too are taken out down to single ones, which takes a candidate or two for each that stays. */
size_t mutator_trim_finely(mutator_session *mutator, const uint8_t *in, size_t size);
/*
 * The next candidate; 0 when there is none. Valid until the next call. Never larger than what held last; of its size
 * only where padding, or a buffer that has to keep its size, grows by what is taken out.
 */
size_t mutator_trim_next(mutator_session *mutator, const uint8_t **candidate);
/* Whether the last candidate still shows what it has to; if so, it is where trimming goes on. */
void mutator_trim_tell(mutator_session *mutator, int holds);

#endif
