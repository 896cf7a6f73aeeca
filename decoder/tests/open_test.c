/* SPDX-License-Identifier: Apache-2.0 */
/* open.c and stream.c: the members of a buffer header, and compressed buffers. */
#include "fixture.h"
#include "report.h"
#include "stream.h"
#include "test.h"

static test_file f;
static run r;
static size_t middle; /* file offset of the compressed buffer */

static void begin(bool compressed)
{
    middle = make_three_buffers(&f, compressed);
}

static void decode_within(etl_limits limits)
{
    run_windows(&r, span_of(&f.bytes), 0, false, limits);
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(3, r.buffers);
    CHECK(has_event(&r, f.event[0]) && has_event(&r, f.event[4]));
}

static void decode(void)
{
    decode_within(ETL_LIMITS_DEFAULT);
}

static void check_only_in(uint64_t buffer, etl_rule rule, size_t offset)
{
    CHECK_UINT(1, r.findings);
    if (r.findings == 0)
        return;
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(r.finding[0].rule)->id);
    CHECK_UINT(offset, r.finding[0].offset);
    CHECK_UINT(buffer, r.finding[0].buffer);
}

static void check_only(etl_rule rule, size_t offset)
{
    check_only_in(1, rule, offset);
}

static size_t end_of_middle(void)
{
    return f.event[4] - HEADER_BYTES;
}

/* Changes the size of the compressed buffer and its BufferSize by `by`. */
static void set_size(void)
{
    put_u32(&f.bytes, middle, (uint32_t)(end_of_middle() - middle));
}

static void grow(size_t by, uint8_t value)
{
    put_in(&f.bytes, end_of_middle(), by, value);
    f.event[4] += by;
    set_size();
}

static void shrink(size_t by)
{
    take_out(&f.bytes, end_of_middle() - by, by);
    f.event[4] -= by;
    set_size();
}

static void test_compressed(void)
{
    begin(true);
    decode();
    CHECK_UINT(0, r.findings);
    CHECK_UINT(5, r.events);
    CHECK_UINT(1, r.scratch_count);
    const etl_buffer *b = &r.buffer[1];
    CHECK(b->compressed && !r.buffer[0].compressed && !r.buffer[2].compressed);
    CHECK_UINT(ETL_SPACE_INFLATED, b->space);
    CHECK_UINT(THREE_END, b->extent);
    CHECK_UINT(end_of_middle() - middle - HEADER_BYTES,
               r.tiling.bytes[ETL_REGION_COMPRESSED] + r.tiling.bytes[ETL_REGION_SLACK] - (THREE_SIZE - 0x188) -
                   (THREE_SIZE - 0x78));
    static const uint32_t at[] = {0x48, 0x98, 0xF0};
    static const uint8_t type[] = {EVENT64, FULL64, SYSTEM64};
    for (size_t i = 0; i < 3; i++) {
        CHECK_UINT(at[i], r.event[1 + i].offset);
        CHECK_UINT(ETL_SPACE_INFLATED, r.event[1 + i].space);
        CHECK_UINT(type[i], r.event[1 + i].type);
    }
}

/* Offset is too small and SavedOffset right: the events between the two are read, as in a plain buffer (BUF-006). */
static void test_larger_saved_offset(void)
{
    static const uint32_t offsets[] = {THREE_SECOND, THREE_THIRD};
    for (size_t i = 0; i < 2; i++) {
        begin(true);
        put_offsets(&f, middle, offsets[i], THREE_END);
        decode();
        CHECK_UINT(5, r.events);
        check_only(ETL_RULE_BUF_006, middle + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
        put_offsets(&f, middle, offsets[i], THREE_END + 8); /* more than the stream makes */
        decode();
        CHECK_UINT(5, r.events);
        CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_010));
    }
    begin(true);
    put_offsets(&f, middle, THREE_END, THREE_END + 8); /* the stream ends at Offset */
    decode();
    CHECK_UINT(5, r.events);
    check_only(ETL_RULE_BUF_006, middle + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
}

