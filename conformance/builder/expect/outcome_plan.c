/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans what a reader must decode, from the built trace, the patch and the claims of a vector. Called once for each vector,
 * by expected_decode.c. The steps: move places as the patch does, apply the claims, order and number what is decoded, read
 * the built bytes back.
 */
#include "expect/outcome_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect/complaint.h"
#include "expect/patched_places.h"

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61, BUFFER_SIZE_MAX = 0x1000000 };

static void *allocate(size_t count, size_t size)
{
    void *at = calloc(count + 1, size);
    if (at == NULL)
        abort();
    return at;
}

bool build_outcome_plan_decodes_buffer(const build_outcome_plan *plan, size_t b)
{
    const build_buffer_outcome *outcome = &plan->buffers[b];
    return !plan->model->buffers[b].is_raw && !outcome->gone && !outcome->lost;
}

bool build_outcome_plan_decodes_event(const build_outcome_plan *plan, size_t b, size_t i)
{
    const build_event_outcome *outcome = &plan->buffers[b].events[i];
    return !plan->model->buffers[b].events[i].is_raw && !outcome->gone && !outcome->lost;
}

build_span build_outcome_plan_span(const build_outcome_plan *plan, const build_model_buffer *buffer)
{
    const build_span file = {plan->image->at, plan->image->size};
    if (build_model_buffer_is_compressed(buffer))
        return (build_span){buffer->inflated.at, buffer->inflated.size};
    return build_span_slice(file, (size_t)buffer->offset, buffer->size);
}

/* Places. */

/* The size, after the patch, of the bytes that a place is in. */
static size_t size_around(const build_outcome_plan *plan, const build_place *place)
{
    if (place->inflated == NULL)
        return plan->image->size;
    return plan->model->buffers[build_model_buffer_index(plan->model, place->inflated)].inflated.size;
}

/* Offsets of the recipe stay valid, except after a stream whose inflated bytes are patched: its new size is known only
 * now. */
static uint64_t offset_after_patch(const build_outcome_plan *plan, const build_place *place)
{
    const build_model_buffer *patched = plan->vector->patch.inflated;
    if (place->inflated != NULL || patched == NULL || place->offset < patched->offset + patched->size)
        return place->offset;
    return place->offset - patched->size + plan->model->buffers[build_model_buffer_index(plan->model, patched)].size;
}

/* Whether the patch is a cut that has removed the place. */
static bool is_cut_away(const build_outcome_plan *plan, const build_place *place)
{
    return plan->vector->patch.kind == BUILD_PATCH_CUT && place->inflated == NULL && place->offset > plan->image->size &&
           place->offset <= plan->vector->model->size;
}

uint64_t build_outcome_plan_place(const build_outcome_plan *plan, const build_place *place)
{
    return is_cut_away(plan, place) ? plan->image->size : offset_after_patch(plan, place);
}

bool build_outcome_plan_has_place(const build_outcome_plan *plan, const build_place *place, const char **why)
{
    static _Thread_local char text[128];
    const char *what = place->inflated != NULL ? "inflated buffer" : "file";
    const uint64_t offset = build_outcome_plan_place(plan, place);
    const size_t size = size_around(plan, place);
    if (offset <= size)
        return true;
    (void)snprintf(text, sizeof text, "expected a place within the %s of %zu bytes, found %" PRIu64, what, size, offset);
    *why = text;
    return false;
}

/* Claims. */

static bool find(const build_outcome_plan *plan, const char *name, build_model_node *node, build_buffer_outcome **buffer,
                 build_event_outcome **event)
{
    if (!build_model_find(plan->model, name, node) || node->buffer == NULL)
        return false;
    *buffer = &plan->buffers[node->buffer - plan->model->buffers];
    *event = node->event != NULL ? &(*buffer)->events[node->event - node->buffer->events] : NULL;
    return true;
}

/* Sets how much of the event is readable; `from` is an offset in the trace before the patch. */
static bool claim_lost_from(const build_outcome_plan *plan, const build_claim *claim, const build_model_node *node,
                            build_event_outcome *outcome)
{
    const build_model_buffer *buffer = &plan->vector->model->buffers[node->buffer - plan->model->buffers];
    const build_model_event *event = &buffer->events[node->event - node->buffer->events];
    const uint64_t origin = claim->from.inflated != NULL ? 0 : buffer->offset;
    outcome->readable = (uint32_t)(claim->from.offset - origin - event->at);
    return claim->from.offset >= origin + event->at && outcome->readable <= event->size;
}

