/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of the format as C names. The rows of the tables in format/ make every enum here, and every name and text that
 * the functions return. The tables state the meaning and the source of each row.
 */
#ifndef ETLPROOF_FORMAT_H
#define ETLPROOF_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "etlproof/linkage.h"

ETL_C_BEGIN

/* ETL_AT(EVENT_HEADER, TimeStamp): offset of a member. ETL_SIZE(EVENT_HEADER): size of a structure's fixed part. */
#define ETL_AT(structure, member) ((uint32_t)ETL_AT_##structure##_##member)
#define ETL_SIZE(structure) ((uint32_t)ETL_SIZE_##structure)

enum etl_structure_size {
#define ETL_STRUCTURE(name, size, versions, source) ETL_SIZE_##name = (size),
#include "format/structures.def"
    ETL_SIZE_NOTHING = 0
};

enum etl_member_offset {
#define ETL_MEMBER(structure, member, offset, kind) ETL_AT_##structure##_##member = (offset),
#include "format/structures.def"
    ETL_AT_NOTHING = 0
};

typedef enum etl_structure_id {
#define ETL_STRUCTURE(name, size, versions, source) ETL_STRUCTURE_##name,
#include "format/structures.def"
    ETL_STRUCTURE_COUNT
} etl_structure_id;

typedef enum etl_member_kind {
#define ETL_MEMBER_KIND(name, size, meaning) ETL_MEMBER_KIND_##name,
#include "format/member_kinds.def"
    ETL_MEMBER_KIND_COUNT
} etl_member_kind;

/* TRACE_HEADER_TYPE: ETL_HEADER_TYPE_EVENT_HEADER64 and so on. */
enum etl_header_type {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) ETL_HEADER_TYPE_##name = (value),
#include "format/header_types.def"
    ETL_HEADER_TYPE_COUNT = 0x100 /* as many as the byte has values */
};

/* The event layouts; see layouts.def. */
typedef enum etl_layout {
#define ETL_LAYOUT(name, structure, time_at) ETL_LAYOUT_##name,
#include "format/layouts.def"
    ETL_LAYOUT_COUNT
} etl_layout;

enum etl_marker {
#define ETL_MARKER_FLAG(value, name, meaning, source) ETL_MARKER_FLAG_##name = (value),
#define ETL_MARKER(value, name, meaning, source) ETL_MARKER_##name = (value),
#include "format/marker_flags.def"
};

enum etl_version_mask {
#define ETL_VERSION_MASK(mask, name, meaning, source) ETL_VERSION_MASK_##name = (mask),
#include "format/version_word.def"
};

enum etl_buffer_flag {
#define ETL_BUFFER_FLAG(value, name, meaning, source) ETL_BUFFER_FLAG_##name = (value),
#include "format/buffer_flags.def"
};

/* All of them. */
enum etl_buffer_flags {
    ETL_BUFFER_FLAGS = 0
#define ETL_BUFFER_FLAG(value, name, meaning, source) | (value)
#include "format/buffer_flags.def"
};

enum etl_buffer_type {
#define ETL_BUFFER_TYPE(value, name, meaning, source) ETL_BUFFER_TYPE_##name = (value),
#include "format/buffer_types.def"
    ETL_BUFFER_TYPE_COUNT
};

enum etl_buffer_state {
#define ETL_BUFFER_STATE(value, name, since, source) ETL_BUFFER_STATE_##name = (value),
#include "format/buffer_states.def"
    ETL_BUFFER_STATE_COUNT
};

enum etl_compression_format {
#define ETL_COMPRESSION_FORMAT(value, name, meaning, source) ETL_COMPRESSION_FORMAT_##name = (value),
#include "format/compression_formats.def"
};

enum etl_clock_type {
#define ETL_CLOCK_TYPE(value, name, meaning, source) ETL_CLOCK_TYPE_##name = (value),
#include "format/clock_types.def"
    ETL_CLOCK_TYPE_COUNT
};

/* Versions of Windows as a logfile header states them: MajorVersion << 8 | MinorVersion. */
enum etl_windows_version {
#define ETL_WINDOWS_VERSION(name, major, minor, sub_version, build) ETL_WINDOWS_VERSION_##name = (major) << 8 | (minor),
#include "format/windows.def"
    ETL_WINDOWS_VERSION_END,
    ETL_WINDOWS_VERSION_LATEST = ETL_WINDOWS_VERSION_END - 1,
    ETL_WINDOWS_VERSION_OLDEST = ETL_WINDOWS_VERSION_5_0
};

/* LogFileMode. Constants of type uint32_t, since 0x80000000 does not fit an enum of C11. */
#define ETL_LOGGER_MODE(value, name, source) static const uint32_t ETL_LOGGER_MODE_##name = UINT32_C(value);
#include "format/logger_modes.def"

enum etl_event_flag {
#define ETL_EVENT_FLAG(value, name, meaning, source) ETL_EVENT_FLAG_##name = (value),
#include "format/event_flags.def"
};

enum etl_item_type {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) ETL_ITEM_TYPE_##name = (value),
#include "format/item_types.def"
};

