/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XPRESS (MS-XCA plain LZ77) inflation.
 */
#ifndef ETLPROOF_INFLATE_H
#define ETLPROOF_INFLATE_H

#include "etlproof/bytes.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

typedef enum etl_inflate_status {
    ETL_INFLATE_DONE,      /* `out` is full */
    ETL_INFLATE_SHORT,     /* the stream ended between two tokens, before `out` was full */
    ETL_INFLATE_CUT,       /* the input ended inside a token */
    ETL_INFLATE_DISTANCE,  /* a match starts before the output */
    ETL_INFLATE_LENGTH,    /* a match length is encoded in a way that MS-XCA forbids */
    ETL_INFLATE_OVERRUN    /* a match ends behind the end of `out` */
} etl_inflate_status;

typedef struct etl_inflated {
    etl_inflate_status status;
    size_t consumed; /* bytes of input read; after a fault, up to the token at fault */
    size_t produced; /* bytes of output that are valid, whatever the status */
} etl_inflated;

/*
 * Inflates `in` into `out` until `out` is full, the input ends or a fault. Time is linear in `out.size`.
 * Source: MS-XCA, 2.4; 749 real streams.
 */
/*@ requires \valid_read(in.at + (0 .. in.size - 1)) && \valid(out.at + (0 .. out.size - 1)) && out.size <= SIZE_MAX - 16;
  @ requires \separated(in.at + (0 .. in.size - 1), out.at + (0 .. out.size - 1));
  @ assigns out.at[0 .. out.size - 1];
  @ ensures \result.consumed <= in.size && \result.produced <= out.size; */
etl_inflated etl_inflate(etl_span in, etl_scratch out);

ETL_C_END

#endif
