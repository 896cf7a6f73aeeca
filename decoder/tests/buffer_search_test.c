/* SPDX-License-Identifier: Apache-2.0 */
/* How etl_trace_next finds buffers: wrong or overwritten buffer headers, and gaps between buffers. */
#include "fixture.h"
#include "test.h"

enum { SIZE = 0x400, BUFFERS = 3 };

static test_file f;
static run r;

/* A header buffer and two other buffers, all of SIZE bytes. */
static void begin(void)
{
    release(&f.bytes);
    f = (test_file){0};
    add_header_buffer(&f, SIZE);
    for (size_t i = 1; i < BUFFERS; i++) {
        add_buffer(&f, SIZE);
        add_event(&f, EVENT64, 0x51);
        add_event(&f, SYSTEM64, 0x30);
    }
}

static void decode(void)
{
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(f.bytes.size, r.tiling.next);
}

static size_t missing(size_t shift, size_t from)
{
    size_t n = 0;
    for (size_t i = 0; i < f.events; i++)
        n += !has_event(&r, f.event[i] + (f.event[i] >= from ? shift : 0));
    return n;
}

/* Prints the case if a check has failed since `failures` was read. */
static void explain(unsigned long failures, const char *what, size_t buffer, uint32_t value)
{
    if (failures == test_failures)
        return;
    printf("  %s of buffer %zu: 0x%x\n", what, buffer, value);
    print_findings(&r);
}

/* BufferSize too small, too large or impossible, in each buffer: no event is lost, and the only error is there. */
static void test_buffer_size(void)
{
    static const uint32_t sizes[] = {0,     1,      0x47,      0x48,      0x49,       0xD0,      0x188,
                                     0x200, 0x3F8,  0x3FF,     0x401,     0x408,      0x448,     0x7FF,
                                     0x800, 0x1000, 0x1000000, 0x1000001, 0x80000000, 0xFFFFFFFF};
    for (size_t buffer = 0; buffer < BUFFERS; buffer++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            unsigned long failures = test_failures;
            const bool possible = sizes[i] >= 0x48 && sizes[i] <= 0x1000000;
            begin();
            put_u32(&f.bytes, buffer * SIZE, sizes[i]);
            decode();
            CHECK_UINT(0, missing(0, 0));
            CHECK_UINT(f.events, r.events);
            CHECK_UINT(BUFFERS, r.buffers);
            CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
            CHECK_UINT(1, count_severe(&r, ETL_SEVERITY_LIMIT));
            const etl_finding *found = find_rule(&r, possible ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002);
            CHECK(found != NULL);
            if (found != NULL) {
                CHECK_UINT(buffer * SIZE, found->offset);
                CHECK_UINT(buffer, found->buffer);
                CHECK_UINT(SIZE, found->expected);
                CHECK_UINT(sizes[i], found->actual);
            }
            explain(failures, "BufferSize", buffer, sizes[i]);
        }
    }
}

/* An overwritten buffer header: the buffer ends by the BufferSize of the logfile header, the events at their last. */
static void test_header_gone(void)
{
    for (size_t buffer = 0; buffer < BUFFERS; buffer++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            unsigned long failures = test_failures;
            begin();
            put_fill(&f.bytes, buffer * SIZE, HEADER_BYTES, fill ? 0xFF : 0);
            decode();
            CHECK_UINT(0, missing(0, 0));
            CHECK_UINT(BUFFERS, r.buffers);
            CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_002));
            CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
            explain(failures, "header", buffer, fill);
        }
    }
}

/* A gap between two buffers is skipped; the next buffer is found wherever it starts. */
static void test_hole(void)
{
    static const uint32_t sizes[] = {1, 8, 0x47, 0x48, 0x100, 0x123, 0x3FF, 0x400, 0x401, 0x800, 0xC00, 0x1001};
    static const uint8_t fills[] = {0, 0x5A, 0xFF};
    for (size_t buffer = 1; buffer < BUFFERS; buffer++) {
        for (size_t i = 0; i < sizeof fills * sizeof sizes / sizeof sizes[0]; i++) {
            unsigned long failures = test_failures;
            const uint32_t size = sizes[i / sizeof fills];
            const size_t at = buffer * SIZE;
            begin();
            put_in(&f.bytes, at, size, fills[i % sizeof fills]);
            decode();
            CHECK_UINT(0, missing(size, at));
            CHECK_UINT(f.events, r.events);
            CHECK(count_severe(&r, ETL_SEVERITY_LIMIT) >= 1);
            CHECK_UINT(at, r.finding[0].offset);
            if (size != SIZE) { /* a gap of that length may count as a wiped buffer */
                CHECK_UINT(BUFFERS, r.buffers);
                CHECK_UINT(size, r.tiling.bytes[ETL_REGION_DAMAGED]);
                CHECK_UINT(size, r.finding[0].lost);
                CHECK_UINT(ETL_ACTION_RESYNC, r.finding[0].action);
            }
            explain(failures, fills[i % sizeof fills] ? "gap before, not blank," : "blank gap before", buffer, size);
        }
    }
}

