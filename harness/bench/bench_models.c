/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the trace for a benchmark from a kind of events and a size. A model of the whole file would take many times its
 * size, so the file is made in slices of a few buffers. Each slice is a trace with a header buffer, of which only the first
 * is written.
 */
#include "bench_models.h"

#include "image/image.h"

enum { BUFFER_SIZE = 0x10000, SLICE_BUFFERS = 16 };
enum { EVENT_MOST = 512 };         /* the largest event made here; a buffer with less space left is full */
enum { FIRST_TIME = 2000000 };     /* ticks: after the logfile header */
enum { FRAMES_MOST = 12, WORDS_MOST = 24 };

typedef struct maker {
    bench_kind kind;
    uint32_t header_size; /* of an event: all bytes that are neither items nor payload */
    uint64_t random;
    uint64_t time;
    uint64_t buffers;     /* of the whole file */
    uint64_t made;        /* buffers so far, with that of the logfile header */
    uint64_t events;
} maker;

static const char *const words[] = {"ntoskrnl.exe", "Microsoft-Windows-Kernel", "C:\\Windows\\System32\\", "open", "close",
                                    "Status=", "handle", "0x00007ff8", "completed", "request", "queue", "\r\n"};

/* SplitMix64. */
static uint64_t next_random(maker *m)
{
    m->random += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = m->random;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t random_below(maker *m, uint32_t most)
{
    return (uint32_t)(next_random(m) >> 32) % most;
}

/* An address of one of a few modules: addresses of one trace have much in common. */
static void add_address(maker *m, build_chunk *data)
{
    const uint64_t module = UINT64_C(0xFFFFF80312000000) + random_below(m, 8) * 0x200000u;
    build_chunk_number(data, module + random_below(m, 0x1000) * 16u, 8);
}

/* Words of up to `most` bytes, each character of `width` bytes, and a NUL. */
static void add_text(maker *m, build_chunk *data, size_t width, size_t most)
{
    const size_t end = data->size + random_below(m, (uint32_t)most);
    while (data->size < end)
        for (const char *at = words[random_below(m, sizeof words / sizeof words[0])]; *at && data->size < end; at++)
            build_chunk_number(data, (uint8_t)*at, width);
    build_chunk_number(data, 0, width);
}

static void fill_perfinfo(maker *m, build_model_event *event)
{
    if (random_below(m, 4) == 0) { /* SampledProfile: the default of such an event */
        add_address(m, &event->data);
        build_chunk_number(&event->data, 4 * random_below(m, 0x800), 4);
        build_chunk_number(&event->data, 1, 4);
        return;
    }
    build_structure_set(&event->header, "HookId", ETL_HOOK_PERFINFO_LOG_TYPE_CONTEXTSWAP);
    build_chunk_number(&event->data, 4 * random_below(m, 0x800), 4);
    build_chunk_number(&event->data, 4 * random_below(m, 0x800), 4);
    build_chunk_number(&event->data, 0x00080008 + random_below(m, 8), 4);
    build_chunk_number(&event->data, random_below(m, 0x20), 4);
    build_chunk_number(&event->data, random_below(m, 0x1000), 8);
}

/* A third have a related activity, another third a stack, as in traces of providers. */
static void fill_event(maker *m, build_model_event *event)
{
    const uint32_t turn = random_below(m, 3);
    if (turn == 1) {
        build_chunk *data = &build_model_add_item(event, "", ETL_ITEM_TYPE_RELATED_ACTIVITYID)->data;
        build_chunk_number(data, next_random(m), 8);
        build_chunk_number(data, next_random(m), 8);
    } else if (turn == 2) {
        build_chunk *data = &build_model_add_item(event, "", ETL_ITEM_TYPE_STACK_TRACE64)->data;
        build_chunk_number(data, m->events, 8);
        for (uint32_t frames = 1 + random_below(m, FRAMES_MOST); frames > 0; frames--)
            add_address(m, data);
    }
    add_address(m, &event->data);
    build_chunk_number(&event->data, random_below(m, 0x10000), 4);
    add_text(m, &event->data, 2, 4 * WORDS_MOST);
}

static void fill_message(maker *m, build_model_event *event)
{
    build_structure_set(&event->header, "MessageNumber", 10 + random_below(m, 40));
    build_chunk_number(&event->data, random_below(m, 0x10000), 4);
    add_text(m, &event->data, 1, 2 * WORDS_MOST);
}

static const struct {
    const char *name;
    uint8_t type;
    void (*fill)(maker *m, build_model_event *event);
} kinds[BENCH_KINDS] = {
    [BENCH_PERFINFO] = {"perfinfo", ETL_HEADER_TYPE_PERFINFO64, fill_perfinfo},
    [BENCH_EVENT] = {"event-header", ETL_HEADER_TYPE_EVENT_HEADER64, fill_event},
    [BENCH_MESSAGE] = {"message", ETL_HEADER_TYPE_MESSAGE, fill_message},
};

const char *bench_kind_name(bench_kind kind)
{
    return kinds[kind].name;
}

static uint32_t measure_header(bench_kind kind)
{
    build_model *model = build_model_new(8);
    const build_model_event *event = build_model_add_event(model, 0, "", kinds[kind].type);
    build_model_lay_out(model);
    const uint32_t size = event->header_size;
    build_model_free(model);
    return size;
}

static size_t align8(size_t size)
{
    return (size + 7) / 8 * 8;
}

static size_t event_size(const maker *m, const build_model_event *event)
{
    size_t size = m->header_size + event->data.size;
    for (size_t i = 0; i < event->item_count; i++)
        size += align8(ETL_SIZE(EXTENDED_DATA_ITEM) + event->items[i].data.size);
    return align8(size);
}

/* Times continue from slice to slice, so they are given. Which of the three a type has depends on its layout. */
static void set_time(maker *m, build_model_event *event)
{
    m->time += 100 + random_below(m, 900);
    build_structure_set(&event->header, "SystemTime", m->time);
    build_structure_set(&event->header, "TimeStamp", m->time);
    event->message_fields.time = m->time;
}

static void add_buffer(maker *m, build_model *model)
{
    const size_t buffer = build_model_add_buffer(model, "");
    build_structure_set(&model->buffers[buffer].header, "SequenceNumber", m->made++);
    for (size_t used = ETL_SIZE(WMI_BUFFER_HEADER_61); used + EVENT_MOST <= BUFFER_SIZE; m->events++) {
        build_model_event *event = build_model_add_event(model, buffer, "", kinds[m->kind].type);
        kinds[m->kind].fill(m, event);
        set_time(m, event);
        used += event_size(m, event);
    }
}

static build_model *make_slice(maker *m)
{
    build_model *model = build_model_new(8);
    build_structure *logfile = &model->buffers[0].events[0].logfile;
    build_structure_set(logfile, "BufferSize", BUFFER_SIZE);
    build_structure_set(logfile, "BuffersWritten", m->buffers);
    for (size_t i = 0; i < SLICE_BUFFERS && m->made < m->buffers; i++)
        add_buffer(m, model);
    return model;
}

static void add_image(build_chunk *file, build_model *model)
{
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    const size_t from = file->size == 0 ? 0 : (size_t)model->buffers[1].offset;
    build_chunk_add(file, image.at + from, image.size - from);
    build_chunk_free(&image);
}

static void compress(build_model *model)
{
    for (size_t i = 1; i < model->buffer_count; i++)
        model->buffers[i].compression = BUILD_MODEL_GREEDY;
}

void bench_traces_make(bench_kind kind, uint64_t size, bench_trace *plain, bench_trace *compressed)
{
    const uint64_t buffers = size / BUFFER_SIZE < 2 ? 2 : size / BUFFER_SIZE;
    maker m = {.kind = kind, .header_size = measure_header(kind), .time = FIRST_TIME, .buffers = buffers,
               .made = 1, .events = 1};
    build_chunk files[2] = {{0}};
    while (m.made < m.buffers) {
        build_model *model = make_slice(&m);
        add_image(&files[0], model);
        compress(model);
        add_image(&files[1], model);
        build_model_free(model);
    }
    *plain = (bench_trace){files[0], m.buffers, m.events};
    *compressed = (bench_trace){files[1], m.buffers, m.events};
}
