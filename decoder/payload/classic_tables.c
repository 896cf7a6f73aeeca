/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of classic_events.def, and the hook groups, as C tables. classic.c searches them.
 */
#include "classic_tables.h"

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

const etl_classic_field_row etl_classic_fields[ETL_CLASSIC_FIELD_COUNT] = {
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) \
    {TEXT(#name), ETL_IN_TYPE_##in_type, ETL_OUT_TYPE_##out_type, ETL_CLASSIC_##form, count, length},
#include "format/payload/classic_events.def"
};

enum field_number {
#define ETL_CLASSIC_CLASS(class, source) FIRST_##class, BEFORE_##class = FIRST_##class - 1,
#define ETL_CLASSIC_FIELD(class, name, in_type, out_type, form, count, length) NUMBER_##class##_##name,
#include "format/payload/classic_events.def"
    FIELD_COUNT
};

const uint16_t etl_classic_first_fields[ETL_CLASSIC_CLASS_COUNT + 1] = {
#define ETL_CLASSIC_CLASS(class, source) FIRST_##class,
#include "format/payload/classic_events.def"
    FIELD_COUNT,
};

const etl_classic_event_row etl_classic_events[ETL_CLASSIC_EVENT_COUNT] = {
#define ETL_CLASSIC_EVENT(hook, version, class, name) {hook, version, ETL_CLASSIC_CLASS_##class, TEXT(name)},
#include "format/payload/classic_events.def"
};

const etl_classic_group_row etl_classic_groups[ETL_CLASSIC_GROUP_COUNT] = {
#define ETL_HOOK_GROUP(value, name, guid, source) {value, TEXT(#name), guid},
#include "format/hook_groups.def"
#define ETL_CLASSIC_GROUP(group, name, guid, source) {group, TEXT(#name), guid},
#include "format/payload/classic_events.def"
};

#define ETL_CLASSIC_EVENT(hook, version, class, name) \
    _Static_assert((int)ETL_CLASSIC_CLASS_##class < (int)ETL_CLASSIC_CLASS_COUNT, #class);
#include "format/payload/classic_events.def"
