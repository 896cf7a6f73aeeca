/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One decode of a file under every oracle: the file and its windows, the reader, and the watch.
 *
 *     static target_run run; // static: it keeps its scratch
 *     target_run_begin(&run, file, deep);
 *     while (target_run_advance(&run))
 *         continue;
 *     target_run_finish(&run);
 */
#ifndef ETLPROOF_TARGETS_TARGET_RUN_H
#define ETLPROOF_TARGETS_TARGET_RUN_H

#include "oracle.h"
#include "target_limits.h"

typedef struct target_run {
    etl_span file;
    uint64_t base;   /* offset of the first byte in a larger file */
    size_t chunk;    /* bytes of a window, or what the reader requests if that is more; 0: the file is one window */
    bool early;      /* sets `last` with the file's last byte, not one call later */
    uint8_t *window; /* an allocation of its own for each window, so that a read past it is seen */
    uint8_t *scratch; /* kept from one decode to the next, of `scratch_size` bytes */
    size_t scratch_size;
    etl_reader reader;
    oracle_watch oracle;
} target_run;

/*
 * In one window, under TARGET_LIMITS; for small windows, the caller sets `chunk` and `early` afterwards. `deep`:
 * oracle_watch.deep.
 */
void target_run_begin(target_run *run, etl_span file, bool deep);

/*
 * After target_run_begin: reads the input as the bytes of a larger file around offset 2^32, so that offsets kept in 32 bits
 * overflow in a small input.
 */
void target_run_far(target_run *run);

/*
 * Continues to the next buffer, event or gap. False after the last. A broken promise ends the process.
 */
bool target_run_advance(target_run *run);

/* Ends the process if a promise was broken. */
void target_run_hold(const target_run *run);

void target_run_finish(target_run *run);

#endif
