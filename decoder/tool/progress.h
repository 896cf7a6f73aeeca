/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress line on standard error, where that is a terminal, for work that takes longer than a second.
 */
#ifndef ETLPROOF_PROGRESS_H
#define ETLPROOF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct etl_progress {
    bool wanted;
    bool shown;
    int64_t next; /* time of the next line, ms */
} etl_progress;

/* `beside_output`: standard output gets text meanwhile, so that a terminal there has no room for a progress line. */
void etl_progress_start(etl_progress *progress, bool beside_output);
/* `total` is 0 if not known. */
void etl_progress_update(etl_progress *progress, const char *title, uint64_t done, uint64_t total);
void etl_progress_end(etl_progress *progress);

#endif
