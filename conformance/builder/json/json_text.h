/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as it is written, into a chunk. An object knows which node of the recipe it is the record of, so that a field that
 * the recipe gives a value of its own is written with that value, wherever the field comes from.
 */
#ifndef ETLPROOF_JSON_TEXT_H
#define ETLPROOF_JSON_TEXT_H

#include "model/model.h"

/* Text without quotes; bytes become what JSON holds between them. */
void build_json_raw(build_chunk *out, const char *text);
void build_json_u64(build_chunk *out, uint64_t value);
void build_json_i64(build_chunk *out, int64_t value);
/* 0x and at least `digits` digits, lower-case. */
void build_json_hex(build_chunk *out, uint64_t value, unsigned digits);
/* A GUID as it is stored: little-endian in its first three members. */
void build_json_guid(build_chunk *out, const uint8_t guid[16]);
void build_json_dump(build_chunk *out, const uint8_t *bytes, size_t size);
/* Bytes that are no UTF-8 become \xNN, surrogates without their other half \uNNNN. */
void build_json_utf8(build_chunk *out, const uint8_t *bytes, size_t size);
void build_json_utf16(build_chunk *out, const uint8_t *bytes, size_t size);

/* What a recipe says of a field, "pid" or "logfile.perf_freq": its value as JSON text, NULL for one that is not there. */
typedef struct build_field_override {
    const char *node, *field, *value;
    bool used; /* an object has been written that it is about */
} build_field_override;

typedef struct build_field_overrides {
    build_field_override *at;
    size_t count;
} build_field_overrides;

typedef struct build_json_object {
    build_chunk *out;
    build_field_overrides *overrides; /* NULL: none */
    const char *node;
    const struct build_json_object
        *outer; /* the object that this one is a member of, by `key`; NULL: it is the record itself */
    const char *key;
    bool more;
} build_json_object;

build_json_object build_json_object_open(build_chunk *out, build_field_overrides *overrides, const char *node);
/* True if a value has to follow; false if the recipe has said what it is. */
bool build_json_object_key(build_json_object *object, const char *key);
/* The same, for a member that is an object; `object` stays where it is until `inner` is closed. */
bool build_json_object_nest(build_json_object *object, const char *key, build_json_object *inner);
/* Adds the fields that only the recipe knows, and closes the object. */
void build_json_object_close(build_json_object *object);

void build_json_object_text(build_json_object *object, const char *key, const char *text);
void build_json_object_bool(build_json_object *object, const char *key, bool value);
/* A number. */
void build_json_object_number(build_json_object *object, const char *key, int64_t value);
/* 64 bits: a number in quotes. */
void build_json_object_u64(build_json_object *object, const char *key, uint64_t value);
void build_json_object_i64(build_json_object *object, const char *key, int64_t value);
void build_json_object_hex(build_json_object *object, const char *key, uint64_t value, unsigned digits);
void build_json_object_guid(build_json_object *object, const char *key, const uint8_t guid[16]);
void build_json_object_dump(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);
void build_json_object_utf8(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);
void build_json_object_utf16(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);

#endif
