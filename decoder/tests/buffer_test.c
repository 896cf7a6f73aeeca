/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c and extent.c: the walk over a buffer's events, and where they end. */
#include "fixture.h"
#include "test.h"

static test_file f;
static run r;
static size_t middle; /* file offset of that buffer */

static void begin(void)
{
    middle = make_three_buffers(&f, false);
}

static void decode(void)
{
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(3, r.buffers);
    CHECK(has_event(&r, f.event[0]) && has_event(&r, f.event[4]));
}

static bool has_all(void)
{
    return has_event(&r, middle + THREE_FIRST) && has_event(&r, middle + THREE_SECOND) &&
           has_event(&r, middle + THREE_THIRD);
}

static void check_only(etl_rule rule, size_t at)
{
    CHECK_UINT(1, r.findings);
    const etl_finding *found = &r.finding[0];
    if (r.findings == 0)
        return;
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(found->rule)->id);
    CHECK_UINT(middle + at, found->offset);
    CHECK_UINT(1, found->buffer);
}

static void test_sound(void)
{
    begin();
    decode();
    CHECK_UINT(0, r.findings);
    CHECK_UINT(5, r.events);
    CHECK(has_all());
    CHECK_UINT(3, r.gaps); /* the slack of each */
    CHECK_UINT(ETL_REGION_SLACK, r.gap[1].kind);
    CHECK_UINT(middle + THREE_END, r.gap[1].offset);
    CHECK_UINT(THREE_SIZE - THREE_END, r.gap[1].size);
    CHECK_UINT(3 * HEADER_BYTES, r.tiling.bytes[ETL_REGION_BUFFER_HEADER]);
    CHECK_UINT(7, r.tiling.bytes[ETL_REGION_PADDING]);
}

static bool in_range(uint32_t offset)
{
    return offset >= 0x48 && offset <= THREE_SIZE;
}

/*
 * All events are read, whatever Offset and SavedOffset are. Offset counts if it is in range, else SavedOffset; if neither
 * is, BUF-005. The larger one counts if a plausible event lies between the two. A value that contradicts the events is an
 * error.
 */
static void test_offsets(void)
{
    static const uint32_t values[] = {0,
                                      0x47,
                                      THREE_FIRST,
                                      THREE_SECOND,
                                      THREE_SECOND + 4,
                                      THREE_SECOND + 0x20,
                                      THREE_END,
                                      THREE_SIZE,
                                      THREE_SIZE + 1,
                                      0xFFFFFFFF};
    for (size_t i = 0; i < 100; i++) {
        const uint32_t offset = values[i / 10], saved = values[i % 10];
        const uint32_t stated = in_range(offset) ? offset : in_range(saved) ? saved : 0;
        const uint32_t other = in_range(saved) ? saved : 0, reach = other > stated ? other : stated;
        begin();
        put_offsets(&f, middle, offset, saved);
        decode();
        unsigned long failures = test_failures;
        CHECK(has_all());
        CHECK_UINT(stated == 0, count_rule(&r, ETL_RULE_BUF_005));
        if (stated != 0)
            CHECK_UINT(offset != saved, count_rule(&r, ETL_RULE_BUF_006));
        bool sound = stated == THREE_END || (stated != 0 && stated < THREE_END && reach == THREE_END);
        CHECK(sound == (count_severe(&r, ETL_SEVERITY_LIMIT) == 0));
        if (stated == 0)
            CHECK_UINT(1, count_severe(&r, ETL_SEVERITY_LIMIT));
        if (failures != test_failures) {
            printf("  with Offset 0x%x, SavedOffset 0x%x\n", offset, saved);
            print_findings(&r);
        }
    }
}

static void test_offset_findings(void)
{
    begin();
    put_offsets(&f, middle, 0x47, 0);
    decode();
    check_only(ETL_RULE_BUF_005, 0x30);
    CHECK_UINT(ETL_RELATION_AT_LEAST, r.finding[0].relation);
    CHECK_UINT(0x48, r.finding[0].expected);
    put_offsets(&f, middle, THREE_SIZE + 1, 0);
    decode();
    check_only(ETL_RULE_BUF_005, 0x30);
    CHECK_UINT(ETL_RELATION_AT_MOST, r.finding[0].relation);
    CHECK_UINT(THREE_SIZE, r.finding[0].expected);
    put_offsets(&f, middle, THREE_END, 0);
    decode();
    check_only(ETL_RULE_BUF_006, 4);
    CHECK_UINT(THREE_END, r.finding[0].expected);
    CHECK_UINT(0, r.finding[0].actual);
    put_offsets(&f, middle, THREE_SECOND, THREE_SECOND);
    decode();
    check_only(ETL_RULE_BUF_022, THREE_SECOND);
    CHECK_UINT(2, r.finding[0].event);
    CHECK(has_all());
}

