/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns an opened buffer into its events and the gaps between them. open.c fills the buffer; reader.c calls this for one
 * event after another.
 */
#include "etlproof/buffer.h"

#include "event_form.h"
#include "extent.h"
#include "report.h"
#include "search.h"
#include "span.h"

size_t etl_buffer_regions(const etl_buffer *buffer, etl_region regions[ETL_BUFFER_REGIONS])
{
    const uint64_t input = buffer->raw.size - ETL_BUFFER_SIZE_MIN;
    const etl_region all[ETL_BUFFER_REGIONS] = {
        {ETL_REGION_BUFFER_HEADER, ETL_SPACE_FILE, buffer->offset, ETL_BUFFER_SIZE_MIN},
        {ETL_REGION_COMPRESSED, ETL_SPACE_FILE, buffer->offset + ETL_BUFFER_SIZE_MIN, buffer->inflated_from},
        {buffer->rest_kind, ETL_SPACE_FILE, buffer->offset + ETL_BUFFER_SIZE_MIN + buffer->inflated_from,
         input - buffer->inflated_from},
    };
    size_t count = 0;
    /*@ loop invariant 0 <= count <= i <= ETL_BUFFER_REGIONS;
      @ loop assigns i, count, regions[0 .. ETL_BUFFER_REGIONS - 1];
      @ loop variant ETL_BUFFER_REGIONS - i; */
    for (size_t i = 0; i < (buffer->compressed ? ETL_BUFFER_REGIONS : 1); i++)
        if (all[i].size != 0)
            regions[count++] = all[i];
    return count;
}

/*@ predicate walk{L}(etl_buffer *b, etl_findings *findings) =
  @   \valid(b) && etl_walked(b) && etl_list(findings) && \separated(b, findings);
  @ predicate walk_to_gap{L}(etl_buffer *b, etl_region *gap, etl_findings *findings) =
  @   walk(b, findings) && \valid(gap) && \separated(b, gap) && \separated(findings, gap); */

/* The offset, in the buffer's space, of byte `at` of its data. */
/*@ requires \valid_read(b);
  @ assigns \nothing; */
static uint64_t place(const etl_buffer *b, uint32_t at)
{
    return (b->space == ETL_SPACE_FILE ? b->offset : 0) + at;
}

/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report(const etl_buffer *b, etl_rule rule, uint32_t at, etl_findings *findings)
{
    etl_finding *finding = etl_report(findings, rule, b->space, place(b, at));
    finding->buffer = b->index;
    return finding;
}

/* Returns the bytes up to `to` as a gap; the walk continues there. */
/*@ requires \valid(b) && \valid(gap) && \separated(b, gap);
  @ assigns b->at, *gap;
  @ ensures b->at == to && \result == ETL_GAP; */
static etl_outcome skip_to(etl_buffer *b, uint32_t to, etl_region_kind kind, etl_region *gap)
{
    gap->kind = kind;
    gap->space = b->space;
    gap->offset = place(b, b->at);
    gap->size = to - b->at;
    b->at = to;
    return ETL_GAP;
}

/* Because of `finding`, skips to `to`: the next plausible event or the extent. */
/*@ requires \valid(b) && \valid(gap) && \valid(finding);
  @ requires \separated(b, gap) && \separated(b, finding) && \separated(gap, finding);
  @ assigns b->at, *gap, finding->action, finding->lost;
  @ ensures b->at == to && \result == ETL_GAP; */
static etl_outcome resync(etl_buffer *b, uint32_t to, etl_finding *finding, etl_region *gap)
{
    finding->action = to < b->extent ? ETL_ACTION_RESYNC : ETL_ACTION_SKIP_BUFFER;
    finding->lost = to - b->at;
    return skip_to(b, to, ETL_REGION_DAMAGED, gap);
}

/*@ requires walk_to_gap(b, gap, findings);
  @ assigns b->at, *gap, *findings;
  @ ensures etl_list(findings);
  @ ensures b->at <= b->data.size; */
static etl_outcome slack(etl_buffer *b, etl_region *gap, etl_findings *findings)
{
    uint32_t end = (uint32_t)b->data.size;
    uint32_t known = b->at < b->clean_from ? b->at : end;
    if (known < end) {
        uint32_t other = known + (uint32_t)etl_span_run(etl_span_from(b->data, known), UINT8_MAX);
        if (other < end)
            etl_expect(report(b, ETL_RULE_BUF_015, other, findings), ETL_RELATION_EQUAL, UINT8_MAX,
                       etl_load_u8(b->data, other));
    }
    return skip_to(b, end, ETL_REGION_SLACK, gap);
}

