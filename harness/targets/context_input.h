/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input that is not a whole file: its context, as fuzz_input.h lays it out, and the bytes after it.
 */
#ifndef ETLPROOF_TARGETS_CONTEXT_INPUT_H
#define ETLPROOF_TARGETS_CONTEXT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "fuzz_input.h"

typedef struct target_context_input {
    etl_context context;
    etl_buffer_shape shape;
    uint32_t inflated_size;  /* bytes to inflate to */
    etl_span bytes; /* after the context; a target_copy */
} target_context_input;

/* False, and nothing is taken, if the input is too short for a context. */
bool target_context_input_take(const uint8_t *data, size_t size, target_context_input *input);
void target_context_input_free(target_context_input *input);

#endif
