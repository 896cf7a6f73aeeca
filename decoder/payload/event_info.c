/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TRACE_EVENT_INFO and EVENT_MAP_INFO: schemas that a merged trace carries as the payload of events of its own. schemas.c
 * keeps them; payload.c walks the fields.
 */
#include "event_info.h"

#include "metadata.h"
#include "report.h"
#include "span.h"
#include "types.h"

/* PROPERTY_FLAGS, MAP_FLAGS and MAP_VALUETYPE of tdh.h. */
enum { PROPERTY_STRUCT = 0x01, PROPERTY_PARAM_LENGTH = 0x02, PROPERTY_PARAM_COUNT = 0x04,
       PROPERTY_PARAM_FIXED_LENGTH = 0x10, PROPERTY_PARAM_FIXED_COUNT = 0x20, PROPERTY_HAS_TAGS = 0x40,
       PROPERTY_HAS_CUSTOM_SCHEMA = 0x80 };
enum { MANIFEST_VALUEMAP = 1, MANIFEST_BITMAP = 2, VALUETYPE_ULONG = 0 };

enum { GUID_SIZE = 16 }; /* of the provider, in front of an EVENT_MAP_INFO */

enum { DECODING_SOURCE_XML_FILE = 0, TAG_MASK = 0x0FFFFFFF };

/* A binary of out-type IPV6 whose size is left out. Source: Windows-classic-samples, the decoder of TDH events. */
enum { IPV6_SIZE = 16 };

bool etl_same_bytes(etl_span a, etl_span b)
{
    size_t n = 0;
    if (a.size != b.size)
        return false;
    /*@ loop invariant 0 <= n <= a.size;
      @ loop assigns n;
      @ loop variant a.size - n; */
    while (etl_span_has(a, n, 8) && etl_load_u64(a, n) == etl_load_u64(b, n))
        n += 8;
    /*@ loop invariant 0 <= n <= a.size;
      @ loop assigns n;
      @ loop variant a.size - n; */
    while (n < a.size && etl_load_u8(a, n) == etl_load_u8(b, n))
        n++;
    return n == a.size;
}

/* UTF-16 up to its NUL, or to the end. Empty at offset 0, which stands for no text. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && \result.size <= bytes.size; */
static etl_span text_at(etl_span bytes, uint32_t offset)
{
    const etl_span rest = offset != 0 ? etl_span_from(bytes, offset) : (etl_span){0};
    size_t size = 0;
    /*@ loop invariant 0 <= size <= rest.size;
      @ loop assigns size;
      @ loop variant rest.size - size; */
    while (etl_span_has(rest, size, 2) && etl_load_u16(rest, size) != 0)
        size += 2;
    return etl_span_first(rest, size);
}

/*@ requires etl_readable(info);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && \result.size <= info.size; */
static etl_span name_at(etl_span info, uint32_t member)
{
    return text_at(info, etl_load_u32(info, member));
}

/* Fields. */

/*@ assigns \nothing; */
static bool is_string(uint16_t in_type)
{
    return in_type == ETL_IN_TYPE_UNICODESTRING || in_type == ETL_IN_TYPE_ANSISTRING;
}

/* Strings and binaries alone have a size that is not in their in-type or their value. */
/*@ requires etl_readable(property) && \valid(field);
  @ assigns field->size, field->size_form; */
static void read_size(etl_span property, uint32_t flags, etl_field *field)
{
    const uint16_t length = etl_load_u16(property, ETL_AT(EVENT_PROPERTY_INFO, Length));
    const bool binary = field->in_type == ETL_IN_TYPE_BINARY;
    if (!binary && !is_string(field->in_type))
        return;
    field->size = length;
    if ((flags & PROPERTY_PARAM_LENGTH) != 0) {
        field->size_form = ETL_SIZE_FORM_PROPERTY;
    } else if (length != 0 || (flags & PROPERTY_PARAM_FIXED_LENGTH) != 0 || binary) {
        field->size_form = ETL_SIZE_FORM_FIXED;
        if (length == 0 && (flags & PROPERTY_PARAM_FIXED_LENGTH) == 0 && field->out_type == ETL_OUT_TYPE_IPV6)
            field->size = IPV6_SIZE;
    }
}

