/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks TRACE_EVENT_INFO and EVENT_MAP_INFO a second time, and what a set of them finds. Called by fuzz_metadata.
 */
#include "described_field.h"
#include "input_bytes.h"
#include "step_checks.h"

enum { INFO_SIZE = 0x70, PROPERTY_SIZE = 24, MAP_SIZE = 16, ENTRY_SIZE = 8, GUID_SIZE = 16, MAP_ENTRIES_MOST = 1024 };
enum { CLASS_TYPE_AT = 4, TYPE_MAP = 0x21, GUID_AT = 0x18, ID_AT = 0x28 };

/* Offsets of the names in a TRACE_EVENT_INFO, in its order; BinaryXML is none. */
static const uint32_t names[] = {0x34, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C, 0x50, 0x5C, 0x60};

typedef struct judgement {
    const etl_event *event;
    etl_span bytes; /* that offsets count from */
    uint32_t at;    /* of these, in the event */
    etl_finding due[4];
    uint32_t count;
    bool usable, named;
} judgement;

static void due(judgement *j, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    j->due[j->count++] = (etl_finding){.rule = rule,
                                       .action = ETL_ACTION_CONTINUE,
                                       .relation = relation,
                                       .space = j->event->space,
                                       .offset = j->event->offset + j->at + at,
                                       .buffer = j->event->buffer,
                                       .event = j->event->index,
                                       .expected = expected,
                                       .actual = actual};
}

static void unusable(judgement *j, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    if (j->usable)
        due(j, rule, at, relation, expected, actual);
    j->usable = false;
}

static uint32_t u32(const judgement *j, uint32_t at)
{
    return at + 4 <= j->bytes.size ? oracle_raw_u32(j->bytes.at + at) : 0;
}

static uint32_t u16(const judgement *j, uint32_t at)
{
    return oracle_raw_u16(j->bytes.at + at);
}

/* The last offset of the same parity where a NUL starts; none: false. */
static bool last_nul(const judgement *j, uint32_t parity, uint32_t *last)
{
    bool found = false;
    for (uint32_t at = parity; at + 2 <= j->bytes.size; at += 2) {
        if (u16(j, at) == 0) {
            *last = at;
            found = true;
        }
    }
    return found;
}

static void judge_name(judgement *j, uint32_t member)
{
    const uint32_t offset = u32(j, member);
    uint32_t last = 0;
    const bool ends = last_nul(j, offset & 1, &last) && offset <= last;
    if (j->usable && j->named && offset != 0 && !ends) {
        due(j, ETL_RULE_MET_008, member, ETL_RELATION_AT_MOST, last, offset);
        j->named = false;
    }
}

static void judge_property(judgement *j, uint32_t number, uint32_t count)
{
    const uint32_t at = INFO_SIZE + PROPERTY_SIZE * number, flags = u32(j, at);
    const uint32_t start = u16(j, at + 8), members = u16(j, at + 10);
    judge_name(j, at + 4);
    if ((flags & 1) != 0 && start + members > count)
        unusable(j, ETL_RULE_MET_007, at + 8, ETL_RELATION_AT_MOST, members < count ? count - members : 0, start);
    if ((flags & 0x81) == 0)
        judge_name(j, at + 12);
}

static void judge_info(judgement *j)
{
    const uint64_t room = j->bytes.size > INFO_SIZE ? (j->bytes.size - INFO_SIZE) / PROPERTY_SIZE : 0;
    const uint32_t count = u32(j, 0x64);
    if (j->bytes.size < INFO_SIZE)
        unusable(j, ETL_RULE_MET_007, 0, ETL_RELATION_AT_LEAST, INFO_SIZE, j->bytes.size);
    if (u32(j, 0x30) != 0)
        unusable(j, ETL_RULE_MET_009, 0x30, ETL_RELATION_EQUAL, 0, u32(j, 0x30));
    if (count > room)
        unusable(j, ETL_RULE_MET_007, 0x64, ETL_RELATION_AT_MOST, room, count);
    if (u32(j, 0x68) > count)
        unusable(j, ETL_RULE_MET_007, 0x68, ETL_RELATION_AT_MOST, count, u32(j, 0x68));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        judge_name(j, names[i]);
    for (uint32_t i = 0; j->usable && i < count; i++)
        judge_property(j, i, count);
}

