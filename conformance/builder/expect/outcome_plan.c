/* SPDX-License-Identifier: Apache-2.0 */
#include "expect/outcome_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61, BUFFER_SIZE_MAX = 0x1000000 };

bool build_complain(const char **why, const char *node, const char *text)
{
    static _Thread_local char room[256];
    (void)snprintf(room, sizeof room, "%s: %s", node, text);
    *why = room;
    return false;
}

static void *allocate(size_t count, size_t size)
{
    void *at = calloc(count + 1, size);
    if (at == NULL)
        abort();
    return at;
}

size_t build_outcome_plan_buffer(const build_outcome_plan *fates, const build_model_buffer *buffer)
{
    size_t i = 0;
    while (i < fates->model->buffer_count && strcmp(fates->model->buffers[i].name, buffer->name) != 0)
        i++;
    return i;
}

build_span build_outcome_plan_span(const build_outcome_plan *fates, const build_model_buffer *buffer)
{
    const build_span file = {fates->image->at, fates->image->size};
    if (!buffer->is_raw && buffer->compression != BUILD_MODEL_PLAIN)
        return (build_span){buffer->inflated.at, buffer->inflated.size};
    return build_span_slice(file, (size_t)buffer->offset, buffer->size);
}

/* Places. */

/* The bytes that a place is in, as the patch leaves them. */
static size_t size_around(const build_outcome_plan *fates, const build_place *place)
{
    if (place->inflated == NULL)
        return fates->image->size;
    return fates->model->buffers[build_outcome_plan_buffer(fates, place->inflated)].inflated.size;
}

/* The recipe's places are offsets; only how long a stream becomes when its bytes are patched, it cannot know. */
static uint64_t after_stream(const build_outcome_plan *fates, const build_place *place)
{
    const build_model_buffer *patched = fates->vector->patch.inflated;
    if (place->inflated != NULL || patched == NULL || place->offset < patched->offset + patched->size)
        return place->offset;
    return place->offset - patched->size + fates->model->buffers[build_outcome_plan_buffer(fates, patched)].size;
}

/* Whether the place is one that the cut has taken away. */
static bool is_cut_away(const build_outcome_plan *fates, const build_place *place)
{
    return fates->vector->patch.kind == BUILD_PATCH_CUT && place->inflated == NULL && place->offset > fates->image->size &&
           place->offset <= fates->vector->model->size;
}

uint64_t build_outcome_plan_place(const build_outcome_plan *fates, const build_place *place)
{
    return is_cut_away(fates, place) ? fates->image->size : after_stream(fates, place);
}

bool build_outcome_plan_has_place(const build_outcome_plan *fates, const build_place *place, const char **why)
{
    static _Thread_local char room[128];
    const char *what = place->inflated != NULL ? "inflated buffer" : "file";
    const uint64_t offset = build_outcome_plan_place(fates, place);
    const size_t size = size_around(fates, place);
    if (offset <= size)
        return true;
    (void)snprintf(room, sizeof room, "expected a place within the %s of %zu bytes, found %" PRIu64, what, size, offset);
    *why = room;
    return false;
}

/* Claims. */

static bool find(const build_outcome_plan *fates, const char *name, build_model_node *node, build_buffer_outcome **buffer,
                 build_event_outcome **event)
{
    if (!build_model_find(fates->model, name, node) || node->buffer == NULL)
        return false;
    *buffer = &fates->buffers[node->buffer - fates->model->buffers];
    *event = node->event != NULL ? &(*buffer)->events[node->event - node->buffer->events] : NULL;
    return true;
}

/* `from` is an offset in the trace as it was before the patch. */
static bool claim_lost_from(const build_outcome_plan *fates, const build_claim *claim, const build_model_node *node,
                            build_event_outcome *fate)
{
    const build_model_buffer *buffer = &fates->vector->model->buffers[node->buffer - fates->model->buffers];
    const build_model_event *event = &buffer->events[node->event - node->buffer->events];
    const uint64_t origin = claim->from.inflated != NULL ? 0 : buffer->offset;
    fate->readable = (uint32_t)(claim->from.offset - origin - event->at);
    return claim->from.offset >= origin + event->at && fate->readable <= event->size;
}

