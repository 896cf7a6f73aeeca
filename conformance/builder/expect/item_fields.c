/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the data of one extended data item as fields of its JSON object. Called for each item of an event record.
 */
#include "expect/item_fields.h"

#include "etlproof/format.h"

typedef enum item_layout {
    BYTES,
    GUID,
    SID,
    U32,
    U64,
    U64S,
    INSTANCE,
    STACK32,
    STACK64,
    STACK_KEY,
    SCHEMA,
    TRAITS,
    TEXT
} item_layout;

static const struct {
    uint16_t type;
    item_layout layout;
    uint32_t base, unit, most;
} rows[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) {value, layout, base, unit, most},
#include "format/item_types.def"
};

/* BYTES for a type or a size that item_types.def does not know. */
static item_layout layout_of(uint16_t type, size_t size)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type != type)
            continue;
        const size_t unit = rows[i].unit != 0 ? rows[i].unit : 1;
        const size_t most = rows[i].unit != 0 ? rows[i].most : 0;
        const size_t more = size - rows[i].base;
        return size >= rows[i].base && more % unit == 0 && more / unit <= most ? rows[i].layout : BYTES;
    }
    return BYTES;
}

/* An array of the numbers in `data`, of `size` bytes each: in quotes, decimal or hex. */
static void put_numbers(build_json_object *object, const char *key, build_span data, size_t size, bool hex)
{
    if (!build_json_object_key(object, key))
        return;
    build_json_raw(object->out, "[");
    for (size_t at = 0; at + size <= data.size; at += size) {
        build_json_raw(object->out, at == 0 ? "\"" : ",\"");
        if (hex)
            build_json_hex(object->out, build_span_number(data, at, size), 1);
        else
            build_json_u64(object->out, build_span_number(data, at, size));
        build_json_raw(object->out, "\"");
    }
    build_json_raw(object->out, "]");
}

/* S-1-5-18; an authority of more than 32 bits is written in hex. */
static void put_sid(build_json_object *object, build_span data)
{
    enum { FIXED = 8, COUNT_MAX = 15 };
    uint64_t authority = 0;
    const size_t count = data.at[1];
    if (count > COUNT_MAX || data.size != FIXED + 4 * count || !build_json_object_key(object, "sid"))
        return;
    for (size_t i = 2; i < FIXED; i++)
        authority = authority << 8 | data.at[i];
    build_json_raw(object->out, "\"S-");
    build_json_u64(object->out, data.at[0]);
    build_json_raw(object->out, "-");
    if (authority > UINT32_MAX)
        build_json_hex(object->out, authority, 12);
    else
        build_json_u64(object->out, authority);
    for (size_t i = 0; i < count; i++) {
        build_json_raw(object->out, "-");
        build_json_u64(object->out, build_span_number(data, FIXED + 4 * i, 4));
    }
    build_json_raw(object->out, "\"");
}

/* TraceLogging metadata and provider traits. Each take_ function removes what it reads from the front of `rest`. */

enum { CHAIN = 0x80, COUNTS = 0x60, COUNT_CONSTANT = 0x20, COUNT_CUSTOM = 0x60, FIELDS_MAX = 4096 /* PAY-005 */ };

/* The bytes after a u16 size, which counts itself. */
static bool take_sized(build_span *rest, size_t least, build_span *body)
{
    const uint64_t size = rest->size >= 2 ? build_span_number(*rest, 0, 2) : 0;
    if (size < least || size > rest->size)
        return false;
    *body = build_span_slice(*rest, 2, (size_t)size - 2);
    *rest = build_span_slice(*rest, (size_t)size, SIZE_MAX);
    return true;
}

static bool take_number(build_span *rest, size_t size, uint64_t *number)
{
    if (rest->size < size)
        return false;
    *number = build_span_number(*rest, 0, size);
    *rest = build_span_slice(*rest, size, SIZE_MAX);
    return true;
}

static bool take_text(build_span *rest, build_span *text)
{
    size_t size = 0;
    while (size < rest->size && rest->at[size] != 0)
        size++;
    *text = build_span_slice(*rest, 0, size);
    if (size == rest->size)
        return false;
    *rest = build_span_slice(*rest, size + 1, SIZE_MAX);
    return true;
}

/* Seven bits a byte, highest first, 28 in all; the bits of a fifth and later byte are dropped. */
static bool take_tag(build_span *rest, uint64_t *tag)
{
    uint64_t byte = CHAIN;
    *tag = 0;
    for (unsigned shift = 28; byte & CHAIN; shift = shift > 0 ? shift - 7 : 0) {
        if (!take_number(rest, 1, &byte))
            return false;
        if (shift > 0)
            *tag |= (byte & 0x7F) << (shift - 7);
    }
    return true;
}

typedef struct field {
    build_span name;
    uint64_t in, out, tag, count;
} field;

