/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over written findings: each holds for what the command writes of three findings, and breaks if one of
 * them is dropped, repeated, or changed at one place.
 */
#include "reported_findings.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"

#define FIRST "The first event is a SYSTEM event of hook 0x0000: the logfile header."
#define FIRST_EFFECT "events are read without clock, Windows version and pointer size"
#define FLAG "BufferFlag has no bit above 0x0040."
#define FLAG_EFFECT "the bit is ignored"
#define FILL "Events fill a buffer up to its extent; no end marker comes before the extent."
#define FILL_EFFECT \
    "the decoder resynchronises at the next plausible event before the extent; without one, the bytes up to the extent " \
    "are lost"

/* The three findings, as each output has them. */
#define MEMBERS_1 \
    "\"rule\":\"LFH-001\",\"severity\":\"error\",\"layer\":\"logfile\",\"offset\":\"72\",\"expected\":\"0xc002\"," \
    "\"actual\":\"0x2bf\",\"action\":\"continue\",\"lost\":\"0\",\"message\":\"" FIRST "\"}"
#define MEMBERS_2 \
    "\"rule\":\"BUF-012\",\"severity\":\"note\",\"layer\":\"buffer\",\"offset\":\"52\",\"buffer\":\"0\"," \
    "\"expected\":\"no bit outside 0x7f\",\"actual\":\"0x80\",\"action\":\"continue\",\"lost\":\"0\"," \
    "\"message\":\"" FLAG "\"}"
#define MEMBERS_3 \
    "\"rule\":\"MRK-006\",\"severity\":\"error\",\"layer\":\"event\",\"offset\":\"112\",\"space\":\"inflated\"," \
    "\"buffer\":\"0\",\"event\":\"1\",\"expected\":\"0x9b\",\"actual\":\"0x70\",\"action\":\"skip-buffer\"," \
    "\"lost\":\"43\",\"message\":\"" FILL "\"}"
#define LINE_1 "error    LFH-001 at 0x48: member of the header is 0x2bf, expected 0xc002; continue\n"
#define LINE_2 "note     BUF-012 at 0x34, buffer 0: BufferFlag is 0x80, expected no bit outside 0x7f; continue\n"
#define LINE_3 \
    "error    MRK-006 at 0x70 of inflated buffer 0, event 1: end of the events is 0x70, expected 0x9b; skip-buffer, " \
    "43 bytes lost\n"
#define RESULT(rule, index, level, text, place, properties) \
    "{\"ruleId\":\"" rule "\",\"ruleIndex\":" index ",\"level\":\"" level "\",\"message\":{\"text\":\"" text \
    "\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"x.etl\"}" place \
    "}}],\"properties\":{" properties "}}"

static const etl_finding findings[] = {
    {.rule = ETL_RULE_LFH_001,
     .relation = ETL_RELATION_EQUAL,
     .offset = 72,
     .buffer = ETL_NO_INDEX,
     .event = ETL_NO_INDEX,
     .expected = 0xC002,
     .actual = 0x2BF,
     .action = ETL_ACTION_CONTINUE},
    {.rule = ETL_RULE_BUF_012,
     .relation = ETL_RELATION_BITS_WITHIN,
     .offset = 52,
     .event = ETL_NO_INDEX,
     .expected = 0x7F,
     .actual = 0x80,
     .action = ETL_ACTION_CONTINUE},
    {.rule = ETL_RULE_MRK_006,
     .relation = ETL_RELATION_EQUAL,
     .offset = 112,
     .space = ETL_SPACE_INFLATED,
     .event = 1,
     .expected = 0x9B,
     .actual = 0x70,
     .action = ETL_ACTION_SKIP_BUFFER,
     .lost = 43},
};

/* What is written of the findings, and between them. */
static const char records[] = "{\"rec\":\"buffer\"}\n"
                              "{\"rec\":\"finding\"," MEMBERS_1 "\n"
                              "{\"rec\":\"finding\"," MEMBERS_2 "\n"
                              "{\"rec\":\"event\"}\n"
                              "{\"rec\":\"finding\"," MEMBERS_3 "\n"
                              "{\"rec\":\"end\"}\n";
static const char text[] = "buffer   #0 at 0x0\n" LINE_1 LINE_2 "event    #0\n" LINE_3 "end      damaged\n";
static const char json[] = "{\"file\":\"x\",\"time_range\":{\"first\":\"-5\",\"last\":\"7\"},\"findings\":[{" MEMBERS_1
                           ",{" MEMBERS_2 ",{" MEMBERS_3 "],\"findings_by_rule\":{}}\n";
