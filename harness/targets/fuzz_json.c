/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the input holds as the command does: decode in JSON Lines, by file order and by time, and in text;
 * validate in text, JSON and SARIF, and by the profile for writers in text and JSON; while fuzzing, an input gets one of
 * the seven. Records and reports must be JSON as their contract says, text safe for a terminal; all must have the library's
 * findings, and agree with each other; those of the profile must be the ones that the bytes call for.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/field_record.h"
#include "records/not_etl.h"
#include "records/record_stream.h"
#include "records/validation.h"
#include "decode_comparison.h"
#include "due_writer.h"
#include "oracle.h"
#include "json_records.h"
#include "reported_findings.h"
#include "reported_members.h"
#include "share.h"
#include "target.h"
#include "target_limits.h"

/* The name of the input, and the same in a URI. */
#define INPUT_NAME "the input"
#define INPUT_URI "the%20input"

/* What is written: decode three times, then validate. */
typedef enum writing { PAYLOAD, BY_TIME, TEXT, SUMMARY, SARIF, VALIDATION, WRITER, WRITINGS } writing;

static oracle_reported reported;
static oracle_members members;

/* Replaces the command's function, which would write to standard error for each input. */
void tool_print_error(const char *format, ...)
{
    static char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0)
        abort();
}

static void hold(const oracle_watch *oracle, const char *why, const tool_output *out)
{
    if (oracle->broken == ORACLE_PROMISE_COUNT)
        return;
    const size_t at = (size_t)oracle->broken_at < out->used ? (size_t)oracle->broken_at : out->used;
    const size_t from = at < 200 ? 0 : at - 200;
    fprintf(stderr, "oracle %s broken at byte %" PRIu64 " of the output: %s; not so: %s\n%.*s\n",
            oracle_promise_name(oracle->broken), oracle->broken_at, oracle_promise_text(oracle->broken), why,
            (int)(at - from), out->at + from);
    abort();
}

static void fail_due(const oracle_watch *oracle)
{
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 ": %s; not so: %s\n", oracle_promise_name(oracle->broken),
            oracle->broken_at, oracle_promise_text(oracle->broken), oracle->failed_condition);
    abort();
}

static void fail(const char *what, int code)
{
    fprintf(stderr, "oracle records broken: %s (exit code %d)\n", what, code);
    abort();
}

/* Bytes of a window: exactly what is requested, odd sizes, and the whole file. */
static size_t pick_step(etl_span file)
{
    static const size_t steps[] = {1, 4097, SIZE_MAX};
    return steps[file.size % (sizeof steps / sizeof steps[0])];
}

static tool_exit decode(tool_record_stream *d, etl_span file, tool_output *out)
{
    tool_input input;
    tool_output_open_memory(out);
    tool_input_open_memory(&input, INPUT_NAME, file, pick_step(file));
    const tool_exit code = tool_record_stream_write(d, &input, out);
    tool_input_close(&input);
    if (out->error != 0)
        fail("output to memory failed", (int)code);
    return code;
}

/* Adds the findings of the profile for writers to those of the step. */
static void check_writer(tool_writer_check *check, oracle_writer *due_of, etl_reader *reader, etl_outcome outcome)
{
    etl_findings found = {0};
    oracle_watch oracle;
    oracle_due due;
    oracle_init(&oracle, SIZE_MAX, TARGET_LIMITS, false);
    oracle_due_begin(&due, &found);
    if (outcome == ETL_BUFFER) {
        tool_writer_check_buffer(check, reader, &found);
        if (reader->trace.logfile.known)
            oracle_due_writer_buffer(&due, due_of, &reader->buffer);
    } else if (outcome == ETL_EVENT) {
        tool_writer_check_event(&reader->event, &found);
        oracle_due_writer_event(&due, &reader->event);
    }
    if (!oracle_due_end(&oracle, &due))
        fail_due(&oracle);
    for (uint32_t i = 0; i < found.count; i++)
        reader->findings.at[reader->findings.count++] = found.at[i];
}

