/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Framing: where an event ends and how its bytes divide. fields.c reads what the header says.
 */
#include "etlproof/event.h"

#include "etlproof/items.h"
#include "message.h"
#include "report.h"
#include "span.h"

#include "frame.h"

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

/* What the first dword says an event is. */
typedef enum first_dword { TYPED, MESSAGE, TIMED, WNODE, UNKNOWN } first_dword;

typedef struct event_form {
    first_dword kind;
    uint8_t type;
    etl_layout layout;
} event_form;

/* The type byte counts only under marker 0xC0; and 0xC00F is no message, since that type is never stored. */
static event_form typed(uint8_t type, const etl_context *context)
{
    event_form form = {TYPED, type, (etl_layout)types[type].layout};
    if (form.layout == ETL_LAYOUT_INSTANCE && context->instance_guid)
        form.layout = ETL_LAYOUT_INSTANCE_GUID;
    else if (form.layout == ETL_LAYOUT_MESSAGE)
        form.layout = ETL_LAYOUT_OPAQUE;
    return form;
}

static event_form form_of(uint32_t dword, const etl_context *context)
{
    static const event_form message = {MESSAGE, ETL_HEADER_TYPE_MESSAGE, ETL_LAYOUT_MESSAGE};
    static const event_form timed = {TIMED, ETL_HEADER_TYPE_TIMED, ETL_LAYOUT_OPAQUE};
    static const event_form wnode = {WNODE, ETL_HEADER_TYPE_WNODE_HEADER, ETL_LAYOUT_OPAQUE};
    static const event_form unknown = {UNKNOWN, 0, ETL_LAYOUT_OPAQUE};
    switch (dword >> 24) {
    case ETL_MARKER_EVENT_TRACE: return typed(dword >> 16 & 0xFF, context);
    case ETL_MARKER_MESSAGE: return message;
    case ETL_MARKER_ULONG32_TIME: return timed;
    default: return dword >> 24 & ETL_MARKER_FLAG_TRACE_HEADER_FLAG ? unknown : wnode;
    }
}

static uint32_t size_of(etl_span data, uint32_t at, uint32_t dword, event_form form)
{
    return form.kind == WNODE ? dword : etl_load_u16(data, (size_t)at + layouts[form.layout].size_at);
}

/* An event of `size` bytes, of which its form takes `least`, lies within the extent. */
static bool fits(uint32_t size, uint32_t least, uint32_t at, uint32_t extent)
{
    return at <= extent && size >= least && size <= extent - at;
}

/* The shorter INSTANCE form serves for both: this is for searching, and framing checks again. */
static const etl_context any_version = {0};