/* Offset is too small and SavedOffset is not set: the events that the stream holds beyond are read (BUF-022). */
static void test_too_small_offset(void)
{
    static const struct {
        uint32_t offset, event; /* the place of the walk when it reaches the extent */
    } rows[] = {{THREE_FIRST, THREE_FIRST}, {THREE_FIRST + 0x10, THREE_FIRST}, {THREE_SECOND, THREE_SECOND},
                {THREE_SECOND + 4, THREE_SECOND}, {THREE_THIRD - 8, THREE_SECOND}, {THREE_THIRD, THREE_THIRD},
                {THREE_END - 8, THREE_THIRD}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        put_offsets(&f, middle, rows[i].offset, 0);
        decode();
        CHECK_UINT(5, r.events);
        CHECK_UINT(2, r.findings);
        CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_006));
        const etl_finding *found = find_rule(&r, ETL_RULE_BUF_022);
        CHECK(found != NULL && found->offset == rows[i].event && found->expected == rows[i].offset);
        CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
        put_offsets(&f, middle, rows[i].offset, THREE_END);
        decode();
        CHECK_UINT(5, r.events);
        check_only(ETL_RULE_BUF_006, middle + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
    }
}

/* A stream with a fault after the announced extent: the events before the fault are read, and the rest is lost. */
static void test_rest_breaks(void)
{
    begin(true);
    put_offsets(&f, middle, THREE_SECOND, 0);
    /* 168 literals are the first two events. In place of the next one, a match from before the stream. */
    const size_t flags = middle + HEADER_BYTES + 5 * 36, fault = flags + 4 + 8;
    put_u32(&f.bytes, flags, 0x00FFFFFF);
    put_u16(&f.bytes, fault, 0xFFF8);
    decode();
    CHECK_UINT(4, r.events);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_022));
    const etl_finding *found = find_rule(&r, ETL_RULE_BUF_010);
    CHECK(found != NULL && found->offset == fault && found->lost == end_of_middle() - fault);
}

/* The caller's limits forbid to inflate beyond Offset: LIM-001, and the events up to Offset are read. */
static void test_rest_beyond_limit(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        begin(true);
        put_offsets(&f, middle, THREE_SECOND, 0);
        decode_within((etl_limits){THREE_END - HEADER_BYTES - 8 * i, 1000, 100});
        CHECK_UINT(i == 0 ? 5 : 3, r.events);
        CHECK_UINT(i, count_rule(&r, ETL_RULE_LIM_001));
        CHECK_UINT(1 - i, count_rule(&r, ETL_RULE_BUF_022));
        if (i == 0)
            continue;
        const size_t rest = end_of_middle() - middle - HEADER_BYTES - r.buffer[1].inflated_from;
        const etl_finding *found = find_rule(&r, ETL_RULE_LIM_001);
        CHECK(found != NULL && found->lost == rest);
        CHECK_UINT(rest, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

static void check_short_of(uint64_t announced, uint64_t size)
{
    const etl_finding *found = find_rule(&r, ETL_RULE_BUF_010);
    CHECK_UINT(2, r.findings);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_006));
    CHECK(found != NULL && found->expected == announced && found->actual == size);
}

/* Offset is beyond the limits and SavedOffset is not: if the stream ends within the limits, Offset is wrong. */
static void test_offset_beyond_limit(void)
{
    static const uint32_t saved[] = {THREE_SECOND, THREE_END};
    for (size_t i = 0; i < 2; i++) {
        begin(true);
        put_offsets(&f, middle, 0xF00000, saved[i]);
        decode();
        CHECK_UINT(5, r.events);
        check_short_of(0xF00000, THREE_END);
    }
}

static void check_limit_only(void)
{
    CHECK_UINT(1, count_rule(&r, ETL_RULE_LIM_001));
    CHECK_UINT(0, count_rule(&r, ETL_RULE_BUF_010));
}

