/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and prints the records of one step. record_stream.c and the threads of record_threads.c call this.
 */
#include "records/record_step.h"

#include "records/field_record.h"
#include "records/finding_text.h"
#include "records/record.h"
#include "records/record_text.h"

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
