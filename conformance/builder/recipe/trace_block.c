/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `trace { … }` to a model. Called by recipe.c; vector_block.c calls the check of the laid_out-out trace.
 */
#include "recipe/trace_block.h"

#include <stdio.h>

#include "image/file_layout.h"
#include "model/event_layouts.h"
#include "model/version_shape.h"
#include "recipe/assignment.h"
#include "recipe/expression.h"
#include "recipe/format_names.h"
#include "recipe/reserved_words.h"

static void need_free(build_parser *r, const build_token *at, build_model *model, const char *name)
{
    build_model_node node;
    if (build_is_reserved_word(at) || build_model_find(model, name, &node))
        build_parser_fail(r, at, "expected a name that is not taken, found \"%s\"", name);
}

static const char *read_new_name(build_parser *r, build_model *model)
{
    const build_token *at = build_parser_word(r, "a name");
    const char *name = build_parser_copy(r, at->text, at->size);
    if (at->size >= BUILD_MODEL_NAME_MAX)
        build_parser_fail(r, at, "expected a name of at most %u letters, found a longer one", BUILD_MODEL_NAME_MAX - 1);
    need_free(r, at, model, name);
    return name;
}

/* A row of a table by name, or `(expression)` of at most `most`. */
static uint64_t read_type(build_parser *r, bool (*find)(const build_token *name, uint64_t *type), uint64_t most,
                          const char *what)
{
    const build_token *at = r->at;
    uint64_t type;
    if (at->kind == BUILD_TOKEN_WORD && find(at, &type))
        return r->at++, type;
    if (!build_parser_take(r, "("))
        build_parser_expected(r, what);
    type = build_expression_number(r);
    build_parser_need(r, ")");
    if (type > most)
        build_parser_fail(r, at, "expected a type of at most %llu, found %llu", (unsigned long long)most,
                          (unsigned long long)type);
    return type;
}

/* One of the two kinds that bytes at this place can be of. */
static etl_region_kind read_kind(build_parser *r, etl_region_kind other)
{
    const build_token *at = r->at;
    const etl_region_kind kind = build_format_name_region(r);
    if (kind != ETL_REGION_DAMAGED && kind != other)
        build_parser_fail(r, at, "expected damaged or %s, found \"%s\"", etl_region_text(other), etl_region_text(kind));
    return kind;
}

static void read_item(build_parser *r, build_model *model, size_t buffer, build_model_event *event)
{
    if (event->is_raw || build_event_layout_get(event->layout)->written != BUILD_EXTRAS_ITEMS)
        build_parser_fail(r, r->at - 1, "expected an event with an EVENT_HEADER, found an item of another event");
    const char *name = read_new_name(r, model);
    const uint64_t type =
        read_type(r, build_format_name_item_type, UINT16_MAX, "a type of item_types.def, or one in parentheses");
    const build_model_node node = {&model->buffers[buffer], event, build_model_add_item(event, name, (uint16_t)type)};
    build_parser_need(r, "{");
    while (!build_parser_take(r, "}"))
        build_assign(r, &node);
}

static void read_event_body(build_parser *r, build_model *model, size_t buffer, build_model_event *event)
{
    const build_model_node node = {&model->buffers[buffer], event, NULL};
    build_parser_need(r, "{");
    while (!build_parser_take(r, "}")) {
        if (build_parser_take(r, "item"))
            read_item(r, model, buffer, event);
        else
            build_assign(r, &node);
    }
}

static void read_event(build_parser *r, build_model *model, size_t buffer)
{
    const char *name = read_new_name(r, model);
    const uint64_t type =
        read_type(r, build_format_name_header_type, UINT8_MAX, "a type of header_types.def, or one in parentheses");
    read_event_body(r, model, buffer, build_model_add_event(model, buffer, name, (uint8_t)type));
}

static void read_raw_event(build_parser *r, build_model *model, size_t buffer)
{
    const char *name = read_new_name(r, model);
    const etl_region_kind kind = read_kind(r, ETL_REGION_SLACK);
    read_event_body(r, model, buffer, build_model_add_raw_event(model, buffer, name, kind));
}

/* A further logfile header is named after its buffer. */
static void read_logfile_event(build_parser *r, build_model *model, size_t buffer)
{
    const build_token *at = r->at - 1;
    char name[BUILD_MODEL_NAME_MAX];
    const int size = snprintf(name, sizeof name, "%s_logfile", model->buffers[buffer].name);
    if (size < 0 || (size_t)size >= sizeof name)
        build_parser_fail(r, at, "expected a buffer with a shorter name, found \"%s\"", model->buffers[buffer].name);
    need_free(r, at, model, name);
    read_event_body(r, model, buffer, build_model_add_logfile(model, buffer, name));
}

