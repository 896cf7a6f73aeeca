/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the model of a well-formed trace from the bytes of an input. Called by fuzz_build.
 */
#include "model_from_input.h"

#include <stdio.h>
#include <string.h>

enum { BUFFERS_MAX = 5, EVENTS_MAX = 6, ITEMS_MAX = 5 };
/* The most payload that fits in the 16 bits of an event's Size, whatever header and items it has. */
enum { DATA_SMALL = 40, DATA_LARGE = 5000 };

typedef struct source {
    etl_span bytes;
    size_t at;
} source;

static uint8_t take(source *s)
{
    return s->at < s->bytes.size ? s->bytes.at[s->at++] : 0;
}

static uint32_t choose(source *s, uint32_t below)
{
    const uint32_t low = take(s);
    return (low | (below > 256 ? (uint32_t)take(s) << 8 : 0)) % below;
}

static uint64_t number(source *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 8; i++)
        n = n << 8 | take(s);
    return n;
}

/* The input's bytes, or a short run of them repeated, which compresses. */
static void fill(source *s, build_chunk *chunk, size_t size)
{
    uint8_t run[8];
    const bool repeats = choose(s, 2) != 0;
    const uint32_t period = 1 + choose(s, sizeof run);
    for (size_t i = 0; i < sizeof run; i++)
        run[i] = repeats ? take(s) : 0;
    const size_t at = chunk->size;
    build_chunk_fill(chunk, 0, size);
    for (size_t i = 0; i < size; i++)
        chunk->at[at + i] = repeats ? run[i % period] : take(s);
}

static void set(source *s, build_structure *part, const char *member)
{
    build_structure_set(part, member, number(s));
}

static void set_guid(source *s, build_structure *part, const char *member)
{
    uint8_t guid[16];
    for (size_t i = 0; i < sizeof guid; i++)
        guid[i] = take(s);
    build_structure_set_bytes(part, member, guid, sizeof guid);
}

/* Windows versions, in the form of the tables: "6.2". */
static const char *const versions[] = {"10.0", "6.3", "6.2", "6.1", "6.0", "5.2", "5.1", "5.0"};

static uint32_t version_of(const char *text)
{
    unsigned major = 0, minor = 0;
    return sscanf(text, "%u.%u", &major, &minor) == 2 ? major << 8 | minor : 0;
}

typedef struct type_row {
    uint8_t value;
    etl_layout layout;
    const char *since;
} type_row;

