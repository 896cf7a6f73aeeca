/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what the logfile header of a recovered file states about the file as a whole, that its buffers have no more input
 * than their streams use, and the notes about changed members. Called by recovery_check.c.
 */
#ifndef ETLPROOF_TARGETS_RECOVERY_HEADER_H
#define ETLPROOF_TARGETS_RECOVERY_HEADER_H

#include "etlproof/recover.h"

/* What a walk over a file has found so far. */
typedef struct target_recovery_totals {
    uint64_t buffers;
    uint32_t processors;    /* the highest processor of a buffer, plus 1 */
    bool has_time[2];       /* of an event: of any, and of any but the one with the logfile header */
    int64_t last[2];        /* the greatest of these times */
    uint64_t unused;        /* the most input that a compressed buffer has behind its stream */
} target_recovery_totals;

/* `header`: the outcome is the event with the logfile header. */
void target_recovery_count(target_recovery_totals *totals, etl_outcome outcome, const etl_reader *reader, bool header);

/* A file, and the header and totals that were read from it. */
typedef struct target_recovery_side {
    const etl_survey *survey;
    const target_recovery_totals *totals;
} target_recovery_side;

/* The promise that the header of `out` breaks, a file that was recovered from `in`; NULL if none. */
const char *target_recovery_header(target_recovery_side in, target_recovery_side out);

/* Whether a note about a changed member gives the place in the new file and the value that stands there. */
bool target_recovery_change_fits(etl_span made, const etl_recover_note *note);

#endif
