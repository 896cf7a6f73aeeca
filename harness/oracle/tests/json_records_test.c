/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over written records: each passes on a small example, and fails when the example is wrong.
 */
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"
#include "json_records.h"

/* The records of a made-up file of SIZE bytes, a line each. */
#define SIZE 100u
#define TRACE "{\"rec\":\"trace\",\"windows\":\"10.0.19041\",\"clock_frequency\":\"10000000\",\"processors\":4}\n"
#define BUFFER "{\"rec\":\"buffer\",\"index\":\"0\",\"offset\":\"0\",\"compressed\":false,\"timestamp\":\"-5\"}\n"
#define NTH(index, offset, more) \
    "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"" index "\",\"offset\":\"" offset "\"," \
    "\"header_type\":\"0x13\"" more "}\n"
#define EVENT NTH("0", "72", ",\"pmc\":[\"1\",\"2\"]")
#define SECOND NTH("1", "80", "")
#define AT(index, time) NTH(index, "72", ",\"timestamp\":\"" time "\"")
#define FINDING \
    "{\"rec\":\"finding\",\"rule\":\"BUF-006\",\"severity\":\"note\"," \
    "\"offset\":\"4\",\"action\":\"continue\",\"lost\":\"0\"}\n"
#define OF(place) \
    "{\"rec\":\"finding\",\"rule\":\"BUF-006\",\"severity\":\"note\"," place ",\"offset\":\"4\",\"action\":\"continue\"}\n"
#define TOTALS(verdict, buffers, events, types, notes, bytes) \
    "{\"rec\":\"end\",\"verdict\":\"" verdict "\",\"buffers\":\"" buffers "\",\"compressed_buffers\":\"0\"," \
    "\"events\":\"" events "\",\"events_by_header_type\":{" types "}," \
    "\"findings\":{\"note\":\"" notes "\",\"warning\":\"0\",\"limit\":\"0\",\"error\":\"0\"}," \
    "\"bytes\":{\"buffer-header\":\"72\",\"slack\":\"" bytes "\"}}\n"
#define ONE "\"0x13\":\"1\""
#define END TOTALS("conforming", "1", "1", ONE, "1", "28")
#define ALL TRACE BUFFER EVENT FINDING
#define FAR(compressed) "{\"rec\":\"buffer\",\"index\":\"0\",\"offset\":\"4096\",\"compressed\":" compressed "}\n"
#define NEXT "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"80\"}\n"
#define TYPED(type) \
    "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"offset\":\"72\",\"header_type\":\"" type "\"}\n"
/* A finding of an error or a limit, and totals of one event and such findings. */
#define LIMIT "LIM-001"
#define GRAVE(rule, severity) \
    "{\"rec\":\"finding\",\"rule\":\"" rule "\",\"severity\":\"" severity "\",\"offset\":\"4\",\"action\":\"continue\"}\n"
#define WORST(verdict, limits, errors) \
    "{\"rec\":\"end\",\"verdict\":\"" verdict "\",\"buffers\":\"1\",\"compressed_buffers\":\"0\",\"events\":\"1\"," \
    "\"events_by_header_type\":{" ONE "},\"findings\":{\"limit\":\"" limits "\",\"error\":\"" errors "\"}," \
    "\"bytes\":{\"slack\":\"100\"}}\n"
#define STANDING "an event does not start after the one before it, or the start of its buffer"

typedef struct row {
    const char *what;
    oracle_promise promise;
    const char *why; /* expected reason; NULL: not checked */
    const char *text;
} row;

#define HOLDS ORACLE_PROMISE_COUNT
#define JSON(what, why, text) {what, ORACLE_PROMISE_JSON, why, text}
#define RECORDS(what, why, text) {what, ORACLE_PROMISE_RECORDS, why, text}

