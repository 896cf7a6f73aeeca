/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classic events whose payload is in classic_events.def: kernel events, by hook and version, and events with a class
 * GUID, by this GUID, type and version. payload.c walks the fields.
 */
#include "etlproof/payload.h"

#include <string.h>

#include "metadata.h"
#include "span.h"

/* The forms of the table: how many values a field has. */
typedef enum row_form { SINGLE, FIXED, PROPERTY, REST, OPTIONAL } row_form;

typedef struct field_row {
    const char *name;
    uint16_t in_type, out_type;
    row_form form;
    uint16_t count, length;
} field_row;

static const field_row fields[] = {
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) \
    {#name, ETL_IN_TYPE_##in_type, ETL_OUT_TYPE_##out_type, form, count, length},
#include "format/payload/classic_events.def"
};

/* The fields of all classes are one array; those of a class end where the next class's start. */
enum field_number {
#define ETL_CLASSIC_CLASS(class, source) FIRST_##class, BEFORE_##class = FIRST_##class - 1,
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) NUMBER_##class##_##name,
#include "format/payload/classic_events.def"
    FIELD_COUNT
};

enum class_number {
#define ETL_CLASSIC_CLASS(class, source) CLASS_##class,
#include "format/payload/classic_events.def"
    CLASS_COUNT
};

static const uint16_t first_fields[CLASS_COUNT + 1] = {
#define ETL_CLASSIC_CLASS(class, source) FIRST_##class,
#include "format/payload/classic_events.def"
    FIELD_COUNT,
};

typedef struct event_row {
    uint32_t hook;
    uint16_t version, class;
    const char *name;
} event_row;

static const event_row events[] = {
#define ETL_CLASSIC_EVENT(hook, version, class, name) {hook, version, CLASS_##class, name},
#include "format/payload/classic_events.def"
};

typedef struct group_row {
    uint32_t group;
    const char *name, *guid;
} group_row;

static const group_row groups[] = {
#define ETL_HOOK_GROUP(value, name, guid, source) {value, #name, guid},
#include "format/hook_groups.def"
#define ETL_CLASSIC_GROUP(group, name, guid, source) {group, #name, guid},
#include "format/payload/classic_events.def"
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Whether the 16 bytes at `at` are the GUID of the text. */
static bool has_guid(etl_span bytes, uint32_t at, const char *text)
{
    /* Where the digits of each stored byte are: the first three fields are little-endian. */
    static const uint8_t digits[] = {6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34};
    for (uint32_t i = 0; i < COUNT(digits); i++) {
        const char *pair = text + digits[i];
        if (etl_load_u8(bytes, at + i) != (uint8_t)(digit(pair[0]) << 4 | digit(pair[1])))
            return false;
    }
    return true;
}

/* The group whose GUID the event has; NULL if it is in no table. */
static const group_row *group_of(const etl_event *event)
{
    for (size_t i = 0; i < COUNT(groups); i++)
        if (has_guid(event->bytes, ETL_AT(EVENT_TRACE_HEADER, Guid), groups[i].guid))
            return &groups[i];
    return NULL;
}

/* False if the event is not a classic one. */
static bool key_of(const etl_event *event, uint32_t *hook, uint16_t *version)
{
    etl_event_fields header;
    const group_row *group;
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
static const event_row *find(uint32_t hook, uint16_t version)
{
    size_t low = 0, high = COUNT(events);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const event_row *row = &events[middle];
        if (row->hook == hook && row->version == version)
            return row;
        if (row->hook < hook || (row->hook == hook && row->version < version))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static etl_span text_of(const char *text)
{
    const etl_span span = {(const uint8_t *)text, strlen(text)};
    return span;
}

static const char *group_name(uint32_t group)
{
    for (size_t i = 0; i < COUNT(groups); i++)
        if (groups[i].group == group)
            return groups[i].name;
    return "";
}

bool etl_metadata_classic(const etl_event *event, etl_metadata *metadata)
{
    uint32_t hook;
    uint16_t version;
    if (!key_of(event, &hook, &version) || etl_event_pointer_size(event) == 0)
        return false;
    const event_row *row = find(hook, version);
    if (row == NULL)
        return false;
    *metadata = (etl_metadata){.form = ETL_METADATA_FORM_CLASSIC,
                               .event_name = text_of(group_name(hook >> 8)),
                               .opcode_name = text_of(row->name),
                               .rows = first_fields[row->class],
                               .fields_count = first_fields[row->class + 1] - (uint32_t)first_fields[row->class]};
    return true;
}

static etl_count_form count_form(row_form form)
{
    switch (form) {
    case FIXED: return ETL_COUNT_FORM_FIXED;
    case PROPERTY: return ETL_COUNT_FORM_PROPERTY;
    case REST: return ETL_COUNT_FORM_REST;
    case SINGLE:
    case OPTIONAL: break;
    }
    return ETL_COUNT_FORM_SINGLE;
}

bool etl_classic_field(const etl_metadata *metadata, uint32_t index, etl_field *field)
{
    if (index >= metadata->fields_count)
        return false;
    const field_row *row = &fields[metadata->rows + index];
    *field = (etl_field){.name = text_of(row->name),
                         .in_type = row->in_type,
                         .out_type = row->out_type,
                         .count_form = count_form(row->form),
                         .count = row->count,
                         .size_form = row->length != 0 ? ETL_SIZE_FORM_FIXED : ETL_SIZE_FORM_TYPE,
                         .size = row->length,
                         .optional = row->form == OPTIONAL};
    return true;
}
