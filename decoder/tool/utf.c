/* SPDX-License-Identifier: Apache-2.0 */
#include "utf.h"

#include "span.h"

/* Bytes of a UTF-8 sequence by its first byte; 0 for a byte that starts none. */
static size_t sequence_size(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2)
        return 0;
    if (first < 0xE0)
        return 2;
    if (first < 0xF0)
        return 3;
    return first < 0xF5 ? 4 : 0;
}

etl_utf etl_utf8_next(etl_span text, size_t at)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = etl_load_u8(text, at);
    etl_utf bad = {first, 1, false};
    size_t size = sequence_size(first);
    if (size == 0 || size > text.size - at)
        return bad;
    uint32_t point = size == 1 ? first : first & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        uint8_t next = etl_load_u8(text, at + i);
        if ((next & 0xC0) != 0x80)
            return bad;
        point = point << 6 | (next & 0x3Fu);
    }
    if (point < smallest[size] || point > 0x10FFFF || etl_utf_is_surrogate(point))
        return bad;
    return (etl_utf){point, size, true};
}

etl_utf etl_utf16_next(etl_span text, size_t at)
{
    uint32_t high = etl_load_u16(text, at);
    if (!etl_utf_is_surrogate(high))
        return (etl_utf){high, 2, true};
    uint32_t low = etl_load_u16(text, at + 2);
    if (high >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return (etl_utf){high, 2, false};
    return (etl_utf){0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 4, true};
}

size_t etl_utf8_write(char room[ETL_UTF8_MAX], uint32_t point)
{
    if (point < 0x80) {
        room[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        room[0] = (char)(0xC0 | point >> 6);
        room[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        room[0] = (char)(0xE0 | point >> 12);
        room[1] = (char)(0x80 | (point >> 6 & 0x3F));
        room[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    room[0] = (char)(0xF0 | point >> 18);
    room[1] = (char)(0x80 | (point >> 12 & 0x3F));
    room[2] = (char)(0x80 | (point >> 6 & 0x3F));
    room[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}