static const row rows[] = {
    {"correct records", HOLDS, NULL, ALL END},
    {"a file that is not ETL", HOLDS, NULL,
     "{\"rec\":\"end\",\"verdict\":\"not-etl\",\"buffers\":\"0\",\"compressed_buffers\":\"0\",\"events\":\"0\","
     "\"bytes\":{\"tail\":\"100\"}}\n"},
    {"escapes and UTF-8", HOLDS, NULL,
     "{\"rec\":\"trace\",\"a\":\"\\u0000\\\"\\\\\\ud800 \xC3\xA9\xF0\x9F\x98\x80\"}\n" BUFFER EVENT FINDING END},
    {"a number with sign, fraction and exponent", ORACLE_PROMISE_RECORDS, "a number of more than 32 bits",
     "{\"rec\":\"trace\",\"a\":-1.5e+3}\n"},
    JSON("an unterminated line", "an unterminated line", "{\"rec\":\"trace\"}"),
    JSON("an empty line", "no object", "\n"),
    JSON("no object", "no object", "[1]\n"),
    JSON("text after the object", "bytes after the object", "{\"rec\":\"trace\"} 1\n"),
    JSON("an unterminated object", "an unterminated object", "{\"rec\":\"trace\"\n"),
    JSON("an extra comma", "a missing string", "{\"rec\":\"trace\",}\n"),
    JSON("an array with an extra comma", "a missing value", "{\"a\":[1,]}\n"),
    JSON("an unterminated array", "an unterminated array", "{\"a\":[1}\n"),
    JSON("a key without quotes", "a missing string", "{rec:\"trace\"}\n"),
    JSON("no colon", "a missing colon", "{\"rec\" \"trace\"}\n"),
    JSON("a duplicate key", "a duplicate key", "{\"rec\":\"trace\",\"rec\":\"trace\"}\n"),
    JSON("an unterminated string", "a control character in a string, or an unterminated string", "{\"rec\":\"trace\n"),
    JSON("a control character", "a control character in a string, or an unterminated string", "{\"rec\":\"a\tb\"}\n"),
    JSON("an unknown escape", "an invalid escape", "{\"rec\":\"\\x41\"}\n"),
    JSON("a truncated escape", "\\u without four hex digits", "{\"rec\":\"\\u12\"}\n"),
    JSON("a byte that starts no character", "a byte that cannot start a UTF-8 character", "{\"rec\":\"\xFF\"}\n"),
    JSON("a truncated character", "a UTF-8 character that is truncated or overlong", "{\"rec\":\"\xE2\x82\"}\n"),
    JSON("an overlong character", "a UTF-8 character that is truncated or overlong",
         "{\"rec\":\"\xE0\x80\x80\"}\n"),
    JSON("a surrogate in UTF-8", "a UTF-8 character that is truncated or overlong", "{\"rec\":\"\xED\xA0\x80\"}\n"),
    JSON("a character past the last", "a UTF-8 character that is truncated or overlong",
         "{\"rec\":\"\xF4\x90\x80\x80\"}\n"),
    JSON("a number that starts with 0", "a number that starts with 0", "{\"a\":01}\n"),
    JSON("a number without digits", "a missing digit", "{\"a\":-}\n"),
    JSON("a fraction without digits", "a missing digit", "{\"a\":1.}\n"),
    JSON("an unknown word", "a missing value", "{\"a\":nil}\n"),
    JSON("objects too deep", "too many nested objects and arrays",
         "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1}\n"),
    RECORDS("no record", "no end record", ""),
    RECORDS("no end record", "no end record", ALL),
    RECORDS("a record after the end", "a record after the end", ALL END BUFFER),
    RECORDS("two end records", "a record after the end", ALL END END),
    RECORDS("a record of unknown kind", "a record of unknown kind", "{\"rec\":\"song\"}\n" END),
    RECORDS("a record without kind", "a record of unknown kind", "{\"index\":\"0\"}\n" END),
    RECORDS("a second trace record", "a second trace record", TRACE ALL END),
    RECORDS("a number of more than 32 bits", "a number of more than 32 bits",
            "{\"rec\":\"trace\",\"size\":4294967296}\n"),
    RECORDS("a negative number of more than 32 bits", "a number of more than 32 bits",
            "{\"rec\":\"trace\",\"bias\":-2147483649}\n"),
    RECORDS("a fraction", "a number of more than 32 bits", "{\"rec\":\"trace\",\"size\":1.5}\n"),
    RECORDS("an index that is a number", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":0,\"offset\":\"0\"}\n"),
    RECORDS("an offset that is a number", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"trace\",\"offset\":1}\n"),
    RECORDS("a count of events that is a number", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"trace\",\"events\":1}\n"),
    RECORDS("an index in hex", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":\"0x0\",\"offset\":\"0\"}\n"),
    RECORDS("an index with a leading zero", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":\"00\",\"offset\":\"0\"}\n"),
    RECORDS("a time of more than 64 bits", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"event\",\"timestamp\":\"18446744073709551616\"}\n"),
    RECORDS("a negative zero", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"event\",\"timestamp\":\"-0\"}\n"),
    RECORDS("an array element that is a number", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"event\",\"pmc\":[\"1\",2]}\n"),
    RECORDS("a total that is a number", "a total that is not a decimal number in text",
            TRACE "{\"rec\":\"end\",\"bytes\":{\"tail\":100}}\n"),
    RECORDS("a missing buffer", "buffers are not numbered from 0",
            "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"0\"}\n" END),
    RECORDS("a buffer at the offset of the one before", "a buffer does not start after the one before it",
            BUFFER "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"0\"}\n"),
    RECORDS("a missing event", "events are not numbered from 0", TRACE BUFFER SECOND FINDING END),
    RECORDS("an event before its buffer", "an event does not belong to the last buffer", TRACE EVENT BUFFER FINDING END),
    RECORDS("an event without header type", "an event has no header type",
            BUFFER "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"offset\":\"72\"}\n"),
    {"an event in inflated bytes", HOLDS, NULL,
     FAR("true") EVENT "{\"rec\":\"end\",\"verdict\":\"conforming\",\"buffers\":\"1\",\"compressed_buffers\":\"1\","
     "\"events\":\"1\",\"events_by_header_type\":{\"0x13\":\"1\"},\"bytes\":{\"slack\":\"100\"}}\n"},
    RECORDS("an event without offset", STANDING,
            BUFFER "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"header_type\":\"0x13\"}\n"),
    RECORDS("an event before the start of its buffer", STANDING, FAR("false") EVENT),
    RECORDS("an event before its buffer, whose compressed is a string", STANDING, FAR("\"true\"") EVENT),
    RECORDS("an event at the offset of the one before", STANDING,
            BUFFER EVENT NTH("1", "72", "")),
    RECORDS("a finding of an unknown rule", "a finding has no rule",
            "{\"rec\":\"finding\",\"rule\":\"ABC-001\",\"severity\":\"note\"}\n"),
    RECORDS("a finding with another severity", "a finding's severity is not that of its rule",
            "{\"rec\":\"finding\",\"rule\":\"BUF-006\",\"severity\":\"error\",\"offset\":\"4\",\"action\":\"continue\"}\n"),
    RECORDS("a finding without offset", "a finding has no offset, or no action",
            "{\"rec\":\"finding\",\"rule\":\"BUF-006\",\"severity\":\"note\",\"action\":\"continue\"}\n"),
    RECORDS("a finding with an unknown action", "a finding has no offset, or no action",
            "{\"rec\":\"finding\",\"rule\":\"BUF-006\",\"severity\":\"note\",\"offset\":\"4\",\"action\":\"dance\"}\n"),
    {"a finding of the next buffer", HOLDS, NULL, TRACE OF("\"buffer\":\"0\"") BUFFER EVENT END},
    {"a finding of the next event", HOLDS, NULL, TRACE BUFFER OF("\"event\":\"0\"") EVENT END},
    RECORDS("a finding of a buffer past the next", "a finding of a buffer without a record",
            TRACE OF("\"buffer\":\"1\"") BUFFER EVENT END),
    RECORDS("a finding of an event past the next", "a finding of an event before its record",
            TRACE BUFFER OF("\"event\":\"1\"") EVENT END),
    RECORDS("a finding whose event is a number", "a 64-bit member that is not a decimal number in text",
            TRACE BUFFER OF("\"event\":0") EVENT END),
    RECORDS("another total of buffers", "the totals do not match the records",
            ALL TOTALS("conforming", "2", "1", ONE, "1", "28")),
    RECORDS("another total of events", "the totals do not match the records",
            ALL TOTALS("conforming", "1", "2", ONE, "1", "28")),
    RECORDS("another total of a type", "the events by header type do not match the records",
            ALL TOTALS("conforming", "1", "1", "\"0x13\":\"2\"", "1", "28")),
    RECORDS("events of another type", "the events by header type do not match the records",
            ALL TOTALS("conforming", "1", "1", "\"0x12\":\"1\"", "1", "28")),
    RECORDS("a type without events", "an unknown header type, or one without events",
            ALL TOTALS("conforming", "1", "1", ONE ",\"0x12\":\"0\"", "1", "28")),
    RECORDS("an unknown type", "an unknown header type, or one without events",
            ALL TOTALS("conforming", "1", "1", ONE ",\"0x1G\":\"1\"", "1", "28")),
    RECORDS("another total of findings", "the findings by severity do not match the records",
            ALL TOTALS("conforming", "1", "1", ONE, "0", "28")),
    RECORDS("one byte too few", "the bytes by kind do not add up to the size of the file",
            ALL TOTALS("conforming", "1", "1", ONE, "1", "27")),
    RECORDS("bytes that add up only by overflow", "an unknown region kind, or too many bytes",
            ALL TOTALS("conforming", "1", "1", ONE, "1", "18446744073709551615")),
    RECORDS("another verdict", "the verdict does not follow from the findings",
            ALL TOTALS("damaged", "1", "1", ONE, "1", "28")),
    RECORDS("a buffer without index", "buffers are not numbered from 0", "{\"rec\":\"buffer\",\"offset\":\"0\"}\n"),
    RECORDS("a buffer without offset", "a buffer does not start after the one before it",
            "{\"rec\":\"buffer\",\"index\":\"0\"}\n"),
    RECORDS("an event without index", "events are not numbered from 0",
            BUFFER "{\"rec\":\"event\",\"buffer\":\"0\",\"offset\":\"72\",\"header_type\":\"0x13\"}\n"),
    RECORDS("an event without buffer", "an event does not belong to the last buffer",
            BUFFER "{\"rec\":\"event\",\"index\":\"0\",\"offset\":\"72\",\"header_type\":\"0x13\"}\n"),
    RECORDS("an event of the buffer before the last", "an event does not belong to the last buffer", BUFFER NEXT EVENT),
    RECORDS("an event of the next buffer", "an event does not belong to the last buffer",
            BUFFER "{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"0\",\"offset\":\"72\",\"header_type\":\"0x13\"}\n"),
    RECORDS("an event without offset in inflated bytes", STANDING,
            FAR("true") "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"header_type\":\"0x13\"}\n"),
    RECORDS("a header type in another form", "an event has no header type", BUFFER TYPED("1x13")),
    RECORDS("a header type without its x", "an event has no header type", BUFFER TYPED("0013")),
    RECORDS("a header type whose first digit is not hex", "an event has no header type", BUFFER TYPED("0xg3")),
    RECORDS("a header type in capitals", "an event has no header type", BUFFER TYPED("0x1A")),
    RECORDS("a header type of three digits", "an event has no header type", BUFFER TYPED("0x013")),
    RECORDS("an empty index", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":\"\",\"offset\":\"0\"}\n"),
    RECORDS("a sign without digits", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":\"-\",\"offset\":\"0\"}\n"),
    RECORDS("a time below 64 bits", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"event\",\"timestamp\":\"-9223372036854775809\"}\n"),
    RECORDS("an index with another character after the digits", "a 64-bit member that is not a decimal number in text",
            "{\"rec\":\"buffer\",\"index\":\"1:\",\"offset\":\"0\"}\n"),
    {"numbers at the limits of 32 bits", HOLDS, NULL,
     "{\"rec\":\"trace\",\"bias\":-2147483648,\"size\":4294967295}\n" BUFFER EVENT FINDING END},
    {"nested members with the names of others", HOLDS, NULL,
     "{\"rec\":\"trace\",\"a\":{\"rec\":\"end\"},\"b\":[[\"7\"]],\"events_by_header_type\":{\"0x14\":\"1\"}}\n"
     BUFFER EVENT FINDING END},
    {"a buffer with words as values", HOLDS, NULL,
     TRACE "{\"rec\":\"buffer\",\"index\":\"0\",\"offset\":\"0\",\"compressed\":false,\"valid\":true}\n" EVENT FINDING END},
    {"a buffer with nested members of the same names", HOLDS, NULL,
     "{\"rec\":\"buffer\",\"index\":\"0\",\"offset\":\"0\",\"a\":[{\"index\":\"7\"}]}\n" EVENT FINDING END},
    {"three events with falling times", HOLDS, NULL,
     TRACE BUFFER AT("0", "3") NTH("1", "80", ",\"timestamp\":\"2\"") NTH("2", "88", ",\"timestamp\":\"1\"")
     TOTALS("conforming", "1", "3", "\"0x13\":\"3\"", "0", "28")},
    RECORDS("a buffer before the one before it", "a buffer does not start after the one before it",
            FAR("false") "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"72\"}\n"),
    RECORDS("a finding without rule", "a finding has no rule", "{\"rec\":\"finding\",\"severity\":\"note\"}\n"),
    RECORDS("a finding of a rule with a long name", "a finding has no rule",
            "{\"rec\":\"finding\",\"rule\":\"BUF-006BUF-006BUF-006\",\"severity\":\"note\"}\n"),
    RECORDS("types of events as numbers", "a total that is not a decimal number in text",
            TRACE "{\"rec\":\"end\",\"events_by_header_type\":{\"0x13\":1}}\n"),
    RECORDS("findings as numbers", "a total that is not a decimal number in text",
            TRACE "{\"rec\":\"end\",\"findings\":{\"note\":1}}\n"),
    RECORDS("a total of an unknown severity", "an unknown severity",
            TRACE "{\"rec\":\"end\",\"findings\":{\"notes\":\"1\"}}\n"),
    RECORDS("a total of a rule that cannot be violated", "an unknown severity",
            TRACE "{\"rec\":\"end\",\"findings\":{\"structure\":\"0\"}}\n"),
    RECORDS("a total of an unknown kind", "an unknown region kind, or too many bytes",
            TRACE "{\"rec\":\"end\",\"bytes\":{\"gold\":\"1\"}}\n"),
    {"the largest total of bytes", ORACLE_PROMISE_RECORDS, "the bytes by kind do not add up to the size of the file",
     ALL TOTALS("conforming", "1", "1", ONE, "1", "18446744073709551543")},
    RECORDS("one byte more than the largest total", "an unknown region kind, or too many bytes",
            ALL TOTALS("conforming", "1", "1", ONE, "1", "18446744073709551544")),
    RECORDS("another total of compressed buffers", "the totals do not match the records",
            FAR("true") EVENT TOTALS("conforming", "1", "1", ONE, "0", "28")),
    RECORDS("a conforming file without records", "the verdict does not follow from the findings",
            TOTALS("conforming", "0", "0", "", "0", "28")),
    {"only a trace record", HOLDS, NULL, TRACE TOTALS("conforming", "0", "0", "", "0", "28")},
    RECORDS("only a trace record, and not-etl", "the verdict does not follow from the findings",
            TRACE TOTALS("not-etl", "0", "0", "", "0", "28")),
    {"a finding of an error", HOLDS, NULL,
     BUFFER EVENT GRAVE("BUF-002", "error") GRAVE(LIMIT, "limit") WORST("damaged", "1", "1")},
    {"a finding of a limit", HOLDS, NULL, BUFFER EVENT GRAVE(LIMIT, "limit") WORST("limit", "1", "0")},
    RECORDS("an error in a conforming file", "the verdict does not follow from the findings",
            BUFFER EVENT GRAVE("BUF-002", "error") WORST("conforming", "0", "1")),
    RECORDS("a limit in a conforming file", "the verdict does not follow from the findings",
            BUFFER EVENT GRAVE(LIMIT, "limit") WORST("conforming", "1", "0")),
    {"a finding of an event that does not exist, after events", HOLDS, NULL,
     TRACE BUFFER EVENT SECOND OF("\"event\":\"2\",\"buffer\":\"1\"")
     TOTALS("conforming", "1", "2", "\"0x13\":\"2\"", "1", "28")},
};

