/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an input into a draft. Called by mutator.c and minimise/. The decoder reports where things are. Bytes that it
 * leaves out become raw pieces, so that the pieces cover the input even if the decoder breaks its promises.
 */
#include "draft.h"

#include <string.h>

#include "arena.h"

/* The most that all streams of a draft may inflate to: this, and so many times the input. Further streams stay closed. */
enum { INFLATED_FREE = 256 * 1024, INFLATED_TIMES = 8 };

typedef struct reading {
    mutator_draft *draft;
    etl_span in;   /* after the context */
    size_t at;     /* bytes of it that have pieces */
    size_t budget; /* bytes that may still be inflated */
    etl_scratch scratch;
    etl_trace trace;
    etl_buffer buffer;
    etl_event event;
    etl_region gap;
    etl_findings findings;
} reading;

/* Appends a piece with the bytes of a span to `parent`. */
static mutator_piece *add(mutator_draft *draft, mutator_piece *parent, mutator_piece_kind kind, const uint8_t *at,
                          size_t size)
{
    mutator_piece *piece = mutator_arena_take(draft->arena, sizeof *piece);
    *piece = (mutator_piece){.kind = kind, .structure = ETL_STRUCTURE_COUNT, .at = at, .size = size, .parent = parent,
                         .mode = BUILD_MODEL_GREEDY, .number = draft->numbers[kind]++};
    if (parent == NULL)
        return piece;
    piece->before = parent->last;
    *(parent->last != NULL ? &parent->last->next : &parent->first) = piece;
    parent->last = piece;
    return piece;
}

static void add_region(mutator_draft *draft, mutator_piece *parent, mutator_piece_kind kind, etl_region_kind region,
                       const uint8_t *at, size_t size)
{
    if (size > 0)
        add(draft, parent, kind, at, size)->region = region;
}

/* Events. */

static void read_item(mutator_draft *draft, mutator_piece *parent, etl_span chain, const etl_item *item, size_t at)
{
    const uint32_t header = ETL_SIZE(EXTENDED_DATA_ITEM);
    mutator_piece *piece = add(draft, parent, MUTATOR_PIECE_ITEM, chain.at + at, header);
    piece->structure = ETL_STRUCTURE_EXTENDED_DATA_ITEM;
    const size_t inside = item->size - header;
    const size_t data = item->data.size < inside ? item->data.size : inside;
    add_region(draft, piece, MUTATOR_PIECE_DATA, ETL_REGION_ITEMS, chain.at + at + header, data);
    add_region(draft, piece, MUTATOR_PIECE_PADDING, ETL_REGION_ITEMS, chain.at + at + header + data, inside - data);
}

/* Returns how many bytes of items were read. */
static size_t read_items(mutator_draft *draft, mutator_piece *parent, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    size_t at = 0;
    while (etl_items_next(&items, &item)) {
        read_item(draft, parent, items.bytes, &item, at);
        at += item.size;
    }
    return at;
}

static etl_structure_id structure_of(const etl_event *event)
{
    return event->type == ETL_HEADER_TYPE_WNODE_HEADER ? ETL_STRUCTURE_WNODE_HEADER : etl_layout_structure(event->layout);
}

/* The structure at the start of the payload of some events; ETL_STRUCTURE_COUNT for all others. */
static etl_structure_id record_of(const etl_event *event)
{
    if (event->layout != ETL_LAYOUT_SYSTEM)
        return ETL_STRUCTURE_COUNT;
    etl_event_fields fields;
    etl_event_read(event, &fields);
    switch (fields.hook) {
    case ETL_HOOK_WMI_LOG_TYPE_HEADER:
        return event->type == ETL_HEADER_TYPE_SYSTEM32 ? ETL_STRUCTURE_TRACE_LOGFILE_HEADER32
                                                       : ETL_STRUCTURE_TRACE_LOGFILE_HEADER64;
    case ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION:
    case ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END: return ETL_STRUCTURE_ETW_KERNEL_HEADER_EXTENSION;
    case ETL_HOOK_Header_LastDroppedTimes: return ETL_STRUCTURE_LAST_DROPPED_TIMES;
    default: return ETL_STRUCTURE_COUNT;
    }
}