/* Takes what the library reports about the file; of PAYLOAD and of WRITER, what is checked beside it too. */
static void read_file(etl_span file, writing what)
{
    static tool_pull pull;
    static tool_writer_check check;
    static oracle_writer due_of;
    const bool fields = what == PAYLOAD;
    tool_input input;
    tool_output none;
    etl_outcome outcome;
    check = (tool_writer_check){0};
    due_of = (oracle_writer){0};
    reported.writer = what == WRITER;
    reported.count = 0;
    reported.has_time = false;
    members.buffer_count = members.event_count = 0;
    tool_schemas schemas = {0};
    tool_output_open_memory(&none);
    tool_input_open_memory(&input, INPUT_NAME, file, SIZE_MAX);
    if (fields)
        tool_schemas_gather(&schemas, &input, TARGET_LIMITS, &none);
    tool_pull_open(&pull, &input, TARGET_LIMITS, &none, false);
    do {
        outcome = tool_pull_next(&pull);
        if (outcome == ETL_EVENT && fields)
            (void)tool_check_fields(&pull.reader.event, &schemas, &pull.reader.findings);
        if (what == WRITER)
            check_writer(&check, &due_of, &pull.reader, outcome);
        oracle_reported_add(&reported, &pull.reader, outcome);
        oracle_members_add(&members, &pull.reader, outcome);
    } while (outcome != ETL_END);
    tool_pull_close(&pull);
    tool_schemas_close(&schemas);
    tool_input_close(&input);
    tool_output_free(&none);
}

/* The exit codes of a file that was read to its end. */
static tool_exit exit_of(tool_verdict verdict)
{
    switch (verdict) {
    case TOOL_VERDICT_CONFORMING: return TOOL_EXIT_CONFORMING;
    case TOOL_VERDICT_DAMAGED: return TOOL_EXIT_DAMAGED;
    case TOOL_VERDICT_NOT_ETL: return TOOL_EXIT_NOT_ETL;
    case TOOL_VERDICT_LIMIT: return TOOL_EXIT_LIMIT;
    }
    return TOOL_EXIT_INTERNAL;
}

static void hold_verdict(const tool_record_stream *d, oracle_watch *oracle, tool_exit code)
{
    const tool_verdict lenient = tool_tally_verdict(&d->tally, &d->pull.reader, false);
    const tool_verdict strict = tool_tally_verdict(&d->tally, &d->pull.reader, true);
    if (code != exit_of(lenient))
        fail("the exit code is not that of the verdict", (int)code);
    oracle_strict(oracle, tool_verdict_text(lenient), tool_verdict_text(strict));
}

/* Only one object in the output of validate grows with the file: it has a member for each type of item. */
static bool can_be_read(const tool_inventory *inventory)
{
    unsigned types = 0;
    for (size_t type = 0; type < inventory->item_types; type++)
        types += inventory->items[type] > 0;
    return types <= ORACLE_JSON_MEMBERS_MAX;
}

typedef enum report_form { REPORT_TEXT, REPORT_ALL_TEXT, REPORT_JSON, REPORT_SARIF } report_form;

static void write_report(const tool_validation *validation, report_form form, tool_output *out)
{
    tool_json json;
    tool_json_open(&json, out);
    if (form == REPORT_SARIF) {
        tool_sarif_open(&json);
        tool_sarif_file(&json, validation);
        tool_sarif_close(&json, false);
    } else if (form == REPORT_JSON) {
        tool_validation_json(&json, validation);
    } else {
        tool_validation_verdict(out, validation);
        tool_validation_text(out, validation);
    }
}

/* False if the oracle cannot read it. */
static bool validate(etl_span file, bool strict, report_form form, tool_output *out)
{
    static tool_inventory inventory; /* too large for the stack */
    static tool_pull pull;
    tool_input input;
    tool_output_open_memory(out);
    tool_input_open_memory(&input, INPUT_NAME, file, pick_step(file));
    tool_inventory_open(&inventory);
    inventory.tally.profile = reported.writer ? TOOL_PROFILE_WRITER : TOOL_PROFILE_READER;
    tool_pull_open(&pull, &input, TARGET_LIMITS, out, false);
    tool_inventory_take(&inventory, &pull, strict);
    tool_pull_close(&pull);
    const tool_verdict verdict = tool_tally_verdict(&inventory.tally, &pull.reader, strict);
    const tool_validation validation = {&input, &pull.reader, &inventory, verdict, strict, form != REPORT_TEXT};
    write_report(&validation, form, out);
    tool_input_close(&input);
    return can_be_read(&inventory);
}

static oracle_slice text_of(const tool_output *out)
{
    return (oracle_slice){out->at, out->used};
}

static void hold_summaries(oracle_watch *oracle, etl_span file, oracle_slice records)
{
    const char *why = "";
    tool_output lenient, strict;
    const bool readable = validate(file, false, REPORT_JSON, &lenient);
    validate(file, true, REPORT_JSON, &strict);
    if (readable && oracle_summaries(oracle, records, text_of(&lenient), text_of(&strict), &why))
        oracle_reported_json(oracle, &reported, text_of(&lenient), &why);
    hold(oracle, why, &lenient);
    tool_output_free(&lenient);
    tool_output_free(&strict);
}

