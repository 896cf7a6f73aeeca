/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer without memory of its own. Each function writes one member of the object that is open, or, with key NULL,
 * one element of the array that is. Keys are plain ASCII.
 */
#ifndef ETLPROOF_JSON_H
#define ETLPROOF_JSON_H

#include "etlproof/etlproof.h"

#include "out.h"

typedef struct etl_json {
    etl_out *out;
    bool more; /* something stands before in the same object or array */
} etl_json;

void etl_json_open(etl_json *json, etl_out *out);

void etl_json_object(etl_json *json, const char *key);
void etl_json_object_end(etl_json *json);
void etl_json_array(etl_json *json, const char *key);
void etl_json_array_end(etl_json *json);
/* Ends a record: the next one starts on a new line. */
void etl_json_line(etl_json *json);

void etl_json_bool(etl_json *json, const char *key, bool value);
void etl_json_null(etl_json *json, const char *key);
/* Numbers: what fits in 32 bits. */
void etl_json_u32(etl_json *json, const char *key, uint32_t value);
void etl_json_i32(etl_json *json, const char *key, int32_t value);
/* Decimal strings: what takes 64 bits. */
void etl_json_u64(etl_json *json, const char *key, uint64_t value);
void etl_json_i64(etl_json *json, const char *key, int64_t value);
/* A 64-bit number that a foreign schema wants as a number. */
void etl_json_number(etl_json *json, const char *key, uint64_t value);
/* "0x0501" */
void etl_json_hex(etl_json *json, const char *key, uint64_t value, unsigned digits);
void etl_json_guid(etl_json *json, const char *key, const etl_guid *guid);
/* A FILETIME as UTC; nothing if it has none. */
void etl_json_filetime(etl_json *json, const char *key, uint64_t filetime);
void etl_json_bytes(etl_json *json, const char *key, etl_span bytes);
/* The names of the bits that are set in `value`, as an array. */
void etl_json_names(etl_json *json, const char *key, uint32_t value, etl_names names);
/* A string of ours, or of the command line. In every string, what etl_utf_is_hidden is escaped. */
void etl_json_text(etl_json *json, const char *key, const char *text);
/* Bytes that are no UTF-8 become the text \xNN. */
void etl_json_utf8(etl_json *json, const char *key, etl_span text);
/* Lone surrogates become \uXXXX. */
void etl_json_utf16(etl_json *json, const char *key, etl_span text);

/* A string in pieces. */
void etl_json_string(etl_json *json, const char *key);
void etl_json_string_end(etl_json *json);

#endif
