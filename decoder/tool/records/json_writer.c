/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON to a tool_output, member by member. All JSON of the command comes through here.
 */
#include "records/json_writer.h"

#include <string.h>

#include "io/utf.h"
#include "span.h"

void tool_json_open(tool_json *json, tool_output *out)
{
    *json = (tool_json){out, false};
}

/* The comma and the key before a value. */
static void begin(tool_json *json, const char *key)
{
    if (json->more)
        tool_put_char(json->out, ',');
    json->more = true;
    if (key == NULL)
        return;
    size_t size = strlen(key);
    char *at = tool_output_reserve(json->out, size + 3);
    at[0] = '"';
    memcpy(at + 1, key, size);
    at[size + 1] = '"';
    at[size + 2] = ':';
    json->out->used += size + 3;
}

static void nest(tool_json *json, const char *key, char bracket)
{
    begin(json, key);
    tool_put_char(json->out, bracket);
    json->more = false;
}

static void unnest(tool_json *json, char bracket)
{
    tool_put_char(json->out, bracket);
    json->more = true;
}

void tool_json_object(tool_json *json, const char *key)
{
    nest(json, key, '{');
}

void tool_json_object_end(tool_json *json)
{
    unnest(json, '}');
}

void tool_json_array(tool_json *json, const char *key)
{
    nest(json, key, '[');
}

void tool_json_array_end(tool_json *json)
{
    unnest(json, ']');
}

void tool_json_line(tool_json *json)
{
    tool_put_char(json->out, '\n');
    json->more = false;
}

void tool_json_string(tool_json *json, const char *key)
{
    begin(json, key);
    tool_put_char(json->out, '"');
}

void tool_json_string_end(tool_json *json)
{
    tool_put_char(json->out, '"');
}

void tool_json_bool(tool_json *json, const char *key, bool value)
{
    begin(json, key);
    tool_put_text(json->out, value ? "true" : "false");
}

void tool_json_null(tool_json *json, const char *key)
{
    begin(json, key);
    tool_put_text(json->out, "null");
}

void tool_json_u32(tool_json *json, const char *key, uint32_t value)
{
    tool_json_number(json, key, value);
}

void tool_json_i32(tool_json *json, const char *key, int32_t value)
{
    begin(json, key);
    tool_put_i64(json->out, value);
}

void tool_json_u64(tool_json *json, const char *key, uint64_t value)
{
    tool_json_string(json, key);
    tool_put_u64(json->out, value);
    tool_json_string_end(json);
}

void tool_json_i64(tool_json *json, const char *key, int64_t value)
{
    tool_json_string(json, key);
    tool_put_i64(json->out, value);
    tool_json_string_end(json);
}

void tool_json_number(tool_json *json, const char *key, uint64_t value)
{
    begin(json, key);
    tool_put_u64(json->out, value);
}

void tool_json_hex(tool_json *json, const char *key, uint64_t value, unsigned digits)
{
    tool_json_string(json, key);
    tool_put_bytes(json->out, "0x", 2);
    tool_put_hex(json->out, value, digits);
    tool_json_string_end(json);
}

void tool_json_guid(tool_json *json, const char *key, const etl_guid *guid)
{
    tool_json_string(json, key);
    tool_put_guid(json->out, guid);
    tool_json_string_end(json);
}

void tool_json_filetime(tool_json *json, const char *key, uint64_t filetime)
{
    etl_utc utc;
    if (!etl_filetime_utc(filetime, &utc))
        return;
    tool_json_string(json, key);
    tool_put_utc(json->out, &utc);
    tool_json_string_end(json);
}

void tool_json_bytes(tool_json *json, const char *key, etl_span bytes)
{
    tool_json_string(json, key);
    tool_put_dump(json->out, bytes);
    tool_json_string_end(json);
}

void tool_json_names(tool_json *json, const char *key, uint32_t value, etl_names names)
{
    tool_json_array(json, key);
    for (size_t i = 0; i < names.count; i++)
        if ((value & names.at[i].value) != 0)
            tool_json_text(json, NULL, names.at[i].name);
    tool_json_array_end(json);
}

static void escape(tool_output *out, uint32_t unit)
{
    tool_put_bytes(out, "\\u", 2);
    tool_put_hex(out, unit, 4);
}

static void put_point(tool_output *out, uint32_t point)
{
    if (point == '"' || point == '\\') {
        tool_put_char(out, '\\');
        tool_put_char(out, (char)point);
    } else if (tool_utf_is_hidden(point) || tool_utf_is_surrogate(point)) {
        escape(out, point);
    } else {
        out->used += tool_utf8_write(tool_output_reserve(out, TOOL_UTF8_MAX), point);
    }
}

void tool_json_utf8(tool_json *json, const char *key, etl_span text)
{
    tool_json_string(json, key);
    for (size_t at = 0; at < text.size;) {
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

void tool_json_utf16(tool_json *json, const char *key, etl_span text)
{
    tool_json_string(json, key);
    for (size_t at = 0; at + 1 < text.size;) {
        tool_utf step = tool_utf16_next(text, at);
        put_point(json->out, step.point);
        at += step.size;
    }
    tool_json_string_end(json);
}