static void read_data(mutator_draft *draft, mutator_piece *parent, const etl_event *event)
{
    etl_span data = etl_event_data(event);
    const etl_structure_id record = record_of(event);
    if (record != ETL_STRUCTURE_COUNT && data.size >= etl_structure_size_of(record)) {
        const uint32_t size = etl_structure_size_of(record);
        add(draft, parent, MUTATOR_PIECE_RECORD, data.at, size)->structure = record;
        data = (etl_span){data.at + size, data.size - size};
    }
    add_region(draft, parent, MUTATOR_PIECE_DATA, ETL_REGION_PAYLOAD, data.at, data.size);
}

/* `padding` bytes are after the event's own. */
static void read_event(mutator_draft *draft, mutator_piece *parent, const etl_event *event)
{
    const uint8_t *at = event->bytes.at;
    const etl_structure_id structure = structure_of(event);
    const uint32_t whole = etl_structure_size_of(structure);
    const uint32_t fixed = whole < event->header_size ? whole : event->header_size;
    mutator_piece *piece = add(draft, parent, MUTATOR_PIECE_EVENT, at, fixed);
    piece->structure = structure;
    add_region(draft, piece, MUTATOR_PIECE_EXTRA, ETL_REGION_EVENT_HEADER, at + fixed, event->header_size - fixed);
    size_t next = event->header_size;
    next += read_items(draft, piece, event);
    const size_t items_end = (size_t)event->header_size + event->items_size;
    add_region(draft, piece, MUTATOR_PIECE_LOST, ETL_REGION_DAMAGED, at + next, items_end - next);
    read_data(draft, piece, event);
    add_region(draft, piece, MUTATOR_PIECE_LOST, ETL_REGION_DAMAGED, at + event->size - event->lost_size, event->lost_size);
    add_region(draft, piece, MUTATOR_PIECE_PADDING, ETL_REGION_PADDING, at + event->size, event->padding);
}

/* Buffers. */

/* Reads the events of the open buffer into `parent`. `from` is where its space starts to count: its offset in the file, or
   0. */
static void read_events(reading *r, mutator_piece *parent, uint64_t from)
{
    const etl_span data = r->buffer.data;
    size_t at = ETL_BUFFER_SIZE_MIN < data.size ? ETL_BUFFER_SIZE_MIN : data.size;
    for (;;) {
        r->findings.count = 0;
        const etl_outcome outcome = etl_buffer_next(&r->buffer, &r->event, &r->gap, &r->findings);
        if (outcome != ETL_EVENT && outcome != ETL_GAP)
            break;
        const uint64_t offset = (outcome == ETL_EVENT ? r->event.offset : r->gap.offset) - from;
        const uint64_t size = outcome == ETL_EVENT ? (uint64_t)r->event.size + r->event.padding : r->gap.size;
        if (offset != at || size > data.size - at)
            break;
        if (outcome == ETL_EVENT)
            read_event(r->draft, parent, &r->event);
        else
            add_region(r->draft, parent, MUTATOR_PIECE_RAW, r->gap.kind, data.at + at, (size_t)size);
        at += (size_t)size;
    }
    add_region(r->draft, parent, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, data.at + at, data.size - at);
}

static etl_structure_id structure_of_shape(etl_buffer_shape shape)
{
    switch (shape) {
    case ETL_BUFFER_SHAPE_50: return ETL_STRUCTURE_WMI_BUFFER_HEADER_50;
    case ETL_BUFFER_SHAPE_52: return ETL_STRUCTURE_WMI_BUFFER_HEADER_52;
    case ETL_BUFFER_SHAPE_60: return ETL_STRUCTURE_WMI_BUFFER_HEADER_60;
    default: return ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
    }
}

/* An unused flag word may remain after a stream (BUF-019). It belongs to the stream, as a new stream has its own. */
static void read_stream(reading *r, mutator_piece *piece)
{
    enum { FLAG_WORD = 4 };
    const etl_span raw = r->buffer.raw;
    const size_t header = ETL_BUFFER_SIZE_MIN, rest = raw.size - header - r->buffer.inflated_from;
    const size_t size = r->buffer.inflated_from + (rest <= FLAG_WORD && r->buffer.inflated_from > 0 ? rest : 0);
    mutator_piece *stream = add(r->draft, piece, MUTATOR_PIECE_STREAM, raw.at + header, size);
    read_events(r, stream, 0);
    const size_t end = header + size;
    add_region(r->draft, piece, MUTATOR_PIECE_RAW, r->buffer.rest_kind, raw.at + end, raw.size - end);
}

