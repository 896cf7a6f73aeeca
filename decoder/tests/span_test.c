/* SPDX-License-Identifier: Apache-2.0 */
/* span.h and scratch.h: every load and store at each offset of a span, and after its end. */
#include "scratch.h"

#include <stdlib.h>

#include "test.h"

/* Some top bits are set, so that errors of sign and byte order show. */
static const uint8_t bytes[] = {0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88, 0x89, 0x0A,
                                0x8B, 0x0C, 0x8D, 0x0E, 0x8F, 0x10, 0x91, 0x12, 0x93};

static void test_values(void)
{
    etl_span s = {bytes, sizeof bytes};
    CHECK_UINT(0x82, etl_load_u8(s, 1));
    CHECK_UINT(0x8403, etl_load_u16(s, 2));
    CHECK_UINT(0x05840382, etl_load_u32(s, 1));
    CHECK_UINT(UINT64_C(0x8988078605840382), etl_load_u64(s, 1));
    CHECK_INT(-2080144895, etl_load_i32(s, 0));
    CHECK_INT(92537730, etl_load_i32(s, 1));
    CHECK_INT(INT64_C(-8644793601466596863), etl_load_i64(s, 0));
    CHECK_INT(INT64_C(759287578083296259), etl_load_i64(s, 2));
}

static void test_signs(void)
{
    CHECK_INT(0, etl_signed_32(0));
    CHECK_INT(INT32_MAX, etl_signed_32(UINT32_C(0x7FFFFFFF)));
    CHECK_INT(INT32_MIN, etl_signed_32(UINT32_C(0x80000000)));
    CHECK_INT(-1, etl_signed_32(UINT32_MAX));
    CHECK_INT(0, etl_signed_64(0));
    CHECK_INT(INT64_MAX, etl_signed_64(UINT64_C(0x7FFFFFFFFFFFFFFF)));
    CHECK_INT(INT64_MIN, etl_signed_64(UINT64_C(0x8000000000000000)));
    CHECK_INT(-1, etl_signed_64(UINT64_MAX));
}

static void test_guid(void)
{
    /* 05840382-0786-8988-0a8b-0c8d0e8f1091 */
    static const uint8_t tail[] = {0x0A, 0x8B, 0x0C, 0x8D, 0x0E, 0x8F, 0x10, 0x91};
    static const uint8_t zero[8] = {0};
    etl_guid g = etl_load_guid((etl_span){bytes, 17}, 1);
    CHECK_UINT(0x05840382, g.data1);
    CHECK_UINT(0x0786, g.data2);
    CHECK_UINT(0x8988, g.data3);
    CHECK_BYTES(tail, g.data4, sizeof tail);

    static const size_t outside[] = {2, 17, SIZE_MAX, SIZE_MAX - 3, SIZE_MAX - 7, SIZE_MAX - 15};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        g = etl_load_guid((etl_span){bytes, 17}, outside[i]);
        CHECK_UINT(0, g.data1 | g.data2 | g.data3);
        CHECK_BYTES(zero, g.data4, sizeof zero);
    }
}

/* The number in `size` bytes at `offset` of `bytes`, or 0 if they end after `end`. */
static uint64_t spelt(size_t offset, size_t size, size_t end)
{
    uint64_t value = 0;
    if (offset > end || size > end - offset)
        return 0;
    for (size_t i = size; i > 0; i--)
        value = value * 256 + bytes[offset + i - 1];
    return value;
}

static void check_loads(etl_span s, size_t offset)
{
    CHECK_UINT(spelt(offset, 1, s.size), etl_load_u8(s, offset));
    CHECK_UINT(spelt(offset, 2, s.size), etl_load_u16(s, offset));
    CHECK_UINT(spelt(offset, 4, s.size), etl_load_u32(s, offset));
    CHECK_UINT(spelt(offset, 8, s.size), etl_load_u64(s, offset));
    CHECK_UINT(spelt(offset, 4, s.size), (uint32_t)etl_load_i32(s, offset));
    CHECK_UINT(spelt(offset, 8, s.size), (uint64_t)etl_load_i64(s, offset));
}

/* Memory of exactly `size` bytes, so that AddressSanitizer detects every access outside. */
static uint8_t *exact(size_t size)
{
    uint8_t *memory = malloc(size != 0 ? size : 1);
    if (memory == NULL)
        abort();
    memcpy(memory, bytes, size);
    return memory;
}

static void test_bounds(void)
{
    for (size_t size = 0; size <= sizeof bytes; size++) {
        uint8_t *memory = exact(size);
        etl_span s = {memory, size};
        for (size_t offset = 0; offset <= sizeof bytes + 8; offset++) {
            check_loads(s, offset);
            check_loads(s, SIZE_MAX - offset);
            CHECK(etl_span_has(s, offset, 3) == (offset + 3 <= size));
            CHECK(!etl_span_has(s, 1, SIZE_MAX - offset));
        }
        free(memory);
    }
    check_loads((etl_span){NULL, 0}, 0);
}

