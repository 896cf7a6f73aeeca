/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the trace as places, and functions of them. All are of the laid-out trace, before any patch.
 */
#include <string.h>

#include "reading.h"

static etl_value place_in(const etl_model_buffer *buffer, uint64_t at)
{
    const bool inflated = buffer->compression != ETL_MODEL_PLAIN;
    const etl_value value = {.kind = ETL_VALUE_NUMBER,
                             .number = inflated ? at : buffer->offset + at,
                             .inflated = inflated ? buffer : NULL};
    return value;
}

static etl_value file_place(uint64_t offset)
{
    const etl_value value = {.kind = ETL_VALUE_NUMBER, .number = offset};
    return value;
}

etl_model_node etl_places_node(etl_reading *r, const etl_token *name)
{
    etl_model_node node = {0};
    if (r->skipping)
        return node;
    if (r->laid == NULL)
        etl_reading_fail(r, name, "expected a value that does not depend on the layout, found \"%.*s\"", (int)name->size, name->text);
    if (!etl_model_find(r->laid, etl_reading_copy(r, name->text, name->size), &node))
        etl_reading_fail(r, name, "expected a loop variable, or a name of the trace, found \"%.*s\"", (int)name->size, name->text);
    return node;
}

etl_value etl_places_start(etl_reading *r, const etl_model_node *node)
{
    if (r->skipping)
        return file_place(0);
    if (node->item)
        return place_in(node->buffer, node->item->at);
    if (node->event)
        return place_in(node->buffer, node->event->at);
    return file_place(node->buffer->offset);
}

/* The words of a member: "Size", "TimeZone.Bias", "TimeZone.StandardDate.Year". */
static const char *read_path(etl_reading *r)
{
    const etl_token *from = etl_reading_word(r, "a member");
    while (etl_reading_take(r, "."))
        (void)etl_reading_word(r, "a member");
    return etl_reading_source(r, from, r->at);
}

/* Where the structure that has the member starts. */
static etl_value part_start(etl_reading *r, const etl_model_node *node, const etl_part *part)
{
    if (node->event && part == &node->event->logfile)
        return place_in(node->buffer, node->event->at + node->event->header_size);
    return etl_places_start(r, node);
}

etl_part *etl_places_member(etl_reading *r, const etl_model_node *node, const char **member, etl_value *place)
{
    const etl_token *at = r->at;
    *member = read_path(r);
    *place = file_place(0);
    if (r->skipping)
        return NULL;
    uint32_t offset;
    etl_member_kind kind;
    etl_part *part = etl_model_part(node, *member);
    if (part == NULL || !etl_part_find(part, *member, &offset, &kind))
        etl_reading_fail(r, at, "expected a member of %s, found \"%s\"",
                         node->item    ? "EXTENDED_DATA_ITEM"
                         : node->event ? etl_structure_name(node->event->header.structure)
                                       : etl_structure_name(node->buffer->header.structure),
                         *member);
    *place = part_start(r, node, part);
    place->number += offset;
    return part;
}

static uint64_t event_next(const etl_model_event *event)
{
    return event->at + event->size + event->padding_size;
}

static etl_value end_of(const etl_model_node *node)
{
    if (node->item)
        return place_in(node->buffer, node->item->at + node->item->size);
    if (node->event)
        return place_in(node->buffer, node->event->at + node->event->size);
    return file_place(node->buffer->offset + node->buffer->size);
}

static etl_value next_of(const etl_model_node *node)
{
    return node->event && !node->item ? place_in(node->buffer, event_next(node->event)) : end_of(node);
}

static etl_value size_of(const etl_model_node *node)
{
    if (node->item)
        return file_place(node->item->size);
    if (node->event)
        return file_place(event_next(node->event) - node->event->at);
    return file_place(node->buffer->size);
}

static etl_value data_of(const etl_model_node *node)
{
    const etl_model_event *e = node->event;
    return e ? place_in(node->buffer, e->at + e->header_size + e->items_size) : end_of(node);
}

static etl_value extent_of(const etl_model_node *node)
{
    return place_in(node->buffer, node->buffer->extent);
}

static etl_value stream_of(const etl_model_node *node)
{
    return file_place(node->buffer->offset + ETL_SIZE(WMI_BUFFER_HEADER_61));
}

static etl_value stream_end_of(const etl_model_node *node)
{
    return file_place(node->buffer->offset + ETL_SIZE(WMI_BUFFER_HEADER_61) + node->buffer->stream_size);
}

static const struct {
    const char *name;
    etl_value (*place)(const etl_model_node *node);
} functions[] = {{"end", end_of},     {"next", next_of},     {"size", size_of},     {"data", data_of},
                 {"extent", extent_of}, {"stream", stream_of}, {"stream_end", stream_end_of}};

/* sizeof(EVENT_HEADER) */
static etl_value size_of_structure(etl_reading *r)
{
    const etl_token *name = etl_reading_word(r, "a structure");
    etl_structure_id id;
    if (!etl_tables_structure(name, &id))
        etl_reading_fail(r, name, "expected a structure of structures.def, found \"%.*s\"", (int)name->size, name->text);
    return file_place(etl_structure_size_of(id));
}

/* offsetof(EVENT_HEADER.Size) */
static etl_value offset_in_structure(etl_reading *r)
{
    const etl_token *name = etl_reading_word(r, "a structure");
    etl_part part = {0};
    uint32_t offset = 0;
    etl_member_kind kind;
    if (!etl_tables_structure(name, &part.structure))
        etl_reading_fail(r, name, "expected a structure of structures.def, found \"%.*s\"", (int)name->size, name->text);
    etl_reading_need(r, ".");
    const etl_token *at = r->at;
    const char *member = read_path(r);
    if (!etl_part_find(&part, member, &offset, &kind))
        etl_reading_fail(r, at, "expected a member of %s, found \"%s\"", etl_structure_name(part.structure), member);
    return file_place(offset);
}

/* value(victim.Size) */
static etl_value value_of_member(etl_reading *r)
{
    const etl_token *name = etl_reading_word(r, "a name of the trace");
    const etl_model_node node = etl_places_node(r, name);
    const char *member;
    etl_value place;
    etl_reading_need(r, ".");
    const etl_part *part = etl_places_member(r, &node, &member, &place);
    return file_place(part ? etl_part_get(part, member) : 0);
}

static etl_value size_of_file(etl_reading *r)
{
    if (r->laid == NULL && !r->skipping)
        etl_reading_fail(r, r->at, "expected a value that does not depend on the layout, found file()");
    return file_place(r->skipping ? 0 : r->laid->size);
}

static bool special_function(etl_reading *r, const etl_token *name, etl_value *value)
{
    static const struct {
        const char *name;
        etl_value (*read)(etl_reading *r);
    } specials[] = {{"sizeof", size_of_structure}, {"offsetof", offset_in_structure}, {"value", value_of_member}, {"file", size_of_file}};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (!etl_token_is(name, specials[i].name))
            continue;
        etl_reading_need(r, "(");
        *value = specials[i].read(r);
        etl_reading_need(r, ")");
        return true;
    }
    return false;
}

bool etl_places_function(etl_reading *r, const etl_token *name, etl_value *value)
{
    if (special_function(r, name, value))
        return true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!etl_token_is(name, functions[i].name))
            continue;
        etl_reading_need(r, "(");
        const etl_model_node node = etl_places_node(r, etl_reading_word(r, "a name of the trace"));
        etl_reading_need(r, ")");
        *value = r->skipping ? file_place(0) : functions[i].place(&node);
        return true;
    }
    return false;
}
