/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the order of outcomes in a decode: buffers, events after a gap, damage, slack and tails.
 */
#include <string.h>

#include "hand_made_decode.h"

static void event_at(played_decode *s, uint32_t at)
{
    s->reader.event.offset = played_place(s, at);
    s->reader.event.bytes.at = s->reader.buffer.data.at + at;
}

static void event_early(played_decode *s)
{
    event_at(s, EVENT_AT - 8);
}

static void event_late(played_decode *s)
{
    event_at(s, EVENT_AT + 8);
}

/* The event is inside its buffer, but overlaps what came before. */
static void event_at_start(played_decode *s)
{
    event_at(s, 0);
}

/* The file is damaged from an offset on, with a finding, and nothing follows. */
static void damage_from(played_decode *s, uint64_t offset)
{
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_DAMAGED, ETL_SPACE_FILE, offset, s->size - offset};
    played_damage(s, s->reader.gap.size);
    s->last = true;
}

static void damaged_file(played_decode *s)
{
    damage_from(s, 0);
}

static void header_alone(played_decode *s)
{
    played_open(s, 0, s->first, EVENT_AT, 0);
    s->reader.buffer.index = 0;
    played_step_now(s, ETL_BUFFER);
    damage_from(s, EVENT_AT);
}

/* In place of the slack there is a buffer that inflates to less than a header. */
static void inflated_to_little(played_decode *s)
{
    played_open(s, s->reader.gap.offset, s->data + GAP_AT, BUFFER_SIZE - GAP_AT, EVENT_AT - 1);
}

/* The event is never read: a request comes in its place. */
static void event_left_out(played_decode *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 1;
}

/* A plain buffer has no unused input: `rest_kind` is left from an earlier buffer. */
static void rest_of_another(played_decode *s)
{
    s->reader.buffer.rest_kind = ETL_REGION_SLACK;
}

static void rest_damaged(played_decode *s)
{
    s->reader.buffer.inflated_from = 4;
    s->reader.buffer.rest_kind = ETL_REGION_DAMAGED;
    played_finding(s)->lost = COMPRESSED_SIZE - EVENT_AT - 4;
}

static void damaged_by_limit(played_decode *s)
{
    played_damage(s, s->reader.gap.size);
    s->reader.findings.at[0].rule = ETL_RULE_LIM_001;
}

/* The step that requests input reports the damage after it. */
static void told_before(played_decode *s, etl_outcome outcome)
{
    played_damage(s, s->reader.gap.size);
    s->reader.trace.want = 1;
    played_step_now(s, outcome);
}

static void told_with_wish(played_decode *s)
{
    told_before(s, ETL_MORE);
}

static void told_with_scratch(played_decode *s)
{
    told_before(s, ETL_SCRATCH);
}

static void told_with_event(played_decode *s)
{
    played_finding(s)->lost = BUFFER_SIZE - GAP_AT;
}

/* The array entry after the last finding must not be read. */
static void finding_behind_last(played_decode *s)
{
    s->reader.findings.at[0].rule = ETL_RULE_COUNT;
}

/* Without the header in the window, only an end marker shows where events end. */
static void header_gone(played_decode *s)
{
    s->reader.window = (etl_span){NULL, 0};
}

static void header_gone_at_event(played_decode *s)
{
    header_gone(s);
    s->data[GAP_AT] = 1;
}

static void offset_past_end(played_decode *s)
{
    played_extent(s, BUFFER_SIZE + 1, GAP_AT);
}

/* Damage, then slack of `size` bytes without end marker, in a buffer that does not state where its events end. */
static void slack_of(played_decode *s, uint32_t size)
{
    played_extent(s, 0, 0);
    memset(s->data + BUFFER_SIZE - size, 1, size);
    s->reader.gap.size -= size;
    played_damage(s, s->reader.gap.size);
    played_step_now(s, ETL_GAP);
    s->reader.gap = (etl_region){ETL_REGION_SLACK, s->reader.gap.space, played_place(s, BUFFER_SIZE - size), size};
}

