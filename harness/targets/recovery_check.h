/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers a file in memory, trace by trace, and checks the promises of recovery on each: the new file conforms; it has
 * every event that could be read, in order, byte for byte; its size is linear in that of the old one; recovering it again
 * gives the same bytes; and each dropped event or run of bytes has a note with its place and reason. While fuzzing, the new
 * file is checked only for a share of inputs (share.h). Called by fuzz_recover and recover_test.
 */
#ifndef ETLPROOF_TARGETS_RECOVERY_CHECK_H
#define ETLPROOF_TARGETS_RECOVERY_CHECK_H

#include "etlproof/trace.h"

#include "io/command.h"

typedef struct target_recovered_file {
    tool_exit exit;    /* of the file, as from validate */
    uint64_t files;   /* new files: one for each trace that was damaged or reached a limit */
    uint64_t read;    /* events of these traces */
    uint64_t dropped; /* how many of them are dropped */
    uint64_t events;  /* in the new files */
    const char *broken; /* the broken promise; NULL if none */
    uint64_t broken_at; /* offset of the event, or 0 */
} target_recovered_file;

/* All files are read within the limits. */
void target_recovered_make(target_recovered_file *recovered, etl_span file, etl_limits limits);

#endif
