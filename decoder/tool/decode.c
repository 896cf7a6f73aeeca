/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof decode: everything that a file holds, as it is read.
 */
#include "verbs.h"

#include <string.h>

#include "finding_text.h"
#include "not_etl.h"
#include "options.h"
#include "order.h"
#include "pull.h"
#include "record.h"
#include "tally.h"
#include "text.h"

static const char help[] =
    "usage: etlproof decode [OPTIONS] FILE\n"
    "\n"
    "Prints what FILE holds, one record a line: trace, buffer, event, finding, and at last end. FILE may be - for\n"
    "standard input. An output without its end record was cut short.\n"
    "\n"
    "  --format jsonl|text  JSON Lines (the default), or text for people\n"
    "  --payload none|hex   with hex, events carry their user data\n"
    "  --order file|time    with time, events come sorted by time stamp, after all other records but end; equal times\n"
    "                       keep file order, and an event without a time stays after the one before it. This keeps\n"
    "                       all events in memory; the default does not\n"
    "  --help               this text\n"
    "\n"
    ETL_EXIT_HELP;

enum { OPTION_FORMAT, OPTION_PAYLOAD, OPTION_ORDER };

static const etl_option options_table[] = {
    {"format", 0, true, OPTION_FORMAT},
    {"payload", 0, true, OPTION_PAYLOAD},
    {"order", 0, true, OPTION_ORDER},
    {NULL, 0, false, 0},
};

typedef struct decoding {
    bool text, payload, by_time, trace_written;
    etl_out out;
    etl_json json;
    etl_order order;
    etl_pull pull;
    etl_tally tally;
} decoding;

static void write_findings(decoding *d)
{
    const etl_findings *findings = &d->pull.reader.findings;
    for (uint32_t i = 0; i < findings->count; i++) {
        etl_tally_finding(&d->tally, &findings->at[i]);
        if (d->text)
            etl_out_finding(&d->out, &findings->at[i]);
        else
            etl_record_finding(&d->json, &findings->at[i]);
    }
}

static void write_buffer(decoding *d)
{
    const etl_reader *reader = &d->pull.reader;
    etl_tally_buffer(&d->tally, &reader->buffer);
    if (!d->trace_written && reader->trace.logfile.known) {
        d->trace_written = true;
        if (d->text)
            etl_text_trace(&d->out, &reader->trace.logfile);
        else
            etl_record_trace(&d->json, &reader->trace.logfile);
    }
    if (d->text)
        etl_text_buffer(&d->out, &reader->buffer);
    else
        etl_record_buffer(&d->json, &reader->buffer);
}

static void write_event(decoding *d)
{
    const etl_reader *reader = &d->pull.reader;
    etl_tally_event(&d->tally, &reader->event);
    etl_out *out = d->by_time ? &d->order.text : &d->out;
    size_t at = out->used;
    d->json.out = out;
    if (d->text)
        etl_text_event(out, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload);
    else
        etl_record_event(&d->json, &reader->event, &reader->buffer, &reader->trace.logfile.clock, d->payload);
    d->json.out = &d->out;
    if (d->by_time)
        etl_order_add(&d->order, &reader->event, at);
}

/* False when there is no use in going on. */
static bool write_step(decoding *d, etl_outcome outcome)
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
    return outcome != ETL_END && d->out.error == 0 && !d->order.failed;
}

static etl_exit write_end(decoding *d)
{
    if (d->out.error != 0)
        return ETL_EXIT_OUTPUT;
    if (d->order.failed) {
        etl_complain("%s: out of memory; --order file needs none", d->pull.input->title);
        return ETL_EXIT_LIMIT;
    }
    etl_order_write(&d->order, &d->out);
    etl_verdict verdict = etl_tally_verdict(&d->tally, &d->pull.reader, false);
    etl_exit code = etl_tally_exit(&d->tally, &d->pull, verdict);
    if (d->pull.fault != ETL_PULL_NONE)
        return code;
    if (verdict == ETL_VERDICT_NOT_ETL)
        etl_complain_not_etl(d->pull.input);
    if (d->text)
        etl_text_end(&d->out, &d->tally, &d->pull.reader.trace, verdict);
    else
        etl_record_end(&d->json, &d->tally, &d->pull.reader.trace, verdict);
    return code;
}

static etl_exit decode(decoding *d, const char *file)
{
    etl_input input;
    if (!etl_input_open(&input, file))
        return ETL_EXIT_INPUT;
    etl_out_open(&d->out);
    etl_json_open(&d->json, &d->out);
    etl_order_open(&d->order);
    etl_pull_open(&d->pull, &input, &d->out, true);
    while (write_step(d, etl_pull_next(&d->pull))) {
    }
    etl_exit code = write_end(d);
    etl_pull_close(&d->pull);
    etl_order_close(&d->order);
    etl_input_close(&input);
    return etl_exit_worse(code, etl_out_close(&d->out));
}

/* Sets `flag` if the value is `yes`, clears it if it is `no`; false if it is neither. */
static bool choose(const char *value, const char *no, const char *yes, bool *flag)
{
    *flag = strcmp(value, yes) == 0;
    return *flag || strcmp(value, no) == 0;
}

static bool read_option(decoding *d, int id, const char *value)
{
    switch (id) {
    case OPTION_FORMAT: return choose(value, "jsonl", "text", &d->text);
    case OPTION_PAYLOAD: return choose(value, "none", "hex", &d->payload);
    default: return choose(value, "file", "time", &d->by_time);
    }
}

etl_exit etl_verb_decode(char **argv)
{
    static decoding d;
    etl_options options;
    etl_options_open(&options, argv, options_table, help);
    for (int id; (id = etl_options_next(&options)) != ETL_OPTION_END;) {
        if (id == ETL_OPTION_STOP)
            return options.exit;
        if (!read_option(&d, id, options.value))
            return etl_usage(argv[0], "the option has no such value", options.value);
    }
    if (options.files != 1)
        return etl_usage(argv[0], options.files == 0 ? "no FILE given" : "one FILE at a time", NULL);
    return decode(&d, options.arguments[0]);
}
