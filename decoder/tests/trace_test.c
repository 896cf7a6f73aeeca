/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: files of several buffers, complete, cut, unfinished and out of order. Faults of a single buffer header are in
 * recovery_test.c. */
#include "fixture.h"
#include "span.h"
#include "test.h"

static test_file f;
static run r;

static void begin(void)
{
    release(&f.bytes);
    f = (test_file){0};
}

static void add_data_buffer(uint32_t size)
{
    add_buffer(&f, size);
    add_event(&f, EVENT64, 0x51);
    add_event(&f, SYSTEM64, 0x30);
}

/* Header buffer and two others. */
static void three(uint32_t first, uint32_t second, uint32_t third)
{
    begin();
    add_header_buffer(&f, first);
    add_data_buffer(second);
    add_data_buffer(third);
}

static void decode(void)
{
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK(!r.tiling.broken);
    CHECK_UINT(f.bytes.size, r.tiling.next);
}

static void check_all_events(void)
{
    CHECK_UINT(f.events, r.events);
    for (size_t i = 0; i < f.events; i++)
        CHECK(has_event(&r, f.event[i]));
}

/* Checks for one finding, of `rule`, and for all buffers and events. */
static void check_only(etl_rule rule, uint64_t offset)
{
    check_all_events();
    CHECK_UINT(1, r.findings);
    if (r.findings == 0)
        return;
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(r.finding[0].rule)->id);
    CHECK_UINT(offset, r.finding[0].offset);
}

static void put_member(uint32_t member, uint32_t value)
{
    put_u32(&f.bytes, f.logfile + member, value);
}

static void set_totals(uint32_t mode, uint32_t written, uint64_t end_time)
{
    put_member(ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), mode);
    put_member(ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), written);
    put_u64(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), end_time);
}

/* Buffers of any size, one after another; odd file offsets are allowed (ALN-003). */
static void test_sizes(void)
{
    static const uint32_t sizes[][3] = {{0x400, 0x400, 0x400},  {0x200, 0x400, 0x300}, {0x189, 0x201, 0x203},
                                        {0x1FF, 0xD1, 0x10000}, {0x18B, 0xD3, 0xD7},   {0x400, 0x201, 0x400},
                                        {0x188, 0xD0, 0xD0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        three(sizes[i][0], sizes[i][1], sizes[i][2]);
        decode();
        check_all_events();
        CHECK_UINT(0, r.findings);
        CHECK_UINT(3, r.buffers);
        uint64_t at = 0;
        for (size_t n = 0; n < 3; n++) {
            CHECK_UINT(n, r.buffer[n].index);
            CHECK_UINT(at, r.buffer[n].offset);
            at += r.buffer[n].header.buffer_size;
        }
        CHECK(r.logfile.known && r.context.known);
        CHECK_UINT(3, r.logfile.buffers_written);
    }
}

static void test_empty(void)
{
    begin();
    decode();
    CHECK_UINT(0, r.findings | r.buffers | r.gaps);
}

/* The number of events that end within the first `size` bytes. */
static size_t whole_within(size_t size)
{
    static const uint16_t sizes[] = {0x140, 0x51, 0x30};
    size_t n = 0;
    for (size_t i = 0; i < f.events; i++)
        n += f.event[i] + sizes[i] <= size;
    return n;
}

/*
 * Cut at every byte: the events before the cut are read. A cut buffer is BUF-004, less than a buffer header is a tail
 * (BUF-003), and missing buffers are BUF-018.
 */
static void test_cut(void)
{
    begin();
    add_header_buffer(&f, 0x200);
    add_data_buffer(0x200);
    enum { LOGFILE_END = 0x48 + 0x20 + 0x118 }; /* BuffersWritten counts only if TRACE_LOGFILE_HEADER is complete */
    test_bytes whole = copy_of(&f.bytes, f.bytes.size);
    for (size_t size = 0; size <= whole.size; size++) {
        test_bytes cut = copy_of(&whole, size);
        run_file(&r, span_of(&cut));
        unsigned long failures = test_failures;
        const size_t rest = size % 0x200;
        CHECK_TEXT(NULL, r.fault);
        CHECK_UINT(size, r.tiling.next);
        CHECK_UINT(whole_within(size), r.events);
        for (size_t i = 0; i < whole_within(size); i++)
            CHECK(has_event(&r, f.event[i]));
        CHECK_UINT(rest >= 0x48, count_rule(&r, ETL_RULE_BUF_004));
        CHECK_UINT(rest > 0 && rest < 0x48, count_rule(&r, ETL_RULE_BUF_003));
        CHECK_UINT(rest < 0x48 ? rest : 0, r.tiling.bytes[ETL_REGION_TAIL]);
        CHECK_UINT(size >= LOGFILE_END && size < 0x248, count_rule(&r, ETL_RULE_BUF_018));
        CHECK((count_severe(&r, ETL_SEVERITY_ERROR) == 0) == (size < 0x48 || size == whole.size));
        if (failures != test_failures) {
            printf("  cut at 0x%zx\n", size);
            print_findings(&r);
        }
        release(&cut);
    }
    release(&whole);
}

/*
 * A compressed buffer cut at every byte: the events that could be inflated are read, the cut is reported, and for a cut
 * flag word the loss.
 */
static void test_cut_compressed(void)
{
    begin();
    add_header_buffer(&f, 0x200);
    add_data_buffer(0x200);
    compress_buffer(&f);
    test_bytes whole = copy_of(&f.bytes, f.bytes.size);
    for (size_t size = 0x248; size < whole.size; size++) {
        test_bytes cut = copy_of(&whole, size);
        run_file(&r, span_of(&cut));
        size_t input = size - 0x248, output = input / 36 * 32 + (input % 36 > 4 ? input % 36 - 4 : 0);
        CHECK_TEXT(NULL, r.fault);
        CHECK_UINT(1u + (output >= 0x51) + (output >= 0x58 + 0x30), r.events);
        CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_004));
        CHECK_UINT(input % 36 < 4 ? input % 36 : 0, find_rule(&r, ETL_RULE_BUF_004)->lost);
        CHECK_UINT(2, r.buffers);
        release(&cut);
    }
    release(&whole);
}