/*@ requires etl_readable(property) && \valid(field);
  @ assigns field->count, field->count_form; */
static void read_count(etl_span property, uint32_t flags, etl_field *field)
{
    const uint16_t count = etl_load_u16(property, ETL_AT(EVENT_PROPERTY_INFO, Count));
    field->count = count;
    if ((flags & PROPERTY_PARAM_COUNT) != 0)
        field->count_form = ETL_COUNT_FORM_PROPERTY;
    else if (count != 1 || (flags & PROPERTY_PARAM_FIXED_COUNT) != 0)
        field->count_form = ETL_COUNT_FORM_FIXED;
}

bool etl_event_info_field(const etl_metadata *metadata, uint32_t index, etl_field *field, uint32_t *work)
{
    const etl_span property = etl_span_part(metadata->fields, (size_t)index * ETL_SIZE(EVENT_PROPERTY_INFO),
                                            ETL_SIZE(EVENT_PROPERTY_INFO));
    const uint32_t flags = etl_load_u32(property, ETL_AT(EVENT_PROPERTY_INFO, Flags));
    const uint16_t in = etl_load_u16(property, ETL_AT(EVENT_PROPERTY_INFO, InType));
    const uint16_t out = etl_load_u16(property, ETL_AT(EVENT_PROPERTY_INFO, OutType));
    *field = (etl_field){0};
    if (property.size < ETL_SIZE(EVENT_PROPERTY_INFO))
        return false;
    field->name = text_at(metadata->info, etl_load_u32(property, ETL_AT(EVENT_PROPERTY_INFO, NameOffset)));
    if ((flags & PROPERTY_STRUCT) != 0) {
        field->in_type = ETL_IN_TYPE_STRUCT;
        field->members_at = in;
        field->members = out;
    } else {
        field->in_type = in;
        field->out_type = etl_out_type_of_tdh(out);
        field->out_number = out;
        read_size(property, flags, field);
        if ((flags & PROPERTY_HAS_CUSTOM_SCHEMA) == 0)
            field->map = text_at(metadata->info, etl_load_u32(property, ETL_AT(EVENT_PROPERTY_INFO, MapNameOffset)));
    }
    read_count(property, flags, field);
    if ((flags & PROPERTY_HAS_TAGS) != 0)
        field->tag = etl_load_u32(property, ETL_AT(EVENT_PROPERTY_INFO, Tags)) & TAG_MASK;
    *work = (uint32_t)(property.size + field->name.size + field->map.size);
    return true;
}

void etl_event_info_metadata(etl_span info, uint32_t process, etl_metadata *metadata)
{
    const uint32_t count = etl_load_u32(info, ETL_AT(TRACE_EVENT_INFO, PropertyCount));
    const etl_span name = name_at(info, ETL_AT(TRACE_EVENT_INFO, EventNameOffset));
    *metadata = (etl_metadata){
        .form = ETL_METADATA_FORM_EVENT_INFO,
        .event_name = name.size != 0 ? name : name_at(info, ETL_AT(TRACE_EVENT_INFO, TaskNameOffset)),
        .opcode_name = name_at(info, ETL_AT(TRACE_EVENT_INFO, OpcodeNameOffset)),
        .provider_name = name_at(info, ETL_AT(TRACE_EVENT_INFO, ProviderNameOffset)),
        .fields = etl_span_part(info, ETL_SIZE(TRACE_EVENT_INFO), (size_t)count * ETL_SIZE(EVENT_PROPERTY_INFO)),
        .fields_count = etl_load_u32(info, ETL_AT(TRACE_EVENT_INFO, TopLevelPropertyCount)),
        .info = info,
        .process = process};
}

/* Checks. */

/* A payload that is a schema, and the findings about it. */
typedef struct check {
    const etl_event *event;
    etl_findings *findings;
    etl_span bytes;    /* that offsets count from */
    uint32_t at;       /* of these, from the start of the event */
    bool whole;
    uint32_t nul[2];   /* the last NUL at an even and at an odd offset, plus 1; 0: none */
    bool unnamed;      /* a name was reported */
} check;

/*@ predicate checking{L}(check *c) =
  @   \valid(c) && \valid_read(c->event) && etl_readable(c->bytes) && etl_list(c->findings) &&
  @   \separated(c, c->event, c->findings); */