static void judge(const oracle_watch *oracle, bool held, const char *what, oracle_promise promise,
                  bool fired[ORACLE_PROMISE_COUNT])
{
    say(oracle->broken == promise && held == (promise == HOLDS), what);
    if (oracle->broken != promise)
        printf("# expected %s, got %s\n", oracle_promise_name(promise), oracle_promise_name(oracle->broken));
    if (oracle->broken < ORACLE_PROMISE_COUNT)
        fired[oracle->broken] = true;
}

static oracle_slice slice_of(const char *text)
{
    return (oracle_slice){text, strlen(text)};
}

static void judge_text(const row *r, bool by_time, bool fired[ORACLE_PROMISE_COUNT])
{
    oracle_watch oracle;
    const char *why = NULL;
    oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
    const bool held = oracle_records(&oracle, slice_of(r->text), by_time, &why);
    judge(&oracle, held, r->what, r->promise, fired);
    if (r->why && (!why || strcmp(r->why, why) != 0))
        say(false, r->why);
    if (!held && !why)
        say(false, "the oracle's answer and its reason are one");
}

#define TWO TOTALS("conforming", "1", "2", "\"0x13\":\"2\"", "0", "28")
#define UNSORTED "events are not sorted by time, then by index"
#define ASTRAY "an event without a time does not follow its predecessor"