static const type_row types[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {value, ETL_LAYOUT_##layout, since},
#include "format/header_types.def"
};

typedef struct item_row {
    uint16_t value;
    uint32_t base, unit, most;
} item_row;

static const item_row item_types[] = {
#define ETL_ITEM_TYPE(value, name, layout, base, unit, most, source) {value, base, unit, most},
#include "format/item_types.def"
};
#define ITEM_TYPES (sizeof item_types / sizeof item_types[0])

/* The start of both schema and traits: a size, `between` bytes, and letters that end with a NUL. */
static void fill_described(source *s, build_chunk *chunk, unsigned between)
{
    const uint32_t letters = choose(s, 20);
    build_chunk_number(chunk, 2u + between + letters + 1u, 2);
    build_chunk_fill(chunk, 0, between);
    for (uint32_t i = 0; i < letters; i++)
        build_chunk_number(chunk, 'a' + choose(s, 26), 1);
    build_chunk_fill(chunk, 0, 1);
}

static void fill_item(source *s, build_model_item *item, const item_row *row)
{
    const uint32_t most = row->most < 12 ? row->most : 12;
    const uint32_t n = row->unit ? choose(s, most + 1) : 0;
    if (row->value == ETL_ITEM_TYPE_EVENT_SCHEMA_TL) {
        fill_described(s, &item->data, 1);
    } else if (row->value == ETL_ITEM_TYPE_PROV_TRAITS) {
        fill_described(s, &item->data, 0);
    } else {
        fill(s, &item->data, row->base + n * row->unit);
        if (row->value == ETL_ITEM_TYPE_SID)
            item->data.at[1] = (uint8_t)n;
    }
    fill(s, &item->padding, choose(s, 8));
}

static void add_items(source *s, build_model_event *event)
{
    uint32_t next = choose(s, ITEM_TYPES);
    for (uint32_t n = choose(s, ITEMS_MAX + 1); n > 0; n--, next++) {
        const item_row *row = &item_types[next % ITEM_TYPES];
        fill_item(s, build_model_add_item(event, "item", row->value), row);
    }
}

/* Group 0 belongs to the trace: its events describe the file. */
static void set_hook(source *s, build_model_event *event)
{
    const uint32_t group = 1 + choose(s, 0xFF), type = choose(s, 0x100);
    build_structure_set(&event->header, "HookId", group << 8 | type);
    build_structure_set(&event->header, "Version", choose(s, 0x100));
    if (event->layout != ETL_LAYOUT_PERFINFO)
        return; /* whether other types can have counters is unknown, so not tested */
    event->has_pebs = choose(s, 4) == 1;
    event->pebs = number(s);
    event->pmc_count = choose(s, 8);
    for (uint32_t i = 0; i < event->pmc_count; i++)
        event->pmc[i] = number(s);
}

static void set_event_header(source *s, build_model_event *event)
{
    static const char *const members[] = {"Id", "Version", "Channel", "Level", "Opcode", "Task", "Keyword"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        set(s, &event->header, members[i]);
    set_guid(s, &event->header, "ProviderId");
    set_guid(s, &event->header, "ActivityId");
    add_items(s, event);
}

static void set_class(source *s, build_model_event *event)
{
    static const char *const members[] = {"ClassType", "ClassLevel", "ClassVersion", "InstanceId", "ParentInstanceId"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        set(s, &event->header, members[i]);
    set_guid(s, &event->header, "Guid");
    set_guid(s, &event->header, "ParentGuid");
}

/* A message states its pointer size at most once, and its sender once. */
static void set_message(source *s, build_model_event *event)
{
    unsigned options = take(s);
    if (options & ETL_MESSAGE_OPTION_POINTER32)
        options &= ~(unsigned)ETL_MESSAGE_OPTION_POINTER64;
    if (options & ETL_MESSAGE_OPTION_COMPONENTID)
        options &= ~(unsigned)ETL_MESSAGE_OPTION_GUID;
    build_structure_set(&event->header, "OptionFlags", options & ETL_MESSAGE_OPTIONS);
    set(s, &event->header, "MessageNumber");
    event->message_fields.sequence = (uint32_t)number(s);
    event->message_fields.component_id = (uint32_t)number(s);
    event->message_fields.thread_id = (uint32_t)number(s);
    event->message_fields.process_id = (uint32_t)number(s);
    for (size_t i = 0; i < sizeof event->message_fields.guid; i++)
        event->message_fields.guid[i] = take(s);
}

static void set_header(source *s, build_model_event *event)
{
    static const char *const members[] = {"ThreadId", "ProcessId", "KernelTime", "UserTime"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        set(s, &event->header, members[i]);
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: set_hook(s, event); break;
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID: set_class(s, event); break;
    case ETL_LAYOUT_EVENT: set_event_header(s, event); break;
    case ETL_LAYOUT_MESSAGE: set_message(s, event); break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

static void add_event(source *s, build_model *model, size_t buffer, uint32_t windows)
{
    const type_row *row = &types[choose(s, sizeof types / sizeof types[0])];
    /* Types without a published layout: the builder writes them as bytes. */
    if (row->layout == ETL_LAYOUT_OPAQUE || version_of(row->since) > windows)
        return;
    build_model_event *event = build_model_add_event(model, buffer, "event", row->value);
    set_header(s, event);
    fill(s, &event->data, choose(s, choose(s, 8) == 1 ? DATA_LARGE : DATA_SMALL));
    fill(s, &event->padding, choose(s, 8));
}

/* BufferFlag bits that follow from nothing else in the file are those below PROC_INDEX. */
static uint32_t choose_flags(source *s, const build_model_buffer *buffer, uint32_t windows)
{
    return choose(s, ETL_BUFFER_FLAG_PROC_INDEX) |
           (windows >= version_of("6.2") ? ETL_BUFFER_FLAG_PROC_INDEX : 0u) |
           (buffer->compression != BUILD_MODEL_PLAIN ? ETL_BUFFER_FLAG_COMPRESSED : 0u);
}

/* The members of each shape; what later is State is Flags in 5.0 to 5.2. */
static void set_buffer_header(source *s, build_model_buffer *buffer, uint32_t windows)
{
    static const char *const members[] = {"LoggerId", "CurrentOffset", "SequenceNumber", "StartTime", "StartPerfClock",
                                          "EventsLost"};
    if (choose(s, 2) == 1)
        set(s, &buffer->header, windows >= version_of("6.1") ? "ProcessorIndex" : "ProcessorNumber");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        set(s, &buffer->header, members[i]);
    build_structure_set(&buffer->header, windows >= version_of("6.0") ? "State" : "Flags",
                        choose(s, ETL_BUFFER_STATE_COUNT));
    build_structure_set(&buffer->header, "BufferFlag", choose_flags(s, buffer, windows));
    build_structure_set(&buffer->header, "BufferType", choose(s, ETL_BUFFER_TYPE_COUNT));
}

static void add_buffer(source *s, build_model *model, uint32_t windows)
{
    const size_t b = build_model_add_buffer(model, "buffer");
    build_model_buffer *buffer = &model->buffers[b];
    if (windows >= version_of("6.2"))
        buffer->compression = (build_model_compression)choose(s, BUILD_MODEL_LAZY + 1);
    set_buffer_header(s, buffer, windows);
    for (uint32_t n = choose(s, EVENTS_MAX + 1); n > 0; n--)
        add_event(s, model, b, windows);
}

/* Ticks added from one event to the next, so that the layout's times count. */
static void stretch_times(source *s, build_model *model)
{
    uint64_t more = 0;
    for (size_t b = 1; b < model->buffer_count; b++) {
        for (size_t i = 0; i < model->buffers[b].event_count; i++) {
            build_model_event *event = &model->buffers[b].events[i];
            more += number(s) >> 24;
            build_structure_set(&event->header, "TimeStamp", build_structure_get(&event->header, "TimeStamp") + more);
            build_structure_set(&event->header, "SystemTime", build_structure_get(&event->header, "SystemTime") + more);
            event->message_fields.time += more;
        }
    }
}

build_model *target_model_from_input(etl_span choices)
{
    source s = {choices, 0};
    build_model *model = build_model_new(choose(&s, 2) ? 4 : 8);
    const uint32_t windows = version_of(versions[choose(&s, sizeof versions / sizeof versions[0])]);
    build_structure *logfile = &model->buffers[0].events[0].logfile;
    build_structure_set(logfile, "MajorVersion", windows >> 8);
    build_structure_set(logfile, "MinorVersion", windows & 0xFF);
    for (uint32_t n = choose(&s, BUFFERS_MAX + 1); n > 0; n--)
        add_buffer(&s, model, windows);
    build_model_lay_out(model);
    if (choose(&s, 2) == 1) {
        stretch_times(&s, model);
        build_model_lay_out(model);
    }
    return model;
}