/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static void report(check *c, etl_rule rule, uint32_t member, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_expect(etl_report_event(c->findings, rule, c->event, c->at + member), relation, expected, actual);
}

/* The first fault alone is reported: what follows may depend on it. */
/*@ requires checking(c);
  @ assigns c->whole, *c->findings;
  @ ensures checking(c) && (c->whole ==> holds); */
static void need(check *c, bool holds, uint32_t member, etl_relation relation, uint64_t expected, uint64_t actual)
{
    if (c->whole && !holds)
        report(c, ETL_RULE_MET_007, member, relation, expected, actual);
    c->whole = c->whole && holds;
}

/*@ requires \valid(c) && etl_readable(c->bytes);
  @ assigns c->nul[0 .. 1]; */
static void find_nuls(check *c)
{
    c->nul[0] = c->nul[1] = 0;
    /*@ loop invariant 0 <= at <= c->bytes.size;
      @ loop assigns at, c->nul[0 .. 1];
      @ loop variant c->bytes.size - at; */
    for (size_t at = 0; etl_span_has(c->bytes, at, 2); at++)
        if (etl_load_u16(c->bytes, at) == 0)
            c->nul[at % 2] = (uint32_t)at + 1;
}

/* The text whose offset is at `member` ends with a NUL; MET-008 for the first that does not. */
/*@ requires checking(c);
  @ assigns c->unnamed, *c->findings;
  @ ensures checking(c); */
static void check_name(check *c, uint32_t member)
{
    const uint32_t offset = etl_load_u32(c->bytes, member);
    const uint32_t nul = c->nul[offset % 2];
    if (!c->whole || c->unnamed || offset < nul || offset == 0)
        return;
    report(c, ETL_RULE_MET_008, member, ETL_RELATION_AT_MOST, nul > 0 ? nul - 1 : 0, offset);
    c->unnamed = true;
}

/*@ requires checkable(event, findings);
  @ assigns \nothing;
  @ ensures \result.event == event && \result.findings == findings && etl_readable(\result.bytes); */
static check check_of(const etl_event *event, etl_findings *findings)
{
    check c = {.event = event, .findings = findings, .bytes = etl_event_data(event),
               .at = event->header_size + event->items_size, .whole = true};
    find_nuls(&c);
    return c;
}

/* From here on, offsets count from `size` bytes behind the start of the payload. */
/*@ requires checking(c);
  @ assigns c->bytes, c->at, c->nul[0 .. 1];
  @ ensures checking(c); */
static void skip(check *c, uint32_t size)
{
    c->bytes = etl_span_from(c->bytes, size);
    c->at += size;
    find_nuls(c);
}

/* Whether `count` elements of `each` bytes lie behind the first `fixed` bytes. */
/*@ requires checking(c) && each > 0;
  @ assigns c->whole, *c->findings;
  @ ensures checking(c); */
static void need_elements(check *c, uint32_t member, uint32_t fixed, uint32_t each, uint32_t count)
{
    const uint64_t room = c->bytes.size > fixed ? (c->bytes.size - fixed) / each : 0;
    need(c, count <= room, member, ETL_RELATION_AT_MOST, room, count);
}

/*@ requires checking(c);
  @ assigns c->whole, c->unnamed, *c->findings;
  @ ensures checking(c); */
static void check_property(check *c, uint32_t at, uint32_t count)
{
    const uint32_t flags = etl_load_u32(c->bytes, at + ETL_AT(EVENT_PROPERTY_INFO, Flags));
    check_name(c, at + ETL_AT(EVENT_PROPERTY_INFO, NameOffset));
    if ((flags & PROPERTY_STRUCT) != 0) {
        const uint32_t start = etl_load_u16(c->bytes, at + ETL_AT(EVENT_PROPERTY_INFO, InType));
        const uint32_t members = etl_load_u16(c->bytes, at + ETL_AT(EVENT_PROPERTY_INFO, OutType));
        need(c, start + members <= count, at + ETL_AT(EVENT_PROPERTY_INFO, InType), ETL_RELATION_AT_MOST,
             count > members ? count - members : 0, start);
    } else if ((flags & PROPERTY_HAS_CUSTOM_SCHEMA) == 0) {
        check_name(c, at + ETL_AT(EVENT_PROPERTY_INFO, MapNameOffset));
    }
}

