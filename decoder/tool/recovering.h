/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recovery of an input, from its first byte to whoever keeps the new file and the notes.
 */
#ifndef ETLPROOF_RECOVERING_H
#define ETLPROOF_RECOVERING_H

#include "etlproof/recover.h"

#include "tally.h"

/* Who gets what a recovery makes. Those that return false have failed: the recovery ends. */
typedef struct etl_recovering_sink {
    void *context;
    bool (*write)(void *context, etl_span bytes);
    bool (*patch)(void *context, uint64_t at, etl_span bytes);
    bool (*note)(void *context, const etl_recover_note *note);
} etl_recovering_sink;

typedef struct etl_recovering {
    etl_input *input;
    etl_limits limits;
    etl_out out; /* gets nothing */
    etl_pull pull;
    etl_tally tally;
    etl_survey survey;
    etl_verdict verdict;
    etl_recovery recovery;
    uint8_t room[ETL_RECOVER_ROOM];
} etl_recovering;

/*
 * The first pass: survey, tally and verdict. Returns what validate would exit with; where it is LIMIT, pull.fault says
 * whether memory was out.
 */
etl_exit etl_recovering_survey(etl_recovering *recovering, etl_input *input, etl_limits limits);

/* The second, within the same limits. CONFORMING, or INPUT, OUTPUT (the sink's failure), LIMIT (memory), INTERNAL. */
etl_exit etl_recovering_write(etl_recovering *recovering, const etl_recovering_sink *sink);

#endif
