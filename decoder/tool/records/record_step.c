/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and counts a step of the decode, and prints its records. record_stream.c and the threads of record_threads.c call
 * this.
 */
#include "records/record_step.h"

#include "records/field_record.h"
#include "records/finding_text.h"
#include "records/record.h"
#include "records/record_text.h"

static void count_buffer(tool_record_stream *d, tool_step *step)
{
    tool_tally_buffer(&d->tally, step->buffer);
    step->trace_due = !d->trace_known && step->logfile->known;
    d->trace_known = step->logfile->known;
}

static void count(tool_record_stream *d, tool_step *step)
{
    if (step->outcome == ETL_BUFFER)
        count_buffer(d, step);
    else if (step->outcome == ETL_EVENT)
        tool_tally_event(&d->tally, step->event);
    else if (step->outcome == ETL_GAP)
        etl_tiling_add(&d->tally.tiling, &d->pull.reader.gap);
    for (uint32_t i = 0; i < step->finding_count; i++)
        tool_tally_finding(&d->tally, &step->findings[i]);
}

bool tool_record_step_read(tool_record_stream *d, tool_step *step)
{
    const etl_outcome outcome = tool_pull_next(&d->pull);
    const etl_reader *reader = &d->pull.reader;
    *step = (tool_step){
        .outcome = outcome,
        .event = &reader->event,
        .buffer = &reader->buffer,
        .logfile = &reader->trace.logfile,
        .findings = reader->findings.at,
        .finding_count = reader->findings.count,
    };
    count(d, step);
    return outcome != ETL_END;
}

static void print_buffer(tool_record_printer *p, const tool_step *step)
{
    if (p->text) {
        if (step->trace_due)
            tool_text_trace(p->out, step->logfile);
        tool_text_buffer(p->out, step->buffer);
    } else {
        if (step->trace_due)
            tool_record_trace(&p->json, step->logfile);
        tool_record_buffer(&p->json, step->buffer);
    }
}

static void print_event(tool_record_printer *p, const tool_step *step)
{
    tool_output *out = p->order != NULL ? &p->order->text : p->out;
    size_t at = out->used;
    p->json.out = out;
    if (p->text)
        tool_text_event(out, step->event, step->buffer, &step->logfile->clock, p->payload, p->schemas);
    else
        tool_record_event(&p->json, step->event, step->buffer, &step->logfile->clock, p->payload, p->schemas);
    p->json.out = p->out;
    if (p->order != NULL)
        tool_time_order_add(p->order, step->event, at);
}

/* What is wrong with the payload of an event, if its fields are printed. */
static void check_payload(tool_record_printer *p, const tool_step *step, etl_findings *findings)
{
    findings->count = 0;
    findings->overflow = false;
    if (step->outcome != ETL_EVENT || (p->payload & TOOL_PAYLOAD_FIELDS) == 0)
        return;
    (void)tool_check_fields(step->event, p->schemas, findings);
    for (uint32_t i = 0; i < findings->count; i++)
        tool_tally_finding(p->tally, &findings->at[i]);
}

static void print_findings(tool_record_printer *p, const etl_finding *findings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (p->text)
            tool_put_finding(p->out, TOOL_PROFILE_READER, &findings[i]);
        else
            tool_record_finding(&p->json, &findings[i]);
}

bool tool_record_step_print(tool_record_printer *p, const tool_step *step)
{
    etl_findings of_payload;
    check_payload(p, step, &of_payload);
    if (step->outcome == ETL_BUFFER)
        print_buffer(p, step);
    else if (step->outcome == ETL_EVENT)
        print_event(p, step);
    print_findings(p, step->findings, step->finding_count);
    print_findings(p, of_payload.at, of_payload.count);
    return p->out->error == 0 && (p->order == NULL || !p->order->failed);
}