/* The stream continues beyond the limits: the events up to SavedOffset are read, also if a match crosses that. */
static void test_stream_beyond_limit(void)
{
    const etl_limits limits = {THREE_END - HEADER_BYTES - 8, 1000, 100};
    begin(true);
    put_offsets(&f, middle, THREE_END, THREE_SECOND);
    decode_within(limits);
    CHECK_UINT(3, r.events);
    check_limit_only();
    put_offsets(&f, middle, THREE_END, THREE_THIRD + 8);
    /* 168 literals are the first two events. A match of 0x1000 bytes follows. */
    const size_t match = middle + HEADER_BYTES + 5 * 36 + 4 + 8;
    put_u32(&f.bytes, match - 12, 0x00FFFFFF);
    put_u32(&f.bytes, match, 0xFF0F0007);
    put_u16(&f.bytes, match + 4, 0x1000);
    decode_within(limits);
    CHECK_UINT(4, r.events);
    check_limit_only();
}

/* A buffer without compressed input may inflate to 0 bytes. That limit does not hide a wrong Offset either. */
static void test_no_input(void)
{
    begin(true);
    put_offsets(&f, middle, THREE_END, HEADER_BYTES);
    shrink(end_of_middle() - middle - HEADER_BYTES);
    decode_within((etl_limits){0, 1000, 0});
    CHECK_UINT(2, r.events);
    check_short_of(THREE_END, HEADER_BYTES);
}

/* BufferSize leads into the next buffer, which is found, with an unused flag word and without (BUF-001). */
static void test_size_into_next(void)
{
    for (size_t spare = 0; spare <= 4; spare += 4) {
        for (uint32_t by = 1; by <= HEADER_BYTES + 8; by++) {
            begin(true);
            grow(spare, 0x5A);
            const uint32_t size = (uint32_t)(end_of_middle() - middle);
            put_u32(&f.bytes, middle, size + by);
            decode();
            CHECK_UINT(5, r.events);
            check_only(ETL_RULE_BUF_001, middle);
            CHECK_UINT(size, r.finding[0].expected);
            CHECK_UINT(size + by, r.finding[0].actual);
        }
    }
}

/* Four bytes, an unused flag word, may remain; more are slack, with a warning (BUF-019). */
static void test_surplus(void)
{
    for (size_t by = 0; by <= 8; by++) {
        begin(true);
        /* The inflater stops when its output is full: the input after the writer's last flag word is left. */
        decode();
        size_t used = r.buffer[1].inflated_from, rest = end_of_middle() - middle - HEADER_BYTES - used;
        CHECK(rest <= 4);
        grow(by, 0xFF);
        decode();
        CHECK_UINT(5, r.events);
        CHECK_UINT(ETL_REGION_SLACK, r.buffer[1].rest_kind);
        if (rest + by <= 4)
            CHECK_UINT(0, r.findings);
        else {
            check_only(ETL_RULE_BUF_019, middle + HEADER_BYTES + used);
            CHECK_UINT(4, r.finding[0].expected);
            CHECK_UINT(rest + by, r.finding[0].actual);
            CHECK_UINT(0, r.finding[0].lost);
        }
        CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

/* The stream is shorter than announced: its events are read (BUF-010). */
static void test_short_stream(void)
{
    begin(true);
    size_t whole = end_of_middle() - middle - HEADER_BYTES;
    for (size_t by = 5; by < whole; by++) {
        begin(true);
        shrink(by);
        decode();
        /* 32 literals go with each flag word of 4 bytes. */
        size_t left = whole - by, produced = left / 36 * 32 + (left % 36 > 4 ? left % 36 - 4 : 0);
        if (produced >= THREE_END - HEADER_BYTES)
            continue;
        size_t fit = produced >= 0x50 + 0x58 + 0x61 ? 3 : produced >= 0x50 + 0x58 ? 2 : produced >= 0x50 ? 1 : 0;
        CHECK_UINT(2 + fit, r.events);
        const etl_finding *found = find_rule(&r, ETL_RULE_BUF_010);
        CHECK(found != NULL);
        if (found == NULL)
            continue;
        CHECK_UINT(THREE_END, found->expected);
        CHECK_UINT(HEADER_BYTES + produced, found->actual);
        CHECK_UINT(1, found->buffer);
        CHECK(found->action == ETL_ACTION_SKIP_BUFFER);
    }
}

/* A fault inside the stream: the events before it are read, the rest of the input is damaged. */
static void test_broken_stream(void)
{
    begin(true);
    /* The third flag word, after 64 literals: a match whose distance is larger than all that was produced. */
    size_t fault = middle + HEADER_BYTES + 2 * 36;
    put_u32(&f.bytes, fault, 0xFFFFFFFF);
    put_u16(&f.bytes, fault + 4, 0xFFF8);
    decode();
    CHECK_UINT(2, r.events); /* 64 of the 80 bytes of the first event */
    const etl_finding *found = find_rule(&r, ETL_RULE_BUF_010);
    CHECK(found != NULL);
    if (found != NULL) {
        CHECK_UINT(fault + 4, found->offset);
        CHECK_UINT(HEADER_BYTES + 64, found->actual);
        CHECK_UINT(end_of_middle() - fault - 4, found->lost);
    }
    CHECK_UINT(end_of_middle() - fault - 4, r.tiling.bytes[ETL_REGION_DAMAGED]);
}

/* A match goes beyond the announced extent: the events up to the extent are read. */
static void test_long_stream(void)
{
    begin(true);
    put_offsets(&f, middle, THREE_END - 2, THREE_END - 2);
    /* The last literals are bytes of padding; in their place a match of ten bytes. */
    size_t words = (THREE_END - HEADER_BYTES) / 32, last = (THREE_END - HEADER_BYTES) % 32;
    CHECK(last > 8);
    size_t flags = middle + HEADER_BYTES + words * 36, literals = last - 8;
    put_u32(&f.bytes, flags, UINT32_MAX >> literals);
    put_u16(&f.bytes, flags + 4 + literals, 0x0007); /* distance 1, length 3 + 7 + a nibble */
    put_u8(&f.bytes, flags + 4 + literals + 2, 0x00);
    shrink(end_of_middle() - (flags + 4 + literals + 3));
    decode();
    CHECK_UINT(5, r.events);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_010));
}

