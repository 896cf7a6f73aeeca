/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON to a tool_output, member by member. All JSON of the command comes through here.
 */
#include "records/json_writer.h"

#include <inttypes.h>
#include <string.h>

#include "io/utf.h"
#include "span.h"

void tool_json_open(tool_json *json, tool_output *out)
{
    *json = (tool_json){.out = out, .second = 0, .utc = "1601-01-01T00:00:00.0000000Z"};
}

static void word(tool_json *json, const char *key, const char *text)
{
    const size_t size = strlen(text);
    char *at = tool_json_begin(json, key, size);
    memcpy(at, text, size);
    tool_json_end(json, at + size);
}

void tool_json_bool(tool_json *json, const char *key, bool value)
{
    word(json, key, value ? "true" : "false");
}

void tool_json_null(tool_json *json, const char *key)
{
    word(json, key, "null");
}

void tool_json_i32(tool_json *json, const char *key, int32_t value)
{
    tool_json_end(json, tool_json_begin(json, key, 0));
    tool_put_i64(json->out, value);
}

bool tool_json_find_second(tool_json *json, uint64_t filetime)
{
    etl_utc utc;
    if (filetime - json->second < ETL_FILETIME_SECOND)
        return true;
    if (!etl_filetime_utc(filetime, &utc))
        return false;
    json->second = filetime - filetime % ETL_FILETIME_SECOND;
    (void)tool_write_utc(json->utc, &utc);
    return true;
}

void tool_json_filetime(tool_json *json, const char *key, uint64_t filetime)
{
    if (tool_json_find_second(json, filetime))
        tool_json_end(json, tool_value_utc(tool_json_begin(json, key, TOOL_UTC_SIZE + 2), filetime, json));
}

void tool_json_bytes(tool_json *json, const char *key, etl_span bytes)
{
    tool_json_string(json, key);
    tool_put_dump(json->out, bytes);
    tool_json_string_end(json);
}

void tool_json_sid(tool_json *json, const char *key, const etl_sid *sid)
{
    tool_json_string(json, key);
    /* Windows prints an authority of more than 32 bits in hex. */
    if (sid->authority >> 32 == 0)
        tool_put_format(json->out, "S-%u-%" PRIu64, sid->revision, sid->authority);
    else
        tool_put_format(json->out, "S-%u-0x%012" PRIx64, sid->revision, sid->authority);
    for (size_t i = 0; i < sid->count; i++) {
        tool_put_char(json->out, '-');
        tool_put_u64(json->out, sid->sub_authority[i]);
    }
    tool_json_string_end(json);
}

void tool_json_names(tool_json *json, const char *key, uint32_t value, etl_names names)
{
    tool_json_array(json, key);
    for (size_t i = 0; i < names.count; i++)
        if ((value & names.at[i].value) != 0)
            tool_json_name(json, NULL, names.at[i].name);
    tool_json_array_end(json);
}

static void put_point(tool_output *out, uint32_t point)
{
    if (point == '"' || point == '\\') {
        tool_put_char(out, '\\');
        tool_put_char(out, (char)point);
    } else if (tool_utf_is_hidden(point) || tool_utf_is_surrogate(point)) {
        tool_put_bytes(out, "\\u", 2);
        tool_put_hex(out, point, 4);
    } else {
        out->used += tool_utf8_write(tool_output_reserve(out, TOOL_UTF8_MAX), point);
    }
}

/* Writes the characters from `at` on that need no escape and have one byte, as almost all have. Returns their end. */
static size_t put_plain(tool_output *out, etl_span text, size_t at)
{
    const size_t left = text.size - at, most = left < TOOL_OUTPUT_RESERVE_MAX ? left : TOOL_OUTPUT_RESERVE_MAX;
    char *to = tool_output_reserve(out, most);
    size_t count = 0;
    for (; count < most; count++) {
        const uint8_t c = etl_load_u8(text, at + count);
        if (c < ' ' || c > '~' || c == '"' || c == '\\')
            break;
        to[count] = (char)c;
    }
    out->used += count;
    return at + count;
}

void tool_json_utf8(tool_json *json, const char *key, etl_span text)
{
    tool_json_string(json, key);
    for (size_t at = put_plain(json->out, text, 0); at < text.size; at = put_plain(json->out, text, at)) {
        tool_utf step = tool_utf8_next(text, at);
        if (step.valid) {
            put_point(json->out, step.point);
        } else {
            tool_put_bytes(json->out, "\\\\x", 3);
            tool_put_hex(json->out, step.point, 2);
        }
        at += step.size;
    }
    tool_json_string_end(json);
}

void tool_json_text(tool_json *json, const char *key, const char *text)
{
    tool_json_utf8(json, key, (etl_span){(const uint8_t *)text, strlen(text)});
}

/* The characters of 0x80 to 0x9F; all others are those of Unicode. Five have no character and stay as they are. */
static const uint16_t cp1252[] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D,
    0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
};

void tool_json_cp1252(tool_json *json, const char *key, etl_span text)
{
    tool_json_string(json, key);
    for (size_t at = put_plain(json->out, text, 0); at < text.size; at = put_plain(json->out, text, at + 1)) {
        const uint8_t c = etl_load_u8(text, at);
        put_point(json->out, c >= 0x80 && c < 0xA0 ? cp1252[c - 0x80] : c);
    }
    tool_json_string_end(json);
}

void tool_json_string_utf16(tool_json *json, etl_span text)
{
    for (size_t at = 0; at + 1 < text.size;) {
        tool_utf step = tool_utf16_next(text, at);
        put_point(json->out, step.point);
        at += step.size;
    }
}

void tool_json_utf16(tool_json *json, const char *key, etl_span text)
{
    tool_json_string(json, key);
    tool_json_string_utf16(json, text);
    tool_json_string_end(json);
}
