/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the regions that tile the file from the outcome plan. Called by expected_decode.c. Regions follow the model;
 * claims of the recipe override them.
 */
#include "expect/expected_regions.h"

#include <stdlib.h>

#include "expect/complaint.h"
#include "expect/xpress_stream_length.h"
#include "json/json_object.h"

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61 };

static void add_region(build_regions *regions, build_region region)
{
    if (region.size == 0)
        return;
    if (regions->count == regions->capacity) {
        regions->capacity = regions->capacity == 0 ? 64 : 2 * regions->capacity;
        regions->at = realloc(regions->at, regions->capacity * sizeof *regions->at);
        if (regions->at == NULL)
            abort();
    }
    regions->at[regions->count++] = region;
}

void build_regions_free(build_regions *regions)
{
    free(regions->at);
}

/* Appends the regions of one space, from its start on. */
typedef struct cursor {
    build_regions *regions;
    const build_model_buffer *inflated;
    uint64_t origin; /* of `at` and `end`, in the file or the inflated bytes */
    uint64_t at, end;
} cursor;

/* Appends a region up to `to`, or up to the end of the space. */
static void append(cursor *p, uint64_t to, etl_region_kind kind, const char *of)
{
    if (to > p->end)
        to = p->end;
    if (to <= p->at)
        return;
    add_region(p->regions, (build_region){p->inflated, p->origin + p->at, to - p->at, kind, of});
    p->at = to;
}

/* Events. */

static void append_event(cursor *p, const build_model_event *event, const build_event_view *view, uint64_t next)
{
    const uint64_t start = p->at, end = start + view->size, aligned = (end + 7) & ~UINT64_C(7);
    build_structure header;
    append(p, start + view->header_size, ETL_REGION_EVENT_HEADER, event->name);
    for (size_t i = 0; i < view->item_count; i++)
        append(p, p->at + build_event_view_item(view, event, i, &header).size, ETL_REGION_ITEMS, event->items[i].name);
    append(p, start + view->header_size + view->items_size + view->data_size, ETL_REGION_PAYLOAD, event->name);
    append(p, end, ETL_REGION_DAMAGED, event->name);
    append(p, aligned < next ? aligned : next, ETL_REGION_PADDING, event->name);
    append(p, next, ETL_REGION_DAMAGED, event->name);
}

/* The end of the bytes that belong to event `i`, which ends at `end`: the start of the next event that is neither gone
   nor * lost inside it, or the extent. */
static uint64_t next_place(const build_model_buffer *buffer, const build_buffer_outcome *outcome, size_t i, uint64_t end)
{
    while (++i < buffer->event_count)
        if (!outcome->events[i].gone && !(outcome->events[i].lost && buffer->events[i].at < end))
            return buffer->events[i].at;
    return buffer->extent;
}

static bool append_events(cursor *p, const build_model_buffer *buffer, const build_buffer_outcome *outcome,
                          const char **why)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        const build_event_outcome *e = &outcome->events[i];
        const bool is_read = !event->is_raw && !e->lost;
        const uint64_t next = next_place(buffer, outcome, i, event->at + (is_read ? e->view.size : 1));
        if (e->gone || event->at >= p->end)
            continue;
        if (is_read && event->at < p->at)
            return build_complain(why, event->name, "starts inside the event before it; expected `lost` for one of them");
        append(p, event->at, ETL_REGION_DAMAGED, buffer->name);
        if (is_read)
            append_event(p, event, &e->view, next);
        else
            append(p, next, e->lost ? e->region : event->raw_kind, event->name);
    }
    append(p, p->end, ETL_REGION_SLACK, buffer->name);
    return true;
}

/* Buffers. */

static uint32_t used_bytes(const build_outcome_plan *plan, size_t b)
{
    /* A patch of inflated bytes makes a new stream; what a patch of the file does to a stream, the recipe claims. */
    const bool is_new = plan->vector->patch.inflated != NULL;
    const build_model_buffer *sound = is_new ? &plan->model->buffers[b] : &plan->vector->model->buffers[b];
    const uint32_t used = build_xpress_stream_length(&sound->stream, sound->inflated.size - HEADER);
    const uint32_t size = plan->model->buffers[b].stream_size;
    return size != sound->stream_size || used > size ? size : used;
}

