/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes metadata of payloads: TraceLogging, provider traits, TRACE_EVENT_INFO and EVENT_MAP_INFO. Called by
 * byte_functions.c.
 */
#include "recipe/metadata_functions.h"

#include <string.h>

#include "etlproof/format.h"

/* Bytes of a text in UTF-16 with its NUL; none of an empty one. */
static size_t text_size(const build_value *text)
{
    return text->size > 0 ? 2 * (text->size + 1) : 0;
}

static void put_text(uint8_t *to, const build_value *text)
{
    for (size_t i = 0; i < text->size; i++)
        to[2 * i] = text->bytes[i];
}

/* Name and InType; with the chain bit set, OutType. Source: TraceLoggingProvider.h. */
void build_make_field(build_call *c, build_value *value)
{
    enum { CHAIN = 0x80 };
    build_call_need_count(c, 2, 3);
    const build_value *name = build_call_text(c, 0);
    uint8_t *to = build_call_reserve(c, value, name->size + c->count);
    memcpy(to, name->bytes, name->size);
    to[name->size + 1] = (uint8_t)(build_call_number(c, 1, 1) | (c->count == 3 ? CHAIN : 0));
    if (c->count == 3)
        to[name->size + 2] = (uint8_t)build_call_number(c, 2, 1);
}

/* A u16 size of the whole, one tag byte 0, the name, the fields. */
void build_make_schema(build_call *c, build_value *value)
{
    build_call_need_count(c, 1, BUILD_CALL_ARGUMENTS_MAX);
    const build_value *name = build_call_text(c, 0);
    size_t size = 3 + name->size + 1, at = size;
    for (size_t i = 1; i < c->count; i++)
        size += build_call_bytes(c, i, "field(name, type)")->size;
    uint8_t *to = build_call_reserve(c, value, size);
    build_call_put(to, size, 2);
    memcpy(to + 3, name->bytes, name->size);
    for (size_t i = 1; i < c->count; i++) {
        memcpy(to + at, c->arguments[i].bytes, c->arguments[i].size);
        at += c->arguments[i].size;
    }
}

/* A u16 size of the whole, the name, and a chunk for each GUID: u16 size, u8 type, the GUID. */
void build_make_traits(build_call *c, build_value *value)
{
    enum { CHUNK = 3 + BUILD_GUID_BYTES };
    build_call_need_count(c, 1, 3);
    const build_value *name = build_call_text(c, 0);
    const size_t fixed = 2 + name->size + 1;
    uint8_t *to = build_call_reserve(c, value, fixed + (c->count - 1) * CHUNK);
    build_call_put(to, value->size, 2);
    memcpy(to + 2, name->bytes, name->size);
    for (size_t i = 1; i < c->count; i++) {
        uint8_t *chunk = to + fixed + (i - 1) * CHUNK;
        build_call_put(chunk, CHUNK, 2);
        chunk[2] = (uint8_t)i;
        build_call_guid(c, i, chunk + 3);
    }
}

/* An EVENT_PROPERTY_INFO and its texts behind it, to which its offsets point. event_info() puts both in their places. */
void build_make_property(build_call *c, build_value *value)
{
    build_call_need_count(c, 3, 7);
    const build_value *name = build_call_text(c, 0), *map = c->count > 6 ? build_call_text(c, 6) : NULL;
    const size_t fixed = ETL_SIZE(EVENT_PROPERTY_INFO), map_at = fixed + text_size(name);
    uint8_t *to = build_call_reserve(c, value, map_at + (map != NULL ? text_size(map) : 0));
    put_text(to + fixed, name);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, NameOffset), name->size > 0 ? fixed : 0, 4);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, InType), build_call_number(c, 1, 2), 2);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, OutType), build_call_number(c, 2, 2), 2);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, Flags), c->count > 3 ? build_call_number(c, 3, 4) : 0, 4);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, Count), c->count > 4 ? build_call_number(c, 4, 2) : 1, 2);
    build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, Length), c->count > 5 ? build_call_number(c, 5, 2) : 0, 2);
    if (map != NULL) {
        put_text(to + map_at, map);
        build_call_put(to + ETL_AT(EVENT_PROPERTY_INFO, MapNameOffset), map_at, 4);
    }
}

/* Adds `by` to the offset at `at`, unless it is 0. */
static void move_offset(uint8_t *at, size_t by)
{
    uint32_t offset = 0;
    for (unsigned i = 0; i < 4; i++)
        offset |= (uint32_t)at[i] << 8 * i;
    if (offset != 0)
        build_call_put(at, offset + by, 4);
}

/* An argument that property() made, or bytes that are long enough for one. */
static const build_value *property_of(const build_call *c, size_t i)
{
    static const char expected[] = "property(name, in, out)";
    const build_value *property = build_call_bytes(c, i, expected);
    if (property->size < ETL_SIZE(EVENT_PROPERTY_INFO))
        build_parser_fail(c->parser, c->tokens[i], "expected %s, found %zu bytes", expected, property->size);
    return property;
}