/* Zeros after the last buffer were never written: a tail, and nothing is lost (BUF-003). */
static void test_zero_tail(void)
{
    static const size_t sizes[] = {1, 0x47, 0x48, 0x49, 0x3FF, 0x400, 0x401, 0x800, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        three(0x400, 0x400, 0x400);
        const size_t end = f.bytes.size;
        put_fill(&f.bytes, end, sizes[i], 0);
        decode();
        check_only(ETL_RULE_BUF_003, end);
        CHECK_UINT(sizes[i], r.tiling.bytes[ETL_REGION_TAIL]);
        CHECK_UINT(3, r.buffers);
        CHECK_UINT(0, r.finding[0].lost);
        CHECK_UINT(ETL_ACTION_STOP, r.finding[0].action);
    }
}

/* Other bytes than zeros after the last buffer are damage, or a tail if they are too few for a buffer header. */
static void test_garbage(void)
{
    static const size_t sizes[] = {1, 0x47, 0x48, 0x100, 0x3FF, 0x401, 0x1000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned zeros = 0; zeros < 2; zeros++) { /* zeros with one other byte are not blank either */
            three(0x400, 0x400, 0x400);
            const size_t end = f.bytes.size;
            put_fill(&f.bytes, end, sizes[i], zeros ? 0 : 0x5A);
            put_u8(&f.bytes, f.bytes.size - 1, 1);
            decode();
            bool small = sizes[i] < 0x48;
            check_only(small ? ETL_RULE_BUF_003 : ETL_RULE_BUF_002, end);
            CHECK_UINT(sizes[i], r.tiling.bytes[small ? ETL_REGION_TAIL : ETL_REGION_DAMAGED]);
            CHECK_UINT(small ? 0 : sizes[i], r.finding[0].lost);
            CHECK_UINT(3, r.buffers);
        }
    }
}

/* A file that ends sooner than the caller expected, in the middle of a search. */
static void test_early_end(void)
{
    uint8_t junk[0x1000];
    etl_trace trace;
    etl_buffer buffer = {0};
    etl_region gap;
    etl_findings findings = {0};
    memset(junk, 0x5A, sizeof junk);
    etl_trace_init(&trace, ETL_LIMITS_DEFAULT);
    const etl_scratch none = {NULL, 0};
    CHECK_UINT(ETL_MORE, etl_trace_next(&trace, (etl_span){junk, sizeof junk}, false, none, &buffer, &gap, &findings));
    CHECK_UINT(0, findings.count);
    CHECK(trace.offset > 0);
    CHECK_UINT(ETL_GAP, etl_trace_next(&trace, (etl_span){junk, 0}, true, none, &buffer, &gap, &findings));
    CHECK_UINT(1, findings.count);
    CHECK_UINT(ETL_REGION_DAMAGED, gap.kind);
    CHECK_UINT(trace.offset, gap.size);
    CHECK_UINT(ETL_END, etl_trace_next(&trace, (etl_span){junk, 0}, true, none, &buffer, &gap, &findings));
}

