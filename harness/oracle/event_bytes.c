/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the form of an event from its first bytes. Called by event_frame.c and due_event.c.
 */
#include "event_bytes.h"

#include "input_bytes.h"

static const struct {
    uint8_t size, size_at, time_at;
} layouts[ETL_LAYOUT_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) [ETL_LAYOUT_##name] = {ETL_SIZE(structure), ETL_AT(structure, Size), time_at},
#include "format/layouts.def"
};

static const struct {
    uint8_t layout;
    bool listed;
} types[ETL_HEADER_TYPE_COUNT] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) [value] = {ETL_LAYOUT_##layout, true},
#include "format/header_types.def"
};

/* The event layout of a header type under marker 0xC0; OPAQUE for types without layout, and for MESSAGE, which is not
   stored so. */
static etl_layout layout_of_type(uint8_t type, const etl_context *context)
{
    etl_layout layout = (etl_layout)types[type].layout;
    if (layout == ETL_LAYOUT_INSTANCE && context->instance_guid)
        return ETL_LAYOUT_INSTANCE_GUID;
    return layout == ETL_LAYOUT_MESSAGE ? ETL_LAYOUT_OPAQUE : layout;
}

/* By the third and the fourth byte. */
static oracle_event_form kind_of(const uint8_t *b, const etl_context *context)
{
    switch (b[3]) {
    case ETL_MARKER_EVENT_TRACE:
        return (oracle_event_form){.layout = layout_of_type(b[2], context),
                                   .type = b[2],
                                   .stored = types[b[2]].listed && b[2] != ETL_HEADER_TYPE_MESSAGE};
    case ETL_MARKER_MESSAGE:
        return (oracle_event_form){.layout = ETL_LAYOUT_MESSAGE, .type = ETL_HEADER_TYPE_MESSAGE};
    case ETL_MARKER_ULONG32_TIME:
        return (oracle_event_form){.layout = ETL_LAYOUT_OPAQUE, .type = ETL_HEADER_TYPE_TIMED, .stored = true};
    default:
        break;
    }
    const bool wnode = !(b[3] & ETL_MARKER_FLAG_TRACE_HEADER_FLAG);
    return (oracle_event_form){.layout = wnode ? ETL_LAYOUT_OPAQUE : ETL_LAYOUT_COUNT,
                               .type = ETL_HEADER_TYPE_WNODE_HEADER,
                               .wnode = wnode};
}

oracle_event_form oracle_event_form_of(const uint8_t *b, const etl_context *context)
{
    oracle_event_form form = kind_of(b, context);
    const etl_layout layout = form.layout == ETL_LAYOUT_COUNT ? ETL_LAYOUT_OPAQUE : form.layout;
    form.size_at = layouts[layout].size_at;
    form.time_at = layouts[layout].time_at;
    form.header = layouts[layout].size;
    form.size = form.wnode ? oracle_raw_u32(b) : oracle_raw_u16(b + form.size_at);
    form.least = form.wnode ? ETL_SIZE(WNODE_HEADER) : form.header;
    return form;
}
