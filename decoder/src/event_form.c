/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first bytes of an event to its form: kind, type, layout and sizes. Framing (event.c) and plausibility (plausible.c)
 * ask for it.
 */
#include "event_form.h"

static const struct {
    uint8_t size;
    uint8_t size_at;
    uint8_t time_at;
} layouts[ETL_LAYOUT_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) \
    [ETL_LAYOUT_##name] = {ETL_SIZE(structure), ETL_AT(structure, Size), (time_at)},
#include "format/layouts.def"
};

static const struct {
    bool known;
    uint8_t layout;
} types[ETL_HEADER_TYPE_COUNT] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) [value] = {true, ETL_LAYOUT_##layout},
#include "format/header_types.def"
};

/* The type byte counts only under marker 0xC0; and 0xC00F is no message, since that type is never stored. */
static etl_event_form typed(uint8_t type, const etl_context *context)
{
    etl_event_form form = {.kind = ETL_EVENT_KIND_TYPED, .type = type, .layout = (etl_layout)types[type].layout};
    if (form.layout == ETL_LAYOUT_INSTANCE && context->instance_guid)
        form.layout = ETL_LAYOUT_INSTANCE_GUID;
    else if (form.layout == ETL_LAYOUT_MESSAGE)
        form.layout = ETL_LAYOUT_OPAQUE;
    form.unpublished = form.layout == ETL_LAYOUT_OPAQUE && types[type].known && type != ETL_HEADER_TYPE_MESSAGE;
    return form;
}

static etl_event_form form_of(uint32_t dword, const etl_context *context)
{
    static const etl_event_form message = {
        .kind = ETL_EVENT_KIND_MESSAGE, .type = ETL_HEADER_TYPE_MESSAGE, .layout = ETL_LAYOUT_MESSAGE};
    static const etl_event_form timed = {
        .kind = ETL_EVENT_KIND_TIMED, .type = ETL_HEADER_TYPE_TIMED, .layout = ETL_LAYOUT_OPAQUE, .unpublished = true};
    static const etl_event_form wnode = {
        .kind = ETL_EVENT_KIND_WNODE, .type = ETL_HEADER_TYPE_WNODE_HEADER, .layout = ETL_LAYOUT_OPAQUE};
    static const etl_event_form unknown = {.kind = ETL_EVENT_KIND_UNKNOWN, .type = 0, .layout = ETL_LAYOUT_OPAQUE};
    switch (dword >> 24) {
    case ETL_MARKER_EVENT_TRACE: return typed(dword >> 16 & 0xFF, context);
    case ETL_MARKER_MESSAGE: return message;
    case ETL_MARKER_ULONG32_TIME: return timed;
    default: return dword >> 24 & ETL_MARKER_FLAG_TRACE_HEADER_FLAG ? unknown : wnode;
    }
}

etl_event_form etl_event_form_at(etl_span data, uint32_t at, const etl_context *context)
{
    const uint32_t dword = etl_load_u32(data, at);
    etl_event_form form = form_of(dword, context);
    const bool wnode = form.kind == ETL_EVENT_KIND_WNODE;
    form.marker = (uint8_t)(dword >> 24);
    form.size_at = layouts[form.layout].size_at;
    form.time_at = layouts[form.layout].time_at;
    form.header_size = layouts[form.layout].size;
    form.size = wnode ? dword : etl_load_u16(data, (size_t)at + form.size_at);
    form.least = wnode ? ETL_SIZE(WNODE_HEADER) : form.header_size;
    return form;
}