/* The low half of the header buffer's State is the compression format (BUF-009, BUF-020). */
static void test_format(void)
{
    static const struct {
        uint32_t state;
        etl_rule rule;
    } rows[] = {{3, ETL_RULE_COUNT}, {0x70003, ETL_RULE_COUNT}, {0, ETL_RULE_BUF_020}, {2, ETL_RULE_BUF_009},
                {4, ETL_RULE_BUF_009}, {0x103, ETL_RULE_BUF_009}, {0xFFFF, ETL_RULE_BUF_009}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        put_u32(&f.bytes, 0x2C, rows[i].state);
        decode();
        CHECK_UINT(rows[i].rule == ETL_RULE_BUF_009 ? 2 : 5, r.events);
        if (rows[i].rule == ETL_RULE_COUNT) {
            CHECK_UINT(0, r.findings);
            continue;
        }
        CHECK_UINT(1, r.findings);
        CHECK_TEXT(etl_rule_get(rows[i].rule)->id, etl_rule_get(r.finding[0].rule)->id);
        size_t input = end_of_middle() - middle - HEADER_BYTES;
        bool skipped = rows[i].rule == ETL_RULE_BUF_009;
        CHECK_UINT(skipped ? input : 0, r.finding[0].lost);
        CHECK_UINT(skipped ? input : 0, r.tiling.bytes[ETL_REGION_DAMAGED]);
        CHECK_UINT(skipped ? 0 : 1, r.scratch_count);
        if (skipped) {
            CHECK_UINT(3, r.finding[0].expected);
            CHECK_UINT(rows[i].state & 0xFFFF, r.finding[0].actual);
            CHECK_UINT(ETL_ACTION_SKIP_BUFFER, r.finding[0].action);
        }
    }
}

/* Neither Offset nor SavedOffset is in range (BUF-008). */
static void test_extent(void)
{
    static const struct {
        uint32_t offset, saved;
        bool told;
    } rows[] = {{0, 0, false}, {0x47, 0x1000001, false}, {0x1000001, 0x47, false}, {0xFFFFFFFF, 0xFFFFFFFF, false},
                {0, THREE_END, true}, {THREE_END, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        put_offsets(&f, middle, rows[i].offset, rows[i].saved);
        decode();
        CHECK_UINT(rows[i].told ? 5 : 2, r.events);
        CHECK_UINT(!rows[i].told, count_rule(&r, ETL_RULE_BUF_008));
        if (rows[i].told)
            CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_006));
        CHECK_UINT(rows[i].told ? 0 : end_of_middle() - middle - HEADER_BYTES, r.tiling.bytes[ETL_REGION_DAMAGED]);
    }
}

