/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the schemas of a trace: each payload that is one is copied into the memory of the caller, behind a header, and
 * found again by a hash table. The command asks for the schema of each event.
 */
#include "etlproof/schemas.h"

#include "event_info.h"
#include "report.h"
#include "scratch.h"
#include "span.h"

/* Of the events that carry schemas: bbccf6c1-6cd1-48c4-80ff-839482e37671. */
static const uint8_t event_metadata_guid[] = {0xC1, 0xF6, 0xCC, 0xBB, 0xD1, 0x6C, 0xC4, 0x48,
                                              0x80, 0xFF, 0x83, 0x94, 0x82, 0xE3, 0x76, 0x71};
enum { GUID_SIZE = sizeof event_metadata_guid };

/* Their ClassType. */
enum { TYPE_EVENT_INFO = 0x20, TYPE_MAP_INFO = 0x21 };

/* In memory, a byte with the kind, a u32 with the process and one with the size come before the payload. */
enum { PROCESS_AT = 1, SIZE_AT = 5, HEADER_SIZE = 9 };

/* Slots tried for one key. More are only needed for keys that were chosen to collide. */
enum { PROBES = 64 };

/* What tells schemas of a kind apart. */
typedef struct key {
    etl_schema_kind kind;
    uint32_t process;  /* as for etl_schemas_add */
    etl_span provider; /* GUID */
    etl_span rest;     /* EVENT: Id and Version; MAP: its name */
} key;

/* Id, and Version behind it. */
enum { DESCRIPTOR_SIZE = 3 };

void etl_schemas_init(etl_schemas *schemas, etl_scratch memory)
{
    schemas->by_process = schemas->closed = false;
    schemas->memory = memory;
    schemas->used = 0;
    /*@ loop invariant 0 <= i <= ETL_SCHEMAS_SLOTS && \forall integer k; 0 <= k < i ==> schemas->slots[k] == 0;
      @ loop assigns i, schemas->slots[0 .. ETL_SCHEMAS_SLOTS - 1];
      @ loop variant ETL_SCHEMAS_SLOTS - i; */
    for (size_t i = 0; i < ETL_SCHEMAS_SLOTS; i++)
        schemas->slots[i] = 0;
}

/*@ requires etl_readable(info);
  @ assigns \nothing;
  @ ensures etl_readable(\result); */
static etl_span descriptor_of(etl_span info)
{
    return etl_span_part(info, ETL_AT(TRACE_EVENT_INFO, Id), DESCRIPTOR_SIZE);
}

/*@ predicate is_key{L}(key *k) = \valid_read(k) && etl_readable(k->provider) && etl_readable(k->rest); */

/*@ requires etl_readable(payload);
  @ assigns \nothing;
  @ ensures etl_readable(\result.provider) && etl_readable(\result.rest); */
static key key_of(etl_schema_kind kind, uint32_t process, etl_span payload)
{
    const key k = {kind, process, etl_span_first(payload, GUID_SIZE),
                   kind == ETL_SCHEMA_KIND_MAP ? etl_event_map(payload).name : descriptor_of(payload)};
    return k;
}

/*@ requires etl_readable(bytes);
  @ assigns \nothing; */
