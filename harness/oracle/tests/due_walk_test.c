/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which findings are due in a walk through a buffer that is damaged in ways that no vector has.
 */
#include <string.h>

#include "due.h"
#include "oracle.h"
#include "oracle_test.h"

#define HEADER ETL_SIZE(WMI_BUFFER_HEADER_61)
#define AT 0x60u            /* of the gap or event */
#define LARGE_GAP 0x10008u /* more than 16 bits can count */

/* The only buffer of a file that is all 0xFF, and the next step of its decode. */
static struct {
    uint8_t bytes[AT + LARGE_GAP];
    etl_reader reader;
    oracle_watch oracle;
} s;

/* The buffer has `size` bytes; its events ended at `extent` before the step. */
static void begin(size_t size, uint32_t extent)
{
    memset(s.bytes, 0xFF, sizeof s.bytes);
    memset(&s.reader, 0, sizeof s.reader);
    s.reader.in_buffer = true;
    s.reader.buffer.raw = s.reader.buffer.data = (etl_span){s.bytes, size};
    s.reader.buffer.extent = (uint32_t)size;
    s.oracle = (oracle_watch){.end = size, .extent = extent, .broken = ORACLE_PROMISE_COUNT};
}

/* An event without layout, of eight bytes that state `size`. */
static void put_event(uint32_t at, uint8_t size)
{
    memcpy(s.bytes + at, (const uint8_t[]){size, 0, 0, ETL_MARKER_ULONG32_TIME, 0, 0, 0, 0}, 8);
}

static void set_gap(etl_region_kind kind, uint64_t size)
{
    s.reader.gap = (etl_region){kind, ETL_SPACE_FILE, AT, size};
}

static etl_finding *report(etl_rule rule, uint64_t offset, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding *finding = &s.reader.findings.at[s.reader.findings.count++];
    *finding = oracle_due_at(rule, ETL_SPACE_FILE, offset);
    oracle_due_values(finding, relation, expected, actual);
    finding->buffer = finding->event = 0;
    return finding;
}

static bool holds(etl_outcome outcome)
{
    oracle_watch oracle = s.oracle;
    return oracle_due_step(&oracle, outcome, &s.reader);
}

static void test_large_slack(void)
{
    begin(sizeof s.bytes, AT);
    set_gap(ETL_REGION_SLACK, LARGE_GAP);
    s.bytes[sizeof s.bytes - 1] = 0;
    report(ETL_RULE_BUF_015, sizeof s.bytes - 1, ETL_RELATION_EQUAL, 0xFF, 0)->event = ETL_NO_INDEX;
    say(holds(ETL_GAP), "the last byte of large slack is not 0xFF");
}

/* A gap of one byte, and the event behind it, which states `stated` bytes and ends the data with `left` bytes. */
static void begin_left(uint32_t extent, uint8_t stated, uint8_t left)
{
    begin(AT + 1 + left, extent);
    set_gap(ETL_REGION_DAMAGED, 1);
    put_event(AT + 1, stated);
    etl_finding *finding = report(ETL_RULE_BUF_022, AT + 1, ETL_RELATION_AT_MOST, extent, AT + 1 + stated);
    finding->action = ETL_ACTION_RESYNC;
    finding->lost = 1;
}

static void test_left_extent(void)
{
    begin_left(AT, 8, 8);
    say(holds(ETL_GAP), "the extent ends at a gap, and the next event behind it");
    begin_left(AT + 1, 8, 8);
    say(!holds(ETL_GAP), "the extent ends behind a gap");
    begin_left(AT, 9, 8);
    say(!holds(ETL_GAP), "the event behind the extent ends behind the data");
    begin_left(AT, 7, 7);
    say(!holds(ETL_GAP), "behind the extent, less than a header is left");
}

/* The event that is refused moved the extent from `extent`. */
static void begin_moved(uint32_t extent)
{
    begin(AT + 16, extent);
    set_gap(ETL_REGION_DAMAGED, 16);
    put_event(AT, 16);
    report(ETL_RULE_BUF_022, AT, ETL_RELATION_AT_MOST, extent, AT + 16);
    etl_finding *finding =
        report(ETL_RULE_SIZ_007, AT + ETL_AT(OPAQUE_HEADER, HeaderType), ETL_RELATION_KNOWN, 0, ETL_HEADER_TYPE_TIMED);
    finding->action = ETL_ACTION_SKIP_BUFFER;
    finding->lost = 16;
}

static void test_moved_extent(void)
{
    begin_moved(AT + 8);
    say(holds(ETL_GAP), "a refused event ends behind the extent");
    begin_moved(AT + 16);
    say(!holds(ETL_GAP), "a refused event ends at the extent");
}

