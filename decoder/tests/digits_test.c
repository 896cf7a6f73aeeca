/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of numbers, GUIDs and times as text (tool/io/digits.h), against printf. */
#include <inttypes.h>
#include <stdio.h>

#include "io/digits.h"
#include "test.h"

#define GUARD '#'

/* The text that was written to `text` up to `end`, which is followed by what a writer may overwrite. */
static void check_text(const char *expected, char *text, char *end)
{
    *end = '\0';
    CHECK_TEXT(expected, text);
}

static void check_decimal(uint64_t value)
{
    char expected[32], text[32];
    memset(text, GUARD, sizeof text);
    (void)snprintf(expected, sizeof expected, "%" PRIu64, value);
    char *end = tool_write_u64(text, value);
    CHECK_INT(GUARD, text[TOOL_U64_MAX]);
    check_text(expected, text, end);
}

static void check_hex(uint64_t value, unsigned digits)
{
    char expected[32], text[32];
    memset(text, GUARD, sizeof text);
    (void)snprintf(expected, sizeof expected, "%0*" PRIx64, (int)digits, value);
    char *end = tool_write_hex(text, value, digits);
    CHECK_INT(GUARD, text[TOOL_HEX_MAX]);
    check_text(expected, text, end);
}

/* Every value up to six digits, and the values around each power of ten and of two. */
static void test_numbers(void)
{
    for (uint64_t value = 0; value < 1000000; value++)
        check_decimal(value);
    for (uint64_t power = 10; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t value = power - 1; value <= power + 1; value++)
            check_decimal(value);
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned digits = 1; digits <= 16; digits++) {
            check_hex(UINT64_C(1) << bit, digits);
            check_hex((UINT64_C(1) << bit) - 1, digits);
        }
    check_decimal(UINT64_MAX);
    check_hex(UINT64_MAX, 1);
}

static void test_fixed_hex(void)
{
    char text[TOOL_HEX_MAX + 1];
    for (unsigned value = 0; value <= UINT8_MAX; value++) {
        char expected[8];
        (void)snprintf(expected, sizeof expected, "%02x", value);
        check_text(expected, text, tool_write_hex_u8(text, (uint8_t)value));
    }
    check_text("01ef", text, tool_write_hex_u16(text, 0x01EF));
    check_text("0123cdef", text, tool_write_hex_u32(text, 0x0123CDEF));
    check_text("0123456789abcdef", text, tool_write_hex_u64(text, UINT64_C(0x0123456789ABCDEF)));
}

static void test_guid(void)
{
    const etl_guid guid = {0x01234567, 0x89AB, 0xCDEF, {0, 1, 2, 3, 4, 5, 6, 0xFF}};
    char text[TOOL_GUID_SIZE + 1];
    check_text("01234567-89ab-cdef-0001-0203040506ff", text, tool_write_guid(text, &guid));
}

static void test_time(void)
{
    const etl_utc utc = {.year = 2020, .month = 2, .day = 17, .hour = 9, .minute = 1, .second = 35, .fraction = 1002003};
    char text[TOOL_UTC_SIZE + 1];
    check_text("2020-02-17T09:01:35.1002003Z", text, tool_write_utc(text, &utc));
    check_text("2020-02-17T09:01:35.0000000Z", text, tool_write_fraction(text + TOOL_UTC_FRACTION, 0));
    check_text("2020-02-17T09:01:35.9999999Z", text, tool_write_fraction(text + TOOL_UTC_FRACTION, 9999999));
}

int main(void)
{
    test_numbers();
    test_fixed_hex();
    test_guid();
    test_time();
    return test_result();
}