static void read_buffer(reading *r, mutator_piece *parent)
{
    const etl_span raw = r->buffer.raw;
    mutator_piece *piece = add(r->draft, parent, MUTATOR_PIECE_BUFFER, raw.at, ETL_BUFFER_SIZE_MIN);
    piece->structure = structure_of_shape(r->buffer.header.shape);
    piece->kept_size = (uint32_t)raw.size;
    if (r->buffer.compressed)
        read_stream(r, piece);
    else
        read_events(r, piece, r->buffer.offset);
    r->scratch = (etl_scratch){NULL, 0};
}

static void limit_inflation(reading *r)
{
    r->trace.limits.inflated = (uint32_t)(r->budget < ETL_BUFFER_SIZE_MAX ? r->budget : ETL_BUFFER_SIZE_MAX);
}

static void lend(reading *r)
{
    r->scratch = (etl_scratch){mutator_arena_take(r->draft->arena, r->trace.want), r->trace.want};
    r->budget -= r->trace.want < r->budget ? r->trace.want : r->budget;
    limit_inflation(r);
}

static void read_rest(reading *r, mutator_piece *parent)
{
    add_region(r->draft, parent, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, r->in.at + r->at, r->in.size - r->at);
    r->at = r->in.size;
}

/* True if a region is in the input, after earlier regions; bytes between them become raw. */
static bool reach(reading *r, mutator_piece *parent, uint64_t offset, uint64_t size)
{
    if (offset < r->at || offset > r->in.size || size > r->in.size - offset)
        return false;
    add_region(r->draft, parent, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, r->in.at + r->at, (size_t)offset - r->at);
    r->at = (size_t)(offset + size);
    return true;
}

/* Takes the outcome that the walk over the file has reached. False after the last. */
static bool read_step(reading *r, mutator_piece *parent, etl_outcome outcome)
{
    switch (outcome) {
    case ETL_SCRATCH: lend(r); return true;
    case ETL_BUFFER:
        if (!reach(r, parent, r->buffer.offset, r->buffer.raw.size))
            return false;
        read_buffer(r, parent);
        return true;
    case ETL_GAP:
        if (!reach(r, parent, r->gap.offset, r->gap.size))
            return false;
        add_region(r->draft, parent, MUTATOR_PIECE_RAW, r->gap.kind, r->in.at + r->gap.offset, (size_t)r->gap.size);
        return true;
    default: return false;
    }
}

static void read_buffers(reading *r, mutator_piece *parent)
{
    etl_outcome outcome;
    do {
        const size_t offset = (size_t)r->trace.offset;
        const etl_span rest = {r->in.at + offset, r->in.size - offset};
        r->findings.count = 0;
        outcome = etl_trace_next(&r->trace, rest, true, r->scratch, &r->buffer, &r->gap, &r->findings);
    } while (read_step(r, parent, outcome));
    read_rest(r, parent);
    r->draft->context = r->trace.context;
    r->draft->shape = r->trace.shape;
}

/* Parts of files. */

/*
 * A single buffer is read as a buffer of a known file that reaches to the end of the input, whatever its BufferSize:
 * otherwise a wrong BufferSize would leave nothing to edit.
 */
static void read_buffer_input(reading *r, mutator_piece *root)
{
    const uint32_t at = ETL_AT(WMI_BUFFER_HEADER_61, BufferSize);
    const etl_span in = r->in;
    if (in.size < ETL_BUFFER_SIZE_MIN) {
        read_rest(r, root);
        return;
    }
    uint8_t *copy = mutator_arena_take(r->draft->arena, in.size);
    memcpy(copy, in.at, in.size);
    for (uint32_t i = 0; i < sizeof(uint32_t); i++)
        copy[at + i] = (uint8_t)(in.size >> 8 * i);
    r->in.at = copy;
    r->trace.shape = r->draft->shape;
    r->trace.context = r->draft->context;
    r->trace.logfile = (etl_logfile){.known = true, .compression_format = ETL_COMPRESSION_FORMAT_XPRESS};
    read_buffers(r, root);
    memcpy(copy + at, in.at + at, sizeof(uint32_t));
}