/*@ requires walk(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_early_end(const etl_buffer *b, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_MRK_006, b->at, findings);
    finding->event = b->next_event;
    etl_expect(finding, ETL_RELATION_EQUAL, b->extent, b->at);
    return finding;
}

/*
 * At an end marker, or less than a header before the extent. Events fill a buffer up to its stated extent, so an end marker
 * before it is a fault (MRK-006). If no extent is stated, the end marker is the end.
 */
/*@ requires walk_to_gap(b, gap, findings);
  @ assigns b->at, *gap, *findings;
  @ ensures etl_list(findings);
  @ ensures b->at <= b->data.size;
  @ ensures b->extent <= b->data.size; */
static etl_outcome end_before_extent(etl_buffer *b, etl_region *gap, etl_findings *findings)
{
    uint32_t next = etl_search_event(b->data, b->at + 1, b->extent);
    if (next == b->extent && !b->extent_stated)
        return slack(b, gap, findings);
    return resync(b, next, report_early_end(b, findings), gap);
}

/*@ requires etl_walked(b);
  @ assigns \nothing; */
static bool marker_here(const etl_buffer *b)
{
    return b->extent - b->at < ETL_SIZE(OPAQUE_HEADER) || etl_end_marker(b->data, b->at);
}

/*@ requires walk(b, findings) && \valid_read(event) && \separated(event, findings) && \separated(event, b);
  @ assigns b->has_time, b->last_time, *findings;
  @ ensures etl_list(findings); */
static void check_time(etl_buffer *b, const etl_event *event, etl_findings *findings)
{
    if (!event->has_time)
        return;
    if (b->has_time && event->time < b->last_time)
        etl_expect(etl_report_event(findings, b->steady_clock ? ETL_RULE_TIM_004 : ETL_RULE_TIM_007, event, 0),
                   ETL_RELATION_AT_LEAST, (uint64_t)b->last_time, (uint64_t)event->time);
    b->has_time = true;
    b->last_time = event->time;
}

/* True if the writer did not pad: no event starts at the next multiple of 8, but one starts right behind this event. */
/*@ requires etl_walked(b) && \valid_read(event);
  @ assigns \nothing; */
static bool next_is_packed(const etl_buffer *b, const etl_event *event)
{
    uint32_t end = b->at + event->size;
    uint32_t next = end + event->padding;
    return event->padding != 0 && next < b->extent && !etl_event_marked(b->data, next) &&
           etl_event_plausible(b->data, end, b->extent);
}

/*@ requires walk(b, findings) && \valid_read(event) && \separated(event, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_alignment(const etl_buffer *b, const etl_event *event, etl_findings *findings)
{
    if (b->at != etl_align8(b->at))
        etl_expect(etl_report_event(findings, ETL_RULE_ALN_001, event, 0), ETL_RELATION_EQUAL, place(b, etl_align8(b->at)),
                   place(b, b->at));
}

/*@ requires walk(b, findings) && \valid_read(beyond) && \separated(beyond, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_beyond(const etl_buffer *b, const etl_beyond *beyond, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_BUF_022, beyond->at, findings);
    finding->event = b->next_event;
    etl_expect(finding, ETL_RELATION_AT_MOST, b->extent, beyond->at + beyond->size);
    return finding;
}

/* Continues up to a larger extent. Beyond Offset and SavedOffset, an end marker may end the events. */
/*@ requires \valid(b);
  @ assigns b->extent, b->extent_stated;
  @ ensures b->extent == to; */
static void move_extent(etl_buffer *b, uint32_t to)
{
    b->extent = to;
    b->extent_stated = to <= b->reach;
}

/* An event here needs a larger extent: SavedOffset states it, or Offset and SavedOffset are both too small (BUF-022). */
/*@ requires walk(b, findings);
  @ assigns b->extent, b->extent_stated, *findings;
  @ ensures etl_list(findings) && b->extent <= b->data.size;
  @ ensures \result ==> b->at <= b->extent;
  @ ensures !\result ==> b->extent == \old(b->extent) && findings->count == \old(findings->count); */
static bool extend(etl_buffer *b, etl_findings *findings)
{
    const etl_beyond beyond = etl_extent_here(b);
    if (!beyond.found)
        return false;
    if (!beyond.stated)
        report_beyond(b, &beyond, findings);
    move_extent(b, beyond.extent);
    return true;
}

