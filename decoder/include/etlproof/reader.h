/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole decode in one loop: file to buffers to events, in file order.
 *
 *     etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
 *     for (;;)
 *         switch (etl_reader_next(&reader)) {
 *         case ETL_MORE: ... etl_reader_feed(&reader, window, last); continue;
 *         case ETL_SCRATCH: ... etl_reader_lend(&reader, room); continue;
 *         case ETL_BUFFER: ... reader.buffer
 *         case ETL_EVENT: ... reader.event
 *         case ETL_GAP: ... reader.gap
 *         case ETL_END: return;
 *         case ETL_INTERNAL: return; ... a bug of the decoder: nothing more comes of this file
 *         }
 *
 * After each call, `findings` holds what that call noticed; take them and set findings.count to 0.
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
    bool in_buffer; /* with GAP: it is of `buffer`, and does not lie between buffers */

    /* Lent by the caller. */
    bool last;
    etl_span window;
    uint64_t window_offset; /* of its first byte in the file */
    etl_scratch room;
} etl_reader;

void etl_reader_init(etl_reader *reader, etl_limits limits);

/*
 * Gives a new window, in answer to ETL_MORE only: it starts at `trace.offset` and has `trace.want` bytes or more, or else
 * `last`: the file ends with it.
 */
void etl_reader_feed(etl_reader *reader, etl_span window, bool last);

/* Lends scratch of at least `trace.want` bytes. Only in answer to ETL_SCRATCH; the reader uses it until the next one. */
void etl_reader_lend(etl_reader *reader, etl_scratch room);

/*
 * What comes next in the file: ETL_BUFFER, then ETL_EVENT and ETL_GAP for what is in it, and so on to ETL_END; ETL_GAP
 * between buffers too. Before any of them, ETL_MORE or ETL_SCRATCH until it is answered. `event` and `gap` are valid until
 * the next call, `buffer` until the next ETL_BUFFER, ETL_MORE or ETL_SCRATCH: they point into window and scratch.
 * Findings: those of etl_trace_next and etl_buffer_next.
 */
etl_outcome etl_reader_next(etl_reader *reader);

ETL_C_END

#endif
