/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes ETL inputs by their structure. One core for every engine: it reads the input with the decoder into a draft
 * (draft.h), edits the draft, and writes it out again. Recipes are edited by their statements (recipe_statements.h). The
 * same input and the same seed give the same mutant on every machine.
 *
 * Inputs that the decoder cannot read, and those without structure (CLOCK, MEMORY, TEXT), are changed byte by byte: a
 * mutation never fails.
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
 * Applies one to several edits to `in`, writes the mutant to `out`, and returns its size, at most `most`; 0 only if `most`
 * is 0. `in` and `out` must not overlap.
 */
size_t mutator_mutate(mutator_core *mutator, const uint8_t *in, size_t size, uint8_t *out, size_t most, uint64_t seed);

/* The same with two inputs: buffers, events or items of `other` are put among those of `in`. */
size_t mutator_cross(mutator_core *mutator, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                     uint8_t *out, size_t most, uint64_t seed);

/* Describes the edits of the last call: "Size of event 3: 0x58 -> 0xffff; buffer 1 compressed anew". Valid until the
   next call. */
const char *mutator_description(const mutator_core *mutator);

#endif
