/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames the event at an offset of a buffer: determines its size and the sizes of its parts. buffer.c calls this for one
 * event after another; fields.c reads the header of a framed event.
 */
#include "etlproof/event.h"

#include "etlproof/items.h"
#include "event_form.h"
#include "message.h"
#include "plausible.h"
#include "report.h"
#include "span.h"

/*@ predicate framed{L}(etl_event *event, etl_findings *findings) =
  @   \valid(event) && etl_readable(event->bytes) && etl_list(findings) && \separated(event, findings); */

/*@ requires \valid_read(event) && etl_list(findings) && \separated(event, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1; */
static void report_size(const etl_event *event, uint32_t size_at, uint32_t least, uint32_t most, etl_findings *findings)
{
    etl_rule rule = event->size == 0 ? ETL_RULE_SIZ_003 : event->size < least ? ETL_RULE_SIZ_001 : ETL_RULE_SIZ_002;
    etl_finding *finding = etl_report_event(findings, rule, event, size_at);
    if (rule == ETL_RULE_SIZ_002)
        etl_expect(finding, ETL_RELATION_AT_MOST, most, event->size);
    else
        etl_expect(finding, ETL_RELATION_AT_LEAST, least, event->size);
}

/*@ requires framed(event, findings);
  @ assigns event->header_size, event->lost_size, *findings;
  @ ensures etl_list(findings); */
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

/*@ requires \valid_read(event) && etl_list(findings) && \separated(event, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_options(const etl_event *event, uint16_t options, etl_findings *findings)
{
    const uint32_t options_at = ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags);
    const uint16_t both = ETL_MESSAGE_OPTION_POINTER32 | ETL_MESSAGE_OPTION_POINTER64;
    if ((options & both) == both)
        etl_expect(etl_report_event(findings, ETL_RULE_MSG_004, event, options_at), ETL_RELATION_NOT, both, options & both);
    if (options & ~(unsigned)ETL_MESSAGE_OPTIONS)
        etl_expect(etl_report_event(findings, ETL_RULE_MSG_005, event, options_at), ETL_RELATION_BITS_WITHIN,
                   ETL_MESSAGE_OPTIONS, options);
}

/*@ requires framed(event, findings);
  @ assigns event->header_size, event->lost_size, event->has_time, event->time, *findings;
  @ ensures etl_list(findings); */
