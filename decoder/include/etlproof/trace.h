/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace: a file, which is a row of buffers. This step of the decode turns a file into buffers.
 */
#ifndef ETLPROOF_TRACE_H
#define ETLPROOF_TRACE_H

#include "etlproof/buffer.h"
#include "etlproof/linkage.h"
#include "etlproof/logfile.h"
#include "etlproof/outcome.h"

ETL_C_BEGIN

/* Limits of the reader, not of the format. Reaching one is a finding of severity LIMIT. */
typedef struct etl_limits {
    uint32_t inflated;  /* the largest size in bytes that a compressed buffer may inflate to */
    uint32_t expansion; /* bytes of output for each byte of compressed input; not applied to output of up to 64 KiB */
    uint32_t average;   /* the same for all buffers up to this one; not applied to the first `inflated` bytes of output */
} etl_limits;

/* What streams inflated to so far. A buffer that was not inflated does not count. */
typedef struct etl_expansion {
    uint64_t from; /* bytes of compressed input, without buffer headers */
    uint64_t to;   /* bytes of output */
} etl_expansion;

/* 16 MiB, which is the largest BufferSize; 1000 times and 100 times, where real buffers expand 10 times at most. */
#define ETL_LIMITS_DEFAULT (ETL_LITERAL(etl_limits){ETL_BUFFER_SIZE_MAX, 1000, 100})
/* Reads every buffer: a compressed file of 1 MiB may take as long as one of 1 GiB. */
#define ETL_LIMITS_NONE (ETL_LITERAL(etl_limits){ETL_BUFFER_SIZE_MAX, UINT32_MAX, UINT32_MAX})

typedef struct etl_trace {
    etl_limits limits;
    etl_logfile logfile;    /* its spans are valid until the window changes */
    etl_context context;
    etl_buffer_shape shape;
    uint64_t offset;        /* file offset of the next byte to read: the window starts there */
    size_t want;            /* with ETL_MORE: bytes from `offset` on; with ETL_SCRATCH: bytes of scratch */
    uint64_t buffers;       /* found so far */
    uint64_t compressed_buffers;
    etl_expansion expansion;

    /* The search for the next buffer after damage; owned by etl_trace_next. */
    bool ended;
    bool searching;
    bool blank;          /* all bytes searched so far are 0 */
    uint64_t gap_offset; /* file offset where the search began */
    etl_finding cause;   /* the finding that the gap gets */
    uint64_t searched;   /* file offset; searched for a buffer up to here: do not search again */
} etl_trace;

/*@ requires \valid(trace);
  @ assigns *trace; */
void etl_trace_init(etl_trace *trace, etl_limits limits);

/*
 * The next buffer of the file. `window` starts at `trace->offset` of the file; `last`: the file ends with the window.
 * `scratch` is used for inflating. Returns
 *   ETL_BUFFER   `buffer` is open; walk over it with etl_buffer_next. It points into window and scratch, which must stay
 *                valid until the walk ends. Its bytes are consumed: the next window starts at the new `trace->offset`
 *   ETL_GAP      `gap` is DAMAGED or TAIL
 *   ETL_MORE     call again with a window of `want` bytes from the new `trace->offset` on; with fewer if the file ends
 *                before, and then with `last`
 *   ETL_SCRATCH  call again with scratch of `want` bytes: at most limits.inflated and a buffer header
 *   ETL_END      the whole file was read
 * Pass the same `buffer` in each call: it counts the events of the file.
 * Findings: BUF-* except BUF-015 and BUF-022, LFH-*, TIM-001, TIM-002, TIM-005, LIM-001.
 */
/*@ requires \valid(trace) && \valid(buffer) && \valid(gap) && \valid(findings) && findings->count <= ETL_FINDINGS_MAX;
  @ requires \valid_read(window.at + (0 .. window.size - 1)) && \valid(scratch.at + (0 .. scratch.size - 1));
  @ requires \separated(trace, buffer, gap, findings, window.at + (0 .. window.size - 1)) &&
  @          \separated(trace, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(buffer, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(gap, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(window.at + (0 .. window.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ requires trace->offset + window.size <= INT64_MAX && trace->searched <= trace->offset + ETL_BUFFER_SIZE_MAX;
  @ assigns *trace, *buffer, *gap, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures findings->count <= ETL_FINDINGS_MAX;
  @ ensures trace->offset <= INT64_MAX;
  @ ensures trace->searched <= trace->offset + ETL_BUFFER_SIZE_MAX;
  @ ensures \result == ETL_BUFFER ==>
  @           \valid_read(buffer->data.at + (0 .. buffer->data.size - 1)) &&
  @           ETL_BUFFER_SIZE_MIN <= buffer->data.size <= ETL_BUFFER_SIZE_MAX && buffer->extent <= buffer->data.size &&
  @           buffer->reach <= buffer->data.size; */
etl_outcome etl_trace_next(etl_trace *trace, etl_span window, bool last, etl_scratch scratch, etl_buffer *buffer,
                           etl_region *gap, etl_findings *findings);

ETL_C_END

#endif
