/* SPDX-License-Identifier: Apache-2.0 */
#include "decoding.h"

#include "finding_text.h"
#include "not_etl.h"
#include "record.h"
#include "text.h"

static void write_findings(etl_decoding *d)
{
    const etl_findings *findings = &d->pull.reader.findings;
    for (uint32_t i = 0; i < findings->count; i++) {
        etl_tally_finding(&d->tally, &findings->at[i]);
        if (d->text)
            etl_out_finding(d->out, &findings->at[i]);
        else
            etl_record_finding(&d->json, &findings->at[i]);
    }
}

static void write_buffer(etl_decoding *d)
{
    const etl_reader *reader = &d->pull.reader;
    etl_tally_buffer(&d->tally, &reader->buffer);
    if (!d->trace_written && reader->trace.logfile.known) {
        d->trace_written = true;
        if (d->text)
            etl_text_trace(d->out, &reader->trace.logfile);
        else
            etl_record_trace(&d->json, &reader->trace.logfile);
    }
    if (d->text)
        etl_text_buffer(d->out, &reader->buffer);
    else
        etl_record_buffer(&d->json, &reader->buffer);
}

static void write_event(etl_decoding *d)
{
    const etl_reader *reader = &d->pull.reader;
    etl_tally_event(&d->tally, &reader->event);
    etl_out *out = d->by_time ? &d->order.text : d->out;
    size_t at = out->used;
    d->json.out = out;
    if (d->text)
        etl_text_event(out, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload);
    else
        etl_record_event(&d->json, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload);
    d->json.out = d->out;
    if (d->by_time)
        etl_order_add(&d->order, &reader->event, at);
}

/* False when there is no use in going on. */
static bool write_step(etl_decoding *d, etl_outcome outcome)
{
    switch (outcome) {
    case ETL_BUFFER: write_buffer(d); break;
    case ETL_EVENT: write_event(d); break;
    case ETL_GAP: etl_tiling_add(&d->tally.tiling, &d->pull.reader.gap); break;
    case ETL_MORE:
    case ETL_ROOM:
    case ETL_INTERNAL:
    case ETL_END: break;
    }
    write_findings(d);
    return outcome != ETL_END && d->out->error == 0 && !d->order.failed;
}

static etl_exit write_end(etl_decoding *d)
{
    if (d->out->error != 0)
        return ETL_EXIT_OUTPUT;
    if (d->order.failed) {
        etl_complain("%s: out of memory; --order file needs none", d->pull.input->title);
        return ETL_EXIT_LIMIT;
    }
    etl_order_write(&d->order, d->out);
    etl_verdict verdict = etl_tally_verdict(&d->tally, &d->pull.reader, false);
    etl_exit code = etl_tally_exit(&d->tally, &d->pull, verdict);
    if (d->pull.fault != ETL_PULL_NONE)
        return code;
    if (verdict == ETL_VERDICT_NOT_ETL)
        etl_complain_not_etl(d->pull.input);
    if (d->text)
        etl_text_end(d->out, &d->tally, &d->pull.reader.trace, verdict);
    else
        etl_record_end(&d->json, &d->tally, &d->pull.reader.trace, verdict);
    return code;
}

etl_exit etl_decode(etl_decoding *d, etl_input *input, etl_out *out)
{
    d->out = out;
    etl_json_open(&d->json, out);
    etl_order_open(&d->order);
    etl_pull_open(&d->pull, input, d->limits, out, true);
    while (write_step(d, etl_pull_next(&d->pull))) {
    }
    etl_exit code = write_end(d);
    etl_pull_close(&d->pull);
    etl_order_close(&d->order);
    return code;
}
