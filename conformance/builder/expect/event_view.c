/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits the built bytes of one event into its header, items, payload and lost bytes. Called by the outcome plan for each
 * event that a reader decodes, and by the records and regions made from it.
 */
#include "expect/event_view.h"

#include "model/event_layouts.h"

enum { LINKAGE = 1 };

/* Sets type and layout by marker and type byte. 0xC00F is not a message: that type is never stored. */
static void set_type_and_layout(build_event_view *view, const build_session *session, uint8_t type_byte)
{
    view->type = view->marker == ETL_MARKER_EVENT_TRACE             ? type_byte
                 : view->marker == ETL_MARKER_MESSAGE               ? ETL_HEADER_TYPE_MESSAGE
                 : view->marker == ETL_MARKER_ULONG32_TIME          ? ETL_HEADER_TYPE_TIMED
                 : view->marker & ETL_MARKER_FLAG_TRACE_HEADER_FLAG ? 0
                                                                    : ETL_HEADER_TYPE_WNODE_HEADER;
    view->layout = build_event_layout_of_type(view->type);
    if (view->layout == ETL_LAYOUT_MESSAGE && view->marker != ETL_MARKER_MESSAGE)
        view->layout = ETL_LAYOUT_OPAQUE;
    if (view->layout == ETL_LAYOUT_INSTANCE && session->instance_guid)
        view->layout = ETL_LAYOUT_INSTANCE_GUID;
}

/* The bytes of PEBS index and counters. */
static uint32_t counters_size(const build_event_view *view)
{
    const uint64_t version = build_structure_get(&view->header, "Version");
    const uint32_t lowest = ETL_VERSION_MASK_PMC_COUNT & -ETL_VERSION_MASK_PMC_COUNT;
    const uint32_t pebs = (version & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    return ((uint32_t)(version & ETL_VERSION_MASK_PMC_COUNT) / lowest + pebs) * 8;
}

/* COMPONENTID takes the place of GUID; both time stamps share one place. */
static bool has_field(unsigned options, unsigned option)
{
    const unsigned stronger = option == ETL_MESSAGE_OPTION_GUID                    ? ETL_MESSAGE_OPTION_COMPONENTID
                              : option == ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP ? ETL_MESSAGE_OPTION_TIMESTAMP
                                                                                   : 0;
    return (options & option) != 0 && (options & stronger) == 0;
}

/* The offset and size of the message field of `option`; for option 0, the offset where all fields end. */
static uint32_t message_field_offset(unsigned options, unsigned option, uint32_t *size)
{
    static const struct {
        uint16_t option, size;
    } rows[] = {
#define ETL_MESSAGE_OPTION(value, name, size, unless, meaning, source) {value, size},
#include "format/message_options.def"
    };
    uint32_t at = ETL_SIZE(MESSAGE_TRACE_HEADER);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *size = rows[i].size;
        if (rows[i].option == option)
            return at;
        at += has_field(options, rows[i].option) ? rows[i].size : 0;
    }
    return at;
}

static unsigned options_of(const build_event_view *view)
{
    return (unsigned)build_structure_get(&view->header, "OptionFlags");
}

uint8_t build_event_view_pointer_size(const build_event_view *view, const build_session *session)
{
    if (view->layout != ETL_LAYOUT_MESSAGE)
        return etl_header_type_pointer_size(view->type);
    const bool narrow = (options_of(view) & ETL_MESSAGE_OPTION_POINTER32) != 0;
    const bool wide = (options_of(view) & ETL_MESSAGE_OPTION_POINTER64) != 0;
    return narrow == wide ? session->pointer_size : narrow ? 4 : 8;
}

uint32_t build_event_view_message_field(const build_event_view *view, unsigned option)
{
    uint32_t size;
    const uint32_t at = message_field_offset(options_of(view), option, &size);
    return has_field(options_of(view), option) && at + size <= view->header_size ? at : 0;
}

build_span build_event_view_item(const build_event_view *view, const build_model_event *event, size_t n,
                                 build_structure *header)
{
    const size_t at = event->items[n].at - event->at;
    *header = build_structure_read(ETL_STRUCTURE_EXTENDED_DATA_ITEM, build_span_slice(view->bytes, at, SIZE_MAX));
    return build_span_slice(view->bytes, at, (size_t)build_structure_get(header, "TotalSize"));
}

/* Counts items up to the first item without Linkage, within `readable`. False if they do not follow one another. */
static bool count_items(build_event_view *view, const build_model_event *event, uint32_t readable)
{
    bool more = (build_structure_get(&view->header, "Flags") & ETL_EVENT_FLAG_EXTENDED_INFO) != 0;
    uint32_t at = view->header_size;
    for (; more && view->item_count < event->item_count; view->item_count++) {
        build_structure header;
        if (event->items[view->item_count].at - event->at != at)
            break;
        const build_span item = build_event_view_item(view, event, view->item_count, &header);
        if (at + item.size > readable || item.size < ETL_SIZE(EXTENDED_DATA_ITEM))
            break;
        at += (uint32_t)item.size;
        more = (build_structure_get(&header, "Linkage") & LINKAGE) != 0;
    }
    view->items_size = at - view->header_size;
    return !more;
}

/* Sets the sizes of header and items. False if parts that the header announces are missing. */
static bool divide(build_event_view *view, const build_model_event *event, uint32_t readable)
{
    uint32_t more = 0, last;
    view->header_size = etl_structure_size_of(view->header.id);
    switch (build_event_layout_get(view->layout)->decoded) {
    case BUILD_EXTRAS_COUNTERS: more = counters_size(view); break;
    case BUILD_EXTRAS_MESSAGE_FIELDS: more = message_field_offset(options_of(view), 0, &last) - view->header_size; break;
    case BUILD_EXTRAS_ITEMS: return count_items(view, event, readable);
    case BUILD_EXTRAS_NOTHING: break;
    }
    if (view->header_size + more <= readable) {
        view->header_size += more;
        return true;
    }
    if (view->layout == ETL_LAYOUT_MESSAGE)
        view->header_size = readable;
    return false;
}

bool build_event_view_read(build_event_view *view, const build_session *session, const build_model_event *event,
                           build_span bytes, bool opaque, uint32_t readable, const char **why)
{
    const build_structure first = build_structure_read(ETL_STRUCTURE_OPAQUE_HEADER, bytes);
    *view = (build_event_view){.marker = (uint8_t)build_structure_get(&first, "MarkerFlags")};
    set_type_and_layout(view, session, (uint8_t)build_structure_get(&first, "HeaderType"));
    if (opaque)
        view->layout = ETL_LAYOUT_OPAQUE;
    view->header = build_structure_read(etl_layout_structure(view->layout), bytes);
    const bool wnode = (view->marker & ETL_MARKER_FLAG_TRACE_HEADER_FLAG) == 0;
    view->size =
        (uint32_t)(wnode && bytes.size >= 4 ? build_span_number(bytes, 0, 4) : build_structure_get(&view->header, "Size"));
    view->bytes = build_span_slice(bytes, 0, view->size);
    const bool whole = readable == UINT32_MAX; /* no claim that bytes are lost, not even from the end on */
    if (readable > view->size)
        readable = view->size;
    if (view->bytes.size < view->size || etl_structure_size_of(view->header.id) > readable) {
        *why = "Size is less than the header or leads out of the buffer; expected `lost` for the event";
        return false;
    }
    if (!divide(view, event, readable) && whole) {
        *why = "the header announces more than the event holds; expected `lost EVENT from PLACE`";
        return false;
    }
    view->data_size = readable - view->header_size - view->items_size;
    view->lost_size = view->size - readable;
    return true;
}
