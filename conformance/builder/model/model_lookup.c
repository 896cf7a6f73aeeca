/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds nodes of a model by name, and answers questions about its buffers. Called by the recipe parser and for the expected
 * decode.
 */
#include "model/model.h"

#include <string.h>

static bool find_in_event(build_model_event *event, const char *name, build_model_node *node)
{
    if (strcmp(event->name, name) == 0) {
        node->event = event;
        return true;
    }
    for (size_t i = 0; i < event->item_count; i++) {
        if (strcmp(event->items[i].name, name) == 0) {
            node->event = event;
            node->item = &event->items[i];
            return true;
        }
    }
    return false;
}

static bool find_in_buffer(build_model_buffer *buffer, const char *name, build_model_node *node)
{
    *node = (build_model_node){.buffer = buffer};
    if (strcmp(buffer->name, name) == 0)
        return true;
    for (size_t i = 0; i < buffer->event_count; i++)
        if (find_in_event(&buffer->events[i], name, node))
            return true;
    return false;
}

bool build_model_find(build_model *model, const char *name, build_model_node *node)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        if (find_in_buffer(&model->buffers[i], name, node))
            return true;
    *node = (build_model_node){0};
    return false;
}

size_t build_model_buffer_index(const build_model *model, const build_model_buffer *buffer)
{
    size_t i = 0;
    while (i < model->buffer_count && strcmp(model->buffers[i].name, buffer->name) != 0)
        i++;
    return i;
}

const build_structure *build_model_first_logfile(const build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        for (size_t k = 0; k < model->buffers[i].event_count; k++)
            if (model->buffers[i].events[k].is_logfile)
                return &model->buffers[i].events[k].logfile;
    return NULL;
}

bool build_model_buffer_is_compressed(const build_model_buffer *buffer)
{
    return !buffer->is_raw && buffer->compression != BUILD_MODEL_PLAIN;
}

bool build_model_has_compressed(const build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        if (build_model_buffer_is_compressed(&model->buffers[i]))
            return true;
    return false;
}

static bool has_member(const build_structure *structure, const char *member)
{
    uint32_t offset;
    etl_member_kind kind;
    return build_structure_find(structure, member, &offset, &kind);
}

build_structure *build_model_structure(const build_model_node *node, const char *member)
{
    build_structure *structure = NULL;
    if (node->item != NULL)
        structure = &node->item->header;
    else if (node->event == NULL)
        structure = node->buffer == NULL || node->buffer->is_raw ? NULL : &node->buffer->header;
    else if (node->event->is_logfile && !has_member(&node->event->header, member))
        structure = &node->event->logfile;
    else if (!node->event->is_raw)
        structure = &node->event->header;
    return structure != NULL && has_member(structure, member) ? structure : NULL;
}