bool etl_event_agrees(etl_span data, uint32_t at, uint32_t extent, uint32_t *size)
{
    uint32_t dword = etl_load_u32(data, at);
    event_form form = form_of(dword, &any_version);
    *size = size_of(data, at, dword, form);
    if (form.layout == ETL_LAYOUT_OPAQUE || !fits(*size, layouts[form.layout].size, at, extent))
        return false;
    if (form.layout != ETL_LAYOUT_MESSAGE)
        return true;
    uint16_t options = etl_load_u16(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    return etl_message_parts_of(options, *size).size <= *size;
}

/* A message with options that nobody has assigned (MSG-005). */
static bool has_spare_options(etl_span data, uint32_t at)
{
    uint16_t options = etl_load_u16(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    return etl_load_u8(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, MarkerFlags)) == ETL_MARKER_MESSAGE &&
           options & ~(unsigned)ETL_MESSAGE_OPTIONS;
}

/* TIMED, ERROR or WNODE_HEADER by type: known, but without published layout. 0xC00F is no type that is stored. */
static bool has_no_layout(event_form form)
{
    return form.kind == TIMED || (form.kind == TYPED && form.layout == ETL_LAYOUT_OPAQUE && types[form.type].known &&
                                  form.type != ETL_HEADER_TYPE_MESSAGE);
}

static uint32_t least_opaque(event_form form)
{
    return form.kind == WNODE ? ETL_SIZE(WNODE_HEADER) : ETL_SIZE(OPAQUE_HEADER);
}

/* An event without layout, of one of the sixteen types or another, whose size fits: all that can be said of one. */
static bool opaque_fits(etl_span data, uint32_t at, uint32_t extent, event_form *form, uint32_t *size)
{
    uint32_t dword = etl_load_u32(data, at);
    *form = form_of(dword, &any_version);
    *size = size_of(data, at, dword, *form);
    return form->layout == ETL_LAYOUT_OPAQUE && form->kind != UNKNOWN && fits(*size, least_opaque(*form), at, extent);
}

bool etl_event_fits(etl_span data, uint32_t at, uint32_t extent)
{
    event_form form;
    uint32_t size;
    return (etl_event_agrees(data, at, extent, &size) && !has_spare_options(data, at)) ||
           (opaque_fits(data, at, extent, &form, &size) && has_no_layout(form));
}

/* One that has a marker to be told by, which a WNODE_HEADER has not. */
static bool marked_opaque_fits(etl_span data, uint32_t at, uint32_t extent, uint32_t *size)
{
    event_form form;
    return opaque_fits(data, at, extent, &form, size) && form.kind != WNODE;
}

static bool marked_fits(etl_span data, uint32_t at, uint32_t extent)
{
    uint32_t size;
    return etl_event_agrees(data, at, extent, &size) || marked_opaque_fits(data, at, extent, &size);
}

/* Less than a header is left up to the extent, which ends the events. */
static bool at_extent(uint32_t at, uint32_t extent)
{
    return at + ETL_SIZE(OPAQUE_HEADER) > extent;
}

bool etl_event_may_precede(etl_span data, uint32_t at, uint32_t extent)
{
    return at_extent(at, extent) || etl_end_marker(data, at) || marked_fits(data, at, extent);
}

static bool wnode_fits(etl_span data, uint32_t at, uint32_t extent, uint32_t *size)
{
    event_form form;
    return opaque_fits(data, at, extent, &form, size) && form.kind == WNODE;
}

/* Any small number is the size of a WNODE_HEADER: one speaks for the one before it if it leads on itself. */
static bool wnode_may_precede(etl_span data, uint32_t at, uint32_t extent)
{
    uint32_t size;
    if (!wnode_fits(data, at, extent, &size))
        return false;
    const uint32_t next = etl_align8(at + size);
    return etl_event_may_precede(data, next, extent) || wnode_fits(data, next, extent, &size);
}

/* What stands at `next` may follow an event without layout: that types and WNODE_HEADERs come in runs counts for them. */
static bool leads_on(etl_span data, event_form form, uint32_t next, uint32_t extent)
{
    return etl_event_may_precede(data, next, extent) || (form.kind == WNODE && wnode_may_precede(data, next, extent));
}

bool etl_event_kept(etl_span data, uint32_t at, uint32_t extent, uint32_t *size)
{
    return marked_opaque_fits(data, at, extent, size) && etl_event_may_precede(data, etl_align8(at + *size), extent);
}

/*
 * User data looks like a message more often if options need not be assigned: Reserved is 0 in such a one, as in all real
 * ones, and an end marker, which data is full of, does not speak for it.
 */
static bool spare_options_plausible(etl_span data, uint32_t at, uint32_t next, uint32_t extent)
{
    return etl_load_u8(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, Reserved)) == 0 &&
           (at_extent(next, extent) || marked_fits(data, next, extent));
}

bool etl_event_plausible(etl_span data, uint32_t at, uint32_t extent)
{
    uint32_t size;
    if (!etl_event_agrees(data, at, extent, &size))
        return false;
    const uint32_t next = etl_align8(at + size);
    return has_spare_options(data, at) ? spare_options_plausible(data, at, next, extent)
                                       : etl_event_may_precede(data, next, extent);
}

