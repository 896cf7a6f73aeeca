/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, texts and sizes from the tables in format/, for callers that print them. No fact of a row is typed again here.
 */
#include "etlproof/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Rules. Layers and groups have texts of their own, which a rule's row points to. */

#define ETL_LAYER(name, text) static const char layer_text_##name[] = text;
#include "format/layers.def"

#define ETL_RULE_GROUP(name, text) static const char rule_group_text_##name[] = text;
#include "format/rule_groups.def"

static const etl_rule_info rules[] = {
#define ETL_RULE(id, text, group, layer, severity, statement, value, effect, source) \
    {text, rule_group_text_##group, layer_text_##layer, ETL_SEVERITY_##severity, statement, value, effect, source},
#include "format/rules.def"
};

const etl_rule_info *etl_rule_get(etl_rule rule)
{
    return &rules[rule];
}

/*@ assigns \nothing; */
static int same_text(const char *a, const char *b)
{
    /*@ loop assigns a, b; */
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

etl_rule etl_rule_find(const char *id)
{
    size_t i = 0;
    /*@ loop invariant i <= COUNT(rules);
      @ loop assigns i;
      @ loop variant COUNT(rules) - i; */
    while (i < COUNT(rules) && !same_text(rules[i].id, id))
        i++;
    return (etl_rule)i;
}

const char *etl_severity_text(etl_severity severity)
{
    static const char *const texts[] = {
#define ETL_SEVERITY(name, text, meaning) text,
#include "format/severities.def"
    };
    return texts[severity];
}

const char *etl_action_text(etl_action action)
{
    static const char *const texts[] = {
#define ETL_ACTION(name, text, meaning) text,
#include "format/actions.def"
    };
    return texts[action];
}

const char *etl_region_text(etl_region_kind kind)
{
    static const char *const texts[] = {
#define ETL_REGION(name, text, meaning) text,
#include "format/regions.def"
    };
    return texts[kind];
}

/* Names of one value. */

const char *etl_header_type_name(uint8_t type)
{
    switch (type) {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) \
    case value: \
        return #name;
#include "format/header_types.def"
    default:
        return "UNKNOWN";
    }
}

uint8_t etl_header_type_pointer_size(uint8_t type)
{
    switch (type) {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) \
    case value: \
        return pointer_size;
#include "format/header_types.def"
    default:
        return 0;
    }
}

const char *etl_item_type_name(uint16_t type)
{
    switch (type) {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) \
    case value: \
        return #name;
#include "format/item_types.def"
    default:
        return NULL;
    }
}

const char *etl_clock_type_name(uint32_t type)
{
    switch (type) {
#define ETL_CLOCK_TYPE(value, name, meaning, source) \
    case value: \
        return #name;
#include "format/clock_types.def"
    default:
        return NULL;
    }
}

const char *etl_buffer_type_name(uint16_t type)
{
    switch (type) {
#define ETL_BUFFER_TYPE(value, name, meaning, source) \
    case value: \
        return #name;
#include "format/buffer_types.def"
    default:
        return NULL;
    }
}

const char *etl_buffer_state_name(uint32_t state)
{
    switch (state) {
#define ETL_BUFFER_STATE(value, name, since, source) \
    case value: \
        return #name;
#include "format/buffer_states.def"
    default:
        return NULL;
    }
}

const char *etl_compression_format_name(uint32_t format)
{
    switch (format) {
#define ETL_COMPRESSION_FORMAT(value, name, meaning, source) \
    case value: \
        return #name;
#include "format/compression_formats.def"
    default:
        return NULL;
    }
}

/* Hooks. Rows are in rising order of their value; a test checks this. */

static const etl_name hooks[] = {
#define ETL_HOOK(value, name, versions, source) {value, #name},
#include "format/hook_ids.def"
};

const char *etl_hook_name(uint16_t hook)
{
    size_t low = 0, high = COUNT(hooks);
    /*@ loop invariant low <= high <= COUNT(hooks);
      @ loop assigns low, high;
      @ loop variant high - low; */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hooks[middle].value < hook)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT(hooks) && hooks[low].value == hook ? hooks[low].name : NULL;
}

