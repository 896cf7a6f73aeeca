/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a buffer: from its stream to data that holds events.
 */
#ifndef ETLPROOF_OPEN_H
#define ETLPROOF_OPEN_H

#include "stream.h"

/*
 * Fills `buffer` from the stream of the bytes at `trace->offset` of the file; `scratch` is the one it was inflated into.
 * The caller sets the buffer's index and the index of its first event.
 * Findings: BUF-001, BUF-004 to BUF-006, BUF-008 to BUF-013, BUF-016, BUF-017, BUF-019 to BUF-021, LFH-007, LIM-001.
 */
void etl_open(const etl_trace *trace, const etl_stream *stream, etl_scratch scratch, etl_buffer *buffer,
              etl_findings *findings);

#endif
