/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of steps that one outcome of the decode leads to, and the layout of the scratch that they use. recovery.c and
 * rebuild.c fill the queue; etl_recover_next empties it.
 */
#ifndef ETLPROOF_STEP_QUEUE_H
#define ETLPROOF_STEP_QUEUE_H

#include "etlproof/recover.h"

/* Offsets in the scratch. */
enum {
    ETL_SCRATCH_HEADER = 0x000,      /* header of a rebuilt buffer */
    ETL_SCRATCH_EMPTY = 0x048,       /* a buffer without events */
    ETL_SCRATCH_PATCH = 0x090,       /* four slots of eight bytes */
    ETL_SCRATCH_ZEROS = 0x0B0,
    ETL_SCRATCH_ZEROS_SIZE = 8,
    ETL_SCRATCH_ONES = 0x0B8,
    ETL_SCRATCH_ONES_SIZE = 0x100,
    ETL_SCRATCH_LOGFILE = 0x1B8,     /* a new header buffer, up to the end of its event */
    ETL_SCRATCH_LOGFILE_SIZE = 0x200
};

/* Fills the scratch: ETL_SCRATCH_ONES with 0xFF, all else with 0. */
void etl_queue_init(etl_recovery *recovery);

void etl_queue_write(etl_recovery *recovery, etl_span bytes);
void etl_queue_fill(etl_recovery *recovery, uint32_t size, bool ones);
/* `slot` is one of the slots of ETL_SCRATCH_PATCH, each used once. */
void etl_queue_patch(etl_recovery *recovery, unsigned slot, uint64_t at, uint32_t size, uint64_t value);

/* Queues a note without rule and index, for the caller to fill in. */
etl_recover_note *etl_queue_note(etl_recovery *recovery, etl_recovered kind);

/* Notes a changed member of the new file, if `from` and `to` differ. `start` is the offset of its structure. */
void etl_queue_change(etl_recovery *recovery, uint64_t start, etl_structure_id structure, uint32_t member, uint64_t from,
                      uint64_t to);

/* The next step; ETL_RECOVER_WANTS if the queue is empty. */
etl_recover_step etl_queue_next(etl_recovery *recovery);

#endif
