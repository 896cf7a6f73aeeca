/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the memory from which the nodes of a model are written. Called by the layout for sizes and by the image for bytes.
 */
#include "image/segments.h"

#include <stdlib.h>
#include <string.h>

#include "model/event_layouts.h"

static void add(build_segments *list, build_segment segment)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 32 : 2 * list->capacity;
        list->at = realloc(list->at, list->capacity * sizeof *list->at);
        if (list->at == NULL)
            abort();
    }
    list->at[list->count++] = segment;
}

static void add_structure(build_segments *list, build_segment_group group, build_structure *structure)
{
    add(list, (build_segment){.group = group, .size = etl_structure_size_of(structure->id), .bytes = structure->bytes});
}

static void add_chunk(build_segments *list, build_segment_group group, build_chunk *chunk)
{
    add(list, (build_segment){.group = group, .size = (uint32_t)chunk->size, .chunk = chunk});
}

/* `size` bytes: those of the chunk, then `fill`. */
static void add_filled(build_segments *list, build_segment_group group, build_chunk *chunk, uint32_t size, uint8_t fill)
{
    add(list, (build_segment){.group = group, .size = size, .chunk = chunk, .fill = fill});
}

static void add_number32(build_segments *list, uint32_t *number)
{
    add(list, (build_segment){.group = BUILD_SEGMENT_HEADER, .size = sizeof *number, .number = number});
}

static void add_number64(build_segments *list, uint64_t *number)
{
    add(list, (build_segment){.group = BUILD_SEGMENT_HEADER, .size = sizeof *number, .number = number});
}

static void add_counters(build_segments *list, build_model_event *event)
{
    if (event->has_pebs)
        add_number64(list, &event->pebs);
    for (uint32_t i = 0; i < event->pmc_count; i++)
        add_number64(list, &event->pmc[i]);
}

/* COMPONENTID takes the place of GUID; the two time stamps share one place, which only TIMESTAMP fills. */
static bool is_stored(unsigned option, unsigned options)
{
    if ((options & option) == 0)
        return false;
    if (option == ETL_MESSAGE_OPTION_GUID)
        return (options & ETL_MESSAGE_OPTION_COMPONENTID) == 0;
    return option != ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP || (options & ETL_MESSAGE_OPTION_TIMESTAMP) == 0;
}

static void add_message_field(build_segments *list, build_message_fields *fields, unsigned option, uint32_t size)
{
    switch (option) {
    case ETL_MESSAGE_OPTION_SEQUENCE: add_number32(list, &fields->sequence); break;
    case ETL_MESSAGE_OPTION_COMPONENTID: add_number32(list, &fields->component_id); break;
    case ETL_MESSAGE_OPTION_GUID:
        add(list, (build_segment){.group = BUILD_SEGMENT_HEADER, .size = size, .bytes = fields->guid});
        break;
    case ETL_MESSAGE_OPTION_TIMESTAMP: add_number64(list, &fields->time); break;
    case ETL_MESSAGE_OPTION_SYSTEMINFO:
        add_number32(list, &fields->thread_id);
        add_number32(list, &fields->process_id);
        break;
    default: add_filled(list, BUILD_SEGMENT_HEADER, NULL, size, 0); break;
    }
}

static void add_message_fields(build_segments *list, build_model_event *event)
{
    static const struct {
        unsigned option;
        uint32_t size;
    } rows[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) {value, size},
#include "format/message_options.def"
    };
    const unsigned options = (unsigned)build_structure_get(&event->header, "OptionFlags");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].size != 0 && is_stored(rows[i].option, options))
            add_message_field(list, &event->message_fields, rows[i].option, rows[i].size);
}

static void add_item(build_segments *list, build_model_item *item)
{
    const uint32_t size = etl_structure_size_of(item->header.id) + (uint32_t)item->data.size;
    add_structure(list, BUILD_SEGMENT_ITEMS, &item->header);
    add_chunk(list, BUILD_SEGMENT_ITEMS, &item->data);
    add_filled(list, BUILD_SEGMENT_ITEMS, &item->padding, build_align8_up(size) - size, 0);
}

