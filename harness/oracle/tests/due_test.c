/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the comparison of findings with those that are due, and the replay of compressed streams. Which findings are due is
 * tested by rule_oracles_test on all vectors.
 */
#include <string.h>

#include "due.h"
#include "oracle_test.h"
#include "stream_replay.h"

static const etl_finding size_wrong = {.rule = ETL_RULE_BUF_001,
                                       .relation = ETL_RELATION_EQUAL,
                                       .offset = 0x400,
                                       .buffer = 1,
                                       .event = ETL_NO_INDEX,
                                       .expected = 0x400,
                                       .actual = 0x500};
static const etl_finding zero_size = {.rule = ETL_RULE_SIZ_003, .offset = 0x448, .buffer = 1, .event = 2};

/* What remains to be accounted for: COUNT if nothing. */
static etl_rule left(const etl_finding *reported, uint32_t count, const etl_finding *expected, uint32_t expected_count)
{
    oracle_watch oracle = {.broken = ORACLE_PROMISE_COUNT};
    etl_findings findings = {.count = count};
    oracle_due due;
    for (uint32_t i = 0; i < count; i++)
        findings.at[i] = reported[i];
    oracle_due_begin(&due, &findings);
    for (uint32_t i = 0; i < expected_count; i++)
        oracle_due_expect(&due, &expected[i]);
    const bool held = oracle_due_end(&oracle, &due);
    return held == (oracle.broken == ORACLE_PROMISE_COUNT) ? due.wrong : ETL_RULE_LAY_002;
}

static void test_comparison(void)
{
    const etl_finding both[] = {size_wrong, zero_size}, twice[] = {size_wrong, size_wrong};
    const etl_finding turned[] = {zero_size, size_wrong};
    say(left(NULL, 0, NULL, 0) == ETL_RULE_COUNT, "nothing is due, and nothing is reported");
    say(left(both, 2, turned, 2) == ETL_RULE_COUNT, "findings may come in any order");
    say(left(both, 1, both, 2) == ETL_RULE_SIZ_003, "a finding that is due is missing");
    say(left(both, 2, both, 1) == ETL_RULE_SIZ_003, "a finding that is not due is reported");
    say(left(twice, 2, both, 1) == ETL_RULE_BUF_001, "a finding is reported twice");
    say(left(both, 1, twice, 2) == ETL_RULE_BUF_001, "a finding that is due twice is reported once");
    say(left(NULL, 0, both, 2) == ETL_RULE_BUF_001, "the first of two that are missing is named");
}

static void test_allowed(bool fired[ORACLE_PROMISE_COUNT])
{
    etl_findings findings = {.count = 0};
    oracle_watch oracle = {.broken = ORACLE_PROMISE_COUNT};
    oracle_due due;
    oracle_due_begin(&due, &findings);
    oracle_due_allow(&due, &size_wrong);
    say(oracle_due_end(&oracle, &due), "a finding that is allowed may be missing");
    findings.at[findings.count++] = size_wrong;
    findings.at[0].actual++;
    oracle_due_begin(&due, &findings);
    oracle_due_allow(&due, &size_wrong);
    say(!oracle_due_end(&oracle, &due), "a finding that is allowed has other values");
    say(oracle.broken == ORACLE_PROMISE_FINDING_DUE && oracle.broken_at == size_wrong.offset &&
            strcmp(oracle.failed_condition, "BUF-001") == 0,
        "the promise names the place and the rule");
    fired[ORACLE_PROMISE_FINDING_DUE] = true;
    oracle_due_begin(&due, &findings);
    say(oracle_due_find(&due, ETL_RULE_BUF_001) == &findings.at[0] && !oracle_due_find(&due, ETL_RULE_BUF_002),
        "a finding is found by its rule");
    oracle_due_expect(&due, &findings.at[0]);
    say(!oracle_due_find(&due, ETL_RULE_BUF_001), "a finding that was accounted for is not found again");
}