bool etl_event_info_check(const etl_event *event, etl_findings *findings)
{
    static const uint32_t names[] = {
        ETL_AT_TRACE_EVENT_INFO_ProviderNameOffset, ETL_AT_TRACE_EVENT_INFO_LevelNameOffset,
        ETL_AT_TRACE_EVENT_INFO_ChannelNameOffset, ETL_AT_TRACE_EVENT_INFO_KeywordsNameOffset,
        ETL_AT_TRACE_EVENT_INFO_TaskNameOffset, ETL_AT_TRACE_EVENT_INFO_OpcodeNameOffset,
        ETL_AT_TRACE_EVENT_INFO_EventMessageOffset, ETL_AT_TRACE_EVENT_INFO_ProviderMessageOffset,
        ETL_AT_TRACE_EVENT_INFO_EventNameOffset, ETL_AT_TRACE_EVENT_INFO_EventAttributesOffset};
    enum { NAMES = sizeof names / sizeof names[0] };
    check c = check_of(event, findings);
    const uint32_t source = etl_load_u32(c.bytes, ETL_AT(TRACE_EVENT_INFO, DecodingSource));
    const uint32_t count = etl_load_u32(c.bytes, ETL_AT(TRACE_EVENT_INFO, PropertyCount));
    const uint32_t top = etl_load_u32(c.bytes, ETL_AT(TRACE_EVENT_INFO, TopLevelPropertyCount));
    need(&c, c.bytes.size >= ETL_SIZE(TRACE_EVENT_INFO), 0, ETL_RELATION_AT_LEAST, ETL_SIZE(TRACE_EVENT_INFO),
         c.bytes.size);
    if (c.whole && source != DECODING_SOURCE_XML_FILE) {
        report(&c, ETL_RULE_MET_009, ETL_AT(TRACE_EVENT_INFO, DecodingSource), ETL_RELATION_EQUAL, DECODING_SOURCE_XML_FILE,
               source);
        return false;
    }
    need_elements(&c, ETL_AT(TRACE_EVENT_INFO, PropertyCount), ETL_SIZE(TRACE_EVENT_INFO), ETL_SIZE(EVENT_PROPERTY_INFO),
                  count);
    need(&c, top <= count, ETL_AT(TRACE_EVENT_INFO, TopLevelPropertyCount), ETL_RELATION_AT_MOST, count, top);
    /*@ loop invariant 0 <= i <= NAMES && checking(&c);
      @ loop assigns i, c.unnamed, *findings;
      @ loop variant NAMES - i; */
    for (size_t i = 0; i < NAMES; i++)
        check_name(&c, names[i]);
    /*@ loop invariant 0 <= i <= count && checking(&c);
      @ loop assigns i, c.whole, c.unnamed, *findings;
      @ loop variant count - i; */
    for (uint32_t i = 0; i < count && c.whole; i++)
        check_property(&c, ETL_SIZE(TRACE_EVENT_INFO) + i * ETL_SIZE(EVENT_PROPERTY_INFO), count);
    return c.whole;
}

/* The kinds of maps that can be read: numbers, or bits, with a text for each. */
/*@ requires checking(c);
  @ assigns *c->findings;
  @ ensures checking(c); */
static bool check_map_kind(check *c)
{
    const uint32_t flag = etl_load_u32(c->bytes, ETL_AT(EVENT_MAP_INFO, Flag));
    const uint32_t type = etl_load_u32(c->bytes, ETL_AT(EVENT_MAP_INFO, MapEntryValueType));
    if (flag != MANIFEST_VALUEMAP && flag != MANIFEST_BITMAP) {
        report(c, ETL_RULE_MET_009, ETL_AT(EVENT_MAP_INFO, Flag), ETL_RELATION_KNOWN, 0, flag);
        return false;
    }
    if (type != VALUETYPE_ULONG)
        report(c, ETL_RULE_MET_009, ETL_AT(EVENT_MAP_INFO, MapEntryValueType), ETL_RELATION_EQUAL, VALUETYPE_ULONG, type);
    return type == VALUETYPE_ULONG;
}

