/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress line on standard error, where that is a terminal, for work that takes longer than a second.
 */
#ifndef ETLPROOF_PROGRESS_H
#define ETLPROOF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tool_progress {
    bool wanted;
    bool shown;
    int64_t next; /* time of the next line, ms */
} tool_progress;

/* `beside_output`: standard output gets text meanwhile, so that a terminal there has no room for a progress line. */
void tool_progress_start(tool_progress *progress, bool beside_output);
/* `total` is 0 if not known. */
void tool_progress_update(tool_progress *progress, const char *title, uint64_t done, uint64_t total);
void tool_progress_end(tool_progress *progress);

#endif
