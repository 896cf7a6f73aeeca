/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames and reads events that follow one another, in the context that the input chooses.
 */
#include "framing.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_input_part part;
    if (!target_input_part_take(data, size, &part))
        return 0;
    target_frame_all(&part);
    target_input_part_free(&part);
    return 0;
}