/* No buffer has the BufferSize of the logfile header, so that only a search can find the buffers. */
static void make_merged(void)
{
    put_u32(&f.bytes, f.logfile, 0x10000);
    put_u32(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 0x00010001);
}

/* Expects one error and no loss if the buffer at `at` has `size` instead of `stated` bytes. */
static void check_size(size_t at, size_t size, uint32_t stated)
{
    const bool possible = stated >= 0x48 && stated <= 0x1000000;
    const etl_finding *found = find_rule(&r, possible ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002);
    CHECK_UINT(f.events, r.events);
    CHECK_UINT(BUFFERS, r.buffers);
    CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
    CHECK_UINT(1, count_severe(&r, ETL_SEVERITY_LIMIT));
    CHECK(found != NULL);
    if (found == NULL)
        return;
    CHECK_UINT(at, found->offset);
    CHECK_UINT(size, found->expected);
    CHECK_UINT(stated, found->actual);
}

/* A merged file: a buffer whose other members are sound ends where the next buffer starts, or with the file. */
static void test_merged(void)
{
    static const uint32_t sizes[] = {0, 0x47, 0x48, 0xD0, 0x200, 0x3FF, 0x401, 0x408, 0x800, 0x1000001, 0xFFFFFFFF};
    for (size_t buffer = 0; buffer < BUFFERS; buffer++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            unsigned long failures = test_failures;
            const bool last = buffer == BUFFERS - 1;
            begin();
            make_merged();
            put_u32(&f.bytes, buffer * SIZE, sizes[i]);
            decode();
            CHECK_UINT(0, missing(0, 0));
            if (!last || sizes[i] < 0xD0 || sizes[i] > 0x1000000) /* the end of the file may truncate the last buffer */
                check_size(buffer * SIZE, SIZE, sizes[i]);
            explain(failures, "merged, BufferSize", buffer, sizes[i]);
        }
    }
}

/* A compressed file: the same holds for a buffer whose stream is longer than BufferSize. */
static void test_compressed(void)
{
    static const uint32_t sizes[] = {0, 0x47, 0x48, 0x49, 0x60, 0x100, 0x1000001, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t buffer = 0; buffer < 2; buffer++) {
            unsigned long failures = test_failures;
            const size_t at = make_three_buffers(&f, true);
            const size_t size = f.start - at;
            make_merged();
            put_u32(&f.bytes, buffer * at, sizes[i]);
            decode();
            check_size(buffer * at, buffer == 0 ? at : size, sizes[i]);
            explain(failures, "compressed, BufferSize", buffer, sizes[i]);
        }
    }
}

/* Members with undefined values, in neighbouring buffers: BufferSize still leads to the next buffer. */
static void test_unusual(void)
{
    static const struct {
        size_t at, bytes;
        uint32_t value;
    } rows[] = {{0x34, 2, 0x80}, {0x36, 2, 8}, {0x2C, 4, 7}, {0x2C, 4, 0xFFFFFFFF}, {0x4A, 2, 0xC07F}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        for (size_t first = 0; first < BUFFERS; first++) {
            for (size_t last = first; last < BUFFERS; last++) {
                unsigned long failures = test_failures;
                begin();
                if (i % 2)
                    make_merged();
                for (size_t n = first; n <= last; n++)
                    for (size_t byte = 0; byte < rows[i / 2].bytes && (n > 0 || rows[i / 2].at < HEADER_BYTES); byte++)
                        put_u8(&f.bytes, n * SIZE + rows[i / 2].at + byte, (uint8_t)(rows[i / 2].value >> (8 * byte)));
                decode();
                CHECK_UINT(0, missing(0, 0));
                CHECK_UINT(f.events, r.events);
                CHECK_UINT(BUFFERS, r.buffers);
                CHECK_UINT(0, r.tiling.bytes[ETL_REGION_DAMAGED]);
                explain(failures, "a member that has no meaning, from", first, rows[i / 2].value);
            }
        }
    }
}