static void test_parts(void)
{
    etl_span s = {bytes, 10};
    CHECK(etl_span_from(s, 3).at == bytes + 3);
    CHECK_UINT(7, etl_span_from(s, 3).size);
    CHECK_UINT(0, etl_span_from(s, 10).size);
    CHECK_UINT(0, etl_span_from(s, SIZE_MAX).size);
    CHECK(etl_span_first(s, 4).at == bytes);
    CHECK_UINT(4, etl_span_first(s, 4).size);
    CHECK_UINT(10, etl_span_first(s, SIZE_MAX).size);
    CHECK(etl_span_part(s, 3, 4).at == bytes + 3);
    CHECK_UINT(4, etl_span_part(s, 3, 4).size);
    CHECK_UINT(2, etl_span_part(s, 8, 4).size);
    CHECK_UINT(2, etl_span_part(s, 8, SIZE_MAX).size);
    CHECK_UINT(0, etl_span_part(s, 10, 1).size);
    CHECK_UINT(0, etl_span_part(s, SIZE_MAX, SIZE_MAX).size);
}

/* A run of each length from 0 to 40, ended by another byte at each place, or by the end of the span. */
static void test_runs(void)
{
    for (size_t size = 0; size <= 40; size++) {
        uint8_t *memory = malloc(size + 1);
        if (memory == NULL)
            abort();
        for (size_t other = 0; other <= size; other++) {
            memset(memory, 0xFF, size + 1);
            memory[other] = 0x7F;
            CHECK_UINT(other, etl_span_run((etl_span){memory, size}, 0xFF));
        }
        memset(memory, 0, size + 1);
        CHECK_UINT(size, etl_span_run((etl_span){memory, size}, 0));
        CHECK_UINT(0, etl_span_run((etl_span){memory, size}, 1));
        free(memory);
    }
}

/* A store changes its own bytes if all of them fit, otherwise none. */
static void test_stores(void)
{
    static const uint8_t stored[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    for (size_t size = 0; size <= sizeof bytes; size++) {
        for (size_t offset = 0; offset <= size + 9; offset++) {
            uint8_t *memory = exact(size), *expected = exact(size);
            etl_scratch r = {memory, size};
            if (offset + 8 <= size)
                memcpy(expected + offset, stored, 8);
            etl_store_u64(r, offset, UINT64_C(0x1122334455667788));
            etl_store_u64(r, SIZE_MAX - offset, 1);
            CHECK_BYTES(expected, memory, size);
            if (offset < size)
                expected[offset] = 0xEE;
            etl_store_u8(r, offset, 0xEE);
            etl_store_u8(r, SIZE_MAX - offset, 1);
            CHECK_BYTES(expected, memory, size);
            free(memory);
            free(expected);
        }
    }
}

/* The same for stores of two and four bytes. */
static void test_short_stores(void)
{
    static const uint8_t stored[] = {0x44, 0x33, 0x22, 0x11};
    for (size_t size = 0; size <= sizeof bytes; size++) {
        for (size_t offset = 0; offset <= size + 5; offset++) {
            uint8_t *memory = exact(size), *expected = exact(size);
            etl_scratch r = {memory, size};
            if (offset + 2 <= size)
                memcpy(expected + offset, stored, 2);
            etl_store_u16(r, offset, 0x3344);
            etl_store_u16(r, SIZE_MAX - offset, 1);
            CHECK_BYTES(expected, memory, size);
            if (offset + 4 <= size)
                memcpy(expected + offset, stored, 4);
            etl_store_u32(r, offset, UINT32_C(0x11223344));
            etl_store_u32(r, SIZE_MAX - offset, 1);
            CHECK_BYTES(expected, memory, size);
            free(memory);
            free(expected);
        }
    }
}

static void test_scratch(void)
{
    uint8_t memory[10];
    etl_scratch r = {memory, sizeof memory};
    CHECK(etl_scratch_span(r).at == memory);
    CHECK_UINT(10, etl_scratch_span(r).size);
    CHECK(etl_scratch_part(r, 2, 8).at == memory + 2);
    CHECK_UINT(8, etl_scratch_part(r, 2, 8).size);
    CHECK_UINT(0, etl_scratch_part(r, 2, 9).size);
    CHECK_UINT(0, etl_scratch_part(r, SIZE_MAX, 2).size);
    CHECK_UINT(0, etl_scratch_part(r, 2, SIZE_MAX).size);
}

int main(void)
{
    test_values();
    test_signs();
    test_guid();
    test_bounds();
    test_parts();
    test_runs();
    test_stores();
    test_short_stores();
    test_scratch();
    return test_result();
}
