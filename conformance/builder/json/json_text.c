/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes values as characters of JSON. Called by json_object.c, and wherever arrays are written.
 */
#include "json/json_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Text. */

void build_json_raw(build_chunk *out, const char *text)
{
    build_chunk_add(out, text, strlen(text));
}

void build_json_u64(build_chunk *out, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    build_json_raw(out, digits);
}

void build_json_i64(build_chunk *out, int64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRId64, value);
    build_json_raw(out, digits);
}

void build_json_hex(build_chunk *out, uint64_t value, unsigned digits)
{
    char text[24];
    (void)snprintf(text, sizeof text, "0x%0*" PRIx64, (int)digits, value);
    build_json_raw(out, text);
}

void build_json_dump(build_chunk *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        build_chunk_add(out, pair, sizeof pair);
    }
}

void build_json_guid(build_chunk *out, const uint8_t guid[16])
{
    /* In the order of the text; -1 is a dash. */
    static const signed char order[] = {3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15};
    for (size_t i = 0; i < sizeof order; i++) {
        if (order[i] < 0)
            build_json_raw(out, "-");
        else
            build_json_dump(out, guid + order[i], 1);
    }
}

static void add_escaped(build_chunk *out, uint32_t unit)
{
    char text[8];
    (void)snprintf(text, sizeof text, "\\u%04" PRIx32, unit & 0xFFFF);
    build_json_raw(out, text);
}

static bool is_surrogate(uint32_t point)
{
    return point >= 0xD800 && point <= 0xDFFF;
}

/* A code point as UTF-8: the lead byte says how many bytes of six bits follow. */
static void add_utf8(build_chunk *out, uint32_t point)
{
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0x00, 0xC0, 0xE0, 0xF0};
    build_chunk_number(out, lead[more] | point >> 6 * more, 1);
    for (unsigned i = more; i-- > 0;)
        build_chunk_number(out, 0x80 | (point >> 6 * i & 0x3F), 1);
}

static void add_point(build_chunk *out, uint32_t point)
{
    if (point < 0x20 || point == 0x7F || is_surrogate(point)) {
        add_escaped(out, point);
        return;
    }
    if (point == '"' || point == '\\')
        build_json_raw(out, "\\");
    add_utf8(out, point);
}

/* Bytes of the UTF-8 sequence that starts at `bytes`, and its code point; 0 if it is not UTF-8. */
static size_t sequence(const uint8_t *bytes, size_t size, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t count = bytes[0] < 0x80             ? 1
                         : (bytes[0] & 0xE0) == 0xC0 ? 2
                         : (bytes[0] & 0xF0) == 0xE0 ? 3
                         : (bytes[0] & 0xF8) == 0xF0 ? 4
                                                     : 0;
    if (count == 0 || count > size)
        return 0;
    *point = count == 1 ? bytes[0] : bytes[0] & (0xFFu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        *point = *point << 6 | (bytes[i] & 0x3Fu);
    }
    return *point >= least[count] && *point <= 0x10FFFF && !is_surrogate(*point) ? count : 0;
}

void build_json_utf8(build_chunk *out, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const size_t count = sequence(bytes + at, size - at, &point);
        if (count != 0) {
            add_point(out, point);
        } else {
            build_json_raw(out, "\\\\x");
            build_json_dump(out, bytes + at, 1);
        }
        at += count != 0 ? count : 1;
    }
}

static uint32_t unit_at(const uint8_t *bytes, size_t at, size_t size)
{
    return at + 2 <= size ? (uint32_t)bytes[at] | (uint32_t)bytes[at + 1] << 8 : 0;
}

void build_json_utf16(build_chunk *out, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + 2 <= size; at += 2) {
        uint32_t point = unit_at(bytes, at, size);
        const uint32_t next = unit_at(bytes, at + 2, size);
        if (point >= 0xD800 && point < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF) {
            point = 0x10000 + ((point & 0x3FF) << 10 | (next & 0x3FF));
            at += 2;
        }
        add_point(out, point);
    }
}