static const char validation[] = "x: damaged\n  bytes 1\n"
                                 "  error MRK-006: " FILL "\n    effect: " FILL_EFFECT "\n    " LINE_3
                                 "  error LFH-001: " FIRST "\n    effect: " FIRST_EFFECT "\n    " LINE_1
                                 "  note BUF-012: " FLAG "\n    effect: " FLAG_EFFECT "\n    " LINE_2;
static char sarif[8192]; /* has the indexes of rules, which a new rule changes */

static void write_sarif(void)
{
    (void)snprintf(sarif, sizeof sarif,
                   "{\"runs\":[{\"tool\":{},\"results\":["
                   RESULT("LFH-001", "%u", "error",
                          FIRST " At 0x48: member of the header is 0x2bf, expected 0xc002. Consequence: " FIRST_EFFECT ".",
                          ",\"region\":{\"byteOffset\":72}",
                          "\"offset\":\"72\",\"space\":\"file\",\"action\":\"continue\",\"lost\":\"0\"") ","
                   RESULT("BUF-012", "%u", "note",
                          FLAG " At 0x34: BufferFlag is 0x80, expected no bit outside 0x7f. Consequence: " FLAG_EFFECT ".",
                          ",\"region\":{\"byteOffset\":52}",
                          "\"offset\":\"52\",\"space\":\"file\",\"buffer\":\"0\",\"action\":\"continue\","
                          "\"lost\":\"0\"") ","
                   RESULT("MRK-006", "%u", "error",
                          FILL " At 0x70 of inflated buffer 0: end of the events is 0x70, expected 0x9b. Consequence: "
                          FILL_EFFECT ".", "",
                          "\"offset\":\"112\",\"space\":\"inflated\",\"buffer\":\"0\",\"event\":\"1\","
                          "\"action\":\"skip-buffer\",\"lost\":\"43\"")
                   "],\"invocations\":[]}]}\n",
                   (unsigned)ETL_RULE_LFH_001, (unsigned)ETL_RULE_BUF_012, (unsigned)ETL_RULE_MRK_006);
}

typedef enum kind { RECORDS, TEXT, JSON, SARIF, VALIDATION, KINDS } kind;

static const struct {
    const char *name, *text;
} outputs[KINDS] = {[RECORDS] = {"records", records},
                    [TEXT] = {"decode as text", text},
                    [JSON] = {"validate as JSON", json},
                    [SARIF] = {"validate as SARIF", sarif},
                    [VALIDATION] = {"validate as text", validation}};

static oracle_reported reported;

static bool holds(kind what, const char *at, size_t size, bool all, bool fired[ORACLE_PROMISE_COUNT])
{
    oracle_watch oracle;
    const char *why = NULL;
    const oracle_slice slice = {at, size};
    bool held = false;
    oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, false);
    switch (what) {
    case RECORDS: held = oracle_reported_records(&oracle, &reported, slice, &why); break;
    case TEXT: held = oracle_reported_text(&oracle, &reported, slice, &why); break;
    case JSON: held = oracle_reported_json(&oracle, &reported, slice, &why); break;
    case SARIF: held = oracle_reported_sarif(&oracle, &reported, slice, "x.etl", &why); break;
    case VALIDATION: held = oracle_reported_validation(&oracle, &reported, slice, all, &why); break;
    case KINDS: break;
    }
    if (oracle.broken != ORACLE_PROMISE_COUNT)
        fired[oracle.broken] = true;
    if (oracle.broken != (held ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_RECORDS) || held != (why == NULL) ||
        oracle.broken_at > size)
        say(false, "the result, the broken promise, its place and the reason agree");
    return held;
}

static void fill(size_t from, size_t count)
{
    reported.count = 0;
    for (size_t i = 0; i < count; i++)
        reported.findings[reported.count++] = findings[from + i];
    reported.has_time = true;
    reported.first = -5;
    reported.last = 7;
}

/* Bytes of the findings: from the first of them to the last, or to the end of the output. */
static void test_changes(kind what, bool fired[ORACLE_PROMISE_COUNT])
{
    static const char *const starts[] = {[RECORDS] = "\"rule\":", [TEXT] = "error ", [JSON] = ",\"findings\":[",
                                         [SARIF] = "{\"ruleId\"", [VALIDATION] = "  error MRK"};
    static const char *const ends[] = {[RECORDS] = "extent.\"}\n", [TEXT] = "end ", [JSON] = ",\"findings_by_rule",
                                       [SARIF] = ",\"invocations", [VALIDATION] = ""};
    char line[80];
    static char copy[sizeof sarif];
    const size_t size = strlen(strcpy(copy, outputs[what].text)), from = (size_t)(strstr(copy, starts[what]) - copy);
    const size_t to = ends[what][0] != '\0' ? (size_t)(strstr(copy, ends[what]) - copy) : size;
    unsigned missed = 0;
    for (size_t i = from; i < to; i++) {
        /* A line between the findings is not compared. */
        if (what <= TEXT && (strncmp(copy + i, "{\"rec\":\"event", 13) == 0 || strncmp(copy + i, "event ", 6) == 0))
            i += strcspn(copy + i, "\n");
        /* What follows the output in memory does not count. */
        missed += i > from && holds(what, copy, i, true, fired);
        if (copy[i] == '\n')
            continue;
        copy[i] ^= 1;
        missed += holds(what, copy, size, true, fired);
        copy[i] ^= 1;
    }
    (void)snprintf(line, sizeof line, "%s: a change of each byte and an end before it break a promise", outputs[what].name);
    say(missed == 0, line);
}

