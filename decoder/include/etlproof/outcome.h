/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call of an iterator gave.
 */
#ifndef ETLPROOF_OUTCOME_H
#define ETLPROOF_OUTCOME_H

typedef enum etl_outcome {
    ETL_END,     /* nothing more */
    ETL_BUFFER,  /* a buffer begins */
    ETL_EVENT,   /* an event of the current buffer */
    ETL_GAP,     /* bytes that belong to no event: slack, damage, tail */
    ETL_MORE,    /* wants more input: `want` bytes from `offset` on; not an error, and not the end */
    ETL_SCRATCH,    /* wants more room to inflate into: `want` bytes */
    ETL_INTERNAL /* a condition that the decoder itself rules out: a bug of it, never the input's fault */
} etl_outcome;

#endif
