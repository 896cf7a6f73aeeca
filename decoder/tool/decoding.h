/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole of an input as decode records or text.
 */
#ifndef ETLPROOF_DECODING_H
#define ETLPROOF_DECODING_H

#include "input.h"
#include "json.h"
#include "order.h"
#include "out.h"
#include "pull.h"
#include "tally.h"
#include "tool.h"

typedef struct etl_decoding {
    bool text;    /* for people, not JSON Lines */
    bool payload; /* events with their user data */
    bool by_time; /* events sorted by time, behind all other records but the end */
    etl_limits limits;

    /* The rest is owned by etl_decode; all zero to begin with. */
    bool trace_written;
    etl_out *out;
    etl_json json;
    etl_order order;
    etl_pull pull;
    etl_tally tally;
} etl_decoding;

/*
 * Writes what `input` holds to `out`. Returns the exit code of the command, apart from what closing `out` adds; what goes
 * wrong beside the file, and that it is no ETL file, is said on standard error. Only one whose code is INPUT, LIMIT for
 * want of memory, INTERNAL or OUTPUT has no end record. A decoding is for one input.
 */
etl_exit etl_decode(etl_decoding *d, etl_input *input, etl_out *out);

#endif
