/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `MEMBER = value`: members of structures, and what is none, such as the data of an event.
 */
#include <string.h>

#include "reading.h"

void etl_assign_member(etl_reading *r, const etl_token *at, etl_part *part, const char *member, const etl_value *value)
{
    uint32_t offset;
    etl_member_kind kind = ETL_MEMBER_KIND_U8;
    uint8_t guid[ETL_GUID_BYTES];
    (void)etl_part_find(part, member, &offset, &kind);
    const size_t size = etl_member_kind_size(kind);
    if (kind == ETL_MEMBER_KIND_GUID) {
        etl_bytes_guid(r, at, value, guid);
        (void)etl_part_set_bytes(part, member, guid, sizeof guid);
    } else if (value->kind == ETL_VALUE_NUMBER) {
        if (!etl_part_set(part, member, value->number))
            etl_reading_fail(r, at, "expected %zu bytes for %s, found a number", size, member);
        etl_expression_need_fit(r, at, value->number, size);
    } else if (value->kind != ETL_VALUE_BYTES || value->size != size) {
        etl_reading_fail(r, at, "expected a value of %zu bytes for %s, found another", size, member);
    } else {
        (void)etl_part_set_bytes(part, member, value->bytes, size);
    }
}

/* What is no member of a structure. */

/* The node's own copy, of a value that any number of nodes may be given. */
static void hold(etl_reading *r, etl_chunk *chunk, const etl_value *value)
{
    etl_reading_count(r, value->size);
    chunk->size = 0;
    etl_chunk_add(chunk, value->bytes, value->size);
}

static void read_bytes(etl_reading *r, etl_chunk *chunk)
{
    const etl_value value = etl_expression_bytes(r);
    hold(r, chunk, &value);
}

static void read_counters(etl_reading *r, etl_model_event *event)
{
    enum { COUNTERS_MAX = sizeof event->pmc / sizeof event->pmc[0] };
    etl_reading_need(r, "(");
    event->pmc_count = 0;
    do {
        if (event->pmc_count == COUNTERS_MAX)
            etl_reading_fail(r, r->at, "expected at most %d counters, found more", COUNTERS_MAX);
        event->pmc[event->pmc_count++] = etl_expression_number(r);
    } while (etl_reading_take(r, ","));
    etl_reading_need(r, ")");
}

static void read_compression(etl_reading *r, etl_model_buffer *buffer)
{
    static const char *const modes[] = {
        [ETL_MODEL_LITERAL] = "literal", [ETL_MODEL_GREEDY] = "greedy", [ETL_MODEL_LAZY] = "lazy"};
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    if (value.kind == ETL_VALUE_BYTES) {
        buffer->compression = ETL_MODEL_GIVEN;
        hold(r, &buffer->given, &value);
        return;
    }
    for (size_t i = ETL_MODEL_LITERAL; i < sizeof modes / sizeof modes[0]; i++)
        if (value.kind == ETL_VALUE_TEXT && strcmp((const char *)value.bytes, modes[i]) == 0) {
            buffer->compression = (etl_model_compression)i;
            return;
        }
    etl_reading_fail(r, at, "expected \"literal\", \"greedy\", \"lazy\" or bytes, found another");
}

/* Bytes of a UTF-16 string with its NUL; all that is there if it has none. */
static size_t name_size(const uint8_t *at, size_t size)
{
    for (size_t i = 0; i + 1 < size; i += 2)
        if (at[i] == 0 && at[i + 1] == 0)
            return i + 2;
    return size;
}

/* Replaces the first or the second of the two names. */
static void read_name(etl_reading *r, etl_chunk *names, bool second)
{
    const char *text = etl_expression_text(r);
    const size_t first = name_size(names->at, names->size);
    const size_t length = strlen(text);
    etl_chunk made = {0};
    etl_reading_count(r, 2 * length);
    if (second)
        etl_chunk_add(&made, names->at, first);
    for (size_t i = 0; i <= length; i++)
        etl_chunk_number(&made, (uint8_t)text[i], 2);
    if (!second)
        etl_chunk_add(&made, names->at + first, names->size - first);
    etl_chunk_free(names);
    *names = made;
}

