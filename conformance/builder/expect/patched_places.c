/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves the places in the model by what a patch inserts or removes. Called by the outcome plan. A patch that only
 * overwrites bytes moves nothing.
 */
#include "expect/patched_places.h"

#include "expect/complaint.h"

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61 };

static void shift_event(build_model_event *event, uint32_t by)
{
    event->at += by;
    for (size_t i = 0; i < event->item_count; i++)
        event->items[i].at += by;
}

/* A file or a buffer loses the bytes from `at` to `end`, or gets `added` bytes at `at`. */
typedef struct change {
    uint64_t at, end;
    uint64_t added;
} change;

/* Where `offset` is after the change. `is_start`: something starts there, which moves when bytes are added before it. */
static uint64_t moved(const change *c, uint64_t offset, bool is_start)
{
    if (offset < c->at || (offset == c->at && !is_start && c->added != 0))
        return offset;
    return offset < c->end ? c->at : offset - (c->end - c->at) + c->added;
}

/* The change relative to a buffer that started at `origin`. */
static change seen_from(const change *c, uint64_t origin)
{
    const change inner = {c->at < origin ? 0 : c->at - origin, c->end < origin ? 0 : c->end - origin, c->added};
    return inner;
}

static void change_events(build_model_buffer *buffer, build_buffer_outcome *outcome, const change *c)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        build_model_event *event = &buffer->events[i];
        const uint32_t end = event->at + event->size;
        outcome->events[i].gone = c->end > c->at && event->at >= c->at && end <= c->end;
        const uint32_t to = (uint32_t)moved(c, event->at, true);
        shift_event(event, to - event->at);
    }
    buffer->extent = (uint32_t)moved(c, buffer->extent, false);
}

static void change_buffer(build_model_buffer *buffer, build_buffer_outcome *outcome, const change *c)
{
    const change inner = seen_from(c, buffer->offset);
    const uint64_t end = buffer->offset + buffer->size;
    const bool outside = c->at >= end || c->end < buffer->offset || (c->end == buffer->offset && c->at < c->end);
    outcome->gone = c->end > c->at && c->at <= buffer->offset && end <= c->end;
    const uint64_t to = moved(c, buffer->offset, true);
    if (!outside && !(c->added != 0 && c->at <= buffer->offset)) {
        if (buffer->compression == BUILD_MODEL_PLAIN && !buffer->is_raw)
            change_events(buffer, outcome, &inner);
        else if (!buffer->is_raw)
            buffer->stream_size = (uint32_t)moved(&inner, (uint64_t)HEADER + buffer->stream_size, false) - HEADER;
        buffer->size = (uint32_t)(moved(c, end, false) - to);
    }
    buffer->offset = to;
}

static void cut_events(build_model_buffer *buffer, build_buffer_outcome *outcome)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        if (event->at + event->size > buffer->size) {
            outcome->events[i].lost = true;
            outcome->events[i].region = event->is_raw ? event->raw_kind : ETL_REGION_DAMAGED;
        }
    }
}

/* A buffer cut within its header is gone. The outcome of a cut compressed buffer is claimed by the recipe. */
static void cut(build_model *model, build_buffer_outcome *outcomes, uint64_t end)
{
    for (size_t i = 0; i < model->buffer_count; i++) {
        build_model_buffer *buffer = &model->buffers[i];
        if (buffer->offset + buffer->size <= end)
            continue;
        buffer->size = end > buffer->offset ? (uint32_t)(end - buffer->offset) : 0;
        outcomes[i].gone = buffer->size < (buffer->is_raw ? 1 : HEADER);
        if (outcomes[i].gone || buffer->is_raw)
            continue;
        if (buffer->compression == BUILD_MODEL_PLAIN)
            cut_events(buffer, &outcomes[i]);
    }
}

static bool move(build_model *model, const build_patch *patch, const char **why)
{
    for (size_t b = 0; b < model->buffer_count; b++) {
        build_model_buffer *buffer = &model->buffers[b];
        const bool inflated = build_model_buffer_is_compressed(buffer);
        if (patch->inflated != NULL ? b != build_model_buffer_index(model, patch->inflated) : inflated)
            continue;
        for (size_t i = 0; i < buffer->event_count; i++) {
            if ((inflated ? 0 : buffer->offset) + buffer->events[i].at != patch->offset)
                continue;
            shift_event(&buffer->events[i], (uint32_t)patch->by);
            return true;
        }
    }
    return build_complain(why, "patch", "moves bytes that are not an event");
}

bool build_patched_places(build_model *model, build_buffer_outcome *outcomes, const build_patch *patch, const char **why)
{
    const bool removes = patch->kind == BUILD_PATCH_REMOVE;
    const change c = {patch->offset, patch->offset + (removes ? patch->size : 0), removes ? 0 : patch->bytes.size};
    if (patch->kind == BUILD_PATCH_CUT)
        cut(model, outcomes, patch->offset);
    if (patch->kind == BUILD_PATCH_MOVE)
        return move(model, patch, why);
    if (!removes && patch->kind != BUILD_PATCH_INSERT)
        return true;
    for (size_t i = 0; i < model->buffer_count; i++) {
        if (patch->inflated == NULL)
            change_buffer(&model->buffers[i], &outcomes[i], &c);
        else if (i == build_model_buffer_index(model, patch->inflated))
            change_events(&model->buffers[i], &outcomes[i], &c);
    }
    return true;
}
