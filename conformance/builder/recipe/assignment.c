/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `MEMBER = value` into the model: members of structures, and properties such as the data of an event. Called for
 * blocks of a trace and for `set`.
 */
#include "recipe/assignment.h"

#include <string.h>

#include "model/event_layouts.h"
#include "recipe/byte_functions.h"
#include "recipe/expression.h"
#include "recipe/trace_places.h"

void build_assign_member(build_parser *p, const build_token *at, build_structure *structure, const char *member,
                         const build_value *value)
{
    uint32_t offset;
    etl_member_kind kind = ETL_MEMBER_KIND_U8;
    uint8_t guid[BUILD_GUID_BYTES];
    (void)build_structure_find(structure, member, &offset, &kind);
    const size_t size = etl_member_kind_size(kind);
    if (kind == ETL_MEMBER_KIND_GUID) {
        build_value_to_guid(p, at, value, guid);
        (void)build_structure_set_bytes(structure, member, guid, sizeof guid);
    } else if (value->kind == BUILD_VALUE_NUMBER) {
        if (!build_structure_set(structure, member, value->number))
            build_parser_fail(p, at, "expected %zu bytes for %s, found a number", size, member);
        build_expression_need_fit(p, at, value->number, size);
    } else if (value->kind != BUILD_VALUE_BYTES || value->size != size) {
        const bool is_bytes = value->kind == BUILD_VALUE_BYTES;
        build_parser_fail(p, at, "expected %zu bytes for %s, found %s%zu bytes", size, member, is_bytes ? "" : "a text of ",
                          value->size);
    } else {
        (void)build_structure_set_bytes(structure, member, value->bytes, size);
    }
}

/* Properties: what is not a member of a structure. */

/* Copies a value into a node; other nodes may get the same value. */
static void copy_into(build_parser *p, build_chunk *chunk, const build_value *value)
{
    build_parser_count_memory(p, value->size);
    chunk->size = 0;
    build_chunk_add(chunk, value->bytes, value->size);
}

static void read_bytes(build_parser *p, build_chunk *chunk)
{
    const build_value value = build_expression_bytes(p);
    copy_into(p, chunk, &value);
}

static void read_counters(build_parser *p, build_model_event *event)
{
    enum { COUNTERS_MAX = sizeof event->pmc / sizeof event->pmc[0] };
    build_parser_need(p, "(");
    event->pmc_count = 0;
    do {
        if (event->pmc_count == COUNTERS_MAX)
            build_parser_fail(p, p->at, "expected at most %d counters, found more", COUNTERS_MAX);
        event->pmc[event->pmc_count++] = build_expression_number(p);
    } while (build_parser_take(p, ","));
    build_parser_need(p, ")");
}

static void read_compression(build_parser *p, build_model_buffer *buffer)
{
    static const char *const modes[] = {
        [BUILD_MODEL_LITERAL] = "literal", [BUILD_MODEL_GREEDY] = "greedy", [BUILD_MODEL_LAZY] = "lazy"};
    const build_token *at = p->at;
    const build_value value = build_expression(p);
    if (value.kind == BUILD_VALUE_BYTES) {
        buffer->compression = BUILD_MODEL_GIVEN;
        copy_into(p, &buffer->given, &value);
        return;
    }
    for (size_t i = BUILD_MODEL_LITERAL; i < sizeof modes / sizeof modes[0]; i++)
        if (value.kind == BUILD_VALUE_TEXT && strcmp((const char *)value.bytes, modes[i]) == 0) {
            buffer->compression = (build_model_compression)i;
            return;
        }
    build_parser_fail(p, at, "expected \"literal\", \"greedy\", \"lazy\" or bytes, found another value");
}

/* Bytes of a UTF-16 string with its NUL; all bytes if there is no NUL. */
static size_t name_size(const uint8_t *at, size_t size)
{
    for (size_t i = 0; i + 1 < size; i += 2)
        if (at[i] == 0 && at[i + 1] == 0)
            return i + 2;
    return size;
}