/* Puts a property in its place, and its texts at `texts`. Returns the end of these. */
static size_t place_property(uint8_t *info, size_t at, size_t texts, const build_value *property)
{
    const size_t fixed = ETL_SIZE(EVENT_PROPERTY_INFO), size = property->size - fixed;
    memcpy(info + at, property->bytes, fixed);
    memcpy(info + texts, property->bytes + fixed, size);
    move_offset(info + at + ETL_AT(EVENT_PROPERTY_INFO, NameOffset), texts - fixed);
    move_offset(info + at + ETL_AT(EVENT_PROPERTY_INFO, MapNameOffset), texts - fixed);
    return texts + size;
}

/* Provider, Id, Version, names of provider, task and opcode, number of top-level properties, and all properties. */
void build_make_event_info(build_call *c, build_value *value)
{
    enum { PROVIDER, ID, VERSION, NAMES, TOP_LEVEL = NAMES + 3, PROPERTIES };
    static const uint32_t name_members[] = {ETL_AT_TRACE_EVENT_INFO_ProviderNameOffset,
                                            ETL_AT_TRACE_EVENT_INFO_TaskNameOffset,
                                            ETL_AT_TRACE_EVENT_INFO_OpcodeNameOffset};
    build_call_need_count(c, PROPERTIES, BUILD_CALL_ARGUMENTS_MAX);
    const size_t count = c->count - PROPERTIES, fixed = ETL_SIZE(TRACE_EVENT_INFO);
    size_t size = fixed, texts = fixed + count * ETL_SIZE(EVENT_PROPERTY_INFO);
    for (size_t i = 0; i < 3; i++)
        size += text_size(build_call_text(c, NAMES + i));
    for (size_t i = 0; i < count; i++)
        size += property_of(c, PROPERTIES + i)->size;
    uint8_t *to = build_call_reserve(c, value, size);
    build_call_guid(c, PROVIDER, to + ETL_AT(TRACE_EVENT_INFO, ProviderGuid));
    build_call_put(to + ETL_AT(TRACE_EVENT_INFO, Id), build_call_number(c, ID, 2), 2);
    build_call_put(to + ETL_AT(TRACE_EVENT_INFO, Version), build_call_number(c, VERSION, 1), 1);
    build_call_put(to + ETL_AT(TRACE_EVENT_INFO, PropertyCount), count, 4);
    build_call_put(to + ETL_AT(TRACE_EVENT_INFO, TopLevelPropertyCount), build_call_number(c, TOP_LEVEL, 4), 4);
    for (size_t i = 0; i < 3; i++) {
        const build_value *name = build_call_text(c, NAMES + i);
        if (name->size > 0)
            build_call_put(to + name_members[i], texts, 4);
        put_text(to + texts, name);
        texts += text_size(name);
    }
    for (size_t i = 0; i < count; i++)
        texts = place_property(to, fixed + i * ETL_SIZE(EVENT_PROPERTY_INFO), texts, &c->arguments[PROPERTIES + i]);
}

/* Provider, Flag, name, and a value and its text for each entry. The GUID comes before the EVENT_MAP_INFO. */
void build_make_map_info(build_call *c, build_value *value)
{
    enum { PROVIDER, FLAG, NAME, ENTRIES };
    build_call_need_count(c, ENTRIES, BUILD_CALL_ARGUMENTS_MAX);
    if ((c->count - ENTRIES) % 2 != 0)
        build_parser_fail(c->parser, c->name, "expected a text behind each value of map_info, found none behind the last");
    const size_t count = (c->count - ENTRIES) / 2, fixed = ETL_SIZE(EVENT_MAP_INFO);
    size_t texts = fixed + count * ETL_SIZE(EVENT_MAP_ENTRY), size = texts + text_size(build_call_text(c, NAME));
    for (size_t i = 0; i < count; i++)
        size += text_size(build_call_text(c, ENTRIES + 2 * i + 1));
    uint8_t *to = build_call_reserve(c, value, BUILD_GUID_BYTES + size);
    build_call_guid(c, PROVIDER, to);
    to += BUILD_GUID_BYTES;
    build_call_put(to + ETL_AT(EVENT_MAP_INFO, NameOffset), text_size(build_call_text(c, NAME)) > 0 ? texts : 0, 4);
    build_call_put(to + ETL_AT(EVENT_MAP_INFO, Flag), build_call_number(c, FLAG, 4), 4);
    build_call_put(to + ETL_AT(EVENT_MAP_INFO, EntryCount), count, 4);
    put_text(to + texts, build_call_text(c, NAME));
    texts += text_size(build_call_text(c, NAME));
    for (size_t i = 0; i < count; i++) {
        uint8_t *entry = to + fixed + i * ETL_SIZE(EVENT_MAP_ENTRY);
        const build_value *text = build_call_text(c, ENTRIES + 2 * i + 1);
        build_call_put(entry + ETL_AT(EVENT_MAP_ENTRY, OutputOffset), text->size > 0 ? texts : 0, 4);
        build_call_put(entry + ETL_AT(EVENT_MAP_ENTRY, Value), build_call_number(c, ENTRIES + 2 * i, 4), 4);
        put_text(to + texts, text);
        texts += text_size(text);
    }
}
