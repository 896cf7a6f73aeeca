/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completes a model from a recipe with every size, place and default member. Called by the recipe parser for each vector.
 * Each step uses only what earlier steps have worked out.
 */
#include "image/file_layout.h"

#include <string.h>

#include "image/segments.h"
#include "image/xpress_compressor.h"
#include "model/default_values.h"
#include "model/event_layouts.h"
#include "model/version_shape.h"

enum { BUFFER_UNIT = 0x400, BUFFER_HEADER_SIZE = ETL_SIZE_WMI_BUFFER_HEADER_61 };
enum { BUFFER_SIZE_MOST = 0x1000000 }; /* a larger given BufferSize is written, but not followed */
enum { EVENT_STEP = 1000 };            /* ticks from one event to the next */
enum { PROCESSORS = 4 };

/* Events. */

static void fill_marker(build_model_event *event)
{
    build_structure_fill(&event->header, "HeaderType", event->type);
    build_structure_fill(&event->header, "MarkerFlags",
                         event->layout == ETL_LAYOUT_MESSAGE ? ETL_MARKER_MESSAGE : ETL_MARKER_EVENT_TRACE);
}

static void fill_time(build_model_event *event, uint64_t time)
{
    build_structure_fill(&event->header, "SystemTime", time);
    build_structure_fill(&event->header, "TimeStamp", time);
    if (event->message_fields.time == event->message_fields.filled_time)
        event->message_fields.time = event->message_fields.filled_time = time;
}

/* Sets bits of a word even if it was given. If it was not, the bits of `mask` are cleared first. */
static void add_bits(build_structure *structure, const char *member, unsigned mask, unsigned bits)
{
    const uint64_t given = structure->given;
    unsigned word = (unsigned)build_structure_get(structure, member);
    if (!build_structure_is_given(structure, member))
        word &= ~mask;
    build_structure_set(structure, member, word | bits);
    structure->given = given;
}

static void fill_extras_bits(build_model_event *event)
{
    const unsigned items = ETL_EVENT_FLAG_EXTENDED_INFO;
    const unsigned pebs = ETL_VERSION_MASK_PEBS_INDEX, pmc = ETL_VERSION_MASK_PMC_COUNT;
    const build_header_extras extras = build_event_layout_get(event->layout)->written;
    if (extras == BUILD_EXTRAS_ITEMS)
        add_bits(&event->header, "Flags", items, event->item_count != 0 ? items : 0);
    else if (extras == BUILD_EXTRAS_COUNTERS)
        add_bits(&event->header, "Version", pmc | pebs, (pmc & -pmc) * event->pmc_count | (event->has_pebs ? pebs : 0));
}

static void lay_out_items(build_model_event *event)
{
    uint32_t at = event->at + event->header_size;
    for (size_t i = 0; i < event->item_count; i++) {
        build_model_item *item = &event->items[i];
        item->at = at;
        item->size = build_align8_up(ETL_SIZE(EXTENDED_DATA_ITEM) + (uint32_t)item->data.size);
        build_structure_fill(&item->header, "TotalSize", item->size);
        build_structure_fill(&item->header, "Linkage", i + 1 < event->item_count);
        build_structure_fill(&item->header, "DataSize", item->data.size);
        at += item->size;
    }
}

static void lay_out_event(build_model_event *event, uint32_t at, build_segments *segments)
{
    uint32_t sizes[BUILD_SEGMENT_GROUPS] = {0};
    segments->count = 0;
    build_segments_add_event(segments, event);
    for (size_t i = 0; i < segments->count; i++)
        sizes[segments->at[i].group] += segments->at[i].size;
    event->at = at;
    event->header_size = sizes[BUILD_SEGMENT_HEADER];
    event->items_size = sizes[BUILD_SEGMENT_ITEMS];
    event->data_size = sizes[BUILD_SEGMENT_DATA];
    event->size = event->header_size + event->items_size + event->data_size;
    event->padding_size = sizes[BUILD_SEGMENT_PADDING];
    lay_out_items(event);
    build_structure_fill(&event->header, "Size", event->size);
}

static void lay_out_events(build_model_buffer *buffer, uint64_t *time)
{
    build_segments segments = {0};
    uint32_t at = BUFFER_HEADER_SIZE;
    for (size_t i = 0; i < buffer->event_count; i++) {
        build_model_event *event = &buffer->events[i];
        if (!event->is_raw) {
            fill_marker(event);
            fill_extras_bits(event);
            fill_time(event, *time);
            *time += EVENT_STEP;
        }
        lay_out_event(event, at, &segments);
        at += event->size + event->padding_size;
    }
    buffer->extent = at;
    build_segments_free(&segments);
}

/* Buffers. */