bool etl_event_map_check(const etl_event *event, etl_findings *findings)
{
    check c = check_of(event, findings);
    need(&c, c.bytes.size >= GUID_SIZE + ETL_SIZE(EVENT_MAP_INFO), 0, ETL_RELATION_AT_LEAST,
         GUID_SIZE + ETL_SIZE(EVENT_MAP_INFO), c.bytes.size);
    skip(&c, GUID_SIZE);
    const uint32_t count = etl_load_u32(c.bytes, ETL_AT(EVENT_MAP_INFO, EntryCount));
    if (!c.whole || !check_map_kind(&c))
        return false;
    need_elements(&c, ETL_AT(EVENT_MAP_INFO, EntryCount), ETL_SIZE(EVENT_MAP_INFO), ETL_SIZE(EVENT_MAP_ENTRY), count);
    if (c.whole && count > ETL_MAP_ENTRIES_MAX) {
        report(&c, ETL_RULE_MET_010, ETL_AT(EVENT_MAP_INFO, EntryCount), ETL_RELATION_AT_MOST, ETL_MAP_ENTRIES_MAX, count);
        return false;
    }
    check_name(&c, ETL_AT(EVENT_MAP_INFO, NameOffset));
    /*@ loop invariant 0 <= i <= count && checking(&c);
      @ loop assigns i, c.unnamed, *findings;
      @ loop variant count - i; */
    for (uint32_t i = 0; i < count && c.whole; i++)
        check_name(&c, ETL_SIZE(EVENT_MAP_INFO) + i * ETL_SIZE(EVENT_MAP_ENTRY) + ETL_AT(EVENT_MAP_ENTRY, OutputOffset));
    return c.whole;
}

/* Maps. */

etl_map etl_event_map(etl_span data)
{
    const etl_span info = etl_span_from(data, GUID_SIZE);
    const etl_map map = {.name = name_at(info, ETL_AT(EVENT_MAP_INFO, NameOffset)),
                         .bits = etl_load_u32(info, ETL_AT(EVENT_MAP_INFO, Flag)) == MANIFEST_BITMAP,
                         .count = etl_load_u32(info, ETL_AT(EVENT_MAP_INFO, EntryCount)),
                         .info = info};
    return map;
}

bool etl_event_map_has_name(etl_span data, etl_span name)
{
    const etl_span info = etl_span_from(data, GUID_SIZE);
    const uint32_t offset = etl_load_u32(info, ETL_AT(EVENT_MAP_INFO, NameOffset));
    const etl_span here = etl_span_part(info, offset, name.size);
    return offset != 0 && etl_same_bytes(here, name) && etl_load_u16(info, offset + name.size) == 0;
}

bool etl_map_entry(const etl_map *map, uint32_t index, uint32_t *value, etl_span *text)
{
    const uint32_t at = ETL_SIZE(EVENT_MAP_INFO) + index * ETL_SIZE(EVENT_MAP_ENTRY);
    if (index >= map->count)
        return false;
    *value = etl_load_u32(map->info, at + ETL_AT(EVENT_MAP_ENTRY, Value));
    *text = name_at(map->info, at + ETL_AT(EVENT_MAP_ENTRY, OutputOffset));
    /* Windows adds a space to each text. */
    if (text->size >= 2 && etl_load_u16(*text, text->size - 2) == ' ')
        text->size -= 2;
    return true;
}

/* Bits are named once; an entry without bits stands for a value without bits. */
/*@ requires \valid_read(map) && \valid_read(texts);
  @ assigns \nothing; */
static bool stands_for(const etl_map *map, uint32_t entry, const etl_map_texts *texts)
{
    return map->bits && entry != 0 ? (texts->value & entry) == entry && (texts->rest & entry) != 0 : texts->value == entry;
}

bool etl_map_next(const etl_map *map, etl_map_texts *texts, etl_span *text)
{
    uint32_t entry;
    if (texts->next > 0 && texts->rest == 0)
        return false;
    /*@ loop assigns entry, texts->next, *text;
      @ loop variant map->count - texts->next; */
    while (etl_map_entry(map, texts->next, &entry, text)) {
        texts->next++;
        if (stands_for(map, entry, texts)) {
            texts->rest &= ~entry;
            return true;
        }
    }
    return false;
}
