/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer without memory of its own. Each function writes one member of the open object, or, with key NULL, one
 * element of the open array. Keys are plain ASCII of at most TOOL_OUTPUT_RESERVE_MAX / 2 bytes.
 */
#ifndef ETLPROOF_RECORDS_JSON_WRITER_H
#define ETLPROOF_RECORDS_JSON_WRITER_H

#include <string.h>

#include "etlproof/etlproof.h"

#include "io/output.h"

typedef struct tool_json {
    tool_output *out;
    bool more; /* the open object or array is not empty: a comma comes first */
    uint64_t second; /* the start of the second of the last FILETIME, as FILETIME, ... */
    char utc[TOOL_UTC_SIZE + 1]; /* ... and as UTC: most events follow in the same second */
} tool_json;

void tool_json_open(tool_json *json, tool_output *out);

/*
 * Writes the comma and the key before a value, and reserves `room` bytes for the value. Returns where it goes; the caller
 * hands its end to tool_json_end. Inline: the size of a constant key is known to the compiler.
 */
static inline char *tool_json_begin(tool_json *json, const char *key, size_t room)
{
    const size_t size = key != NULL ? strlen(key) : 0;
    char *at = tool_output_reserve(json->out, size + 4 + room);
    *at = ',';
    at += json->more;
    json->more = true;
    if (key == NULL)
        return at;
    *at++ = '"';
    memcpy(at, key, size);
    at += size;
    *at++ = '"';
    *at++ = ':';
    return at;
}

static inline void tool_json_end(tool_json *json, const char *end)
{
    json->out->used = (size_t)(end - json->out->at);
}

static inline void tool_json_open_with(tool_json *json, const char *key, char bracket)
{
    char *at = tool_json_begin(json, key, 1);
    *at++ = bracket;
    tool_json_end(json, at);
    json->more = false;
}

static inline void tool_json_close_with(tool_json *json, char bracket)
{
    tool_put_char(json->out, bracket);
    json->more = true;
}

static inline void tool_json_object(tool_json *json, const char *key)
{
    tool_json_open_with(json, key, '{');
}

static inline void tool_json_object_end(tool_json *json)
{
    tool_json_close_with(json, '}');
}

static inline void tool_json_array(tool_json *json, const char *key)
{
    tool_json_open_with(json, key, '[');
}

static inline void tool_json_array_end(tool_json *json)
{
    tool_json_close_with(json, ']');
}

/* Ends the line of a record. */
static inline void tool_json_line(tool_json *json)
{
    tool_put_char(json->out, '\n');
    json->more = false;
}

void tool_json_bool(tool_json *json, const char *key, bool value);
void tool_json_null(tool_json *json, const char *key);

/*
 * Writers of values into reserved room. With TOOL_MEMBER they write a run of members: tool_json_run reserves room for many
 * members behind the first one of an object, and tool_json_end takes their end.
 */
static inline char *tool_value_u32(char *at, uint32_t value)
{
    return tool_write_u64(at, value);
}

static inline char *tool_value_u64(char *at, uint64_t value)
{
    *at = '"';
    at = tool_write_u64(at + 1, value);
    *at = '"';
    return at + 1;
}

