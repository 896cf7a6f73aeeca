/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as the command does: to JSON Lines in file order and by time, and to text; while fuzzing, to one of the
 * three. The records must be JSON as their contract says, and the text safe for a terminal. The output of validate in JSON
 * and SARIF, for a share of inputs while fuzzing, must agree with the records.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/record_stream.h"
#include "decode_comparison.h"
#include "oracle.h"
#include "json_records.h"
#include "share.h"
#include "target.h"
#include "target_limits.h"
#include "records/validation.h"

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
    fprintf(stderr, "oracle %s broken at byte %" PRIu64 " of the output: %s: %s\n%.*s\n",
            oracle_promise_name(oracle->broken), oracle->broken_at, oracle_promise_text(oracle->broken), why,
            (int)(at - from), out->at + from);
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
    tool_input_open_memory(&input, "the input", file, pick_step(file));
    const tool_exit code = tool_record_stream_write(d, &input, out);
    tool_input_close(&input);
    if (out->error != 0)
        fail("output to memory failed", (int)code);
    return code;
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
    for (size_t type = 0; type < sizeof inventory->items / sizeof inventory->items[0]; type++)
        types += inventory->items[type] > 0;
    return types <= ORACLE_JSON_MEMBERS_MAX;
}

/* False if the oracle cannot read it. */
static bool validate(etl_span file, bool strict, bool sarif, tool_output *out)
{
    static tool_inventory inventory; /* too large for the stack */
    static tool_pull pull;
    tool_json json;
    tool_input input;
    tool_output_open_memory(out);
    tool_json_open(&json, out);
    tool_input_open_memory(&input, "the input", file, pick_step(file));
    tool_inventory_open(&inventory);
    tool_pull_open(&pull, &input, TARGET_LIMITS, out, false);
    tool_inventory_take(&inventory, &pull, strict);
    tool_pull_close(&pull);
    const tool_verdict verdict = tool_tally_verdict(&inventory.tally, &pull.reader, strict);
    const tool_validation validation = {&input, &pull.reader, &inventory, verdict, strict, true};
    if (sarif) {
        tool_sarif_open(&json);
        tool_sarif_file(&json, &validation);
        tool_sarif_close(&json, false);
    } else {
        tool_validation_json(&json, &validation);
    }
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
    const bool readable = validate(file, false, false, &lenient);
    validate(file, true, false, &strict);
    if (readable)
        oracle_summaries(oracle, records, text_of(&lenient), text_of(&strict), &why);
    hold(oracle, why, &lenient);
    tool_output_free(&lenient);
    tool_output_free(&strict);
}

static void hold_sarif(oracle_watch *oracle, etl_span file, oracle_slice records)
{
    const char *why = "";
    tool_output sarif;
    validate(file, false, true, &sarif);
    oracle_sarif(oracle, records, text_of(&sarif), &why);
    hold(oracle, why, &sarif);
    tool_output_free(&sarif);
}

static void hold_json(tool_record_stream *d, etl_span file, bool validated)
{
    const char *why = "";
    tool_output out;
    oracle_watch oracle;
    oracle_init(&oracle, file.size, TARGET_LIMITS, false);
    const tool_exit code = decode(d, file, &out);
    hold_verdict(d, &oracle, code);
    oracle_records(&oracle, text_of(&out), d->by_time, &why);
    hold(&oracle, why, &out);
    if (validated) {
        hold_summaries(&oracle, file, text_of(&out));
        hold_sarif(&oracle, file, text_of(&out));
    }
    tool_output_free(&out);
}

/* Bytes of the file must not move the cursor, nor end a line. */
static void hold_text(tool_record_stream *d, etl_span file)
{
    const char *why = "";
    tool_output out;
    decode(d, file, &out);
    if (!oracle_json_printable(text_of(&out), &why))
        fail(why, 0);
    tool_output_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tool_record_stream d; /* too large for the stack */
    const etl_span file = {data, size};
    const engine_share share = engine_share_of(file);
    enum { PAYLOAD, BY_TIME, TEXT, FORMS };
    for (unsigned form = 0; form < FORMS; form++) {
        if (!engine_share_has(share, form, FORMS))
            continue;
        memset(&d, 0, sizeof d);
        d.limits = TARGET_LIMITS;
        d.payload = form == PAYLOAD;
        d.by_time = form == BY_TIME;
        d.text = form == TEXT;
        if (d.text)
            hold_text(&d, file);
        else
            hold_json(&d, file, d.payload && engine_share_has(share, PAYLOAD, FORMS * ENGINE_SHARE_RARE));
    }
    return 0;
}