static bool apply_claim(const build_outcome_plan *plan, const build_claim *claim, const char **why)
{
    build_model_node node;
    build_buffer_outcome *buffer = NULL;
    build_event_outcome *event = NULL;
    if (claim->kind == BUILD_CLAIM_EXPECT || claim->kind == BUILD_CLAIM_REGION)
        return true;
    if (!find(plan, claim->node, &node, &buffer, &event))
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
        return event != NULL || build_complain(why, claim->node, "is not an event; only events can be `opaque`");
    case BUILD_CLAIM_LOST_FROM:
        return (event != NULL && claim_lost_from(plan, claim, &node, event)) ||
               build_complain(why, claim->node, "`lost from` needs an event and a place within it");
    default: return true;
    }
}

/* Fault and recovery. */

/* Sets `*at` to the offset of the patch in buffer `b`. False if the patch is not in that buffer. */
static bool fault_in(const build_outcome_plan *plan, size_t b, uint64_t *at)
{
    const build_patch *patch = &plan->vector->patch;
    const build_model_buffer *buffer = &plan->model->buffers[b];
    *at = patch->offset;
    if (patch->inflated != NULL)
        return b == build_model_buffer_index(plan->model, patch->inflated);
    const bool overwrites = patch->kind == BUILD_PATCH_BYTES || patch->kind == BUILD_PATCH_MOVE;
    *at -= buffer->offset;
    return patch->offset >= buffer->offset + !overwrites && patch->offset < buffer->offset + buffer->size;
}

/* In the buffer with the fault, a reader should recover the events after the fault, but need not. */
static void mark_recovery_optional(build_outcome_plan *plan)
{
    uint64_t at;
    if (plan->vector->verdict != BUILD_VECTOR_REJECT || plan->vector->patch.kind == BUILD_PATCH_NONE)
        return;
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        const build_model_buffer *buffer = &plan->model->buffers[b];
        if (buffer->is_raw || !fault_in(plan, b, &at))
            continue;
        const bool all = buffer->compression != BUILD_MODEL_PLAIN && plan->vector->patch.inflated == NULL;
        plan->buffers[b].should = !all && at < HEADER;
        for (size_t i = 0; i < buffer->event_count; i++)
            plan->buffers[b].events[i].should = all || buffer->events[i].at + buffer->events[i].size > at;
    }
}

/* Order. */

static bool is_before(const build_outcome_plan *plan, const char *a, const char *b)
{
    size_t at_a = SIZE_MAX, at_b = SIZE_MAX;
    for (size_t i = plan->vector->claim_count; i-- > 0;) {
        const build_claim *claim = &plan->vector->claims[i];
        if (claim->kind == BUILD_CLAIM_ORDER && strcmp(claim->node, a) == 0)
            at_a = i;
        if (claim->kind == BUILD_CLAIM_ORDER && strcmp(claim->node, b) == 0)
            at_b = i;
    }
    return at_a < at_b;
}

/* Events with an order claim come first, in the order of the claims; the others follow as in the trace. */
static void order_events(build_outcome_plan *plan, size_t b)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    size_t *order = allocate(buffer->event_count, sizeof *order);
    for (size_t i = 0; i < buffer->event_count; i++) {
        size_t k = i;
        for (; k > 0 && is_before(plan, buffer->events[i].name, buffer->events[order[k - 1]].name); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    plan->buffers[b].order = order;
}

static void number(build_outcome_plan *plan)
{
    uint64_t buffers = 0, events = 0;
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        const build_model_buffer *buffer = &plan->model->buffers[b];
        build_buffer_outcome *outcome = &plan->buffers[b];
        outcome->index = buffers;
        buffers += build_outcome_plan_decodes_buffer(plan, b);
        for (size_t n = 0; n < buffer->event_count; n++) {
            const size_t i = outcome->order[n];
            outcome->events[i].gone |= outcome->gone;
            outcome->events[i].lost |= outcome->lost;
            outcome->events[i].index = events;
            events += build_outcome_plan_decodes_event(plan, b, i);
        }
    }
}

/* Reading the built bytes back. */

/* The extent that a decoder reports: Offset; SavedOffset if Offset is out of range; else the size of the buffer. */
static uint32_t extent_of(const build_outcome_plan *plan, size_t b, const build_structure *header)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const uint64_t stated[] = {build_structure_get(header, "Offset"), build_structure_get(header, "SavedOffset")};
    const uint64_t size = build_structure_get(header, "BufferSize");
    const bool is_last = buffer->offset + buffer->size == plan->image->size;
    const bool is_plain = buffer->compression == BUILD_MODEL_PLAIN;
    const uint64_t most = !is_plain ? BUFFER_SIZE_MAX : is_last && size > buffer->size ? size : buffer->size;
    uint64_t extent = is_plain ? buffer->size : HEADER;
    for (size_t i = 2; i-- > 0;)
        if (stated[i] >= HEADER && stated[i] <= most)
            extent = stated[i];
    return (uint32_t)(is_plain && extent > buffer->size ? buffer->size : extent);
}