static void judge_map(judgement *j)
{
    const size_t whole = j->bytes.size;
    if (whole < GUID_SIZE + MAP_SIZE) {
        unusable(j, ETL_RULE_MET_007, 0, ETL_RELATION_AT_LEAST, GUID_SIZE + MAP_SIZE, whole);
        return;
    }
    j->bytes = (etl_span){j->bytes.at + GUID_SIZE, whole - GUID_SIZE};
    j->at += GUID_SIZE;
    const uint64_t room = (j->bytes.size - MAP_SIZE) / ENTRY_SIZE;
    const uint32_t flag = u32(j, 4), count = u32(j, 8);
    if (flag != 1 && flag != 2)
        unusable(j, ETL_RULE_MET_009, 4, ETL_RELATION_KNOWN, 0, flag);
    if (u32(j, 12) != 0)
        unusable(j, ETL_RULE_MET_009, 12, ETL_RELATION_EQUAL, 0, u32(j, 12));
    if (count > room)
        unusable(j, ETL_RULE_MET_007, 8, ETL_RELATION_AT_MOST, room, count);
    if (count > MAP_ENTRIES_MOST)
        unusable(j, ETL_RULE_MET_010, 8, ETL_RELATION_AT_MOST, MAP_ENTRIES_MOST, count);
    judge_name(j, 0);
    for (uint32_t i = 0; j->usable && i < count; i++)
        judge_name(j, MAP_SIZE + ENTRY_SIZE * i);
}

/* What the set knows. */

static bool same_bytes(etl_span a, etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static etl_span map_of(etl_span payload)
{
    return (etl_span){payload.at + GUID_SIZE, payload.size - GUID_SIZE};
}

static etl_span map_name(etl_span payload)
{
    const etl_span map = map_of(payload);
    return oracle_text_in(map, oracle_raw_u32(map.at));
}

/* Whether two payloads of a kind are for the same events, or are maps of one name. */
static bool same_key(etl_span a, etl_span b, bool map)
{
    if (memcmp(a.at, b.at, GUID_SIZE) != 0)
        return false;
    return map ? same_bytes(map_name(a), map_name(b)) : memcmp(a.at + 0x20, b.at + 0x20, 3) == 0;
}

/* The payload of the set with that key; NULL if there is none. */
static const etl_span *known_of(const oracle_schemas *known, etl_span payload, bool map)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (known->maps[i] == map && same_key(known->payloads[i], payload, map))
            return &known->payloads[i];
    return NULL;
}

static etl_span payload_of(const etl_event *event)
{
    return (etl_span){event->bytes.at + event->header_size + event->items_size, event->data_size};
}

/* A schema that can be used: it is added, or another one is there, or there is no room. */
static void judge_room(judgement *j, oracle_schemas *known, bool map)
{
    const etl_span payload = payload_of(j->event);
    const etl_span *other = known_of(known, payload, map);
    j->at = j->event->header_size + j->event->items_size;
    if (map && map_name(payload).size == 0)
        return;
    const size_t need = etl_schemas_need(j->event);
    if (other != NULL && !same_bytes(*other, payload)) {
        due(j, ETL_RULE_MET_011, 0, ETL_RELATION_NONE, 0, 0);
    } else if (other == NULL && (known->set->closed || need > known->set->memory.size - known->used)) {
        due(j, ETL_RULE_MET_012, 0, ETL_RELATION_NONE, 0, 0);
    } else if (other == NULL) {
        known->used += need;
        known->maps[known->count] = map;
        known->payloads[known->count++] = payload;
    }
}

static bool same_finding(const etl_finding *a, const etl_finding *b)
{
    return a->rule == b->rule && a->action == b->action && a->relation == b->relation && a->space == b->space &&
           a->offset == b->offset && a->lost == b->lost && a->buffer == b->buffer && a->event == b->event &&
           a->expected == b->expected && a->actual == b->actual;
}

static bool holds(oracle_watch *oracle, bool held, const etl_event *event)
{
    if (!held)
        oracle_break(oracle, ORACLE_PROMISE_PAYLOAD, event->offset);
    return held;
}

bool oracle_schema_take(oracle_watch *oracle, oracle_schemas *known, const etl_event *event)
{
    static etl_findings findings;
    const bool map = event->bytes.at[CLASS_TYPE_AT] == TYPE_MAP;
    judgement j = {.event = event, .bytes = payload_of(event), .at = event->header_size + event->items_size, .usable = true,
                   .named = true};
    if (map)
        judge_map(&j);
    else
        judge_info(&j);
    if (j.usable)
        judge_room(&j, known, map);
    findings.count = 0;
    bool held = etl_schemas_take(known->set, event, &findings) && findings.count == j.count &&
                known->set->used == known->used;
    for (uint32_t i = 0; held && i < j.count; i++)
        held = same_finding(&findings.at[i], &j.due[i]);
    return holds(oracle, held, event);
}

