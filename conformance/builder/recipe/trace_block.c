/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `trace { … }` into a model. Called by recipe.c; vector_block.c calls the check of the laid-out trace.
 */
#include "recipe/trace_block.h"

#include <stdio.h>
#include <string.h>

#include "image/file_layout.h"
#include "model/event_layouts.h"
#include "model/version_shape.h"
#include "recipe/assignment.h"
#include "recipe/expression.h"
#include "recipe/format_names.h"
#include "recipe/name_set.h"
#include "recipe/reserved_words.h"

static bool is_of_logfile(const build_model *model, const char *name)
{
    return !model->no_logfile && (strcmp(name, "header") == 0 || strcmp(name, "logfile") == 0);
}

/* `name` must live as long as the block is read. */
static void take_name(build_parser *p, const build_token *at, const build_model *model, const char *name)
{
    if (build_is_reserved_word(at) || is_of_logfile(model, name) || !build_name_set_add(p, &p->trace_names, name))
        build_parser_fail(p, at, "expected a name that is not taken, found \"%s\"", name);
}

/* No recipe can write such a name, and no two copies have the same. */
static const char *name_of_copy(build_parser *p)
{
    char name[BUILD_MODEL_NAME_MAX];
    const int size = snprintf(name, sizeof name, "#%u", p->copy_names++);
    return build_parser_copy(p, name, (size_t)size);
}

static const char *read_new_name(build_parser *p, const build_model *model)
{
    const build_token *at = build_parser_word(p, "a name");
    const char *name = build_parser_copy(p, at->text, at->size);
    if (at->size >= BUILD_MODEL_NAME_MAX)
        build_parser_fail(p, at, "expected a name of at most %u letters, found a longer one", BUILD_MODEL_NAME_MAX - 1);
    if (p->copies != 0)
        return name_of_copy(p);
    take_name(p, at, model, name);
    return name;
}

/* `copies N` after a type or a name; 1 without it. */
static uint64_t read_copies(build_parser *p)
{
    if (!build_parser_take(p, "copies"))
        return 1;
    const build_token *at = p->at;
    const uint64_t count = build_expression_number(p);
    if (count == 0)
        build_parser_fail(p, at, "expected at least one copy, found 0");
    return count;
}

/* Goes back to the body of what was just read, for its next copy. The first copy alone has the names of the recipe. */
static void begin_copy(build_parser *p, const build_token *body, size_t size)
{
    build_parser_count_work(p, (size_t)(p->at - body) * BUILD_RECIPE_WORD_WORK);
    build_parser_count_memory(p, size);
    p->at = body;
    p->copies++;
}

/* A row of a table by name, or `(expression)` of at most `most`. */
static uint64_t read_type(build_parser *p, bool (*find)(const build_token *name, uint64_t *type), uint64_t most,
                          const char *what)
{
    const build_token *at = p->at;
    uint64_t type;
    if (at->kind == BUILD_TOKEN_WORD && find(at, &type))
        return p->at++, type;
    if (!build_parser_take(p, "("))
        build_parser_expected(p, what);
    type = build_expression_number(p);
    build_parser_need(p, ")");
    if (type > most)
        build_parser_fail(p, at, "expected a type of at most %llu, found %llu", (unsigned long long)most,
                          (unsigned long long)type);
    return type;
}

/* One of the two kinds that bytes at this place can be of. */
static etl_region_kind read_kind(build_parser *p, etl_region_kind other)
{
    const build_token *at = p->at;
    const etl_region_kind kind = build_format_name_region(p);
    if (kind != ETL_REGION_DAMAGED && kind != other)
        build_parser_fail(p, at, "expected damaged or %s, found \"%s\"", etl_region_text(other), etl_region_text(kind));
    return kind;
}

