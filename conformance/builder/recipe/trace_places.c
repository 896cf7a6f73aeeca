/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the places of names in the laid-out trace, and of functions of them: offsets before any patch. Called by
 * expression.c and by statements that take a node.
 */
#include "recipe/trace_places.h"

#include <string.h>

#include "recipe/format_names.h"
#include "recipe/memory_block.h"

/* Values. */

static build_value place_in(const build_model_buffer *buffer, uint64_t at)
{
    const bool inflated = build_model_buffer_is_compressed(buffer);
    build_value value = build_value_of_number(inflated ? at : buffer->offset + at);
    value.inflated = inflated ? buffer : NULL;
    return value;
}

/* Names. */

/* Names do not depend on the layout, so that an unknown one is an error while skipping too. */
build_model_node build_place_node(build_parser *p, const build_token *name)
{
    build_model_node node;
    if (p->laid_out == NULL)
        build_parser_expected_at(p, name, "a value that does not depend on the layout");
    if (!build_model_find(p->laid_out, build_parser_copy(p, name->text, name->size), &node))
        build_parser_expected_at(p, name, "a loop variable, or a name of the trace");
    return node;
}

build_value build_place_start(build_parser *p, const build_model_node *node)
{
    if (p->skipping)
        return build_value_of_number(0);
    if (node->item != NULL)
        return place_in(node->buffer, node->item->at);
    if (node->event != NULL)
        return place_in(node->buffer, node->event->at);
    return build_value_of_number(node->buffer->offset);
}

void build_place_fail_no_member(build_parser *p, const build_token *at, const build_model_node *node, const char *member)
{
    const build_model_event *event = node->event;
    if (event != NULL ? event->is_raw : node->buffer->is_raw)
        build_parser_fail(p, at, "expected \"data\"%s, the only properties of raw bytes, found \"%s\"",
                          event != NULL ? " or \"padding\"" : "", member);
    const etl_structure_id id = node->item != NULL ? ETL_STRUCTURE_EXTENDED_DATA_ITEM
                                : event != NULL    ? event->header.id
                                                   : node->buffer->header.id;
    build_parser_fail(p, at, "expected a member of %s%s%s, found \"%s\"", etl_structure_name(id),
                      node->item == NULL && event != NULL && event->is_logfile ? " or " : "",
                      node->item == NULL && event != NULL && event->is_logfile ? etl_structure_name(event->logfile.id) : "",
                      member);
}

/* Where the structure that has the member starts. */
static build_value structure_start(build_parser *p, const build_model_node *node, const build_structure *structure)
{
    if (node->event != NULL && structure == &node->event->logfile)
        return place_in(node->buffer, node->event->at + node->event->header_size);
    return build_place_start(p, node);
}

build_structure *build_place_of_member(build_parser *p, const build_model_node *node, const char **member,
                                       build_value *place)
{
    build_parser_need(p, ".");
    const build_token *at = p->at;
    uint32_t offset = 0;
    etl_member_kind kind;
    *member = build_parser_words(p, ".", "a member");
    *place = build_value_of_number(0);
    if (p->skipping)
        return NULL;
    build_structure *structure = build_model_structure(node, *member);
    if (structure == NULL || !build_structure_find(structure, *member, &offset, &kind))
        build_place_fail_no_member(p, at, node, *member);
    *place = structure_start(p, node, structure);
    place->number += offset;
    return structure;
}

/* Functions of a name. */

static uint64_t event_next(const build_model_event *event)
{
    return event->at + event->size + event->padding_size;
}

static build_value end_of(const build_model_node *node)
{
    if (node->item != NULL)
        return place_in(node->buffer, node->item->at + node->item->size);
    if (node->event != NULL)
        return place_in(node->buffer, node->event->at + node->event->size);
    return build_value_of_number(node->buffer->offset + node->buffer->size);
}

static build_value next_of(const build_model_node *node)
{
    const bool is_event = node->event != NULL && node->item == NULL;
    return is_event ? place_in(node->buffer, event_next(node->event)) : end_of(node);
}

static build_value size_of(const build_model_node *node)
{
    if (node->item != NULL)
        return build_value_of_number(node->item->size);
    if (node->event != NULL)
        return build_value_of_number(event_next(node->event) - node->event->at);
    return build_value_of_number(node->buffer->size);
}

