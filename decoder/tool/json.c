/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <string.h>

#include "span.h"
#include "utf.h"

void etl_json_open(etl_json *json, etl_out *out)
{
    *json = (etl_json){out, false};
}

/* The comma and the key before a value. */
static void begin(etl_json *json, const char *key)
{
    if (json->more)
        etl_out_char(json->out, ',');
    json->more = true;
    if (key == NULL)
        return;
    size_t size = strlen(key);
    char *room = etl_out_room(json->out, size + 3);
    room[0] = '"';
    memcpy(room + 1, key, size);
    room[size + 1] = '"';
    room[size + 2] = ':';
    json->out->used += size + 3;
}

static void nest(etl_json *json, const char *key, char bracket)
{
    begin(json, key);
    etl_out_char(json->out, bracket);
    json->more = false;
}

static void unnest(etl_json *json, char bracket)
{
    etl_out_char(json->out, bracket);
    json->more = true;
}

void etl_json_object(etl_json *json, const char *key)
{
    nest(json, key, '{');
}

void etl_json_object_end(etl_json *json)
{
    unnest(json, '}');
}

void etl_json_array(etl_json *json, const char *key)
{
    nest(json, key, '[');
}

void etl_json_array_end(etl_json *json)
{
    unnest(json, ']');
}

void etl_json_line(etl_json *json)
{
    etl_out_char(json->out, '\n');
    json->more = false;
}

void etl_json_string(etl_json *json, const char *key)
{
    begin(json, key);
    etl_out_char(json->out, '"');
}

void etl_json_string_end(etl_json *json)
{
    etl_out_char(json->out, '"');
}

void etl_json_bool(etl_json *json, const char *key, bool value)
{
    begin(json, key);
    etl_out_text(json->out, value ? "true" : "false");
}

void etl_json_null(etl_json *json, const char *key)
{
    begin(json, key);
    etl_out_text(json->out, "null");
}

void etl_json_u32(etl_json *json, const char *key, uint32_t value)
{
    etl_json_number(json, key, value);
}

void etl_json_i32(etl_json *json, const char *key, int32_t value)
{
    begin(json, key);
    etl_out_i64(json->out, value);
}

void etl_json_u64(etl_json *json, const char *key, uint64_t value)
{
    etl_json_string(json, key);
    etl_out_u64(json->out, value);
    etl_json_string_end(json);
}

void etl_json_i64(etl_json *json, const char *key, int64_t value)
{
    etl_json_string(json, key);
    etl_out_i64(json->out, value);
    etl_json_string_end(json);
}

void etl_json_number(etl_json *json, const char *key, uint64_t value)
{
    begin(json, key);
    etl_out_u64(json->out, value);
}

void etl_json_hex(etl_json *json, const char *key, uint64_t value, unsigned digits)
{
    etl_json_string(json, key);
    etl_out_bytes(json->out, "0x", 2);
    etl_out_hex(json->out, value, digits);
    etl_json_string_end(json);
}

void etl_json_guid(etl_json *json, const char *key, const etl_guid *guid)
{
    etl_json_string(json, key);
    etl_out_guid(json->out, guid);
    etl_json_string_end(json);
}

void etl_json_filetime(etl_json *json, const char *key, uint64_t filetime)
{
    etl_utc utc;
    if (!etl_filetime_utc(filetime, &utc))
        return;
    etl_json_string(json, key);
    etl_out_utc(json->out, &utc);
    etl_json_string_end(json);
}

void etl_json_bytes(etl_json *json, const char *key, etl_span bytes)
{
    etl_json_string(json, key);
    etl_out_dump(json->out, bytes);
    etl_json_string_end(json);
}

void etl_json_names(etl_json *json, const char *key, uint32_t value, etl_names names)
{
    etl_json_array(json, key);
    for (size_t i = 0; i < names.count; i++)
        if ((value & names.at[i].value) != 0)
            etl_json_text(json, NULL, names.at[i].name);
    etl_json_array_end(json);
}

static void escape(etl_out *out, uint32_t unit)
{
    etl_out_bytes(out, "\\u", 2);
    etl_out_hex(out, unit, 4);
}

static void put_point(etl_out *out, uint32_t point)
{
    if (point == '"' || point == '\\') {
        etl_out_char(out, '\\');
        etl_out_char(out, (char)point);
    } else if (etl_utf_is_hidden(point) || etl_utf_is_surrogate(point)) {
        escape(out, point);
    } else {
        out->used += etl_utf8_write(etl_out_room(out, ETL_UTF8_MAX), point);
    }
}

void etl_json_utf8(etl_json *json, const char *key, etl_span text)
{
    etl_json_string(json, key);
    for (size_t at = 0; at < text.size;) {
        etl_utf step = etl_utf8_next(text, at);
        if (step.valid) {
            put_point(json->out, step.point);
        } else {
            etl_out_bytes(json->out, "\\\\x", 3);
            etl_out_hex(json->out, step.point, 2);
        }
        at += step.size;
    }
    etl_json_string_end(json);
}

void etl_json_text(etl_json *json, const char *key, const char *text)
{
    etl_json_utf8(json, key, (etl_span){(const uint8_t *)text, strlen(text)});
}

void etl_json_utf16(etl_json *json, const char *key, etl_span text)
{
    etl_json_string(json, key);
    for (size_t at = 0; at + 1 < text.size;) {
        etl_utf step = etl_utf16_next(text, at);
        put_point(json->out, step.point);
        at += step.size;
    }
    etl_json_string_end(json);
}
