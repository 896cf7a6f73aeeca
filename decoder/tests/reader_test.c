/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c: the windows that a file is fed in make no difference to its decode. */
#include "fixture.h"
#include "test.h"

static test_file f;
static run whole, part;

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

static void mixed(void)
{
    begin();
    add_header_buffer(&f, 0x400);
    add_data_buffer(0x400);
    add_data_buffer(0x211);
    add_data_buffer(0x400);
    compress_buffer(&f);
    add_data_buffer(0x400);
}

/* Each function makes a file that takes a different path through the decoder. */
static void make_sound(void)
{
    mixed();
}

static void make_empty(void)
{
    begin();
}

static void make_cut(void)
{
    mixed();
    take_out(&f.bytes, f.bytes.size - 0x380, 0x380);
}

static void make_tail(void)
{
    mixed();
    put_fill(&f.bytes, f.bytes.size, 777, 0);
}

static void make_garbage(void)
{
    mixed();
    put_fill(&f.bytes, f.bytes.size, 333, 0x11);
}

static void make_short_tail(void)
{
    mixed();
    put_fill(&f.bytes, f.bytes.size, 5, 0);
}

static void make_holes(void)
{
    mixed();
    put_in(&f.bytes, 0x800, 0x123, 0);
    put_in(&f.bytes, 0x400, 0x4D, 0x77);
}

static void make_sizes_wrong(void)
{
    mixed();
    put_u32(&f.bytes, 0x400, 0);
    put_u32(&f.bytes, 0, 0x800);
}

static void make_size_too_large(void)
{
    mixed();
    put_u32(&f.bytes, 0x400, 0x1000000);
}

static void make_no_header(void)
{
    begin();
    add_data_buffer(0x211);
    compress_buffer(&f);
    add_data_buffer(0x400);
    add_header_buffer(&f, 0x400);
}

static void make_damaged_events(void)
{
    mixed();
    put_u16(&f.bytes, f.event[1], 0);
    put_u8(&f.bytes, f.event[3] + 3, 0xD0);
    put_offsets(&f, 0x800, 0, 0);
}

static void make_zeros(void)
{
    begin();
    put_fill(&f.bytes, 0, 1000, 0);
}

typedef void make(void);
static make *const files[] = {make_sound,       make_empty,          make_cut,      make_tail,           make_garbage,
                              make_short_tail,  make_holes,          make_sizes_wrong, make_size_too_large, make_no_header,
                              make_damaged_events, make_zeros};
enum { FILES = sizeof files / sizeof files[0] };

static void check_same(size_t file, size_t growth, bool late)
{
    CHECK_TEXT(whole.fault, part.fault);
    size_t i = 0;
    while (i < whole.logged && i < part.logged && whole.log[i] == part.log[i])
        i++;
    bool same = i == whole.logged && i == part.logged;
    CHECK(same);
    if (!same)
        printf("  file %zu in windows of %zu%s: number %zu differs\n", file, growth, late ? ", last set late" : "", i);
}

static void test_windows(void)
{
    for (size_t i = 0; i < FILES; i++) {
        files[i]();
        run_file(&whole, span_of(&f.bytes));
        CHECK_TEXT(NULL, whole.fault);
        run_windows(&part, span_of(&f.bytes), 0, true, ETL_LIMITS_DEFAULT);
        check_same(i, 0, true);
        for (size_t growth = 1; growth <= 200; growth++) {
            run_windows(&part, span_of(&f.bytes), growth, growth & 1, ETL_LIMITS_DEFAULT);
            check_same(i, growth, growth & 1);
        }
    }
}

/* Scratch is requested once for each size: the buffer's extent, if that is larger than the scratch lent before. */
static void test_scratch(void)
{
    static etl_reader reader;
    begin();
    add_header_buffer(&f, 0x400);
    static const uint16_t sizes[] = {0x100, 0x200, 0x180, 0x201};
    static const size_t asked[] = {0x148, 0x248, 0, 0x250};
    for (size_t i = 0; i < 4; i++) {
        add_buffer(&f, 0x400);
        add_event(&f, EVENT64, sizes[i]);
        compress_buffer(&f);
    }
    static uint8_t memory[0x400];
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    size_t lent = 0, buffers = 0, findings = 0, wanted[5] = {0};
    for (;;) {
        etl_outcome outcome = etl_reader_next(&reader);
        findings += reader.findings.count;
        reader.findings.count = 0;
        if (outcome == ETL_END)
            break;
        if (outcome == ETL_MORE)
            etl_reader_feed(&reader, span_of(&f.bytes), true);
        if (outcome == ETL_BUFFER)
            buffers++;
        if (outcome == ETL_SCRATCH && buffers < 5) {
            CHECK_UINT(0, wanted[buffers]);
            wanted[buffers] = reader.trace.want;
            lent++;
            etl_reader_lend(&reader, (etl_scratch){memory, reader.trace.want});
        }
    }
    CHECK_UINT(3, lent);
    CHECK_UINT(5, buffers);
    CHECK_UINT(0, findings);
    for (size_t i = 0; i < 4; i++)
        CHECK_UINT(asked[i], wanted[i + 1]);
}

int main(void)
{
    test_windows();
    test_scratch();
    release(&f.bytes);
    return test_result();
}
