/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that a recovery has still to give, in order.
 */
#ifndef ETLPROOF_STEP_QUEUE_H
#define ETLPROOF_STEP_QUEUE_H

#include "etlproof/recover.h"

/* Where things lie in the room. */
enum {
    ETL_SCRATCH_HEADER = 0x000,      /* header of a rebuilt buffer */
    ETL_SCRATCH_EMPTY = 0x048,       /* a buffer without events */
    ETL_SCRATCH_PATCH = 0x090,       /* four values of eight bytes */
    ETL_SCRATCH_ZEROS = 0x0B0,
    ETL_SCRATCH_ZEROS_SIZE = 8,
    ETL_SCRATCH_ONES = 0x0B8,
    ETL_SCRATCH_ONES_SIZE = 0x100,
    ETL_SCRATCH_LOGFILE = 0x1B8,        /* a header buffer, without what may follow its event */
    ETL_SCRATCH_LOGFILE_SIZE = 0x200
};

/* Zeros and ones into the scratch, 0 everywhere else. */
void etl_queue_init(etl_recovery *recovery);

void etl_queue_write(etl_recovery *recovery, etl_span bytes);
void etl_queue_fill(etl_recovery *recovery, uint32_t size, bool ones);
/* `slot`: which of the values of ETL_SCRATCH_PATCH. */
void etl_queue_patch(etl_recovery *recovery, unsigned slot, uint64_t at, uint32_t size, uint64_t value);

/* A note to fill in, with no rule and no index. */
etl_recover_note *etl_queue_note(etl_recovery *recovery, etl_recovered kind);

/* Notes that a member of the new file is not what it was; nothing if it is. `start` is that of the structure. */
void etl_queue_change(etl_recovery *recovery, uint64_t start, etl_structure_id structure, uint32_t member, uint64_t from,
                      uint64_t to);

/* The next of them; ETL_RECOVER_WANTS if there is none. */
etl_recover_step etl_queue_next(etl_recovery *recovery);

#endif