static const row rows_by_time[] = {
    {"events by time", HOLDS, NULL, TRACE BUFFER AT("1", "-7") AT("0", "3") TWO},
    {"events of the same time", HOLDS, NULL, TRACE BUFFER AT("0", "3") AT("1", "3") TWO},
    {"an event without a time after its predecessor", HOLDS, NULL, TRACE BUFFER AT("0", "3") SECOND TWO},
    {"an event without a time before all others", HOLDS, NULL,
     TRACE BUFFER EVENT AT("1", "-9223372036854775808") TWO},
    RECORDS("a later event before an earlier one", UNSORTED, TRACE BUFFER AT("0", "3") AT("1", "-7") TWO),
    RECORDS("an event of time 0 before one of time -1", UNSORTED, TRACE BUFFER AT("0", "0") AT("1", "-1") TWO),
    RECORDS("events of the same time, against file order", UNSORTED, TRACE BUFFER AT("1", "3") AT("0", "3") TWO),
    RECORDS("the same event twice", UNSORTED, TRACE BUFFER AT("1", "3") AT("1", "3") TWO),
    RECORDS("the same event twice, at two times", "an event is missing or duplicated",
            TRACE BUFFER AT("1", "3") AT("1", "4") TWO),
    RECORDS("an event without a time before its predecessor", ASTRAY, TRACE BUFFER SECOND AT("0", "3") TWO),
    RECORDS("an event without a time after another event", ASTRAY, TRACE BUFFER AT("2", "3") SECOND TWO),
    {"a finding before its event, by time", HOLDS, NULL, TRACE BUFFER OF("\"event\":\"1\"") EVENT END},
    RECORDS("a finding of a missing event, by time", "a finding of an event without a record",
            TRACE BUFFER OF("\"event\":\"2\"") EVENT END),
    RECORDS("findings of a missing and of an existing event, by time", "a finding of an event without a record",
            TRACE BUFFER OF("\"event\":\"2\"") OF("\"event\":\"0\"") EVENT TOTALS("conforming", "1", "1", ONE, "2", "28")),
    {"an event of the first buffer by time", HOLDS, NULL,
     TRACE BUFFER NEXT EVENT TOTALS("conforming", "2", "1", ONE, "0", "28")},
    RECORDS("an event of a missing buffer, by time", "an event does not belong to the last buffer",
            TRACE BUFFER "{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"0\",\"offset\":\"72\","
            "\"header_type\":\"0x13\"}\n"),
    RECORDS("an event without offset by time", STANDING,
            TRACE BUFFER "{\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"header_type\":\"0x13\"}\n"),
    RECORDS("a finding after an event, by time", "a record after the sorted events", TRACE BUFFER EVENT FINDING END),
    RECORDS("a buffer after an event, by time", "a record after the sorted events",
            TRACE BUFFER EVENT "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"80\"}\n"),
};