static bool take_field(build_span *rest, field *f)
{
    uint64_t skipped = 0;
    *f = (field){0};
    if (!take_text(rest, &f->name) || !take_number(rest, 1, &f->in))
        return false;
    if ((f->in & CHAIN) != 0 && !take_number(rest, 1, &f->out))
        return false;
    if ((f->out & CHAIN) != 0 && !take_tag(rest, &f->tag))
        return false;
    if ((f->in & COUNTS) == COUNT_CONSTANT)
        return take_number(rest, 2, &f->count);
    if ((f->in & COUNTS) != COUNT_CUSTOM)
        return true;
    if (!take_number(rest, 2, &skipped) || skipped > rest->size)
        return false;
    *rest = build_span_slice(*rest, (size_t)skipped, SIZE_MAX);
    return true;
}

static void put_schema_field(build_chunk *out, const field *f)
{
    build_json_object object = build_json_object_open(out, NULL, "");
    build_json_object_utf8(&object, "name", f->name.at, f->name.size);
    build_json_object_number(&object, "in_type", (int64_t)(f->in & ~(uint64_t)CHAIN));
    build_json_object_number(&object, "out_type", (int64_t)(f->out & ~(uint64_t)CHAIN));
    build_json_object_number(&object, "tag", (int64_t)f->tag);
    build_json_object_number(&object, "count", (int64_t)f->count);
    build_json_object_close(&object);
}

static void put_schema(build_json_object *object, build_span data)
{
    build_span body, name;
    build_json_object schema;
    uint64_t tag;
    field f;
    if (!take_sized(&data, 2, &body) || !take_tag(&body, &tag) || !take_text(&body, &name) ||
        !build_json_object_nest(object, "schema", &schema))
        return;
    build_json_object_number(&schema, "tag", (int64_t)tag);
    build_json_object_utf8(&schema, "name", name.at, name.size);
    if (build_json_object_key(&schema, "fields")) {
        build_json_raw(object->out, "[");
        for (size_t n = 0; n < FIELDS_MAX && take_field(&body, &f); n++) {
            build_json_raw(object->out, n == 0 ? "" : ",");
            put_schema_field(object->out, &f);
        }
        build_json_raw(object->out, "]");
    }
    build_json_object_close(&schema);
}

static void put_traits(build_json_object *object, build_span data)
{
    /* By trait number. */
    static const char *const keys[] = {NULL, "group", "decode"};
    enum { GUID_SIZE = 16 };
    const uint8_t *guids[3] = {NULL};
    build_span body, name, chunk;
    build_json_object traits;
    if (!take_sized(&data, 2, &body) || !take_text(&body, &name))
        return;
    while (body.size != 0) {
        if (!take_sized(&body, 3, &chunk))
            return;
        if (chunk.size == 1 + GUID_SIZE && chunk.at[0] < 3)
            guids[chunk.at[0]] = chunk.at + 1;
    }
    if (!build_json_object_nest(object, "traits", &traits))
        return;
    build_json_object_utf8(&traits, "name", name.at, name.size);
    for (size_t i = 1; i < 3; i++)
        if (guids[i] != NULL)
            build_json_object_guid(&traits, keys[i], guids[i]);
    build_json_object_close(&traits);
}

static void put_stack(build_json_object *object, build_span data, size_t size)
{
    build_json_object_u64(object, "match_id", build_span_number(data, 0, 8));
    put_numbers(object, "addresses", build_span_slice(data, 8, SIZE_MAX), size, true);
}

static void put_instance(build_json_object *object, build_span data)
{
    build_json_object_number(object, "instance_id", (int64_t)build_span_number(data, 0, 4));
    build_json_object_number(object, "parent_instance_id", (int64_t)build_span_number(data, 4, 4));
    build_json_object_guid(object, "parent_guid", data.at + 8);
}

void build_item_fields(build_json_object *object, uint16_t type, build_span data)
{
    const size_t key_size = type == ETL_ITEM_TYPE_STACK_KEY32 ? 4 : 8;
    switch (layout_of(type, data.size)) {
    case BYTES: break;
    case GUID: build_json_object_guid(object, "guid", data.at); break;
    case SID: put_sid(object, data); break;
    case U32: build_json_object_number(object, "value", (int64_t)build_span_number(data, 0, 4)); break;
    case U64: build_json_object_u64(object, "value", build_span_number(data, 0, 8)); break;
    case U64S: put_numbers(object, "values", data, 8, false); break;
    case INSTANCE: put_instance(object, data); break;
    case STACK32: put_stack(object, data, 4); break;
    case STACK64: put_stack(object, data, 8); break;
    case STACK_KEY:
        build_json_object_u64(object, "match_id", build_span_number(data, 0, 8));
        build_json_object_hex(object, "stack_key", build_span_number(data, 8, key_size), 1);
        break;
    case SCHEMA: put_schema(object, data); break;
    case TRAITS: put_traits(object, data); break;
    case TEXT: build_json_object_utf8(object, "text", data.at, data.size); break;
    }
}