/* A stream, the bytes it states, and how its replay ends. A token of flags comes first: the top bit is the first token. */
typedef struct stream_row {
    const char *what;
    uint8_t in[24];
    size_t in_size;
    const char *out; /* NULL: as many times 'a' */
    size_t out_size;
    oracle_stream_end end;
    size_t consumed, produced;
    bool flags_end;
} stream_row;

/* The flag words "literal, match" and "literal, literal". */
#define LITERAL_MATCH 0xFF, 0xFF, 0xFF, 0x7F
#define LITERALS 0xFF, 0xFF, 0xFF, 0x3F
/* A match at distance 1 with a length code; code 7: more of the length follows. */
#define MATCH(code) (code), 0

static const stream_row streams[] = {
    {"two literals", {LITERALS, 'a', 'b'}, 6, "ab", 2, ORACLE_STREAM_GOES_ON, 6, 2, false},
    {"a literal differs", {LITERALS, 'a', 'c'}, 6, "ab", 2, ORACLE_STREAM_DIFFERS, 6, 2, false},
    {"a stream ends at a flag without token", {LITERALS, 'a', 'b'}, 6, "ab?", 3, ORACLE_STREAM_ENDED, 6, 2, false},
    {"a literal is missing", {LITERALS, 'a'}, 5, "ab", 2, ORACLE_STREAM_FAULT, 5, 1, false},
    {"a flag word is cut", {0xFF, 0xFF, 0xFF}, 3, NULL, 1, ORACLE_STREAM_FAULT, 0, 0, false},
    {"the shortest match", {LITERAL_MATCH, 'a', MATCH(0)}, 7, NULL, 4, ORACLE_STREAM_GOES_ON, 7, 4, false},
    {"a match differs in its last byte", {LITERAL_MATCH, 'a', MATCH(0)}, 7, "aaab", 4, ORACLE_STREAM_DIFFERS,
     7, 3, false},
    {"a match crosses the end of the output", {LITERAL_MATCH, 'a', MATCH(0)}, 7, NULL, 3, ORACLE_STREAM_OVERRUN, 5,
     3, false},
    {"a match starts before the output", {LITERAL_MATCH, 'a', 8, 0}, 7, NULL, 4, ORACLE_STREAM_FAULT, 5, 1,
     false},
    {"a match is cut", {LITERAL_MATCH, 'a', 0}, 6, NULL, 4, ORACLE_STREAM_FAULT, 5, 1, false},
    {"a length in a low nibble, then one in the high nibble of the same byte",
     {LITERAL_MATCH, 'a', MATCH(7), 0x10, MATCH(7)}, 10, NULL, 22, ORACLE_STREAM_GOES_ON, 10, 22, false},
    {"a length in a byte", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 1}, 9, NULL, 27, ORACLE_STREAM_GOES_ON, 9, 27,
     false},
    {"a length in a word", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 0x18, 0x01}, 11, NULL, 284,
     ORACLE_STREAM_GOES_ON, 11, 284, false},
    {"a length in a dword", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 0, 0, 0x18, 1, 0, 0}, 15, NULL, 284,
     ORACLE_STREAM_GOES_ON, 15, 284, false},
    {"the largest length", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, 15, NULL, 4,
     ORACLE_STREAM_OVERRUN, 5, 4, false},
    {"a word that holds the shortest length of its form", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 22, 0}, 11,
     NULL, 26, ORACLE_STREAM_GOES_ON, 11, 26, false},
    {"a word with a length that a shorter form holds", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 21, 0}, 11,
     NULL, 26, ORACLE_STREAM_FAULT, 5, 1, false},
    {"a dword is cut", {LITERAL_MATCH, 'a', MATCH(7), 0x0F, 0xFF, 0, 0, 0x18, 1, 0}, 14, NULL, 284,
     ORACLE_STREAM_FAULT, 5, 1, false},
};