static bool apply_claim(const build_outcome_plan *fates, const build_claim *claim, const char **why)
{
    build_model_node node;
    build_buffer_outcome *buffer = NULL;
    build_event_outcome *event = NULL;
    if (claim->kind == BUILD_CLAIM_EXPECT || claim->kind == BUILD_CLAIM_REGION)
        return true;
    if (!find(fates, claim->node, &node, &buffer, &event))
        return build_complain(why, claim->node, "the trace has no event or buffer of that name");
    switch (claim->kind) {
    case BUILD_CLAIM_LOST:
        *(event != NULL ? &event->lost : &buffer->lost) = true;
        *(event != NULL ? &event->region : &buffer->region) = claim->region;
        return true;
    case BUILD_CLAIM_MUST:
    case BUILD_CLAIM_SHOULD:
        *(event != NULL ? &event->should : &buffer->should) = claim->kind == BUILD_CLAIM_SHOULD;
        return true;
    case BUILD_CLAIM_OPAQUE:
        if (event != NULL)
            event->opaque = true;
        return event != NULL || build_complain(why, claim->node, "is no event, and only events are kept `opaque`");
    case BUILD_CLAIM_LOST_FROM:
        return (event != NULL && claim_lost_from(fates, claim, &node, event)) ||
               build_complain(why, claim->node, "the place that it is `lost from` is not within an event of that name");
    default: return true;
    }
}

/* Fault and recovery. */

/* Where the fault is: in the bytes of buffer `b`. False if it is in none. */
static bool fault_in(const build_outcome_plan *fates, size_t b, uint64_t *at)
{
    const build_patch *patch = &fates->vector->patch;
    const build_model_buffer *buffer = &fates->model->buffers[b];
    *at = patch->offset;
    if (patch->inflated != NULL)
        return b == build_outcome_plan_buffer(fates, patch->inflated);
    const bool over = patch->kind == BUILD_PATCH_BYTES || patch->kind == BUILD_PATCH_MOVE;
    *at -= buffer->offset;
    return patch->offset >= buffer->offset + !over && patch->offset < buffer->offset + buffer->size;
}

/* What reads on after the fault in its buffer does more than it has to. */
static void wish(build_outcome_plan *fates)
{
    uint64_t at;
    if (fates->vector->verdict != BUILD_VECTOR_REJECT || fates->vector->patch.kind == BUILD_PATCH_NONE)
        return;
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        const build_model_buffer *buffer = &fates->model->buffers[b];
        if (buffer->is_raw || !fault_in(fates, b, &at))
            continue;
        const bool all = buffer->compression != BUILD_MODEL_PLAIN && fates->vector->patch.inflated == NULL;
        fates->buffers[b].should = !all && at < HEADER;
        for (size_t i = 0; i < buffer->event_count; i++)
            fates->buffers[b].events[i].should = all || buffer->events[i].at + buffer->events[i].size > at;
    }
}

/* Order. */

static bool is_before(const build_outcome_plan *fates, const char *a, const char *b)
{
    size_t at_a = SIZE_MAX, at_b = SIZE_MAX;
    for (size_t i = fates->vector->claim_count; i-- > 0;) {
        const build_claim *claim = &fates->vector->claims[i];
        if (claim->kind == BUILD_CLAIM_ORDER && strcmp(claim->node, a) == 0)
            at_a = i;
        if (claim->kind == BUILD_CLAIM_ORDER && strcmp(claim->node, b) == 0)
            at_b = i;
    }
    return at_a < at_b;
}

/* Claimed events in the order of their claims, then the others in theirs. */
static void order_events(build_outcome_plan *fates, size_t b)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    size_t *order = allocate(buffer->event_count, sizeof *order);
    for (size_t i = 0; i < buffer->event_count; i++) {
        size_t k = i;
        for (; k > 0 && is_before(fates, buffer->events[i].name, buffer->events[order[k - 1]].name); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    fates->buffers[b].order = order;
}

static void number(build_outcome_plan *fates)
{
    uint64_t buffers = 0, events = 0;
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        const build_model_buffer *buffer = &fates->model->buffers[b];
        build_buffer_outcome *fate = &fates->buffers[b];
        fate->index = buffers;
        buffers += !buffer->is_raw && !fate->gone && !fate->lost;
        for (size_t n = 0; n < buffer->event_count; n++) {
            const size_t i = fate->order[n];
            fate->events[i].gone |= fate->gone;
            fate->events[i].lost |= fate->lost;
            fate->events[i].index = events;
            events += !buffer->events[i].is_raw && !fate->events[i].gone && !fate->events[i].lost;
        }
    }
}

/* What is written. */

