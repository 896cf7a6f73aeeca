/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as the command does, to JSON Lines in file order and by time, and to text; while fuzzing, to one of the
 * three. The records have to be JSON that keeps its contract, and the text one that a terminal can show. What validate says
 * in JSON and SARIF, asked for a share of what comes from fuzzing, has to agree with the records.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoding.h"
#include "limits.h"
#include "oracle.h"
#include "records.h"
#include "share.h"
#include "target.h"
#include "target_limits.h"
#include "validate.h"

/* In place of the command's own, which writes to standard error: once for each input would be too often. */
void etl_complain(const char *format, ...)
{
    static char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0)
        abort();
}

static void hold(const etl_oracle *oracle, const char *why, const etl_out *out)
{
    if (oracle->broken == ETL_PROMISE_COUNT)
        return;
    const size_t at = (size_t)oracle->broken_at < out->used ? (size_t)oracle->broken_at : out->used;
    const size_t from = at < 200 ? 0 : at - 200;
    fprintf(stderr, "oracle %s broken at byte %" PRIu64 " of the output: %s: %s\n%.*s\n", etl_promise_name(oracle->broken),
            oracle->broken_at, etl_promise_text(oracle->broken), why, (int)(at - from), out->at + from);
    abort();
}

static void fail(const char *what, int code)
{
    fprintf(stderr, "oracle records broken: %s (exit code %d)\n", what, code);
    abort();
}

/* Bytes of a window: no more than what is asked for, odd ones, and all at once. */
static size_t pick_step(etl_span file)
{
    static const size_t steps[] = {1, 4097, SIZE_MAX};
    return steps[file.size % (sizeof steps / sizeof steps[0])];
}

static etl_exit decode(etl_decoding *d, etl_span file, etl_out *out)
{
    etl_input input;
    etl_out_open_memory(out);
    etl_input_open_memory(&input, "the input", file, pick_step(file));
    const etl_exit code = etl_decode(d, &input, out);
    etl_input_close(&input);
    if (out->error != 0)
        fail("output to memory failed", (int)code);
    return code;
}

/* The exit codes of a file that was read to its end. */
static etl_exit exit_of(etl_verdict verdict)
{
    switch (verdict) {
    case ETL_VERDICT_CONFORMING: return ETL_EXIT_CONFORMING;
    case ETL_VERDICT_DAMAGED: return ETL_EXIT_DAMAGED;
    case ETL_VERDICT_NOT_ETL: return ETL_EXIT_NOT_ETL;
    case ETL_VERDICT_LIMIT: return ETL_EXIT_LIMIT;
    }
    return ETL_EXIT_INTERNAL;
}

static void hold_verdict(const etl_decoding *d, etl_oracle *oracle, etl_exit code)
{
    const etl_verdict lenient = etl_tally_verdict(&d->tally, &d->pull.reader, false);
    const etl_verdict strict = etl_tally_verdict(&d->tally, &d->pull.reader, true);
    if (code != exit_of(lenient))
        fail("the exit code is not that of the verdict", (int)code);
    etl_oracle_strict(oracle, etl_verdict_text(lenient), etl_verdict_text(strict));
}

/* Of what validate says, only one object can grow with the file: it has a member for each type of item. */
static bool can_be_read(const etl_inventory *inventory)
{
    unsigned types = 0;
    for (size_t type = 0; type < sizeof inventory->items / sizeof inventory->items[0]; type++)
        types += inventory->items[type] > 0;
    return types <= ETL_STRICT_MEMBERS_MAX;
}

/* False if the oracle cannot read it. */
static bool validate(etl_span file, bool strict, bool sarif, etl_out *out)
{
    static etl_inventory inventory; /* too large for the stack */
    static etl_pull pull;
    etl_json json;
    etl_input input;
    etl_out_open_memory(out);
    etl_json_open(&json, out);
    etl_input_open_memory(&input, "the input", file, pick_step(file));
    etl_inventory_open(&inventory);
    etl_pull_open(&pull, &input, ETL_TARGET_LIMITS, out, false);
    etl_inventory_take(&inventory, &pull, strict);
    etl_pull_close(&pull);
    const etl_verdict verdict = etl_tally_verdict(&inventory.tally, &pull.reader, strict);
    const etl_validation validation = {&input, &pull.reader, &inventory, verdict, strict, true};
    if (sarif) {
        etl_sarif_open(&json);
        etl_sarif_file(&json, &validation);
        etl_sarif_close(&json, false);
    } else {
        etl_validate_json(&json, &validation);
    }
    etl_input_close(&input);
    return can_be_read(&inventory);
}

static etl_slice text_of(const etl_out *out)
{
    return (etl_slice){out->at, out->used};
}

static void hold_summaries(etl_oracle *oracle, etl_span file, etl_slice records)
{
    const char *why = "";
    etl_out lenient, strict;
    const bool readable = validate(file, false, false, &lenient);
    validate(file, true, false, &strict);
    if (readable)
        etl_oracle_summaries(oracle, records, text_of(&lenient), text_of(&strict), &why);
    hold(oracle, why, &lenient);
    etl_out_free(&lenient);
    etl_out_free(&strict);
}

static void hold_sarif(etl_oracle *oracle, etl_span file, etl_slice records)
{
    const char *why = "";
    etl_out sarif;
    validate(file, false, true, &sarif);
    etl_oracle_sarif(oracle, records, text_of(&sarif), &why);
    hold(oracle, why, &sarif);
    etl_out_free(&sarif);
}

static void hold_json(etl_decoding *d, etl_span file, bool validated)
{
    const char *why = "";
    etl_out out;
    etl_oracle oracle;
    etl_oracle_init(&oracle, file.size, ETL_TARGET_LIMITS, false);
    const etl_exit code = decode(d, file, &out);
    hold_verdict(d, &oracle, code);
    etl_oracle_records(&oracle, text_of(&out), d->by_time, &why);
    hold(&oracle, why, &out);
    if (validated) {
        hold_summaries(&oracle, file, text_of(&out));
        hold_sarif(&oracle, file, text_of(&out));
    }
    etl_out_free(&out);
}

/* What is read from a file must not move the cursor, nor end a line. */
static void hold_text(etl_decoding *d, etl_span file)
{
    const char *why = "";
    etl_out out;
    decode(d, file, &out);
    if (!etl_strict_printable(text_of(&out), &why))
        fail(why, 0);
    etl_out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static etl_decoding d; /* too large for the stack */
    const etl_span file = {data, size};
    const etl_share share = etl_share_of(file);
    enum { PAYLOAD, BY_TIME, TEXT, FORMS };
    for (unsigned form = 0; form < FORMS; form++) {
        if (!etl_share_has(share, form, FORMS))
            continue;
        memset(&d, 0, sizeof d);
        d.limits = ETL_TARGET_LIMITS;
        d.payload = form == PAYLOAD;
        d.by_time = form == BY_TIME;
        d.text = form == TEXT;
        if (d.text)
            hold_text(&d, file);
        else
            hold_json(&d, file, d.payload && etl_share_has(share, PAYLOAD, FORMS * ETL_SHARE_RARE));
    }
    return 0;
}