/* No buffer starts where BufferSize is `size`. */
static bool no_buffer_holds(uint32_t size)
{
    begin(AT + HEADER, 0);
    s.reader.in_buffer = false;
    s.reader.window = s.reader.buffer.raw;
    set_gap(ETL_REGION_DAMAGED, HEADER);
    put(s.bytes + AT, 4, size);
    etl_finding *finding = report(ETL_RULE_BUF_001, AT, ETL_RELATION_NONE, 0, 0);
    finding->action = ETL_ACTION_STOP;
    finding->lost = HEADER;
    finding->buffer = finding->event = ETL_NO_INDEX;
    return holds(ETL_GAP);
}

static void test_no_buffer(void)
{
    say(no_buffer_holds(ETL_BUFFER_SIZE_MIN), "no buffer starts at the smallest BufferSize");
    say(!no_buffer_holds(ETL_BUFFER_SIZE_MIN - 1), "no buffer starts at a BufferSize too small");
    say(no_buffer_holds(ETL_BUFFER_SIZE_MAX), "no buffer starts at the largest BufferSize");
    say(!no_buffer_holds(ETL_BUFFER_SIZE_MAX + 1), "no buffer starts at a BufferSize too large");
}

/* The event ends eight bytes behind Offset. Whether SavedOffset excuses that BUF-022 is not reported. */
static bool excuses(uint32_t saved_offset, bool compressed)
{
    begin(AT + 32, AT);
    put_event(AT, 8);
    s.reader.buffer.compressed = compressed;
    s.reader.buffer.header.offset = AT;
    s.reader.buffer.header.saved_offset = saved_offset;
    s.reader.event = (etl_event){.bytes = {s.bytes + AT, 8}, .offset = AT, .size = 8};
    report(ETL_RULE_TYP_001, AT + ETL_AT(OPAQUE_HEADER, HeaderType), ETL_RELATION_KNOWN, 0, ETL_HEADER_TYPE_TIMED);
    const bool without = holds(ETL_EVENT);
    report(ETL_RULE_BUF_022, AT, ETL_RELATION_AT_MOST, AT, AT + 8);
    say(holds(ETL_EVENT), "an event behind Offset, with a finding");
    return without;
}

static void test_beyond_extent(void)
{
    say(excuses(AT + 8, false), "SavedOffset is the end of an event behind Offset");
    say(!excuses(AT + 7, false), "SavedOffset is in an event behind Offset");
    say(excuses(AT + 32, false), "SavedOffset is the end of the buffer");
    say(!excuses(AT + 33, false), "SavedOffset is behind the buffer");
    say(excuses(AT + 33, true), "SavedOffset is behind the output of a stream");
    say(excuses(ETL_BUFFER_SIZE_MAX, true), "SavedOffset is the largest of a compressed buffer");
    say(!excuses(ETL_BUFFER_SIZE_MAX + 1, true), "SavedOffset is too large for a compressed buffer");
}

/* The first buffer, which has no logfile header: what the decoder knows of it, and the finding about that. */
static void begin_buffer(void)
{
    begin(AT + 8, 0);
    memset(s.bytes, 0, AT + 8);
    s.reader.buffer.extent = HEADER;
    s.reader.buffer.header = (etl_buffer_header){
        .buffer_size = AT + 8, .offset = HEADER, .saved_offset = HEADER, .buffer_type = ETL_BUFFER_TYPE_HEADER};
    s.reader.trace.context = etl_logfile_context(&s.reader.trace.logfile);
    s.reader.trace.shape = etl_logfile_shape(&s.reader.trace.logfile);
}

static void test_first_buffer(void)
{
    begin_buffer();
    etl_finding *finding = report(ETL_RULE_LFH_001, HEADER, ETL_RELATION_EQUAL, 0xC002, 0);
    finding->buffer = finding->event = ETL_NO_INDEX;
    say(holds(ETL_BUFFER), "a first buffer without logfile header");
    s.reader.trace.context.pointer_size ^= 12;
    say(!holds(ETL_BUFFER), "a first buffer without logfile header, and a context of another one");
    s.reader.findings.count = 0;
    say(!holds(ETL_BUFFER), "a first buffer with a context of another one");
    begin_buffer();
    s.oracle.logfile_known = true;
    s.reader.buffer.compressed = true;
    say(!holds(ETL_BUFFER), "a compressed buffer with other bytes than its stream");
}

void test_due_walk(void)
{
    test_large_slack();
    test_left_extent();
    test_moved_extent();
    test_no_buffer();
    test_beyond_extent();
    test_first_buffer();
}
