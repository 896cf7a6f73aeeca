/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that each oracle fails when it should: a decode made by hand, which keeps every promise, gets one fault at a
 * time.
 */
#include "oracle_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step_checks.h"
#include "hand_made_decode.h"

static void internal(played_decode *s)
{
    s->outcome = ETL_INTERNAL;
}

static void unknown_outcome(played_decode *s)
{
    s->outcome = (etl_outcome)99;
}

/* Two faults in a row: the first decides. */
static void internal_first(played_decode *s)
{
    played_step_now(s, ETL_INTERNAL);
    unknown_outcome(s);
}

static void want_nothing(played_decode *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 0;
}

static void want_everything(played_decode *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = SIZE_MAX;
}

static void want_scratch_above_limit(played_decode *s)
{
    s->outcome = ETL_SCRATCH;
    s->reader.trace.want = (size_t)ETL_LIMITS_DEFAULT.inflated + ETL_BUFFER_SIZE_MIN + 1;
}

/* At the end of the file, at most 64 KiB of scratch are allowed. */
static void want_scratch_of_nothing(played_decode *s)
{
    s->outcome = ETL_SCRATCH;
    s->reader.trace.want = 0x10000 + ETL_BUFFER_SIZE_MIN + 1;
}

/* A reader keeps its scratch; requesting it again and again is a fault. */
static void want_scratch_again(played_decode *s)
{
    s->outcome = ETL_SCRATCH;
    s->reader.trace.want = 0x1000;
    for (unsigned n = 0; n < 8; n++)
        oracle_step(&s->oracle, s->outcome, &s->reader);
}

/* Less than the file may inflate to, but more than the buffer, whose BufferSize is larger than its bytes. */
static void want_scratch_of_others(played_decode *s)
{
    s->reader.buffer.header.buffer_size = ETL_BUFFER_SIZE_MAX;
    s->reader.trace.want = 0x20000;
    s->reader.trace.offset = 0;
    played_step_now(s, ETL_SCRATCH);
}

static void inflated_from_nothing(played_decode *s)
{
    s->reader.buffer.data.size = 0x10000 + ETL_BUFFER_SIZE_MIN + 1;
}

static void reader_goes_back(played_decode *s)
{
    s->reader.trace.offset--;
}

/* A reader that requests the same byte without end. */
static void hang(played_decode *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 1;
    for (unsigned n = 0; n < 100000 && oracle_step(&s->oracle, s->outcome, &s->reader); n++)
        continue;
}

static void gap_late(played_decode *s)
{
    s->reader.gap.offset++;
    s->reader.gap.size--;
}

static void gap_twice(played_decode *s)
{
    oracle_step(&s->oracle, s->outcome, &s->reader);
}

static void gap_long(played_decode *s)
{
    s->reader.gap.size++;
}

static void gap_huge(played_decode *s)
{
    s->reader.gap.size = UINT64_MAX;
}

static void gap_empty(played_decode *s)
{
    s->reader.gap.size = 0;
}

static void gap_of_no_kind(played_decode *s)
{
    s->reader.gap.kind = ETL_REGION_COUNT;
}

static void gap_of_payload(played_decode *s)
{
    s->reader.gap.kind = ETL_REGION_PAYLOAD;
}

/* `count` regions for a header of eight bytes, no items, and user data of eight bytes. */
static void take_regions(played_decode *s, etl_region_kind first, etl_region_kind second, uint64_t second_size,
                         size_t count)
{
    const uint64_t at = s->reader.gap.offset;
    const oracle_expected_region pieces[] = {{ETL_REGION_EVENT_HEADER, 8}, {ETL_REGION_ITEMS, 0}, {ETL_REGION_PAYLOAD, 8}};
    const etl_region regions[] = {{first, ETL_SPACE_FILE, at, 8},
                                  {second, ETL_SPACE_FILE, at + 8, second_size},
                                  {ETL_REGION_PADDING, ETL_SPACE_FILE, at + 8 + second_size, 8}};
    oracle_regions(&s->oracle, regions, count, pieces, sizeof pieces / sizeof pieces[0]);
    s->outcome = ETL_END;
}

static void regions_swapped(played_decode *s)
{
    take_regions(s, ETL_REGION_PAYLOAD, ETL_REGION_EVENT_HEADER, 8, 2);
}

static void region_of_other_kind(played_decode *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_ITEMS, 8, 2);
}

static void region_short(played_decode *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_PAYLOAD, 7, 2);
}

static void region_of_no_kind(played_decode *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_COUNT, 8, 2);
}

static void region_left_out(played_decode *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_COUNT, 8, 1);
}

static void region_too_many(played_decode *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_PAYLOAD, 8, 3);
}