static void test_output(kind what, bool fired[ORACLE_PROMISE_COUNT])
{
    const char *at = outputs[what].text;
    const size_t size = strlen(at);
    char line[80];
    fill(0, 3);
    (void)snprintf(line, sizeof line, "%s: hold as they are", outputs[what].name);
    say(holds(what, at, size, true, fired) && holds(what, at, size, false, fired), line);
    test_changes(what, fired);
    (void)snprintf(line, sizeof line, "%s: one finding more or less", outputs[what].name);
    bool held = false;
    fill(0, 2);
    held |= holds(what, at, size, true, fired);
    fill(1, 2);
    held |= holds(what, at, size, true, fired);
    fill(0, 3);
    reported.findings[reported.count++] = findings[2];
    held |= holds(what, at, size, true, fired);
    fill(0, 0);
    held |= holds(what, at, size, true, fired);
    say(!held, line);
}

/* Seven findings of one rule: without --all, validate prints five and counts the others. */
static void test_many(bool fired[ORACLE_PROMISE_COUNT])
{
    static const char head[] = "x: conforming\n  note BUF-012: " FLAG "\n    effect: " FLAG_EFFECT "\n";
    static const char item[] = "    " LINE_2;
    static const char *const ends[] = {"    and 2 more of BUF-012\n", "    and 3 more of BUF-012\n", ""};
    reported.count = 0;
    while (reported.count < 7)
        reported.findings[reported.count++] = findings[1];
    for (unsigned printed = 4; printed <= 7; printed++)
        for (unsigned end = 0; end < 3; end++) {
            char at[4096], line[80];
            size_t size = (size_t)snprintf(at, sizeof at, "%s", head);
            for (unsigned i = 0; i < printed; i++)
                size += (size_t)snprintf(at + size, sizeof at - size, "%s", item);
            size += (size_t)snprintf(at + size, sizeof at - size, "%s", ends[end]);
            (void)snprintf(line, sizeof line, "validate as text: %u of 7 findings, end %u", printed, end);
            say(holds(VALIDATION, at, size, false, fired) == (printed == 5 && end == 0) &&
                    holds(VALIDATION, at, size, true, fired) == (printed == 7 && end == 2),
                line);
        }
}

/* Five findings of one rule: validate prints them all. */
static void test_five(bool fired[ORACLE_PROMISE_COUNT])
{
    static const char five[] = "  note BUF-012: " FLAG "\n    effect: " FLAG_EFFECT "\n"
                               "    " LINE_2 "    " LINE_2 "    " LINE_2 "    " LINE_2 "    " LINE_2;
    reported.count = 0;
    while (reported.count < 5)
        reported.findings[reported.count++] = findings[1];
    say(holds(VALIDATION, five, strlen(five), false, fired), "validate as text: five findings of a rule");
}

/* A finding of the last rule of the table. */
static void test_last_rule(bool fired[ORACLE_PROMISE_COUNT])
{
    const etl_rule_info *info = etl_rule_get(ETL_RULE_COUNT - 1);
    const char *severity = etl_severity_text(info->severity);
    char at[1024];
    const int size = snprintf(at, sizeof at, "  %s %s: %s\n    effect: %s\n    %-7s  %s at 0x48; continue\n", severity,
                              info->id, info->statement, info->effect, severity, info->id);
    reported.count = 1;
    reported.findings[0] = findings[0];
    reported.findings[0].rule = ETL_RULE_COUNT - 1;
    reported.findings[0].relation = ETL_RELATION_NONE;
    say(holds(VALIDATION, at, (size_t)size, true, fired), "validate as text: a finding of the last rule");
}