/* A BufferSize that covers the next buffer, which does not start at a multiple of 8, or starts with bytes that look
   unused. */
static void test_hidden_odd(void)
{
    static const uint32_t sizes[] = {0x201, 0x1FF, 0xFFFF, 0xFFFFFF};
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
        unsigned long failures = test_failures;
        release(&f.bytes);
        f = (test_file){0};
        add_header_buffer(&f, SIZE);
        for (size_t i = 1; i < BUFFERS; i++) {
            add_buffer(&f, i == 1 ? 0x201 : sizes[n]);
            add_event(&f, EVENT64, 0x51);
        }
        put_u64(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), 0);
        put_u32(&f.bytes, SIZE, 0x201 + 0x201);
        decode();
        CHECK_UINT(0, missing(0, 0));
        CHECK_UINT(BUFFERS, r.buffers);
        explain(failures, "next buffer covered by BufferSize", 1, sizes[n]);
    }
}

/* The same for a compressed buffer: the next buffer starts in the input after the stream. */
static void test_hidden_compressed(void)
{
    release(&f.bytes);
    f = (test_file){0};
    add_header_buffer(&f, SIZE);
    add_buffer(&f, SIZE);
    add_event(&f, EVENT64, 0x51);
    compress_buffer(&f);
    const size_t end = f.bytes.size;
    add_buffer(&f, SIZE);
    add_event(&f, EVENT64, 0x51);
    put_u32(&f.bytes, SIZE, (uint32_t)(end - SIZE) + SIZE);
    decode();
    CHECK_UINT(3, r.buffers);
    CHECK_UINT(3, r.events);
    CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_001));
    CHECK_UINT(end - SIZE, find_rule(&r, ETL_RULE_BUF_001) != NULL ? find_rule(&r, ETL_RULE_BUF_001)->expected : 0);
    CHECK_UINT(1, r.findings);
}

/* A search rejects a buffer in which one member contradicts the others. */
static void test_plausible(void)
{
    static const struct {
        size_t at, bytes;
        uint32_t value;
        bool found;
    } rows[] = {
        {0x00, 4, SIZE, true},        {0x00, 4, 0x47, false},      {0x00, 4, 0x1000001, false},
        {0x2C, 4, 6, true},           {0x2C, 4, 7, false},         {0x34, 2, 0x7F & ~0x40, true},
        {0x34, 2, 0x80, false},       {0x36, 2, 7, true},          {0x36, 2, 8, false},
        {0x30, 4, 0, true},           {0x04, 4, 0, true},          {0x48, 4, 0xFFFFFFFF, false},
        {0x48, 4, 0xC013004F, false}, {0x48, 4, 0xC0130051, true}, {0x4A, 2, 0xC07F, false},
        {0x08, 4, 0xFFFFFFFF, true},  {0x20, 4, 0xFFFFFFFF, true}, {0x38, 4, 0xFFFFFFFF, true},
        {0x28, 4, 0xFFFFFFFF, true},  {0x18, 4, 0xFFFFFFFF, true}, {0x4A, 2, 0xC00D, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned long failures = test_failures;
        begin();
        put_in(&f.bytes, 2 * SIZE, 0x5C3, 0x5A);
        const size_t at = 2 * SIZE + 0x5C3;
        for (size_t n = 0; n < rows[i].bytes; n++)
            put_u8(&f.bytes, at + rows[i].at + n, (uint8_t)(rows[i].value >> (8 * n)));
        decode();
        CHECK_UINT(rows[i].found ? 3 : 2, r.buffers);
        CHECK_UINT(rows[i].found ? 0x5C3 : 0x5C3 + SIZE, r.tiling.bytes[ETL_REGION_DAMAGED]);
        CHECK_UINT(rows[i].found ? ETL_ACTION_RESYNC : ETL_ACTION_STOP, r.finding[0].action);
        explain(failures, "member", rows[i].at, rows[i].value);
    }
}

int main(void)
{
    test_buffer_size();
    test_header_gone();
    test_hole();
    test_merged();
    test_compressed();
    test_unusual();
    test_hidden_odd();
    test_hidden_compressed();
    test_plausible();
    release(&f.bytes);
    return test_result();
}