/* At the extent, where no event starts: the rest is slack unless an event follows further on (BUF-022). */
/*@ requires walk_to_gap(b, gap, findings);
  @ assigns b->extent, b->extent_stated, b->at, *gap, *findings;
  @ ensures etl_list(findings);
  @ ensures b->at <= b->data.size;
  @ ensures b->extent <= b->data.size; */
static etl_outcome leave_extent(etl_buffer *b, etl_region *gap, etl_findings *findings)
{
    const etl_beyond beyond = etl_extent_behind(b);
    if (!beyond.found)
        return slack(b, gap, findings);
    etl_finding *finding = report_beyond(b, &beyond, findings);
    move_extent(b, beyond.extent);
    return resync(b, beyond.at, finding, gap);
}

/*@ predicate walk_to_event{L}(etl_buffer *b, etl_event *event, etl_findings *findings) =
  @   walk(b, findings) && b->at <= b->extent && \valid(event) && \separated(b, event) && \separated(event, findings) &&
  @   \separated(event, b->data.at + (0 .. b->data.size - 1)) &&
  @   \separated(findings, b->data.at + (0 .. b->data.size - 1)); */

/*@ requires \valid_read(b) && \valid(event) && \separated(b, event);
  @ assigns *event; */
static void begin_event(const etl_buffer *b, etl_event *event)
{
    event->index = b->next_event;
    event->buffer = b->index;
    event->offset = place(b, b->at);
    event->space = b->space;
    event->context = b->context;
}

/*@ requires walk_to_event(b, event, findings);
  @ assigns *event, *findings;
  @ ensures etl_list(findings) && (!\result ==> findings->count >= 1);
  @ ensures \result ==> b->at + event->size + event->padding <= b->data.size; */
static bool frame_within(etl_buffer *b, etl_event *event, etl_findings *findings)
{
    begin_event(b, event);
    return etl_event_frame(b->data, b->at, b->extent, event, findings);
}

/* If the event fits only in a larger extent, the findings of framing it in the smaller one are withdrawn. */
/*@ requires walk_to_event(b, event, findings);
  @ assigns b->extent, b->extent_stated, *event, *findings;
  @ ensures etl_list(findings) && (!\result ==> findings->count >= 1);
  @ ensures b->extent <= b->data.size;
  @ ensures \result ==> b->at + event->size + event->padding <= b->data.size; */
static bool frame_here(etl_buffer *b, etl_event *event, etl_findings *findings)
{
    const uint32_t before = findings->count;
    if (frame_within(b, event, findings))
        return true;
    const uint32_t after = findings->count;
    findings->count = before;
    if (extend(b, findings))
        return frame_within(b, event, findings);
    findings->count = after;
    return false;
}

/* No event can be framed here; the last finding has the reason. */
/*@ requires walk_to_gap(b, gap, findings) && findings->count >= 1;
  @ assigns b->at, *gap, *findings;
  @ ensures etl_list(findings);
  @ ensures b->at <= b->data.size;
  @ ensures b->extent <= b->data.size; */
static etl_outcome skip_unframed(etl_buffer *b, etl_region *gap, etl_findings *findings)
{
    const uint32_t next = etl_search_event(b->data, b->at + 1, b->extent);
    return resync(b, next, &findings->at[findings->count - 1u], gap);
}

/* Checks the framed event; the walk continues behind it. */
/*@ requires walk(b, findings) && \valid(event) && \separated(event, findings) && \separated(event, b);
  @ requires b->at + event->size + event->padding <= b->data.size;
  @ assigns b->at, b->next_event, b->has_time, b->last_time, event->padding, *findings;
  @ ensures etl_list(findings);
  @ ensures b->at <= b->data.size;
  @ ensures b->extent <= b->data.size; */
static etl_outcome pass_event(etl_buffer *b, etl_event *event, etl_findings *findings)
{
    b->next_event++;
    check_time(b, event, findings);
    check_alignment(b, event, findings);
    if (next_is_packed(b, event))
        event->padding = 0;
    b->at += event->size + event->padding;
    return ETL_EVENT;
}

etl_outcome etl_buffer_next(etl_buffer *b, etl_event *event, etl_region *gap, etl_findings *findings)
{
    if (b->at >= b->data.size)
        return ETL_END;
    if (b->at >= b->extent && !extend(b, findings))
        return leave_extent(b, gap, findings);
    /*@ assert b->at <= b->extent <= b->data.size; */
    if (marker_here(b) && !extend(b, findings))
        return end_before_extent(b, gap, findings);
    if (!frame_here(b, event, findings))
        return skip_unframed(b, gap, findings);
    return pass_event(b, event, findings);
}