/* What is left of the average is never less than it is, however much came before. */
static void test_left(void)
{
    const etl_limits limits = {10, 1000, 100}, none = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    CHECK_UINT(10, etl_stream_left(limits, (etl_expansion){0, 0}, 0));
    CHECK_UINT(10 + 300 - 7, etl_stream_left(limits, (etl_expansion){1, 7}, 2));
    CHECK_UINT(0, etl_stream_left(limits, (etl_expansion){1, 310}, 2));
    CHECK_UINT(0, etl_stream_left(limits, (etl_expansion){1, 311}, 2));
    CHECK_UINT(UINT64_MAX - 5, etl_stream_left(none, (etl_expansion){UINT64_C(1) << 60, 5}, 1));
}

/* A list that is full loses no memory: its last finding is written anew. */
static void test_full_list(void)
{
    etl_findings findings = {.count = 0};
    for (uint32_t i = 0; i < ETL_FINDINGS_MAX; i++)
        (void)etl_report(&findings, ETL_RULE_BUF_001, ETL_SPACE_FILE, i);
    CHECK(!findings.overflow && findings.count == ETL_FINDINGS_MAX);
    CHECK_UINT(7, etl_report(&findings, ETL_RULE_BUF_002, ETL_SPACE_FILE, 7)->offset);
    CHECK(findings.overflow && findings.count == ETL_FINDINGS_MAX);
    CHECK_UINT(7, findings.at[ETL_FINDINGS_MAX - 1].offset);
}

/*
 * Of two compressed buffers, the second is read if the average allows the output of both (LIM-001). Of that, as much is
 * exempt as one buffer may inflate to.
 */
static void test_average_limit(void)
{
    enum { OUT = THREE_END - HEADER_BYTES, IN = OUT + 4 * (OUT / 32 + 1) };
    static const struct {
        etl_limits limits;
        uint64_t allowed; /* to the second, if it is not read */
        bool read;
    } rows[] = {{{2 * OUT, 1000, 0}, 0, true},          {{2 * OUT - 1, 1000, 0}, OUT - 1, false},
                {{OUT, 1000, 0}, 0, false},             {{OUT, 1000, 1}, 0, true},
                {{ETL_BUFFER_SIZE_MAX, 1000, UINT32_MAX}, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        add_buffer(&f, THREE_SIZE);
        const size_t second = f.start;
        add_event(&f, EVENT64, 0x50);
        add_event(&f, FULL64, 0x58);
        add_event(&f, SYSTEM64, 0x61);
        compress_buffer(&f);
        run_windows(&r, span_of(&f.bytes), 0, false, rows[i].limits);
        CHECK_TEXT(NULL, r.fault);
        CHECK_UINT(rows[i].read ? 8 : 5, r.events);
        if (rows[i].read) {
            CHECK_UINT(0, r.findings);
            continue;
        }
        check_only_in(3, ETL_RULE_LIM_001, second + 0x30);
        CHECK_UINT(rows[i].allowed, r.finding[0].expected);
        CHECK_UINT(OUT, r.finding[0].actual);
        CHECK_UINT(IN, r.finding[0].lost);
    }
}

enum { OUTPUT = 0x20000, ROW = 40, EACH = HEADER_BYTES + 16 };

/* A row of buffers; each claims the rest of the file, and its stream has one literal and one long match. */
static void decode_claims_of_the_rest(uint32_t offset, uint32_t saved_offset)
{
    /* flags: literal, match, end; the byte; distance 1 with length code 7, nibble 15, byte 255, u16 0, u32 length */
    static const uint8_t stream[16] = {0xFF, 0xFF, 0xFF, 0x7F, 0x00, 0x07, 0x00, 0x0F,
                                       0xFF, 0x00, 0x00, 0xFC, 0xFF, 0x01, 0x00, 0xFF};
    begin(true);
    const size_t first = f.bytes.size;
    for (size_t i = 0; i < ROW; i++) {
        const size_t at = first + i * EACH;
        put_in(&f.bytes, at, EACH, 0);
        put_u32(&f.bytes, at, (uint32_t)((ROW - i) * EACH));
        put_offsets(&f, at, offset, saved_offset);
        put_u32(&f.bytes, at + 0x2C, 3);
        put_u16(&f.bytes, at + 0x34, 0x60);
        for (size_t n = 0; n < sizeof stream; n++)
            put_u8(&f.bytes, at + HEADER_BYTES + n, stream[n]);
    }
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
}

/* After such a stream the next buffer is not searched for: otherwise each buffer would inflate the whole rest again. */
static void test_claim_of_the_rest(void)
{
    decode_claims_of_the_rest(OUTPUT + HEADER_BYTES, OUTPUT + HEADER_BYTES);
    CHECK_UINT(4, r.buffers);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_LIM_001));
    CHECK_UINT((ROW - 1) * EACH + 1, find_rule(&r, ETL_RULE_LIM_001)->lost);
}