static bool append_buffer(cursor *p, const build_outcome_plan *plan, size_t b, const char **why)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_buffer_outcome *outcome = &plan->buffers[b];
    const uint64_t end = buffer->offset + buffer->size;
    if (buffer->is_raw || outcome->lost) {
        append(p, end, buffer->is_raw ? buffer->raw_kind : outcome->region, buffer->name);
        return true;
    }
    append(p, buffer->offset + HEADER, ETL_REGION_BUFFER_HEADER, buffer->name);
    cursor inner = {p->regions, NULL, buffer->offset, HEADER, buffer->size};
    if (buffer->compression != BUILD_MODEL_PLAIN) {
        append(p, p->at + used_bytes(plan, b), ETL_REGION_COMPRESSED, buffer->name);
        append(p, end, ETL_REGION_SLACK, buffer->name);
        inner.inflated = buffer;
        inner.origin = 0;
        inner.end = outcome->extent < buffer->inflated.size ? outcome->extent : buffer->inflated.size;
    }
    p->at = end;
    return append_events(&inner, buffer, outcome, why);
}

/* Changes the kind of the bytes from `from` up to `to` of one space. */
static void set_kind(build_regions *regions, const build_model_buffer *inflated, uint64_t from, uint64_t to,
                     etl_region_kind kind)
{
    build_regions changed = {0};
    for (size_t i = 0; i < regions->count; i++) {
        const build_region region = regions->at[i];
        const uint64_t end = region.offset + region.size;
        const uint64_t a = from > region.offset ? from : region.offset, z = to < end ? to : end;
        if (region.inflated != inflated || a >= z) {
            add_region(&changed, region);
            continue;
        }
        add_region(&changed, (build_region){inflated, region.offset, a - region.offset, region.kind, region.of});
        add_region(&changed, (build_region){inflated, a, z - a, kind, region.of});
        add_region(&changed, (build_region){inflated, z, end - z, region.kind, region.of});
    }
    build_regions_free(regions);
    *regions = changed;
}

static void apply_region_claims(build_regions *regions, const build_outcome_plan *plan)
{
    for (size_t i = 0; i < plan->vector->claim_count; i++) {
        const build_claim *claim = &plan->vector->claims[i];
        if (claim->kind != BUILD_CLAIM_REGION)
            continue;
        const build_model_buffer *inflated = claim->from.inflated;
        if (inflated != NULL)
            inflated = &plan->model->buffers[build_model_buffer_index(plan->model, inflated)];
        set_kind(regions, inflated, build_outcome_plan_place(plan, &claim->from),
                 build_outcome_plan_place(plan, &claim->to), claim->region);
    }
}

static bool tile_whole_file(const build_regions *regions, uint64_t size)
{
    uint64_t at = 0;
    for (size_t i = 0; i < regions->count; i++) {
        if (regions->at[i].inflated != NULL)
            continue;
        if (regions->at[i].offset != at)
            return false;
        at += regions->at[i].size;
    }
    return at == size;
}

bool build_regions_make(build_regions *regions, const build_outcome_plan *plan, const char **why)
{
    *regions = (build_regions){0};
    cursor p = {.regions = regions, .end = plan->image->size};
    for (size_t b = 0; b < plan->model->buffer_count; b++) {
        if (plan->buffers[b].gone)
            continue;
        append(&p, plan->model->buffers[b].offset, ETL_REGION_DAMAGED, NULL);
        if (!append_buffer(&p, plan, b, why))
            return false;
    }
    append(&p, p.end, ETL_REGION_TAIL, NULL);
    apply_region_claims(regions, plan);
    return tile_whole_file(regions, plan->image->size) ||
           build_complain(why, "the regions", "do not tile the file: they overlap or leave bytes out");
}

uint64_t build_regions_count_bytes(const build_regions *regions, etl_region_kind kind)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < regions->count; i++)
        if (regions->at[i].inflated == NULL && regions->at[i].kind == kind)
            bytes += regions->at[i].size;
    return bytes;
}

uint64_t build_regions_count_compressed(const build_regions *regions, const build_model_buffer *buffer, size_t *next)
{
    uint64_t bytes = 0;
    for (; *next < regions->count; ++*next) {
        const build_region *region = &regions->at[*next];
        if (region->inflated != NULL || region->offset < buffer->offset)
            continue;
        if (region->offset - buffer->offset >= buffer->size)
            break;
        if (region->kind == ETL_REGION_COMPRESSED)
            bytes += region->size;
    }
    return bytes;
}

void build_regions_put_json(const build_regions *regions, build_chunk *out)
{
    for (size_t i = 0; i < regions->count; i++) {
        const build_region *region = &regions->at[i];
        build_json_raw(out, i == 0 ? "\n  " : ",\n  ");
        build_json_object object = build_json_object_open(out, NULL, "");
        if (region->inflated != NULL)
            build_json_object_text(&object, "space", "inflated");
        build_json_object_u64(&object, "offset", region->offset);
        build_json_object_u64(&object, "size", region->size);
        build_json_object_text(&object, "kind", etl_region_text(region->kind));
        if (region->of != NULL)
            build_json_object_text(&object, "of", region->of);
        build_json_object_close(&object);
    }
}