static void rest_of_payload(played_decode *s)
{
    s->reader.buffer.inflated_from -= 4;
    s->reader.buffer.rest_kind = ETL_REGION_PAYLOAD;
}

static void gap_of_other_space(played_decode *s)
{
    s->reader.gap.space = s->reader.gap.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void gap_swallowed(played_decode *s)
{
    s->outcome = ETL_END;
}

static void miscount(played_decode *s)
{
    s->oracle.tiling.bytes[ETL_REGION_SLACK]++;
}

static void miscount_of_kinds(played_decode *s)
{
    s->oracle.tiling.bytes[ETL_REGION_PADDING] -= PADDING;
    s->oracle.tiling.bytes[ETL_REGION_TAIL] += PADDING;
}

static void tiling_broken(played_decode *s)
{
    s->oracle.tiling.broken = true;
}

static void buffer_skipped(played_decode *s)
{
    s->reader.buffer.index++;
}

static void buffer_past_end(played_decode *s)
{
    s->reader.buffer.raw.size = BUFFER_SIZE + 1;
    s->reader.buffer.data.size = BUFFER_SIZE + 1;
}

static void buffer_below_header(played_decode *s)
{
    s->reader.buffer.raw.size = EVENT_AT - 1;
}

static void buffer_of_longer_stream(played_decode *s)
{
    s->reader.buffer.inflated_from++;
}

static void buffer_extent_past_end(played_decode *s)
{
    s->reader.buffer.extent = BUFFER_SIZE + 1;
}

static void buffer_in_wrong_space(played_decode *s)
{
    s->reader.buffer.space = s->reader.buffer.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void event_skipped(played_decode *s)
{
    s->reader.event.index++;
}

static void event_repeated(played_decode *s)
{
    oracle_step(&s->oracle, s->outcome, &s->reader);
}

static void event_part_too_long(played_decode *s)
{
    s->reader.event.data_size++;
}

static void event_part_wraps(played_decode *s)
{
    s->reader.event.lost_size = UINT32_MAX - 3;
    s->reader.event.items_size = 8;
    s->reader.event.data_size = 0;
}

static void event_bytes_too_few(played_decode *s)
{
    s->reader.event.bytes.size--;
}

static void event_padding_of_eight(played_decode *s)
{
    s->reader.event.padding = 8;
}

static void event_elsewhere(played_decode *s)
{
    s->reader.event.bytes.at -= 8;
}

static void event_before_buffer(played_decode *s)
{
    s->reader.event.offset = UINT64_MAX;
}

static void event_past_end(played_decode *s)
{
    s->reader.event.offset = played_place(s, BUFFER_SIZE - 8);
    s->reader.event.bytes.at = s->data + BUFFER_SIZE - 8;
}

static void event_in_wrong_space(played_decode *s)
{
    s->reader.event.space = s->reader.event.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void event_of_no_layout(played_decode *s)
{
    s->reader.event.layout = ETL_LAYOUT_COUNT;
}

/* Items of four bytes: less than an item's header. */
static void event_items_that_are_none(played_decode *s)
{
    s->reader.event.items_size = 4;
    s->reader.event.data_size = 0;
}

static void impossible_time(played_decode *s)
{
    etl_utc utc = {.year = 2020, .month = 13, .day = 1};
    oracle_utc(&s->oracle, &utc, 0);
    s->outcome = ETL_END;
}

static void note_of_loss(played_decode *s)
{
    etl_finding *finding = played_finding(s);
    finding->rule = ETL_RULE_BUF_006;
    finding->lost = 1;
}

static void gap_short(played_decode *s)
{
    s->reader.gap.size--;
    played_damage(s, s->reader.gap.size);
}

static void findings_overflow(played_decode *s)
{
    s->reader.findings.overflow = true;
}

static void findings_too_many(played_decode *s)
{
    s->reader.findings.count = ETL_FINDINGS_MAX + 1;
}

static void finding_of_no_rule(played_decode *s)
{
    played_finding(s)->rule = ETL_RULE_COUNT;
}

static void finding_of_structure(played_decode *s)
{
    played_finding(s)->rule = ETL_RULE_BUF_007;
}

static void finding_of_no_action(played_decode *s)
{
    played_finding(s)->action = ETL_ACTION_COUNT;
}

static void finding_past_end(played_decode *s)
{
    played_finding(s)->offset = s->size + 1;
}

static void finding_loses_too_much(played_decode *s)
{
    played_finding(s)->lost = s->size + 1;
}

static void finding_of_later_event(played_decode *s)
{
    played_finding(s)->event = 3;
}

static void finding_of_later_buffer(played_decode *s)
{
    played_finding(s)->buffer = 3;
}

static const played_row rows[] = {
    {"no fault", ORACLE_PROMISE_COUNT, STEP_NEVER, NULL, false},
    {"no fault, compressed buffers", ORACLE_PROMISE_COUNT, STEP_NEVER, NULL, true},
    {"ETL_INTERNAL", ORACLE_PROMISE_INTERNAL, STEP_EVENT, internal, false},
    {"an unknown outcome", ORACLE_PROMISE_OUTCOME, STEP_EVENT, unknown_outcome, false},
    {"two broken promises", ORACLE_PROMISE_INTERNAL, STEP_EVENT, internal_first, false},
    {"a request for no bytes", ORACLE_PROMISE_WANT, STEP_EVENT, want_nothing, false},
    {"a request for SIZE_MAX bytes", ORACLE_PROMISE_WANT, STEP_EVENT, want_everything, false},
    {"a request for scratch above the limit", ORACLE_PROMISE_WANT, STEP_EVENT, want_scratch_above_limit, false},
    {"scratch that the input cannot fill", ORACLE_PROMISE_INFLATED, STEP_GAP, want_scratch_of_nothing, false},
    {"repeated requests for scratch", ORACLE_PROMISE_INFLATED, STEP_GAP, want_scratch_again, false},
    {"scratch that the buffer cannot fill", ORACLE_PROMISE_INFLATED, STEP_FIRST, want_scratch_of_others, true},
    {"a buffer that its input cannot fill", ORACLE_PROMISE_INFLATED, STEP_BUFFER, inflated_from_nothing, true},
    {"a reader that moves backwards", ORACLE_PROMISE_OFFSET, STEP_GAP, reader_goes_back, false},
    {"the same request without end", ORACLE_PROMISE_WORK, STEP_EVENT, hang, false},
    {"a byte in no region", ORACLE_PROMISE_TILING, STEP_GAP, gap_late, false},
    {"a region twice", ORACLE_PROMISE_TILING, STEP_GAP, gap_twice, false},
    {"a region past the end", ORACLE_PROMISE_TILING, STEP_GAP, gap_long, false},
    {"a region whose size overflows", ORACLE_PROMISE_TILING, STEP_GAP, gap_huge, false},
    {"a last byte in no region", ORACLE_PROMISE_TILING, STEP_GAP, gap_short, false},
    {"a missing region", ORACLE_PROMISE_TILING, STEP_GAP, gap_swallowed, false},
    {"an inflated byte in no region", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_late, true},
    {"an inflated region twice", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_twice, true},
    {"an inflated region past the end", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_long, true},
    {"a last inflated byte in no region", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_short, true},
    {"a missing inflated region", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_swallowed, true},
    {"an inflated region in a plain buffer", ORACLE_PROMISE_INFLATED_TILING, STEP_GAP, gap_of_other_space, false},
    {"a file region inside an inflated buffer", ORACLE_PROMISE_TILING, STEP_GAP, gap_of_other_space, true},
    {"an empty region", ORACLE_PROMISE_REGION, STEP_GAP, gap_empty, false},
    {"a region of unknown kind", ORACLE_PROMISE_REGION, STEP_GAP, gap_of_no_kind, false},
    {"a gap of kind payload", ORACLE_PROMISE_REGION, STEP_GAP, gap_of_payload, false},
    {"parts in another order", ORACLE_PROMISE_REGIONS, STEP_GAP, regions_swapped, false},
    {"a part of another kind", ORACLE_PROMISE_REGIONS, STEP_GAP, region_of_other_kind, false},
    {"a part too short", ORACLE_PROMISE_REGIONS, STEP_GAP, region_short, false},
    {"a part of unknown kind", ORACLE_PROMISE_REGION, STEP_GAP, region_of_no_kind, false},
    {"a part without region", ORACLE_PROMISE_REGIONS, STEP_GAP, region_left_out, false},
    {"a region without part", ORACLE_PROMISE_REGIONS, STEP_GAP, region_too_many, false},
    {"unused input of kind payload", ORACLE_PROMISE_REGIONS, STEP_BUFFER, rest_of_payload, true},
    {"a miscount of bytes", ORACLE_PROMISE_BYTES, STEP_GAP, miscount, false},
    {"bytes counted as of another kind", ORACLE_PROMISE_BYTES, STEP_GAP, miscount_of_kinds, false},
    {"a tiling reported as broken", ORACLE_PROMISE_BYTES, STEP_GAP, tiling_broken, false},
    {"a skipped buffer index", ORACLE_PROMISE_BUFFER_INDEX, STEP_BUFFER, buffer_skipped, false},
    {"a buffer past the end", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_past_end, false},
    {"a buffer shorter than its header", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_below_header, true},
    {"a stream longer than its buffer", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_of_longer_stream, true},
    {"an extent past the end", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_extent_past_end, false},
    {"an uncompressed buffer in inflated space", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_in_wrong_space, false},
    {"a compressed buffer in file space", ORACLE_PROMISE_BUFFER_BOUNDS, STEP_BUFFER, buffer_in_wrong_space, true},
    {"a skipped event index", ORACLE_PROMISE_EVENT_INDEX, STEP_EVENT, event_skipped, false},
    {"an event twice", ORACLE_PROMISE_EVENT_INDEX, STEP_EVENT, event_repeated, false},
    {"parts larger than the event", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_part_too_long, false},
    {"parts that add up only by overflow", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_part_wraps, false},
    {"fewer bytes than the event's size", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_bytes_too_few, false},
    {"padding of eight bytes", ORACLE_PROMISE_EVENT_PARTS, STEP_EVENT, event_padding_of_eight, false},
    {"bytes from another place", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_elsewhere, false},
    {"an event before its buffer", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_before_buffer, false},
    {"an event past the buffer's end", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_past_end, false},
    {"an event in the wrong space", ORACLE_PROMISE_EVENT_BOUNDS, STEP_EVENT, event_in_wrong_space, true},
    {"an unknown layout", ORACLE_PROMISE_EVENT_KIND, STEP_EVENT, event_of_no_layout, false},
    {"items that are not a chain", ORACLE_PROMISE_ITEMS, STEP_EVENT, event_items_that_are_none, false},
    {"the month 13", ORACLE_PROMISE_CLOCK, STEP_GAP, impossible_time, false},
    {"findings that overflowed", ORACLE_PROMISE_FINDING_COUNT, STEP_GAP, findings_overflow, false},
    {"more findings than fit", ORACLE_PROMISE_FINDING_COUNT, STEP_GAP, findings_too_many, false},
    {"a finding of an unknown rule", ORACLE_PROMISE_FINDING_RULE, STEP_GAP, finding_of_no_rule, false},
    {"a finding of a rule that cannot be violated", ORACLE_PROMISE_FINDING_RULE, STEP_GAP, finding_of_structure, false},
    {"a finding with an unknown action", ORACLE_PROMISE_FINDING_RULE, STEP_GAP, finding_of_no_action, false},
    {"a finding past the end", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, finding_past_end, false},
    {"a finding that reports more bytes as lost than there are", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP,
     finding_loses_too_much, false},
    {"a finding of an event not read yet", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, finding_of_later_event, false},
    {"a finding of a buffer not read yet", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, finding_of_later_buffer, false},
    {"a note that reports a loss", ORACLE_PROMISE_FINDING_PLACE, STEP_GAP, note_of_loss, false},
};

static unsigned number, failed;

void say(bool ok, const char *what)
{
    printf("%sok %u - %s\n", ok ? "" : "not ", ++number, what);
    failed += !ok;
}

void put(uint8_t *at, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Every promise has a name and a text that differ from those of ORACLE_PROMISE_COUNT. */
static void test_names(void)
{
    const char *const name = oracle_promise_name(ORACLE_PROMISE_COUNT), *const text =
                                                                            oracle_promise_text(ORACLE_PROMISE_COUNT);
    for (size_t i = 0; i < ORACLE_PROMISE_COUNT; i++)
        if (strcmp(oracle_promise_name((oracle_promise)i), name) == 0 ||
            strcmp(oracle_promise_text((oracle_promise)i), text) == 0)
            say(false, "a promise without a name or a text");
    say(strcmp(name, "none") == 0 && strcmp(text, "no promise is broken") == 0, "names and texts of promises");
}

int main(void)
{
    bool fired[ORACLE_PROMISE_COUNT] = {false};
    played_judge(rows, sizeof rows / sizeof rows[0], fired);
    test_names();
    test_buffers(fired);
    test_scratch(fired);
    test_gap(fired);
    test_hash();
    test_streaming(fired);
    test_buffer_header(fired);
    test_direct(fired);
    test_due(fired);
    test_item();
    test_item_faults();
    test_payload_faults(fired);
    test_layouts();
    test_logfile();
    test_memory(fired);
    test_records(fired);
    test_reported(fired);
    test_edge(fired);
    test_times();
    test_wanted();
    test_work();
    test_due_memory();
    test_record_members();
    test_shift();
    test_limits(fired);
    test_strict();
    for (size_t i = 0; i < ORACLE_PROMISE_COUNT; i++)
        if (!fired[i]) {
            say(false, oracle_promise_name((oracle_promise)i));
            puts("# no test broke this promise");
        }
    printf("1..%u\n", number);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
