/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an input into decode records, as JSON Lines or text. `etlproof decode`, the host of the conformance suite and
 * fuzz_json call this.
 */
#include "records/record_stream.h"

#include <inttypes.h>

#include "records/field_record.h"
#include "records/finding_text.h"
#include "records/not_etl.h"
#include "records/record.h"
#include "records/record_text.h"
#include "records/record_threads.h"

static void write_findings(tool_record_stream *d)
{
    const etl_findings *findings = &d->pull.reader.findings;
    for (uint32_t i = 0; i < findings->count; i++)
        if (d->text)
            tool_put_finding(d->out, TOOL_PROFILE_READER, &findings->at[i]);
        else
            tool_record_finding(&d->json, &findings->at[i]);
}

static void write_trace(tool_record_stream *d)
{
    if (d->text)
        tool_text_trace(d->out, &d->pull.reader.trace.logfile);
    else
        tool_record_trace(&d->json, &d->pull.reader.trace.logfile);
}

static void write_buffer(tool_record_stream *d)
{
    if (d->trace_due)
        write_trace(d);
    if (d->text)
        tool_text_buffer(d->out, &d->pull.reader.buffer);
    else
        tool_record_buffer(&d->json, &d->pull.reader.buffer);
}

static void write_event(tool_record_stream *d)
{
    const etl_reader *reader = &d->pull.reader;
    tool_output *out = d->by_time ? &d->order.text : d->out;
    size_t at = out->used;
    d->json.out = out;
    if (d->text)
        tool_text_event(out, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload,
                        &d->schemas);
    else
        tool_record_event(&d->json, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload,
                          &d->schemas);
    d->json.out = d->out;
    if (d->by_time)
        tool_time_order_add(&d->order, &reader->event, at);
}

static void count_buffer(tool_record_stream *d)
{
    const etl_reader *reader = &d->pull.reader;
    tool_tally_buffer(&d->tally, &reader->buffer);
    d->trace_due = !d->trace_known && reader->trace.logfile.known;
    d->trace_known = reader->trace.logfile.known;
}

static void count(tool_record_stream *d, etl_outcome outcome)
{
    const etl_reader *reader = &d->pull.reader;
    if (outcome == ETL_BUFFER)
        count_buffer(d);
    else if (outcome == ETL_EVENT)
        tool_tally_event(&d->tally, &reader->event);
    else if (outcome == ETL_GAP)
        etl_tiling_add(&d->tally.tiling, &reader->gap);
    for (uint32_t i = 0; i < reader->findings.count; i++)
        tool_tally_finding(&d->tally, &reader->findings.at[i]);
}

bool tool_record_stream_step(tool_record_stream *d, etl_outcome outcome)
{
    if (outcome == ETL_EVENT && (d->payload & TOOL_PAYLOAD_FIELDS) != 0)
        (void)tool_check_fields(&d->pull.reader.event, &d->schemas, &d->pull.reader.findings);
    count(d, outcome);
    if (d->silent)
        return outcome != ETL_END;
    if (outcome == ETL_BUFFER)
        write_buffer(d);
    else if (outcome == ETL_EVENT)
        write_event(d);
    write_findings(d);
    return outcome != ETL_END && d->out->error == 0 && !d->order.failed;
}

static void write_all(tool_record_stream *d)
{
    while (tool_record_stream_step(d, tool_pull_next(&d->pull))) {
    }
}

static tool_exit write_end(tool_record_stream *d)
{
    if (d->out->error != 0)
        return TOOL_EXIT_OUTPUT;
    if (d->order.failed) {
        tool_print_error("%s: the events need more than %" PRIu64 " MiB; --memory sets another limit, and --order file "
                         "holds no events in memory", d->pull.input->title, d->order.most >> 20);
        return TOOL_EXIT_LIMIT;
    }
    tool_time_order_write(&d->order, d->out);
    tool_verdict verdict = tool_tally_verdict(&d->tally, &d->pull.reader, false);
    tool_exit code = tool_tally_exit(&d->tally, &d->pull, verdict);
    if (d->pull.fault != TOOL_PULL_NONE)
        return code;
    if (verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(d->pull.input);
    if (d->text)
        tool_text_end(d->out, &d->tally, &d->pull.reader.trace, verdict);
    else
        tool_record_end(&d->json, &d->tally, &d->pull.reader.trace, verdict);
    return code;
}

tool_exit tool_record_stream_write(tool_record_stream *d, tool_input *input, tool_output *out)
{
    d->out = out;
    tool_json_open(&d->json, out);
    tool_time_order_open(&d->order, d->order_most != 0 ? d->order_most : TOOL_TIME_ORDER_MOST);
    if ((d->payload & TOOL_PAYLOAD_FIELDS) != 0)
        tool_schemas_gather(&d->schemas, input, d->limits, out);
    if (d->manifest != NULL && !tool_schemas_add_manifest(&d->schemas, d->manifest)) {
        tool_schemas_close(&d->schemas);
        return TOOL_EXIT_INPUT;
    }
    tool_pull_open(&d->pull, input, d->limits, out, true);
    const bool shared = (d->payload & TOOL_PAYLOAD_FIELDS) == 0 || d->schemas.gathered; /* no thread adds a schema */
    if (d->threads <= 1 || d->by_time || !shared || !tool_record_threads_write(d))
        write_all(d);
    tool_exit code = write_end(d);
    tool_pull_close(&d->pull);
    tool_schemas_close(&d->schemas);
    tool_time_order_close(&d->order);
    return code;
}
