/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_json_object: a JSON object that is being written. It knows the node of the recipe whose record it is, so that a
 * field that the recipe sets (`expect NODE.FIELD = …`) gets the recipe's value, whatever code writes the field.
 */
#ifndef ETLPROOF_JSON_OBJECT_H
#define ETLPROOF_JSON_OBJECT_H

#include <stdbool.h>

#include "json/json_text.h"

/* A field that the recipe sets: "pid", or "logfile.perf_freq". */
typedef struct build_field_override {
    const char *node, *field;
    const char *value; /* JSON text; NULL: the field is absent */
    bool used;         /* an object with this field has been written */
} build_field_override;

typedef struct build_field_overrides {
    build_field_override *at;
    size_t count;
} build_field_overrides;

typedef struct build_json_object {
    build_chunk *out;
    build_field_overrides *overrides; /* NULL: none */
    const char *node;
    const struct build_json_object *outer; /* the object that has this one as its member `key`; NULL for a record */
    const char *key;
    bool more; /* a comma precedes the next field */
} build_json_object;

build_json_object build_json_object_open(build_chunk *out, build_field_overrides *overrides, const char *node);
/* Writes the key. True if the caller has to write a value; false if the recipe sets the field. */
bool build_json_object_key(build_json_object *object, const char *key);
/* The same for a member that is an object; `object` must not be used until `inner` is closed. */
bool build_json_object_nest(build_json_object *object, const char *key, build_json_object *inner);
/* Adds the fields that only the recipe sets, and closes the object. */
void build_json_object_close(build_json_object *object);

/* Each adds one field. */
void build_json_object_text(build_json_object *object, const char *key, const char *text);
void build_json_object_null(build_json_object *object, const char *key);
void build_json_object_bool(build_json_object *object, const char *key, bool value);
void build_json_object_number(build_json_object *object, const char *key, int64_t value);
/* Numbers of 64 bits are written in quotes. */
void build_json_object_u64(build_json_object *object, const char *key, uint64_t value);
void build_json_object_i64(build_json_object *object, const char *key, int64_t value);
void build_json_object_hex(build_json_object *object, const char *key, uint64_t value, unsigned digits);
void build_json_object_guid(build_json_object *object, const char *key, const uint8_t guid[16]);
void build_json_object_dump(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);
void build_json_object_utf8(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);
void build_json_object_utf16(build_json_object *object, const char *key, const uint8_t *bytes, size_t size);

#endif
