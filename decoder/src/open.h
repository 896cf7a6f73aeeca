/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a buffer: from its stream to data that holds events.
 */
#ifndef ETLPROOF_OPEN_H
#define ETLPROOF_OPEN_H

#include "report.h"
#include "scratch.h"
#include "stream.h"

/*@ predicate etl_opened{L}(etl_buffer *b) =
      etl_readable(b->data) && ETL_BUFFER_SIZE_MIN <= b->data.size <= ETL_BUFFER_SIZE_MAX &&
      b->extent <= b->data.size && b->reach <= b->data.size; */

/*
 * Fills `buffer` from the stream of the bytes at `trace->offset` of the file; `scratch` is the one it was inflated into.
 * The caller sets the buffer's index and the index of its first event.
 * Findings: BUF-001, BUF-004 to BUF-006, BUF-008 to BUF-013, BUF-016, BUF-017, BUF-019 to BUF-021, LFH-007, LIM-001.
 */
/*@ requires \valid_read(trace) && \valid_read(stream) && \valid(buffer) && etl_list(findings);
  @ requires etl_readable(stream->raw) && ETL_BUFFER_SIZE_MIN <= stream->raw.size <= ETL_BUFFER_SIZE_MAX;
  @ requires etl_stream_filled(stream, scratch);
  @ requires \separated(trace, buffer) && \separated(trace, findings) && \separated(stream, buffer) &&
  @          \separated(stream, findings) && \separated(buffer, findings);
  @ requires \separated(buffer, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(trace, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(buffer, stream->raw.at + (0 .. stream->raw.size - 1));
  @ assigns *buffer, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_list(findings);
  @ ensures etl_opened(buffer); */
void etl_open(const etl_trace *trace, const etl_stream *stream, etl_scratch scratch, etl_buffer *buffer,
              etl_findings *findings);

#endif