static inline char *tool_value_i64(char *at, int64_t value)
{
    at[0] = '"';
    at[1] = '-';
    at = tool_write_u64(at + 1 + (value < 0), value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    *at = '"';
    return at + 1;
}

/* "0x0f", "0x0501" and so on: all digits of the type. */
#define TOOL_VALUE_HEX(type, number_type) \
    static inline char *tool_value_hex_##type(char *at, number_type value) \
    { \
        at = tool_write_hex_##type(tool_write_text(at, "\"0x"), value); \
        *at = '"'; \
        return at + 1; \
    }
TOOL_VALUE_HEX(u8, uint8_t)
TOOL_VALUE_HEX(u16, uint16_t)
TOOL_VALUE_HEX(u64, uint64_t)
#undef TOOL_VALUE_HEX

static inline char *tool_value_guid(char *at, const etl_guid *guid)
{
    *at = '"';
    at = tool_write_guid(at + 1, guid);
    *at = '"';
    return at + 1;
}

#define TOOL_JSON_RUN TOOL_OUTPUT_RESERVE_MAX

static inline char *tool_json_run(tool_json *json)
{
    return tool_output_reserve(json->out, TOOL_JSON_RUN);
}

/* A comma and a key, which is a literal. */
#define TOOL_JSON_KEY(at, key) tool_write_text(at, ",\"" key "\":")
/* The next member of the run that ends at the variable `at`. */
#define TOOL_MEMBER(type, key, value) at = tool_value_##type(TOOL_JSON_KEY(at, key), value)

/* A 64-bit value as a number, where a foreign schema demands one. */
static inline void tool_json_number(tool_json *json, const char *key, uint64_t value)
{
    tool_json_end(json, tool_write_u64(tool_json_begin(json, key, TOOL_U64_MAX), value));
}

/* Values of up to 32 bits are numbers. */
static inline void tool_json_u32(tool_json *json, const char *key, uint32_t value)
{
    tool_json_end(json, tool_value_u32(tool_json_begin(json, key, TOOL_U64_MAX), value));
}

void tool_json_i32(tool_json *json, const char *key, int32_t value);

/* Values of 64 bits are decimal strings. */
static inline void tool_json_u64(tool_json *json, const char *key, uint64_t value)
{
    tool_json_end(json, tool_value_u64(tool_json_begin(json, key, TOOL_U64_MAX + 2), value));
}

static inline void tool_json_i64(tool_json *json, const char *key, int64_t value)
{
    tool_json_end(json, tool_value_i64(tool_json_begin(json, key, TOOL_U64_MAX + 3), value));
}

/* "0x0501": at least `digits` digits */
static inline void tool_json_hex(tool_json *json, const char *key, uint64_t value, unsigned digits)
{
    char *at = tool_json_begin(json, key, TOOL_HEX_MAX + 4);
    at = tool_write_hex(tool_write_text(at, "\"0x"), value, digits);
    *at = '"';
    tool_json_end(json, at + 1);
}

static inline void tool_json_guid(tool_json *json, const char *key, const etl_guid *guid)
{
    tool_json_end(json, tool_value_guid(tool_json_begin(json, key, TOOL_GUID_SIZE + 2), guid));
}

/* True if `filetime` can be written as UTC: json->utc then has its second. */
bool tool_json_find_second(tool_json *json, uint64_t filetime);

/* After tool_json_find_second. */
static inline char *tool_value_utc(char *at, uint64_t filetime, const tool_json *json)
{
    *at++ = '"';
    memcpy(at, json->utc, TOOL_UTC_FRACTION);
    at = tool_write_fraction(at + TOOL_UTC_FRACTION, (uint32_t)(filetime - json->second));
    *at = '"';
    return at + 1;
}
/* A FILETIME as UTC; nothing if it is out of range. */
void tool_json_filetime(tool_json *json, const char *key, uint64_t filetime);
void tool_json_bytes(tool_json *json, const char *key, etl_span bytes);
/* "S-1-5-18" */
void tool_json_sid(tool_json *json, const char *key, const etl_sid *sid);
/* An array with the names of the bits set in `value`. */
void tool_json_names(tool_json *json, const char *key, uint32_t value, etl_names names);
/* A name from the tables, which needs no escape. */
static inline void tool_json_name(tool_json *json, const char *key, const char *name)
{
    const size_t size = strlen(name);
    char *at = tool_json_begin(json, key, size + 2);
    *at++ = '"';
    memcpy(at, name, size);
    at += size;
    *at++ = '"';
    tool_json_end(json, at);
}

/* A string of this program or of the command line. In every string, hidden characters (tool_utf_is_hidden) are escaped. */
void tool_json_text(tool_json *json, const char *key, const char *text);
/* A byte that is not UTF-8 becomes the text \xNN. */
void tool_json_utf8(tool_json *json, const char *key, etl_span text);
/* Windows code page 1252. */
void tool_json_cp1252(tool_json *json, const char *key, etl_span text);
/* A lone surrogate becomes \uXXXX. */
void tool_json_utf16(tool_json *json, const char *key, etl_span text);

/* A string that the caller writes piece by piece: plain characters, and UTF-16. */
static inline void tool_json_string(tool_json *json, const char *key)
{
    char *at = tool_json_begin(json, key, 1);
    *at++ = '"';
    tool_json_end(json, at);
}

void tool_json_string_utf16(tool_json *json, etl_span text);

static inline void tool_json_string_end(tool_json *json)
{
    tool_put_char(json->out, '"');
}

#endif
