/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the order of outcomes in a decode: buffers, events behind a gap, damage, slack and tails.
 */
#include <string.h>

#include "hand_made_decode.h"

static void event_at(scene *s, uint32_t at)
{
    s->reader.event.offset = scene_place(s, at);
    s->reader.event.bytes.at = s->reader.buffer.data.at + at;
}

static void event_early(scene *s)
{
    event_at(s, EVENT_AT - 8);
}

static void event_late(scene *s)
{
    event_at(s, EVENT_AT + 8);
}

/* Inside its buffer, and so only one that comes again. */
static void event_at_start(scene *s)
{
    event_at(s, 0);
}

/* All of the file from an offset on is damaged, as told, and nothing else follows. */
static void damage_from(scene *s, uint64_t offset)
{
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_DAMAGED, ETL_SPACE_FILE, offset, s->size - offset};
    scene_damage(s, s->reader.gap.size);
    s->last = true;
}

static void damaged_file(scene *s)
{
    damage_from(s, 0);
}

static void header_alone(scene *s)
{
    scene_open(s, 0, s->first, EVENT_AT, 0);
    s->reader.buffer.index = 0;
    scene_step_now(s, ETL_BUFFER);
    damage_from(s, EVENT_AT);
}

/* Where there was slack is a buffer that inflates to less than a header. */
static void inflated_to_little(scene *s)
{
    scene_open(s, s->reader.gap.offset, s->data + GAP_AT, BUFFER_SIZE - GAP_AT, EVENT_AT - 1);
}

/* The event is never read: a wish comes in its place. */
static void event_left_out(scene *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 1;
}

/* A buffer that is not compressed has no such rest: the kind is that of one before it. */
static void rest_of_another(scene *s)
{
    s->reader.buffer.rest_kind = ETL_REGION_SLACK;
}

static void rest_damaged(scene *s)
{
    s->reader.buffer.inflated_from = 4;
    s->reader.buffer.rest_kind = ETL_REGION_DAMAGED;
    scene_finding(s)->lost = COMPRESSED_SIZE - EVENT_AT - 4;
}

static void damaged_by_limit(scene *s)
{
    scene_damage(s, s->reader.gap.size);
    s->reader.findings.at[0].rule = ETL_RULE_LIM_001;
}

/* The step that wants more tells of the damage that comes behind it. */
static void told_before(scene *s, etl_outcome outcome)
{
    scene_damage(s, s->reader.gap.size);
    s->reader.trace.want = 1;
    scene_step_now(s, outcome);
}

static void told_with_wish(scene *s)
{
    told_before(s, ETL_MORE);
}

static void told_with_scratch(scene *s)
{
    told_before(s, ETL_SCRATCH);
}

static void told_with_event(scene *s)
{
    scene_finding(s)->lost = BUFFER_SIZE - GAP_AT;
}

/* What is behind the last finding is none. */
static void finding_behind_last(scene *s)
{
    s->reader.findings.at[0].rule = ETL_RULE_COUNT;
}

static void told_behind_last(scene *s)
{
    s->data[GAP_AT] = 0;
    s->reader.findings.at[0] = (etl_finding){.rule = ETL_RULE_BUF_015, .offset = s->reader.gap.offset};
}

/* Then nothing is known of where events end but what is there. */
static void header_gone(scene *s)
{
    s->reader.window = (etl_span){NULL, 0};
}

static void header_gone_at_event(scene *s)
{
    header_gone(s);
    s->data[GAP_AT] = 1;
}

static void offset_past_end(scene *s)
{
    scene_extent(s, BUFFER_SIZE + 1, GAP_AT);
}

/* Damage, and slack of `size` bytes that are no end marker, in a buffer that does not say where its events end. */
static void slack_of(scene *s, uint32_t size)
{
    scene_extent(s, 0, 0);
    memset(s->data + BUFFER_SIZE - size, 1, size);
    s->reader.gap.size -= size;
    scene_damage(s, s->reader.gap.size);
    scene_step_now(s, ETL_GAP);
    s->reader.gap = (etl_region){ETL_REGION_SLACK, s->reader.gap.space, scene_place(s, BUFFER_SIZE - size), size};
    etl_finding *finding = scene_finding(s);
    finding->rule = ETL_RULE_BUF_015;
    finding->offset = s->reader.gap.offset;
}

