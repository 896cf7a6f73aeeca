/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of `trace { … }`, and `set`, which changes one thing in a trace.
 */
#include <stdio.h>
#include <string.h>

#include "reading.h"

/* A kind of region by its name. */
static etl_region_kind read_region(etl_reading *r)
{
    const etl_token *from = etl_reading_word(r, "a kind of region");
    while (etl_reading_take(r, "-"))
        (void)etl_reading_word(r, "a kind of region");
    const char *text = etl_reading_source(r, from, r->at);
    etl_region_kind kind = ETL_REGION_DAMAGED;
    if (!etl_tables_region(text, &kind))
        etl_reading_fail(r, from, "expected a kind of region, such as damaged, slack or tail, found \"%s\"", text);
    return kind;
}

static void replace(etl_chunk *chunk, const etl_value *value)
{
    chunk->size = 0;
    if (value->size)
        etl_chunk_add(chunk, value->bytes, value->size);
}

/* Assigning. */

static bool fits(uint64_t number, size_t size)
{
    const uint64_t most = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    return number <= most || number >= ~(most >> 1);
}

static void assign_number(etl_reading *r, const etl_token *at, etl_part *part, const char *member, uint64_t number, size_t size)
{
    if (!fits(number, size))
        etl_reading_fail(r, at, "expected a number of %zu bytes for %s, found a larger one", size, member);
    if (!etl_part_set(part, member, number))
        etl_reading_fail(r, at, "expected bytes for %s, found a number", member);
}

void etl_trace_assign(etl_reading *r, const etl_token *at, etl_part *part, const char *member, const etl_value *value)
{
    uint32_t offset;
    etl_member_kind kind = ETL_MEMBER_KIND_U8;
    uint8_t guid[16];
    (void)etl_part_find(part, member, &offset, &kind);
    const size_t size = etl_member_kind_size(kind);
    if (value->kind == ETL_VALUE_NUMBER) {
        assign_number(r, at, part, member, value->number, size);
    } else if (kind == ETL_MEMBER_KIND_GUID && value->kind == ETL_VALUE_TEXT) {
        if (!etl_bytes_guid((const char *)value->bytes, guid))
            etl_reading_fail(r, at, "expected a GUID for %s, found another text", member);
        (void)etl_part_set_bytes(part, member, guid, sizeof guid);
    } else if (value->kind != ETL_VALUE_BYTES || value->size != size || !etl_part_set_bytes(part, member, value->bytes, size)) {
        etl_reading_fail(r, at, "expected a value of %zu bytes for %s, found another", size, member);
    }
}

/* What is no member of a structure. Each takes the value, and fails if it is of the wrong kind. */

static etl_value bytes_value(etl_reading *r)
{
    return etl_expression_bytes(r);
}

static uint32_t u32_value(etl_reading *r)
{
    const etl_token *at = r->at;
    const uint64_t number = etl_expression_number(r);
    if (!fits(number, 4))
        etl_reading_fail(r, at, "expected a number of 4 bytes, found a larger one");
    return (uint32_t)number;
}

static void read_counters(etl_reading *r, etl_model_event *event)
{
    etl_reading_need(r, "(");
    event->pmc_count = 0;
    do {
        if (event->pmc_count == sizeof event->pmc / sizeof event->pmc[0])
            etl_reading_fail(r, r->at, "expected at most 7 counters, found more");
        event->pmc[event->pmc_count++] = etl_expression_number(r);
    } while (etl_reading_take(r, ","));
    etl_reading_need(r, ")");
}

static void read_compression(etl_reading *r, etl_model_buffer *buffer)
{
    static const char *const modes[] = {[ETL_MODEL_LITERAL] = "literal", [ETL_MODEL_GREEDY] = "greedy", [ETL_MODEL_LAZY] = "lazy"};
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    for (size_t i = ETL_MODEL_LITERAL; i < sizeof modes / sizeof modes[0]; i++)
        if (value.kind == ETL_VALUE_TEXT && strcmp((const char *)value.bytes, modes[i]) == 0) {
            buffer->compression = (etl_model_compression)i;
            return;
        }
    etl_reading_fail(r, at, "expected \"literal\", \"greedy\" or \"lazy\", found another");
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
    etl_chunk made = {0};
    if (second)
        etl_chunk_add(&made, names->at, first);
    for (size_t i = 0; i <= strlen(text); i++)
        etl_chunk_number(&made, (uint8_t)text[i], 2);
    if (!second)
        etl_chunk_add(&made, names->at + first, names->size - first);
    etl_chunk_free(names);
    *names = made;
}

static bool set_buffer_property(etl_reading *r, const char *name, etl_model_buffer *buffer)
{
    etl_chunk *chunk = strcmp(name, "spare") == 0   ? &buffer->spare
                       : strcmp(name, "slack") == 0 ? &buffer->slack
                       : buffer->is_raw && strcmp(name, "data") == 0 ? &buffer->raw
                                                                     : NULL;
    if (chunk) {
        const etl_value value = bytes_value(r);
        replace(chunk, &value);
    } else if (strcmp(name, "compress") == 0) {
        read_compression(r, buffer);
    } else {
        return false;
    }
    return true;
}

