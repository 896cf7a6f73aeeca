/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemas that a merged trace carries for events of other providers: TRACE_EVENT_INFO, which describes the payload of
 * one event, and EVENT_MAP_INFO, which has texts for the values of fields. They are the payloads of events of their own,
 * which may lie before or behind the events that need them: read the file twice.
 *
 *     etl_schemas_init(&schemas, memory);
 *     for each event: etl_schemas_take(&schemas, event, &findings);
 *     for each event again: etl_schemas_find(&schemas, event, &metadata)
 *
 * Source: tdh.h; 160 real schemas.
 */
#ifndef ETLPROOF_SCHEMAS_H
#define ETLPROOF_SCHEMAS_H

#include "etlproof/payload.h"

ETL_C_BEGIN

/* Limits of the reader (MET-010, MET-012). */
#define ETL_MAP_ENTRIES_MAX 1024
#define ETL_SCHEMAS_SLOTS 0x10000

/* A set of schemas and maps. */
typedef struct etl_schemas {
    bool by_process; /* some of them are not for the events of all processes */
    bool closed;   /* set by the caller: no more are added, and several threads may use the set at once */
    etl_scratch memory;
    size_t used;   /* of it */
    uint32_t slots[ETL_SCHEMAS_SLOTS]; /* a hash table: where in memory a schema starts, plus 1 */
} etl_schemas;

/*@ predicate etl_schemas_sound{L}(etl_schemas *s) =
  @   \valid_read(s) && \valid(s->memory.at + (0 .. s->memory.size - 1)) &&
  @   s->used <= s->memory.size && s->memory.size <= UINT32_MAX &&
  @   (\forall integer i; 0 <= i < ETL_SCHEMAS_SLOTS ==> s->slots[i] <= s->used);
  @
  @ predicate etl_schemas_open{L}(etl_schemas *s) =
  @   \valid(s) && etl_schemas_sound(s) && \separated(s, s->memory.at + (0 .. s->memory.size - 1)); */

/* An empty set, which copies schemas into `memory`, of less than 4 GiB. */
/*@ requires \valid(schemas) && \valid(memory.at + (0 .. memory.size - 1)) && memory.size <= UINT32_MAX;
  @ requires \separated(schemas, memory.at + (0 .. memory.size - 1));
  @ assigns *schemas;
  @ ensures etl_schemas_open(schemas); */
void etl_schemas_init(etl_schemas *schemas, etl_scratch memory);

/* Bytes of memory that the schema or the map takes which the event carries; 0 if it carries none. */
/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns \nothing; */
size_t etl_schemas_need(const etl_event *event);

/*
 * If the event carries a schema or a map: checks it and, unless the set is closed or has one for the same events, adds it.
 * False if it carries none.
 * Findings, at most one of each: MET-007 to MET-012.
 */
/*@ requires etl_schemas_open(schemas) && etl_event_parts(event);
  @ requires \valid(findings) && findings->count <= ETL_FINDINGS_MAX && \separated(schemas, event, findings);
  @ requires \separated(findings, event->bytes.at + (0 .. event->bytes.size - 1));
  @ requires \separated(schemas->memory.at + (0 .. schemas->memory.size - 1), event, findings,
  @                     event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns *schemas, *findings, schemas->memory.at[0 .. schemas->memory.size - 1];
  @ ensures etl_schemas_open(schemas);
  @ ensures findings->count <= ETL_FINDINGS_MAX; */
bool etl_schemas_take(etl_schemas *schemas, const etl_event *event, etl_findings *findings);

typedef enum etl_schema_kind { ETL_SCHEMA_KIND_EVENT, ETL_SCHEMA_KIND_MAP } etl_schema_kind;

typedef enum etl_schema_added {
    ETL_SCHEMA_ADDED,
    ETL_SCHEMA_KNOWN,  /* it is there already */
    ETL_SCHEMA_OTHER,  /* another one for the same events is there, or another map of the name: that one stays */
    ETL_SCHEMA_NO_ROOM /* or the set is closed */
} etl_schema_added;

/* A schema from a manifest: for the events of all processes that have no other. */
#define ETL_SCHEMAS_FALLBACK UINT32_MAX