/* A recipe may claim the extent, which depends on how far a damaged stream inflates. */
static void claim_extent(const build_outcome_plan *plan, size_t b)
{
    for (size_t i = 0; i < plan->vector->claim_count; i++) {
        const build_claim *claim = &plan->vector->claims[i];
        if (claim->kind == BUILD_CLAIM_EXPECT && claim->value != NULL && strcmp(claim->field, "extent") == 0 &&
            strcmp(claim->node, plan->model->buffers[b].name) == 0)
            plan->buffers[b].extent = (uint32_t)strtoul(claim->value, NULL, 0);
    }
}

static bool read_events(build_outcome_plan *plan, size_t b, const char **why)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_span bytes = build_outcome_plan_span(plan, buffer);
    build_buffer_outcome *outcome = &plan->buffers[b];
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        build_event_outcome *e = &outcome->events[i];
        const char *text;
        if (!build_outcome_plan_decodes_event(plan, b, i))
            continue;
        if (!build_event_view_read(&e->view, outcome->session, event, build_span_slice(bytes, event->at, SIZE_MAX),
                                   e->opaque, e->readable, &text))
            return build_complain(why, event->name, text);
    }
    return true;
}

/* The session of the file is that of its first logfile header, which is the first event of a plain buffer. */
static void read_session(build_outcome_plan *plan, size_t b)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_span bytes = build_outcome_plan_span(plan, buffer);
    if (plan->session.known || buffer->is_raw || buffer->event_count == 0 || buffer->compression != BUILD_MODEL_PLAIN)
        return;
    const build_event_outcome *first = &plan->buffers[b].events[0];
    /* A logfile header that a cut truncates is not an event any more, but its remaining members still count. */
    if (!first->gone && (!first->lost || plan->vector->patch.kind == BUILD_PATCH_CUT))
        plan->session = build_session_read(build_span_slice(bytes, buffer->events[0].at, first->readable));
}

static bool read_buffers(build_outcome_plan *plan, const char **why)
{
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        const build_model_buffer *buffer = &plan->model->buffers[b];
        build_buffer_outcome *outcome = &plan->buffers[b];
        if (!build_outcome_plan_decodes_buffer(plan, b))
            continue;
        if (buffer->offset + buffer->size > plan->image->size || buffer->size < HEADER)
            return build_complain(why, buffer->name, "the patch leaves less than a buffer; expected `lost` for it");
        read_session(plan, b);
        outcome->session = plan->session.known ? &plan->session : &plan->none;
        const build_span file = {plan->image->at, plan->image->size};
        const build_structure header =
            build_structure_read(outcome->session->buffer_header, build_span_slice(file, (size_t)buffer->offset, HEADER));
        outcome->extent = extent_of(plan, b, &header);
        claim_extent(plan, b);
        if (!read_events(plan, b, why))
            return false;
    }
    return true;
}

static void begin(build_outcome_plan *plan)
{
    plan->none = plan->session = build_session_none();
    plan->buffers = allocate(plan->model->buffer_count, sizeof *plan->buffers);
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        const size_t count = plan->model->buffers[b].event_count;
        plan->buffers[b].events = allocate(count, sizeof *plan->buffers[b].events);
        for (size_t i = 0; i < count; i++)
            plan->buffers[b].events[i].readable = UINT32_MAX;
    }
}

bool build_outcome_plan_make(build_outcome_plan *plan, const build_vector *vector, build_model *model,
                             const build_chunk *image, const char **why)
{
    *plan = (build_outcome_plan){.vector = vector, .model = model, .image = image};
    begin(plan);
    if (!build_patched_places(model, plan->buffers, &vector->patch, why))
        return false;
    mark_recovery_optional(plan);
    for (size_t i = 0; i < vector->claim_count; i++) {
        plan->position = vector->claims[i].from.position;
        if (!apply_claim(plan, &vector->claims[i], why))
            return false;
    }
    plan->position = (build_position){0};
    for (size_t b = 0; b < model->buffer_count; b++)
        order_events(plan, b);
    number(plan);
    return read_buffers(plan, why);
}

void build_outcome_plan_free(build_outcome_plan *plan)
{
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        free(plan->buffers[b].events);
        free(plan->buffers[b].order);
    }
    free(plan->buffers);
}
