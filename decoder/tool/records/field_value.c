/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a field as JSON: by its in-type, and by its out-type where that has a form of its own for such a value.
 * field_record.c calls this.
 */
#include "records/field_record.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "span.h"

/* A number of up to eight bytes, with `number` as the bits above them. */
static uint64_t load_below(uint64_t number, etl_span value)
{
    for (size_t i = value.size; i > 0; i--)
        number = number << 8 | etl_load_u8(value, i - 1);
    return number;
}

static uint64_t load(etl_span value)
{
    return load_below(0, value);
}

static int64_t load_signed(etl_span value)
{
    const bool negative = etl_load_u8(value, value.size - 1) >= 0x80;
    return etl_signed_64(load_below(negative ? UINT64_MAX : 0, value));
}

static void unsigned_number(tool_json *json, const char *key, etl_span value)
{
    if (value.size == 8)
        tool_json_u64(json, key, load(value));
    else
        tool_json_u32(json, key, (uint32_t)load(value));
}

static void signed_number(tool_json *json, const char *key, etl_span value)
{
    if (value.size == 8)
        tool_json_i64(json, key, load_signed(value));
    else
        tool_json_i32(json, key, (int32_t)load_signed(value));
}

/* 0 and 1 have names; any other number stays what it is. */
static void boolean(tool_json *json, const char *key, etl_span value)
{
    if (load(value) <= 1)
        tool_json_bool(json, key, load(value) == 1);
    else
        unsigned_number(json, key, value);
}

static void port(tool_json *json, const char *key, etl_span value)
{
    const uint32_t low = (uint32_t)load(value);
    tool_json_u32(json, key, (low & 0xFF) << 8 | low >> 8);
}

static void ipv4(tool_json *json, const char *key, etl_span value)
{
    tool_json_string(json, key);
    for (size_t i = 0; i < value.size; i++) {
        if (i > 0)
            tool_put_char(json->out, '.');
        tool_put_u64(json->out, etl_load_u8(value, i));
    }
    tool_json_string_end(json);
}

enum { IPV6_SIZE = 16, IPV6_GROUPS = 8 };

static unsigned ipv6_group(etl_span value, unsigned group)
{
    return (unsigned)etl_load_u8(value, 2u * group) << 8 | etl_load_u8(value, 2u * group + 1);
}

/* The longest run of two or more zero groups, the first of equals; its size is 0 if there is none. */
static unsigned ipv6_zeros(etl_span value, unsigned *size)
{
    unsigned best = 0, run = 0;
    *size = 0;
    for (unsigned i = 0; i < IPV6_GROUPS; i++) {
        run = ipv6_group(value, i) == 0 ? run + 1 : 0;
        if (run > 1 && run > *size) {
            *size = run;
            best = i + 1 - run;
        }
    }
    return best;
}

/* RFC 5952 */
static void ipv6(tool_json *json, const char *key, etl_span value)
{
    unsigned size;
    const unsigned zeros = ipv6_zeros(value, &size);
    tool_json_string(json, key);
    for (unsigned i = 0; i < IPV6_GROUPS; i++) {
        if (size > 0 && i == zeros) {
            tool_put_text(json->out, "::");
            i += size - 1;
            continue;
        }
        if (i > 0 && (size == 0 || i != zeros + size))
            tool_put_char(json->out, ':');
        tool_put_hex(json->out, ipv6_group(value, i), 1);
    }
    tool_json_string_end(json);
}

/* The shortest of the decimals that give the same number again. JSON has no infinity and no NaN: they are strings. */
static void decimal(tool_json *json, const char *key, double number, int digits, bool narrow)
{
    char text[32];
    if (!(number >= -DBL_MAX && number <= DBL_MAX)) {
        tool_json_name(json, key, number > 0 ? "Infinity" : number < 0 ? "-Infinity" : "NaN");
        return;
    }
    do
        (void)snprintf(text, sizeof text, "%.*g", digits++, number);
    while ((narrow ? (double)strtof(text, NULL) : strtod(text, NULL)) != number);
    const size_t size = strlen(text);
    char *at = tool_json_begin(json, key, size);
    memcpy(at, text, size);
    tool_json_end(json, at + size);
}

static void single(tool_json *json, const char *key, etl_span value)
{
    const uint32_t bits = etl_load_u32(value, 0);
    float number;
    memcpy(&number, &bits, sizeof number);
    decimal(json, key, (double)number, 6, true);
}

static void twofold(tool_json *json, const char *key, etl_span value)
{
    const uint64_t bits = etl_load_u64(value, 0);
    double number;
    memcpy(&number, &bits, sizeof number);
    decimal(json, key, number, 15, false);
}

/* UTC; the number itself if it is no time that can be written. */
static void filetime(tool_json *json, const char *key, etl_span value)
{
    const uint64_t time = etl_load_u64(value, 0);
    if (tool_json_find_second(json, time))
        tool_json_filetime(json, key, time);
    else
        tool_json_u64(json, key, time);
}

