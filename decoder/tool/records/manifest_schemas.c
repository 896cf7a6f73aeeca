/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes TRACE_EVENT_INFO and EVENT_MAP_INFO from a manifest, as tdh.h describes them. trace_schemas.c calls this.
 */
#include "records/manifest_schemas.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf.h"

/* PROPERTY_FLAGS and MAP_FLAGS of tdh.h. */
enum { PROPERTY_STRUCT = 1, PROPERTY_PARAM_LENGTH = 2, PROPERTY_PARAM_COUNT = 4, PROPERTY_PARAM_FIXED_LENGTH = 0x10,
       PROPERTY_PARAM_FIXED_COUNT = 0x20 };
enum { MANIFEST_VALUEMAP = 1, MANIFEST_BITMAP = 2 };

enum { NO_PROPERTY = 0xFFFF }; /* index of a property that no template has */

/* A schema that is being written: a fixed part, and texts behind it. */
typedef struct writer {
    const manifest_model *model;
    uint8_t *at;
    size_t size, room;
    bool failed;
} writer;

static bool reserve(writer *w, size_t more)
{
    if (w->at != NULL && w->room - w->size >= more)
        return true;
    const size_t room = 2 * (w->size + more);
    uint8_t *at = realloc(w->at, room);
    if (at == NULL) {
        w->failed = true;
        return false;
    }
    w->at = at;
    w->room = room;
    return true;
}

/* Begins a schema whose fixed part has `size` bytes. */
static bool begin(writer *w, size_t size)
{
    w->size = 0;
    if (!reserve(w, size))
        return false;
    memset(w->at, 0, size);
    w->size = size;
    return true;
}

