/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress line on standard error, for work that takes longer than a second. Only if standard error is a terminal.
 */
#ifndef ETLPROOF_IO_PROGRESS_LINE_H
#define ETLPROOF_IO_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tool_progress {
    bool wanted;
    bool shown;
    int64_t next; /* time of the next update, ms */
} tool_progress;

/* `beside_output`: standard output is written meanwhile; if it is a terminal too, there is no progress line. */
void tool_progress_start(tool_progress *progress, bool beside_output);
/* `done` and `total` are bytes; `total` is 0 if unknown. */
void tool_progress_update(tool_progress *progress, const char *title, uint64_t done, uint64_t total);
void tool_progress_end(tool_progress *progress);

#endif
