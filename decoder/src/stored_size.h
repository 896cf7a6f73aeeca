/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stored size of a buffer: how many bytes it takes in the file.
 */
#ifndef ETLPROOF_STORED_SIZE_H
#define ETLPROOF_STORED_SIZE_H

#include "stream.h"

typedef struct etl_stored_size {
    etl_buffer_header header; /* as read with the shape known so far */
    bool in_range;            /* BufferSize is a size that a buffer can have */
    bool found;               /* a buffer starts here: what follows here is set */
    bool mended;              /* `size` is not BufferSize (BUF-001, BUF-002) */
    etl_raw_end end;          /* why the buffer ends at `size` */
    uint32_t size;            /* bytes of the buffer in the window */
    etl_span raw;             /* those bytes */
    uint32_t clean_from;      /* bytes of an uncompressed buffer from here on are 0xFF */
    size_t want;              /* not 0: needs a window of so many bytes */
    size_t want_scratch;      /* not 0: needs so many bytes of scratch */
} etl_stored_size;

/*
 * Measures the buffer at the start of `window`, which has ETL_BUFFER_LOOK bytes or more. If the file ends with the window,
 * `last` is true, and ETL_BUFFER_SIZE_MIN bytes are enough. BufferSize counts if another buffer follows there. Otherwise
 * the size is the first of these that fits: the size that all buffers of an uncompressed file share; BufferSize, if a
 * header follows that states sizes; the place where the buffer's own bytes, or the next buffer, show that it ends.
 * Not `found`: no buffer starts here. If `want` or `want_scratch` is set, call again with that many bytes.
 */
/*@ requires \valid(trace) && etl_readable(window) && ETL_BUFFER_SIZE_MIN <= window.size && etl_writable(scratch);
  @ requires \separated(trace, window.at + (0 .. window.size - 1)) &&
  @          \separated(trace, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(window.at + (0 .. window.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ requires trace->offset <= INT64_MAX && trace->searched <= trace->offset + ETL_BUFFER_SIZE_MAX;
  @ assigns trace->searched, scratch.at[0 .. scratch.size - 1];
  @ ensures trace->searched <= trace->offset + ETL_BUFFER_SIZE_MAX;
  @ ensures \result.found ==> ETL_BUFFER_SIZE_MIN <= \result.size <= ETL_BUFFER_SIZE_MAX && \result.raw.at == window.at &&
  @                           \result.size == \result.raw.size <= window.size; */
etl_stored_size etl_stored_size_measure(etl_trace *trace, etl_span window, bool last, etl_scratch scratch);

#endif