static void put(writer *w, size_t at, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        w->at[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_unit(writer *w, uint32_t unit)
{
    if (!reserve(w, 2))
        return;
    w->size += 2;
    put(w, w->size - 2, unit, 2);
}

static void put_point(writer *w, uint32_t point)
{
    if (point >= 0x10000) {
        put_unit(w, 0xD800 + ((point - 0x10000) >> 10));
        put_unit(w, 0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
        put_unit(w, point);
    }
}

/* Puts a text behind all others, and its offset from `origin` at `member`; an empty text has offset 0. */
static void put_text(writer *w, size_t origin, size_t member, const char *text, const char *behind)
{
    const etl_span parts[] = {{(const uint8_t *)text, strlen(text)}, {(const uint8_t *)behind, strlen(behind)}};
    if (parts[0].size + parts[1].size == 0)
        return;
    put(w, member, (uint32_t)(w->size - origin), 4);
    for (size_t i = 0; i < 2; i++)
        for (size_t at = 0; at < parts[i].size;) {
            const tool_utf step = tool_utf8_next(parts[i], at);
            put_point(w, step.point);
            at += step.size;
        }
    put_unit(w, 0);
}

/* "$(string.ID)" stands for a text of the string table; any other message for itself. */
static const char *message_of(const manifest_model *model, manifest_text message)
{
    static const char start[] = "$(string.";
    const char *text = manifest_text_at(model, message);
    const size_t size = strlen(text);
    char id[256];
    if (strncmp(text, start, sizeof start - 1) != 0 || size < sizeof start || text[size - 1] != ')' ||
        size - sizeof start >= sizeof id)
        return text;
    memcpy(id, text + sizeof start - 1, size - sizeof start);
    id[size - sizeof start] = '\0';
    const manifest_name *string = manifest_find(model, MANIFEST_STRING, 0, id);
    return string != NULL ? manifest_text_at(model, string->value) : text;
}

/* Types. */

/* Letters alike, whatever their case; underscores do not count. */
static bool same_letters(const char *name, const char *text)
{
    for (; *name != '\0'; name++) {
        if (*name == '_')
            continue;
        if (toupper((unsigned char)*text++) != toupper((unsigned char)*name))
            return false;
    }
    return *text == '\0';
}

/* "Int32" of "win:Int32". */
static const char *local_name(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon != NULL ? colon + 1 : text;
}

static uint32_t in_type_of(const char *text)
{
    static const struct {
        const char *name;
        uint32_t number;
    } types[] = {
        {"CountedUnicodeString", ETL_IN_TYPE_COUNTEDSTRING},
#define ETL_IN_TYPE(value, name, form, size, source) {#name, value},
#include "format/payload/in_types.def"
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (same_letters(types[i].name, local_name(text)))
            return types[i].number;
    return 0;
}

static uint32_t out_type_of(const char *text)
{
    static const struct {
        const char *name;
        uint32_t number;
    } types[] = {
#define ETL_OUT_TYPE(name, tlg, tdh, form, sizes, source) {#name, tdh},
#include "format/payload/out_types.def"
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (same_letters(types[i].name, local_name(text)))
            return types[i].number;
    return 0;
}

/* Properties. */

/* Numbers the data of each template: those outside of structures first. */
static void number_data(manifest_model *model)
{
    const manifest_template *templates = model->templates.at;
    manifest_data *all = model->data.at;
    for (uint32_t t = 0; t < model->templates.count; t++) {
        uint32_t number = 0;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < templates[t].count; i++) {
                manifest_data *data = &all[templates[t].first + i];
                if (data->member == (pass == 1))
                    data->number = number++;
            }
    }
}

/* A count or a length: a number, or the name of a property before this one. */
static uint32_t quantity(const writer *w, const manifest_data *data, manifest_text stated, bool *named)
{
    const char *text = manifest_text_at(w->model, stated);
    *named = !isdigit((unsigned char)text[0]);
    if (!*named)
        return (uint32_t)strtoul(text, NULL, 10);
    const manifest_name *name = manifest_find(w->model, MANIFEST_DATA, data->template_id, text);
    const manifest_data *all = w->model->data.at;
    return name != NULL && all[name->value].number < NO_PROPERTY ? all[name->value].number : NO_PROPERTY;
}

static void put_quantities(writer *w, size_t at, const manifest_data *data, uint32_t flags)
{
    bool named;
    put(w, at + ETL_AT(EVENT_PROPERTY_INFO, Count), 1, 2);
    if (data->count != 0) {
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, Count), quantity(w, data, data->count, &named), 2);
        flags |= named ? PROPERTY_PARAM_COUNT : PROPERTY_PARAM_FIXED_COUNT;
    }
    if (data->length != 0) {
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, Length), quantity(w, data, data->length, &named), 2);
        flags |= named ? PROPERTY_PARAM_LENGTH : PROPERTY_PARAM_FIXED_LENGTH;
    }
    put(w, at + ETL_AT(EVENT_PROPERTY_INFO, Flags), flags, 4);
}

static void put_property(writer *w, const manifest_data *data)
{
    const size_t at = ETL_SIZE(TRACE_EVENT_INFO) + (size_t)data->number * ETL_SIZE(EVENT_PROPERTY_INFO);
    put_text(w, 0, at + ETL_AT(EVENT_PROPERTY_INFO, NameOffset), manifest_text_at(w->model, data->name), "");
    if (w->failed)
        return;
    if (data->structure) {
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, InType), data->members > 0 ? data[1].number : 0, 2);
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, OutType), data->members, 2);
    } else {
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, InType), in_type_of(manifest_text_at(w->model, data->in_type)), 2);
        put(w, at + ETL_AT(EVENT_PROPERTY_INFO, OutType), out_type_of(manifest_text_at(w->model, data->out_type)), 2);
        put_text(w, 0, at + ETL_AT(EVENT_PROPERTY_INFO, MapNameOffset), manifest_text_at(w->model, data->map), "");
    }
    if (!w->failed)
        put_quantities(w, at, data, data->structure ? PROPERTY_STRUCT : 0);
}

/* Schemas. */