static uint64_t add_to_hash(uint64_t hash, etl_span bytes)
{
    /*@ loop invariant 0 <= i <= bytes.size;
      @ loop assigns i, hash;
      @ loop variant bytes.size - i; */
    for (size_t i = 0; i < bytes.size; i++)
        hash = (hash ^ bytes.at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* FNV-1a; its high bits are the better ones. */
/*@ requires is_key(k);
  @ assigns \nothing; */
static uint32_t hash_of(const key *k)
{
    const uint64_t start = UINT64_C(0xCBF29CE484222325) + (uint64_t)k->kind + ((uint64_t)k->process << 1);
    return (uint32_t)(add_to_hash(add_to_hash(start, k->provider), k->rest) >> 40);
}

/*@ predicate in_memory{L}(etl_schemas *s, etl_span part) =
  @   part.size == 0 ||
  @   (\exists integer i; 0 <= i && part.at == s->memory.at + i && i + part.size <= s->memory.size); */

/* The payload whose header is at `at` of memory. */
/*@ requires etl_schemas_sound(schemas);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && in_memory(schemas, \result) && \result.size <= schemas->used; */
static etl_span payload_at(const etl_schemas *schemas, size_t at)
{
    const etl_span memory = {schemas->memory.at, schemas->used};
    return etl_span_part(memory, at + HEADER_SIZE, etl_load_u32(memory, at + SIZE_AT));
}

/*@ requires etl_schemas_sound(schemas) && at < schemas->used;
  @ assigns \nothing; */
static etl_schema_kind kind_at(const etl_schemas *schemas, size_t at)
{
    return (etl_schema_kind)schemas->memory.at[at];
}

/*@ requires etl_schemas_sound(schemas);
  @ assigns \nothing; */
static uint32_t process_at(const etl_schemas *schemas, size_t at)
{
    const etl_span memory = {schemas->memory.at, schemas->used};
    return etl_load_u32(memory, at + PROCESS_AT);
}

/*@ requires etl_schemas_sound(schemas) && is_key(k) && at < schemas->used;
  @ assigns \nothing; */
static bool is_at(const etl_schemas *schemas, const key *k, size_t at)
{
    const etl_span payload = payload_at(schemas, at);
    if (kind_at(schemas, at) != k->kind || process_at(schemas, at) != k->process ||
        !etl_same_bytes(etl_span_first(payload, GUID_SIZE), k->provider))
        return false;
    return k->kind == ETL_SCHEMA_KIND_MAP ? etl_event_map_has_name(payload, k->rest)
                                          : etl_same_bytes(descriptor_of(payload), k->rest);
}

/* The slot of the key, or the first free one; ETL_SCHEMAS_SLOTS if there is neither. */
/*@ requires etl_schemas_sound(schemas) && is_key(k);
  @ assigns \nothing;
  @ ensures \result <= ETL_SCHEMAS_SLOTS; */
static uint32_t find_slot(const etl_schemas *schemas, const key *k)
{
    const uint32_t first = hash_of(k);
    /*@ loop invariant 0 <= i <= PROBES;
      @ loop assigns i;
      @ loop variant PROBES - i; */
    for (uint32_t i = 0; i < PROBES; i++) {
        const uint32_t slot = (first + i) % ETL_SCHEMAS_SLOTS, used = schemas->slots[slot];
        if (used == 0 || is_at(schemas, k, used - 1))
            return slot;
    }
    return ETL_SCHEMAS_SLOTS;
}

/* The payload of the key; empty if there is none. */
/*@ requires etl_schemas_sound(schemas) && is_key(k);
  @ assigns \nothing;
  @ ensures etl_readable(\result) && in_memory(schemas, \result); */
static etl_span find(const etl_schemas *schemas, const key *k)
{
    const uint32_t slot = find_slot(schemas, k);
    if (slot == ETL_SCHEMAS_SLOTS || schemas->slots[slot] == 0)
        return (etl_span){0};
    return payload_at(schemas, schemas->slots[slot] - 1);
}

/*@ requires etl_writable(room) && etl_readable(bytes);
  @ assigns room.at[0 .. room.size - 1]; */
static void store(etl_scratch room, etl_span bytes)
{
    const size_t eights = bytes.size / 8 * 8;
    etl_store_copy(room, bytes, eights);
    /*@ loop invariant eights <= i <= bytes.size;
      @ loop assigns i, room.at[0 .. room.size - 1];
      @ loop variant bytes.size - i; */
    for (size_t i = eights; i < bytes.size; i++)
        etl_store_u8(room, i, etl_load_u8(bytes, i));
}

/* False if there is no room for it. */
/*@ requires etl_schemas_open(schemas) && is_key(k) && etl_readable(payload);
  @ requires \separated(schemas->memory.at + (0 .. schemas->memory.size - 1), k, payload.at + (0 .. payload.size - 1));
  @ requires \separated(schemas, k);
  @ assigns schemas->slots[0 .. ETL_SCHEMAS_SLOTS - 1], schemas->used, schemas->by_process,
  @         schemas->memory.at[0 .. schemas->memory.size - 1];
  @ ensures etl_schemas_open(schemas); */
static bool add(etl_schemas *schemas, const key *k, etl_span payload)
{
    const uint32_t slot = find_slot(schemas, k);
    const etl_scratch free = {schemas->memory.at + schemas->used, schemas->memory.size - schemas->used};
    if (slot == ETL_SCHEMAS_SLOTS || schemas->closed || free.size < HEADER_SIZE || free.size - HEADER_SIZE < payload.size)
        return false;
    etl_store_u8(free, 0, (uint8_t)k->kind);
    etl_store_u32(free, PROCESS_AT, k->process);
    etl_store_u32(free, SIZE_AT, (uint32_t)payload.size);
    store(etl_scratch_part(free, HEADER_SIZE, payload.size), payload);
    schemas->slots[slot] = (uint32_t)schemas->used + 1;
    schemas->used += HEADER_SIZE + payload.size;
    schemas->by_process = schemas->by_process || k->process != 0;
    return true;
}

size_t etl_schemas_room(size_t size)
{
    return HEADER_SIZE + size;
}

etl_schema_added etl_schemas_add(etl_schemas *schemas, etl_schema_kind kind, uint32_t process, etl_span payload)
{
    const key k = key_of(kind, process, payload);
    const etl_span known = find(schemas, &k);
    if (k.rest.size == 0)
        return ETL_SCHEMA_KNOWN; /* nothing can ask for a map without a name */
    if (known.size != 0)
        return etl_same_bytes(known, payload) ? ETL_SCHEMA_KNOWN : ETL_SCHEMA_OTHER;
    return add(schemas, &k, payload) ? ETL_SCHEMA_ADDED : ETL_SCHEMA_NO_ROOM;
}

/*@ predicate taking{L}(etl_schemas *s, etl_event *event, etl_findings *findings) =
  @   etl_schemas_open(s) && checkable(event, findings) && \separated(s, event, findings) &&
  @   \separated(s->memory.at + (0 .. s->memory.size - 1), event, findings,
  @              event->bytes.at + (0 .. event->bytes.size - 1)); */

/*@ requires taking(schemas, event, findings);
  @ assigns *schemas, *findings, schemas->memory.at[0 .. schemas->memory.size - 1];
  @ ensures etl_schemas_open(schemas);
  @ ensures etl_list(findings); */
static void keep(etl_schemas *schemas, etl_schema_kind kind, const etl_event *event, etl_findings *findings)
{
    const uint32_t at = event->header_size + event->items_size;
    const etl_span payload = etl_span_part(event->bytes, at, event->data_size);
    const etl_schema_added added = etl_schemas_add(schemas, kind, 0, payload);
    if (added == ETL_SCHEMA_NO_ROOM)
        (void)etl_report_event(findings, ETL_RULE_MET_012, event, at);
    else if (added == ETL_SCHEMA_OTHER)
        (void)etl_report_event(findings, ETL_RULE_MET_011, event, at);
}

/*@ requires \valid_read(event) && etl_readable(event->bytes);
  @ assigns \nothing; */
static bool is_of_metadata(const etl_event *event)
{
    const etl_span guid = etl_span_part(event->bytes, ETL_AT(EVENT_TRACE_HEADER, Guid), GUID_SIZE);
    const etl_span expected = {event_metadata_guid, GUID_SIZE};
    return event->layout == ETL_LAYOUT_FULL && etl_same_bytes(guid, expected);
}

/*@ requires \valid_read(event) && etl_readable(event->bytes);
  @ assigns \nothing; */
static uint8_t type_of(const etl_event *event)
{
    return etl_load_u8(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ClassType));
}

size_t etl_schemas_need(const etl_event *event)
{
    const uint8_t type = type_of(event);
    const bool carries = (type == TYPE_EVENT_INFO || type == TYPE_MAP_INFO) && is_of_metadata(event);
    return carries ? etl_schemas_room(event->data_size) : 0;
}

bool etl_schemas_take(etl_schemas *schemas, const etl_event *event, etl_findings *findings)
{
    const uint8_t type = type_of(event);
    if (etl_schemas_need(event) == 0)
        return false;
    if (type == TYPE_MAP_INFO && etl_event_map_check(event, findings))
        keep(schemas, ETL_SCHEMA_KIND_MAP, event, findings);
    else if (type == TYPE_EVENT_INFO && etl_event_info_check(event, findings))
        keep(schemas, ETL_SCHEMA_KIND_EVENT, event, findings);
    return true;
}

/* What the set has for the process, or else for all; `k->process` is that of the key found. Empty if there is none. */
/*@ requires etl_schemas_sound(schemas) && \valid(k) && is_key(k) && \separated(schemas, k);
  @ assigns k->process;
  @ ensures etl_readable(\result) && in_memory(schemas, \result); */
static etl_span find_for(const etl_schemas *schemas, key *k)
{
    const uint32_t processes[] = {k->process, 0, ETL_SCHEMAS_FALLBACK};
    etl_span found = {0};
    /*@ loop invariant 0 <= i <= 3 && etl_readable(found) && in_memory(schemas, found);
      @ loop assigns i, k->process, found;
      @ loop variant 3 - i; */
    for (size_t i = 0; i < sizeof processes / sizeof processes[0] && found.size == 0; i++) {
        k->process = processes[i];
        if (k->process == 0 || schemas->by_process)
            found = find(schemas, k);
    }
    return found;
}

bool etl_schemas_find(const etl_schemas *schemas, const etl_event *event, etl_metadata *metadata)
{
    key k = {ETL_SCHEMA_KIND_EVENT, etl_load_u32(event->bytes, ETL_AT(EVENT_HEADER, ProcessId)),
             etl_span_part(event->bytes, ETL_AT(EVENT_HEADER, ProviderId), GUID_SIZE),
             etl_span_part(event->bytes, ETL_AT(EVENT_HEADER, Id), DESCRIPTOR_SIZE)};
    if (event->layout != ETL_LAYOUT_EVENT)
        return false;
    const uint32_t process = k.process;
    const etl_span info = find_for(schemas, &k);
    /* For the maps: a process may share the schema with others, and have a map of its own. */
    if (info.size != 0)
        etl_event_info_metadata(info, process, metadata);
    return info.size != 0;
}

bool etl_schemas_find_map(const etl_schemas *schemas, const etl_metadata *metadata, etl_span name, etl_map *map)
{
    key k = {ETL_SCHEMA_KIND_MAP, metadata->process, etl_span_first(metadata->info, GUID_SIZE), name};
    if (name.size == 0)
        return false;
    const etl_span payload = find_for(schemas, &k);
    if (payload.size != 0)
        *map = etl_event_map(payload);
    return payload.size != 0;
}

bool etl_schemas_next(const etl_schemas *schemas, size_t *next, etl_schema_entry *entry)
{
    const size_t at = *next;
    if (at >= schemas->used)
        return false;
    const etl_span payload = payload_at(schemas, at);
    *entry = (etl_schema_entry){
        .kind = kind_at(schemas, at), .provider = etl_load_guid(payload, 0), .process = process_at(schemas, at)};
    if (entry->kind == ETL_SCHEMA_KIND_MAP) {
        entry->map = etl_event_map(payload);
    } else {
        entry->id = etl_load_u16(payload, ETL_AT(TRACE_EVENT_INFO, Id));
        entry->version = etl_load_u8(payload, ETL_AT(TRACE_EVENT_INFO, Version));
        etl_event_info_metadata(payload, entry->process, &entry->metadata);
    }
    *next = at + HEADER_SIZE + payload.size;
    return true;
}