static void add_body(build_segments *list, build_model_event *event)
{
    if (event->is_raw) {
        add_chunk(list, BUILD_SEGMENT_DATA, &event->data);
        return;
    }
    const build_header_extras extras = build_event_layout_get(event->layout)->written;
    add_structure(list, BUILD_SEGMENT_HEADER, &event->header);
    if (extras == BUILD_EXTRAS_COUNTERS)
        add_counters(list, event);
    if (extras == BUILD_EXTRAS_MESSAGE_FIELDS)
        add_message_fields(list, event);
    for (size_t i = 0; i < event->item_count; i++)
        add_item(list, &event->items[i]);
    if (event->is_logfile) {
        add_structure(list, BUILD_SEGMENT_DATA, &event->logfile);
        add_chunk(list, BUILD_SEGMENT_DATA, &event->names);
    }
    add_chunk(list, BUILD_SEGMENT_DATA, &event->data);
}

void build_segments_add_event(build_segments *list, build_model_event *event)
{
    uint32_t size = 0;
    const size_t first = list->count;
    add_body(list, event);
    for (size_t i = first; i < list->count; i++)
        size += list->at[i].size;
    add_filled(list, BUILD_SEGMENT_PADDING, &event->padding, build_align8_up(size) - size, 0);
}

void build_segments_add_buffer(build_segments *list, build_model_buffer *buffer, bool inflated)
{
    if (buffer->is_raw) {
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->raw);
        return;
    }
    add_structure(list, BUILD_SEGMENT_HEADER, &buffer->header);
    if (buffer->compression != BUILD_MODEL_PLAIN && !inflated) {
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->stream);
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->spare);
        return;
    }
    for (size_t i = 0; i < buffer->event_count; i++)
        build_segments_add_event(list, &buffer->events[i]);
    if (!inflated)
        add_filled(list, BUILD_SEGMENT_PADDING, &buffer->slack, buffer->size - buffer->extent, UINT8_MAX);
}

void build_segments_free(build_segments *list)
{
    free(list->at);
    *list = (build_segments){0};
}

static uint64_t number_of(const build_segment *segment)
{
    return segment->size == sizeof(uint64_t) ? *(const uint64_t *)segment->number : *(const uint32_t *)segment->number;
}

static void write_segment(const build_segment *segment, build_chunk *out)
{
    if (segment->bytes != NULL) {
        build_chunk_add(out, segment->bytes, segment->size);
    } else if (segment->number != NULL) {
        build_chunk_number(out, number_of(segment), segment->size);
    } else {
        const size_t stored = segment->chunk != NULL ? segment->chunk->size : 0;
        const size_t known = stored < segment->size ? stored : segment->size;
        build_chunk_add(out, known != 0 ? segment->chunk->at : NULL, known);
        build_chunk_fill(out, segment->fill, segment->size - known);
    }
}

void build_segments_write(const build_segments *list, build_chunk *out)
{
    for (size_t i = 0; i < list->count; i++)
        write_segment(&list->at[i], out);
}

static void patch_number(const build_segment *segment, size_t at, uint8_t byte)
{
    const uint64_t value = (number_of(segment) & ~(UINT64_C(0xFF) << 8 * at)) | (uint64_t)byte << 8 * at;
    if (segment->size == sizeof(uint64_t))
        *(uint64_t *)segment->number = value;
    else
        *(uint32_t *)segment->number = (uint32_t)value;
}

static void patch_byte(const build_segment *segment, size_t at, uint8_t byte)
{
    if (segment->bytes != NULL) {
        segment->bytes[at] = byte;
    } else if (segment->number != NULL) {
        patch_number(segment, at, byte);
    } else if (segment->chunk != NULL) {
        if (segment->chunk->size <= at)
            build_chunk_fill(segment->chunk, segment->fill, at + 1 - segment->chunk->size);
        segment->chunk->at[at] = byte;
    }
}

void build_segments_patch(build_segments *list, uint64_t at, const uint8_t *bytes, size_t size)
{
    uint64_t start = 0;
    for (size_t i = 0; i < list->count && start < at + size; i++) {
        const uint64_t end = start + list->at[i].size;
        const uint64_t from = start < at ? at : start;
        for (uint64_t k = from; k < end && k < at + size; k++)
            patch_byte(&list->at[i], (size_t)(k - start), bytes[k - at]);
        start = end;
    }
}