static uint32_t round_up(uint64_t size)
{
    return (uint32_t)((size + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT);
}

static uint32_t largest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A given BufferSize that holds the buffer; else 0. */
static uint32_t given_size(const build_structure *structure, uint32_t least)
{
    const uint64_t size = build_structure_get(structure, "BufferSize");
    return build_structure_is_given(structure, "BufferSize") && size >= least && size <= BUFFER_SIZE_MOST ? (uint32_t)size
                                                                                                          : 0;
}

/* The size of a plain buffer, other buffers aside. */
static uint32_t size_alone(const build_model_buffer *buffer)
{
    const uint32_t size = given_size(&buffer->header, buffer->extent);
    return size != 0 ? size : round_up((uint64_t)buffer->extent + buffer->slack.size);
}

/* The size of all plain buffers without a given BufferSize: that of the largest, or that of the logfile header. */
static uint32_t common_size(const build_model *model)
{
    const build_structure *logfile = build_model_first_logfile(model);
    uint32_t size = BUFFER_UNIT;
    for (size_t i = 0; i < model->buffer_count; i++)
        if (!model->buffers[i].is_raw && model->buffers[i].compression == BUILD_MODEL_PLAIN)
            size = largest(size, size_alone(&model->buffers[i]));
    if (logfile == NULL || build_model_has_compressed(model))
        return size;
    return largest(size, given_size(logfile, size));
}

/* BufferSize of the logfile header: every buffer fits when inflated. */
static uint32_t session_size(const build_model *model, uint32_t common)
{
    uint32_t size = common;
    for (size_t i = 0; i < model->buffer_count; i++)
        if (!model->buffers[i].is_raw)
            size = largest(size, round_up(model->buffers[i].extent));
    return size;
}

static bool holds_logfile(const build_model *model, const build_model_buffer *buffer)
{
    return buffer->event_count != 0 && &buffer->events[0].logfile == build_model_first_logfile(model);
}

static uint64_t last_time(const build_model_buffer *buffer, uint64_t otherwise)
{
    for (size_t i = buffer->event_count; i-- > 0;) {
        const build_model_event *event = &buffer->events[i];
        if (event->layout == ETL_LAYOUT_MESSAGE)
            return event->message_fields.time;
        if (build_structure_get(&event->header, "TimeStamp") != 0)
            return build_structure_get(&event->header, "TimeStamp");
        if (build_structure_get(&event->header, "SystemTime") != 0)
            return build_structure_get(&event->header, "SystemTime");
    }
    return otherwise;
}

static uint32_t flags_of(const build_model_buffer *buffer, bool is_header, uint32_t windows)
{
    return (is_header ? ETL_BUFFER_FLAG_FLUSH_MARKER : 0u) |
           (windows >= ETL_WINDOWS_VERSION_6_2 ? ETL_BUFFER_FLAG_PROC_INDEX : 0u) |
           (buffer->compression != BUILD_MODEL_PLAIN ? ETL_BUFFER_FLAG_COMPRESSED : 0u);
}

/* Offset 0x20 and those from 0x38 hold leftovers of the writer; in REFTIME buffers, the time of both clocks. */
static void fill_leftovers(const build_model *model, build_structure *header, uint32_t index)
{
    const build_structure *logfile = build_model_first_logfile(model);
    build_structure_fill(header, "ClockFrequency", UINT64_C(0xFFFFC00012345000) + index);
    build_structure_fill(header, "StartPerfClock",
                         (uint64_t)build_default_clock_start(logfile, build_version_windows(model)));
    if (logfile != NULL)
        build_structure_fill(header, "StartTime", build_structure_get(logfile, "StartTime"));
}

/* All members but BufferSize and CurrentOffset, which need the size. */
static void fill_buffer_header(const build_model *model, build_model_buffer *buffer, uint32_t index, uint64_t time)
{
    const bool is_header = holds_logfile(model, buffer);
    const uint32_t windows = build_version_windows(model);
    build_structure *header = &buffer->header;
    build_structure_fill(header, "SavedOffset", buffer->extent);
    build_structure_fill(header, "Offset", buffer->extent);
    build_structure_fill(header, "TimeStamp", is_header ? 0 : last_time(buffer, time) + EVENT_STEP / 2);
    build_structure_fill(header, "SequenceNumber", index);
    if (windows < ETL_WINDOWS_VERSION_6_2)
        build_structure_fill(header, "ProcessorIndex", (uint64_t)BUILD_DEFAULT_ALIGNMENT << 8);
    build_structure_fill(header, "BufferFlag", flags_of(buffer, is_header, windows));
    build_structure_fill(header, "BufferType", is_header ? ETL_BUFFER_TYPE_HEADER : ETL_BUFFER_TYPE_GENERIC);
    if (!is_header)
        fill_leftovers(model, header, index);
}

/* CurrentOffset is the writer's cursor, which has moved past the buffer. */
static void fill_size(build_model_buffer *buffer, bool is_header)
{
    build_structure_fill(&buffer->header, "BufferSize", buffer->size);
    build_structure_fill(&buffer->header, "CurrentOffset", is_header ? buffer->extent : buffer->size + buffer->extent);
}

void build_file_layout_compress(build_model_buffer *buffer)
{
    const uint32_t header = BUFFER_HEADER_SIZE;
    buffer->stream.size = 0;
    if (buffer->compression == BUILD_MODEL_GIVEN)
        build_chunk_add(&buffer->stream, buffer->given.at, buffer->given.size);
    else
        build_xpress_compress(buffer->inflated.at + header, buffer->inflated.size - header, buffer->compression,
                              &buffer->stream);
    buffer->stream_size = (uint32_t)buffer->stream.size;
    buffer->size = header + buffer->stream_size + (uint32_t)buffer->spare.size;
    fill_size(buffer, false);
    memcpy(buffer->inflated.at, buffer->header.bytes, header);
}

static void lay_out_compressed(build_model_buffer *buffer)
{
    build_segments segments = {0};
    buffer->inflated.size = 0;
    build_segments_add_buffer(&segments, buffer, true);
    build_segments_write(&segments, &buffer->inflated);
    build_segments_free(&segments);
    build_file_layout_compress(buffer);
}

static void lay_out_plain(const build_model *model, build_model_buffer *buffer, uint32_t common)
{
    buffer->stream.size = buffer->stream_size = 0;
    buffer->size = given_size(&buffer->header, buffer->extent);
    if (buffer->size == 0)
        buffer->size = common;
    fill_size(buffer, holds_logfile(model, buffer));
}

void build_file_layout_place_buffers(build_model *model)
{
    model->size = 0;
    for (size_t i = 0; i < model->buffer_count; i++) {
        model->buffers[i].offset = model->size;
        model->size += model->buffers[i].size;
    }
}

/* The logfile header. */

static uint32_t processors_of(const build_model *model)
{
    uint32_t count = PROCESSORS;
    for (size_t i = 0; i < model->buffer_count; i++)
        if (!model->buffers[i].is_raw)
            count = largest(count, build_structure_processor(&model->buffers[i].header) + 1);
    return count;
}

static uint32_t count_buffers(const build_model *model)
{
    uint32_t count = 0;
    for (size_t i = 0; i < model->buffer_count; i++)
        count += !model->buffers[i].is_raw;
    return count;
}

static void fill_logfile(const build_model *model, build_structure *logfile, uint32_t size)
{
    const uint32_t sub_version = build_version_sub_version(model, logfile);
    build_structure_fill(logfile, "BufferSize", size);
    build_structure_fill(logfile, "SubVersion", sub_version >> 8);
    build_structure_fill(logfile, "SubMinorVersion", sub_version & 0xFF);
    build_structure_fill(logfile, "ProviderVersion", build_default_build(build_version_windows(model)));
    build_structure_fill(logfile, "NumberOfProcessors", processors_of(model));
    build_structure_fill(logfile, "LogFileMode",
                         ETL_LOGGER_MODE_FILE_MODE_SEQUENTIAL |
                             (build_model_has_compressed(model) ? ETL_LOGGER_MODE_COMPRESSED_MODE : 0));
    build_structure_fill(logfile, "BuffersWritten", count_buffers(model));
    build_structure_fill(logfile, "PointerSize", model->pointer_size);
}

static void fill_logfiles(build_model *model, uint32_t size)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        for (size_t k = 0; k < model->buffers[i].event_count; k++)
            if (model->buffers[i].events[k].is_logfile)
                fill_logfile(model, &model->buffers[i].events[k].logfile, size);
}

/* The steps. */

static void lay_out_contents(build_model *model)
{
    uint32_t index = 0;
    uint64_t time = (uint64_t)build_default_clock_start(build_model_first_logfile(model), build_version_windows(model));
    for (size_t i = 0; i < model->buffer_count; i++) {
        build_model_buffer *buffer = &model->buffers[i];
        if (buffer->is_raw)
            continue;
        lay_out_events(buffer, &time);
        fill_buffer_header(model, buffer, index++, time);
    }
}

static void lay_out_buffers(build_model *model, uint32_t common)
{
    for (size_t i = 0; i < model->buffer_count; i++) {
        build_model_buffer *buffer = &model->buffers[i];
        if (buffer->is_raw)
            buffer->size = (uint32_t)buffer->raw.size;
        else if (buffer->compression == BUILD_MODEL_PLAIN)
            lay_out_plain(model, buffer, common);
        else
            lay_out_compressed(buffer);
    }
}

void build_model_lay_out(build_model *model)
{
    build_version_apply(model);
    lay_out_contents(model);
    const uint32_t common = common_size(model);
    fill_logfiles(model, session_size(model, common));
    lay_out_buffers(model, common);
    build_file_layout_place_buffers(model);
}
