/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracle over work: each bound at its edge, and that searches and inflating are counted.
 */
#include "oracle_test.h"

#include "etlproof/inflate.h"
#include "oracle.h"
#include "search.h"
#include "step_checks.h"

#define SIZE 1000u
#define FREE 0x100u
#define EXPANSION_FREE 0x10000u
#define WINDOW (ETL_SIZE(WMI_BUFFER_HEADER_61) + 8u)

static oracle_watch watch;
static etl_reader reader;

static void begin(void)
{
    oracle_init(&watch, SIZE, ETL_LIMITS_DEFAULT, false);
    reader = (etl_reader){0};
}

static bool step(etl_outcome outcome, oracle_work work)
{
    return oracle_work_step(&watch, outcome, &reader, &work);
}

static bool is_broken(void)
{
    return watch.broken == ORACLE_PROMISE_WORK;
}

/* `most` is allowed in sum, and one more is not. */
static void say_searched(const char *what, uint64_t most)
{
    bool ok = step(ETL_EVENT, (oracle_work){.searched = most - 1}) && step(ETL_EVENT, (oracle_work){.searched = 1}) &&
              step(ETL_MORE, (oracle_work){0}) && !is_broken();
    say(ok && !step(ETL_EVENT, (oracle_work){.searched = 1 + 6 * WINDOW}) && is_broken(), what);
}

static void test_searched(void)
{
    begin();
    (void)step(ETL_BUFFER, (oracle_work){0});
    say_searched("a byte of a file with plain buffers is searched six times at most", FREE + 6 * SIZE);
    begin();
    bool ok = step(ETL_MORE, (oracle_work){.searched = FREE + 32 * SIZE}) && step(ETL_SCRATCH, (oracle_work){0});
    reader.buffer.header.buffer_flag = ETL_BUFFER_FLAG_COMPRESSED;
    ok = ok && step(ETL_BUFFER, (oracle_work){0});
    reader.buffer.header.buffer_flag = 0;
    ok = ok && step(ETL_BUFFER, (oracle_work){.searched = 32 * WINDOW});
    say(ok && !step(ETL_GAP, (oracle_work){.searched = 1}) && is_broken(),
        "a byte of a file with compressed buffers is searched 32 times at most");
    begin();
    reader.buffer.header.buffer_flag = ETL_BUFFER_FLAG_COMPRESSED;
    say(!step(ETL_EVENT, (oracle_work){.searched = FREE + 32 * SIZE}) && is_broken(),
        "an outcome other than a buffer does not show flag COMPRESSED");
}

static void test_walked(void)
{
    begin();
    bool ok = step(ETL_EVENT, (oracle_work){.walked = FREE + 3 * SIZE}) &&
              step(ETL_EVENT, (oracle_work){.walked = 100, .inflated = 100});
    watch.inflated = 100;
    ok = ok && step(ETL_EVENT, (oracle_work){.walked = 300});
    say(ok && !step(ETL_EVENT, (oracle_work){.walked = 1}) && is_broken(),
        "a byte is searched for an event three times, and when it is inflated");
}

static void test_inflated(void)
{
    const uint64_t most = 32 * (EXPANSION_FREE + 1000 * SIZE);
    begin();
    say(step(ETL_SCRATCH, (oracle_work){.inflations = 9}) && step(ETL_BUFFER, (oracle_work){.inflations = 9}),
        "a call inflates nine streams");
    say(!step(ETL_SCRATCH, (oracle_work){.inflations = 10}) && is_broken(), "a call inflates ten streams");
    begin();
    bool ok = step(ETL_BUFFER, (oracle_work){.inflated = most});
    watch.buffers = 1;
    ok = ok && step(ETL_BUFFER, (oracle_work){.inflated = 32 * EXPANSION_FREE});
    say(ok && !step(ETL_SCRATCH, (oracle_work){.inflated = 1}) && is_broken(), "too many bytes are inflated");
}

static void test_requests(void)
{
    bool ok = true;
    begin();
    for (unsigned i = 0; i < 6; i++)
        ok = ok && step(ETL_MORE, (oracle_work){0});
    say(ok && !step(ETL_MORE, (oracle_work){0}) && is_broken(), "input is requested six times at one place at most");
    begin();
    for (unsigned i = 0; i < 12; i++) {
        reader.trace.offset = i / 6;
        ok = ok && step(ETL_MORE, (oracle_work){0});
        watch.offset = reader.trace.offset;
        ok = ok && step(ETL_SCRATCH, (oracle_work){0});
    }
    say(ok && !step(ETL_MORE, (oracle_work){0}) && is_broken(), "input is requested six times at each of two places");
}

/* 16 literals behind one flag word. */
static void test_inflate_counted(void)
{
    static const uint8_t in[20] = {0};
    uint8_t out[16];
    begin();
    (void)etl_inflate((etl_span){in, sizeof in}, (etl_scratch){out, sizeof out});
    (void)etl_inflate((etl_span){in, sizeof in}, (etl_scratch){out, 8});
    oracle_work work = oracle_work_take();
    say(work.inflations == 2 && work.inflated == 20 + 16 + 12 + 8, "inflating is counted");
    work = oracle_work_take();
    say(work.inflations == 0 && work.inflated == 0, "work is counted once");
}

static void decode(etl_span file)
{
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END; outcome = etl_reader_next(&reader)) {
        if (outcome == ETL_MORE)
            etl_reader_feed(&reader, file, true);
        reader.findings.count = 0;
    }
}

/* Of two decodes, without the oracle. */
static oracle_work work_of(etl_span file)
{
    begin();
    decode(file);
    decode(file);
    return oracle_work_take();
}

static void test_searches_counted(void)
{
    static uint8_t bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0x80;
    const oracle_work junk = work_of((etl_span){bytes, sizeof bytes});
    say(junk.searched == 2 * (sizeof bytes - 1) && junk.walked == 0, "a search for a buffer is counted");
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), 4, sizeof bytes);
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, Offset), 4, sizeof bytes);
    put(bytes + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), 4, sizeof bytes);
    const oracle_work buffer = work_of((etl_span){bytes, sizeof bytes});
    say(buffer.walked == 2 * (sizeof bytes - ETL_SIZE(WMI_BUFFER_HEADER_61) - 1), "a search for an event is counted");
    (void)etl_search_event((etl_span){bytes, sizeof bytes}, sizeof bytes, sizeof bytes);
    say(oracle_work_take().walked == 1, "a search that ends where it begins counts as a byte");
    decode((etl_span){bytes, sizeof bytes});
    begin();
    say(oracle_work_take().walked == 0, "work before a decode is not counted");
}

void test_work(void)
{
    test_searched();
    test_walked();
    test_inflated();
    test_requests();
    test_inflate_counted();
    test_searches_counted();
}
