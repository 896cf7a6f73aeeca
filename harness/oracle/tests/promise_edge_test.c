/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the decode made by hand at the limits of each promise: one step beyond the limit breaks it, the limit does not.
 */
#include <string.h>

#include "step_checks.h"
#include "hand_made_decode.h"

static void event_past_end(played_decode *s)
{
    s->reader.event.padding++;
}

static void event_behind_end(played_decode *s)
{
    s->reader.event.offset = played_place(s, BUFFER_SIZE + 1);
    s->reader.event.bytes.at = s->data + BUFFER_SIZE + 1;
}

static void event_of_nothing(played_decode *s)
{
    const etl_event *was = &s->reader.event;
    s->reader.event = (etl_event){
        .index = was->index, .offset = was->offset, .space = was->space, .bytes = {was->bytes.at, 0}};
}

/* The gap does not follow the event. */
static void event_of_one_byte(played_decode *s)
{
    etl_event *event = &s->reader.event;
    event->layout = ETL_LAYOUT_OPAQUE;
    event->size = event->header_size = 1;
    event->bytes.size = 1;
    event->data_size = 0;
    event->padding = 7;
}

/* Size and padding are 4 GiB: a sum of 32 bits would be 0. */
static void event_of_4_gib(played_decode *s)
{
    etl_event *event = &s->reader.event;
    event->size = UINT32_MAX - PADDING + 1;
    event->bytes.size = event->size;
    event->data_size = event->size - event->header_size;
}

/* All other members agree. */
static void event_of_fewer_parts(played_decode *s)
{
    s->reader.event.data_size--;
}

static void event_of_more_bytes(played_decode *s)
{
    s->reader.event.bytes.size++;
}

static void time_of_no_year(played_decode *s)
{
    s->reader.event.time = INT64_MAX;
}

static void time_of_no_clock(played_decode *s)
{
    s->reader.trace.logfile.clock.type = ETL_CLOCK_TYPE_COUNT;
}

static void buffer_index_again(played_decode *s)
{
    s->reader.buffer.index--;
}

static void extent_at_end(played_decode *s)
{
    s->reader.buffer.extent = BUFFER_SIZE;
}

static void data_elsewhere(played_decode *s)
{
    s->reader.buffer.data.at++;
}

static void data_shorter(played_decode *s)
{
    s->reader.buffer.data.size--;
}

static void buffer_behind_end(played_decode *s)
{
    s->reader.buffer.offset = s->size + 1;
}

static void window_short(played_decode *s)
{
    s->reader.window.size = EVENT_AT - 1;
}

static void header_spoiled(played_decode *s)
{
    s->reader.buffer.header.logger_id++;
}

static void finding_at_end(played_decode *s)
{
    played_finding(s)->offset = s->size;
}

static void finding_of_next_event(played_decode *s)
{
    played_finding(s)->event = 2;
}

static void finding_of_next_buffer(played_decode *s)
{
    played_finding(s)->buffer = 2;
}

static void finding_of_event_behind(played_decode *s)
{
    played_finding(s)->event = 3;
}

static void finding_inflated_at_end(played_decode *s)
{
    played_finding(s)->offset = BUFFER_SIZE;
    s->reader.findings.at[0].space = ETL_SPACE_INFLATED;
}

static void finding_inflated_behind_end(played_decode *s)
{
    played_finding(s)->offset = FIRST_SIZE + 1;
    s->reader.findings.at[0].space = ETL_SPACE_INFLATED;
}

static void finding_in_file_behind_end(played_decode *s)
{
    played_finding(s)->offset = s->size + 1;
}

static void findings_full(played_decode *s)
{
    while (s->reader.findings.count < ETL_FINDINGS_MAX)
        (void)played_finding(s);
}

static void loss_of_all(played_decode *s)
{
    played_damage(s, s->reader.gap.size);
    s->reader.findings.at[0].offset = s->reader.gap.offset;
}

/* The largest possible requests: the decode continues normally. */
static void want(played_decode *s, etl_outcome outcome, size_t size, unsigned times)
{
    const size_t was = s->reader.trace.want;
    s->reader.trace.want = size;
    for (unsigned n = 0; n < times; n++) {
        s->oracle.requests = 0;
        oracle_step(&s->oracle, outcome, &s->reader);
    }
    s->reader.trace.want = was;
}

