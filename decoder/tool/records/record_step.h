/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode of an input to records, one step at a time: reading a step, and printing its records.
 */
#ifndef ETLPROOF_RECORDS_RECORD_STEP_H
#define ETLPROOF_RECORDS_RECORD_STEP_H

#include "io/output.h"
#include "io/pull.h"
#include "records/json_writer.h"
#include "records/record.h"
#include "records/tally.h"
#include "records/time_order.h"
#include "records/trace_schemas.h"

/* Prints the records of steps. */
typedef struct tool_record_printer {
    bool text; /* for people, instead of JSON Lines */
    tool_payload_form payload;
    tool_output *out;
    tool_json json;
    tool_time_order *order; /* collects the records of events; NULL: they are printed where they occur */
    tool_schemas *schemas;
    tool_tally *tally; /* counts the findings about payloads, which are found while printing */
} tool_record_printer;

typedef struct tool_record_stream {
    bool text; /* for people, instead of JSON Lines */
    tool_payload_form payload; /* how the payload of events is printed */
    const char *manifest; /* path of a manifest with schemas that the trace lacks; NULL: none */
    bool by_time; /* print events sorted by time, behind all other records but the end */
    uint64_t order_most; /* bytes of memory for that; 0: TOOL_TIME_ORDER_MOST */
    unsigned threads; /* that print records, in file order; up to 1: none but the caller's (records/record_threads.h) */
    etl_limits limits;

    /* The rest belongs to tool_record_stream_write, and is zero before it. */
    bool trace_known; /* the logfile header has been read */
    tool_record_printer printer;
    tool_time_order order;
    tool_pull pull;
    tool_schemas schemas;
    tool_tally tally;
} tool_record_stream;

/* What records print of a step of the decode. */
typedef struct tool_step {
    etl_outcome outcome;
    bool trace_due; /* with ETL_BUFFER: the logfile header is known since this buffer */
    const etl_event *event;
    const etl_buffer *buffer;
    const etl_logfile *logfile;
    const etl_finding *findings;
    uint32_t finding_count;
} tool_step;

/* Reads the next step of `d->pull` and counts it; `step` points into the reader. False if it is the last one. */
bool tool_record_step_read(tool_record_stream *d, tool_step *step);

/* Prints the records of a step. False if output or memory failed. */
bool tool_record_step_print(tool_record_printer *printer, const tool_step *step);

#endif