/*
 * Offset announces only the literal, and the next buffer is found. SavedOffset announces as much as the rest of the file
 * might inflate to: each buffer inflates only as far as its own bytes may.
 */
static void test_saved_claim_of_the_rest(void)
{
    decode_claims_of_the_rest(HEADER_BYTES + 1, 0x100000);
    CHECK_UINT(3 + ROW, r.buffers);
    CHECK_UINT(ROW, count_rule(&r, ETL_RULE_LIM_001));
    CHECK_UINT(HEADER_BYTES + 0x10000, r.scratch_size);
}

/* The caller's limits (LIM-001): a buffer at the limit is read, a buffer one byte over it is not. */
static void test_limits(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        begin(true);
        decode_within((etl_limits){THREE_END - HEADER_BYTES - i, 1000, 100});
        CHECK_UINT(i == 0 ? 5 : 2, r.events);
        CHECK_UINT(i == 0 ? 1 : 0, r.scratch_count);
        if (i == 0) {
            CHECK_UINT(0, r.findings);
        } else {
            check_only(ETL_RULE_LIM_001, middle + 0x30);
            CHECK_UINT(end_of_middle() - middle - HEADER_BYTES, r.finding[0].lost);
        }
    }
    /* The limit of expansion applies only to output over 64 KiB, and to the bytes after the header. */
    enum { STREAM = (THREE_END - HEADER_BYTES) + 4 * ((THREE_END - HEADER_BYTES) / 32 + 1) };
    begin(true);
    CHECK_UINT(STREAM, end_of_middle() - middle - HEADER_BYTES);
    static const struct {
        uint32_t output, expansion;
        bool over;
    } rows[] = {{0x10000, 1, false}, {0x10001, 1, true}, {0x10001, 1000, false},
                {STREAM * 400, 400, false}, {STREAM * 400 + 1, 400, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        put_offsets(&f, middle, rows[i].output + HEADER_BYTES, rows[i].output + HEADER_BYTES);
        decode_within((etl_limits){ETL_BUFFER_SIZE_MAX, rows[i].expansion, 100});
        CHECK_UINT(rows[i].over, count_rule(&r, ETL_RULE_LIM_001));
        CHECK_UINT(!rows[i].over, count_rule(&r, ETL_RULE_BUF_010));
        CHECK_UINT(!rows[i].over, r.scratch_count);
    }
}

/* Compressed buffers in a file of another mode: reported once, and read (LFH-007). */
static void test_mode(void)
{
    begin(true);
    put_u32(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 1);
    decode();
    CHECK_UINT(5, r.events);
    check_only(ETL_RULE_LFH_007, middle + 0x34);
}

