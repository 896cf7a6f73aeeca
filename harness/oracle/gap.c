/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the gaps that are not counted as loss: slack and the tail. The file's own bytes must show that they hold no
 * event. Called by oracle_step; their findings are checked in due_gap.c.
 */
#include "step_checks.h"
#include "input_bytes.h"

static bool is_blank(etl_span bytes)
{
    size_t at = 0;
    while (at < bytes.size && bytes.at[at] == 0)
        at++;
    return at == bytes.size;
}

/*
 * Where events end by the header in the file, not by the decoder's reading of it: Offset, or SavedOffset if Offset is not
 * in the buffer; 0 if neither is.
 */
static uint64_t stated_extent(const etl_reader *reader)
{
    const uint64_t size = reader->buffer.data.size;
    const etl_span header = oracle_raw_window(reader, reader->buffer.offset, ETL_SIZE(WMI_BUFFER_HEADER_61));
    if (header.size < ETL_SIZE(WMI_BUFFER_HEADER_61))
        return 0;
    const uint32_t offset = oracle_raw_u32(header.at + ETL_AT(WMI_BUFFER_HEADER_61, Offset));
    const uint32_t saved = oracle_raw_u32(header.at + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
    if (offset >= ETL_SIZE(WMI_BUFFER_HEADER_61) && offset <= size)
        return offset;
    return saved >= ETL_SIZE(WMI_BUFFER_HEADER_61) && saved <= size ? saved : 0;
}

/* Too few bytes for a header, or a dword that ends the events. */
static bool ends_events(etl_span rest)
{
    if (rest.size < ETL_SIZE(OPAQUE_HEADER))
        return true;
    const uint32_t dword = oracle_raw_u32(rest.at);
    return dword == 0 || dword == UINT32_MAX;
}

/* Slack is the rest of the buffer. It hides no event if it starts where events end. */
static bool slack_holds(const etl_reader *reader)
{
    const etl_buffer *buffer = &reader->buffer;
    const etl_region *gap = &reader->gap;
    const uint64_t at = gap->offset - (buffer->space == ETL_SPACE_FILE ? buffer->offset : 0);
    if (!ORACLE_HOLDS(gap->space == buffer->space) || !ORACLE_HOLDS(at <= buffer->data.size) ||
        !ORACLE_HOLDS(gap->size == buffer->data.size - at))
        return false;
    const etl_span rest = {buffer->data.at + at, (size_t)gap->size};
    const uint64_t extent = stated_extent(reader);
    return ORACLE_HOLDS(at >= extent) && ORACLE_HOLDS(extent != 0 || ends_events(rest));
}

/*
 * The tail ends the file: zeros, or too few bytes for a buffer header. Of zeros that span windows, only those of the last
 * window are checked.
 */
static bool tail_holds(const oracle_watch *oracle, const etl_reader *reader)
{
    const etl_region *gap = &reader->gap;
    const etl_span bytes = oracle_raw_window(reader, gap->offset, gap->size);
    return ORACLE_HOLDS(gap->space == ETL_SPACE_FILE && gap->size == oracle->end - gap->offset) &&
           ORACLE_HOLDS(gap->size < ETL_SIZE(WMI_BUFFER_HEADER_61) || is_blank(bytes));
}

bool oracle_gap(oracle_watch *oracle, const etl_reader *reader)
{
    const etl_region *gap = &reader->gap;
    if (!oracle_region(oracle, gap))
        return false;
    if (!ORACLE_HOLDS(gap->kind == ETL_REGION_SLACK || gap->kind == ETL_REGION_DAMAGED || gap->kind == ETL_REGION_TAIL))
        return oracle_break(oracle, ORACLE_PROMISE_REGION, gap->offset);
    if ((gap->kind == ETL_REGION_SLACK && !slack_holds(reader)) ||
        (gap->kind == ETL_REGION_TAIL && !tail_holds(oracle, reader)))
        return oracle_break(oracle, ORACLE_PROMISE_SILENT_LOSS, gap->offset);
    return true;
}
