/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the role of a member and its table of values, from member_roles.def. Called by edit_members.c.
 */
#include "member_roles.h"

#include <stdbool.h>

typedef enum values {
#define MUTATOR_VALUES(name) VALUES_##name,
#include "member_roles.def"
    VALUES_COUNT
} values;

/* The members of all structures, numbered in the order of structures.def. */
enum member_number {
#define ETL_STRUCTURE(name, size, versions, source) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define ETL_MEMBER(structure, member, offset, kind) MEMBER_##structure##_##member,
#include "format/structures.def"
    MEMBER_COUNT
};

static const int firsts[ETL_STRUCTURE_COUNT] = {
#define ETL_STRUCTURE(name, size, versions, source) [ETL_STRUCTURE_##name] = FIRST_##name,
#include "format/structures.def"
};

static const struct {
    bool known;
    uint8_t role, values;
} members[MEMBER_COUNT] = {
#define MUTATOR_MEMBER_ROLE(structure, member, role, values) \
    [MEMBER_##structure##_##member] = {true, MUTATOR_ROLE_##role, VALUES_##values},
#include "member_roles.def"
};

static const char *const role_texts[MUTATOR_ROLES] = {
#define MUTATOR_ROLE(name, text) [MUTATOR_ROLE_##name] = text,
#include "member_roles.def"
};

/* The tables of values. A table of flags holds their bits. */

#define NUMBER(value) (uint32_t)(value),
static const uint32_t none[] = {0};
static const uint32_t clock_types[] = {
#define ETL_CLOCK_TYPE(value, name, meaning, source) NUMBER(value)
#include "format/clock_types.def"
};
static const uint32_t buffer_flags[] = {
#define ETL_BUFFER_FLAG(value, name, meaning, source) NUMBER(value)
#include "format/buffer_flags.def"
};
static const uint32_t buffer_types[] = {
#define ETL_BUFFER_TYPE(value, name, meaning, source) NUMBER(value)
#include "format/buffer_types.def"
};
/* State also holds the compression format, in the header buffer. */
static const uint32_t states[] = {
#define ETL_BUFFER_STATE(value, name, since, source) NUMBER(value)
#include "format/buffer_states.def"
#define ETL_COMPRESSION_FORMAT(value, name, meaning, source) NUMBER(value)
#include "format/compression_formats.def"
};
static const uint32_t version_masks[] = {
#define ETL_VERSION_MASK(mask, name, meaning, source) NUMBER(mask)
#include "format/version_word.def"
};
static const uint32_t header_types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) NUMBER(value)
#include "format/header_types.def"
};
static const uint32_t markers[] = {
#define ETL_MARKER_FLAG(value, name, meaning, source) NUMBER(value)
#define ETL_MARKER(value, name, meaning, source) NUMBER(value)
#include "format/marker_flags.def"
};
static const uint32_t hooks[] = {
#define ETL_HOOK(value, name, versions, source) NUMBER(value)
#include "format/hook_ids.def"
};
static const uint32_t event_flags[] = {
#define ETL_EVENT_FLAG(value, name, meaning, source) NUMBER(value)
#include "format/event_flags.def"
};
static const uint32_t event_properties[] = {
#define ETL_EVENT_PROPERTY(value, name, meaning, source) NUMBER(value)
#include "format/event_flags.def"
};
static const uint32_t item_types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) NUMBER(value)
#include "format/item_types.def"
};
static const uint32_t message_options[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) NUMBER(value)
#include "format/message_options.def"
};
static const uint32_t logger_modes[] = {
#define ETL_LOGGER_MODE(value, name, source) NUMBER(value)
#include "format/logger_modes.def"
};

#define TABLE(name) {name, sizeof name / sizeof name[0]}
static const mutator_table tables[VALUES_COUNT] = {
    [VALUES_NONE] = {none, 0},
    [VALUES_CLOCK_TYPES] = TABLE(clock_types),
    [VALUES_BUFFER_FLAGS] = TABLE(buffer_flags),
    [VALUES_BUFFER_TYPES] = TABLE(buffer_types),
    [VALUES_STATES] = TABLE(states),
    [VALUES_VERSION_MASKS] = TABLE(version_masks),
    [VALUES_HEADER_TYPES] = TABLE(header_types),
    [VALUES_MARKERS] = TABLE(markers),
    [VALUES_HOOKS] = TABLE(hooks),
    [VALUES_EVENT_FLAGS] = TABLE(event_flags),
    [VALUES_EVENT_PROPERTIES] = TABLE(event_properties),
    [VALUES_ITEM_TYPES] = TABLE(item_types),
    [VALUES_MESSAGE_OPTIONS] = TABLE(message_options),
    [VALUES_LOGGER_MODES] = TABLE(logger_modes),
};

mutator_role mutator_role_of(etl_structure_id structure, size_t member, mutator_table *table)
{
    const size_t number = (size_t)firsts[structure] + member;
    *table = tables[members[number].values];
    return members[number].known ? (mutator_role)members[number].role : MUTATOR_ROLES;
}

const char *mutator_role_text(mutator_role role)
{
    return role_texts[role];
}