static void write_event(writer *w, const manifest_event *event)
{
    const manifest_model *model = w->model;
    const manifest_provider *provider = (const manifest_provider *)model->providers.at + event->provider;
    const manifest_name *name = manifest_find(model, MANIFEST_TEMPLATE, event->provider,
                                              manifest_text_at(model, event->template_name));
    const manifest_template none = {0, 0};
    const manifest_template *template = name != NULL ? (const manifest_template *)model->templates.at + name->value : &none;
    const manifest_data *data = template->count > 0 ? (const manifest_data *)model->data.at + template->first : NULL;
    const manifest_text task = event->task != 0 ? event->task : event->symbol;
    uint32_t top = 0;
    if (!begin(w, ETL_SIZE(TRACE_EVENT_INFO) + (size_t)template->count * ETL_SIZE(EVENT_PROPERTY_INFO)))
        return;
    memcpy(w->at + ETL_AT(TRACE_EVENT_INFO, ProviderGuid), provider->guid, sizeof provider->guid);
    put(w, ETL_AT(TRACE_EVENT_INFO, Id), event->id, 2);
    put(w, ETL_AT(TRACE_EVENT_INFO, Version), event->version, 1);
    put_text(w, 0, ETL_AT(TRACE_EVENT_INFO, ProviderNameOffset), manifest_text_at(model, provider->name), "");
    put_text(w, 0, ETL_AT(TRACE_EVENT_INFO, TaskNameOffset), manifest_text_at(model, task), "");
    put_text(w, 0, ETL_AT(TRACE_EVENT_INFO, OpcodeNameOffset), manifest_text_at(model, event->opcode), "");
    for (uint32_t i = 0; i < template->count && !w->failed; i++) {
        put_property(w, &data[i]);
        top += !data[i].member;
    }
    put(w, ETL_AT(TRACE_EVENT_INFO, PropertyCount), template->count, 4);
    put(w, ETL_AT(TRACE_EVENT_INFO, TopLevelPropertyCount), top, 4);
}

/* The GUID of the provider, and the map. Windows puts a space behind each text. */
static void write_map(writer *w, const manifest_map *map)
{
    const size_t origin = sizeof(((manifest_provider *)0)->guid);
    const manifest_provider *provider = (const manifest_provider *)w->model->providers.at + map->provider;
    const manifest_entry *entries = w->model->entries.at;
    const size_t first = origin + ETL_SIZE(EVENT_MAP_INFO);
    if (!begin(w, first + (size_t)map->count * ETL_SIZE(EVENT_MAP_ENTRY)))
        return;
    memcpy(w->at, provider->guid, origin);
    put(w, origin + ETL_AT(EVENT_MAP_INFO, Flag), map->bits ? MANIFEST_BITMAP : MANIFEST_VALUEMAP, 4);
    put(w, origin + ETL_AT(EVENT_MAP_INFO, EntryCount), map->count, 4);
    put_text(w, origin, origin + ETL_AT(EVENT_MAP_INFO, NameOffset), manifest_text_at(w->model, map->name), "");
    for (uint32_t i = 0; i < map->count && !w->failed; i++) {
        const manifest_entry *entry = &entries[map->first + i];
        const size_t at = first + (size_t)i * ETL_SIZE(EVENT_MAP_ENTRY);
        put(w, at + ETL_AT(EVENT_MAP_ENTRY, Value), entry->value, 4);
        put_text(w, origin, at + ETL_AT(EVENT_MAP_ENTRY, OutputOffset), message_of(w->model, entry->message), " ");
    }
}

bool manifest_schemas(manifest_model *model, manifest_take *take, void *context)
{
    const manifest_event *events = model->events.at;
    const manifest_map *maps = model->maps.at;
    writer w = {.model = model};
    bool more = true;
    number_data(model);
    for (uint32_t i = 0; i < model->maps.count && more; i++) {
        write_map(&w, &maps[i]);
        more = !w.failed && take(context, ETL_SCHEMA_KIND_MAP, (etl_span){w.at, w.size});
    }
    for (uint32_t i = 0; i < model->events.count && more; i++) {
        write_event(&w, &events[i]);
        more = !w.failed && take(context, ETL_SCHEMA_KIND_EVENT, (etl_span){w.at, w.size});
    }
    free(w.at);
    return more;
}