/* Of no stated time zone, and written as stored: a month of 13 is shown as 13. */
static void systemtime(tool_json *json, const char *key, etl_span value)
{
    uint16_t part[8];
    for (size_t i = 0; i < 8; i++)
        part[i] = etl_load_u16(value, 2 * i);
    tool_json_string(json, key);
    tool_put_format(json->out, "%04u-%02u-%02uT%02u:%02u:%02u.%03u", part[0], part[1], part[3], part[4], part[5], part[6],
                    part[7]);
    tool_json_string_end(json);
}

static void sid(tool_json *json, const char *key, etl_span value)
{
    etl_sid sid;
    if (etl_sid_read(value, &sid))
        tool_json_sid(json, key, &sid);
    else
        tool_json_text(json, key, "");
}

/* A string of 8-bit units. */
static void narrow_text(tool_json *json, const char *key, const etl_field *field, etl_span value)
{
    switch (field->out_type) {
    case ETL_OUT_TYPE_UTF8:
    case ETL_OUT_TYPE_XML:
    case ETL_OUT_TYPE_JSON: tool_json_utf8(json, key, value); break;
    default: tool_json_cp1252(json, key, value); break;
    }
}

static void hex(tool_json *json, const char *key, etl_span value)
{
    tool_json_hex(json, key, load(value), 1);
}

/* A character of code page 1252, or of UTF-16. */
static void character(tool_json *json, const char *key, etl_span value)
{
    if (value.size == 1)
        tool_json_cp1252(json, key, value);
    else
        tool_json_utf16(json, key, value);
}

typedef enum value_form { SAME, CHARACTER, BOOLEAN, HEX, PORT, IPV4, IPV6 } value_form;

/* SAME unless the out-type asks for a form of its own for values of this size. */
static value_form form_of(uint16_t out_type, size_t size)
{
    static const struct {
        value_form form;
        uint8_t sizes;
    } rows[] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) [ETL_OUT_TYPE_##name] = {form, sizes},
#include "format/payload/out_types.def"
    };
    if (out_type >= sizeof rows / sizeof rows[0] || (rows[out_type].sizes & size) == 0)
        return SAME;
    return rows[out_type].form;
}

/* In the form that the out-type asks for; false, and nothing is written, if it is SAME. */
static bool shown(tool_json *json, const char *key, const etl_field *field, etl_span value)
{
    switch (form_of(field->out_type, value.size)) {
    case SAME: return false;
    case CHARACTER: character(json, key, value); break;
    case BOOLEAN: boolean(json, key, value); break;
    case HEX: hex(json, key, value); break;
    case PORT: port(json, key, value); break;
    case IPV4: ipv4(json, key, value); break;
    case IPV6: ipv6(json, key, value); break;
    }
    return true;
}

void tool_json_field_value(tool_json *json, const char *key, const etl_field *field, etl_span value)
{
    switch (field->in_type) {
    case ETL_IN_TYPE_UNICODESTRING:
    case ETL_IN_TYPE_COUNTEDSTRING: tool_json_utf16(json, key, value); break;
    case ETL_IN_TYPE_ANSISTRING:
    case ETL_IN_TYPE_COUNTEDANSISTRING: narrow_text(json, key, field, value); break;
    case ETL_IN_TYPE_INT8:
    case ETL_IN_TYPE_INT16:
    case ETL_IN_TYPE_INT32:
    case ETL_IN_TYPE_INT64:
        if (!shown(json, key, field, value))
            signed_number(json, key, value);
        break;
    case ETL_IN_TYPE_UINT8:
    case ETL_IN_TYPE_UINT16:
    case ETL_IN_TYPE_UINT32:
    case ETL_IN_TYPE_UINT64:
        if (!shown(json, key, field, value))
            unsigned_number(json, key, value);
        break;
    case ETL_IN_TYPE_FLOAT: single(json, key, value); break;
    case ETL_IN_TYPE_DOUBLE: twofold(json, key, value); break;
    case ETL_IN_TYPE_BOOLEAN: boolean(json, key, value); break;
    case ETL_IN_TYPE_GUID: {
        const etl_guid guid = etl_load_guid(value, 0);
        tool_json_guid(json, key, &guid);
        break;
    }
    case ETL_IN_TYPE_POINTER:
    case ETL_IN_TYPE_HEXINT32:
    case ETL_IN_TYPE_HEXINT64: hex(json, key, value); break;
    case ETL_IN_TYPE_FILETIME: filetime(json, key, value); break;
    case ETL_IN_TYPE_SYSTEMTIME: systemtime(json, key, value); break;
    case ETL_IN_TYPE_SIZET: unsigned_number(json, key, value); break;
    case ETL_IN_TYPE_WBEMSID:
    case ETL_IN_TYPE_SID: sid(json, key, value); break;
    default:
        if (value.size != IPV6_SIZE || !shown(json, key, field, value))
            tool_json_bytes(json, key, value);
        break;
    }
}