static void want_most(played_decode *s)
{
    want(s, ETL_MORE, 2 * (size_t)ETL_BUFFER_SIZE_MAX, 1);
}

static void want_above_most(played_decode *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 2 * (size_t)ETL_BUFFER_SIZE_MAX + 1;
}

static void want_scratch_thrice(played_decode *s)
{
    want(s, ETL_SCRATCH, 0x10000 + ETL_BUFFER_SIZE_MIN, 3);
}

static void want_scratch_four_times(played_decode *s)
{
    want(s, ETL_SCRATCH, 0x1000, 3);
    s->outcome = ETL_SCRATCH;
    s->reader.trace.want = 0x1000;
}

/* 64, and four for each byte, without the six other steps: four before the gap, the gap, the end. */
#define STEPS_MOST (64 + 4 * (FIRST_SIZE + BUFFER_SIZE) - 6)

static void steps_most(played_decode *s)
{
    want(s, ETL_MORE, 1, STEPS_MOST);
}

static void steps_above_most(played_decode *s)
{
    want(s, ETL_MORE, 1, STEPS_MOST + 1);
}

/* A reader's offset past the end counts as the end. */
static void steps_of_reader_past_end(played_decode *s)
{
    s->reader.trace.offset = UINT32_MAX;
    steps_above_most(s);
}

static void offset_at_gap(played_decode *s, uint32_t offset, uint32_t saved)
{
    played_extent(s, (uint8_t)offset, (uint8_t)saved);
}

/* An Offset past the buffer is out of range; one equal to the header's size is in range. */
static void offset_past_end(played_decode *s)
{
    offset_at_gap(s, BUFFER_SIZE + 1, BUFFER_SIZE);
}

static void offset_at_end(played_decode *s)
{
    offset_at_gap(s, BUFFER_SIZE, GAP_AT);
}

static void offset_of_header(played_decode *s)
{
    offset_at_gap(s, EVENT_AT, BUFFER_SIZE);
}

static void saved_of_header(played_decode *s)
{
    offset_at_gap(s, 0, EVENT_AT);
    s->data[GAP_AT] = 0;
}

static void saved_below_header(played_decode *s)
{
    saved_of_header(s);
    offset_at_gap(s, 0, EVENT_AT - 1);
}

static void marker_of_zeros(played_decode *s)
{
    saved_below_header(s);
    memset(s->data + GAP_AT, 0, 4);
}

static void slack_elsewhere(played_decode *s)
{
    s->reader.gap.space = ETL_SPACE_INFLATED;
}

/* A tail as long as a buffer header, which must be zeros. */
static void tail_of_header(played_decode *s)
{
    s->reader.gap.kind = ETL_REGION_TAIL;
    s->reader.gap.size = EVENT_AT;
    s->oracle.end = s->reader.gap.offset + EVENT_AT;
}

#define OK ORACLE_PROMISE_COUNT