static void read_item(build_parser *p, build_model *model, size_t buffer, build_model_event *event)
{
    if (event->is_raw || build_event_layout_get(event->layout)->written != BUILD_EXTRAS_ITEMS)
        build_parser_fail(p, p->at - 1, "expected an event with an EVENT_HEADER, found an item of another event");
    const char *name = read_new_name(p, model);
    const uint64_t type =
        read_type(p, build_format_name_item_type, UINT16_MAX, "a type of item_types.def, or one in parentheses");
    const build_model_node node = {&model->buffers[buffer], event, build_model_add_item(event, name, (uint16_t)type)};
    build_parser_need(p, "{");
    while (!build_parser_take(p, "}"))
        build_assign(p, &node);
}

static void read_event_body(build_parser *p, build_model *model, size_t buffer, build_model_event *event)
{
    const build_model_node node = {&model->buffers[buffer], event, NULL};
    build_parser_need(p, "{");
    while (!build_parser_take(p, "}")) {
        if (build_parser_take(p, "item"))
            read_item(p, model, buffer, event);
        else
            build_assign(p, &node);
    }
}

static void read_event(build_parser *p, build_model *model, size_t buffer)
{
    const char *name = read_new_name(p, model);
    const uint64_t type =
        read_type(p, build_format_name_header_type, UINT8_MAX, "a type of header_types.def, or one in parentheses");
    const unsigned outer = p->copies;
    const uint64_t count = read_copies(p);
    const build_token *body = p->at;
    read_event_body(p, model, buffer, build_model_add_event(model, buffer, name, (uint8_t)type));
    for (uint64_t i = 1; i < count; i++) {
        begin_copy(p, body, sizeof(build_model_event));
        read_event_body(p, model, buffer, build_model_add_event(model, buffer, name_of_copy(p), (uint8_t)type));
    }
    p->copies = outer;
}

static void read_raw_event(build_parser *p, build_model *model, size_t buffer)
{
    const char *name = read_new_name(p, model);
    const etl_region_kind kind = read_kind(p, ETL_REGION_SLACK);
    read_event_body(p, model, buffer, build_model_add_raw_event(model, buffer, name, kind));
}

/* A further logfile header is named after its buffer. */
static void read_logfile_event(build_parser *p, build_model *model, size_t buffer)
{
    const build_token *at = p->at - 1;
    char *name = build_parser_allocate(p, BUILD_MODEL_NAME_MAX);
    const int size = snprintf(name, BUILD_MODEL_NAME_MAX, "%s_logfile", model->buffers[buffer].name);
    if (size < 0 || (size_t)size >= BUILD_MODEL_NAME_MAX)
        build_parser_fail(p, at, "expected a buffer with a shorter name, found \"%s\"", model->buffers[buffer].name);
    take_name(p, at, model, name);
    read_event_body(p, model, buffer, build_model_add_logfile(model, buffer, name));
}

static void read_buffer_body(build_parser *p, build_model *model, size_t buffer)
{
    build_parser_need(p, "{");
    while (!build_parser_take(p, "}")) {
        const build_model_node node = {&model->buffers[buffer], NULL, NULL};
        if (build_parser_take(p, "event"))
            read_event(p, model, buffer);
        else if (build_parser_take(p, "bytes"))
            read_raw_event(p, model, buffer);
        else if (build_parser_take(p, "logfile"))
            read_logfile_event(p, model, buffer);
        else
            build_assign(p, &node);
    }
}

static void read_buffer(build_parser *p, build_model *model)
{
    const char *name = read_new_name(p, model);
    const uint64_t count = read_copies(p);
    const build_token *body = p->at;
    read_buffer_body(p, model, build_model_add_buffer(model, name));
    for (uint64_t i = 1; i < count; i++) {
        begin_copy(p, body, sizeof(build_model_buffer));
        read_buffer_body(p, model, build_model_add_buffer(model, name_of_copy(p)));
    }
    p->copies = 0;
}

static void read_raw_buffer(build_parser *p, build_model *model)
{
    const char *name = read_new_name(p, model);
    const size_t index = build_model_add_raw_buffer(model, name, read_kind(p, ETL_REGION_TAIL));
    const build_model_node node = {&model->buffers[index], NULL, NULL};
    build_parser_need(p, "{");
    while (!build_parser_take(p, "}"))
        build_assign(p, &node);
}