static bool set_item_property(etl_reading *r, const char *name, etl_model_item *item)
{
    if (strcmp(name, "data") != 0 && strcmp(name, "padding") != 0)
        return false;
    const etl_value value = bytes_value(r);
    replace(name[0] == 'd' ? &item->data : &item->padding, &value);
    return true;
}

static void read_guid(etl_reading *r, uint8_t guid[16])
{
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    if (value.kind == ETL_VALUE_BYTES && value.size == 16)
        memcpy(guid, value.bytes, 16);
    else if (value.kind != ETL_VALUE_TEXT || !etl_bytes_guid((const char *)value.bytes, guid))
        etl_reading_fail(r, at, "expected a GUID, found another value");
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
            *numbers[i].number = u32_value(r);
            return true;
        }
    if (strcmp(name, "guid") == 0)
        read_guid(r, parts->guid);
    else if (strcmp(name, "time") == 0)
        parts->time = etl_expression_number(r);
    else
        return false;
    return true;
}

static bool set_logfile_name(etl_reading *r, const char *name, etl_model_event *event)
{
    if (strcmp(name, "logger_name") == 0 || strcmp(name, "log_file_name") == 0) {
        read_name(r, &event->names, strcmp(name, "log_file_name") == 0);
        return true;
    }
    if (strcmp(name, "names") != 0)
        return false;
    const etl_value value = bytes_value(r);
    replace(&event->names, &value);
    return true;
}

static bool set_event_property(etl_reading *r, const char *name, etl_model_event *event)
{
    if (strcmp(name, "data") == 0 || strcmp(name, "padding") == 0) {
        const etl_value value = bytes_value(r);
        replace(name[0] == 'd' ? &event->data : &event->padding, &value);
    } else if (strcmp(name, "pebs") == 0) {
        event->pebs = etl_expression_number(r);
        event->has_pebs = true;
    } else if (strcmp(name, "pmc") == 0) {
        read_counters(r, event);
    } else {
        return (event->is_logfile && set_logfile_name(r, name, event)) ||
               (event->type == ETL_HEADER_TYPE_MESSAGE && set_message_part(r, name, &event->parts));
    }
    return true;
}

static bool set_property(etl_reading *r, const char *name, const etl_model_node *node)
{
    if (node->item)
        return set_item_property(r, name, node->item);
    if (node->event)
        return set_event_property(r, name, node->event);
    return set_buffer_property(r, name, node->buffer);
}

/* `MEMBER = value` of a node. */
static void read_assignment(etl_reading *r, const etl_model_node *node)
{
    const etl_token *at = etl_reading_word(r, "a member");
    while (etl_reading_take(r, "."))
        (void)etl_reading_word(r, "a member");
    const char *member = etl_reading_source(r, at, r->at);
    etl_reading_need(r, "=");
    if (set_property(r, member, node))
        return;
    etl_part *part = etl_model_part(node, member);
    if (part == NULL)
        etl_reading_fail(r, at, "expected a member of %s or a property, found \"%s\"",
                         node->item    ? "EXTENDED_DATA_ITEM"
                         : node->event ? etl_structure_name(node->event->header.structure)
                                       : etl_structure_name(node->buffer->header.structure),
                         member);
    const etl_token *value_at = r->at;
    const etl_value value = etl_expression(r);
    etl_trace_assign(r, value_at, part, member, &value);
}

void etl_trace_set(etl_reading *r, etl_model *model)
{
    const etl_token *name = etl_reading_word(r, "a name of the trace");
    etl_model_node node = {0};
    if (!etl_model_find(model, etl_reading_copy(r, name->text, name->size), &node))
        etl_reading_fail(r, name, "expected a name of the trace, found \"%.*s\"", (int)name->size, name->text);
    etl_reading_need(r, ".");
    read_assignment(r, &node);
}

/* Blocks. */

static const char *read_new_name(etl_reading *r, etl_model *model)
{
    const etl_token *at = etl_reading_word(r, "a name");
    const char *name = etl_reading_copy(r, at->text, at->size);
    etl_model_node node;
    if (at->size >= ETL_MODEL_NAME_MAX)
        etl_reading_fail(r, at, "expected a name of at most %u letters, found a longer one", ETL_MODEL_NAME_MAX - 1);
    if (etl_model_find(model, name, &node) || etl_tables_has(at))
        etl_reading_fail(r, at, "expected a name that is not taken, found \"%s\"", name);
    return name;
}

/* `NAME`, a row of a table, or `(expression)`. */
static uint64_t read_type(etl_reading *r, uint64_t most, bool item)
{
    const etl_token *at = r->at;
    uint8_t header_type;
    uint16_t item_type;
    if (at->kind == ETL_TOKEN_WORD && !item && etl_tables_header_type(at, &header_type))
        return r->at++, header_type;
    if (at->kind == ETL_TOKEN_WORD && item && etl_tables_item_type(at, &item_type))
        return r->at++, item_type;
    if (!etl_reading_take(r, "("))
        etl_reading_expected(r, item ? "a type of item_types.def, or one in parentheses"
                                     : "a type of header_types.def, or one in parentheses");
    const uint64_t type = etl_expression_number(r);
    etl_reading_need(r, ")");
    if (type > most)
        etl_reading_fail(r, at, "expected a type of at most %llu, found a larger one", (unsigned long long)most);
    return type;
}

