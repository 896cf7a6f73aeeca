/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recovery of an input, from its first byte to whoever keeps the new file and the notes.
 */
#ifndef ETLPROOF_RECOVERING_H
#define ETLPROOF_RECOVERING_H

#include "etlproof/recover.h"

#include "records/tally.h"

/* Who gets what a recovery makes. Those that return false have failed: the recovery ends. */
typedef struct tool_recovery_sink {
    void *context;
    bool (*write)(void *context, etl_span bytes);
    bool (*patch)(void *context, uint64_t at, etl_span bytes);
    bool (*note)(void *context, const etl_recover_note *note);
} tool_recovery_sink;

typedef struct tool_recovery {
    tool_input *input;
    etl_limits limits;
    tool_output out; /* gets nothing */
    tool_pull pull;
    tool_tally tally;
    etl_survey survey;
    tool_verdict verdict;
    etl_recovery recovery;
    uint8_t scratch[ETL_RECOVER_ROOM];
} tool_recovery;

/*
 * The first pass: survey, tally and verdict. Returns what validate would exit with; where it is LIMIT, pull.fault says
 * whether memory was out.
 */
tool_exit tool_recovery_survey(tool_recovery *recovering, tool_input *input, etl_limits limits);

/* The second, within the same limits. CONFORMING, or INPUT, OUTPUT (the sink's failure), LIMIT (memory), INTERNAL. */
tool_exit tool_recovery_write(tool_recovery *recovering, const tool_recovery_sink *sink);

#endif
