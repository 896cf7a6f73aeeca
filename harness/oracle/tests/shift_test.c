/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests oracle_shift: a decode at another offset of the file has the same hash if all offsets are larger by as much, and
 * breaks a promise or has another hash if one is not.
 */
#include "oracle_test.h"

#include <string.h>

#include "oracle.h"

#define BASE UINT64_C(0xFFFFFFA0)
#define SIZE 200u

static oracle_watch near, far;
static etl_reader reader;

/* A buffer without events, and bytes behind it that are no buffer. */
static const uint8_t *file(void)
{
    static uint8_t bytes[SIZE];
    const uint32_t size = ETL_SIZE(WMI_BUFFER_HEADER_61) + 64;
    memset(bytes, 0x80, sizeof bytes);
    memset(bytes, 0, ETL_SIZE(WMI_BUFFER_HEADER_61));
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), 4, size);
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, Offset), 4, ETL_SIZE(WMI_BUFFER_HEADER_61));
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), 4, ETL_SIZE(WMI_BUFFER_HEADER_61));
    return bytes;
}

/* Changes the reader after a step. */
typedef void spoiler(etl_outcome outcome);

/* Decodes the file at `base`, with the oracle at `watched`. Returns the promise that was broken. */
static oracle_promise decode(oracle_watch *oracle, uint64_t base, uint64_t watched, spoiler *spoil)
{
    oracle_init(oracle, SIZE, ETL_LIMITS_DEFAULT, true);
    oracle_shift(oracle, watched);
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    reader.trace.offset = base;
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END;) {
        outcome = etl_reader_next(&reader);
        if (spoil)
            spoil(outcome);
        if (!oracle_step(oracle, outcome, &reader) || !oracle_due_step(oracle, outcome, &reader))
            return oracle->broken;
        reader.findings.count = 0;
        const size_t read = (size_t)(reader.trace.offset - base);
        if (outcome == ETL_MORE)
            etl_reader_feed(&reader, (etl_span){file() + read, SIZE - read}, true);
    }
    oracle_end(oracle);
    return oracle->broken;
}

static void cut_finding(etl_outcome outcome)
{
    (void)outcome;
    for (uint32_t i = 0; i < reader.findings.count; i++)
        reader.findings.at[i].offset &= UINT32_MAX;
}

static void cut_gap(etl_outcome outcome)
{
    if (outcome == ETL_GAP)
        reader.gap.offset &= UINT32_MAX;
}

static void cut_buffer(etl_outcome outcome)
{
    if (outcome == ETL_BUFFER)
        reader.buffer.offset &= UINT32_MAX;
}

static void stop_early(etl_outcome outcome)
{
    if (outcome == ETL_GAP)
        reader.gap.size--;
}

static void test_decode(void)
{
    const uint64_t above = UINT64_C(1) << 32;
    say(decode(&near, 0, 0, NULL) == ORACLE_PROMISE_COUNT && near.buffers == 1, "a decode at offset 0");
    say(decode(&far, BASE, BASE, NULL) == ORACLE_PROMISE_COUNT && oracle_compare(&near, &far), "the same around 2^32");
    say(decode(&far, UINT64_MAX - SIZE, UINT64_MAX - SIZE, NULL) == ORACLE_PROMISE_COUNT && oracle_compare(&near, &far),
        "the same at the largest offset");
    say(decode(&far, BASE, BASE + 1, NULL) != ORACLE_PROMISE_COUNT, "one byte before the offset that is watched");
    say(decode(&far, BASE, BASE - 1, NULL) != ORACLE_PROMISE_COUNT, "one byte behind the offset that is watched");
    say(decode(&far, above, above, cut_finding) == ORACLE_PROMISE_FINDING_DUE, "offsets of findings in 32 bits");
    say(decode(&far, above, above, cut_gap) == ORACLE_PROMISE_TILING, "offsets of gaps in 32 bits");
    say(decode(&far, above, above, cut_buffer) == ORACLE_PROMISE_TILING, "offsets of buffers in 32 bits");
    say(decode(&far, above, above, stop_early) != ORACLE_PROMISE_COUNT, "a decode that ends early");
}

/* The hash of one finding of a decode at `base`. */
static uint64_t hash_of(etl_finding finding, uint64_t base)
{
    oracle_init(&far, SIZE, ETL_LIMITS_DEFAULT, true);
    oracle_shift(&far, base);
    reader = (etl_reader){.trace = {.offset = base, .want = 1}, .findings = {.count = 1}};
    reader.findings.at[0] = finding;
    say(oracle_step(&far, ETL_MORE, &reader), "a finding of the first bytes");
    return far.hash;
}

static etl_finding finding_at(etl_rule rule, etl_space space, uint64_t offset, uint64_t expected, uint64_t actual)
{
    return (etl_finding){.rule = rule, .space = space, .offset = offset, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX,
                         .relation = ETL_RELATION_EQUAL, .expected = expected, .actual = actual};
}

static void test_values(void)
{
    reader.buffer.data.size = SIZE;
    const uint64_t aligned = hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_FILE, 4, 8, 4), 0);
    say(aligned == hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_FILE, BASE + 4, BASE + 8, BASE + 4), BASE),
        "offsets as values are relative");
    say(aligned != hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_FILE, BASE + 4, 8, BASE + 4), BASE),
        "an expected offset of another file");
    say(aligned != hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_FILE, BASE + 4, BASE + 8, 4), BASE),
        "an actual offset of another file");
    say(hash_of(finding_at(ETL_RULE_SIZ_001, ETL_SPACE_FILE, 4, 8, 4), 0) ==
            hash_of(finding_at(ETL_RULE_SIZ_001, ETL_SPACE_FILE, BASE + 4, 8, 4), BASE),
        "other values are not relative");
    say(hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_INFLATED, 0, 8, 4), 0) ==
            hash_of(finding_at(ETL_RULE_ALN_001, ETL_SPACE_INFLATED, 0, 8, 4), BASE),
        "offsets of inflated bytes are not relative");
}

void test_shift(void)
{
    test_decode();
    test_values();
}
