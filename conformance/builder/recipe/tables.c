/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the format by name: "BufferFlag.COMPRESSED" and so on. All rows come from decoder/format and flags.def.
 */
#include <string.h>

#include "reading.h"

typedef struct row {
    const char *table, *name;
    uint64_t value;
} row;

static const row rows[] = {
#define ETL_BUFFER_FLAG(value, name, meaning, source) {"BufferFlag", #name, value},
#include "format/buffer_flags.def"
#define ETL_BUFFER_TYPE(value, name, meaning, source) {"BufferType", #name, value},
#include "format/buffer_types.def"
#define ETL_BUFFER_STATE(value, name, since, source) {"State", #name, value},
#include "format/buffer_states.def"
#define ETL_COMPRESSION_FORMAT(value, name, meaning, source) {"CompressionFormat", #name, value},
#include "format/compression_formats.def"
#define ETL_LOGGER_MODE(value, name, source) {"LogFileMode", #name, value},
#include "format/logger_modes.def"
#define ETL_CLOCK_TYPE(value, name, meaning, source) {"ClockType", #name, value},
#include "format/clock_types.def"
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {"HeaderType", #name, value},
#include "format/header_types.def"
#define ETL_MARKER_FLAG(value, name, meaning, source) {"MarkerFlags", #name, value},
#define ETL_MARKER(value, name, meaning, source) {"MarkerFlags", #name, value},
#include "format/marker_flags.def"
#define ETL_HOOK(value, name, versions, source) {"HookId", #name, value},
#include "format/hook_ids.def"
#define ETL_EVENT_FLAG(value, name, meaning, source) {"Flags", #name, value},
#define ETL_EVENT_PROPERTY(value, name, meaning, source) {"EventProperty", #name, value},
#include "format/event_flags.def"
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) {"ExtType", #name, value},
#include "format/item_types.def"
#define ETL_MESSAGE_OPTION(value, name, size, meaning, source) {"OptionFlags", #name, value},
#include "format/message_options.def"
};

static const char *const flags[] = {
#define ETL_FLAG(text, reason) text,
#include "flags.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

bool etl_tables_has(const etl_token *table)
{
    for (size_t i = 0; i < ROWS; i++)
        if (etl_token_is(table, rows[i].table))
            return true;
    return false;
}

static const row *find(const char *table, const etl_token *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].table, table) == 0 && etl_token_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

uint64_t etl_tables_value(etl_reading *r, const etl_token *table, const etl_token *name)
{
    const row *found = find(etl_reading_copy(r, table->text, table->size), name);
    if (found == NULL)
        etl_reading_fail(r, name, "expected a name of %.*s, found \"%.*s\"", (int)table->size, table->text, (int)name->size, name->text);
    return found->value;
}

bool etl_tables_header_type(const etl_token *name, uint8_t *type)
{
    const row *found = find("HeaderType", name);
    if (found)
        *type = (uint8_t)found->value;
    return found != NULL;
}

bool etl_tables_item_type(const etl_token *name, uint16_t *type)
{
    const row *found = find("ExtType", name);
    if (found)
        *type = (uint16_t)found->value;
    return found != NULL;
}

bool etl_tables_structure(const etl_token *name, etl_structure_id *id)
{
    for (int i = 0; i < ETL_STRUCTURE_COUNT; i++) {
        if (!etl_token_is(name, etl_structure_name((etl_structure_id)i)))
            continue;
        *id = (etl_structure_id)i;
        return true;
    }
    return false;
}

bool etl_tables_region(const char *text, etl_region_kind *kind)
{
    for (int i = 0; i < ETL_REGION_COUNT; i++) {
        if (strcmp(text, etl_region_text((etl_region_kind)i)) != 0)
            continue;
        *kind = (etl_region_kind)i;
        return true;
    }
    return false;
}

bool etl_tables_action(const char *text, etl_action *action)
{
    for (int i = 0; i < ETL_ACTION_COUNT; i++) {
        if (strcmp(text, etl_action_text((etl_action)i)) != 0)
            continue;
        *action = (etl_action)i;
        return true;
    }
    return false;
}

const char *etl_tables_flag(const char *text)
{
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(text, flags[i]) == 0)
            return flags[i];
    return NULL;
}