static void frame_message(etl_event *event, etl_findings *findings)
{
    uint16_t options = etl_load_u16(event->bytes, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    check_options(event, options, findings);
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

/*@ requires framed(event, findings) && event->header_size <= event->size;
  @ requires \separated(findings, event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns event->items_size, event->lost_size, *findings;
  @ ensures etl_list(findings); */
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
/*@ requires \valid_read(form);
  @ assigns \nothing; */
static etl_rule opaque_rule(const etl_event_form *form, bool kept)
{
    if (form->kind == ETL_EVENT_KIND_WNODE)
        return ETL_RULE_MRK_002;
    if (!form->unpublished)
        return ETL_RULE_TYP_008;
    return kept ? ETL_RULE_TYP_001 : ETL_RULE_SIZ_007;
}

/*
 * For the Size of an opaque event, a successor is the only evidence: without one the event is not kept. event->size is that
 * of the form.
 */
/*@ requires etl_readable(data) && at <= extent <= 0xFFFFFFF0 && \valid_read(form);
  @ requires \valid(event) && etl_list(findings) && \separated(event, findings) && \separated(event, form) &&
  @          \separated(findings, form);
  @ assigns event->size, *findings;
  @ ensures etl_list(findings) && (!\result ==> findings->count >= 1);
  @ ensures \result ==> at + event->size <= extent; */
static bool frame_opaque(etl_span data, uint32_t at, uint32_t extent, const etl_event_form *form, etl_event *event,
                         etl_findings *findings)
{
    bool kept = etl_plausible_event(data, at, extent, ETL_PLAUSIBLE_KEPT, &event->size);
    etl_rule rule = opaque_rule(form, kept);
    if (rule == ETL_RULE_SIZ_007 && !etl_event_form_fits(form, at, extent)) {
        report_size(event, form->size_at, form->least, extent - at, findings);
        return false;
    }
    bool wnode = rule == ETL_RULE_MRK_002;
    etl_expect(etl_report_event(findings, rule, event, wnode ? 0 : ETL_AT(OPAQUE_HEADER, HeaderType)),
               wnode ? ETL_RELATION_AT_LEAST : ETL_RELATION_KNOWN, wnode ? UINT32_C(1) << 31 : 0,
               wnode ? etl_load_u32(data, at) : event->type);
    return kept;
}

/*@ requires framed(event, findings) && (event->layout == ETL_LAYOUT_EVENT ==> event->header_size <= event->size);
  @ requires \separated(findings, event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns event->header_size, event->items_size, event->lost_size, event->has_time, event->time, *findings;
  @ ensures etl_list(findings); */
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

/*@ requires etl_readable(data) && at <= extent <= 0xFFFFFFF0 && \valid_read(form) && form->least >= 8;
  @ requires \valid(event) && event->size == form->size && etl_list(findings);
  @ requires \separated(event, findings) && \separated(event, form) && \separated(findings, form);
  @ assigns event->size, *findings;
  @ ensures etl_list(findings) && (!\result ==> findings->count >= 1);
  @ ensures \result ==> at + event->size <= extent;
  @ ensures \result && form->layout != ETL_LAYOUT_OPAQUE ==> form->least <= event->size; */
static bool frame_size(etl_span data, uint32_t at, uint32_t extent, const etl_event_form *form, etl_event *event,
                       etl_findings *findings)
{
    if (form->kind == ETL_EVENT_KIND_UNKNOWN) {
        etl_expect(etl_report_event(findings, ETL_RULE_MRK_003, event, ETL_AT(OPAQUE_HEADER, MarkerFlags)),
                   ETL_RELATION_KNOWN, 0, event->marker);
        return false;
    }
    if (form->layout == ETL_LAYOUT_OPAQUE)
        return frame_opaque(data, at, extent, form, event, findings);
    if (etl_event_form_fits(form, at, extent))
        return true;
    report_size(event, form->size_at, form->least, extent - at, findings);
    return false;
}

/* The next event starts at a multiple of 8, unless the buffer ends before. */
/*@ requires at + size <= data_size <= 0xFFFFFFF0;
  @ assigns \nothing;
  @ ensures \result < 8 && at + size + \result <= data_size; */
static uint32_t padding_behind(uint32_t at, uint32_t size, size_t data_size)
{
    const uint32_t end = at + size, padding = etl_align8(end) - end;
    return padding <= data_size - end ? padding : (uint32_t)(data_size - end);
}

/* All behind the fixed part of the header is payload, until frame_parts finds otherwise. */
/*@ requires etl_readable(data) && at + event->size <= data.size <= 0xFFFFFFF0 && \valid_read(form) && \valid(event);
  @ requires \separated(event, form) && \separated(event, data.at + (0 .. data.size - 1));
  @ assigns event->bytes, event->header_size, event->items_size, event->lost_size, event->has_time, event->time,
  @         event->padding;
  @ ensures etl_readable(event->bytes) && etl_within(event->bytes, data) && event->header_size == form->header_size;
  @ ensures at + event->size + event->padding <= data.size; */
static void begin_parts(etl_span data, uint32_t at, const etl_event_form *form, etl_event *event)
{
    event->bytes = etl_span_part(data, at, event->size);
    event->header_size = form->header_size;
    event->items_size = 0;
    event->lost_size = 0;
    event->has_time = form->time_at != 0;
    event->time = event->has_time ? etl_load_i64(event->bytes, form->time_at) : 0;
    event->padding = padding_behind(at, event->size, data.size);
}

bool etl_event_frame(etl_span data, uint32_t at, uint32_t extent, etl_event *event, etl_findings *findings)
{
    const etl_event_form form = etl_event_form_at(data, at, &event->context);
    event->marker = form.marker;
    event->type = form.type;
    event->layout = form.layout;
    event->size = form.size;
    if (!frame_size(data, at, extent, &form, event, findings))
        return false;
    begin_parts(data, at, &form, event);
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
    /*@ loop invariant 0 <= count <= i <= ETL_EVENT_REGIONS;
      @ loop assigns i, count, offset, regions[0 .. ETL_EVENT_REGIONS - 1];
      @ loop variant ETL_EVENT_REGIONS - i; */
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
