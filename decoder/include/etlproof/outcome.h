/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes of an iterator's call.
 */
#ifndef ETLPROOF_OUTCOME_H
#define ETLPROOF_OUTCOME_H

typedef enum etl_outcome {
    ETL_END,     /* nothing more */
    ETL_BUFFER,  /* a buffer begins */
    ETL_EVENT,   /* an event of the current buffer */
    ETL_GAP,     /* bytes that belong to no event: slack, damage, tail */
    ETL_MORE,    /* more input is needed: `want` bytes from `offset` on; not an error, and not the end */
    ETL_SCRATCH, /* more scratch is needed for inflating: `want` bytes */
    ETL_INTERNAL /* a bug of the decoder, never the input's fault */
} etl_outcome;

#endif
