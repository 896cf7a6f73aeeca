/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader: the whole decode as one pull iterator, from file to buffers to events, in file order.
 *
 *     etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
 *     for (;;)
 *         switch (etl_reader_next(&reader)) {
 *         case ETL_MORE: ... etl_reader_feed(&reader, window, last); continue;
 *         case ETL_SCRATCH: ... etl_reader_lend(&reader, scratch); continue;
 *         case ETL_BUFFER: ... reader.buffer
 *         case ETL_EVENT: ... reader.event
 *         case ETL_GAP: ... reader.gap
 *         case ETL_END: return;
 *         case ETL_INTERNAL: return; ... a bug of the decoder: stop reading this file
 *         }
 *
 * After each call `findings` holds the findings of that call: take them, then set findings.count to 0.
 */
#ifndef ETLPROOF_READER_H
#define ETLPROOF_READER_H

#include "etlproof/buffer.h"
#include "etlproof/linkage.h"
#include "etlproof/trace.h"

ETL_C_BEGIN

typedef struct etl_reader {
    etl_trace trace;
    etl_buffer buffer;
    etl_event event;
    etl_region gap;
    etl_findings findings;
    bool in_buffer; /* with ETL_GAP: the gap lies in `buffer`, not between buffers */

    /* Lent by the caller. */
    bool last;
    etl_span window;
    uint64_t window_offset; /* file offset of the window's first byte */
    etl_scratch scratch;
} etl_reader;

/*@ requires \valid(reader);
  @ assigns *reader; */
void etl_reader_init(etl_reader *reader, etl_limits limits);

/*
 * Gives a new window, only in answer to ETL_MORE. It starts at file offset `trace.offset`, and has `trace.want` bytes or
 * more. With fewer, set `last`: the file ends with this window.
 */
/*@ requires \valid(reader);
  @ assigns reader->window, reader->window_offset, reader->last; */
void etl_reader_feed(etl_reader *reader, etl_span window, bool last);

/* Lends scratch of `trace.want` bytes or more, only in answer to ETL_SCRATCH. The reader uses it until the next answer. */
/*@ requires \valid(reader);
  @ assigns reader->scratch; */
void etl_reader_lend(etl_reader *reader, etl_scratch scratch);

/*
 * The next part of the file. Returns ETL_BUFFER, then ETL_EVENT and ETL_GAP for the contents of that buffer, and so on up
 * to ETL_END; ETL_GAP between buffers too. ETL_MORE and ETL_SCRATCH may come at any time, and again until they are
 * answered. `event` and `gap` are valid until the next call; `buffer` until the next ETL_BUFFER, ETL_MORE or ETL_SCRATCH.
 * They point into window and scratch.
 * Findings: those of etl_trace_next and etl_buffer_next.
 */
/*@ requires \valid(reader) && reader->findings.count <= ETL_FINDINGS_MAX;
  @ requires \valid_read(reader->window.at + (0 .. reader->window.size - 1)) &&
  @          \valid(reader->scratch.at + (0 .. reader->scratch.size - 1));
  @ requires \separated(reader, reader->window.at + (0 .. reader->window.size - 1)) &&
  @          \separated(reader, reader->scratch.at + (0 .. reader->scratch.size - 1)) &&
  @          \separated(reader->window.at + (0 .. reader->window.size - 1),
  @                     reader->scratch.at + (0 .. reader->scratch.size - 1));
  @ requires reader->window_offset <= reader->trace.offset <= INT64_MAX &&
  @          reader->window_offset + reader->window.size <= INT64_MAX &&
  @          reader->trace.searched <= reader->trace.offset + ETL_BUFFER_SIZE_MAX;
  @ requires reader->in_buffer ==>
  @            \valid_read(reader->buffer.data.at + (0 .. reader->buffer.data.size - 1)) &&
  @            \separated(reader, reader->buffer.data.at + (0 .. reader->buffer.data.size - 1)) &&
  @            reader->buffer.data.size <= ETL_BUFFER_SIZE_MAX && reader->buffer.at <= reader->buffer.data.size &&
  @            reader->buffer.extent <= reader->buffer.data.size && reader->buffer.reach <= reader->buffer.data.size;
  @ assigns *reader, reader->scratch.at[0 .. reader->scratch.size - 1];
  @ ensures reader->findings.count <= ETL_FINDINGS_MAX; */
etl_outcome etl_reader_next(etl_reader *reader);

ETL_C_END

#endif
