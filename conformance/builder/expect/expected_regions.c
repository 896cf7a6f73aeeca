/* SPDX-License-Identifier: Apache-2.0 */
#include "expect/expected_regions.h"

#include <stdlib.h>

enum { HEADER = ETL_SIZE_WMI_BUFFER_HEADER_61 };

static void add_tile(build_regions *tiles, build_region tile)
{
    if (tile.size == 0)
        return;
    if (tiles->count == tiles->room) {
        tiles->room = tiles->room == 0 ? 64 : 2 * tiles->room;
        tiles->at = realloc(tiles->at, tiles->room * sizeof *tiles->at);
        if (tiles->at == NULL)
            abort();
    }
    tiles->at[tiles->count++] = tile;
}

void build_regions_free(build_regions *tiles)
{
    free(tiles->at);
}

/* Tiles one space, from its start on. */
typedef struct pen {
    build_regions *tiles;
    const build_model_buffer *inflated;
    uint64_t origin; /* of what `at` counts from */
    uint64_t at, end;
} pen;

/* Draws up to `to`, or as far as the space goes. */
static void draw(pen *p, uint64_t to, etl_region_kind kind, const char *of)
{
    if (to > p->end)
        to = p->end;
    if (to <= p->at)
        return;
    add_tile(p->tiles, (build_region){p->inflated, p->origin + p->at, to - p->at, kind, of});
    p->at = to;
}

/* Events. */

static void draw_event(pen *p, const build_model_event *event, const build_event_view *w, uint64_t next)
{
    const uint64_t start = p->at, end = start + w->size, aligned = (end + 7) & ~UINT64_C(7);
    build_structure header;
    draw(p, start + w->header_size, ETL_REGION_EVENT_HEADER, event->name);
    for (size_t i = 0; i < w->item_count; i++)
        draw(p, p->at + build_event_view_item(w, event, i, &header).size, ETL_REGION_ITEMS, event->items[i].name);
    draw(p, start + w->header_size + w->items_size + w->data_size, ETL_REGION_PAYLOAD, event->name);
    draw(p, end, ETL_REGION_DAMAGED, event->name);
    draw(p, aligned < next ? aligned : next, ETL_REGION_PADDING, event->name);
    draw(p, next, ETL_REGION_DAMAGED, event->name);
}

/* Where what follows event `i`, which ends at `end`, starts: the next event that is there and not in it, or the extent. */
static uint64_t next_place(const build_model_buffer *buffer, const build_buffer_outcome *fate, size_t i, uint64_t end)
{
    while (++i < buffer->event_count)
        if (!fate->events[i].gone && !(fate->events[i].lost && buffer->events[i].at < end))
            return buffer->events[i].at;
    return buffer->extent;
}

static bool draw_events(pen *p, const build_model_buffer *buffer, const build_buffer_outcome *fate, const char **why)
{
    for (size_t i = 0; i < buffer->event_count; i++) {
        const build_model_event *event = &buffer->events[i];
        const build_event_outcome *e = &fate->events[i];
        const bool is_read = !event->is_raw && !e->lost;
        const uint64_t next = next_place(buffer, fate, i, event->at + (is_read ? e->written.size : 1));
        if (e->gone || event->at >= p->end)
            continue;
        if (is_read && event->at < p->at)
            return build_complain(why, event->name, "starts within what comes before it, and is not `lost`");
        draw(p, event->at, ETL_REGION_DAMAGED, buffer->name);
        if (is_read)
            draw_event(p, event, &e->written, next);
        else
            draw(p, next, e->lost ? e->region : event->raw_kind, event->name);
    }
    draw(p, p->end, ETL_REGION_SLACK, buffer->name);
    return true;
}

/* Buffers. */

/* Bytes of an XPRESS stream read, and what they inflate to. */
typedef struct stream {
    build_span bytes;
    size_t at, half; /* where the spare half of a length byte is; 0: there is none */
    uint64_t output;
} stream;

static uint64_t take(stream *s, size_t size)
{
    const uint64_t number = s->at + size <= s->bytes.size ? build_span_number(s->bytes, s->at, size) : 0;
    s->at += size;
    return number;
}

static uint64_t take_half(stream *s)
{
    const size_t half = s->half;
    s->half = half == 0 ? s->at : 0;
    return half == 0 ? take(s, 1) & 15 : build_span_number(s->bytes, half, 1) >> 4;
}

/* The length of a match, of which the token says `low`: each form goes on where the one before is used up. */
static uint64_t take_length(stream *s, uint64_t low)
{
    uint64_t length = low;
    if (low == 7)
        length += take_half(s);
    if (length == 7 + 15)
        length += take(s, 1);
    if (length == 7 + 15 + 255) {
        length = take(s, 2);
        if (length == 0)
            length = take(s, 4);
    }
    return length + 3;
}

/* Bytes of a sound stream that it takes to inflate to `output`: all but a flag word that no token needs. */
static uint32_t used_of(const build_chunk *bytes, uint64_t output)
{
    stream s = {.bytes = {bytes->at, bytes->size}};
    uint64_t flags = 0;
    for (unsigned left = 0; s.output < output && s.at < bytes->size; left--) {
        if (left == 0) {
            flags = take(&s, 4);
            left = 32;
        }
        if ((flags >> (left - 1) & 1) == 0) {
            s.at++;
            s.output++;
        } else {
            s.output += take_length(&s, take(&s, 2) & 7);
        }
    }
    return (uint32_t)s.at;
}

