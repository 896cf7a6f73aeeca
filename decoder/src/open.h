/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a buffer: from its bytes in the file to bytes that hold events.
 */
#ifndef ETLPROOF_OPEN_H
#define ETLPROOF_OPEN_H

#include "etlproof/buffer.h"
#include "etlproof/trace.h"

/* What is known of the bytes that a buffer is opened from. */
typedef enum etl_open_state {
    ETL_OPEN_WHOLE,
    ETL_OPEN_CUT,   /* the file ends before the buffer does */
    ETL_OPEN_MENDED /* they end where the common size of uncompressed buffers says: it is no compressed one */
} etl_open_state;

/*
 * Bytes of room that it takes to open the buffer in `raw`; 0 if it is not compressed or will not be inflated.
 */
uint32_t etl_open_room(const etl_trace *trace, etl_span raw, etl_open_state state);

/*
 * Fills `buffer` from `raw`, the bytes at `trace->offset` of the file that are this buffer's. Its index and its events'
 * indexes are the caller's.
 * Findings: BUF-001, BUF-004 to BUF-006, BUF-008 to BUF-013, BUF-016, BUF-017, BUF-019 to BUF-021, LFH-007, LIM-001.
 */
void etl_open(const etl_trace *trace, etl_span raw, etl_open_state state, etl_room room, etl_buffer *buffer,
              etl_findings *findings);

/* The end of what Offset and SavedOffset say, whichever is larger and in range; 0 if neither is. */
uint32_t etl_open_reach(const etl_buffer_header *header, uint32_t most);

#endif