static void report_size(const etl_event *event, uint32_t size_at, uint32_t least, uint32_t room, etl_findings *findings)
{
    etl_rule rule = event->size == 0 ? ETL_RULE_SIZ_003 : event->size < least ? ETL_RULE_SIZ_001 : ETL_RULE_SIZ_002;
    etl_finding *finding = etl_report_event(findings, rule, event, size_at);
    if (rule == ETL_RULE_SIZ_002)
        etl_expect(finding, ETL_RELATION_AT_MOST, room, event->size);
    else
        etl_expect(finding, ETL_RELATION_AT_LEAST, least, event->size);
}

static void frame_perfinfo(etl_event *event, etl_findings *findings)
{
    uint32_t word = etl_load_u16(event->bytes, ETL_AT(PERFINFO_TRACE_HEADER, Version));
    uint32_t extra = etl_pmc_count((uint16_t)word) * 8 + (word & ETL_VERSION_MASK_PEBS_INDEX ? 8 : 0);
    if (extra <= event->size - event->header_size) {
        event->header_size += extra;
        return;
    }
    etl_finding *finding = etl_report_event(findings, ETL_RULE_TYP_006, event, ETL_AT(PERFINFO_TRACE_HEADER, Version));
    etl_expect(finding, ETL_RELATION_AT_MOST, event->size - event->header_size, extra);
    finding->action = ETL_ACTION_SKIP_REST;
    finding->lost = event->lost_size = event->size - event->header_size;
}

static void frame_message(etl_event *event, etl_findings *findings)
{
    const uint32_t options_at = ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags);
    uint16_t options = etl_load_u16(event->bytes, options_at);
    const uint16_t both = ETL_MESSAGE_OPTION_POINTER32 | ETL_MESSAGE_OPTION_POINTER64;
    if ((options & both) == both)
        etl_expect(etl_report_event(findings, ETL_RULE_MSG_004, event, options_at), ETL_RELATION_NOT, both, options & both);
    if (options & ~(unsigned)ETL_MESSAGE_OPTIONS)
        etl_expect(etl_report_event(findings, ETL_RULE_MSG_005, event, options_at), ETL_RELATION_BITS_WITHIN,
                   ETL_MESSAGE_OPTIONS, options);
    etl_message_parts parts = etl_message_parts_of(options, event->size);
    event->has_time = parts.time != 0;
    event->time = event->has_time ? etl_load_i64(event->bytes, parts.time) : 0;
    if (parts.size <= event->size) {
        event->header_size = parts.size;
        return;
    }
    event->header_size = parts.read_size;
    event->lost_size = event->size - parts.read_size;
    etl_finding *finding = etl_report_event(findings, ETL_RULE_MSG_001, event, 0);
    etl_expect(finding, ETL_RELATION_AT_LEAST, parts.size, event->size);
    finding->action = ETL_ACTION_SKIP_REST;
    finding->lost = event->lost_size;
}

static void frame_items(etl_event *event, etl_findings *findings)
{
    if (!(etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Flags)) & ETL_EVENT_FLAG_EXTENDED_INFO))
        return;
    bool whole;
    event->items_size = etl_items_measure(event, event->header_size, &whole, findings);
    if (!whole)
        event->lost_size = event->size - event->header_size - event->items_size;
}

/* The rule that an opaque event breaks. */
static etl_rule opaque_rule(const event_form *form, bool kept)
{
    if (form->kind == WNODE)
        return ETL_RULE_MRK_002;
    if (!has_no_layout(*form))
        return ETL_RULE_TYP_008;
    return kept ? ETL_RULE_TYP_001 : ETL_RULE_SIZ_007;
}

