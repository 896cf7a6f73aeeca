/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which things are written is said here once: sizes, images and patches all follow from the pieces.
 */
#include "model/model_internal.h"

#include <stdlib.h>
#include <string.h>

static void add(build_segments *list, build_segment piece)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 32 : 2 * list->room;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (list->at == NULL)
            abort();
    }
    list->at[list->count++] = piece;
}

static void add_part(build_segments *list, build_segment_group group, build_structure *part)
{
    add(list, (build_segment){.group = group, .size = etl_structure_size_of(part->structure), .bytes = part->bytes});
}

static void add_chunk(build_segments *list, build_segment_group group, build_chunk *chunk)
{
    add(list, (build_segment){.group = group, .size = (uint32_t)chunk->size, .chunk = chunk});
}

/* `size` bytes, the first ones those of the chunk. */
static void add_room(build_segments *list, build_segment_group group, build_chunk *chunk, uint32_t size, uint8_t fill)
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

/* COMPONENTID takes the place of GUID; the two time stamps share one, which only TIMESTAMP fills. */
static bool takes_room(unsigned option, unsigned options)
{
    if ((options & option) == 0)
        return false;
    if (option == ETL_MESSAGE_OPTION_GUID)
        return (options & ETL_MESSAGE_OPTION_COMPONENTID) == 0;
    return option != ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP || (options & ETL_MESSAGE_OPTION_TIMESTAMP) == 0;
}

static void add_message_part(build_segments *list, build_message_fields *parts, unsigned option, uint32_t size)
{
    switch (option) {
    case ETL_MESSAGE_OPTION_SEQUENCE: add_number32(list, &parts->sequence); break;
    case ETL_MESSAGE_OPTION_COMPONENTID: add_number32(list, &parts->component_id); break;
    case ETL_MESSAGE_OPTION_GUID:
        add(list, (build_segment){.group = BUILD_SEGMENT_HEADER, .size = size, .bytes = parts->guid});
        break;
    case ETL_MESSAGE_OPTION_TIMESTAMP: add_number64(list, &parts->time); break;
    case ETL_MESSAGE_OPTION_SYSTEMINFO:
        add_number32(list, &parts->thread_id);
        add_number32(list, &parts->process_id);
        break;
    default: add_room(list, BUILD_SEGMENT_HEADER, NULL, size, 0); break;
    }
}

static void add_message_parts(build_segments *list, build_model_event *event)
{
    static const struct {
        unsigned option;
        uint32_t size;
    } rows[] = {
#define ETL_MESSAGE_OPTION(value, name, size, meaning, source) {value, size},
#include "format/message_options.def"
    };
    const unsigned options = (unsigned)build_structure_get(&event->header, "OptionFlags");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].size != 0 && takes_room(rows[i].option, options))
            add_message_part(list, &event->parts, rows[i].option, rows[i].size);
}

static void add_item(build_segments *list, build_model_item *item)
{
    const uint32_t size = etl_structure_size_of(item->header.structure) + (uint32_t)item->data.size;
    add_part(list, BUILD_SEGMENT_ITEMS, &item->header);
    add_chunk(list, BUILD_SEGMENT_ITEMS, &item->data);
    add_room(list, BUILD_SEGMENT_ITEMS, &item->padding, build_align8_up(size) - size, 0);
}

static void add_body(build_segments *list, build_model_event *event)
{
    if (event->is_raw) {
        add_chunk(list, BUILD_SEGMENT_DATA, &event->data);
        return;
    }
    add_part(list, BUILD_SEGMENT_HEADER, &event->header);
    if (build_event_layout_has_counters(event->layout))
        add_counters(list, event);
    if (event->layout == ETL_LAYOUT_MESSAGE)
        add_message_parts(list, event);
    for (size_t i = 0; i < event->item_count; i++)
        add_item(list, &event->items[i]);
    if (event->is_logfile) {
        add_part(list, BUILD_SEGMENT_DATA, &event->logfile);
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
    add_room(list, BUILD_SEGMENT_PADDING, &event->padding, build_align8_up(size) - size, 0);
}

void build_segments_add_buffer(build_segments *list, build_model_buffer *buffer, bool inflated)
{
    if (buffer->is_raw) {
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->raw);
        return;
    }
    add_part(list, BUILD_SEGMENT_HEADER, &buffer->header);
    if (buffer->compression != BUILD_MODEL_PLAIN && !inflated) {
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->stream);
        add_chunk(list, BUILD_SEGMENT_DATA, &buffer->spare);
        return;
    }
    for (size_t i = 0; i < buffer->event_count; i++)
        build_segments_add_event(list, &buffer->events[i]);
    if (!inflated)
        add_room(list, BUILD_SEGMENT_PADDING, &buffer->slack, buffer->size - buffer->extent, UINT8_MAX);
}

void build_segments_free(build_segments *list)
{
    free(list->at);
    *list = (build_segments){0};
}

static uint64_t number_of(const build_segment *piece)
{
    return piece->size == sizeof(uint64_t) ? *(const uint64_t *)piece->number : *(const uint32_t *)piece->number;
}

static void write_piece(const build_segment *piece, build_chunk *out)
{
    if (piece->bytes != NULL) {
        build_chunk_add(out, piece->bytes, piece->size);
    } else if (piece->number != NULL) {
        build_chunk_number(out, number_of(piece), piece->size);
    } else {
        const size_t room = piece->chunk != NULL ? piece->chunk->size : 0;
        const size_t known = room < piece->size ? room : piece->size;
        build_chunk_add(out, known != 0 ? piece->chunk->at : NULL, known);
        build_chunk_fill(out, piece->fill, piece->size - known);
    }
}

void build_segments_write(const build_segments *list, build_chunk *out)
{
    for (size_t i = 0; i < list->count; i++)
        write_piece(&list->at[i], out);
}

static void patch_number(const build_segment *piece, size_t at, uint8_t byte)
{
    const uint64_t value = (number_of(piece) & ~(UINT64_C(0xFF) << 8 * at)) | (uint64_t)byte << 8 * at;
    if (piece->size == sizeof(uint64_t))
        *(uint64_t *)piece->number = value;
    else
        *(uint32_t *)piece->number = (uint32_t)value;
}

static void patch_byte(const build_segment *piece, size_t at, uint8_t byte)
{
    if (piece->bytes != NULL) {
        piece->bytes[at] = byte;
    } else if (piece->number != NULL) {
        patch_number(piece, at, byte);
    } else if (piece->chunk != NULL) {
        if (piece->chunk->size <= at)
            build_chunk_fill(piece->chunk, piece->fill, at + 1 - piece->chunk->size);
        piece->chunk->at[at] = byte;
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
