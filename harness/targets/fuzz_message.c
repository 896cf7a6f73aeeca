/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames and reads one WPP message, whole and cut off behind each of its bytes that options can move a part to.
 */
#include "framing.h"
#include "target.h"

/* The longest header, all options set, and a few bytes more. */
#define HEADER_MOST 64u

/* The message with Size and extent set to `size`, in an allocation of that size. */
static void frame_cut(const etl_input_part *part, uint32_t size)
{
    static etl_framing framing;
    etl_oracle oracle;
    etl_span cut = etl_copy((etl_span){part->bytes.at, size});
    uint8_t *bytes = (uint8_t *)(uintptr_t)cut.at;
    bytes[ETL_AT(MESSAGE_TRACE_HEADER, Size)] = (uint8_t)size;
    bytes[ETL_AT(MESSAGE_TRACE_HEADER, Size) + 1] = 0;
    etl_oracle_init(&oracle, size, ETL_LIMITS_DEFAULT, true);
    etl_frame_one(&oracle, &framing, cut, 0, part->context);
    etl_copy_free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    etl_input_part part;
    if (!etl_input_part_take(data, size, &part))
        return 0;
    etl_frame_all(&part);
    for (uint32_t cut = ETL_SIZE(MESSAGE_TRACE_HEADER); cut < part.bytes.size && cut < HEADER_MOST; cut += 4)
        frame_cut(&part, cut);
    etl_input_part_free(&part);
    return 0;
}
