/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer without memory of its own. Each function writes one member of the object that is open, or, with key NULL,
 * one element of the array that is. Keys are plain ASCII.
 */
#ifndef ETLPROOF_JSON_H
#define ETLPROOF_JSON_H

#include "etlproof/etlproof.h"

#include "io/output.h"

typedef struct tool_json {
    tool_output *out;
    bool more; /* something stands before in the same object or array */
} tool_json;

void tool_json_open(tool_json *json, tool_output *out);

void tool_json_object(tool_json *json, const char *key);
void tool_json_object_end(tool_json *json);
void tool_json_array(tool_json *json, const char *key);
void tool_json_array_end(tool_json *json);
/* Ends a record: the next one starts on a new line. */
void tool_json_line(tool_json *json);

void tool_json_bool(tool_json *json, const char *key, bool value);
void tool_json_null(tool_json *json, const char *key);
/* Numbers: what fits in 32 bits. */
void tool_json_u32(tool_json *json, const char *key, uint32_t value);
void tool_json_i32(tool_json *json, const char *key, int32_t value);
/* Decimal strings: what takes 64 bits. */
void tool_json_u64(tool_json *json, const char *key, uint64_t value);
void tool_json_i64(tool_json *json, const char *key, int64_t value);
/* A 64-bit number that a foreign schema wants as a number. */
void tool_json_number(tool_json *json, const char *key, uint64_t value);
/* "0x0501" */
void tool_json_hex(tool_json *json, const char *key, uint64_t value, unsigned digits);
void tool_json_guid(tool_json *json, const char *key, const etl_guid *guid);
/* A FILETIME as UTC; nothing if it has none. */
void tool_json_filetime(tool_json *json, const char *key, uint64_t filetime);
void tool_json_bytes(tool_json *json, const char *key, etl_span bytes);
/* The names of the bits that are set in `value`, as an array. */
void tool_json_names(tool_json *json, const char *key, uint32_t value, etl_names names);
/* A string of ours, or of the command line. In every string, what tool_utf_is_hidden is escaped. */
void tool_json_text(tool_json *json, const char *key, const char *text);
/* Bytes that are no UTF-8 become the text \xNN. */
void tool_json_utf8(tool_json *json, const char *key, etl_span text);
/* Lone surrogates become \uXXXX. */
void tool_json_utf16(tool_json *json, const char *key, etl_span text);

/* A string in pieces. */
void tool_json_string(tool_json *json, const char *key);
void tool_json_string_end(tool_json *json);

#endif