static bool set_buffer_property(etl_reading *r, const char *name, etl_model_buffer *buffer)
{
    if (buffer->is_raw && strcmp(name, "data") == 0)
        read_bytes(r, &buffer->raw);
    else if (buffer->is_raw)
        return false;
    else if (strcmp(name, "spare") == 0)
        read_bytes(r, &buffer->spare);
    else if (strcmp(name, "slack") == 0)
        read_bytes(r, &buffer->slack);
    else if (strcmp(name, "compress") == 0)
        read_compression(r, buffer);
    else
        return false;
    return true;
}

static bool set_item_property(etl_reading *r, const char *name, etl_model_item *item)
{
    if (strcmp(name, "data") == 0)
        read_bytes(r, &item->data);
    else if (strcmp(name, "padding") == 0)
        read_bytes(r, &item->padding);
    else
        return false;
    return true;
}

static bool set_message_part(etl_reading *r, const char *name, etl_model_parts *parts)
{
    const struct {
        const char *name;
        uint32_t *number;
    } numbers[] = {{"sequence", &parts->sequence},
                   {"component_id", &parts->component_id},
                   {"thread_id", &parts->thread_id},
                   {"process_id", &parts->process_id}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].number = (uint32_t)etl_expression_number_of(r, sizeof *numbers[i].number);
            return true;
        }
    if (strcmp(name, "guid") == 0) {
        const etl_token *at = r->at;
        const etl_value value = etl_expression(r);
        etl_bytes_guid(r, at, &value, parts->guid);
    } else if (strcmp(name, "time") == 0) {
        parts->time = etl_expression_number(r);
    } else {
        return false;
    }
    return true;
}

static bool set_logfile_name(etl_reading *r, const char *name, etl_model_event *event)
{
    if (strcmp(name, "names") == 0)
        read_bytes(r, &event->names);
    else if (strcmp(name, "logger_name") == 0 || strcmp(name, "log_file_name") == 0)
        read_name(r, &event->names, strcmp(name, "log_file_name") == 0);
    else
        return false;
    return true;
}

/* PEBS index and performance counters. */
static bool set_counters(etl_reading *r, const char *name, etl_model_event *event)
{
    if (event->layout != ETL_LAYOUT_SYSTEM && event->layout != ETL_LAYOUT_COMPACT && event->layout != ETL_LAYOUT_PERFINFO)
        return false;
    if (strcmp(name, "pmc") == 0) {
        read_counters(r, event);
    } else if (strcmp(name, "pebs") == 0) {
        event->pebs = etl_expression_number(r);
        event->has_pebs = true;
    } else {
        return false;
    }
    return true;
}

static bool set_event_property(etl_reading *r, const char *name, etl_model_event *event)
{
    if (strcmp(name, "data") == 0)
        read_bytes(r, &event->data);
    else if (strcmp(name, "padding") == 0)
        read_bytes(r, &event->padding);
    else
        return !event->is_raw && (set_counters(r, name, event) ||
                                  (event->is_logfile && set_logfile_name(r, name, event)) ||
                                  (event->type == ETL_HEADER_TYPE_MESSAGE && set_message_part(r, name, &event->parts)));
    return true;
}

static bool set_property(etl_reading *r, const char *name, const etl_model_node *node)
{
    if (node->item != NULL)
        return set_item_property(r, name, node->item);
    if (node->event != NULL)
        return set_event_property(r, name, node->event);
    return set_buffer_property(r, name, node->buffer);
}

void etl_assign(etl_reading *r, const etl_model_node *node)
{
    const etl_token *at = r->at;
    const char *member = etl_reading_words(r, ".", "a member");
    etl_reading_need(r, "=");
    if (set_property(r, member, node))
        return;
    etl_part *part = etl_model_part(node, member);
    if (part == NULL)
        etl_places_no_member(r, at, node, member);
    const etl_token *value_at = r->at;
    const etl_value value = etl_expression(r);
    etl_assign_member(r, value_at, part, member, &value);
}
