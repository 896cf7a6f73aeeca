/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the optional parts of a MESSAGE_TRACE_HEADER by its options. Called by header_fields.c and event_framing.c. The
 * table gives their sizes; their order and its exceptions are implemented here a second time.
 */
#include "entry_points.h"
#include "input_bytes.h"

enum part_size {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) SIZE_##name = (size),
#include "format/message_options.def"
};

typedef struct cursor {
    oracle_message_places places;
    uint32_t available;
} cursor;

/* Passes a part, and stores its offset in `place` unless that is NULL. */
static void pass(cursor *c, uint32_t size, uint32_t *place)
{
    uint32_t at = c->places.size;
    c->places.size += size;
    if (c->places.size > c->available)
        return;
    c->places.fits = c->places.size;
    if (place)
        *place = at;
}

oracle_message_places oracle_message_places_of(uint16_t options, uint32_t available)
{
    const uint32_t header = ETL_SIZE(MESSAGE_TRACE_HEADER);
    cursor c = {{.size = header, .fits = header}, available};
    if (options & ETL_MESSAGE_OPTION_SEQUENCE)
        pass(&c, SIZE_SEQUENCE, &c.places.sequence);
    if (options & ETL_MESSAGE_OPTION_COMPONENTID)
        pass(&c, SIZE_COMPONENTID, &c.places.component_id);
    else if (options & ETL_MESSAGE_OPTION_GUID)
        pass(&c, SIZE_GUID, &c.places.guid);
    if (options & ETL_MESSAGE_OPTION_TIMESTAMP)
        pass(&c, SIZE_TIMESTAMP, &c.places.time);
    else if (options & ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP)
        pass(&c, SIZE_PERFORMANCE_TIMESTAMP, NULL);
    if (options & ETL_MESSAGE_OPTION_SYSTEMINFO)
        pass(&c, SIZE_SYSTEMINFO, &c.places.system_info);
    return c.places;
}

static uint8_t pointer_size_of(uint16_t options, const etl_context *context)
{
    bool narrow = (options & ETL_MESSAGE_OPTION_POINTER32) != 0, wide = (options & ETL_MESSAGE_OPTION_POINTER64) != 0;
    if (narrow == wide)
        return context->pointer_size;
    return narrow ? 4 : 8;
}

bool oracle_message(oracle_watch *oracle, const etl_event *event)
{
    const uint8_t *b = event->bytes.at;
    const uint16_t options = oracle_raw_u16(b + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    const oracle_message_places places = oracle_message_places_of(options, event->size);
    const bool has_time = places.time != 0;
    if (event->header_size != places.fits || event->items_size != 0 || event->has_time != has_time ||
        event->time != (has_time ? oracle_raw_i64(b + places.time) : 0) ||
        event->lost_size != (places.size > event->size ? event->size - places.fits : 0) ||
        etl_event_pointer_size(event) != pointer_size_of(options, &event->context))
        return oracle_break(oracle, ORACLE_PROMISE_MESSAGE, event->offset);
    return true;
}
