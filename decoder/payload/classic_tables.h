/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classic_events.def as C tables, for classic.c. The proofs see their sizes, but no contents.
 */
#ifndef ETLPROOF_PAYLOAD_CLASSIC_TABLES_H
#define ETLPROOF_PAYLOAD_CLASSIC_TABLES_H

#include "etlproof/payload.h"

/* How many values a field has. */
typedef enum etl_classic_form {
    ETL_CLASSIC_SINGLE,
    ETL_CLASSIC_FIXED,
    ETL_CLASSIC_PROPERTY,
    ETL_CLASSIC_REST,
    ETL_CLASSIC_OPTIONAL
} etl_classic_form;

typedef struct etl_classic_field_row {
    etl_span name;
    uint16_t in_type, out_type;
    etl_classic_form form;
    uint16_t count, length;
} etl_classic_field_row;

typedef struct etl_classic_event_row {
    uint32_t hook;
    uint16_t version, class;
    etl_span name;
} etl_classic_event_row;

enum { ETL_GUID_TEXT_SIZE = sizeof "01234567-89ab-cdef-0123-456789abcdef" };

typedef struct etl_classic_group_row {
    uint32_t group;
    etl_span name;
    char guid[ETL_GUID_TEXT_SIZE];
} etl_classic_group_row;

enum etl_classic_class {
#define ETL_CLASSIC_CLASS(class, source) ETL_CLASSIC_CLASS_##class,
#include "format/payload/classic_events.def"
    ETL_CLASSIC_CLASS_COUNT
};

enum etl_classic_count {
    ETL_CLASSIC_FIELD_COUNT = 0
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) +1
#include "format/payload/classic_events.def"
    ,
    ETL_CLASSIC_EVENT_COUNT = 0
#define ETL_CLASSIC_EVENT(hook, version, class, name) +1
#include "format/payload/classic_events.def"
    ,
    ETL_CLASSIC_GROUP_COUNT = 0
#define ETL_HOOK_GROUP(value, name, guid, source) +1
#include "format/hook_groups.def"
#define ETL_CLASSIC_GROUP(group, name, guid, source) +1
#include "format/payload/classic_events.def"
};

/* The fields of all classes are one array; those of a class end where the next class's start. */
extern const etl_classic_field_row etl_classic_fields[ETL_CLASSIC_FIELD_COUNT];
extern const uint16_t etl_classic_first_fields[ETL_CLASSIC_CLASS_COUNT + 1];

/* Sorted by hook and version. */
extern const etl_classic_event_row etl_classic_events[ETL_CLASSIC_EVENT_COUNT];

extern const etl_classic_group_row etl_classic_groups[ETL_CLASSIC_GROUP_COUNT];

#endif