static void slack_below_header(played_decode *s)
{
    slack_of(s, ETL_SIZE(OPAQUE_HEADER) - 1);
}

static void slack_of_header(played_decode *s)
{
    slack_of(s, ETL_SIZE(OPAQUE_HEADER));
}

/* Correct in the inflated bytes; in the file, the next buffer is at this offset. */
static void slack_in_file(played_decode *s)
{
    const uint32_t at = FIRST_COMPRESSED_SIZE;
    s->first[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = (uint8_t)at;
    memset(s->first + at, 0xFF, FIRST_SIZE - at);
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_SLACK, ETL_SPACE_FILE, at, FIRST_SIZE - at};
}

/* Would be a tail if its offset counted in the file, which is as long as the inflated buffer. */
static void tail_of_inflated(played_decode *s)
{
    s->reader.gap.kind = ETL_REGION_TAIL;
    header_gone(s);
}
_Static_assert(FIRST_COMPRESSED_SIZE + COMPRESSED_SIZE == BUFFER_SIZE, "");

#define OK ORACLE_PROMISE_COUNT

static const played_row rows[] = {
    {"an event that begins in the header", ORACLE_PROMISE_TILING, STEP_EVENT, event_early, false},
    {"an inflated event that begins in the header", ORACLE_PROMISE_INFLATED_TILING, STEP_EVENT, event_early, true},
    {"an event after bytes in no region", ORACLE_PROMISE_TILING, STEP_EVENT, event_late, false},
    {"an inflated event after bytes in no region", ORACLE_PROMISE_INFLATED_TILING, STEP_EVENT, event_late, true},
    {"an event at the start of its buffer", ORACLE_PROMISE_TILING, STEP_EVENT, event_at_start, false},
    {"a file that is damaged completely", OK, STEP_FIRST, damaged_file, false},
    {"a buffer with only a header", OK, STEP_FIRST, header_alone, false},
    {"a buffer that inflates to less than a header", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_GAP, inflated_to_little, false},
    {"a buffer after an inflated buffer with an unread event", ORACLE_PROMISE_INFLATED_TILING, STEP_FIRST_EVENT,
     event_left_out, true},
    {"a buffer after a buffer with an unread event", ORACLE_PROMISE_TILING, STEP_FIRST_EVENT, event_left_out, false},
    {"a plain buffer after one with unused input", OK, STEP_BUFFER, rest_of_another, false},
    {"unused input that is damaged, with a finding", OK, STEP_BUFFER, rest_damaged, true},
    {"damage because of a limit", OK, STEP_GAP, damaged_by_limit, false},
    {"damage reported with a request before it", OK, STEP_GAP, told_with_wish, false},
    {"damage reported with a request for scratch before it", OK, STEP_GAP, told_with_scratch, false},
    {"damage reported with the event before it", ORACLE_PROMISE_SILENT_LOSS, STEP_EVENT, told_with_event, false},
    {"an array entry after the last finding", OK, STEP_GAP, finding_behind_last, false},
    {"slack of a buffer whose header left the window", OK, STEP_GAP, header_gone, false},
    {"slack without end marker, header not in the window", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, header_gone_at_event,
     false},
    {"slack after SavedOffset, with an Offset past the end", OK, STEP_GAP, offset_past_end, false},
    {"slack shorter than an event's header", OK, STEP_GAP, slack_below_header, false},
    {"slack as long as an event's header", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_of_header, false},
    {"slack of an inflated buffer, reported in the file", ORACLE_PROMISE_SILENT_LOSS, STEP_FIRST_EVENT, slack_in_file,
     true},
    {"a tail of an inflated buffer, reported in the file", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_of_inflated, true},
};

void test_buffers(bool fired[ORACLE_PROMISE_COUNT])
{
    played_judge(rows, sizeof rows / sizeof rows[0], fired);
}
