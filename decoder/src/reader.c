/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns windows of a file into buffers, events and gaps in file order. Users of the library call this; trace.c finds the
 * buffers and buffer.c the events.
 */
#include "etlproof/reader.h"

#include "span.h"

void etl_reader_init(etl_reader *reader, etl_limits limits)
{
    *reader = (etl_reader){0};
    etl_trace_init(&reader->trace, limits);
}

void etl_reader_feed(etl_reader *reader, etl_span window, bool last)
{
    reader->window = window;
    reader->window_offset = reader->trace.offset;
    reader->last = last;
}

void etl_reader_lend(etl_reader *reader, etl_scratch scratch)
{
    reader->scratch = scratch;
}

etl_outcome etl_reader_next(etl_reader *r)
{
    if (r->in_buffer) {
        etl_outcome outcome = etl_buffer_next(&r->buffer, &r->event, &r->gap, &r->findings);
        if (outcome != ETL_END)
            return outcome;
    }
    etl_span rest = etl_span_from(r->window, (size_t)(r->trace.offset - r->window_offset));
    etl_outcome outcome = etl_trace_next(&r->trace, rest, r->last, r->scratch, &r->buffer, &r->gap, &r->findings);
    r->in_buffer = outcome == ETL_BUFFER;
    return outcome;
}
