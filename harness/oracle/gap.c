/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the gaps that are not counted as loss: slack and the tail. The file's own bytes must show that they hold no
 * event; otherwise a finding must report them. Called by oracle_step.
 */
#include "step_checks.h"
#include "input_bytes.h"

/* Input that an XPRESS stream may leave unused: its next flag word. */
#define FLAG_WORD 4u

static bool is_told(const etl_findings *findings, etl_rule rule, etl_space space, uint64_t offset)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_finding *finding = &findings->at[i];
        if (finding->rule == rule && finding->space == space && finding->offset == offset)
            return true;
    }
    return false;
}

/* How many leading bytes equal `value`. */
static size_t run_of(etl_span bytes, uint8_t value)
{
    const uint64_t all = value * UINT64_C(0x0101010101010101);
    size_t at = 0;
    for (uint64_t word = all; bytes.size - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes.at + at, sizeof word);
        if (word != all)
            break;
    }
    while (at < bytes.size && bytes.at[at] == value)
        at++;
    return at;
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
    const size_t ones = run_of(rest, UINT8_MAX);
    return ORACLE_HOLDS(at >= extent) && ORACLE_HOLDS(extent != 0 || ends_events(rest)) &&
           ORACLE_HOLDS(ones == rest.size || is_told(&reader->findings, ETL_RULE_BUF_015, gap->space, gap->offset + ones));
}

/*
 * The tail ends the file: zeros, or too few bytes for a buffer header. Of zeros that span windows, only those of the last
 * window are checked.
 */
static bool tail_holds(const oracle_watch *oracle, const etl_reader *reader)
{
    const etl_region *gap = &reader->gap;
    const etl_span bytes = oracle_raw_window(reader, gap->offset, gap->size);
    return ORACLE_HOLDS(gap->space == ETL_SPACE_FILE && gap->size == oracle->size - gap->offset) &&
           ORACLE_HOLDS(gap->size < ETL_SIZE(WMI_BUFFER_HEADER_61) || run_of(bytes, 0) == bytes.size) &&
           ORACLE_HOLDS(is_told(&reader->findings, ETL_RULE_BUF_003, ETL_SPACE_FILE, gap->offset));
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

bool oracle_rest(oracle_watch *oracle, const etl_reader *reader)
{
    const etl_buffer *buffer = &reader->buffer;
    if (!buffer->compressed || buffer->rest_kind != ETL_REGION_SLACK)
        return true;
    const uint64_t used = ETL_SIZE(WMI_BUFFER_HEADER_61) + (uint64_t)buffer->inflated_from;
    const uint64_t at = buffer->offset + used;
    if (!ORACLE_HOLDS(buffer->raw.size - used <= FLAG_WORD ||
                      is_told(&reader->findings, ETL_RULE_BUF_019, ETL_SPACE_FILE, at) ||
                      is_told(&reader->findings, ETL_RULE_BUF_001, ETL_SPACE_FILE, buffer->offset)))
        return oracle_break(oracle, ORACLE_PROMISE_SILENT_LOSS, at);
    return true;
}
