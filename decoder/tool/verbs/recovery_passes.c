/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the library's recovery (etlproof/recover.h) over an input: one pass surveys the file, the next ones write the new
 * file to a sink. `etlproof recover` and the fuzz target of recovery call this.
 */
#include "verbs/recovery_passes.h"

static void tally(tool_recovery *r, etl_outcome outcome)
{
    const etl_reader *reader = &r->pull.reader;
    if (outcome == ETL_BUFFER)
        tool_tally_buffer(&r->tally, &reader->buffer);
    else if (outcome == ETL_EVENT)
        tool_tally_event(&r->tally, &reader->event);
    else if (outcome == ETL_GAP)
        etl_tiling_add(&r->tally.tiling, &reader->gap);
    for (uint32_t i = 0; i < reader->findings.count; i++)
        tool_tally_finding(&r->tally, &reader->findings.at[i]);
}

tool_exit tool_recovery_survey(tool_recovery *r, tool_input *input, etl_limits limits)
{
    r->input = input;
    r->limits = limits;
    r->tally = (tool_tally){0};
    etl_survey_init(&r->survey);
    tool_output_open_memory(&r->out);
    tool_pull_open(&r->pull, input, limits, &r->out, false);
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END && r->survey.next_trace == 0;) {
        outcome = tool_pull_next(&r->pull);
        tally(r, outcome);
        etl_survey_take(&r->survey, outcome, &r->pull.reader);
    }
    tool_pull_close(&r->pull);
    r->verdict = tool_tally_verdict(&r->tally, &r->pull.reader, false);
    return r->survey.next_trace > 0 ? TOOL_EXIT_DAMAGED : tool_tally_exit(&r->tally, &r->pull, r->verdict);
}

/* The survey of a shorter range may find another start, since a trace that ends sooner can be read differently. */
tool_exit tool_recovery_survey_range(tool_recovery *r, tool_input *input, etl_limits limits, tool_trace_range *range)
{
    tool_exit code;
    range->followed = false;
    do {
        if (!tool_input_reopen(input, range->offset, range->size)) {
            r->pull.fault = TOOL_PULL_READ;
            return TOOL_EXIT_INPUT;
        }
        code = tool_recovery_survey(r, input, limits);
        range->size = r->survey.next_trace > 0 ? r->survey.next_trace : input->size;
        range->followed |= r->survey.next_trace > 0;
    } while (r->survey.next_trace > 0);
    return code;
}

/* Hands all steps that are due to the sink. False if the sink failed. `*last` is the step after them. */
static bool take_steps(etl_recovery *recovery, const tool_recovery_sink *sink, etl_recover_step *last)
{
    for (;;) {
        *last = etl_recover_next(recovery);
        switch (*last) {
        case ETL_RECOVER_WRITE:
            if (!sink->write(sink->context, recovery->piece))
                return false;
            break;
        case ETL_RECOVER_PATCH:
            if (!sink->patch(sink->context, recovery->at, recovery->piece))
                return false;
            break;
        case ETL_RECOVER_NOTE:
            if (!sink->note(sink->context, &recovery->note))
                return false;
            break;
        default: return true;
        }
    }
}

/* One pass over the input. */
static tool_exit write_once(tool_recovery *r, const tool_recovery_sink *sink, etl_recover_step *last)
{
    bool taken = true;
    tool_pull_open(&r->pull, r->input, r->limits, &r->out, false);
    for (etl_outcome outcome = ETL_MORE; taken && outcome != ETL_END;) {
        outcome = tool_pull_next(&r->pull);
        if (r->pull.fault != TOOL_PULL_NONE)
            break;
        etl_recover_take(&r->recovery, outcome, &r->pull.reader);
        taken = take_steps(&r->recovery, sink, last);
    }
    tool_pull_close(&r->pull);
    return !taken                            ? TOOL_EXIT_OUTPUT
           : r->pull.fault == TOOL_PULL_NONE  ? TOOL_EXIT_CONFORMING
                                             : tool_tally_exit(&r->tally, &r->pull, r->verdict);
}

tool_exit tool_recovery_write(tool_recovery *r, const tool_recovery_sink *sink)
{
    etl_recover_step last = ETL_RECOVER_AGAIN;
    tool_exit code = TOOL_EXIT_CONFORMING;
    etl_recover_init(&r->recovery, &r->survey, (etl_scratch){r->scratch, sizeof r->scratch});
    if (!take_steps(&r->recovery, sink, &last))
        return TOOL_EXIT_OUTPUT;
    do {
        if (!tool_input_reopen(r->input, r->input->start, r->input->most))
            return TOOL_EXIT_INPUT;
        code = write_once(r, sink, &last);
    } while (code == TOOL_EXIT_CONFORMING && last == ETL_RECOVER_AGAIN);
    return code;
}