/* The finding states why there is no buffer: its BufferSize is impossible, or does not lead to a buffer. */
static void test_cause(void)
{
    static const struct {
        uint32_t dword;
        etl_rule rule;
        etl_relation relation;
        uint32_t expected;
    } rows[] = {{0x01020304, ETL_RULE_BUF_002, ETL_RELATION_AT_MOST, 0x1000000},
                {0x47, ETL_RULE_BUF_002, ETL_RELATION_AT_LEAST, 0x48},
                {0x1000000, ETL_RULE_BUF_001, ETL_RELATION_NONE, 0},
                {0x100, ETL_RULE_BUF_001, ETL_RELATION_NONE, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        three(0x400, 0x400, 0x400);
        const size_t end = f.bytes.size;
        put_fill(&f.bytes, end, 0x155, 0x5A);
        put_u32(&f.bytes, end, rows[i].dword);
        decode();
        check_only(rows[i].rule, end);
        CHECK_UINT(rows[i].relation, r.finding[0].relation);
        CHECK_UINT(rows[i].expected, r.finding[0].expected);
        CHECK_UINT(rows[i].relation == ETL_RELATION_NONE ? 0 : rows[i].dword, r.finding[0].actual);
        CHECK_UINT(0x155, r.finding[0].lost);
    }
}

static void test_totals(void)
{
    static const struct {
        uint32_t mode, written;
        uint64_t end_time;
        etl_rule rule;
    } rows[] = {
        {0, 3, UINT64_MAX >> 1, ETL_RULE_COUNT},
        {0, 0, 0, ETL_RULE_LFH_010},
        {0, 3, 0, ETL_RULE_LFH_010},
        {0, 9, 0, ETL_RULE_LFH_010},
        {1, 4, UINT64_MAX >> 1, ETL_RULE_BUF_018},
        {2, 4, UINT64_MAX >> 1, ETL_RULE_BUF_014},
        {1, 2, UINT64_MAX >> 1, ETL_RULE_BUF_014},
        {2, 2, UINT64_MAX >> 1, ETL_RULE_BUF_014},
        {2, 3, UINT64_MAX >> 1, ETL_RULE_COUNT},
        {2, 0, 0, ETL_RULE_LFH_010},
        {1, 0, UINT64_MAX >> 1, ETL_RULE_BUF_014},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        three(0x400, 0x400, 0x400);
        set_totals(rows[i].mode, rows[i].written, rows[i].end_time);
        decode();
        CHECK_UINT(3, r.buffers);
        if (rows[i].rule == ETL_RULE_COUNT) {
            check_all_events();
            CHECK_UINT(0, r.findings);
        } else {
            bool header = rows[i].rule == ETL_RULE_LFH_010;
            check_only(rows[i].rule, header ? f.logfile + 0x10 : f.bytes.size);
            CHECK_UINT(header ? 0 : rows[i].written, r.finding[0].expected);
            CHECK_UINT(header ? 0 : 3, r.finding[0].actual);
        }
    }
}

/* The header buffer may be shorter in merged and compressed files only (LFH-008). */
static void test_header_size(void)
{
    static const struct {
        uint32_t mode, buffer_size;
        bool found;
    } rows[] = {{0, 0x200, false},       {0, 0x400, true},      {0x10000, 0x400, false}, {0x4000000, 0x1000000, false},
                {0x10001, 0x400, false}, {0x20001, 0x400, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        three(0x200, 0x400, 0x400);
        put_member(ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), rows[i].mode);
        put_member(ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize), rows[i].buffer_size);
        decode();
        CHECK_UINT(3, r.buffers);
        if (rows[i].found) {
            check_only(ETL_RULE_LFH_008, 0);
            CHECK_UINT(0, r.finding[0].buffer);
            CHECK_UINT(rows[i].buffer_size, r.finding[0].expected);
            CHECK_UINT(0x200, r.finding[0].actual);
        } else {
            check_all_events();
            CHECK_UINT(0, r.findings);
        }
    }
}

/* Header buffer, a buffer that starts with a copy of its logfile header, and a last buffer. Returns the copy's offset. */
static size_t repeated_header(void)
{
    begin();
    add_header_buffer(&f, 0x400);
    const uint64_t start = etl_load_u64(span_of(&f.bytes), 0x48 + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime));
    add_buffer(&f, 0x400);
    const size_t second = add_logfile(&f, 0x400);
    put_u64(&f.bytes, second + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime), start);
    add_data_buffer(0x400);
    return second;
}