/* Replaces the first or the second of the two names. */
static void read_name(build_parser *p, build_chunk *names, bool second)
{
    const char *text = build_expression_text(p);
    const size_t first = name_size(names->at, names->size);
    const size_t length = strlen(text);
    build_chunk made = {0};
    build_parser_count_memory(p, 2 * length);
    if (second)
        build_chunk_add(&made, names->at, first);
    for (size_t i = 0; i <= length; i++)
        build_chunk_number(&made, (uint8_t)text[i], 2);
    if (!second)
        build_chunk_add(&made, names->at + first, names->size - first);
    build_chunk_free(names);
    *names = made;
}

static bool set_buffer_property(build_parser *p, const char *name, build_model_buffer *buffer)
{
    if (buffer->is_raw && strcmp(name, "data") == 0)
        read_bytes(p, &buffer->raw);
    else if (buffer->is_raw)
        return false;
    else if (strcmp(name, "spare") == 0)
        read_bytes(p, &buffer->spare);
    else if (strcmp(name, "slack") == 0)
        read_bytes(p, &buffer->slack);
    else if (strcmp(name, "compress") == 0)
        read_compression(p, buffer);
    else
        return false;
    return true;
}

static bool set_item_property(build_parser *p, const char *name, build_model_item *item)
{
    if (strcmp(name, "data") == 0)
        read_bytes(p, &item->data);
    else if (strcmp(name, "padding") == 0)
        read_bytes(p, &item->padding);
    else
        return false;
    return true;
}

static bool set_message_field(build_parser *p, const char *name, build_message_fields *fields)
{
    const struct {
        const char *name;
        uint32_t *number;
    } numbers[] = {{"sequence", &fields->sequence},
                   {"component_id", &fields->component_id},
                   {"thread_id", &fields->thread_id},
                   {"process_id", &fields->process_id}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].number = (uint32_t)build_expression_number_of(p, sizeof *numbers[i].number);
            return true;
        }
    if (strcmp(name, "guid") == 0) {
        const build_token *at = p->at;
        const build_value value = build_expression(p);
        build_value_to_guid(p, at, &value, fields->guid);
    } else if (strcmp(name, "time") == 0) {
        fields->time = build_expression_number(p);
    } else {
        return false;
    }
    return true;
}

static bool set_logfile_name(build_parser *p, const char *name, build_model_event *event)
{
    if (strcmp(name, "names") == 0)
        read_bytes(p, &event->names);
    else if (strcmp(name, "logger_name") == 0 || strcmp(name, "log_file_name") == 0)
        read_name(p, &event->names, strcmp(name, "log_file_name") == 0);
    else
        return false;
    return true;
}

/* PEBS index and performance counters. */
static bool set_counters(build_parser *p, const char *name, build_model_event *event)
{
    if (build_event_layout_get(event->layout)->written != BUILD_EXTRAS_COUNTERS)
        return false;
    if (strcmp(name, "pmc") == 0) {
        read_counters(p, event);
    } else if (strcmp(name, "pebs") == 0) {
        event->pebs = build_expression_number(p);
        event->has_pebs = true;
    } else {
        return false;
    }
    return true;
}

static bool set_event_property(build_parser *p, const char *name, build_model_event *event)
{
    if (strcmp(name, "data") == 0)
        read_bytes(p, &event->data);
    else if (strcmp(name, "padding") == 0)
        read_bytes(p, &event->padding);
    else
        return !event->is_raw &&
               (set_counters(p, name, event) || (event->is_logfile && set_logfile_name(p, name, event)) ||
                (event->type == ETL_HEADER_TYPE_MESSAGE && set_message_field(p, name, &event->message_fields)));
    return true;
}

static bool set_property(build_parser *p, const char *name, const build_model_node *node)
{
    if (node->item != NULL)
        return set_item_property(p, name, node->item);
    if (node->event != NULL)
        return set_event_property(p, name, node->event);
    return set_buffer_property(p, name, node->buffer);
}

void build_assign(build_parser *p, const build_model_node *node)
{
    const build_token *at = p->at;
    const char *member = build_parser_words(p, ".", "a member");
    build_parser_need(p, "=");
    if (set_property(p, member, node))
        return;
    build_structure *structure = build_model_structure(node, member);
    if (structure == NULL)
        build_place_fail_no_member(p, at, node, member);
    const build_token *value_at = p->at;
    const build_value value = build_expression(p);
    build_assign_member(p, value_at, structure, member, &value);
}
