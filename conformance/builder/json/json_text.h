/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text, appended to a chunk. The caller adds the quotes.
 */
#ifndef ETLPROOF_JSON_TEXT_H
#define ETLPROOF_JSON_TEXT_H

#include "model/chunk.h"

/* Appends the text as it is. */
void build_json_raw(build_chunk *out, const char *text);
void build_json_u64(build_chunk *out, uint64_t value);
void build_json_i64(build_chunk *out, int64_t value);
/* 0x and at least `digits` digits, lower-case. */
void build_json_hex(build_chunk *out, uint64_t value, unsigned digits);
/* A GUID as stored: its first three members are little-endian. */
void build_json_guid(build_chunk *out, const uint8_t guid[16]);
/* Two hex digits a byte. */
void build_json_dump(build_chunk *out, const uint8_t *bytes, size_t size);
/* Escaped text. Bytes that are not UTF-8 become \\xNN, lone surrogates \uNNNN. */
void build_json_utf8(build_chunk *out, const uint8_t *bytes, size_t size);
void build_json_utf16(build_chunk *out, const uint8_t *bytes, size_t size);

#endif
