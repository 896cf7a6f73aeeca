/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One decode of a file under every oracle: how the file comes in, who reads it, and who watches.
 *
 *     etl_run_begin(&run, file, deep);
 *     while (etl_run_advance(&run))
 *         continue;
 *     etl_run_finish(&run);
 */
#ifndef ETLPROOF_RUN_H
#define ETLPROOF_RUN_H

#include "common.h"
#include "target_limits.h"

typedef struct etl_run {
    etl_span file;
    size_t chunk;    /* bytes of a window, or what the reader wants if that is more; 0: the file is one window */
    bool early;      /* says `last` with the file's last byte, and not one call later */
    uint8_t *window; /* an allocation of its own for each window, so that a read past it is seen */
    uint8_t *room;
    etl_reader reader;
    etl_oracle oracle;
} etl_run;

/*
 * From one window, under ETL_TARGET_LIMITS; a caller that wants small windows sets `chunk` and `early` after. `deep`:
 * etl_oracle.deep.
 */
void etl_run_begin(etl_run *run, etl_span file, bool deep);

/*
 * Goes on to the next outcome that says something of the file: a buffer, an event or a gap. False after the last. A broken
 * promise ends the process.
 */
bool etl_run_advance(etl_run *run);

/* Ends the process if a promise was broken. */
void etl_run_hold(const etl_run *run);

void etl_run_finish(etl_run *run);

#endif
