/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, fills, copies and frees a model and its lists. Called by the recipe parser, which fills a model.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "model/default_values.h"
#include "model/version_shape.h"

/* The capacity of a list is the smallest power of two that holds it, so that no list needs to store it. */
static size_t capacity_for(size_t count)
{
    size_t capacity = 1;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

/* Makes space for one more element at the end of a list; the new element is all zero. */
static void *grow(void *list, size_t count, size_t size)
{
    if (count == 0 || capacity_for(count) == count)
        list = realloc(list, capacity_for(count + 1) * size);
    if (list == NULL)
        abort();
    memset((char *)list + count * size, 0, size);
    return list;
}

static void *copy_list(const void *list, size_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *copy = malloc(capacity_for(count) * size);
    if (copy == NULL)
        abort();
    memcpy(copy, list, count * size);
    return copy;
}

static void copy_name(char to[BUILD_MODEL_NAME_MAX], const char *name)
{
    size_t length = strlen(name);
    if (length >= BUILD_MODEL_NAME_MAX)
        length = BUILD_MODEL_NAME_MAX - 1;
    memcpy(to, name, length);
    to[length] = '\0';
}

/* Creating. */

build_model *build_model_new(uint8_t pointer_size)
{
    build_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        abort();
    model->pointer_size = pointer_size;
    build_model_add_logfile(model, build_model_add_buffer(model, "header"), "logfile");
    return model;
}

static build_model_buffer *add_buffer(build_model *model, const char *name)
{
    model->buffers = grow(model->buffers, model->buffer_count, sizeof *model->buffers);
    build_model_buffer *buffer = &model->buffers[model->buffer_count++];
    copy_name(buffer->name, name);
    return buffer;
}

size_t build_model_add_buffer(build_model *model, const char *name)
{
    add_buffer(model, name)->header = build_default_buffer(build_version_buffer_header(build_version_windows(model)));
    return model->buffer_count - 1;
}

size_t build_model_add_raw_buffer(build_model *model, const char *name, etl_region_kind kind)
{
    build_model_buffer *buffer = add_buffer(model, name);
    buffer->is_raw = true;
    buffer->raw_kind = kind;
    return model->buffer_count - 1;
}

static build_model_event *add_event(build_model *model, size_t b, const char *name)
{
    build_model_buffer *buffer = &model->buffers[b];
    model->event_count++;
    buffer->events = grow(buffer->events, buffer->event_count, sizeof *buffer->events);
    build_model_event *event = &buffer->events[buffer->event_count++];
    copy_name(event->name, name);
    return event;
}

build_model_event *build_model_add_event(build_model *model, size_t buffer, const char *name, uint8_t type)
{
    /* Makes the default members of each event differ from those of the others. */
    const uint32_t number = (uint32_t)model->event_count;
    build_model_event *event = add_event(model, buffer, name);
    event->type = type;
    event->layout = build_version_event_layout(model, type);
    event->header = build_default_event(event->layout, number);
    event->message_fields = build_default_message_fields(number);
    return event;
}

build_model_event *build_model_add_raw_event(build_model *model, size_t buffer, const char *name, etl_region_kind kind)
{
    build_model_event *event = add_event(model, buffer, name);
    event->is_raw = true;
    event->raw_kind = kind;
    return event;
}

build_model_event *build_model_add_logfile(build_model *model, size_t buffer, const char *name)
{
    const uint8_t type = model->pointer_size == 4 ? ETL_HEADER_TYPE_SYSTEM32 : ETL_HEADER_TYPE_SYSTEM64;
    build_model_event *event = build_model_add_event(model, buffer, name, type);
    event->is_logfile = true;
    build_structure_fill(&event->header, "HookId", ETL_HOOK_WMI_LOG_TYPE_HEADER);
    event->logfile = build_default_logfile(model->pointer_size);
    build_default_names(&event->names);
    return event;
}

build_model_item *build_model_add_item(build_model_event *event, const char *name, uint16_t type)
{
    event->items = grow(event->items, event->item_count, sizeof *event->items);
    build_model_item *item = &event->items[event->item_count++];
    copy_name(item->name, name);
    item->header = build_structure_make(ETL_STRUCTURE_EXTENDED_DATA_ITEM);
    build_structure_fill(&item->header, "ExtType", type);
    return item;
}

/* Freeing. */

static void free_event(build_model_event *event)
{
    for (size_t i = 0; i < event->item_count; i++) {
        build_chunk_free(&event->items[i].data);
        build_chunk_free(&event->items[i].padding);
    }
    free(event->items);
    build_chunk_free(&event->names);
    build_chunk_free(&event->data);
    build_chunk_free(&event->padding);
}

static void free_buffer(build_model_buffer *buffer)
{
    for (size_t i = 0; i < buffer->event_count; i++)
        free_event(&buffer->events[i]);
    free(buffer->events);
    build_chunk_free(&buffer->raw);
    build_chunk_free(&buffer->spare);
    build_chunk_free(&buffer->slack);
    build_chunk_free(&buffer->given);
    build_chunk_free(&buffer->stream);
    build_chunk_free(&buffer->inflated);
}

void build_model_free(build_model *model)
{
    if (model == NULL)
        return;
    for (size_t i = 0; i < model->buffer_count; i++)
        free_buffer(&model->buffers[i]);
    free(model->buffers);
    free(model);
}

void build_model_drop_logfile(build_model *model)
{
    if (model->no_logfile)
        return;
    model->event_count -= model->buffers[0].event_count;
    free_buffer(&model->buffers[0]);
    model->buffer_count--;
    memmove(model->buffers, model->buffers + 1, model->buffer_count * sizeof *model->buffers);
    model->no_logfile = true;
}

/* Copying. */

static void copy_chunk(build_chunk *chunk)
{
    const build_chunk from = *chunk;
    *chunk = (build_chunk){0};
    build_chunk_add(chunk, from.at, from.size);
}

static void copy_event(build_model_event *event)
{
    event->items = copy_list(event->items, event->item_count, sizeof *event->items);
    for (size_t i = 0; i < event->item_count; i++) {
        copy_chunk(&event->items[i].data);
        copy_chunk(&event->items[i].padding);
    }
    copy_chunk(&event->names);
    copy_chunk(&event->data);
    copy_chunk(&event->padding);
}

static void copy_buffer(build_model_buffer *buffer)
{
    buffer->events = copy_list(buffer->events, buffer->event_count, sizeof *buffer->events);
    for (size_t i = 0; i < buffer->event_count; i++)
        copy_event(&buffer->events[i]);
    copy_chunk(&buffer->raw);
    copy_chunk(&buffer->spare);
    copy_chunk(&buffer->slack);
    copy_chunk(&buffer->given);
    copy_chunk(&buffer->stream);
    copy_chunk(&buffer->inflated);
}

build_model *build_model_copy(const build_model *model)
{
    build_model *copy = copy_list(model, 1, sizeof *model);
    copy->buffers = copy_list(model->buffers, model->buffer_count, sizeof *model->buffers);
    for (size_t i = 0; i < copy->buffer_count; i++)
        copy_buffer(&copy->buffers[i]);
    return copy;
}
