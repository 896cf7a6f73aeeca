/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames and reads one WPP message, whole and cut off in its header. The cut offset comes from the input, so that a
 * campaign tries them all and a run stays short.
 */
#include "context_input.h"
#include "event_framing.h"
#include "exact_copy.h"
#include "oracle.h"
#include "target.h"

/* The longest header, with all options set, and a few bytes more. */
#define HEADER_MOST 64u

/* The message with Size and extent set to `size`, in an allocation of that size. */
static void frame_cut(const target_context_input *part, uint32_t size)
{
    static oracle_framing framing;
    oracle_watch oracle;
    etl_span cut = target_copy((etl_span){part->bytes.at, size});
    uint8_t *bytes = (uint8_t *)(uintptr_t)cut.at;
    bytes[ETL_AT(MESSAGE_TRACE_HEADER, Size)] = (uint8_t)size;
    bytes[ETL_AT(MESSAGE_TRACE_HEADER, Size) + 1] = 0;
    oracle_init(&oracle, size, ETL_LIMITS_DEFAULT, true);
    target_frame_one(&oracle, &framing, cut, 0, part->context);
    target_copy_free(cut);
}

/* The cut: a multiple of 4 after the fixed part, as all parts are aligned to 4. 0: no cut. */
static uint32_t choose_cut(etl_span bytes)
{
    uint32_t sum = (uint32_t)bytes.size;
    for (size_t i = 0; i < bytes.size && i < HEADER_MOST; i++)
        sum = sum * 31 + bytes.at[i];
    const uint32_t least = ETL_SIZE(MESSAGE_TRACE_HEADER);
    const uint32_t most = bytes.size < HEADER_MOST ? (uint32_t)bytes.size : HEADER_MOST;
    return most > least ? least + sum % (most - least) / 4 * 4 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    target_frame_all(&part);
    const uint32_t cut = choose_cut(part.bytes);
    if (cut != 0)
        frame_cut(&part, cut);
    target_context_input_free(&part);
    return 0;
}
