/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up the values of names in the tables of the format. All names come from decoder/format, flags.def and
 * metadata.def. Called wherever a recipe names a constant, a type, a rule, a region, an action, a flag or a kind of
 * metadata.
 */
#include "recipe/format_names.h"

#include <string.h>

#include "recipe/interpolation.h"

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
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) {"OptionFlags", #name, value},
#include "format/message_options.def"
#define ETL_IN_TYPE(value, name, form, size, source) {"InType", #name, value},
#include "format/payload/in_types.def"
/* Of TraceLogging, and of tdh.h; a name that one of them lacks is 0 there, as no out-type is. */
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) {"OutType", #name, tlg},
#include "format/payload/out_types.def"
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) {"TdhOutType", #name, tdh},
#include "format/payload/out_types.def"
};

static const char *const in_types[] = {
#define ETL_IN_TYPE(value, name, form, size, source) #name,
#include "format/payload/in_types.def"
};

static const char *const out_types[] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) #name,
#include "format/payload/out_types.def"
};

static const char *const flags[] = {
#define BUILD_FLAG(text, reason) text,
#include "flags.def"
};

static const char *const kinds_of_metadata[] = {
#define BUILD_METADATA(text, meaning) text,
#include "metadata.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

bool build_format_name_is_table(const build_token *table)
{
    for (size_t i = 0; i < ROWS; i++)
        if (build_token_is(table, rows[i].table))
            return true;
    return false;
}

static const row *find(const char *table, const char *name, size_t size)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].table, table) == 0 && strlen(rows[i].name) == size && memcmp(rows[i].name, name, size) == 0)
            return &rows[i];
    return NULL;
}

/* A word, or a string in which loop variables are filled in. */
static const char *word_or_string(build_parser *p, const char *what)
{
    if (p->at->kind == BUILD_TOKEN_STRING)
        return (const char *)build_interpolate_string(p, p->at++).bytes;
    return build_parser_words(p, "", what);
}

uint64_t build_format_name_value(build_parser *p, const build_token *table)
{
    const build_token *at = p->at;
    const char *name = word_or_string(p, "a name of the table");
    const row *found = find(build_parser_copy(p, table->text, table->size), name, strlen(name));
    if (found == NULL)
        build_parser_fail(p, at, "expected a name of %.*s, found \"%s\"", (int)table->size, table->text, name);
    return found->value;
}

static bool find_type(const char *table, const build_token *name, uint64_t *type)
{
    const row *found = find(table, name->text, name->size);
    if (found != NULL)
        *type = found->value;
    return found != NULL;
}

bool build_format_name_header_type(const build_token *name, uint64_t *type)
{
    return find_type("HeaderType", name, type);
}

bool build_format_name_item_type(const build_token *name, uint64_t *type)
{
    return find_type("ExtType", name, type);
}

/* The number of the row with that name; fails at the token if there is none. */
static int number_of(build_parser *p, const build_token *at, const char *text, int count, const char *(*name)(int row),
                     const char *what)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, name(i)) == 0)
            return i;
    build_parser_fail(p, at, "expected %s, found \"%s\"", what, text);
}

static const char *structure_name(int i)
{
    return etl_structure_name((etl_structure_id)i);
}

static const char *region_text(int i)
{
    return etl_region_text((etl_region_kind)i);
}

static const char *action_text(int i)
{
    return etl_action_text((etl_action)i);
}

static const char *flag_text(int i)
{
    return flags[i];
}

static const char *metadata_text(int i)
{
    return kinds_of_metadata[i];
}

static const char *in_type_name(int i)
{
    return in_types[i];
}

static const char *out_type_name(int i)
{
    return out_types[i];
}

static const char *rule_id(int i)
{
    return etl_rule_get((etl_rule)i)->id;
}

etl_structure_id build_format_name_structure(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = build_parser_words(p, "", "a structure");
    return (etl_structure_id)number_of(p, at, text, ETL_STRUCTURE_COUNT, structure_name, "a structure of structures.def");
}

etl_region_kind build_format_name_region(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = build_parser_words(p, "-", "a kind of region");
    return (etl_region_kind)number_of(p, at, text, ETL_REGION_COUNT, region_text,
                                      "a kind of region, such as damaged, slack or tail");
}

etl_action build_format_name_action(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = build_parser_words(p, "", "an action");
    return (etl_action)number_of(p, at, text, ETL_ACTION_COUNT, action_text, "an action of actions.def");
}

etl_rule build_format_name_rule(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = word_or_string(p, "a rule, such as SIZ-001");
    return (etl_rule)number_of(p, at, text, ETL_RULE_COUNT, rule_id, "a rule of rules.def");
}

const char *build_format_name_flag(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = build_parser_words(p, "", "a flag");
    return flags[number_of(p, at, text, (int)(sizeof flags / sizeof flags[0]), flag_text, "a flag of flags.def")];
}

const char *build_format_name_metadata(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = build_parser_words(p, "-", "a kind of metadata");
    return kinds_of_metadata[number_of(p, at, text, (int)(sizeof kinds_of_metadata / sizeof kinds_of_metadata[0]),
                                       metadata_text, "a kind of metadata.def")];
}

const char *build_format_name_in_type(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = word_or_string(p, "an in-type");
    return in_types[number_of(p, at, text, (int)(sizeof in_types / sizeof in_types[0]), in_type_name,
                              "an in-type of in_types.def")];
}

const char *build_format_name_out_type(build_parser *p)
{
    const build_token *at = p->at;
    const char *text = word_or_string(p, "an out-type");
    return out_types[number_of(p, at, text, (int)(sizeof out_types / sizeof out_types[0]), out_type_name,
                               "an out-type of out_types.def")];
}
