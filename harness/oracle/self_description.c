/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks TraceLogging metadata and provider traits: reads them byte by byte, and the decoder must return the same and stop
 * at the first missing byte. Called by item_members.c.
 */
#include "entry_points.h"
#include "input_bytes.h"

/* Reads the next bytes, and remembers a read past the end. */
typedef struct bytes {
    const uint8_t *at, *end;
    bool over;
} bytes;

static uint8_t next(bytes *b)
{
    if (b->at >= b->end)
        b->over = true;
    return b->over ? 0 : *b->at++;
}

static void skip(bytes *b, size_t count)
{
    while (count-- > 0 && !b->over)
        next(b);
}

static uint16_t next_u16(bytes *b)
{
    uint16_t low = next(b);
    return (uint16_t)(low | next(b) << 8);
}

/* Text and its NUL. */
static etl_span next_text(bytes *b)
{
    etl_span text = {b->at, 0};
    while (next(b) != 0)
        text.size++;
    return text;
}

/* Seven bits a byte, the first at bit 21, as long as a byte has bit 7 set; bytes after the fourth do not count. */
static uint32_t next_tag(bytes *b)
{
    uint32_t tag = 0;
    int shift = 21;
    uint8_t byte;
    do {
        byte = next(b);
        if (shift >= 0)
            tag += (uint32_t)(byte % 128) << shift;
        shift -= 7;
    } while (byte > 127);
    return tag;
}

/* The bytes after the u16 that states the size, itself included. */
static bytes open_blob(etl_span data)
{
    /* Nothing may be added to the null pointer of an empty span. */
    bytes b = {data.at, data.size ? data.at + data.size : data.at, false};
    const uint16_t size = next_u16(&b);
    b.over |= size > data.size;
    if (!b.over)
        b.end = data.at + size;
    return b;
}

static bool same_span(etl_span a, etl_span b)
{
    return a.size == b.size && a.at == b.at;
}

static etl_schema_field next_field(bytes *b)
{
    etl_schema_field f = {.name = next_text(b)};
    uint8_t in = next(b);
    f.in_type = in % 128;
    if (in > 127) {
        uint8_t out = next(b);
        f.out_type = out % 128;
        if (out > 127)
            f.tag = next_tag(b);
    }
    if ((in & 0x60) == 0x20)
        f.count = next_u16(b);
    else if ((in & 0x60) == 0x60)
        skip(b, next_u16(b));
    return f;
}

static bool same_field(const etl_schema_field *a, const etl_schema_field *b)
{
    return same_span(a->name, b->name) && a->in_type == b->in_type && a->out_type == b->out_type && a->tag == b->tag &&
           a->count == b->count;
}

static bool fields_hold(etl_schema *schema, bytes b)
{
    etl_schema_field field;
    for (;;) {
        if (schema->fields.size != (size_t)(b.end - b.at))
            return false;
        bytes before = b;
        etl_schema_field expected = next_field(&b);
        if (etl_schema_next(&schema->fields, &field) == b.over)
            return false;
        if (b.over)
            return schema->fields.size == (size_t)(before.end - before.at);
        if (!same_field(&field, &expected))
            return false;
    }
}

etl_rule oracle_schema_rule(etl_span data, uint32_t *at)
{
    bytes b = open_blob(data);
    (void)next_tag(&b);
    (void)next_text(&b);
    if (b.over)
        return ETL_RULE_PAY_001;
    for (uint32_t fields = 0; b.at != b.end; fields++) {
        *at = (uint32_t)(b.at - data.at);
        if (fields == ETL_SCHEMA_FIELDS_MAX)
            return ETL_RULE_PAY_005;
        (void)next_field(&b);
        if (b.over)
            return ETL_RULE_PAY_001;
    }
    return ETL_RULE_COUNT;
}

bool oracle_schema_holds(etl_span data)
{
    etl_schema schema;
    const bool whole = etl_schema_read(data, &schema);
    bytes b = open_blob(data);
    uint32_t tag = next_tag(&b);
    etl_span name = next_text(&b);
    if (b.over || !whole)
        return b.over && !whole;
    return schema.tag == tag && same_span(schema.name, name) && fields_hold(&schema, b);
}

static bool same_guid(const etl_guid *a, const etl_guid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* A trait: u16 size that includes itself, u8 type, and the rest, which is decoded where it is a GUID. */
static void next_trait(bytes *b, etl_traits *traits)
{
    const uint8_t *at = b->at;
    uint16_t size = next_u16(b);
    uint8_t type = next(b);
    if (size < 3)
        b->over = true;
    skip(b, size - 3u);
    if (b->over || size != 3 + sizeof(etl_guid) || type < 1 || type > 2)
        return;
    *(type == 1 ? &traits->has_group : &traits->has_decode) = true;
    *(type == 1 ? &traits->group : &traits->decode) = oracle_raw_guid(at + 3);
}

/* False if the traits do not fit. */
static bool read_traits(etl_span data, etl_traits *traits)
{
    bytes b = open_blob(data);
    *traits = (etl_traits){.name = next_text(&b)};
    while (!b.over && b.at != b.end)
        next_trait(&b, traits);
    return !b.over;
}

etl_rule oracle_traits_rule(etl_span data)
{
    etl_traits traits;
    return read_traits(data, &traits) ? ETL_RULE_COUNT : ETL_RULE_PAY_001;
}

bool oracle_traits_hold(etl_span data)
{
    etl_traits traits, expected;
    const bool whole = read_traits(data, &expected);
    if (etl_traits_read(data, &traits) != whole)
        return false;
    if (!whole)
        return true;
    return same_span(traits.name, expected.name) && traits.has_group == expected.has_group &&
           traits.has_decode == expected.has_decode && same_guid(&traits.group, &expected.group) &&
           same_guid(&traits.decode, &expected.decode);
}
