/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What extended items hold.
 */
#include <stdio.h>

#include "records.h"

typedef enum item_layout {
    BYTES, GUID, SID, U32, U64, U64S, INSTANCE, STACK32, STACK64, STACK_KEY, SCHEMA, TRAITS, TEXT
} item_layout;

static const struct {
    uint16_t type;
    item_layout layout;
    uint32_t base, unit, most;
} rows[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) {value, layout, base, unit, most},
#include "format/item_types.def"
};

/* BYTES for a type or a size that the tables do not know. */
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

/* Numbers of `size` bytes that fill `data`, quoted or in hex. */
static void put_numbers(etl_object *object, const char *key, etl_bytes data, size_t size, bool hex)
{
    if (!etl_object_key(object, key))
        return;
    etl_text(object->out, "[");
    for (size_t at = 0; at + size <= data.size; at += size) {
        etl_text(object->out, at == 0 ? "\"" : ",\"");
        if (hex)
            etl_text_hex(object->out, etl_bytes_number(data, at, size), 1);
        else
            etl_text_u64(object->out, etl_bytes_number(data, at, size));
        etl_text(object->out, "\"");
    }
    etl_text(object->out, "]");
}

/* S-1-5-18; an authority of more than 32 bits is in hex. */
static void put_sid(etl_object *object, etl_bytes data)
{
    enum { FIXED = 8, COUNT_MAX = 15 };
    uint64_t authority = 0;
    const size_t count = data.at[1];
    if (count > COUNT_MAX || data.size != FIXED + 4 * count || !etl_object_key(object, "sid"))
        return;
    for (size_t i = 2; i < FIXED; i++)
        authority = authority << 8 | data.at[i];
    etl_text(object->out, "\"S-");
    etl_text_u64(object->out, data.at[0]);
    etl_text(object->out, "-");
    if (authority > UINT32_MAX)
        etl_text_hex(object->out, authority, 12);
    else
        etl_text_u64(object->out, authority);
    for (size_t i = 0; i < count; i++) {
        etl_text(object->out, "-");
        etl_text_u64(object->out, etl_bytes_number(data, FIXED + 4 * i, 4));
    }
    etl_text(object->out, "\"");
}

/* Self-description: TraceLogging metadata and provider traits. What is taken off the front of `rest` is in it no more. */

enum { CHAIN = 0x80, COUNTS = 0x60, COUNT_CONSTANT = 0x20, COUNT_CUSTOM = 0x60, FIELDS_MAX = 4096 /* PAY-005 */ };

/* The bytes that the size in front, which counts itself, says. */
static bool take_sized(etl_bytes *rest, size_t least, etl_bytes *body)
{
    const uint64_t size = rest->size >= 2 ? etl_bytes_number(*rest, 0, 2) : 0;
    if (size < least || size > rest->size)
        return false;
    *body = etl_bytes_part(*rest, 2, (size_t)size - 2);
    *rest = etl_bytes_part(*rest, (size_t)size, SIZE_MAX);
    return true;
}

static bool take_number(etl_bytes *rest, size_t size, uint64_t *number)
{
    if (rest->size < size)
        return false;
    *number = etl_bytes_number(*rest, 0, size);
    *rest = etl_bytes_part(*rest, size, SIZE_MAX);
    return true;
}

static bool take_text(etl_bytes *rest, etl_bytes *text)
{
    size_t size = 0;
    while (size < rest->size && rest->at[size] != 0)
        size++;
    *text = etl_bytes_part(*rest, 0, size);
    if (size == rest->size)
        return false;
    *rest = etl_bytes_part(*rest, size + 1, SIZE_MAX);
    return true;
}

/* Seven bits a byte, the first the highest of 28; those of a fifth and later byte are dropped. */
static bool take_tag(etl_bytes *rest, uint64_t *tag)
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
    etl_bytes name;
    uint64_t in, out, tag, count;
} field;

static bool take_field(etl_bytes *rest, field *f)
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
    *rest = etl_bytes_part(*rest, (size_t)skipped, SIZE_MAX);
    return true;
}