/*
 * Adds a schema or a map from elsewhere: the payload of an event that would carry it, which needs no check. `process` is 0
 * for the events of all, or ETL_SCHEMAS_FALLBACK, or an id: for the events of that process, before any other.
 */
/*@ requires etl_schemas_open(schemas) && \valid_read(payload.at + (0 .. payload.size - 1));
  @ requires \separated(schemas->memory.at + (0 .. schemas->memory.size - 1), payload.at + (0 .. payload.size - 1));
  @ assigns *schemas, schemas->memory.at[0 .. schemas->memory.size - 1];
  @ ensures etl_schemas_open(schemas) && schemas->memory == \old(schemas->memory); */
etl_schema_added etl_schemas_add(etl_schemas *schemas, etl_schema_kind kind, uint32_t process, etl_span payload);
/* Bytes of memory that a payload of `size` bytes takes. */
/*@ assigns \nothing; */
size_t etl_schemas_room(size_t size);

/* The schema of the event's provider, Id and Version. False if the set has none. */
/*@ requires etl_schemas_sound(schemas) && \valid_read(event) &&
  @          \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ requires \valid(metadata);
  @ assigns *metadata;
  @ ensures \result ==> etl_metadata_readable(metadata); */
bool etl_schemas_find(const etl_schemas *schemas, const etl_event *event, etl_metadata *metadata);

/* Texts for numbers, or for bits. */
typedef struct etl_map {
    etl_span name;  /* UTF-16, without the NUL */
    bool bits;      /* an entry stands for bits of a value, not for a whole value */
    uint32_t count; /* of entries */
    etl_span info;  /* the whole EVENT_MAP_INFO */
} etl_map;

/* The map with the name `name` of the provider that described `metadata`. */
/*@ requires etl_schemas_sound(schemas) && etl_metadata_readable(metadata);
  @ requires \valid_read(name.at + (0 .. name.size - 1)) && \valid(map);
  @ assigns *map;
  @ ensures \result ==> \valid_read(map->info.at + (0 .. map->info.size - 1)); */
bool etl_schemas_find_map(const etl_schemas *schemas, const etl_metadata *metadata, etl_span name, etl_map *map);

/* Entry number `index`: UTF-16, without the space at its end that Windows adds. False if there is none. */
/*@ requires \valid_read(map) && \valid_read(map->info.at + (0 .. map->info.size - 1));
  @ requires \valid(value) && \valid(text) && \separated(map, value, text);
  @ assigns *value, *text;
  @ ensures \result ==> index < map->count && \valid_read(text->at + (0 .. text->size - 1)); */
bool etl_map_entry(const etl_map *map, uint32_t index, uint32_t *value, etl_span *text);

/* The texts for a value, one after another; {value, value, 0} before the first. */
typedef struct etl_map_texts {
    uint32_t value;
    uint32_t rest; /* of its bits, those without a text so far */
    uint32_t next; /* number of the entry that is tried next */
} etl_map_texts;

/* The next text: up to one for a number, up to one for each entry of bits. False if there is no further text. */
/*@ requires \valid_read(map) && \valid_read(map->info.at + (0 .. map->info.size - 1));
  @ requires \valid(texts) && \valid(text) && \separated(map, texts, text);
  @ assigns *texts, *text;
  @ ensures \result ==> \valid_read(text->at + (0 .. text->size - 1)); */
bool etl_map_next(const etl_map *map, etl_map_texts *texts, etl_span *text);

/* A member of the set: one of `metadata` and `map`. */
typedef struct etl_schema_entry {
    etl_schema_kind kind;
    etl_guid provider;
    uint32_t process; /* as for etl_schemas_add */
    uint16_t id;      /* EVENT */
    uint8_t version;  /* EVENT */
    etl_metadata metadata;
    etl_map map;
} etl_schema_entry;

/* The members in the order in which they were added. `*next` is 0 before the first. False at the end. */
/*@ requires etl_schemas_sound(schemas) && \valid(next) && \valid(entry) && \separated(schemas, next, entry);
  @ assigns *next, *entry;
  @ ensures \result ==> *next > \old(*next); */
bool etl_schemas_next(const etl_schemas *schemas, size_t *next, etl_schema_entry *entry);

ETL_C_END

#endif
