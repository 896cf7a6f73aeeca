/* SPDX-License-Identifier: Apache-2.0 */
#include "victim_trace.h"

#include "image/image.h"

enum { EVENTS_OF_BUFFER = 40, VICTIM_BUFFER = 5, VICTIM_EVENT = 23, VICTIM_ID = 4242 };

static void add_event(build_model *model, size_t buffer, size_t n, bool broken)
{
    const bool victim = buffer == VICTIM_BUFFER && n == VICTIM_EVENT;
    build_model_event *event = build_model_add_event(model, buffer, "", ETL_HEADER_TYPE_EVENT_HEADER64);
    build_structure_set(&event->header, "Id", victim ? VICTIM_ID : n);
    if (victim && broken)
        build_structure_set(&event->header, "Size", 0);
    build_chunk_fill(&build_model_add_item(event, "", ETL_ITEM_TYPE_STACK_KEY64)->data, (uint8_t)n, 16);
    build_chunk_fill(&event->data, (uint8_t)n, 16 + n % 24);
}

build_chunk make_trace(bool broken, bool compressed)
{
    build_model *model = build_model_new(8);
    build_structure_set(&model->buffers[0].events[0].logfile, "BufferSize", MADE_BUFFER_SIZE);
    for (size_t i = 1; i < MADE_BUFFERS; i++) {
        const size_t buffer = build_model_add_buffer(model, "");
        if (compressed)
            model->buffers[buffer].compression = BUILD_MODEL_GREEDY;
        else
            build_structure_set(&model->buffers[buffer].header, "BufferSize", MADE_BUFFER_SIZE);
        for (size_t n = 0; n < EVENTS_OF_BUFFER; n++)
            add_event(model, buffer, n, broken);
    }
    build_model_lay_out(model);
    build_chunk file = build_image_make(model);
    build_model_free(model);
    return file;
}

static uint64_t count_items(const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    uint64_t count = 0;
    while (etl_items_next(&items, &item))
        count += item.type == ETL_ITEM_TYPE_STACK_KEY64;
    return count;
}

static void see(sighting *s, const etl_reader *reader, etl_outcome outcome)
{
    for (uint32_t i = 0; i < reader->findings.count; i++) {
        const etl_rule rule = reader->findings.at[i].rule;
        s->has_size_0 = s->has_size_0 || rule == ETL_RULE_SIZ_003;
        s->complaints += etl_rule_get(rule)->severity >= ETL_SEVERITY_WARNING;
    }
    s->buffers += outcome == ETL_BUFFER;
    if (outcome == ETL_BUFFER && reader->buffer.header.buffer_size != reader->trace.logfile.buffer_size)
        s->uneven = true;
    s->compressed_buffers += outcome == ETL_BUFFER && reader->buffer.compressed;
    s->events += outcome == ETL_EVENT;
    if (outcome == ETL_EVENT && reader->event.layout == ETL_LAYOUT_EVENT) {
        etl_event_fields fields;
        etl_event_read(&reader->event, &fields);
        if (fields.id == VICTIM_ID) {
            s->has_victim = true;
            s->victim_size = reader->event.size;
            s->victim_items = count_items(&reader->event);
            s->victim_compressed = reader->buffer.compressed;
        }
    }
}

sighting decode(const uint8_t *at, size_t size)
{
    static uint8_t scratch[ETL_BUFFER_SIZE_MAX]; /* no request is larger */
    etl_reader reader;
    etl_outcome outcome;
    sighting s = {0};
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    while ((outcome = etl_reader_next(&reader)) != ETL_END) {
        see(&s, &reader, outcome);
        reader.findings.count = 0;
        const size_t offset = (size_t)reader.trace.offset;
        if (outcome == ETL_MORE)
            etl_reader_feed(&reader, (etl_span){at + offset, size - offset}, true);
        else if (outcome == ETL_SCRATCH)
            etl_reader_lend(&reader, (etl_scratch){scratch, sizeof scratch});
    }
    see(&s, &reader, ETL_END);
    return s;
}

bool has_size_0(const uint8_t *at, size_t size)
{
    return decode(at, size).has_size_0;
}