static void judge_by_time(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof rows_by_time / sizeof rows_by_time[0]; i++)
        judge_text(&rows_by_time[i], true, fired);
    judge_text(&(row)RECORDS("events by time where file order was requested", "events are not numbered from 0",
                             TRACE BUFFER AT("1", "-7") AT("0", "3") TWO),
               false, fired);
}

/* A record of 20,000 letters with the given first members, and the end record of a file of one buffer. */
static void judge_length(const char *members, const char *events, oracle_promise promise, const char *why,
                         bool fired[ORACLE_PROMISE_COUNT])
{
    static char text[32768];
    snprintf(text, sizeof text,
             BUFFER "{%s,\"offset\":\"72\",\"data\":\"%020000d\"}\n"
             "{\"rec\":\"end\",\"verdict\":\"conforming\",\"buffers\":\"1\",%s,\"bytes\":{\"slack\":\"100\"}}\n",
             members, 0, events);
    judge_text(&(row){"a long record", promise, why, text}, false, fired);
}

#define LONG(size) "\"rec\":\"event\",\"buffer\":\"0\",\"index\":\"0\",\"header_type\":\"0x13\",\"size\":" size

static void judge_lengths(bool fired[ORACLE_PROMISE_COUNT])
{
    static const char one[] = "\"events\":\"1\",\"events_by_header_type\":{" ONE "}", none[] = "\"events\":\"0\"";
    judge_length(LONG("20000"), one, HOLDS, NULL, fired);
    judge_length(LONG("8"), one, ORACLE_PROMISE_RECORDS, "a record is too long for its bytes", fired);
    judge_length("\"rec\":\"trace\"", none, HOLDS, NULL, fired);
    judge_length("\"rec\":\"song\"", none, ORACLE_PROMISE_RECORDS, "a record of unknown kind", fired);
}

