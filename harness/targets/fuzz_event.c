/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames and reads events that follow one another, in the context that the input chooses.
 */
#include "context_input.h"
#include "event_framing.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    target_frame_all(&part);
    target_context_input_free(&part);
    return 0;
}
