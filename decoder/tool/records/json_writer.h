/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer without memory of its own. Each function writes one member of the open object, or, with key NULL, one
 * element of the open array. Keys are plain ASCII.
 */
#ifndef ETLPROOF_RECORDS_JSON_WRITER_H
#define ETLPROOF_RECORDS_JSON_WRITER_H

#include "etlproof/etlproof.h"

#include "io/output.h"

typedef struct tool_json {
    tool_output *out;
    bool more; /* the open object or array is not empty: a comma comes first */
} tool_json;

void tool_json_open(tool_json *json, tool_output *out);

void tool_json_object(tool_json *json, const char *key);
void tool_json_object_end(tool_json *json);
void tool_json_array(tool_json *json, const char *key);
void tool_json_array_end(tool_json *json);
/* Ends the line of a record. */
void tool_json_line(tool_json *json);

void tool_json_bool(tool_json *json, const char *key, bool value);
void tool_json_null(tool_json *json, const char *key);
/* Values of up to 32 bits are numbers. */
void tool_json_u32(tool_json *json, const char *key, uint32_t value);
void tool_json_i32(tool_json *json, const char *key, int32_t value);
/* Values of 64 bits are decimal strings. */
void tool_json_u64(tool_json *json, const char *key, uint64_t value);
void tool_json_i64(tool_json *json, const char *key, int64_t value);
/* A 64-bit value as a number, where a foreign schema demands one. */
void tool_json_number(tool_json *json, const char *key, uint64_t value);
/* "0x0501" */
void tool_json_hex(tool_json *json, const char *key, uint64_t value, unsigned digits);
void tool_json_guid(tool_json *json, const char *key, const etl_guid *guid);
/* A FILETIME as UTC; nothing if it is out of range. */
void tool_json_filetime(tool_json *json, const char *key, uint64_t filetime);
void tool_json_bytes(tool_json *json, const char *key, etl_span bytes);
/* An array with the names of the bits set in `value`. */
void tool_json_names(tool_json *json, const char *key, uint32_t value, etl_names names);
/* A string of this program or of the command line. In every string, hidden characters (tool_utf_is_hidden) are escaped. */
void tool_json_text(tool_json *json, const char *key, const char *text);
/* A byte that is not UTF-8 becomes the text \xNN. */
void tool_json_utf8(tool_json *json, const char *key, etl_span text);
/* A lone surrogate becomes \uXXXX. */
void tool_json_utf16(tool_json *json, const char *key, etl_span text);

/* A string that the caller writes piece by piece. */
void tool_json_string(tool_json *json, const char *key);
void tool_json_string_end(tool_json *json);

#endif