static bool same_name(etl_span info, uint32_t member, etl_span name)
{
    return same_bytes(oracle_text_in(info, oracle_raw_u32(info.at + member)), name);
}

bool oracle_schema_find(oracle_watch *oracle, const oracle_schemas *known, const etl_event *event, etl_metadata *metadata,
                        bool *found)
{
    const etl_span *info = NULL;
    for (uint32_t i = 0; i < known->count && info == NULL; i++)
        if (!known->maps[i] && memcmp(known->payloads[i].at, event->bytes.at + GUID_AT, GUID_SIZE) == 0 &&
            memcmp(known->payloads[i].at + 0x20, event->bytes.at + ID_AT, 3) == 0)
            info = &known->payloads[i];
    *found = etl_schemas_find(known->set, event, metadata);
    bool held = *found == (info != NULL);
    if (held && *found) {
        const uint32_t event_name = oracle_text_in(*info, oracle_raw_u32(info->at + 0x5C)).size > 0 ? 0x5C : 0x44;
        held = metadata->form == ETL_METADATA_FORM_EVENT_INFO && same_bytes(metadata->info, *info) &&
               same_name(*info, 0x34, metadata->provider_name) && same_name(*info, event_name, metadata->event_name) &&
               same_name(*info, 0x48, metadata->opcode_name) &&
               metadata->fields_count == oracle_raw_u32(info->at + 0x68);
    }
    return holds(oracle, held, event);
}

/* The map of that name and of the provider of the schema; NULL if the set has none. */
static const etl_span *map_named(const oracle_schemas *known, etl_span info, etl_span name)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (known->maps[i] && memcmp(known->payloads[i].at, info.at, GUID_SIZE) == 0 &&
            same_bytes(map_name(known->payloads[i]), name))
            return &known->payloads[i];
    return NULL;
}

bool oracle_maps_of_fields(oracle_watch *oracle, const oracle_schemas *known, const etl_event *event,
                           const etl_metadata *metadata)
{
    described d;
    bool held = true;
    for (uint32_t i = 0; held && oracle_describe(metadata, &i, &d);) {
        const etl_span *expected = d.map.size > 0 ? map_named(known, metadata->info, d.map) : NULL;
        etl_map map;
        const bool found = etl_schemas_find_map(known->set, metadata, d.map, &map);
        held = found == (expected != NULL) && (!found || same_bytes(map.info, map_of(*expected)));
    }
    return holds(oracle, held, event);
}

/* The text of an entry, without one space at its end. */
static etl_span text_of(etl_span map, uint32_t entry)
{
    etl_span text = oracle_text_in(map, oracle_raw_u32(map.at + MAP_SIZE + ENTRY_SIZE * entry));
    if (text.size >= 2 && oracle_raw_u16(text.at + text.size - 2) == ' ')
        text.size -= 2;
    return text;
}

static bool same_texts(const etl_map *map, etl_span bytes, uint32_t value)
{
    const bool bits = oracle_raw_u32(bytes.at + 4) == 2;
    etl_map_texts texts = {value, value, 0};
    uint32_t rest = value;
    bool first = true;
    etl_span text;
    for (uint32_t i = 0; i < oracle_raw_u32(bytes.at + 8) && (first || rest != 0); i++) {
        const uint32_t entry = oracle_raw_u32(bytes.at + MAP_SIZE + ENTRY_SIZE * i + 4);
        const bool named = bits && entry != 0 ? (entry & ~value) == 0 && (entry & rest) != 0 : entry == value;
        if (!named)
            continue;
        rest &= ~entry;
        first = false;
        if (!etl_map_next(map, &texts, &text) || !same_bytes(text, text_of(bytes, i)) || texts.rest != rest)
            return false;
    }
    return !etl_map_next(map, &texts, &text);
}

bool oracle_map_texts(oracle_watch *oracle, const oracle_schemas *known, uint32_t value)
{
    for (uint32_t i = 0; i < known->count; i++) {
        const etl_span payload = known->payloads[i];
        const etl_metadata metadata = {.form = ETL_METADATA_FORM_EVENT_INFO, .info = payload};
        etl_map map;
        if (known->maps[i] && (!etl_schemas_find_map(known->set, &metadata, map_name(payload), &map) ||
                               !same_bytes(map.info, map_of(payload)) || !same_texts(&map, map_of(payload), value))) {
            oracle_break(oracle, ORACLE_PROMISE_PAYLOAD, 0);
            return false;
        }
    }
    return true;
}