static void hold_sarif(oracle_watch *oracle, etl_span file, oracle_slice records)
{
    const char *why = "";
    tool_output sarif;
    validate(file, false, REPORT_SARIF, &sarif);
    if (oracle_sarif(oracle, records, text_of(&sarif), &why))
        oracle_reported_sarif(oracle, &reported, text_of(&sarif), INPUT_URI, &why);
    hold(oracle, why, &sarif);
    tool_output_free(&sarif);
}

static void hold_records(tool_record_stream *d, oracle_watch *oracle, etl_span file, writing what)
{
    const char *why = "";
    tool_output out;
    const tool_exit code = decode(d, file, &out);
    hold_verdict(d, oracle, code);
    if (oracle_records(oracle, text_of(&out), d->by_time, &why) &&
        oracle_reported_records(oracle, &reported, text_of(&out), &why))
        oracle_members_hold(oracle, &members, text_of(&out), &why);
    hold(oracle, why, &out);
    if (what == SUMMARY)
        hold_summaries(oracle, file, text_of(&out));
    if (what == SARIF)
        hold_sarif(oracle, file, text_of(&out));
    tool_output_free(&out);
}

/* Bytes of the file must not move the cursor, nor end a line. */
static void hold_printable(const tool_output *out)
{
    const char *why = "";
    if (!oracle_json_printable(text_of(out), &why))
        fail(why, 0);
}

static void hold_text(tool_record_stream *d, oracle_watch *oracle, etl_span file)
{
    const char *why = "";
    tool_output out;
    decode(d, file, &out);
    hold_printable(&out);
    oracle_reported_text(oracle, &reported, text_of(&out), &why);
    hold(oracle, why, &out);
    tool_output_free(&out);
}

/* Validate prints no findings for a file of another kind, which it names. */
static bool is_other_kind(etl_span file)
{
    tool_input input;
    tool_input_open_memory(&input, INPUT_NAME, file, SIZE_MAX);
    const bool other = tool_is_other_kind(&input);
    tool_input_close(&input);
    return other;
}

static void hold_validation(oracle_watch *oracle, etl_span file)
{
    const char *why = "";
    const bool all = file.size % 2 == 0;
    tool_output out;
    validate(file, false, all ? REPORT_ALL_TEXT : REPORT_TEXT, &out);
    hold_printable(&out);
    if (!is_other_kind(file))
        oracle_reported_validation(oracle, &reported, text_of(&out), all, &why);
    hold(oracle, why, &out);
    tool_output_free(&out);
}

static void hold_writer(oracle_watch *oracle, etl_span file)
{
    const char *why = "";
    tool_output json;
    hold_validation(oracle, file);
    validate(file, false, REPORT_JSON, &json);
    oracle_reported_json(oracle, &reported, text_of(&json), &why);
    hold(oracle, why, &json);
    tool_output_free(&json);
}

/* Each of decode gets three inputs of thirteen, each of validate, which takes several times as long, one. */
static bool has_writing(engine_share share, writing what)
{
    static const writing shares[] = {PAYLOAD, PAYLOAD, PAYLOAD, BY_TIME, BY_TIME, BY_TIME,
                                     TEXT,    TEXT,    TEXT,    SUMMARY, SARIF,   VALIDATION, WRITER};
    enum { COUNT = sizeof shares / sizeof shares[0] };
    for (unsigned i = 0; i < COUNT; i++)
        if (shares[i] == what && engine_share_has(share, i, COUNT))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tool_record_stream d; /* too large for the stack */
    const etl_span file = {data, size};
    const engine_share share = engine_share_of(file);
    for (writing what = 0; what < WRITINGS; what++) {
        if (!has_writing(share, what))
            continue;
        read_file(file, what);
        oracle_watch oracle;
        oracle_init(&oracle, file.size, TARGET_LIMITS, false);
        memset(&d, 0, sizeof d);
        d.limits = TARGET_LIMITS;
        d.payload = what == PAYLOAD ? TOOL_PAYLOAD_BOTH : TOOL_PAYLOAD_NONE;
        d.by_time = what == BY_TIME;
        d.text = what == TEXT;
        if (what == TEXT)
            hold_text(&d, &oracle, file);
        else if (what == VALIDATION)
            hold_validation(&oracle, file);
        else if (what == WRITER)
            hold_writer(&oracle, file);
        else
            hold_records(&d, &oracle, file, what);
    }
    return 0;
}