/* In SARIF, a file that is no trace has that verdict as its first result. */
static void test_verdict_result(bool fired[ORACLE_PROMISE_COUNT])
{
    static const char *const verdicts[] = {"{\"level\":\"error\",\"x\":{\"x\":[{\"x\":{\"x\":{}}}]}",
                                           "{\"level\":\"error\"}"};
    const char *results = strstr(sarif, "{\"ruleId\"");
    for (unsigned i = 0; i < 2; i++) {
        static char at[sizeof sarif + 64];
        const int size = snprintf(at, sizeof at, "{\"x\":1,\"results\":[%s,%s", verdicts[i], results);
        fill(0, 3);
        say(holds(SARIF, at, (size_t)size, true, fired) == (i == 0),
            i == 0 ? "SARIF: a verdict before the findings" : "SARIF: a verdict without an end");
    }
}

/* Of more findings than are compared, decode's text has all. */
static void test_uncompared_lines(bool fired[ORACLE_PROMISE_COUNT])
{
    static char at[sizeof LINE_1 * (ORACLE_REPORTED_MAX + 1)];
    size_t size = 0;
    for (reported.count = 0; reported.count <= ORACLE_REPORTED_MAX; reported.count++) {
        if (reported.count < ORACLE_REPORTED_MAX)
            reported.findings[reported.count] = findings[0];
        size += (size_t)snprintf(at + size, sizeof at - size, "%s", LINE_1);
    }
    say(holds(TEXT, at, size, true, fired), "decode as text: one finding more than is compared");
}

/* Validate need not keep more findings than are compared; decode writes them all. */
static void test_most(bool fired[ORACLE_PROMISE_COUNT])
{
    fill(0, 3);
    reported.count = ORACLE_REPORTED_MAX + 1;
    say(holds(JSON, json, strlen(json), true, fired) && holds(SARIF, sarif, strlen(sarif), true, fired) &&
            holds(VALIDATION, validation, strlen(validation), true, fired),
        "validate may leave out some of very many findings");
    say(!holds(RECORDS, records, strlen(records), true, fired) && !holds(TEXT, text, strlen(text), true, fired),
        "decode may not");
}

/* As many findings as are compared, of which the output has three. */
static void test_all_compared(bool fired[ORACLE_PROMISE_COUNT])
{
    fill(0, 3);
    memset(reported.findings + 3, 0, sizeof reported.findings - 3 * sizeof reported.findings[0]);
    reported.count = ORACLE_REPORTED_MAX;
    say(!holds(JSON, json, strlen(json), true, fired) && !holds(SARIF, sarif, strlen(sarif), true, fired) &&
            !holds(VALIDATION, validation, strlen(validation), true, fired),
        "validate leaves out none of the findings that are compared");
}

static void test_time_range(bool fired[ORACLE_PROMISE_COUNT])
{
    const size_t size = strlen(json);
    bool held = false;
    fill(0, 3);
    reported.first--;
    held |= holds(JSON, json, size, true, fired);
    fill(0, 3);
    reported.last++;
    held |= holds(JSON, json, size, true, fired);
    say(!held, "validate as JSON: another time range");
    fill(0, 3);
    reported.has_time = false;
    say(holds(JSON, json, size, true, fired), "validate as JSON: no event has a time");
}

static void test_collected(void)
{
    static const int64_t times[] = {3, -5, 7, 1};
    etl_reader reader = {.findings = {.count = 1, .at = {findings[0]}}};
    memset(&reported, 0, sizeof reported);
    oracle_reported_add(&reported, &reader, ETL_BUFFER);
    say(reported.count == 1 && !reported.has_time && reported.findings[0].offset == 72, "a finding of a buffer");
    reader.findings.count = 0;
    oracle_reported_add(&reported, &reader, ETL_EVENT);
    say(reported.count == 1 && !reported.has_time, "an event without a time");
    reader.event.has_time = true;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        reader.event.time = times[i];
        oracle_reported_add(&reported, &reader, ETL_EVENT);
    }
    say(reported.has_time && reported.first == -5 && reported.last == 7, "the least and the greatest time");
    reader.findings.count = 1;
    while (reported.count <= ORACLE_REPORTED_MAX)
        oracle_reported_add(&reported, &reader, ETL_BUFFER);
    say(reported.count == ORACLE_REPORTED_MAX + 1 && reported.first == -5 && reported.last == 7,
        "more findings than there is room for are counted, and not kept");
}

void test_reported(bool fired[ORACLE_PROMISE_COUNT])
{
    write_sarif();
    for (kind what = 0; what < KINDS; what++)
        test_output(what, fired);
    test_many(fired);
    test_five(fired);
    test_last_rule(fired);
    test_verdict_result(fired);
    test_uncompared_lines(fired);
    test_most(fired);
    test_all_compared(fired);
    test_time_range(fired);
    test_collected();
}
