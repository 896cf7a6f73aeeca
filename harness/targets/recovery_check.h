/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file recovered in memory, and held to what recovery promises: that the new file conforms, that it has every event that
 * could be read, in order, byte for byte, that its size is linear in that of the old one, that recovering it again gives
 * the same bytes, and that each event and each run of bytes that was left out has a note of its own, which says where and
 * why. Of the files that come from fuzzing, the new one is only looked at for a share (share.h).
 */
#ifndef ETLPROOF_RECOVERED_H
#define ETLPROOF_RECOVERED_H

#include "etlproof/trace.h"

#include "io/command.h"

typedef struct target_recovered_file {
    tool_exit exit;    /* of the file, as of validate */
    uint8_t *at;      /* the new file; NULL unless the file was damaged or reached a limit */
    size_t size;
    uint64_t read;    /* events of the file */
    uint64_t dropped; /* of them, left out */
    uint64_t events;  /* in the new file */
    const char *broken; /* what of the promises was; NULL if nothing */
    uint64_t broken_at; /* offset of the event, or 0 */
} target_recovered_file;

/* Both files are read within the limits. The caller frees `at`. */
void target_recovered_make(target_recovered_file *recovered, etl_span file, etl_limits limits);

#endif
