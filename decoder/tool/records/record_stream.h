/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole of an input as decode records or text.
 */
#ifndef ETLPROOF_DECODING_H
#define ETLPROOF_DECODING_H

#include "io/windowed_input.h"
#include "records/json_writer.h"
#include "records/time_order.h"
#include "io/output.h"
#include "io/pull.h"
#include "records/tally.h"
#include "io/command.h"

typedef struct tool_record_stream {
    bool text;    /* for people, not JSON Lines */
    bool payload; /* events with their user data */
    bool by_time; /* events sorted by time, behind all other records but the end */
    etl_limits limits;

    /* The rest is owned by tool_record_stream_write; all zero to begin with. */
    bool trace_written;
    tool_output *out;
    tool_json json;
    tool_time_order order;
    tool_pull pull;
    tool_tally tally;
} tool_record_stream;

/*
 * Writes what `input` holds to `out`. Returns the exit code of the command, apart from what closing `out` adds; what goes
 * wrong beside the file, and that it is no ETL file, is said on standard error. Only one whose code is INPUT, LIMIT for
 * want of memory, INTERNAL or OUTPUT has no end record. A decoding is for one input.
 */
tool_exit tool_record_stream_write(tool_record_stream *d, tool_input *input, tool_output *out);

#endif