static void read_item(etl_reading *r, etl_model *model, size_t buffer, etl_model_event *event)
{
    const char *name = read_new_name(r, model);
    etl_model_item *item = etl_model_add_item(event, name, (uint16_t)read_type(r, UINT16_MAX, true));
    const etl_model_node node = {&model->buffers[buffer], event, item};
    etl_reading_need(r, "{");
    while (!etl_reading_take(r, "}"))
        read_assignment(r, &node);
}

static void read_event_body(etl_reading *r, etl_model *model, size_t buffer, etl_model_event *event)
{
    const etl_model_node node = {&model->buffers[buffer], event, NULL};
    etl_reading_need(r, "{");
    while (!etl_reading_take(r, "}")) {
        if (etl_reading_take(r, "item"))
            read_item(r, model, buffer, event);
        else
            read_assignment(r, &node);
    }
}

static void read_event(etl_reading *r, etl_model *model, size_t buffer)
{
    const char *name = read_new_name(r, model);
    const uint8_t type = (uint8_t)read_type(r, UINT8_MAX, false);
    read_event_body(r, model, buffer, etl_model_add_event(model, buffer, name, type));
}

static void read_raw_event(etl_reading *r, etl_model *model, size_t buffer)
{
    const char *name = read_new_name(r, model);
    const etl_region_kind kind = read_region(r);
    read_event_body(r, model, buffer, etl_model_add_raw_event(model, buffer, name, kind));
}

/* A further logfile header is named after its buffer. */
static void read_logfile_event(etl_reading *r, etl_model *model, size_t buffer)
{
    char name[ETL_MODEL_NAME_MAX];
    const int size = snprintf(name, sizeof name, "%s_logfile", model->buffers[buffer].name);
    if (size < 0 || (size_t)size >= sizeof name)
        etl_reading_fail(r, r->at - 1, "expected a buffer of a shorter name, found \"%s\"", model->buffers[buffer].name);
    read_event_body(r, model, buffer, etl_model_add_logfile(model, buffer, name));
}

static void read_buffer_body(etl_reading *r, etl_model *model, size_t buffer)
{
    etl_reading_need(r, "{");
    while (!etl_reading_take(r, "}")) {
        const etl_model_node node = {&model->buffers[buffer], NULL, NULL};
        if (etl_reading_take(r, "event"))
            read_event(r, model, buffer);
        else if (etl_reading_take(r, "bytes"))
            read_raw_event(r, model, buffer);
        else if (etl_reading_take(r, "logfile"))
            read_logfile_event(r, model, buffer);
        else
            read_assignment(r, &node);
    }
}

static void read_raw_buffer(etl_reading *r, etl_model *model)
{
    const char *name = read_new_name(r, model);
    const size_t index = etl_model_add_raw_buffer(model, name, read_region(r));
    const etl_model_node node = {&model->buffers[index], NULL, NULL};
    etl_reading_need(r, "{");
    while (!etl_reading_take(r, "}"))
        read_assignment(r, &node);
}

static void need_logfile(etl_reading *r, const etl_model *model)
{
    if (model->no_logfile)
        etl_reading_fail(r, r->at - 1, "expected a trace with a logfile header, found \"no logfile\" before");
}

static void read_statement(etl_reading *r, etl_model *model)
{
    if (etl_reading_take(r, "buffer")) {
        const char *name = read_new_name(r, model);
        read_buffer_body(r, model, etl_model_add_buffer(model, name));
    } else if (etl_reading_take(r, "header")) {
        need_logfile(r, model);
        read_buffer_body(r, model, 0);
    } else if (etl_reading_take(r, "logfile")) {
        need_logfile(r, model);
        read_event_body(r, model, 0, &model->buffers[0].events[0]);
    } else if (etl_reading_take(r, "bytes")) {
        read_raw_buffer(r, model);
    } else if (etl_reading_take(r, "no")) {
        etl_reading_need(r, "logfile");
        etl_model_drop_logfile(model);
    } else {
        etl_reading_expected(r, "\"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\"");
    }
}

etl_model *etl_trace_read(etl_reading *r)
{
    uint8_t pointer_size = 8;
    etl_reading_need(r, "{");
    if (etl_reading_take(r, "pointer_size")) {
        const etl_token *at = r->at;
        const uint64_t size = etl_expression_number(r);
        if (size != 4 && size != 8)
            etl_reading_fail(r, at, "expected a pointer size of 4 or 8, found another");
        pointer_size = (uint8_t)size;
    }
    etl_model *model = etl_reading_keep(r, etl_model_new(pointer_size));
    while (!etl_reading_take(r, "}"))
        read_statement(r, model);
    return model;
}