static const played_row rows[] = {
    {"padding that ends after the buffer", ORACLE_PROMISE_EVENT_BOUNDS, STEP_FIRST_EVENT, event_past_end, false},
    {"an event after the end of its buffer", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_behind_end, false},
    {"an event without bytes", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_of_nothing, false},
    {"an event of one byte", ORACLE_PROMISE_TILING, STEP_EVENT, event_of_one_byte, false},
    {"an event of 4 GiB with its padding", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_of_4_gib, false},
    {"parts smaller than the event", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_of_fewer_parts, false},
    {"more bytes than the event's size", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_of_more_bytes, false},
    {"a time after the year 9999", OK, STEP_EVENT, time_of_no_year, false},
    {"a time of an unknown clock", OK, STEP_EVENT, time_of_no_clock, false},
    {"a buffer index twice", ORACLE_PROMISE_BUFFER_INDEX, STEP_BUFFER, buffer_index_again, false},
    {"an extent at the end of the buffer", OK, STEP_BUFFER, extent_at_end, false},
    {"data at another address", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, data_elsewhere, false},
    {"data shorter than the buffer", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, data_shorter, false},
    {"a buffer after the end", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_behind_end, false},
    {"a window shorter than the buffer's header", ORACLE_PROMISE_BUFFER_HEADER, STEP_BUFFER, window_short, false},
    {"a buffer header with another member", ORACLE_PROMISE_BUFFER_HEADER, STEP_BUFFER, header_spoiled, false},
    {"a finding at the end of the file", OK, STEP_GAP, finding_at_end, false},
    {"a finding of the next event", OK, STEP_GAP, finding_of_next_event, false},
    {"a finding of the next buffer", OK, STEP_GAP, finding_of_next_buffer, false},
    {"a finding of the event after the next", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, finding_of_event_behind, false},
    {"a finding at the end of inflated bytes", OK, STEP_GAP, finding_inflated_at_end, true},
    {"a finding after the end of inflated bytes", ORACLE_PROMISE_FINDING_PLACE, STEP_FIRST_EVENT,
     finding_inflated_behind_end, true},
    {"a finding after the end of the file", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, finding_in_file_behind_end, true},
    {"as many findings as fit", OK, STEP_GAP, findings_full, false},
    {"a loss of the whole gap", OK, STEP_GAP, loss_of_all, false},
    {"the largest request", OK, STEP_EVENT, want_most, false},
    {"a larger request", ORACLE_PROMISE_WANT, STEP_EVENT, want_above_most, false},
    {"scratch three times", OK, STEP_GAP, want_scratch_thrice, false},
    {"scratch four times", ORACLE_PROMISE_INFLATED, STEP_GAP, want_scratch_four_times, false},
    {"the largest allowed number of steps", OK, STEP_GAP, steps_most, false},
    {"one step more", ORACLE_PROMISE_PROGRESS, STEP_GAP, steps_above_most, false},
    {"one step more of a reader past the end", ORACLE_PROMISE_PROGRESS, STEP_GAP, steps_of_reader_past_end, false},
    {"an Offset past the buffer", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, offset_past_end, false},
    {"slack before an Offset at the end", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, offset_at_end, false},
    {"slack after an Offset without events", OK, STEP_GAP, offset_of_header, false},
    {"slack after a SavedOffset without events", OK, STEP_GAP, saved_of_header, false},
    {"slack after a SavedOffset inside the header", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, saved_below_header, false},
    {"slack at an end marker of zeros", OK, STEP_GAP, marker_of_zeros, false},
    {"slack in inflated space of a plain buffer", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, slack_elsewhere, false},
    {"a tail as long as a header that is not zeros", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_of_header, false},
};

/* At the end, the regions of each kind have as many bytes as the decoder counted. */
static void test_bytes_of_each_kind(void)
{
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++) {
        oracle_watch oracle;
        oracle_init(&oracle, 0, ETL_LIMITS_DEFAULT, true);
        say(oracle_end(&oracle), "an end without bytes");
        oracle.bytes[kind]++;
        say(!oracle_end(&oracle) && oracle.broken == ORACLE_PROMISE_BYTES, etl_region_text((etl_region_kind)kind));
    }
}

/* A promise that is broken without a condition has no text of an earlier one. */
static void test_failed_condition(void)
{
    oracle_watch first = {.broken = ORACLE_PROMISE_COUNT}, second = first;
    if (!ORACLE_HOLDS(first.size > 0))
        oracle_break(&first, ORACLE_PROMISE_TILING, 0);
    oracle_break(&second, ORACLE_PROMISE_TILING, 0);
    say(first.failed_condition[0] != '\0' && second.failed_condition[0] == '\0', "a condition is reported once");
}

static void lose(played_decode *s) { played_damage(s, 0); }

static void test_watch_of_decode(void)
{
    static played_decode s;
    say(played_play(&s, STEP_GAP, lose, false) == ORACLE_PROMISE_SILENT_LOSS &&
            s.oracle.broken_at == FIRST_SIZE + GAP_AT,
        "a loss without a finding is reported at its offset");
    say(played_play(&s, STEP_NEVER, NULL, true) == ORACLE_PROMISE_COUNT && s.oracle.inflated == FIRST_SIZE + BUFFER_SIZE,
        "the bytes of all inflated buffers are counted");
}

void test_edge(bool fired[ORACLE_PROMISE_COUNT])
{
    test_bytes_of_each_kind();
    test_failed_condition();
    test_watch_of_decode();
    played_judge(rows, sizeof rows / sizeof rows[0], fired);
}