/* An opaque event is kept if its size leads to something that may follow it; nothing else speaks for it. */
static bool frame_opaque(etl_span data, uint32_t at, uint32_t extent, const event_form *form, etl_event *event,
                         etl_findings *findings)
{
    uint32_t least = least_opaque(*form);
    bool inside = fits(event->size, least, at, extent);
    bool kept = inside && leads_on(data, *form, etl_align8(at + event->size), extent);
    etl_rule rule = opaque_rule(form, kept);
    if (rule == ETL_RULE_SIZ_007 && !inside) {
        report_size(event, ETL_AT(OPAQUE_HEADER, Size), least, extent - at, findings);
        return false;
    }
    bool wnode = rule == ETL_RULE_MRK_002;
    etl_expect(etl_report_event(findings, rule, event, wnode ? 0 : ETL_AT(OPAQUE_HEADER, HeaderType)),
               wnode ? ETL_RELATION_AT_LEAST : ETL_RELATION_KNOWN, wnode ? UINT32_C(1) << 31 : 0,
               wnode ? etl_load_u32(data, at) : event->type);
    return kept;
}

static void frame_parts(etl_event *event, etl_findings *findings)
{
    switch (event->layout) {
    case ETL_LAYOUT_PERFINFO: frame_perfinfo(event, findings); break;
    case ETL_LAYOUT_MESSAGE: frame_message(event, findings); break;
    case ETL_LAYOUT_EVENT: frame_items(event, findings); break;
    case ETL_LAYOUT_COMPACT:
        if (!event->context.compact_allowed)
            etl_report_event(findings, ETL_RULE_TYP_004, event, ETL_AT(COMPACT_TRACE_HEADER, HeaderType));
        break;
    default: break;
    }
}

bool etl_event_frame(etl_span data, uint32_t at, uint32_t extent, etl_event *event, etl_findings *findings)
{
    const uint32_t dword = etl_load_u32(data, at);
    const event_form form = form_of(dword, &event->context);
    const uint32_t least = layouts[form.layout].size;
    event->marker = (uint8_t)(dword >> 24);
    event->type = form.type;
    event->layout = form.layout;
    event->size = size_of(data, at, dword, form);
    if (form.kind == UNKNOWN) {
        etl_expect(etl_report_event(findings, ETL_RULE_MRK_003, event, ETL_AT(OPAQUE_HEADER, MarkerFlags)),
                   ETL_RELATION_KNOWN, 0, event->marker);
        return false;
    }
    if (form.layout == ETL_LAYOUT_OPAQUE) {
        if (!frame_opaque(data, at, extent, &form, event, findings))
            return false;
    } else if (!fits(event->size, least, at, extent)) {
        report_size(event, layouts[form.layout].size_at, least, extent - at, findings);
        return false;
    }
    event->bytes = etl_span_part(data, at, event->size);
    event->header_size = least;
    event->items_size = 0;
    event->lost_size = 0;
    event->has_time = layouts[form.layout].time_at != 0;
    event->time = event->has_time ? etl_load_i64(event->bytes, layouts[form.layout].time_at) : 0;
    event->padding = etl_align8(at + event->size) - (at + event->size);
    if (event->padding > data.size - at - event->size)
        event->padding = (uint32_t)(data.size - at - event->size);
    frame_parts(event, findings);
    event->data_size = event->size - event->header_size - event->items_size - event->lost_size;
    return true;
}

etl_span etl_event_data(const etl_event *event)
{
    return etl_span_part(event->bytes, (size_t)event->header_size + event->items_size, event->data_size);
}

size_t etl_event_regions(const etl_event *event, etl_region regions[ETL_EVENT_REGIONS])
{
    const struct {
        etl_region_kind kind;
        uint32_t size;
    } parts[ETL_EVENT_REGIONS] = {
        {ETL_REGION_EVENT_HEADER, event->header_size}, {ETL_REGION_ITEMS, event->items_size},
        {ETL_REGION_PAYLOAD, event->data_size},        {ETL_REGION_DAMAGED, event->lost_size},
        {ETL_REGION_PADDING, event->padding},
    };
    uint64_t offset = event->offset;
    size_t count = 0;
    for (size_t i = 0; i < ETL_EVENT_REGIONS; i++) {
        if (parts[i].size == 0)
            continue;
        regions[count].kind = parts[i].kind;
        regions[count].space = event->space;
        regions[count].offset = offset;
        regions[count].size = parts[i].size;
        offset += parts[i].size;
        count++;
    }
    return count;
}
