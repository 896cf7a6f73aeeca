/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes ETL inputs by their structure. One core for every engine: it walks the input with the decoder into a draft
 * (draft.h), edits the draft, and writes it out again; a RECIPE it edits by its statements (recipe_statements.h). Same input,
 * same seed, same result, on every machine.
 *
 * What cannot be walked, and inputs that have no structure (CLOCK, MEMORY, TEXT), is changed byte by byte: a mutation
 * never fails.
 */
#ifndef ETLPROOF_MUTATOR_H
#define ETLPROOF_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "fuzz_input.h"

/* Reused from call to call; holds the memory that the drafts take. */
typedef struct mutator_core mutator_core;

/* Never NULL: without memory, the process ends. */
mutator_core *mutator_new(input_kind input);
void mutator_free(mutator_core *mutator);

/*
 * Writes to `out` what one to some edits make of `in`, and returns its size, at most `most`; 0 only if `most` is 0.
 * `in` and `out` must not overlap.
 */
size_t mutator_mutate(mutator_core *mutator, const uint8_t *in, size_t size, uint8_t *out, size_t most, uint64_t seed);

/* The same of two inputs: buffers, events or items of `other` take their place among those of `in`. */
size_t mutator_cross(mutator_core *mutator, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                     uint8_t *out, size_t most, uint64_t seed);

/* What the last call did, for people: "Size of event 3: 0x58 -> 0xffff; buffer 1 compressed anew". Valid until the next. */
const char *mutator_description(const mutator_core *mutator);

#endif