static void test_replay(void)
{
    uint8_t same[300];
    memset(same, 'a', sizeof same);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        const stream_row *row = &streams[i];
        const etl_span out = {row->out ? (const uint8_t *)row->out : same, row->out_size};
        const oracle_stream_replay replay = oracle_replay_stream((etl_span){row->in, row->in_size}, out);
        say(replay.end == row->end && replay.consumed == row->consumed && replay.produced == row->produced &&
                replay.flags_end == row->flags_end,
            row->what);
    }
}

/* Behind the 32nd token, the next bytes are a flag word. */
static void test_flags_end(void)
{
    uint8_t in[36] = {0};
    const etl_span stream = {in, sizeof in};
    say(oracle_replay_stream(stream, (etl_span){in + 4, 32}).flags_end, "32 literals use up the flags");
    say(!oracle_replay_stream(stream, (etl_span){in + 4, 31}).flags_end, "31 literals do not");
}

/* A compressed buffer whose bytes are not those of its stream. */
static void test_inflated_bytes(bool fired[ORACLE_PROMISE_COUNT])
{
    uint8_t raw[ETL_SIZE(WMI_BUFFER_HEADER_61) + 6] = {0}, data[ETL_SIZE(WMI_BUFFER_HEADER_61) + 2] = {0};
    etl_reader reader = {0};
    etl_findings none = {.count = 0};
    oracle_watch oracle = {.end = sizeof raw, .broken = ORACLE_PROMISE_COUNT};
    oracle_due due;
    memcpy(raw + sizeof raw - 6, (const uint8_t[]){LITERALS, 'a', 'b'}, 6);
    memcpy(data + sizeof data - 2, "ax", 2);
    reader.buffer = (etl_buffer){
        .raw = {raw, sizeof raw}, .data = {data, sizeof data}, .compressed = true, .inflated_from = 6};
    oracle_due_begin(&due, &none);
    say(!oracle_due_buffer(&due, &oracle, &reader), "a compressed buffer holds other bytes than its stream");
    say(oracle.broken == ORACLE_PROMISE_INFLATED_BYTES, "the promise is that of inflated bytes");
    fired[ORACLE_PROMISE_INFLATED_BYTES] = true;
    oracle.broken = ORACLE_PROMISE_COUNT;
    data[sizeof data - 1] = 'b';
    reader.buffer.inflated_from = 5;
    say(!oracle_due_buffer(&due, &oracle, &reader), "a compressed buffer used other input than its stream");
}

/* An event of a type without layout that ends at the extent has a possible Size: if it is refused, its type is why. */
static void test_refused_event(void)
{
    uint8_t bytes[ETL_SIZE(OPAQUE_HEADER)] = {sizeof bytes, 0, 0, ETL_MARKER_ULONG32_TIME};
    const oracle_due_event event = {.data = {bytes, sizeof bytes}, .extent = sizeof bytes, .space = ETL_SPACE_FILE};
    etl_finding finding = oracle_due_at(ETL_RULE_SIZ_007, ETL_SPACE_FILE, ETL_AT(OPAQUE_HEADER, HeaderType));
    oracle_due_values(&finding, ETL_RELATION_KNOWN, 0, ETL_HEADER_TYPE_TIMED);
    finding.action = ETL_ACTION_RESYNC;
    finding.lost = sizeof bytes;
    finding.buffer = finding.event = 0;
    const etl_findings findings = {.count = 1, .at = {finding}};
    oracle_watch oracle = {.broken = ORACLE_PROMISE_COUNT};
    oracle_due due;
    oracle_due_begin(&due, &findings);
    oracle_due_frame(&due, &event, finding.lost, finding.action);
    say(oracle_due_end(&oracle, &due), "an event of a type without layout that ends at the extent, and is refused");
}

void test_due(bool fired[ORACLE_PROMISE_COUNT])
{
    test_comparison();
    test_allowed(fired);
    test_replay();
    test_flags_end();
    test_inflated_bytes(fired);
    test_due_buffer();
    test_due_logfile();
    test_due_walk();
    test_refused_event();
}
