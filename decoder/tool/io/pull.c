/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives etl_reader over a tool_input: serves windows and scratch memory, and shows progress. Every verb that reads a trace
 * calls this.
 */
#include "io/pull.h"

#include <stdlib.h>

void tool_pull_open(tool_pull *pull, tool_input *input, etl_limits limits, tool_output *out, bool beside_output)
{
    etl_reader_init(&pull->reader, limits);
    pull->input = input;
    pull->out = out;
    pull->scratch = NULL;
    pull->scratch_size = 0;
    pull->fault = TOOL_PULL_NONE;
    pull->findings_overflow = false;
    tool_progress_start(&pull->progress, beside_output);
}

static etl_outcome stop(tool_pull *pull, tool_pull_fault fault)
{
    pull->fault = fault;
    return ETL_END;
}

static bool feed(tool_pull *pull)
{
    etl_span window = {0};
    bool last = false;
    const etl_trace *trace = &pull->reader.trace;
    if (!pull->input->mapped)
        tool_output_flush(pull->out);
    if (!tool_input_serve(pull->input, trace->offset, trace->want, &window, &last))
        return false;
    etl_reader_feed(&pull->reader, window, last);
    return true;
}

static bool lend(tool_pull *pull)
{
    size_t want = pull->reader.trace.want;
    if (want > pull->scratch_size) {
        free(pull->scratch);
        pull->scratch = malloc(want);
        pull->scratch_size = pull->scratch != NULL ? want : 0;
    }
    if (pull->scratch == NULL)
        return false;
    etl_reader_lend(&pull->reader, (etl_scratch){pull->scratch, pull->scratch_size});
    return true;
}

etl_outcome tool_pull_next(tool_pull *pull)
{
    pull->reader.findings.count = 0;
    for (;;) {
        etl_outcome outcome = etl_reader_next(&pull->reader);
        if (outcome == ETL_MORE && !feed(pull))
            return stop(pull, TOOL_PULL_READ);
        if (outcome == ETL_SCRATCH && !lend(pull))
            return stop(pull, TOOL_PULL_MEMORY);
        if (outcome == ETL_INTERNAL)
            return stop(pull, TOOL_PULL_BUG);
        if (outcome == ETL_BUFFER)
            tool_progress_update(&pull->progress, pull->input->title, pull->reader.trace.offset,
                                 pull->input->size_known ? pull->input->size : 0);
        pull->findings_overflow = pull->findings_overflow || pull->reader.findings.overflow;
        if ((outcome != ETL_MORE && outcome != ETL_SCRATCH) || pull->reader.findings.count > 0)
            return outcome;
    }
}

uint8_t *tool_pull_take_scratch(tool_pull *pull)
{
    uint8_t *taken = pull->scratch;
    pull->scratch = NULL;
    pull->scratch_size = 0;
    etl_reader_lend(&pull->reader, (etl_scratch){0});
    return taken;
}

void tool_pull_close(tool_pull *pull)
{
    tool_progress_end(&pull->progress);
    free(pull->scratch);
    pull->scratch = NULL;
}
