/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces: a file, which is a row of buffers. One arrow of the decode: file to buffers.
 */
#ifndef ETLPROOF_TRACE_H
#define ETLPROOF_TRACE_H

#include "etlproof/buffer.h"
#include "etlproof/linkage.h"
#include "etlproof/logfile.h"
#include "etlproof/outcome.h"

ETL_C_BEGIN

/* Limits of the reader, not of the format; reaching one is a finding of severity LIMIT. */
typedef struct etl_limits {
    uint32_t inflated;  /* most bytes that a compressed buffer may inflate to */
    uint32_t expansion; /* most bytes of output for each byte of compressed input, once output is over 64 KiB */
} etl_limits;

/* Sixteen MiB, the most that a buffer can have; a thousand times, a hundred times what real buffers need. */
#define ETL_LIMITS_DEFAULT (ETL_LITERAL(etl_limits){ETL_BUFFER_SIZE_MAX, 1000})

typedef struct etl_trace {
    etl_limits limits;
    etl_logfile logfile;   /* its spans are valid until the window changes */
    etl_context context;
    etl_buffer_shape shape;
    uint64_t offset;       /* of the window's first byte that is still wanted */
    size_t want;           /* with ETL_MORE: bytes from `offset` on; with ETL_SCRATCH: bytes of room */
    uint64_t buffers;      /* found so far */
    uint64_t compressed_buffers;

    /* The search for the next buffer after damage; owned by etl_trace_next. */
    bool ended;
    bool searching;
    bool blank;          /* all bytes searched so far are 0 */
    uint64_t gap_offset;
    etl_finding cause;
    uint64_t searched;   /* no buffer is to be found before, from the last place on where one was sought behind another */
} etl_trace;

void etl_trace_init(etl_trace *trace, etl_limits limits);

/*
 * The next buffer of the file. `window` starts at `trace->offset` of the file; `last` says that the file ends with it.
 * `room` is for inflating. Returns
 *   ETL_BUFFER  `buffer` is open, to be walked with etl_buffer_next; it points into window and room, which must stay until
 *               the walk is over; its bytes are consumed: the window then starts at the new `trace->offset`
 *   ETL_GAP     `gap` is DAMAGED or TAIL
 *   ETL_MORE    wants a window of `want` bytes from the new `trace->offset` on; if the file ends before, `last`
 *   ETL_SCRATCH    wants room of `want` bytes, never more than limits.inflated and a buffer header
 *   ETL_END     the file is read
 * `buffer` is the same object in each call: event indexes go on in it.
 * Findings: BUF-* but for BUF-015 and BUF-022, LFH-*, TIM-001, TIM-002, TIM-005, LIM-001.
 */
etl_outcome etl_trace_next(etl_trace *trace, etl_span window, bool last, etl_scratch room, etl_buffer *buffer,
                           etl_region *gap, etl_findings *findings);

ETL_C_END

#endif