/* Flag COMPRESSED on an uncompressed buffer (BUF-021), and on the header buffer, which is never compressed. */
static void test_wrong_flag(void)
{
    begin(false);
    put_u32(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 0x04000001);
    put_u16(&f.bytes, middle + 0x34, 0x60);
    decode();
    CHECK_UINT(5, r.events);
    check_only(ETL_RULE_BUF_021, middle + 0x34);
    put_u32(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 1); /* LFH-007 would not be true */
    decode();
    check_only(ETL_RULE_BUF_021, middle + 0x34);
    put_offsets(&f, middle, 0x80000, THREE_END); /* more than the buffer has, but no more than it may be inflated to */
    decode();
    CHECK_UINT(5, r.events);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_021));
    put_offsets(&f, middle, THREE_END, THREE_END);
    decode();
    CHECK(!r.buffer[1].compressed);
    CHECK(has_event(&r, f.event[1]) && has_event(&r, f.event[2]) && has_event(&r, f.event[3]));
    take_out(&f.bytes, middle + THREE_END, THREE_SIZE - THREE_END); /* a buffer filled to its end */
    f.event[4] -= THREE_SIZE - THREE_END;
    set_size();
    decode();
    check_only(ETL_RULE_BUF_021, middle + 0x34);
    CHECK_UINT(5, r.events);
    begin(false);
    put_u16(&f.bytes, 0x34, 0x60);
    decode();
    CHECK_UINT(5, r.events);
    CHECK(!r.buffer[0].compressed);
    CHECK_UINT(1, r.findings);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_021));
    CHECK_UINT(0x34, r.finding[0].offset);
}

/* One wrong member of a buffer header: reported, and no event is lost. */
static void test_members(void)
{
    static const struct {
        size_t buffer, at;
        uint16_t value;
        etl_rule rule;
        uint64_t expected;
    } rows[] = {
        {1, 0x36, 7, ETL_RULE_COUNT, 0},           {1, 0x36, 8, ETL_RULE_BUF_011, 7},
        {1, 0x36, 0xFFFF, ETL_RULE_BUF_011, 7},    {1, 0x34, 0x00A0, ETL_RULE_BUF_012, 0x7F},
        {1, 0x34, 0x8020, ETL_RULE_BUF_012, 0x7F}, {1, 0x36, 4, ETL_RULE_BUF_013, 4},
        {0, 0x36, 0, ETL_RULE_BUF_013, 4},         {1, 0x34, 0x0022, ETL_RULE_BUF_017, 0x71},
        {1, 0x34, 0x0024, ETL_RULE_BUF_017, 0x71}, {1, 0x34, 0x0028, ETL_RULE_BUF_017, 0x71},
        {1, 0x34, 0x0031, ETL_RULE_COUNT, 0},      {1, 0x28, 4, ETL_RULE_BUF_016, 3},
        {1, 0x28, 0x07FF, ETL_RULE_BUF_016, 3},    {1, 0x28, 0xF803, ETL_RULE_COUNT, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(false);
        size_t start = rows[i].buffer == 0 ? 0 : middle;
        put_u16(&f.bytes, start + rows[i].at, rows[i].value);
        decode();
        CHECK_UINT(5, r.events);
        CHECK_UINT(rows[i].rule != ETL_RULE_COUNT, r.findings);
        if (r.findings == 1 && rows[i].rule != ETL_RULE_COUNT) {
            CHECK_TEXT(etl_rule_get(rows[i].rule)->id, etl_rule_get(r.finding[0].rule)->id);
            CHECK_UINT(start + rows[i].at, r.finding[0].offset);
            CHECK_UINT(rows[i].expected, r.finding[0].expected);
            CHECK_UINT(rows[i].buffer, r.finding[0].buffer);
        }
    }
}

/* LFH-006: a NumberOfProcessors out of range is not used as bound. */
static void test_no_processors(void)
{
    begin(false);
    put_u32(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), 0);
    decode();
    CHECK_UINT(1, count_rule(&r, ETL_RULE_LFH_006));
    CHECK_UINT(0, count_rule(&r, ETL_RULE_BUF_016));
}

int main(void)
{
    test_compressed();
    test_larger_saved_offset();
    test_too_small_offset();
    test_rest_breaks();
    test_rest_beyond_limit();
    test_offset_beyond_limit();
    test_stream_beyond_limit();
    test_no_input();
    test_size_into_next();
    test_surplus();
    test_short_stream();
    test_broken_stream();
    test_long_stream();
    test_format();
    test_extent();
    test_limits();
    test_left();
    test_full_list();
    test_average_limit();
    test_claim_of_the_rest();
    test_saved_claim_of_the_rest();
    test_mode();
    test_wrong_flag();
    test_members();
    test_no_processors();
    release(&f.bytes);
    return test_result();
}