/* Where a decoder says that the events end: at Offset, at SavedOffset where that is out of range, or with the buffer. */
static uint32_t extent_of(const build_outcome_plan *fates, size_t b, const build_structure *header)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const uint64_t stated[] = {build_structure_get(header, "Offset"), build_structure_get(header, "SavedOffset")};
    const uint64_t size = build_structure_get(header, "BufferSize");
    const bool is_last = buffer->offset + buffer->size == fates->image->size;
    const bool is_plain = buffer->compression == BUILD_MODEL_PLAIN;
    const uint64_t most = !is_plain ? BUFFER_SIZE_MAX : is_last && size > buffer->size ? size : buffer->size;
    uint64_t extent = is_plain ? buffer->size : HEADER;
    for (size_t i = 2; i-- > 0;)
        if (stated[i] >= HEADER && stated[i] <= most)
            extent = stated[i];
    return (uint32_t)(is_plain && extent > buffer->size ? buffer->size : extent);
}

/* A recipe that knows better how far a stream inflates says so. */
static void claim_extent(const build_outcome_plan *fates, size_t b)
{
    for (size_t i = 0; i < fates->vector->claim_count; i++) {
        const build_claim *claim = &fates->vector->claims[i];
        if (claim->kind == BUILD_CLAIM_EXPECT && claim->value != NULL && strcmp(claim->field, "extent") == 0 &&
            strcmp(claim->node, fates->model->buffers[b].name) == 0)
            fates->buffers[b].extent = (uint32_t)strtoul(claim->value, NULL, 0);
    }
}

static bool read_events(build_outcome_plan *fates, size_t b, const char **why)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_span bytes = build_outcome_plan_span(fates, buffer);
    build_buffer_outcome *fate = &fates->buffers[b];
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        build_event_outcome *e = &fate->events[i];
        const char *text;
        if (event->is_raw || e->gone || e->lost)
            continue;
        if (!build_event_view_read(&e->written, fate->session, event, build_span_slice(bytes, event->at, SIZE_MAX),
                                   e->opaque, e->readable, &text))
            return build_complain(why, event->name, text);
    }
    return true;
}

/* The logfile header is the first event of a buffer, the first one for the whole file. */
static void read_session(build_outcome_plan *fates, size_t b)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_span bytes = build_outcome_plan_span(fates, buffer);
    if (fates->session.known || buffer->is_raw || buffer->event_count == 0 || buffer->compression != BUILD_MODEL_PLAIN)
        return;
    const build_event_outcome *first = &fates->buffers[b].events[0];
    /* One that the end of the file cuts is no event any more, but what is left of it still says something. */
    if (!first->gone && (!first->lost || fates->vector->patch.kind == BUILD_PATCH_CUT))
        fates->session = build_session_read(build_span_slice(bytes, buffer->events[0].at, first->readable));
}

static bool read_buffers(build_outcome_plan *fates, const char **why)
{
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        const build_model_buffer *buffer = &fates->model->buffers[b];
        build_buffer_outcome *fate = &fates->buffers[b];
        if (buffer->is_raw || fate->gone || fate->lost)
            continue;
        if (buffer->offset + buffer->size > fates->image->size || buffer->size < HEADER)
            return build_complain(why, buffer->name, "what the patch leaves of it is no buffer, and it is not `lost`");
        read_session(fates, b);
        fate->session = fates->session.known ? &fates->session : &fates->none;
        const build_span file = {fates->image->at, fates->image->size};
        const build_structure header =
            build_structure_read(fate->session->buffer_header, build_span_slice(file, (size_t)buffer->offset, HEADER));
        fate->extent = extent_of(fates, b, &header);
        claim_extent(fates, b);
        if (!read_events(fates, b, why))
            return false;
    }
    return true;
}

static void begin(build_outcome_plan *fates)
{
    fates->none = fates->session = build_session_none();
    fates->buffers = allocate(fates->model->buffer_count, sizeof *fates->buffers);
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        const size_t count = fates->model->buffers[b].event_count;
        fates->buffers[b].events = allocate(count, sizeof *fates->buffers[b].events);
        for (size_t i = 0; i < count; i++)
            fates->buffers[b].events[i].readable = UINT32_MAX;
    }
}

bool build_outcome_plan_make(build_outcome_plan *fates, const build_vector *vector, build_model *model,
                             const build_chunk *image, const char **why)
{
    *fates = (build_outcome_plan){.vector = vector, .model = model, .image = image};
    begin(fates);
    if (!build_outcome_plan_move_places(fates, why))
        return false;
    wish(fates);
    for (size_t i = 0; i < vector->claim_count; i++) {
        fates->where = vector->claims[i].from.spot;
        if (!apply_claim(fates, &vector->claims[i], why))
            return false;
    }
    fates->where = (build_position){0};
    for (size_t b = 0; b < model->buffer_count; b++)
        order_events(fates, b);
    number(fates);
    return read_buffers(fates, why);
}

void build_outcome_plan_free(build_outcome_plan *fates)
{
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        free(fates->buffers[b].events);
        free(fates->buffers[b].order);
    }
    free(fates->buffers);
}