static void read_buffer_body(build_parser *r, build_model *model, size_t buffer)
{
    build_parser_need(r, "{");
    while (!build_parser_take(r, "}")) {
        const build_model_node node = {&model->buffers[buffer], NULL, NULL};
        if (build_parser_take(r, "event"))
            read_event(r, model, buffer);
        else if (build_parser_take(r, "bytes"))
            read_raw_event(r, model, buffer);
        else if (build_parser_take(r, "logfile"))
            read_logfile_event(r, model, buffer);
        else
            build_assign(r, &node);
    }
}

static void read_raw_buffer(build_parser *r, build_model *model)
{
    const char *name = read_new_name(r, model);
    const size_t index = build_model_add_raw_buffer(model, name, read_kind(r, ETL_REGION_TAIL));
    const build_model_node node = {&model->buffers[index], NULL, NULL};
    build_parser_need(r, "{");
    while (!build_parser_take(r, "}"))
        build_assign(r, &node);
}

static void need_logfile(build_parser *r, const build_model *model)
{
    if (model->no_logfile)
        build_parser_fail(r, r->at - 1, "expected a trace with a logfile header, found \"no logfile\"");
}

static void read_statement(build_parser *r, build_model *model)
{
    if (build_parser_take(r, "buffer")) {
        const char *name = read_new_name(r, model);
        read_buffer_body(r, model, build_model_add_buffer(model, name));
    } else if (build_parser_take(r, "header")) {
        need_logfile(r, model);
        build_version_apply_to_node(model, &(build_model_node){.buffer = &model->buffers[0]});
        read_buffer_body(r, model, 0);
    } else if (build_parser_take(r, "logfile")) {
        need_logfile(r, model);
        read_event_body(r, model, 0, &model->buffers[0].events[0]);
    } else if (build_parser_take(r, "bytes")) {
        read_raw_buffer(r, model);
    } else if (build_parser_take(r, "no")) {
        build_parser_need(r, "logfile");
        build_model_drop_logfile(model);
    } else {
        build_parser_expected(r, "\"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\"");
    }
}

build_model *build_trace_block(build_parser *r)
{
    uint8_t pointer_size = 8;
    build_parser_need(r, "{");
    if (build_parser_take(r, "pointer_size")) {
        const build_token *at = r->at;
        const uint64_t size = build_expression_number(r);
        if (size != 4 && size != 8)
            build_parser_fail(r, at, "expected a pointer size of 4 or 8, found %llu", (unsigned long long)size);
        pointer_size = (uint8_t)size;
    }
    build_model *model = build_parser_keep_model(r, build_model_new(pointer_size));
    while (!build_parser_take(r, "}"))
        read_statement(r, model);
    return model;
}

static void check_event(build_parser *r, const build_token *at, const build_model_event *event)
{
    if (event->is_raw)
        return;
    if (event->size > UINT16_MAX && !build_structure_is_given(&event->header, "Size"))
        build_parser_fail(r, at, "expected an event of at most 65,535 bytes, or one whose Size is set, found \"%s\" of %u",
                          event->name, (unsigned)event->size);
    for (size_t i = 0; i < event->item_count; i++) {
        const build_model_item *item = &event->items[i];
        if (item->size > UINT16_MAX && !build_structure_is_given(&item->header, "TotalSize"))
            build_parser_fail(r, at,
                              "expected an item of at most 65,535 bytes, or one whose TotalSize is set, "
                              "found \"%s\" of %u",
                              item->name, (unsigned)item->size);
    }
}

/* Before 6.0 no flag marks a buffer as compressed. */
static void check_buffer(build_parser *r, const build_token *at, const build_model_buffer *buffer)
{
    const bool is_old =
        buffer->header.id == ETL_STRUCTURE_WMI_BUFFER_HEADER_50 || buffer->header.id == ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    if (buffer->compression != BUILD_MODEL_PLAIN && is_old)
        build_parser_fail(r, at, "expected a file of 6.0 or later, since \"%s\" is compressed, found an older one",
                          buffer->name);
    if (buffer->compression == BUILD_MODEL_PLAIN && buffer->spare.size != 0)
        build_parser_fail(r, at, "expected a compressed buffer, since \"%s\" has spare bytes, found a plain one",
                          buffer->name);
    if (buffer->compression != BUILD_MODEL_PLAIN && buffer->slack.size != 0)
        build_parser_fail(r, at, "expected a plain buffer, since \"%s\" has slack, found a compressed one", buffer->name);
    for (size_t i = 0; i < buffer->event_count; i++)
        check_event(r, at, &buffer->events[i]);
}

void build_trace_check(build_parser *r, const build_token *at, const build_model *laid_out)
{
    for (size_t i = 0; i < laid_out->buffer_count; i++)
        if (!laid_out->buffers[i].is_raw)
            check_buffer(r, at, &laid_out->buffers[i]);
}
