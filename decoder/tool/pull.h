/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's loop over an input: windows and room are served here, the verbs see what was read.
 */
#ifndef ETLPROOF_PULL_H
#define ETLPROOF_PULL_H

#include "etlproof/etlproof.h"

#include "input.h"
#include "out.h"
#include "progress.h"

/* Why the loop ended before the file. */
typedef enum etl_pull_fault {
    ETL_PULL_NONE,
    ETL_PULL_READ,   /* the input; standard error says why */
    ETL_PULL_MEMORY, /* no room to inflate into */
    ETL_PULL_BUG     /* the decoder broke a promise of its own */
} etl_pull_fault;

typedef struct etl_pull {
    etl_reader reader;
    etl_input *input;
    etl_out *out; /* flushed before the loop waits for input */
    etl_progress progress;
    uint8_t *room;
    size_t room_size;
    etl_pull_fault fault;
    bool findings_overflow;
} etl_pull;

void etl_pull_open(etl_pull *pull, etl_input *input, etl_limits limits, etl_out *out, bool beside_output);

/*
 * What the reader gives next: BUFFER, EVENT, GAP, END; MORE or ROOM only where such a call left findings.
 * reader.findings holds those of this call. After END, `fault` says whether the file was read to its end.
 */
etl_outcome etl_pull_next(etl_pull *pull);

void etl_pull_close(etl_pull *pull);

#endif