static void slack_below_header(scene *s)
{
    slack_of(s, ETL_SIZE(OPAQUE_HEADER) - 1);
}

static void slack_of_header(scene *s)
{
    slack_of(s, ETL_SIZE(OPAQUE_HEADER));
}

/* As it would be in the inflated bytes; in the file, the next buffer is there. */
static void slack_in_file(scene *s)
{
    const uint32_t at = FIRST_COMPRESSED_SIZE;
    s->first[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = (uint8_t)at;
    memset(s->first + at, 0xFF, FIRST_SIZE - at);
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_SLACK, ETL_SPACE_FILE, at, FIRST_SIZE - at};
}

/* It would be a tail if its offset counted in the file, which is as long as this buffer is inflated. */
static void tail_of_inflated(scene *s)
{
    s->reader.gap.kind = ETL_REGION_TAIL;
    header_gone(s);
    etl_finding *finding = scene_finding(s);
    finding->rule = ETL_RULE_BUF_003;
    finding->offset = s->reader.gap.offset;
}
_Static_assert(FIRST_COMPRESSED_SIZE + COMPRESSED_SIZE == BUFFER_SIZE, "");

#define OK ORACLE_PROMISE_COUNT

static const scene_row rows[] = {
    {"an event that begins in the header", ORACLE_PROMISE_TILING, SCENE_EVENT, event_early, false},
    {"an inflated event that begins in the header", ORACLE_PROMISE_INFLATED_TILING, SCENE_EVENT, event_early, true},
    {"an event behind bytes in no region", ORACLE_PROMISE_TILING, SCENE_EVENT, event_late, false},
    {"an inflated event behind bytes in no region", ORACLE_PROMISE_INFLATED_TILING, SCENE_EVENT, event_late, true},
    {"an event at the start of its buffer", ORACLE_PROMISE_TILING, SCENE_EVENT, event_at_start, false},
    {"a file that is damaged as a whole", OK, SCENE_FIRST, damaged_file, false},
    {"a buffer of its header alone", OK, SCENE_FIRST, header_alone, false},
    {"a buffer that inflates to less than a header", ORACLE_PROMISE_BUFFER_BOUNDS, SCENE_GAP, inflated_to_little, false},
    {"a buffer behind an unread inflated one", ORACLE_PROMISE_INFLATED_TILING, SCENE_FIRST_EVENT, event_left_out, true},
    {"a buffer behind an unread one", ORACLE_PROMISE_TILING, SCENE_FIRST_EVENT, event_left_out, false},
    {"a plain buffer behind one of unused input", OK, SCENE_BUFFER, rest_of_another, false},
    {"unused input that is damaged, as told", OK, SCENE_BUFFER, rest_damaged, true},
    {"damage that comes of a limit", OK, SCENE_GAP, damaged_by_limit, false},
    {"damage told of with a wish before it", OK, SCENE_GAP, told_with_wish, false},
    {"damage told of with a wish for room before it", OK, SCENE_GAP, told_with_scratch, false},
    {"damage told of with the event before it", ORACLE_PROMISE_SILENT_LOSS, SCENE_EVENT, told_with_event, false},
    {"what is behind the last finding", OK, SCENE_GAP, finding_behind_last, false},
    {"slack told of by what is behind the last finding", ORACLE_PROMISE_SILENT_LOSS, SCENE_GAP, told_behind_last, false},
    {"slack of a buffer whose header is gone", OK, SCENE_GAP, header_gone, false},
    {"slack at no end marker, the header being gone", ORACLE_PROMISE_SILENT_LOSS, SCENE_GAP, header_gone_at_event, false},
    {"slack behind SavedOffset, and an Offset past the end", OK, SCENE_GAP, offset_past_end, false},
    {"slack shorter than an event's header", OK, SCENE_GAP, slack_below_header, false},
    {"slack as long as an event's header", ORACLE_PROMISE_SILENT_LOSS, SCENE_GAP, slack_of_header, false},
    {"slack in the file of an inflated buffer", ORACLE_PROMISE_SILENT_LOSS, SCENE_FIRST_EVENT, slack_in_file, true},
    {"a tail of an inflated buffer, told of in the file", ORACLE_PROMISE_SILENT_LOSS, SCENE_GAP, tail_of_inflated, true},
};

void test_buffers(bool fired[ORACLE_PROMISE_COUNT])
{
    scene_judge(rows, sizeof rows / sizeof rows[0], fired);
}