const char *etl_hook_group_name(uint8_t group)
{
    switch (group) {
#define ETL_HOOK_GROUP(value, name, guid, source) \
    case value: \
        return #name;
#include "format/hook_groups.def"
    default:
        return NULL;
    }
}

const char *etl_hook_group_guid(uint8_t group)
{
    switch (group) {
#define ETL_HOOK_GROUP(value, name, guid, source) \
    case value: \
        return guid;
#include "format/hook_groups.def"
    default:
        return NULL;
    }
}

/* Flag words. */

etl_names etl_buffer_flag_names(void)
{
    static const etl_name names[] = {
#define ETL_BUFFER_FLAG(value, name, meaning, source) {value, #name},
#include "format/buffer_flags.def"
    };
    return (etl_names){names, COUNT(names)};
}

etl_names etl_event_flag_names(void)
{
    static const etl_name names[] = {
#define ETL_EVENT_FLAG(value, name, meaning, source) {value, #name},
#include "format/event_flags.def"
    };
    return (etl_names){names, COUNT(names)};
}

etl_names etl_event_property_names(void)
{
    static const etl_name names[] = {
#define ETL_EVENT_PROPERTY(value, name, meaning, source) {value, #name},
#include "format/event_flags.def"
    };
    return (etl_names){names, COUNT(names)};
}

etl_names etl_logger_mode_names(void)
{
    static const etl_name names[] = {
#define ETL_LOGGER_MODE(value, name, source) {value, #name},
#include "format/logger_modes.def"
    };
    return (etl_names){names, COUNT(names)};
}

/* The number of a word's only set bit, up to bit 7: message_options.def has its rows in the order of the parts. */
#define BIT(value) (((value) > 0x0F) * 4 + (((value) & 0xCC) != 0) * 2 + (((value) & 0xAA) != 0))

etl_names etl_message_option_names(void)
{
    static const etl_name names[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) [BIT(value)] = {value, #name},
#include "format/message_options.def"
    };
    return (etl_names){names, COUNT(names)};
}

/* Structures. The members of all structures are one array; those of a structure end where the next structure's start. */

static const etl_member_info members[] = {
#define ETL_MEMBER(structure, member, offset, kind) {#member, offset, ETL_MEMBER_KIND_##kind},
#include "format/structures.def"
};

enum member_number {
#define ETL_STRUCTURE(name, size, versions, source) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define ETL_MEMBER(structure, member, offset, kind) NUMBER_##structure##_##member,
#include "format/structures.def"
    MEMBER_COUNT
};

typedef struct structure_row {
    const char *name;
    uint32_t size;
    uint32_t first; /* of `members` */
} structure_row;

static const structure_row structures[ETL_STRUCTURE_COUNT + 1] = {
#define ETL_STRUCTURE(name, size, versions, source) {#name, size, FIRST_##name},
#include "format/structures.def"
    {NULL, 0, MEMBER_COUNT},
};

const char *etl_structure_name(etl_structure_id id)
{
    return structures[id].name;
}

uint32_t etl_structure_size_of(etl_structure_id id)
{
    return structures[id].size;
}

const etl_member_info *etl_structure_members(etl_structure_id id, size_t *count)
{
    *count = structures[id + 1].first - structures[id].first;
    return members + structures[id].first;
}

etl_structure_id etl_layout_structure(etl_layout layout)
{
    static const etl_structure_id layout_structures[] = {
#define ETL_LAYOUT(name, structure, time_at) ETL_STRUCTURE_##structure,
#include "format/layouts.def"
    };
    return layout_structures[layout];
}

uint32_t etl_member_kind_size(etl_member_kind kind)
{
    static const uint32_t sizes[] = {
#define ETL_MEMBER_KIND(name, size, meaning) size,
#include "format/member_kinds.def"
    };
    return sizes[kind];
}
