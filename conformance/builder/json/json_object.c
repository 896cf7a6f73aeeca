/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a JSON object from fields, with the values that a recipe sets in place of the usual ones. Called wherever
 * records are written.
 */
#include "json/json_object.h"

#include <string.h>

build_json_object build_json_object_open(build_chunk *out, build_field_overrides *overrides, const char *node)
{
    build_json_raw(out, "{");
    return (build_json_object){.out = out, .overrides = overrides, .node = node};
}

/* The rest of an override's path within this object; NULL if the override sets a field of another object. */
static const char *rest_here(const build_json_object *object, const build_field_override *override)
{
    if (object->outer == NULL)
        return strcmp(override->node, object->node) == 0 ? override->field : NULL;
    const char *rest = rest_here(object->outer, override);
    const size_t length = strlen(object->key);
    return rest != NULL && strncmp(rest, object->key, length) == 0 && rest[length] == '.' ? rest + length + 1 : NULL;
}

/* The key of this object that an override sets; NULL if the override sets a field of another or a nested object. */
static const char *key_here(const build_json_object *object, const build_field_override *override)
{
    const char *rest = rest_here(object, override);
    return rest != NULL && strchr(rest, '.') == NULL ? rest : NULL;
}

static void put_key(build_json_object *object, const char *key)
{
    build_json_raw(object->out, object->more ? ",\"" : "\"");
    build_json_raw(object->out, key);
    build_json_raw(object->out, "\":");
    object->more = true;
}

static void put_override(build_json_object *object, const char *key, build_field_override *override)
{
    override->used = true;
    if (override->value == NULL)
        return;
    put_key(object, key);
    build_json_raw(object->out, override->value);
}

bool build_json_object_key(build_json_object *object, const char *key)
{
    for (size_t i = 0; object->overrides != NULL && i < object->overrides->count; i++) {
        build_field_override *override = &object->overrides->at[i];
        const char *here = key_here(object, override);
        if (here == NULL || strcmp(here, key) != 0)
            continue;
        put_override(object, key, override);
        return false;
    }
    put_key(object, key);
    return true;
}

bool build_json_object_nest(build_json_object *object, const char *key, build_json_object *inner)
{
    if (!build_json_object_key(object, key))
        return false;
    *inner = build_json_object_open(object->out, object->overrides, object->node);
    inner->outer = object;
    inner->key = key;
    return true;
}

void build_json_object_close(build_json_object *object)
{
    for (size_t i = 0; object->overrides != NULL && i < object->overrides->count; i++) {
        build_field_override *override = &object->overrides->at[i];
        const char *here = key_here(object, override);
        if (here != NULL && !override->used)
            put_override(object, here, override);
    }
    build_json_raw(object->out, "}");
}

static bool open_quote(build_json_object *object, const char *key)
{
    const bool wanted = build_json_object_key(object, key);
    if (wanted)
        build_json_raw(object->out, "\"");
    return wanted;
}

#define QUOTED(write)                                                                                                      \
    do {                                                                                                                   \
        if (open_quote(object, key)) {                                                                                     \
            write;                                                                                                         \
            build_json_raw(object->out, "\"");                                                                             \
        }                                                                                                                  \
    } while (0)

void build_json_object_text(build_json_object *object, const char *key, const char *text)
{
    QUOTED(build_json_utf8(object->out, (const uint8_t *)text, strlen(text)));
}

void build_json_object_null(build_json_object *object, const char *key)
{
    if (build_json_object_key(object, key))
        build_json_raw(object->out, "null");
}

void build_json_object_bool(build_json_object *object, const char *key, bool value)
{
    if (build_json_object_key(object, key))
        build_json_raw(object->out, value ? "true" : "false");
}

void build_json_object_number(build_json_object *object, const char *key, int64_t value)
{
    if (build_json_object_key(object, key))
        build_json_i64(object->out, value);
}

void build_json_object_u64(build_json_object *object, const char *key, uint64_t value)
{
    QUOTED(build_json_u64(object->out, value));
}

void build_json_object_i64(build_json_object *object, const char *key, int64_t value)
{
    QUOTED(build_json_i64(object->out, value));
}

void build_json_object_hex(build_json_object *object, const char *key, uint64_t value, unsigned digits)
{
    QUOTED(build_json_hex(object->out, value, digits));
}

void build_json_object_guid(build_json_object *object, const char *key, const uint8_t guid[16])
{
    QUOTED(build_json_guid(object->out, guid));
}

void build_json_object_dump(build_json_object *object, const char *key, const uint8_t *bytes, size_t size)
{
    QUOTED(build_json_dump(object->out, bytes, size));
}

void build_json_object_utf8(build_json_object *object, const char *key, const uint8_t *bytes, size_t size)
{
    QUOTED(build_json_utf8(object->out, bytes, size));
}

void build_json_object_utf16(build_json_object *object, const char *key, const uint8_t *bytes, size_t size)
{
    QUOTED(build_json_utf16(object->out, bytes, size));
}