/* A buffer without events. */
static void test_empty(void)
{
    release(&f.bytes);
    f = (test_file){0};
    add_header_buffer(&f, THREE_SIZE);
    add_buffer(&f, THREE_SIZE);
    add_buffer(&f, 0x48);
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(3, r.buffers);
    CHECK_UINT(1, r.events);
    CHECK_UINT(0, r.findings);
}

/* Slack with other bytes than 0xFF is a note, at the first such byte (BUF-015). */
static void test_slack(void)
{
    static const uint32_t places[] = {THREE_END, THREE_END + 1, THREE_END + 8, THREE_SIZE - 9, THREE_SIZE - 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        begin();
        put_u8(&f.bytes, middle + places[i], 0xFE);
        put_u8(&f.bytes, middle + THREE_SIZE - 1, 0xFD);
        decode();
        check_only(ETL_RULE_BUF_015, places[i]);
        CHECK_UINT(0xFF, r.finding[0].expected);
        CHECK_UINT(places[i] == THREE_SIZE - 1 ? 0xFD : 0xFE, r.finding[0].actual);
        CHECK_UINT(5, r.events);
    }
}

/* An end marker before the extent: reading continues after it, or the rest is lost (MRK-006). */
static void test_end_markers(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t fill = i & 1 ? 0 : 0xFF;
        const bool to_end = i & 2;
        begin();
        put_fill(&f.bytes, middle + THREE_SECOND, (to_end ? THREE_END : THREE_THIRD) - THREE_SECOND, fill);
        decode();
        check_only(ETL_RULE_MRK_006, THREE_SECOND);
        const etl_finding *found = &r.finding[0];
        CHECK_UINT((to_end ? THREE_END : THREE_THIRD) - THREE_SECOND, found->lost);
        CHECK_UINT(to_end ? ETL_ACTION_SKIP_BUFFER : ETL_ACTION_RESYNC, found->action);
        CHECK_UINT(THREE_END, found->expected);
        CHECK_UINT(THREE_SECOND, found->actual);
        CHECK_UINT(2, found->event);
        CHECK_UINT(to_end ? 3 : 4, r.events);
        CHECK_UINT(found->lost, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

/* If one event cannot be framed, only its own bytes are lost. */
static void test_resync(void)
{
    static const struct {
        uint32_t dword;
        etl_rule rule;
        uint32_t at;
    } rows[] = {
        {0xC0140000, ETL_RULE_SIZ_003, 0}, {0xC0140001, ETL_RULE_SIZ_001, 0}, {0xC014002F, ETL_RULE_SIZ_001, 0},
        {0xC014FFFF, ETL_RULE_SIZ_002, 0}, {0xC01400C1, ETL_RULE_SIZ_002, 0}, {0xD0140058, ETL_RULE_MRK_003, 3},
        {0x40140058, ETL_RULE_MRK_002, 0}, {0x00000001, ETL_RULE_MRK_002, 0}, {0xC0770007, ETL_RULE_TYP_008, 2},
        {0xC00D0000, ETL_RULE_SIZ_003, 0}, {0xC0020058, ETL_RULE_SIZ_003, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        put_u32(&f.bytes, middle + THREE_SECOND, rows[i].dword);
        put_u32(&f.bytes, middle + THREE_SECOND + 4, 0);
        decode();
        check_only(rows[i].rule, THREE_SECOND + rows[i].at);
        CHECK_UINT(THREE_THIRD - THREE_SECOND, r.finding[0].lost);
        CHECK_UINT(ETL_ACTION_RESYNC, r.finding[0].action);
        CHECK_UINT(2, r.finding[0].event);
        CHECK_UINT(4, r.events);
        CHECK(has_event(&r, middle + THREE_THIRD));
        CHECK_UINT(THREE_THIRD - THREE_SECOND, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
    begin(); /* the last event: no place to resynchronise at */
    put_u16(&f.bytes, middle + THREE_THIRD + 4, 0);
    decode();
    check_only(ETL_RULE_SIZ_003, THREE_THIRD + 4);
    CHECK_UINT(THREE_END - THREE_THIRD, r.finding[0].lost);
    CHECK_UINT(ETL_ACTION_SKIP_BUFFER, r.finding[0].action);
}

/* An opaque event without successor is lost: an error, not a warning. */
static void test_opaque(void)
{
    for (uint32_t type = 0x0C; type <= 0x0E; type++) {
        begin();
        put_u32(&f.bytes, middle + THREE_SECOND, UINT32_C(0xC0000058) | type << 16);
        decode();
        check_only(ETL_RULE_TYP_001, THREE_SECOND + 2); /* kept */
        CHECK_UINT(5, r.events);
        put_u16(&f.bytes, middle + THREE_SECOND, 0x38);
        decode();
        CHECK_UINT(4, r.events);
        CHECK(count_severe(&r, ETL_SEVERITY_LIMIT) > 0);
    }
    begin(); /* an opaque event is evidence for the one before it */
    put_u32(&f.bytes, middle + THREE_SECOND, UINT32_C(0xC00C0058));
    put_u32(&f.bytes, middle + THREE_THIRD, UINT32_C(0xC00D0000) | (THREE_END - THREE_THIRD));
    decode();
    CHECK_UINT(5, r.events);
    CHECK_UINT(2, count_rule(&r, ETL_RULE_TYP_001));
    CHECK_UINT(0, count_severe(&r, ETL_SEVERITY_LIMIT));
}

/* First eight bytes of events of 0x38 bytes: a known type, an unknown type, a message with an unassigned option. */
#define KNOWN 0xC0140038, 0
#define NEWER 0xC07F0038, 0
#define SPARE_OPTION 0x90000038, 0x01000000

/* A buffer of events of 0x38 bytes with these first eight bytes; the last event ends at the extent. */
static void make_row(const uint32_t (*heads)[2], uint32_t count)
{
    release(&f.bytes);
    f = (test_file){0};
    add_header_buffer(&f, THREE_SIZE);
    add_buffer(&f, THREE_SIZE);
    middle = f.start;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = add_event(&f, FULL64, 0x38);
        put_u32(&f.bytes, at, heads[i][0]);
        put_u32(&f.bytes, at + 4, heads[i][1]);
    }
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
}

/* Resynchronises at events that the walk reads: messages with unassigned options, and events before one of a newer type. */
static void test_resync_like_walk(void)
{
    static const uint32_t rows[][4][2] = {
        {{0x90000000, 0}, {SPARE_OPTION}, {0x90000038, 0x80000000}, {SPARE_OPTION}},
        {{0xC0140000, 0}, {KNOWN}, {NEWER}, {KNOWN}},
        {{0xC0140000, 0}, {KNOWN}, {SPARE_OPTION}, {KNOWN}},
        {{0xC0140000, 0}, {SPARE_OPTION}, {NEWER}, {KNOWN}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_row(rows[i], 4);
        CHECK_UINT(4, r.events); /* with the logfile header */
        CHECK_UINT(0x38, r.tiling.bytes[ETL_REGION_DAMAGED]);
        CHECK_UINT(1, count_rule(&r, ETL_RULE_SIZ_003));
    }
}

/* Runs of newer types and of WNODE_HEADERs are kept, each event with its finding (TYP-008, MRK-002). */
static void test_runs(void)
{
    static const uint32_t rows[][4][2] = {
        {{KNOWN}, {NEWER}, {NEWER}, {KNOWN}},
        {{NEWER}, {NEWER}, {0xC0FF0038, 0}, {0xC0050038, 0}},
        {{KNOWN}, {0x00000038, 0}, {0x00000038, 0}, {KNOWN}},
        {{0x00000038, 0}, {0x00000038, 0}, {0x00000038, 0}, {NEWER}},
    };
    static const uint32_t findings[] = {2, 4, 2, 4};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_row(rows[i], 4);
        CHECK_UINT(5, r.events);
        CHECK_UINT(findings[i], r.findings);
        CHECK_UINT(findings[i], count_rule(&r, ETL_RULE_TYP_008) + count_rule(&r, ETL_RULE_MRK_002));
        CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

/*
 * Events after an Offset that is too small are not slack (BUF-006, BUF-022): up to SavedOffset; beyond both, if an
 * event starts directly there; or further on, unless the two agree or an end marker starts there.
 */
static void test_behind_extent(void)
{
    enum { SAVED_RIGHT, SAVED_0, SAVED_SAME, SAVED_COUNT };
    static const struct {
        uint32_t heads[5][2];
        struct {
            uint32_t events, beyond, damaged;
        } expected[SAVED_COUNT];
    } rows[] = {
        {{{KNOWN}, {KNOWN}, {KNOWN}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {5, 1, 0}, {5, 1, 0}}},
        {{{KNOWN}, {0xC00C0038, 0}, {KNOWN}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {5, 1, 0}, {5, 1, 0}}},
        {{{KNOWN}, {NEWER}, {KNOWN}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {5, 1, 0}, {5, 1, 0}}},
        {{{KNOWN}, {SPARE_OPTION}, {SPARE_OPTION}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {5, 1, 0}, {5, 1, 0}}},
        {{{KNOWN}, {KNOWN}, {NEWER}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {5, 1, 0}, {5, 1, 0}}},
        {{{KNOWN}, {NEWER}, {NEWER}, {KNOWN}, {KNOWN}}, {{5, 0, 0}, {3, 1, 0x70}, {1, 0, 0}}},
        {{{KNOWN}, {0x12345678, 0}, {KNOWN}, {KNOWN}, {KNOWN}}, {{4, 1, 0x38}, {4, 1, 0x38}, {1, 0, 0}}},
        {{{KNOWN}, {0xFFFFFFFF, 0}, {KNOWN}, {KNOWN}, {KNOWN}}, {{4, 1, 0x38}, {1, 0, 0}, {1, 0, 0}}},
        {{{KNOWN}, {0, 0}, {KNOWN}, {KNOWN}, {KNOWN}}, {{4, 1, 0x38}, {1, 0, 0}, {1, 0, 0}}},
        {{{KNOWN}, {0xC07F00E0, 0}, {0, 0}, {0, 0}, {0, 0}}, {{2, 0, 0}, {1, 0, 0}, {1, 0, 0}}}, /* up to the end */
    };
    for (size_t i = 0; i < SAVED_COUNT * (sizeof rows / sizeof rows[0]); i++) {
        const size_t row = i / SAVED_COUNT, saved = i % SAVED_COUNT;
        make_row(rows[row].heads, 5);
        const uint32_t offset = HEADER_BYTES + 0x38, end = HEADER_BYTES + 5 * 0x38;
        put_offsets(&f, middle, offset, saved == SAVED_RIGHT ? end : saved == SAVED_0 ? 0 : offset);
        run_file(&r, span_of(&f.bytes));
        unsigned long failures = test_failures;
        CHECK_TEXT(NULL, r.fault);
        CHECK_UINT(1 + rows[row].expected[saved].events, r.events);
        CHECK_UINT(rows[row].expected[saved].beyond, count_rule(&r, ETL_RULE_BUF_022));
        CHECK_UINT(rows[row].expected[saved].damaged, r.tiling.bytes[ETL_REGION_DAMAGED]);
        if (failures != test_failures) {
            printf("  row %zu, SavedOffset %zu\n", row, saved);
            print_findings(&r);
        }
    }
}

/* An event across Offset, over bytes of 0xFF, is read if another event follows it; otherwise its Size is wrong. */
static void test_across_extent(void)
{
    static const uint32_t heads[][2] = {{0xC0140038, 0}, {0xC0140100, 0}};
    make_row(heads, 2);
    f.at = middle + HEADER_BYTES + 0x38 + 0x100;
    put_fill(&f.bytes, middle + HEADER_BYTES + 0x38 + 0x30, 0xD0, 0xFF);
    for (uint32_t follows = 0; follows < 2; follows++) {
        if (follows)
            add_event(&f, FULL64, 0x38);
        put_offsets(&f, middle, HEADER_BYTES + 0x38 + 0x80, 0);
        run_file(&r, span_of(&f.bytes));
        CHECK_TEXT(NULL, r.fault);
        CHECK_UINT(follows ? 4 : 2, r.events);
        CHECK_UINT(follows, count_rule(&r, ETL_RULE_BUF_022));
        CHECK_UINT(!follows, count_rule(&r, ETL_RULE_SIZ_002));
        CHECK_UINT(follows ? 0 : 0x80, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

/* A writer that does not pad: an event right after another is read there (ALN-001). */
static void test_packed(void)
{
    for (uint16_t size = 0x51; size <= 0x57; size++) {
        begin();
        take_out(&f.bytes, middle + THREE_FIRST, THREE_END - THREE_FIRST);
        put_in(&f.bytes, middle + THREE_FIRST, THREE_END - THREE_FIRST, 0xFF);
        size_t at = f.at, events = f.events;
        f.start = middle;
        f.at = middle + THREE_FIRST;
        add_event(&f, EVENT64, size);
        f.at = middle + THREE_FIRST + size;
        test_bytes second = {NULL, 0};
        put_fill(&second, 0, 0x30, 0x5A);
        put_u32(&second, 0, 0xC0140030);
        put_u64(&second, 0x10, 1000000);
        put_bytes(&f.bytes, f.at, second.at, second.size);
        uint32_t end = THREE_FIRST + size + 0x30;
        put_offsets(&f, middle, end, end);
        f.at = at;
        f.events = events;
        decode();
        check_only(ETL_RULE_ALN_001, (size_t)THREE_FIRST + size);
        CHECK_UINT(middle + THREE_FIRST + size, r.finding[0].actual);
        CHECK_UINT(middle + ((THREE_FIRST + size + 7u) & ~7u), r.finding[0].expected);
        CHECK(has_event(&r, middle + THREE_FIRST + size));
        CHECK_UINT(4, r.events);
        release(&second);
    }
}

/* Padding is ignored (ALN-002), even if residue in it looks like an event. */
static void test_residue(void)
{
    release(&f.bytes);
    f = (test_file){0};
    add_header_buffer(&f, THREE_SIZE);
    add_buffer(&f, THREE_SIZE);
    size_t first = add_event(&f, EVENT64, 0x51);
    add_event(&f, SYSTEM64, 0x40);
    add_event(&f, FULL64, 0x58);
    put_u32(&f.bytes, first + 0x51, 0xC0140040); /* it would end where the third event starts */
    put_bytes(&f.bytes, first + 0x55, "\0\0\0", 3);
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(0, r.findings);
    CHECK_UINT(4, r.events);
    CHECK(has_event(&r, f.event[2]));
}

/* An INSTANCE of the size that it has in 5.0 and 5.1 is too short for this file; the search starts after it. */
static void test_old_instance(void)
{
    begin();
    put_u32(&f.bytes, middle + THREE_SECOND, 0xC0150040);
    put_u32(&f.bytes, middle + THREE_SECOND + 0x40, 0);
    decode();
    check_only(ETL_RULE_SIZ_001, THREE_SECOND);
    CHECK_UINT(THREE_THIRD - THREE_SECOND, r.finding[0].lost);
    CHECK_UINT(4, r.events);
}

/* Time stamps may repeat but not decrease (TIM-004); they are compared within a buffer, as signed numbers. */
static void test_times(void)
{
    static const struct {
        int64_t first, second;
        bool found;
    } rows[] = {{5, 5, false},       {5, 4, true}, {-5, 5, false}, {5, -5, true}, {INT64_MIN, INT64_MAX, false},
                {0, INT64_MIN, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin();
        put_u64(&f.bytes, middle + THREE_FIRST + 0x10, (uint64_t)rows[i].first);
        put_u64(&f.bytes, middle + THREE_SECOND + 0x10, (uint64_t)rows[i].second);
        put_u64(&f.bytes, middle + THREE_THIRD + 0x10, INT64_MAX);
        decode();
        CHECK_UINT(5, r.events);
        if (rows[i].found)
            check_only(ETL_RULE_TIM_004, THREE_SECOND);
        else
            CHECK_UINT(0, r.findings);
    }
}

int main(void)
{
    test_sound();
    test_offsets();
    test_offset_findings();
    test_empty();
    test_slack();
    test_end_markers();
    test_resync();
    test_opaque();
    test_resync_like_walk();
    test_runs();
    test_behind_extent();
    test_across_extent();
    test_packed();
    test_residue();
    test_old_instance();
    test_times();
    release(&f.bytes);
    return test_result();
}
