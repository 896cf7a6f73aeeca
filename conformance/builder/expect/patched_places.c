/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A patch that cuts, inserts, removes or moves bytes, as places in the model. One that only changes bytes moves nothing.
 */
#include "expect/outcome_plan.h"

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61 };

static void shift_event(build_model_event *event, uint32_t by)
{
    event->at += by;
    for (size_t i = 0; i < event->item_count; i++)
        event->items[i].at += by;
}

/* The bytes [at, end) of a file or a buffer go, or as many come there. */
typedef struct change {
    uint64_t at, end;
    uint64_t added;
} change;

/* Where what was at `offset` is after the change; `is_start`: of what starts there, and moves with bytes put before it. */
static uint64_t moved(const change *c, uint64_t offset, bool is_start)
{
    if (offset < c->at || (offset == c->at && !is_start && c->added != 0))
        return offset;
    return offset < c->end ? c->at : offset - (c->end - c->at) + c->added;
}

/* Of the same change, as it is seen from a buffer that started at `origin`. */
static change seen_from(const change *c, uint64_t origin)
{
    const change inner = {c->at < origin ? 0 : c->at - origin, c->end < origin ? 0 : c->end - origin, c->added};
    return inner;
}

static void change_events(build_model_buffer *buffer, build_buffer_outcome *fate, const change *c)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        build_model_event *event = &buffer->events[i];
        const uint32_t end = event->at + event->size;
        fate->events[i].gone = c->end > c->at && event->at >= c->at && end <= c->end;
        const uint32_t to = (uint32_t)moved(c, event->at, true);
        shift_event(event, to - event->at);
    }
    buffer->extent = (uint32_t)moved(c, buffer->extent, false);
}

static void change_buffer(build_model_buffer *buffer, build_buffer_outcome *fate, const change *c)
{
    const change inner = seen_from(c, buffer->offset);
    const uint64_t end = buffer->offset + buffer->size;
    const bool outside = c->at >= end || c->end < buffer->offset || (c->end == buffer->offset && c->at < c->end);
    fate->gone = c->end > c->at && c->at <= buffer->offset && end <= c->end;
    const uint64_t to = moved(c, buffer->offset, true);
    if (!outside && !(c->added != 0 && c->at <= buffer->offset)) {
        if (buffer->compression == BUILD_MODEL_PLAIN && !buffer->is_raw)
            change_events(buffer, fate, &inner);
        else if (!buffer->is_raw)
            buffer->stream_size = (uint32_t)moved(&inner, (uint64_t)HEADER + buffer->stream_size, false) - HEADER;
        buffer->size = (uint32_t)(moved(c, end, false) - to);
    }
    buffer->offset = to;
}

static void cut_events(build_model_buffer *buffer, build_buffer_outcome *fate)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        if (event->at + event->size > buffer->size) {
            fate->events[i].lost = true;
            fate->events[i].region = event->is_raw ? event->raw_kind : ETL_REGION_DAMAGED;
        }
    }
}

/* Less than a header is no buffer. What a cut does to a compressed one, the recipe has to say. */
static void cut(build_outcome_plan *fates, uint64_t end)
{
    for (size_t i = 0; i < fates->model->buffer_count; i++) {
        build_model_buffer *buffer = &fates->model->buffers[i];
        if (buffer->offset + buffer->size <= end)
            continue;
        buffer->size = end > buffer->offset ? (uint32_t)(end - buffer->offset) : 0;
        fates->buffers[i].gone = buffer->size < (buffer->is_raw ? 1 : HEADER);
        if (fates->buffers[i].gone || buffer->is_raw)
            continue;
        if (buffer->compression == BUILD_MODEL_PLAIN)
            cut_events(buffer, &fates->buffers[i]);
    }
}

static bool move(build_outcome_plan *fates, const build_patch *patch, const char **why)
{
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        build_model_buffer *buffer = &fates->model->buffers[b];
        const bool inflated = !buffer->is_raw && buffer->compression != BUILD_MODEL_PLAIN;
        if (patch->inflated != NULL ? b != build_outcome_plan_buffer(fates, patch->inflated) : inflated)
            continue;
        for (size_t i = 0; i < buffer->event_count; i++) {
            if ((inflated ? 0 : buffer->offset) + buffer->events[i].at != patch->offset)
                continue;
            shift_event(&buffer->events[i], (uint32_t)patch->by);
            return true;
        }
    }
    return build_complain(why, "the patch", "moves bytes that are no event");
}

bool build_outcome_plan_move_places(build_outcome_plan *fates, const char **why)
{
    const build_patch *patch = &fates->vector->patch;
    const bool takes = patch->kind == BUILD_PATCH_REMOVE;
    const change c = {patch->offset, patch->offset + (takes ? patch->size : 0), takes ? 0 : patch->bytes.size};
    if (patch->kind == BUILD_PATCH_CUT)
        cut(fates, patch->offset);
    if (patch->kind == BUILD_PATCH_MOVE)
        return move(fates, patch, why);
    if (!takes && patch->kind != BUILD_PATCH_INSERT)
        return true;
    for (size_t i = 0; i < fates->model->buffer_count; i++) {
        if (patch->inflated == NULL)
            change_buffer(&fates->model->buffers[i], &fates->buffers[i], &c);
        else if (i == build_outcome_plan_buffer(fates, patch->inflated))
            change_events(&fates->model->buffers[i], &fates->buffers[i], &c);
    }
    return true;
}
