/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All places of a file or standard input where a structure may lie, in windows.
 */
#ifndef ETLPROOF_LAYOUT_SWEEP_H
#define ETLPROOF_LAYOUT_SWEEP_H

#include "io/progress_line.h"
#include "io/windowed_input.h"
#include "layout/sieve.h"

/* Bytes before a hit that stay available, as far as the file has them. */
#define TOOL_SWEEP_BEFORE 0x100u

typedef struct tool_sweep {
    tool_input input;
    tool_progress progress;
    tool_sieve sieve;
    tool_sieve_walk walk;
    etl_span window;
    uint64_t offset; /* file offset of the window */
    size_t skip;     /* bytes of the window that the window before had searched */
    size_t after;    /* bytes behind a place that are available, as far as the file has them */
    bool last;
    bool failed;     /* read error; standard error has the reason */
} tool_sweep;

/* Starts at `offset` of the file. If it cannot be opened, returns false and prints the reason on standard error. */
bool tool_sweep_open(tool_sweep *sweep, const tool_ranking *ranking, const char *file, uint64_t offset);
/* The next hit, with its file offset. At the end of each window, a hit without contender, at an offset that no later hit
   lies before. False at the end of the file or on a read error. */
bool tool_sweep_next(tool_sweep *sweep, int32_t threshold, tool_sieve_hit *hit);
/* The bytes at `offset`, which lies at most TOOL_SWEEP_BEFORE before the last hit, and not behind it. */
etl_span tool_sweep_bytes(const tool_sweep *sweep, uint64_t offset);
void tool_sweep_close(tool_sweep *sweep);

#endif