/* A record of a kind at its longest, and one letter longer. */
static void judge_edge(const char *kind, size_t longest, const char *before, const char *after,
                       bool fired[ORACLE_PROMISE_COUNT])
{
    static char line[16384], text[sizeof line + 1024];
    for (size_t length = longest; length <= longest + 1; length++) {
        int size = snprintf(line, sizeof line, "{\"rec\":\"%s\",\"index\":\"0\",\"buffer\":\"0\",\"offset\":\"72\","
                            "\"header_type\":\"0x13\",\"size\":8,\"a\":\"", kind);
        memset(line + size, 'a', length - (size_t)size);
        strcpy(line + length - 2, "\"}\n");
        snprintf(text, sizeof text, "%s%s%s", before, line, after);
        judge_text(
            &(row){"a record at its longest", length > longest ? ORACLE_PROMISE_RECORDS : HOLDS, NULL, text},
            false, fired);
    }
}

static bool is_known(const char *kind, const char *more)
{
    char text[64];
    oracle_watch oracle;
    const char *why = NULL;
    snprintf(text, sizeof text, "{\"rec\":\"%s%s\"}\n", kind, more);
    oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
    oracle_records(&oracle, slice_of(text), false, &why);
    return !why || strcmp(why, "a record of unknown kind") != 0;
}