/* A second logfile header with the same clock is a repeated header buffer (LFH-012). The first one counts. */
static void test_repeated_header(void)
{
    const size_t second = repeated_header();
    put_member(ETL_AT(TRACE_LOGFILE_HEADER64, ProviderVersion), 19041);
    put_u32(&f.bytes, second + 0x20 + ETL_AT(TRACE_LOGFILE_HEADER64, ProviderVersion), 7);
    decode();
    check_only(ETL_RULE_LFH_012, second);
    CHECK_UINT(1, r.finding[0].buffer);
    CHECK_UINT(ETL_RELATION_NONE, r.finding[0].relation);
    CHECK_UINT(19041, r.logfile.provider_version);
}

/* Two traces in one file: the finding is at the first member of the clock that differs (LFH-011). */
static void test_other_clock(void)
{
    enum { BODY = ETL_SIZE(SYSTEM_TRACE_HEADER) };
    static const uint32_t members[] = {
        BODY + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime),
        BODY + ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags),
        BODY + ETL_AT(TRACE_LOGFILE_HEADER64, PerfFreq),
        ETL_AT(SYSTEM_TRACE_HEADER, SystemTime),
    };
    const size_t second = repeated_header();
    for (size_t i = sizeof members / sizeof members[0]; i-- > 0;) { /* each of them hides those behind it */
        const size_t at = second + members[i];
        const uint32_t old = etl_load_u32(span_of(&f.bytes), at);
        put_u32(&f.bytes, at, old - 1);
        decode();
        check_only(ETL_RULE_LFH_011, at);
        CHECK_UINT(1, r.finding[0].buffer);
        CHECK_UINT(ETL_RELATION_EQUAL, r.finding[0].relation);
        CHECK_UINT(old, r.finding[0].expected & UINT32_MAX);
        CHECK_UINT(old - 1, r.finding[0].actual & UINT32_MAX);
    }
}

/* A second logfile header that is cut, one byte before its end or right behind its header, cannot be compared. */
static void test_cut_second_header(void)
{
    const uint32_t sizes[] = {ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_SIZE(TRACE_LOGFILE_HEADER64) - 1,
                              ETL_SIZE(SYSTEM_TRACE_HEADER)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        begin();
        add_header_buffer(&f, 0x400);
        add_buffer(&f, 0x400);
        const size_t second = add_event(&f, SYSTEM64, (uint16_t)sizes[i]);
        put_u16(&f.bytes, second + ETL_AT(SYSTEM_TRACE_HEADER, HookId), ETL_HOOK_WMI_LOG_TYPE_HEADER);
        decode();
        check_only(ETL_RULE_LFH_012, second);
        CHECK_UINT(1, r.finding[0].buffer);
    }
}

/* A file without logfile header: all events, and no clock. */
static void test_no_header(void)
{
    begin();
    add_buffer(&f, 0x400);
    add_event(&f, EVENT64, 0x60);
    add_data_buffer(0x400);
    decode();
    check_only(ETL_RULE_LFH_001, 0x48);
    CHECK(!r.logfile.known && !r.context.known);
    CHECK_UINT(2, r.buffers);
}

/* A header buffer that is not the first applies to later buffers. BufferType shows that it is out of place (BUF-013).
   */
static void test_reordered(void)
{
    three(0x400, 0x400, 0x400);
    test_bytes header = copy_of(&f.bytes, 0x400);
    take_out(&f.bytes, 0, 0x400);
    put_bytes(&f.bytes, f.bytes.size, header.at, header.size);
    decode();
    CHECK_UINT(3, r.buffers);
    CHECK_UINT(5, r.events);
    CHECK(has_event(&r, 0x800 + 0x48));
    CHECK_UINT(1, count_rule(&r, ETL_RULE_LFH_001));
    CHECK_UINT(2, count_rule(&r, ETL_RULE_BUF_013));
    CHECK_UINT(3, r.findings);
    CHECK(r.logfile.known);
    CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
    release(&header);
}

/* SequenceNumber and TimeStamp of buffers may be in any order, without a finding. */
static void test_order(void)
{
    three(0x400, 0x400, 0x400);
    put_u64(&f.bytes, 0x400 + 0x18, UINT64_MAX);
    put_u64(&f.bytes, 0x800 + 0x18, 0);
    put_u64(&f.bytes, 0x800 + 0x10, 0);
    decode();
    check_all_events();
    CHECK_UINT(0, r.findings);
    CHECK_INT(-1, r.buffer[1].header.sequence_number);
}

int main(void)
{
    test_sizes();
    test_empty();
    test_cut();
    test_cut_compressed();
    test_zero_tail();
    test_garbage();
    test_early_end();
    test_cause();
    test_totals();
    test_header_size();
    test_repeated_header();
    test_other_clock();
    test_cut_second_header();
    test_no_header();
    test_reordered();
    test_order();
    release(&f.bytes);
    return test_result();
}