static void read_events_input(reading *r, mutator_piece *root)
{
    const etl_span in = r->in;
    const uint32_t extent = (uint32_t)in.size;
    uint32_t at = 0, done = 0;
    while (extent - at >= ETL_SIZE(OPAQUE_HEADER)) {
        r->findings.count = 0;
        r->event = (etl_event){.context = r->draft->context};
        if (!etl_event_frame(in, at, extent, &r->event, &r->findings)) {
            do
                at++;
            while (extent - at >= ETL_SIZE(OPAQUE_HEADER) && !etl_event_plausible(in, at, extent));
            continue;
        }
        add_region(r->draft, root, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, in.at + done, at - done);
        read_event(r->draft, root, &r->event);
        at = done = at + r->event.size + r->event.padding;
    }
    add_region(r->draft, root, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, in.at + done, extent - done);
}

/* The chain is measured as that of an event of the same size. */
static void read_items_input(reading *r, mutator_piece *root)
{
    bool whole;
    r->findings.count = 0;
    r->event = (etl_event){.bytes = r->in, .size = (uint32_t)r->in.size, .layout = ETL_LAYOUT_EVENT};
    r->event.items_size = etl_items_measure(&r->event, 0, &whole, &r->findings);
    const size_t end = read_items(r->draft, root, &r->event);
    add_region(r->draft, root, MUTATOR_PIECE_RAW, ETL_REGION_DAMAGED, r->in.at + end, r->in.size - end);
}

/* The context states what size the stream inflates to. */
static void read_stream_input(reading *r, mutator_piece *root)
{
    size_t inflated_size = (size_t)mutator_piece_member(root->first, INPUT_INFLATED_SIZE_AT, INPUT_INFLATED_SIZE_BYTES);
    if (inflated_size > r->budget)
        inflated_size = r->budget;
    uint8_t *out = mutator_arena_take(r->draft->arena, inflated_size);
    const etl_inflated inflated = etl_inflate(r->in, (etl_scratch){out, inflated_size});
    mutator_piece *stream = add(r->draft, root, MUTATOR_PIECE_STREAM, r->in.at, inflated.consumed);
    add_region(r->draft, stream, MUTATOR_PIECE_DATA, ETL_REGION_PAYLOAD, out, inflated.produced);
    add_region(r->draft, root, MUTATOR_PIECE_RAW, ETL_REGION_SLACK, r->in.at + inflated.consumed,
               r->in.size - inflated.consumed);
}

/* The context, which comes first: see fuzz_input.h. */
static void read_context(reading *r, mutator_piece *root)
{
    const input_context said = input_context_read(r->in.at);
    mutator_piece *piece = add(r->draft, root, MUTATOR_PIECE_CONTEXT, r->in.at, INPUT_CONTEXT_SIZE);
    piece->region = ETL_REGION_BUFFER_HEADER;
    r->draft->context = said.events;
    r->draft->shape = said.shape;
    r->in = (etl_span){r->in.at + INPUT_CONTEXT_SIZE, r->in.size - INPUT_CONTEXT_SIZE};
}

static void read_by_kind(reading *r, mutator_piece *root)
{
    switch (r->draft->input) {
    case INPUT_FILE: read_buffers(r, root); return;
    case INPUT_BUFFER: read_buffer_input(r, root); return;
    case INPUT_EVENT:
    case INPUT_LOGFILE:
    case INPUT_MESSAGE: read_events_input(r, root); return;
    case INPUT_ITEMS: read_items_input(r, root); return;
    case INPUT_STREAM: read_stream_input(r, root); return;
    default: read_rest(r, root); return;
    }
}

void mutator_draft_read(mutator_draft *draft, input_kind input, const uint8_t *bytes, size_t size)
{
    reading r;
    r.draft = draft;
    r.in = (etl_span){bytes, size};
    r.at = 0;
    r.budget = INFLATED_FREE + size * INFLATED_TIMES;
    r.scratch = (etl_scratch){NULL, 0};
    r.buffer = (etl_buffer){0};
    etl_trace_init(&r.trace, ETL_LIMITS_DEFAULT);
    limit_inflation(&r);
    mutator_arena_reset(draft->arena);
    memset(draft->numbers, 0, sizeof draft->numbers);
    draft->input = input;
    draft->context = r.trace.context;
    draft->shape = r.trace.shape;
    draft->root = add(draft, NULL, MUTATOR_PIECE_INPUT, bytes, 0);
    if (!input_has_context(input) || (size >= INPUT_CONTEXT_SIZE && size <= ETL_BUFFER_SIZE_MAX)) {
        if (input_has_context(input))
            read_context(&r, draft->root);
        read_by_kind(&r, draft->root);
    } else {
        read_rest(&r, draft->root);
    }
}
