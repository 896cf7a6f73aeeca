/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a buffer: from its bytes in the file to bytes that hold events.
 */
#ifndef ETLPROOF_OPEN_H
#define ETLPROOF_OPEN_H

#include "etlproof/buffer.h"
#include "etlproof/inflate.h"
#include "etlproof/trace.h"

/* An unused flag word may remain when an XPRESS stream ends: so many bytes of input. */
enum { ETL_OPEN_FLAG_WORD = 4 };

/* What is known of the bytes that a buffer is opened from. */
typedef enum etl_open_state {
    ETL_OPEN_WHOLE,
    ETL_OPEN_CUT,   /* the file ends before the buffer does */
    ETL_OPEN_MENDED /* they end where the common size of uncompressed buffers says: it is no compressed one */
} etl_open_state;

/* What a compressed buffer was inflated to; a buffer that is not has but `raw`. */
typedef struct etl_stream {
    etl_span raw;          /* the buffer's bytes in the file */
    bool ends_at_next;     /* they end where the next buffer was found, before BufferSize says */
    bool plain;            /* flag COMPRESSED, but they are events as they are */
    bool longer;           /* events cross or follow the extent: it was inflated beyond, as far as they may go */
    uint32_t extent;       /* what Offset, or else SavedOffset, announces; 0 if it cannot be inflated */
    uint32_t reach;        /* the larger of the two that may be inflated to */
    etl_inflated inflated;
    uint64_t limit;        /* bytes of output, which forbid to look at the input that is left; 0 if none do */
} etl_stream;

/* Bytes of room for what Offset, or else SavedOffset, of the buffer in `raw` announces; 0 if it is not to be inflated. */
uint32_t etl_open_room(const etl_trace *trace, etl_span raw, etl_open_state state);

/*
 * Inflates the buffer in the first `size` bytes of `window`, if it is compressed. Looks at as much of the window as tells
 * whether another buffer follows it. Returns 0 if all is done; else how much room it takes to go on: all is done anew with
 * that. It is asked for three times at most, for what Offset announces, for what a larger SavedOffset does, and beyond.
 */
uint32_t etl_open_stream(const etl_trace *trace, etl_span window, size_t size, etl_open_state state, etl_scratch room,
                         etl_stream *stream);

/*
 * Fills `buffer` from what etl_open_stream made of the bytes at `trace->offset` of the file, in the same room. Its index
 * and its events' indexes are the caller's.
 * Findings: BUF-001, BUF-004 to BUF-006, BUF-008 to BUF-013, BUF-016, BUF-017, BUF-019 to BUF-021, LFH-007, LIM-001.
 */
void etl_open(const etl_trace *trace, const etl_stream *stream, etl_open_state state, etl_scratch room, etl_buffer *buffer,
              etl_findings *findings);

/* The end of what Offset and SavedOffset say, whichever is larger and in range; 0 if neither is. */
uint32_t etl_open_reach(const etl_buffer_header *header, uint32_t most);

#endif