enum etl_message_option {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) ETL_MESSAGE_OPTION_##name = (value),
#include "format/message_options.def"
};

/* All of them. */
enum etl_message_options {
    ETL_MESSAGE_OPTIONS = 0
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) | (value)
#include "format/message_options.def"
};

enum etl_hook {
#define ETL_HOOK(value, name, versions, source) ETL_HOOK_##name = (value),
#include "format/hook_ids.def"
};

typedef enum etl_region_kind {
#define ETL_REGION(name, text, meaning) ETL_REGION_##name,
#include "format/regions.def"
    ETL_REGION_COUNT
} etl_region_kind;

typedef enum etl_rule {
#define ETL_RULE(id, text, group, layer, severity, statement, value, effect, source) ETL_RULE_##id,
#include "format/rules.def"
    ETL_RULE_COUNT
} etl_rule;

typedef enum etl_severity {
#define ETL_SEVERITY(name, text, meaning) ETL_SEVERITY_##name,
#include "format/severities.def"
    ETL_SEVERITY_COUNT
} etl_severity;

typedef enum etl_action {
#define ETL_ACTION(name, text, meaning) ETL_ACTION_##name,
#include "format/actions.def"
    ETL_ACTION_COUNT
} etl_action;

typedef struct etl_rule_info {
    const char *id;        /* "BUF-002" */
    const char *group;     /* "buffer-header" */
    const char *layer;     /* "file" */
    etl_severity severity;
    const char *statement; /* true of every well-formed file */
    const char *value;     /* what the expected and the actual value of a finding are, such as "BufferSize"; empty: none */
    const char *effect;    /* what the decoder does where the file breaks the rule */
    const char *source;    /* the evidence for the rule */
} etl_rule_info;

typedef struct etl_member_info {
    const char *name;
    uint32_t offset;
    etl_member_kind kind;
} etl_member_info;

/* One named bit, or one named value. */
typedef struct etl_name {
    uint32_t value;
    const char *name;
} etl_name;

typedef struct etl_names {
    const etl_name *at;
    size_t count;
} etl_names;

/* The row of a rule; `rule` is below ETL_RULE_COUNT. */
/*@ requires rule < ETL_RULE_COUNT;
  @ assigns \nothing; */
const etl_rule_info *etl_rule_get(etl_rule rule);
/* The rule with this id ("BUF-002"); ETL_RULE_COUNT if there is none. */
etl_rule etl_rule_find(const char *id);

/*@ requires severity < ETL_SEVERITY_COUNT;
  @ assigns \nothing; */
const char *etl_severity_text(etl_severity severity);
/*@ requires action < ETL_ACTION_COUNT;
  @ assigns \nothing; */
const char *etl_action_text(etl_action action);
/*@ requires kind < ETL_REGION_COUNT;
  @ assigns \nothing; */
const char *etl_region_text(etl_region_kind kind);

/* The name of a HeaderType byte ("EVENT_HEADER64"); "UNKNOWN" if header_types.def has no such type. */
const char *etl_header_type_name(uint8_t type);
/* Bytes of a pointer in the payload of an event of that type; 0 where the type does not state it. */
/*@ assigns \nothing; */
uint8_t etl_header_type_pointer_size(uint8_t type);

/* Names of one value; NULL if the tables have none. */
const char *etl_item_type_name(uint16_t type);
const char *etl_clock_type_name(uint32_t type);
const char *etl_buffer_type_name(uint16_t type);
const char *etl_buffer_state_name(uint32_t state);
const char *etl_compression_format_name(uint32_t format);
const char *etl_hook_name(uint16_t hook);
const char *etl_hook_group_name(uint8_t group);
/* GUID text of the event class of a hook group; NULL above the last group. */
const char *etl_hook_group_guid(uint8_t group);

/* The named bits of a flag word, lowest first. */
etl_names etl_buffer_flag_names(void);
etl_names etl_event_flag_names(void);
etl_names etl_event_property_names(void);
etl_names etl_logger_mode_names(void);
etl_names etl_message_option_names(void);

/* A structure as a table: its name, its size, its members in order. `id` is below ETL_STRUCTURE_COUNT. */
/*@ requires id < ETL_STRUCTURE_COUNT;
  @ assigns \nothing; */
const char *etl_structure_name(etl_structure_id id);
/*@ requires id < ETL_STRUCTURE_COUNT;
  @ assigns \nothing; */
uint32_t etl_structure_size_of(etl_structure_id id);
/*@ requires id < ETL_STRUCTURE_COUNT && \valid(count);
  @ assigns *count; */
const etl_member_info *etl_structure_members(etl_structure_id id, size_t *count);
/* The structure of an event layout. */
/*@ requires layout < ETL_LAYOUT_COUNT;
  @ assigns \nothing; */
etl_structure_id etl_layout_structure(etl_layout layout);
/* Size in bytes of a member of this kind. */
/*@ requires kind < ETL_MEMBER_KIND_COUNT;
  @ assigns \nothing; */
uint32_t etl_member_kind_size(etl_member_kind kind);

ETL_C_END

#endif
