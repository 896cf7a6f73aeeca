/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer: a WMI_BUFFER_HEADER and the events after it. This step of the decode turns a buffer into events.
 */
#ifndef ETLPROOF_BUFFER_H
#define ETLPROOF_BUFFER_H

#include "etlproof/buffer_header.h"
#include "etlproof/bytes.h"
#include "etlproof/event.h"
#include "etlproof/finding.h"
#include "etlproof/linkage.h"
#include "etlproof/logfile.h"
#include "etlproof/outcome.h"
#include "etlproof/region.h"

ETL_C_BEGIN

typedef struct etl_buffer {
    uint64_t index;  /* from 0 in file order */
    uint64_t offset; /* in the file */
    etl_buffer_header header;
    etl_span raw;    /* the buffer's bytes in the file; of a cut buffer those that the file has */
    bool compressed; /* flag COMPRESSED is set, and the data is compressed */
    uint32_t inflated_from;    /* bytes of compressed input that were used */
    etl_region_kind rest_kind; /* of the input after those: SLACK or DAMAGED */
    etl_space space; /* of the events: INFLATED if compressed */
    etl_span data;   /* header and events, in that space */
    uint32_t extent; /* where the events end: bytes from the start of `data` */

    /* The walk over the events; owned by etl_buffer_next. */
    etl_context context;
    uint32_t reach;      /* the larger of Offset and SavedOffset, of those in range: events may continue up to here */
    bool extent_stated;  /* `extent` comes from the header; false: it is the end of `data`, as the header states none */
    uint32_t clean_from; /* the bytes of `data` from here on are known to be 0xFF */
    uint32_t at;         /* next byte to read */
    bool steady_clock;   /* the clock of the trace cannot be set back: TIM-004 applies, else TIM-007 */
    bool has_time;       /* an event of this buffer had a time stamp ... */
    int64_t last_time;   /* ... and this is the last one */
    uint64_t next_event; /* index of the next event, counted through the file */
} etl_buffer;

/*
 * The next event of a buffer that etl_trace_next has opened. Returns
 *   ETL_EVENT   `event` is the next event
 *   ETL_GAP     `gap` is a run of bytes without events: DAMAGED or SLACK
 *   ETL_END     the whole buffer was read: events and gaps tile `data` from 0x48 on
 * Findings: BUF-015, BUF-022, MRK-006, ALN-001, TIM-004, TIM-007, and those of etl_event_frame.
 */
/*@ requires \valid(buffer) && \valid(event) && \valid(gap) && \valid(findings) && findings->count <= ETL_FINDINGS_MAX;
  @ requires \valid_read(buffer->data.at + (0 .. buffer->data.size - 1)) && buffer->data.size <= ETL_BUFFER_SIZE_MAX;
  @ requires buffer->at <= buffer->data.size && buffer->extent <= buffer->data.size && buffer->reach <= buffer->data.size;
  @ requires \separated(buffer, event, gap, findings);
  @ requires \separated(event, buffer->data.at + (0 .. buffer->data.size - 1)) &&
  @          \separated(findings, buffer->data.at + (0 .. buffer->data.size - 1));
  @ assigns buffer->at, buffer->extent, buffer->extent_stated, buffer->has_time, buffer->last_time, buffer->next_event,
  @         *event, *gap, *findings;
  @ ensures findings->count <= ETL_FINDINGS_MAX;
  @ ensures buffer->at <= buffer->data.size;
  @ ensures buffer->extent <= buffer->data.size; */
etl_outcome etl_buffer_next(etl_buffer *buffer, etl_event *event, etl_region *gap, etl_findings *findings);

/* The regions of the file outside of events: the buffer's header and, if compressed, its data. Returns their number. */
#define ETL_BUFFER_REGIONS 3
/*@ requires \valid_read(buffer) && \valid(regions + (0 .. ETL_BUFFER_REGIONS - 1));
  @ requires \separated(buffer, regions + (0 .. ETL_BUFFER_REGIONS - 1));
  @ assigns regions[0 .. ETL_BUFFER_REGIONS - 1];
  @ ensures \result <= ETL_BUFFER_REGIONS; */
size_t etl_buffer_regions(const etl_buffer *buffer, etl_region regions[ETL_BUFFER_REGIONS]);

ETL_C_END

#endif
