/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classic events whose payload is in classic_events.def: kernel events, by hook and version, and events with a class
 * GUID, by this GUID, type and version. payload.c walks the fields.
 */
#include "etlproof/payload.h"

#include "classic_tables.h"
#include "metadata.h"
#include "span.h"

enum { GUID_SIZE = 16 };

/*@ assigns \nothing; */
static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Whether the 16 bytes at `at` are the GUID of the text. */
/*@ requires etl_readable(bytes) && \valid_read(text + (0 .. ETL_GUID_TEXT_SIZE - 1));
  @ assigns \nothing; */
static bool has_guid(etl_span bytes, uint32_t at, const char *text)
{
    /* Where the digits of each stored byte are: the first three fields are little-endian. */
    static const uint8_t digits[GUID_SIZE] = {6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34};
    /*@ loop invariant 0 <= i <= GUID_SIZE;
      @ loop assigns i;
      @ loop variant GUID_SIZE - i; */
    for (uint32_t i = 0; i < GUID_SIZE; i++) {
        const char *pair = text + digits[i];
        if (etl_load_u8(bytes, at + i) != (uint8_t)(16 * digit(pair[0]) + digit(pair[1])))
            return false;
    }
    return true;
}

/* The group whose GUID the event has; NULL if it is in no table. */
/*@ requires \valid_read(event) && etl_readable(event->bytes);
  @ assigns \nothing;
  @ ensures \result == NULL ||
  @   (\exists integer i; 0 <= i < ETL_CLASSIC_GROUP_COUNT && \result == &etl_classic_groups[i]); */
static const etl_classic_group_row *group_of(const etl_event *event)
{
    /*@ loop invariant 0 <= i <= ETL_CLASSIC_GROUP_COUNT;
      @ loop assigns i;
      @ loop variant ETL_CLASSIC_GROUP_COUNT - i; */
    for (size_t i = 0; i < ETL_CLASSIC_GROUP_COUNT; i++)
        if (has_guid(event->bytes, ETL_AT(EVENT_TRACE_HEADER, Guid), etl_classic_groups[i].guid))
            return &etl_classic_groups[i];
    return NULL;
}

/* False if the event is not a classic one. */
/*@ requires \valid_read(event) && etl_readable(event->bytes) && \valid(hook) && \valid(version);
  @ requires \separated(event, hook, version);
  @ assigns *hook, *version; */
static bool key_of(const etl_event *event, uint32_t *hook, uint16_t *version)
{
    etl_event_fields header;
    const etl_classic_group_row *group;
    etl_event_read(event, &header);
    *version = header.version;
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: *hook = header.hook; return true;
    case ETL_LAYOUT_FULL:
        group = group_of(event);
        *hook = group != NULL ? group->group << 8 | header.type : 0;
        return group != NULL;
    default: return false;
    }
}

/* NULL if there is none. */
/*@ assigns \nothing;
  @ ensures \result == NULL ||
  @   (\exists integer i; 0 <= i < ETL_CLASSIC_EVENT_COUNT && \result == &etl_classic_events[i]); */
static const etl_classic_event_row *find(uint32_t hook, uint16_t version)
{
    size_t low = 0, high = ETL_CLASSIC_EVENT_COUNT;
    /*@ loop invariant low <= high <= ETL_CLASSIC_EVENT_COUNT;
      @ loop assigns low, high;
      @ loop variant high - low; */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const etl_classic_event_row *row = &etl_classic_events[middle];
        if (row->hook == hook && row->version == version)
            return row;
        if (row->hook < hook || (row->hook == hook && row->version < version))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/*@ assigns \nothing; */
static etl_span group_name(uint32_t group)
{
    /*@ loop invariant 0 <= i <= ETL_CLASSIC_GROUP_COUNT;
      @ loop assigns i;
      @ loop variant ETL_CLASSIC_GROUP_COUNT - i; */
    for (size_t i = 0; i < ETL_CLASSIC_GROUP_COUNT; i++)
        if (etl_classic_groups[i].group == group)
            return etl_classic_groups[i].name;
    return (etl_span){0};
}

bool etl_metadata_classic(const etl_event *event, etl_metadata *metadata)
{
    uint32_t hook;
    uint16_t version;
    if (!key_of(event, &hook, &version) || etl_event_pointer_size(event) == 0)
        return false;
    const etl_classic_event_row *row = find(hook, version);
    if (row == NULL)
        return false;
    /*@ admit rows: row->class < ETL_CLASSIC_CLASS_COUNT; */
    const uint32_t first = etl_classic_first_fields[row->class], end = etl_classic_first_fields[row->class + 1];
    *metadata = (etl_metadata){.form = ETL_METADATA_FORM_CLASSIC,
                               .event_name = group_name(hook >> 8),
                               .opcode_name = row->name,
                               .rows = first,
                               .fields_count = end - first};
    return true;
}

/*@ assigns \nothing; */
static etl_count_form count_form(etl_classic_form form)
{
    switch (form) {
    case ETL_CLASSIC_FIXED: return ETL_COUNT_FORM_FIXED;
    case ETL_CLASSIC_PROPERTY: return ETL_COUNT_FORM_PROPERTY;
    case ETL_CLASSIC_REST: return ETL_COUNT_FORM_REST;
    case ETL_CLASSIC_SINGLE:
    case ETL_CLASSIC_OPTIONAL: break;
    }
    return ETL_COUNT_FORM_SINGLE;
}

bool etl_classic_field(const etl_metadata *metadata, uint32_t index, etl_field *field)
{
    const uint64_t number = (uint64_t)metadata->rows + index;
    if (index >= metadata->fields_count || number >= ETL_CLASSIC_FIELD_COUNT)
        return false;
    const etl_classic_field_row *row = &etl_classic_fields[number];
    *field = (etl_field){.name = row->name,
                         .in_type = row->in_type,
                         .out_type = row->out_type,
                         .count_form = count_form(row->form),
                         .count = row->count,
                         .size_form = row->length != 0 ? ETL_SIZE_FORM_FIXED : ETL_SIZE_FORM_TYPE,
                         .size = row->length,
                         .optional = row->form == ETL_CLASSIC_OPTIONAL};
    return true;
}
