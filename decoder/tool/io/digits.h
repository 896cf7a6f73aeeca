/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of numbers, GUIDs and times into memory with room for the longest result, TOOL_…_MAX or TOOL_…_SIZE bytes. Each
 * returns the end of what it wrote. They copy digits from tables: inline, because a decode spends most of its time here.
 */
#ifndef ETLPROOF_IO_DIGITS_H
#define ETLPROOF_IO_DIGITS_H

#include <stdint.h>
#include <string.h>

#include "etlproof/clock.h"
#include "etlproof/guid.h"

#define TOOL_U64_MAX 21u /* 20 digits, and a byte behind them that is overwritten */
#define TOOL_HEX_MAX 16u
#define TOOL_GUID_SIZE 36u
#define TOOL_UTC_SIZE 28u
#define TOOL_UTC_FRACTION 20u /* where its seven digits begin */

/* A text whose size the compiler knows. */
static inline char *tool_write_text(char *at, const char *text)
{
    const size_t size = strlen(text);
    memcpy(at, text, size);
    return at + size;
}

/* "000" to "999", and "00" to "ff". */
extern const char tool_decimal_texts[3 * 1000 + 1];
extern const char tool_hex_texts[2 * 256 + 1];

/* The three digits of a value below 1000. Like all decimals here, overwrites one byte behind them. */
static inline char *tool_write_three(char *at, uint32_t value)
{
    memcpy(at, tool_decimal_texts + 3 * value, 4);
    return at + 3;
}

/* A value of 1000 or more. */
char *tool_write_long(char *at, uint64_t value);

static inline char *tool_write_u64(char *at, uint64_t value)
{
    if (value >= 1000)
        return tool_write_long(at, value);
    const size_t zeros = (size_t)(value < 100) + (value < 10);
    memcpy(at, tool_decimal_texts + 3 * value + zeros, 4);
    return at + 3 - zeros;
}

static inline char *tool_write_hex_u8(char *at, uint8_t value)
{
    memcpy(at, tool_hex_texts + 2 * value, 2);
    return at + 2;
}

static inline char *tool_write_hex_u16(char *at, uint16_t value)
{
    return tool_write_hex_u8(tool_write_hex_u8(at, (uint8_t)(value >> 8)), (uint8_t)value);
}

static inline char *tool_write_hex_u32(char *at, uint32_t value)
{
    return tool_write_hex_u16(tool_write_hex_u16(at, (uint16_t)(value >> 16)), (uint16_t)value);
}

static inline char *tool_write_hex_u64(char *at, uint64_t value)
{
    return tool_write_hex_u32(tool_write_hex_u32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

/* Lower case, at least `digits` digits, without 0x. */
char *tool_write_hex(char *at, uint64_t value, unsigned digits);
char *tool_write_guid(char *at, const etl_guid *guid);
/* 2020-02-17T09:01:35.1234567Z */
char *tool_write_utc(char *at, const etl_utc *utc);

/* "1234567Z": the fraction of a second, in 100 ns, and what ends a time. */
static inline char *tool_write_fraction(char *at, uint32_t fraction)
{
    *at = (char)('0' + fraction / 1000000);
    at = tool_write_three(at + 1, fraction / 1000 % 1000);
    at = tool_write_three(at, fraction % 1000);
    *at = 'Z';
    return at + 1;
}

#endif
