/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as it is written, into a chunk. An object knows which node of the recipe it is the record of, so that a field that
 * the recipe gives a value of its own is written with that value, wherever the field comes from.
 */
#ifndef ETLPROOF_JSON_TEXT_H
#define ETLPROOF_JSON_TEXT_H

#include "model.h"

/* Text without quotes; bytes become what JSON holds between them. */
void etl_text(etl_chunk *out, const char *text);
void etl_text_u64(etl_chunk *out, uint64_t value);
void etl_text_i64(etl_chunk *out, int64_t value);
/* 0x and at least `digits` digits, lower-case. */
void etl_text_hex(etl_chunk *out, uint64_t value, unsigned digits);
/* A GUID as it is stored: little-endian in its first three members. */
void etl_text_guid(etl_chunk *out, const uint8_t guid[16]);
void etl_text_dump(etl_chunk *out, const uint8_t *bytes, size_t size);
/* Bytes that are no UTF-8 become \xNN, surrogates without their other half \uNNNN. */
void etl_text_utf8(etl_chunk *out, const uint8_t *bytes, size_t size);
void etl_text_utf16(etl_chunk *out, const uint8_t *bytes, size_t size);

/* What a recipe says of a field, "pid" or "logfile.perf_freq": its value as JSON text, NULL for one that is not there. */
typedef struct etl_override {
    const char *node, *field, *value;
    bool used; /* an object has been written that it is about */
} etl_override;

typedef struct etl_overrides {
    etl_override *at;
    size_t count;
} etl_overrides;

typedef struct etl_object {
    etl_chunk *out;
    etl_overrides *overrides; /* NULL: none */
    const char *node;
    const struct etl_object *outer; /* the object that this one is a member of, by `key`; NULL: it is the record itself */
    const char *key;
    bool more;
} etl_object;

etl_object etl_object_open(etl_chunk *out, etl_overrides *overrides, const char *node);
/* True if a value has to follow; false if the recipe has said what it is. */
bool etl_object_key(etl_object *object, const char *key);
/* The same, for a member that is an object; `object` stays where it is until `inner` is closed. */
bool etl_object_nest(etl_object *object, const char *key, etl_object *inner);
/* Adds the fields that only the recipe knows, and closes the object. */
void etl_object_close(etl_object *object);

void etl_object_text(etl_object *object, const char *key, const char *text);
void etl_object_bool(etl_object *object, const char *key, bool value);
/* A number. */
void etl_object_number(etl_object *object, const char *key, int64_t value);
/* 64 bits: a number in quotes. */
void etl_object_u64(etl_object *object, const char *key, uint64_t value);
void etl_object_i64(etl_object *object, const char *key, int64_t value);
void etl_object_hex(etl_object *object, const char *key, uint64_t value, unsigned digits);
void etl_object_guid(etl_object *object, const char *key, const uint8_t guid[16]);
void etl_object_dump(etl_object *object, const char *key, const uint8_t *bytes, size_t size);
void etl_object_utf8(etl_object *object, const char *key, const uint8_t *bytes, size_t size);
void etl_object_utf16(etl_object *object, const char *key, const uint8_t *bytes, size_t size);

#endif
