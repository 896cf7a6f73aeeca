/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode of an input to records, and the records of one step of it.
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

typedef struct tool_record_stream {
    bool text;    /* text for people instead of JSON Lines */
    tool_payload_form payload; /* how the payload of events is printed */
    const char *manifest; /* path of a manifest with schemas that the trace lacks; NULL: none */
    bool by_time; /* print events sorted by time, behind all other records but the end */
    uint64_t order_most; /* bytes of memory for that; 0: TOOL_TIME_ORDER_MOST */
    unsigned threads; /* that print records, in file order; up to 1: none but the caller's (records/record_threads.h) */
    etl_limits limits;

    /* The rest belongs to tool_record_stream_write, and is zero before it. */
    bool silent;      /* count, but print nothing */
    bool trace_known; /* the logfile header has been read */
    bool trace_due;   /* the trace record comes before the record of this buffer */
    tool_output *out;
    tool_json json;
    tool_time_order order;
    tool_pull pull;
    tool_schemas schemas;
    tool_tally tally;
} tool_record_stream;

/* Counts and prints one outcome of `d->pull`. False at the end, or when output or memory failed. */
bool tool_record_stream_step(tool_record_stream *d, etl_outcome outcome);

#endif