/* A record with only its kind is wrong, but not because of the kind. */
static void judge_kinds(void)
{
    static const char *const kinds[] = {
#define TOOL_RECORD_KIND(name, text) text,
#include "tool/records/record_kinds.def"
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        say(is_known(kinds[i], "") && !is_known(kinds[i], "s"), kinds[i]);
}

#define SUMMARY(size, verdict, events, notes) \
    "{\"size\":\"" size "\",\"verdict\":\"" verdict "\",\"buffers\":\"1\",\"compressed_buffers\":\"0\"," \
    "\"events\":\"" events "\",\"events_by_header_type\":{" ONE "}," \
    "\"findings\":[{\"rule\":\"BUF-006\",\"offset\":\"4\"}],\"findings_by_severity\":{\"note\":\"" notes "\"}," \
    "\"bytes\":{\"buffer-header\":\"72\",\"slack\":\"28\"}}\n"
#define SOUND SUMMARY("100", "conforming", "1", "1")
/* The same with other buffers, types and bytes, and with extra members. */
#define OTHER(buffers, compressed, types, bytes, more) \
    "{\"size\":\"100\",\"verdict\":\"conforming\",\"buffers\":\"" buffers "\",\"compressed_buffers\":\"" compressed "\"," \
    "\"events\":\"1\",\"events_by_header_type\":{" types "},\"findings_by_severity\":{\"note\":\"1\"}," \
    "\"bytes\":{\"slack\":\"" bytes "\"}" more "}\n"
#define MORE OTHER("1", "0", ONE, "100", ",\"a\":1")
#define NO_VERDICT "{\"size\":\"100\",\"buffers\":\"1\",\"events\":\"1\"}\n"

/* The output of validate for the file of ALL and END, without --strict and with it. */
static const struct summary_row {
    const char *what;
    oracle_promise promise;
    const char *lenient, *strict;
} summaries[] = {
    {"correct summaries", HOLDS, SOUND, SOUND},
    {"another verdict with --strict", HOLDS, SOUND, SUMMARY("100", "damaged", "1", "1")},
    {"a summary of two lines", ORACLE_PROMISE_JSON, SOUND "\n", SOUND},
    {"a summary with another size", ORACLE_PROMISE_RECORDS, SUMMARY("99", "conforming", "1", "1"), SOUND},
    {"a summary with another verdict", ORACLE_PROMISE_RECORDS, SUMMARY("100", "damaged", "1", "1"), SOUND},
    {"a summary with another total of events", ORACLE_PROMISE_RECORDS, SUMMARY("100", "conforming", "2", "1"), SOUND},
    {"a summary with another total of findings", ORACLE_PROMISE_RECORDS, SUMMARY("100", "conforming", "1", "0"), SOUND},
    {"a summary with another total of buffers", ORACLE_PROMISE_RECORDS, OTHER("2", "0", ONE, "100", ""), SOUND},
    {"a summary with another total of compressed buffers", ORACLE_PROMISE_RECORDS, OTHER("1", "1", ONE, "100", ""),
     SOUND},
    {"a summary with other header types", ORACLE_PROMISE_RECORDS, OTHER("1", "0", "\"0x12\":\"1\"", "100", ""), SOUND},
    {"a summary with another total of bytes", ORACLE_PROMISE_RECORDS, OTHER("1", "0", ONE, "101", ""), SOUND},
    {"a summary with an unknown total", ORACLE_PROMISE_JSON, OTHER("1", "0", "\"0x1\":\"1\"", "100", ""), SOUND},
    {"a summary without members", ORACLE_PROMISE_JSON, "{}", SOUND},
    {"a summary that is not an object", ORACLE_PROMISE_JSON, "{\n", SOUND},
    {"a --strict summary that is not an object", ORACLE_PROMISE_JSON, SOUND, "{\n"},
    {"a summary without verdict", ORACLE_PROMISE_RECORDS, NO_VERDICT, SOUND},
    {"a summary with another verdict of the same length", ORACLE_PROMISE_RECORDS,
     SUMMARY("100", "confirming", "1", "1"), SOUND},
    {"a summary with a longer verdict", ORACLE_PROMISE_RECORDS, SUMMARY("100", "conforming!", "1", "1"), SOUND},
    {"a summary with a truncated verdict", ORACLE_PROMISE_RECORDS, SUMMARY("100", "conform", "1", "1"), SOUND},
    {"a summary with an extra member", HOLDS, MORE, MORE},
    {"no verdict with --strict", ORACLE_PROMISE_STRICT, SOUND, NO_VERDICT},
    {"a member missing with --strict", ORACLE_PROMISE_STRICT, MORE, OTHER("1", "0", ONE, "100", "")},
    {"an extra member with --strict", ORACLE_PROMISE_STRICT, OTHER("1", "0", ONE, "100", ""), MORE},
    {"one finding fewer with --strict", ORACLE_PROMISE_STRICT, SOUND, SUMMARY("100", "damaged", "1", "0")},
};

static void judge_summaries(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++) {
        const struct summary_row *r = &summaries[i];
        const char *why = NULL;
        oracle_watch oracle;
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        const bool held = oracle_summaries(&oracle, slice_of(ALL END), slice_of(r->lenient), slice_of(r->strict), &why);
        judge(&oracle, held, r->what, r->promise, fired);
    }
}

#define RUN(results) "{\"runs\":[{\"tool\":{\"rules\":[{\"id\":\"BUF-006\"}]},\"results\":[" results "]}]}\n"