static build_value data_of(const build_model_node *node)
{
    const build_model_event *e = node->event;
    if (node->item != NULL)
        return place_in(node->buffer, node->item->at + ETL_SIZE(EXTENDED_DATA_ITEM));
    return place_in(node->buffer, e->at + e->header_size + e->items_size);
}

static build_value extent_of(const build_model_node *node)
{
    return place_in(node->buffer, node->buffer->extent);
}

static build_value stream_of(const build_model_node *node)
{
    return build_value_of_number(node->buffer->offset + ETL_SIZE(WMI_BUFFER_HEADER_61));
}

static build_value stream_end_of(const build_model_node *node)
{
    return build_value_of_number(stream_of(node).number + node->buffer->stream_size);
}

/* The nodes that a function accepts. */

static bool is_any(const build_model_node *node)
{
    (void)node;
    return true;
}

static bool has_data(const build_model_node *node)
{
    return node->event != NULL;
}

static bool is_buffer(const build_model_node *node)
{
    return node->event == NULL && !node->buffer->is_raw;
}

static bool is_compressed_buffer(const build_model_node *node)
{
    return node->event == NULL && build_model_buffer_is_compressed(node->buffer);
}

static const struct {
    const char *name;
    build_value (*place)(const build_model_node *node);
    bool (*has)(const build_model_node *node);
    const char *of;
} functions[] = {{"end", end_of, is_any, ""},
                 {"next", next_of, is_any, ""},
                 {"size", size_of, is_any, ""},
                 {"data", data_of, has_data, "an event or an item"},
                 {"extent", extent_of, is_buffer, "a buffer"},
                 {"stream", stream_of, is_compressed_buffer, "a compressed buffer"},
                 {"stream_end", stream_end_of, is_compressed_buffer, "a compressed buffer"}};

/* Functions of something else. */

/* sizeof(EVENT_HEADER) */
static build_value size_of_structure(build_parser *p)
{
    return build_value_of_number(etl_structure_size_of(build_format_name_structure(p)));
}

/* offsetof(EVENT_HEADER.Size) */
static build_value offset_in_structure(build_parser *p)
{
    const build_structure structure = {.id = build_format_name_structure(p)};
    uint32_t offset = 0;
    etl_member_kind kind;
    build_parser_need(p, ".");
    const build_token *at = p->at;
    const char *member = build_parser_words(p, ".", "a member");
    if (!build_structure_find(&structure, member, &offset, &kind))
        build_parser_fail(p, at, "expected a member of %s, found \"%s\"", etl_structure_name(structure.id), member);
    return build_value_of_number(offset);
}

/* value(victim.Size) */
static build_value value_of_member(build_parser *p)
{
    const build_model_node node = build_place_node(p, build_parser_word(p, "a name of the trace"));
    const char *member;
    build_value place;
    const build_structure *structure = build_place_of_member(p, &node, &member, &place);
    return build_value_of_number(structure != NULL ? build_structure_get(structure, member) : 0);
}

static build_value size_of_file(build_parser *p)
{
    if (p->laid_out == NULL)
        build_parser_fail(p, p->at, "expected a value that does not depend on the layout, found file()");
    return build_value_of_number(p->skipping ? 0 : p->laid_out->size);
}

static bool special_function(build_parser *p, const build_token *name, build_value *value)
{
    static const struct {
        const char *name;
        build_value (*read)(build_parser *p);
        bool of_trace;
    } specials[] = {{"sizeof", size_of_structure, false},
                    {"offsetof", offset_in_structure, false},
                    {"value", value_of_member, true},
                    {"file", size_of_file, true}};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (!build_token_is(name, specials[i].name) || (p->memory != NULL && specials[i].of_trace))
            continue;
        build_parser_need(p, "(");
        *value = specials[i].read(p);
        build_parser_need(p, ")");
        return true;
    }
    return false;
}

bool build_place_function(build_parser *p, const build_token *name, build_value *value)
{
    if (special_function(p, name, value))
        return true;
    if (p->memory != NULL)
        return build_memory_block_function(p, name, value);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!build_token_is(name, functions[i].name))
            continue;
        build_parser_need(p, "(");
        const build_token *at = build_parser_word(p, "a name of the trace");
        const build_model_node node = build_place_node(p, at);
        build_parser_need(p, ")");
        if (!p->skipping && !functions[i].has(&node))
            build_parser_expected_at(p, at, functions[i].of);
        *value = p->skipping ? build_value_of_number(0) : functions[i].place(&node);
        return true;
    }
    return false;
}
