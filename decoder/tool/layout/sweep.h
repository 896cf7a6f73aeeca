/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All places of a file, or of standard input, where a structure may lie.
 */
#ifndef ETLPROOF_LAYOUT_SWEEP_H
#define ETLPROOF_LAYOUT_SWEEP_H

#include "input.h"
#include "layout/sieve.h"
#include "progress.h"

/* Bytes before a hit that are there to be looked at, unless the file begins later. */
#define ETL_SWEEP_BEFORE 0x100u

typedef struct etl_sweep {
    etl_input input;
    etl_progress progress;
    etl_sieve sieve;
    etl_sieve_walk walk;
    etl_span window;
    uint64_t offset; /* of the window in the file */
    size_t skip;     /* bytes of the window that were searched before */
    size_t after;    /* bytes behind a place that are there to be looked at, unless the file ends before */
    bool last;
    bool failed;     /* a read error; standard error has said so */
} etl_sweep;

/* From `offset` of the file on. False if it cannot be opened; standard error says why. */
bool etl_sweep_open(etl_sweep *sweep, const etl_ranking *ranking, const char *file, uint64_t offset);
/* The next hit, its offset that of the file; or, at the end of each window, none, and the offset that all hits to come lie
   behind. False at the end of the file, or on a read error. */
bool etl_sweep_next(etl_sweep *sweep, int32_t threshold, etl_sieve_hit *hit);
/* The bytes from `offset` on, which lies at most ETL_SWEEP_BEFORE before the last hit and not behind it. */
etl_span etl_sweep_bytes(const etl_sweep *sweep, uint64_t offset);
void etl_sweep_close(etl_sweep *sweep);

#endif