/* The output of validate --sarif for the file of ALL and END. */
static void judge_sarif(bool fired[ORACLE_PROMISE_COUNT])
{
    static const struct {
        const char *what;
        oracle_promise promise;
        const char *text;
    } logs[] = {
        {"a result for the finding", HOLDS, RUN("{\"ruleIndex\":5}")},
        {"a result that counts one finding", HOLDS, RUN("{\"ruleIndex\":5,\"occurrenceCount\":1}")},
        {"a result without rule beside the finding's", HOLDS, RUN("{\"level\":\"error\"},{\"ruleIndex\":5}")},
        {"a rule index nested in a result", HOLDS, RUN("{\"ruleIndex\":5,\"a\":{\"ruleIndex\":5}}")},
        {"a number among the results", HOLDS, RUN("{\"ruleIndex\":5},7")},
        {"a rule beside the results", HOLDS,
         "{\"runs\":[{\"rules\":[{\"ruleIndex\":5}],\"results\":[{\"ruleIndex\":5}]}]}\n"},
        {"a count that is not a number", HOLDS, RUN("{\"ruleIndex\":5,\"occurrenceCount\":true}")},
        {"results that are an object", HOLDS,
         "{\"runs\":[{\"results\":[{\"ruleIndex\":5}]},{\"results\":{\"a\":{\"ruleIndex\":5}}}]}\n"},
        {"a result that counts no finding beside the finding's", HOLDS,
         RUN("{\"ruleIndex\":5,\"occurrenceCount\":0},{\"ruleIndex\":5}")},
        {"a log of two lines", ORACLE_PROMISE_JSON, RUN("{\"ruleIndex\":5}") "\n"},
        {"a log with text after it", ORACLE_PROMISE_JSON, RUN("{\"ruleIndex\":5}]}]} 1")},
        {"no result", ORACLE_PROMISE_RECORDS, RUN("")},
        {"a result that counts two findings", ORACLE_PROMISE_RECORDS, RUN("{\"ruleIndex\":5,\"occurrenceCount\":2}")},
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        const char *why = NULL;
        oracle_watch oracle;
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        const bool held = oracle_sarif(&oracle, slice_of(ALL END), slice_of(logs[i].text), &why);
        judge(&oracle, held, logs[i].what, logs[i].promise, fired);
    }
}

/* Reports are compared to the last line of the records. */
static void judge_last_line(bool fired[ORACLE_PROMISE_COUNT])
{
    static const struct {
        const char *what, *records;
        oracle_promise promise;
    } ends[] = {
        {"only an end record", END, HOLDS},
        {"an empty line before the end record", "\n" END, HOLDS},
        {"no records", "", ORACLE_PROMISE_JSON},
        {"a last line that is not an object", ALL END "1\n", ORACLE_PROMISE_JSON},
        {"a last line with text after the object", ALL TOTALS("conforming", "1", "1", ONE, "1", "28\"}} 1"),
         ORACLE_PROMISE_JSON},
        {"an empty last line", ALL END "\n", ORACLE_PROMISE_JSON},
        {"another kind of record as the last", ALL, ORACLE_PROMISE_RECORDS},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const oracle_slice records = slice_of(ends[i].records), result = slice_of(RUN("{\"ruleIndex\":5}"));
        const char *why = NULL;
        oracle_watch oracle;
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        bool held = oracle_summaries(&oracle, records, slice_of(SOUND), slice_of(SOUND), &why);
        judge(&oracle, held, ends[i].what, ends[i].promise, fired);
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        held = oracle_sarif(&oracle, records, result, &why);
        judge(&oracle, held, ends[i].what, ends[i].promise, fired);
    }
}

/* A broken promise has the offset of its fault in the text. */
static void judge_offsets(void)
{
    static const struct {
        const char *what, *line;
        size_t at; /* in the line */
    } faults[] = {
        {"the offset of a fault in JSON", "{\"a\":}\n", 5},
        {"the offset of a fault in a record", "{\"index\":7}\n", 10},
        {"the offset of an unterminated line", "{", 0},
    };
    const char *why;
    oracle_watch oracle;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", TRACE, faults[i].line);
        oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
        oracle_records(&oracle, slice_of(text), false, &why);
        say(oracle.broken_at == sizeof TRACE - 1 + faults[i].at, faults[i].what);
    }
    oracle_init(&oracle, SIZE, ETL_LIMITS_DEFAULT, false);
    oracle_sarif(&oracle, slice_of(END), slice_of("{}\n\n"), &why);
    say(oracle.broken_at == 0 && strcmp(why, "not one line") == 0, "a log that is not one line");
}

void test_records(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge_text(&rows[i], false, fired);
    judge_by_time(fired);
    judge_lengths(fired);
    judge_edge("event", 8192 + 128 * 8, BUFFER, TOTALS("conforming", "1", "1", ONE, "0", "28"), fired);
    judge_edge("buffer", 8192, "", TOTALS("not-etl", "1", "0", "", "0", "28"), fired);
    judge_kinds();
    judge_summaries(fired);
    judge_sarif(fired);
    judge_last_line(fired);
    judge_offsets();
}
