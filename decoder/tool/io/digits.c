/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, GUIDs and times as text in memory: the tables of digits, and what is too long to be inline.
 */
#include "io/digits.h"

#include "span.h"

#define ONES(p) p "0" p "1" p "2" p "3" p "4" p "5" p "6" p "7" p "8" p "9"
#define TENS(p) ONES(p "0") ONES(p "1") ONES(p "2") ONES(p "3") ONES(p "4") ONES(p "5") ONES(p "6") ONES(p "7") \
    ONES(p "8") ONES(p "9")
#define HEX(p) ONES(p) p "a" p "b" p "c" p "d" p "e" p "f"

const char tool_decimal_texts[3 * 1000 + 1] =
    TENS("0") TENS("1") TENS("2") TENS("3") TENS("4") TENS("5") TENS("6") TENS("7") TENS("8") TENS("9");

const char tool_hex_texts[2 * 256 + 1] =
    HEX("0") HEX("1") HEX("2") HEX("3") HEX("4") HEX("5") HEX("6") HEX("7")
    HEX("8") HEX("9") HEX("a") HEX("b") HEX("c") HEX("d") HEX("e") HEX("f");

char *tool_write_long(char *at, uint64_t value)
{
    const uint64_t thousands = value / 1000;
    return tool_write_three(tool_write_u64(at, thousands), (uint32_t)(value - 1000 * thousands));
}

static unsigned hex_count(uint32_t value)
{
    unsigned count = 1;
    while (count < 8 && value >> (4 * count) != 0)
        count++;
    return count;
}

char *tool_write_hex(char *at, uint64_t value, unsigned digits)
{
    const uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
    if (high != 0 || digits > 8)
        return tool_write_hex_u32(tool_write_hex(at, high, digits > 8 ? digits - 8 : 1), low);
    unsigned count = hex_count(low);
    if (count < digits)
        count = digits;
    for (unsigned i = count; i-- > 0;)
        *at++ = tool_hex_texts[2 * (low >> (4 * i) & 15) + 1];
    return at;
}

char *tool_write_guid(char *at, const etl_guid *guid)
{
    const uint8_t *data4 = guid->data4;
    at = tool_write_hex_u32(at, guid->data1);
    *at++ = '-';
    at = tool_write_hex_u16(at, guid->data2);
    *at++ = '-';
    at = tool_write_hex_u16(at, guid->data3);
    *at++ = '-';
    at = tool_write_hex_u8(tool_write_hex_u8(at, data4[0]), data4[1]);
    *at++ = '-';
    for (size_t i = 2; i < 8; i += 2)
        at = tool_write_hex_u8(tool_write_hex_u8(at, data4[i]), data4[i + 1]);
    return at;
}

/* Overwrites `count` digits, with leading zeros. */
static void decimals(char *at, uint32_t value, unsigned count)
{
    for (; count-- > 0; value /= 10)
        at[count] = (char)('0' + value % 10);
}

char *tool_write_utc(char *at, const etl_utc *utc)
{
    memcpy(at, "0000-00-00T00:00:00.0000000Z", TOOL_UTC_SIZE);
    decimals(at, utc->year, 4);
    decimals(at + 5, utc->month, 2);
    decimals(at + 8, utc->day, 2);
    decimals(at + 11, utc->hour, 2);
    decimals(at + 14, utc->minute, 2);
    decimals(at + 17, utc->second, 2);
    decimals(at + TOOL_UTC_FRACTION, utc->fraction, 7);
    return at + TOOL_UTC_SIZE;
}
