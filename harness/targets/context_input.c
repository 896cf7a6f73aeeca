/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits an input into its context and the bytes after it. Called by the targets that take a part of a file.
 */
#include "context_input.h"

#include "exact_copy.h"

bool target_context_input_take(const uint8_t *data, size_t size, target_context_input *input)
{
    if (size < INPUT_CONTEXT_SIZE)
        return false;
    const input_context said = input_context_read(data);
    *input = (target_context_input){
        .context = said.events,
        .shape = said.shape,
        .inflated_size = said.inflated_size,
        .bytes = target_copy((etl_span){data + INPUT_CONTEXT_SIZE, size - INPUT_CONTEXT_SIZE}),
    };
    return true;
}

void target_context_input_free(target_context_input *input)
{
    target_copy_free(input->bytes);
}
