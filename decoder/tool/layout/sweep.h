/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All places of a file, or of standard input, where a structure may lie.
 */
#ifndef ETLPROOF_LAYOUT_SWEEP_H
#define ETLPROOF_LAYOUT_SWEEP_H

#include "io/progress_line.h"
#include "io/windowed_input.h"
#include "layout/sieve.h"

/* Bytes before a hit that are there to be looked at, unless the file begins later. */
#define TOOL_SWEEP_BEFORE 0x100u

typedef struct tool_sweep {
    tool_input input;
    tool_progress progress;
    tool_sieve sieve;
    tool_sieve_walk walk;
    etl_span window;
    uint64_t offset; /* of the window in the file */
    size_t skip;     /* bytes of the window that were searched before */
    size_t after;    /* bytes behind a place that are there to be looked at, unless the file ends before */
    bool last;
    bool failed;     /* a read error; standard error has said so */
} tool_sweep;

/* From `offset` of the file on. False if it cannot be opened; standard error says why. */
bool tool_sweep_open(tool_sweep *sweep, const tool_ranking *ranking, const char *file, uint64_t offset);
/* The next hit, its offset that of the file; or, at the end of each window, none, and the offset that all hits to come lie
   behind. False at the end of the file, or on a read error. */
bool tool_sweep_next(tool_sweep *sweep, int32_t threshold, tool_sieve_hit *hit);
/* The bytes from `offset` on, which lies at most TOOL_SWEEP_BEFORE before the last hit and not behind it. */
etl_span tool_sweep_bytes(const tool_sweep *sweep, uint64_t offset);
void tool_sweep_close(tool_sweep *sweep);

#endif