static uint32_t used_bytes(const build_outcome_plan *fates, size_t b)
{
    /* What a patch of the file does to a stream is for the recipe to say. */
    const bool anew = fates->vector->patch.inflated != NULL;
    const build_model_buffer *sound = anew ? &fates->model->buffers[b] : &fates->vector->model->buffers[b];
    const uint32_t used = used_of(&sound->stream, sound->inflated.size - HEADER);
    const uint32_t size = fates->model->buffers[b].stream_size;
    return size != sound->stream_size || used > size ? size : used;
}

static bool draw_buffer(pen *p, const build_outcome_plan *fates, size_t b, const char **why)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_buffer_outcome *fate = &fates->buffers[b];
    const uint64_t end = buffer->offset + buffer->size;
    if (buffer->is_raw || fate->lost) {
        draw(p, end, buffer->is_raw ? buffer->raw_kind : fate->region, buffer->name);
        return true;
    }
    draw(p, buffer->offset + HEADER, ETL_REGION_BUFFER_HEADER, buffer->name);
    pen inner = {p->tiles, NULL, buffer->offset, HEADER, buffer->size};
    if (buffer->compression != BUILD_MODEL_PLAIN) {
        draw(p, p->at + used_bytes(fates, b), ETL_REGION_COMPRESSED, buffer->name);
        draw(p, end, ETL_REGION_SLACK, buffer->name);
        inner.inflated = buffer;
        inner.origin = 0;
        inner.end = fate->extent < buffer->inflated.size ? fate->extent : buffer->inflated.size;
    }
    p->at = end;
    return draw_events(&inner, buffer, fate, why);
}

/* The bytes [from, to) of a space become of one kind. */
static void paint(build_regions *tiles, const build_model_buffer *inflated, uint64_t from, uint64_t to,
                  etl_region_kind kind)
{
    build_regions painted = {0};
    for (size_t i = 0; i < tiles->count; i++) {
        const build_region tile = tiles->at[i];
        const uint64_t end = tile.offset + tile.size;
        const uint64_t a = from > tile.offset ? from : tile.offset, z = to < end ? to : end;
        if (tile.inflated != inflated || a >= z) {
            add_tile(&painted, tile);
            continue;
        }
        add_tile(&painted, (build_region){inflated, tile.offset, a - tile.offset, tile.kind, tile.of});
        add_tile(&painted, (build_region){inflated, a, z - a, kind, tile.of});
        add_tile(&painted, (build_region){inflated, z, end - z, tile.kind, tile.of});
    }
    build_regions_free(tiles);
    *tiles = painted;
}

static void paint_claims(build_regions *tiles, const build_outcome_plan *fates)
{
    for (size_t i = 0; i < fates->vector->claim_count; i++) {
        const build_claim *claim = &fates->vector->claims[i];
        if (claim->kind != BUILD_CLAIM_REGION)
            continue;
        const build_model_buffer *inflated = claim->from.inflated;
        if (inflated != NULL)
            inflated = &fates->model->buffers[build_outcome_plan_buffer(fates, inflated)];
        paint(tiles, inflated, build_outcome_plan_place(fates, &claim->from), build_outcome_plan_place(fates, &claim->to),
              claim->region);
    }
}

static bool tile_whole_file(const build_regions *tiles, uint64_t size)
{
    uint64_t at = 0;
    for (size_t i = 0; i < tiles->count; i++) {
        if (tiles->at[i].inflated != NULL)
            continue;
        if (tiles->at[i].offset != at)
            return false;
        at += tiles->at[i].size;
    }
    return at == size;
}

bool build_regions_make(build_regions *tiles, const build_outcome_plan *fates, const char **why)
{
    *tiles = (build_regions){0};
    pen p = {.tiles = tiles, .end = fates->image->size};
    for (size_t b = 0; b < fates->model->buffer_count; b++) {
        if (fates->buffers[b].gone)
            continue;
        draw(&p, fates->model->buffers[b].offset, ETL_REGION_DAMAGED, NULL);
        if (!draw_buffer(&p, fates, b, why))
            return false;
    }
    draw(&p, p.end, ETL_REGION_TAIL, NULL);
    paint_claims(tiles, fates);
    return tile_whole_file(tiles, fates->image->size) ||
           build_complain(why, "the regions", "do not tile the file: they overlap, or leave bytes out");
}

uint64_t build_regions_count_bytes(const build_regions *tiles, etl_region_kind kind, uint64_t offset, uint64_t size)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < tiles->count; i++) {
        const build_region *tile = &tiles->at[i];
        if (tile->inflated == NULL && tile->kind == kind && tile->offset >= offset && tile->offset - offset < size)
            bytes += tile->size;
    }
    return bytes;
}

void build_regions_put_json(const build_regions *tiles, build_chunk *out)
{
    for (size_t i = 0; i < tiles->count; i++) {
        const build_region *tile = &tiles->at[i];
        build_json_raw(out, i == 0 ? "\n  " : ",\n  ");
        build_json_object object = build_json_object_open(out, NULL, "");
        if (tile->inflated != NULL)
            build_json_object_text(&object, "space", "inflated");
        build_json_object_u64(&object, "offset", tile->offset);
        build_json_object_u64(&object, "size", tile->size);
        build_json_object_text(&object, "kind", etl_region_text(tile->kind));
        if (tile->of != NULL)
            build_json_object_text(&object, "of", tile->of);
        build_json_object_close(&object);
    }
}
