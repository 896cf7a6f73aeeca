/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one buffer in the file and, for a compressed buffer, what they inflate to.
 */
#ifndef ETLPROOF_STREAM_H
#define ETLPROOF_STREAM_H

#include "etlproof/inflate.h"
#include "etlproof/trace.h"
#include "extent.h"
#include "scratch.h"

/* When an XPRESS stream ends, an unused flag word of this many bytes may be left of its input. */
enum { ETL_STREAM_FLAG_WORD = 4 };

/* Why the bytes of a buffer end where they do. */
typedef enum etl_raw_end {
    ETL_RAW_WHOLE,
    ETL_RAW_CUT,   /* the file ends before the buffer does */
    ETL_RAW_COMMON /* BufferSize leads nowhere, but the size that all uncompressed buffers share does not */
} etl_raw_end;

/* `raw`, `header` and `end` are set by the caller, all else 0; etl_stream_inflate sets the rest. */
typedef struct etl_stream {
    etl_span raw;          /* the buffer's bytes in the file: ETL_BUFFER_SIZE_MIN or more */
    etl_buffer_header header;
    etl_raw_end end;
    bool compressed;       /* flag COMPRESSED is set and credible */
    bool known_format;     /* of compression */
    bool ends_at_next;     /* `raw` was shortened to where the next buffer starts, before BufferSize says */
    bool plain;            /* compressed by its flag only: the bytes are plain events */
    bool longer;           /* events cross or follow the extent: inflated beyond it, as far as events may go */
    uint32_t extent;       /* announced by Offset, or else by SavedOffset; 0 if nothing can be inflated. The end of the
                              stream if the limits allow that, but not what Offset announces */
    uint32_t reach;        /* the larger of the two that is within the limits */
    etl_inflated inflated;
    uint64_t limit;        /* bytes of output, at which inflating stopped or for which it did not start; 0 if neither */
} etl_stream;

/*@ predicate etl_stream_begun{L}(etl_stream *s) =
      etl_readable(s->raw) && ETL_BUFFER_SIZE_MIN <= s->raw.size <= ETL_BUFFER_SIZE_MAX;

    predicate etl_stream_filled{L}(etl_stream *s, etl_scratch scratch) =
      etl_writable(scratch) && \separated(s, scratch.at + (0 .. scratch.size - 1)) &&
      (s->extent != 0 ==> ETL_BUFFER_SIZE_MIN + s->inflated.produced <= scratch.size &&
                          ETL_BUFFER_SIZE_MIN + s->inflated.produced <= ETL_BUFFER_SIZE_MAX); */

/* Bytes of input that were not consumed. */
/*@ requires \valid_read(s);
  @ assigns \nothing;
  @ ensures ETL_BUFFER_SIZE_MIN + s->inflated.consumed <= s->raw.size ==>
  @           \result == s->raw.size - ETL_BUFFER_SIZE_MIN - s->inflated.consumed; */
static inline size_t etl_stream_unused(const etl_stream *s)
{
    return s->raw.size - ETL_BUFFER_SIZE_MIN - s->inflated.consumed;
}

/* The extent that the output is checked against: that of SavedOffset counts only if events lie up to there. */
/*@ requires \valid_read(s);
  @ assigns \nothing; */
static inline uint32_t etl_stream_announced(const etl_stream *s)
{
    return s->longer ? s->reach : etl_extent_stated(&s->header, ETL_BUFFER_SIZE_MAX);
}

/* A header that states neither its size nor its extent is overwritten: its flags say nothing about the buffer. */
/*@ requires \valid_read(stream);
  @ assigns \nothing; */
bool etl_stream_overwritten(const etl_stream *stream);

/* What `input` bytes may inflate to, so that all buffers up to this one stay within limits.average. */
/*@ assigns \nothing; */
uint64_t etl_stream_left(etl_limits limits, etl_expansion before, uint64_t input);

/* Counts a buffer that is open. */
/*@ requires \valid(expansion) && \valid_read(buffer);
  @ assigns *expansion; */
void etl_stream_count(etl_expansion *expansion, const etl_buffer *buffer);

/* The extent that the header announces and the limits allow; 0 if there is none, or nothing to inflate. */
/*@ requires \valid_read(trace) && \valid_read(stream) && etl_stream_begun(stream);
  @ assigns \nothing;
  @ ensures \result == 0 || ETL_BUFFER_SIZE_MIN <= \result <= ETL_BUFFER_SIZE_MAX; */
uint32_t etl_stream_extent(const etl_trace *trace, const etl_stream *stream);

/* Inflates the buffer of the bytes `raw` up to `extent`; `scratch` is that large. */
/*@ requires etl_readable(raw) && ETL_BUFFER_SIZE_MIN <= raw.size && etl_writable(scratch);
  @ requires ETL_BUFFER_SIZE_MIN <= extent <= ETL_BUFFER_SIZE_MAX && extent <= scratch.size;
  @ requires \separated(raw.at + (0 .. raw.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ assigns scratch.at[0 .. scratch.size - 1];
  @ ensures \result.consumed <= raw.size - ETL_BUFFER_SIZE_MIN && \result.produced <= extent - ETL_BUFFER_SIZE_MIN; */
etl_inflated etl_stream_inflate_to(etl_span raw, uint32_t extent, etl_scratch scratch);

/*
 * Inflates a compressed buffer, whose bytes start the window; for others only `compressed` is set. The window
 * is searched for the next buffer, up to ETL_BUFFER_LOOK bytes behind this one. Returns 0 when done; else how many bytes of
 * scratch it takes: call again from the start with those. That happens three times at most: for Offset, for a larger
 * SavedOffset, and for events beyond both.
 */
/*@ requires \valid_read(trace) && \valid(stream) && etl_stream_begun(stream) && etl_readable(window);
  @ requires stream->raw.at == window.at && stream->raw.size <= window.size && stream->inflated.produced == 0;
  @ requires etl_writable(scratch) && \separated(stream, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(trace, scratch.at + (0 .. scratch.size - 1)) && \separated(trace, stream) &&
  @          \separated(window.at + (0 .. window.size - 1), scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(window.at + (0 .. window.size - 1), stream);
  @ assigns *stream, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_stream_begun(stream) && stream->raw.at == window.at && stream->raw.size <= \old(stream->raw.size);
  @ ensures \result <= ETL_BUFFER_SIZE_MAX;
  @ ensures \result == 0 ==> etl_stream_filled(stream, scratch); */
uint32_t etl_stream_inflate(const etl_trace *trace, etl_span window, etl_scratch scratch, etl_stream *stream);

#endif