static void put_schema_field(etl_chunk *out, const field *f)
{
    etl_object object = etl_object_open(out, NULL, "");
    etl_object_utf8(&object, "name", f->name.at, f->name.size);
    etl_object_number(&object, "in_type", (int64_t)(f->in & ~(uint64_t)CHAIN));
    etl_object_number(&object, "out_type", (int64_t)(f->out & ~(uint64_t)CHAIN));
    etl_object_number(&object, "tag", (int64_t)f->tag);
    etl_object_number(&object, "count", (int64_t)f->count);
    etl_object_close(&object);
}

static void put_schema(etl_object *object, etl_bytes data)
{
    etl_bytes body, name;
    etl_object schema;
    uint64_t tag;
    field f;
    if (!take_sized(&data, 2, &body) || !take_tag(&body, &tag) || !take_text(&body, &name) ||
        !etl_object_nest(object, "schema", &schema))
        return;
    etl_object_number(&schema, "tag", (int64_t)tag);
    etl_object_utf8(&schema, "name", name.at, name.size);
    if (etl_object_key(&schema, "fields")) {
        etl_text(object->out, "[");
        for (size_t n = 0; n < FIELDS_MAX && take_field(&body, &f); n++) {
            etl_text(object->out, n == 0 ? "" : ",");
            put_schema_field(object->out, &f);
        }
        etl_text(object->out, "]");
    }
    etl_object_close(&schema);
}

static void put_traits(etl_object *object, etl_bytes data)
{
    /* By the number of the trait. */
    static const char *const keys[] = {NULL, "group", "decode"};
    enum { GUID_SIZE = 16 };
    const uint8_t *guids[3] = {NULL};
    etl_bytes body, name, chunk;
    etl_object traits;
    if (!take_sized(&data, 2, &body) || !take_text(&body, &name))
        return;
    while (body.size != 0) {
        if (!take_sized(&body, 3, &chunk))
            return;
        if (chunk.size == 1 + GUID_SIZE && chunk.at[0] < 3)
            guids[chunk.at[0]] = chunk.at + 1;
    }
    if (!etl_object_nest(object, "traits", &traits))
        return;
    etl_object_utf8(&traits, "name", name.at, name.size);
    for (size_t i = 1; i < 3; i++)
        if (guids[i] != NULL)
            etl_object_guid(&traits, keys[i], guids[i]);
    etl_object_close(&traits);
}

static void put_stack(etl_object *object, etl_bytes data, size_t size)
{
    etl_object_u64(object, "match_id", etl_bytes_number(data, 0, 8));
    put_numbers(object, "addresses", etl_bytes_part(data, 8, SIZE_MAX), size, true);
}

static void put_instance(etl_object *object, etl_bytes data)
{
    etl_object_number(object, "instance_id", (int64_t)etl_bytes_number(data, 0, 4));
    etl_object_number(object, "parent_instance_id", (int64_t)etl_bytes_number(data, 4, 4));
    etl_object_guid(object, "parent_guid", data.at + 8);
}

void etl_item_fields(etl_object *object, uint16_t type, etl_bytes data)
{
    const size_t key_size = type == ETL_ITEM_TYPE_STACK_KEY32 ? 4 : 8;
    switch (layout_of(type, data.size)) {
    case BYTES: break;
    case GUID: etl_object_guid(object, "guid", data.at); break;
    case SID: put_sid(object, data); break;
    case U32: etl_object_number(object, "value", (int64_t)etl_bytes_number(data, 0, 4)); break;
    case U64: etl_object_u64(object, "value", etl_bytes_number(data, 0, 8)); break;
    case U64S: put_numbers(object, "values", data, 8, false); break;
    case INSTANCE: put_instance(object, data); break;
    case STACK32: put_stack(object, data, 4); break;
    case STACK64: put_stack(object, data, 8); break;
    case STACK_KEY:
        etl_object_u64(object, "match_id", etl_bytes_number(data, 0, 8));
        etl_object_hex(object, "stack_key", etl_bytes_number(data, 8, key_size), 1);
        break;
    case SCHEMA: put_schema(object, data); break;
    case TRAITS: put_traits(object, data); break;
    case TEXT: etl_object_utf8(object, "text", data.at, data.size); break;
    }
}