static void need_logfile(build_parser *p, const build_model *model)
{
    if (model->no_logfile)
        build_parser_fail(p, p->at - 1, "expected a trace with a logfile header, found \"no logfile\"");
}

static void read_statement(build_parser *p, build_model *model)
{
    if (build_parser_take(p, "buffer")) {
        read_buffer(p, model);
    } else if (build_parser_take(p, "header")) {
        need_logfile(p, model);
        build_version_apply_to_node(model, &(build_model_node){.buffer = &model->buffers[0]});
        read_buffer_body(p, model, 0);
    } else if (build_parser_take(p, "logfile")) {
        need_logfile(p, model);
        read_event_body(p, model, 0, &model->buffers[0].events[0]);
    } else if (build_parser_take(p, "bytes")) {
        read_raw_buffer(p, model);
    } else if (build_parser_take(p, "no")) {
        build_parser_need(p, "logfile");
        build_model_drop_logfile(model);
    } else {
        build_parser_expected(p, "\"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\"");
    }
}

build_model *build_trace_block(build_parser *p)
{
    uint8_t pointer_size = 8;
    build_parser_need(p, "{");
    if (build_parser_take(p, "pointer_size")) {
        const build_token *at = p->at;
        const uint64_t size = build_expression_number(p);
        if (size != 4 && size != 8)
            build_parser_fail(p, at, "expected a pointer size of 4 or 8, found %llu", (unsigned long long)size);
        pointer_size = (uint8_t)size;
    }
    build_model *model = build_parser_keep_model(p, build_model_new(pointer_size));
    p->trace_names = (build_name_set){0};
    while (!build_parser_take(p, "}"))
        read_statement(p, model);
    return model;
}

static void check_event(build_parser *p, const build_token *at, const build_model_event *event)
{
    if (event->is_raw)
        return;
    if (event->size > UINT16_MAX && !build_structure_is_given(&event->header, "Size"))
        build_parser_fail(p, at, "expected an event of at most 65,535 bytes, or one whose Size is set, found \"%s\" of %u",
                          event->name, (unsigned)event->size);
    for (size_t i = 0; i < event->item_count; i++) {
        const build_model_item *item = &event->items[i];
        if (item->size > UINT16_MAX && !build_structure_is_given(&item->header, "TotalSize"))
            build_parser_fail(p, at,
                              "expected an item of at most 65,535 bytes, or one whose TotalSize is set, "
                              "found \"%s\" of %u",
                              item->name, (unsigned)item->size);
    }
}

/* Before 6.0 no flag marks a buffer as compressed. */
static void check_buffer(build_parser *p, const build_token *at, const build_model_buffer *buffer)
{
    const bool is_old =
        buffer->header.id == ETL_STRUCTURE_WMI_BUFFER_HEADER_50 || buffer->header.id == ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    if (buffer->compression != BUILD_MODEL_PLAIN && is_old)
        build_parser_fail(p, at, "expected a file of 6.0 or later, since \"%s\" is compressed, found an older one",
                          buffer->name);
    if (buffer->compression == BUILD_MODEL_PLAIN && buffer->spare.size != 0)
        build_parser_fail(p, at, "expected a compressed buffer, since \"%s\" has spare bytes, found a plain one",
                          buffer->name);
    if (buffer->compression != BUILD_MODEL_PLAIN && buffer->slack.size != 0)
        build_parser_fail(p, at, "expected a plain buffer, since \"%s\" has slack, found a compressed one", buffer->name);
    for (size_t i = 0; i < buffer->event_count; i++)
        check_event(p, at, &buffer->events[i]);
}

void build_trace_check(build_parser *p, const build_token *at, const build_model *laid_out)
{
    for (size_t i = 0; i < laid_out->buffer_count; i++)
        if (!laid_out->buffers[i].is_raw)
            check_buffer(p, at, &laid_out->buffers[i]);
}
