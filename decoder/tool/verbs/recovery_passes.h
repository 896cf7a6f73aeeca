/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes of a recovery over an input: a survey, then the new file and its notes, which go to a sink.
 */
#ifndef ETLPROOF_VERBS_RECOVERY_PASSES_H
#define ETLPROOF_VERBS_RECOVERY_PASSES_H

#include "etlproof/recover.h"

#include "records/tally.h"

/* Receives the output of a recovery. A function that returns false ends the recovery. */
typedef struct tool_recovery_sink {
    void *context;
    bool (*write)(void *context, etl_span bytes);
    bool (*patch)(void *context, uint64_t at, etl_span bytes);
    bool (*note)(void *context, const etl_recover_note *note);
} tool_recovery_sink;

typedef struct tool_recovery {
    tool_input *input;
    etl_limits limits;
    tool_output out; /* receives nothing */
    tool_pull pull;
    tool_tally tally;
    etl_survey survey;
    tool_verdict verdict;
    etl_recovery recovery;
    uint8_t scratch[ETL_RECOVER_SCRATCH_SIZE];
} tool_recovery;

/*
 * The first pass: survey, tally and verdict. Returns the exit code that validate would have. After LIMIT, pull.fault is
 * TOOL_PULL_MEMORY if memory ran out. Stops early, with DAMAGED, where the next trace of the file starts
 * (survey.next_trace): each trace is recovered on its own.
 */
tool_exit tool_recovery_survey(tool_recovery *recovering, tool_input *input, etl_limits limits);

/* The bytes of one trace. */
typedef struct tool_trace_range {
    uint64_t offset, size;
    bool followed; /* another trace starts behind it */
} tool_trace_range;

/*
 * Surveys the trace that starts at range->offset and has at most range->size bytes, as if its bytes were a file, and sets
 * `size` and `followed` of the range. Reopens the input as this range. Returns as tool_recovery_survey does; INPUT if the
 * input cannot be reopened.
 */
tool_exit tool_recovery_survey_range(tool_recovery *recovering, tool_input *input, etl_limits limits,
                                     tool_trace_range *range);

/* The passes that write, within the same limits. Returns CONFORMING, INPUT, OUTPUT (the sink failed), LIMIT (memory) or
   INTERNAL. */
tool_exit tool_recovery_write(tool_recovery *recovering, const tool_recovery_sink *sink);

#endif
