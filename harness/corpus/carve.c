/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a trace into inputs of every kind that it has. Called by carve_command.c.
 */
#include "carve.h"

#include <stdlib.h>
#include <string.h>

#include "etlproof/schemas.h"

/* Time stamps in an input of CLOCK: enough to have some of each kind, few enough to mutate. */
#define CLOCK_STAMPS 8u
#define CLOCK_SIZE (4u + 3u * 8u)

/* Schemas in an input of SCHEMAS, as targets/fuzz_metadata.c reads it. */
#define SCHEMAS 8u
#define SCHEMAS_SIZE 0x8000u /* with the payload of the event */
#define SCHEMA_HEADER 3u     /* ClassType and u16 size */

typedef struct carving {
    carve_take *take;
    void *context;
    etl_reader reader;
    uint8_t *scratch;
    uint8_t *input; /* an input with its context */
    size_t input_size;
    uint8_t clock[CLOCK_SIZE + CLOCK_STAMPS * 8u];
    size_t stamps;
    uint8_t schemas[SCHEMAS_SIZE]; /* the start of an input: ... */
    size_t schemas_size;
    size_t schema_at[SCHEMAS];     /* ... where the bytes of its schemas are */
    unsigned schema_count;
} carving;

static void put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static bool take_part(carving *c, input_kind input, etl_span bytes, size_t inflated_size)
{
    const size_t size = INPUT_CONTEXT_SIZE + bytes.size;
    if (size > c->input_size) {
        uint8_t *larger = realloc(c->input, size);
        if (larger == NULL)
            return false;
        c->input = larger;
        c->input_size = size;
    }
    const input_context context = {c->reader.trace.context, c->reader.trace.shape, (uint32_t)inflated_size};
    input_context_write(&context, c->input);
    if (bytes.size != 0)
        memcpy(c->input + INPUT_CONTEXT_SIZE, bytes.at, bytes.size);
    return c->take(c->context, input, c->input, size);
}

static bool take_buffer(carving *c, const etl_buffer *buffer)
{
    const uint32_t header = ETL_SIZE(WMI_BUFFER_HEADER_61);
    if (!take_part(c, INPUT_BUFFER, buffer->raw, 0))
        return false;
    if (!buffer->compressed)
        return true;
    const etl_span stream = {buffer->raw.at + header, buffer->inflated_from};
    return take_part(c, INPUT_STREAM, stream, buffer->data.size - header);
}

static void note_schema(carving *c, const etl_event *event)
{
    const etl_span schema = etl_event_data(event);
    uint8_t *at = c->schemas + c->schemas_size;
    if (c->schema_count == SCHEMAS || schema.size == 0 || schema.size > UINT16_MAX ||
        schema.size + SCHEMA_HEADER > SCHEMAS_SIZE - c->schemas_size)
        return;
    at[0] = event->bytes.at[ETL_AT(EVENT_TRACE_HEADER, ClassType)];
    put(at + 1, schema.size, 2);
    memcpy(at + SCHEMA_HEADER, schema.at, schema.size);
    c->schema_at[c->schema_count++] = c->schemas_size + SCHEMA_HEADER;
    c->schemas_size += SCHEMA_HEADER + schema.size;
}

/* Whether the schema is that of the event. */
static bool describes(const uint8_t *schema, const etl_event *event)
{
    return memcmp(schema, event->bytes.at + ETL_AT(EVENT_HEADER, ProviderId), 16) == 0 &&
           memcmp(schema + ETL_AT(TRACE_EVENT_INFO, Id), event->bytes.at + ETL_AT(EVENT_HEADER, Id), 3) == 0;
}

/* The schemas so far, and the payload of the event if one of them describes it. */
static bool take_described(carving *c, const etl_event *event)
{
    const etl_span payload = etl_event_data(event);
    if (event->layout != ETL_LAYOUT_EVENT || payload.size + 1 > SCHEMAS_SIZE - c->schemas_size)
        return true;
    for (unsigned i = 0; i < c->schema_count; i++) {
        if (!describes(c->schemas + c->schema_at[i], event))
            continue;
        uint8_t *at = c->schemas + c->schemas_size;
        at[0] = (uint8_t)i;
        if (payload.size > 0)
            memcpy(at + 1, payload.at, payload.size);
        return c->take(c->context, INPUT_SCHEMAS, c->schemas, c->schemas_size + 1 + payload.size);
    }
    return true;
}

static void note_time(carving *c, const etl_event *event)
{
    if (event->has_time && c->stamps < CLOCK_STAMPS)
        put(c->clock + CLOCK_SIZE + 8u * c->stamps++, (uint64_t)event->time, 8);
}

static bool take_event(carving *c, const etl_event *event)
{
    const etl_span whole = {event->bytes.at, (size_t)event->size + event->padding};
    const etl_span items = {event->bytes.at + event->header_size, event->items_size};
    note_time(c, event);
    if (etl_schemas_need(event) > 0)
        note_schema(c, event);
    return take_described(c, event) && take_part(c, INPUT_EVENT, whole, 0) &&
           (event->items_size == 0 || take_part(c, INPUT_ITEMS, items, 0)) &&
           (event->layout != ETL_LAYOUT_MESSAGE || take_part(c, INPUT_MESSAGE, whole, 0)) &&
           (!etl_logfile_here(event->bytes, 0) || take_part(c, INPUT_LOGFILE, whole, 0));
}

static bool take_clock(carving *c)
{
    const etl_clock *clock = &c->reader.trace.logfile.clock;
    if (c->stamps == 0)
        return true;
    put(c->clock, clock->type, 4);
    put(c->clock + 4, clock->frequency, 8);
    put(c->clock + 12, (uint64_t)clock->start_ticks, 8);
    put(c->clock + 20, (uint64_t)clock->start_time, 8);
    return c->take(c->context, INPUT_CLOCK, c->clock, CLOCK_SIZE + 8u * c->stamps);
}

static void feed(carving *c, etl_span file)
{
    const size_t offset = c->reader.trace.offset < file.size ? (size_t)c->reader.trace.offset : file.size;
    etl_reader_feed(&c->reader, (etl_span){file.at + offset, file.size - offset}, true);
}

static bool lend(carving *c)
{
    const size_t want = c->reader.trace.want;
    uint8_t *larger = realloc(c->scratch, want);
    if (larger == NULL)
        return false;
    c->scratch = larger;
    etl_reader_lend(&c->reader, (etl_scratch){c->scratch, want});
    return true;
}

static bool walk(carving *c, etl_span file)
{
    for (;;) {
        const etl_outcome outcome = etl_reader_next(&c->reader);
        c->reader.findings.count = 0;
        bool on = true;
        if (outcome == ETL_MORE)
            feed(c, file);
        else if (outcome == ETL_SCRATCH)
            on = lend(c);
        else if (outcome == ETL_BUFFER)
            on = take_buffer(c, &c->reader.buffer);
        else if (outcome == ETL_EVENT)
            on = take_event(c, &c->reader.event);
        else if (outcome != ETL_GAP)
            return take_clock(c);
        if (!on)
            return false;
    }
}

bool carve_file(etl_span file, carve_take *take, void *context)
{
    carving *c = calloc(1, sizeof *c);
    if (c == NULL)
        return false;
    c->take = take;
    c->context = context;
    c->schemas[0] = UINT8_MAX; /* room for the schemas */
    c->schemas_size = 1;
    etl_reader_init(&c->reader, ETL_LIMITS_DEFAULT);
    const bool done = take(context, INPUT_FILE, file.at, file.size) && walk(c, file);
    free(c->input);
    free(c->scratch);
    free(c);
    return done;
}
