/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads UTF-8 and UTF-16LE that may be malformed, and escapes text for a terminal.
 */
#include "io/utf.h"

#include <string.h>

#include "span.h"

/* Size of a UTF-8 sequence by its first byte; 0 if no sequence starts with that byte. */
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

tool_utf tool_utf8_next(etl_span text, size_t at)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = etl_load_u8(text, at);
    tool_utf bad = {first, 1, false};
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
    if (point < smallest[size] || point > 0x10FFFF || tool_utf_is_surrogate(point))
        return bad;
    return (tool_utf){point, size, true};
}

tool_utf tool_utf16_next(etl_span text, size_t at)
{
    uint32_t high = etl_load_u16(text, at);
    if (!tool_utf_is_surrogate(high))
        return (tool_utf){high, 2, true};
    uint32_t low = etl_load_u16(text, at + 2);
    if (high >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return (tool_utf){high, 2, false};
    return (tool_utf){0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 4, true};
}

size_t tool_utf8_write(char bytes[TOOL_UTF8_MAX], uint32_t point)
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        bytes[0] = (char)(0xC0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        bytes[0] = (char)(0xE0 | point >> 12);
        bytes[1] = (char)(0x80 | (point >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | point >> 18);
    bytes[1] = (char)(0x80 | (point >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (point >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

bool tool_utf_is_hidden(uint32_t point)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                  {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && point >= hidden[i].first; i++)
        if (point <= hidden[i].last)
            return true;
    return false;
}

static void add_byte(tool_utf_shown *shown, uint8_t byte)
{
    const char text[] = {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    memcpy(shown->text + shown->size, text, sizeof text);
    shown->size += sizeof text;
}

tool_utf_shown tool_utf_show(uint32_t point)
{
    tool_utf_shown shown = {.size = 0};
    char bytes[TOOL_UTF8_MAX];
    const size_t size = tool_utf8_write(bytes, point);
    if (!tool_utf_is_hidden(point)) {
        memcpy(shown.text, bytes, size);
        shown.size = size;
        return shown;
    }
    for (size_t i = 0; i < size; i++)
        add_byte(&shown, (uint8_t)bytes[i]);
    return shown;
}

static bool is_hex_digit(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool reads_as_byte(etl_span text, size_t at)
{
    return etl_load_u8(text, at) == '\\' && etl_load_u8(text, at + 1) == 'x' && is_hex_digit(etl_load_u8(text, at + 2)) &&
           is_hex_digit(etl_load_u8(text, at + 3));
}

tool_utf_shown tool_utf8_show(etl_span text, size_t *at)
{
    const tool_utf step = tool_utf8_next(text, *at);
    const bool is_byte = !step.valid || reads_as_byte(text, *at);
    *at += step.size;
    if (!is_byte)
        return tool_utf_show(step.point);
    tool_utf_shown shown = {.size = 0};
    add_byte(&shown, (uint8_t)step.point);
    return shown;
}

size_t tool_utf8_show_text(const char *text, char *shown, size_t size)
{
    const etl_span bytes = {(const uint8_t *)text, strlen(text)};
    size_t used = 0;
    for (size_t at = 0; at < bytes.size;) {
        const tool_utf_shown next = tool_utf8_show(bytes, &at);
        if (next.size >= size - used)
            break;
        memcpy(shown + used, next.text, next.size);
        used += next.size;
    }
    shown[used] = '\0';
    return used;
}
