/* SPDX-License-Identifier: Apache-2.0 */
/* buffer_header.c: the members of a buffer header, by shape. */
#include "fixture.h"
#include "test.h"

static test_file f;
static run r;

/* PROC_INDEX and RTBACKUP, which decide the meaning of other members. */
enum { BIT_PROC_INDEX = 1, BIT_RTBACKUP = 2, BITS = 4 };

/* A header whose members all have different values, at the offsets that FACTS 1.2 gives. */
static test_bytes make_header(uint16_t flag, uint16_t type)
{
    test_bytes b = {NULL, 0};
    put_u32(&b, 0x00, 0x81000001);
    put_u32(&b, 0x04, 0x81000002);
    put_u32(&b, 0x08, 0x81000003);
    put_u64(&b, 0x10, UINT64_C(0x8100000000000004));
    put_u64(&b, 0x18, UINT64_C(0x8100000000000005));
    put_u32(&b, 0x28, 0x1234F7C5);
    put_u32(&b, 0x2C, 0x81000006);
    put_u32(&b, 0x30, 0x81000007);
    put_u16(&b, 0x34, flag);
    put_u16(&b, 0x36, type);
    put_u64(&b, 0x38, UINT64_C(0x810000000000000A));
    put_u64(&b, 0x40, UINT64_C(0x810000000000000B));
    return b;
}

static void check_header(const etl_buffer_header *h, etl_buffer_shape shape, unsigned bits, uint16_t flag)
{
    const bool is_50 = shape == ETL_BUFFER_SHAPE_50, since_60 = shape >= ETL_BUFFER_SHAPE_60;
    const bool time = since_60 && (bits & BIT_RTBACKUP);
    CHECK_UINT(shape, h->shape);
    CHECK_UINT(0x81000001, h->buffer_size);
    CHECK_UINT(0x81000002, h->saved_offset);
    CHECK_UINT(0x81000003, h->current_offset);
    CHECK_UINT(UINT64_C(0x8100000000000004), (uint64_t)h->time_stamp);
    CHECK_UINT(since_60 && (bits & BIT_PROC_INDEX) ? 0x7C5 : 0xC5, h->processor); /* 11 bits of 0xF7C5, or its low byte */
    CHECK_UINT(0x1234, h->logger_id);
    CHECK_UINT(0x81000006, h->state);
    CHECK_UINT(0x81000007, h->offset);
    CHECK_UINT(is_50 ? 0x81090000 | flag : 0, h->events_lost);
    CHECK_UINT(is_50 ? 0 : flag, h->buffer_flag);
    CHECK_UINT(is_50 ? 0 : 0x8109, h->buffer_type);
    CHECK(h->has_sequence_number == since_60);
    CHECK_UINT(since_60 ? UINT64_C(0x8100000000000005) : 0, (uint64_t)h->sequence_number);
    CHECK(h->has_reference_time == time);
    CHECK_UINT(time ? UINT64_C(0x810000000000000A) : 0, (uint64_t)h->reference_start_time);
    CHECK_UINT(time ? UINT64_C(0x810000000000000B) : 0, (uint64_t)h->reference_start_perf_clock);
}

static void test_shapes(void)
{
    static const etl_buffer_shape shapes[] = {ETL_BUFFER_SHAPE_50, ETL_BUFFER_SHAPE_52, ETL_BUFFER_SHAPE_60,
                                              ETL_BUFFER_SHAPE_61};
    for (size_t i = 0; i < 4; i++) {
        for (unsigned bits = 0; bits < BITS; bits++) {
            uint16_t flag = (uint16_t)(0x9108 | (bits & BIT_PROC_INDEX ? 0x20 : 0) | (bits & BIT_RTBACKUP ? 0x10 : 0));
            test_bytes b = make_header(flag, 0x8109);
            etl_buffer_header h;
            etl_buffer_header_read(span_of(&b), shapes[i], &h);
            check_header(&h, shapes[i], bits, flag);
            release(&b);
        }
    }
}

/* BufferType REFTIME fills ETW_REF_CLOCK without flag RTBACKUP. */
static void test_reference_time(void)
{
    test_bytes b = make_header(0, 3);
    etl_buffer_header h;
    etl_buffer_header_read(span_of(&b), ETL_BUFFER_SHAPE_61, &h);
    CHECK(h.has_reference_time);
    CHECK_UINT(UINT64_C(0x810000000000000B), (uint64_t)h.reference_start_perf_clock);
    release(&b);
}

static void decode(void)
{
    run_file(&r, span_of(&f.bytes));
    CHECK_TEXT(NULL, r.fault);
    CHECK_UINT(3, r.buffers);
}

/* The buffer shape follows from the version in the logfile header; 5.0 and 5.1 have a 32-bit EventsLost in place of
 * BufferFlag and BufferType. */
static void test_shape_of_version(void)
{
    static const struct {
        uint8_t major, minor;
        etl_buffer_shape shape;
    } rows[] = {{5, 0, ETL_BUFFER_SHAPE_50},  {5, 1, ETL_BUFFER_SHAPE_50},  {5, 2, ETL_BUFFER_SHAPE_52},
                {6, 0, ETL_BUFFER_SHAPE_60},  {6, 1, ETL_BUFFER_SHAPE_61},  {6, 3, ETL_BUFFER_SHAPE_61},
                {10, 0, ETL_BUFFER_SHAPE_61}, {11, 0, ETL_BUFFER_SHAPE_61}, {4, 0, ETL_BUFFER_SHAPE_61}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_three_buffers(&f, false);
        put_u8(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), rows[i].major);
        put_u8(&f.bytes, f.logfile + ETL_AT(TRACE_LOGFILE_HEADER64, MinorVersion), rows[i].minor);
        decode();
        for (size_t n = 0; n < 3; n++)
            CHECK_UINT(rows[i].shape, r.buffer[n].header.shape);
        CHECK_UINT(5, r.events);
        for (size_t n = 0; n < 3; n++)
            put_u32(&f.bytes, (size_t)r.buffer[n].offset + ETL_AT(WMI_BUFFER_HEADER_50, EventsLost), n == 1 ? 2 : 0);
        decode();
        CHECK_UINT(1, count_rule(&r, ETL_RULE_BUF_017)); /* two events, or flag EVENTS_LOST */
    }
}

int main(void)
{
    test_shapes();
    test_reference_time();
    test_shape_of_version();
    release(&f.bytes);
    return test_result();
}
