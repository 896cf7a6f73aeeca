/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each oracle is shown to fire: a decode made up by hand, in which every promise holds, is spoiled in one way at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"
#include "parts.h"

/* The made-up file: a buffer with one event of 20 bytes, four of padding, and slack of more than a buffer's header. */
#define FILE_SIZE 0xB8u
#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define EVENT_SIZE (ETL_SIZE(PERFINFO_TRACE_HEADER) + 4u)
#define PADDING 4u
#define GAP_AT (EVENT_AT + EVENT_SIZE + PADDING)
#define UNCLEAN_AT (GAP_AT + 9u) /* of slack, if that is to be spoiled */
/* The same as a compressed buffer: what is in the file is this long, and inflates to FILE_SIZE. */
#define COMPRESSED_SIZE 0x70u

static uint8_t file[FILE_SIZE];

typedef struct scene {
    etl_oracle oracle;
    etl_reader reader;
    etl_outcome outcome; /* of the step to come */
} scene;

/* Spoils the step to come. */
typedef void spoiler(scene *s);

/* Offset and SavedOffset of the buffer. */
static void state_extent(uint8_t offset, uint8_t saved_offset)
{
    file[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = offset;
    file[ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset)] = saved_offset;
}

static void make_file(void)
{
    memset(file, 0, GAP_AT);
    memset(file + GAP_AT, 0xFF, FILE_SIZE - GAP_AT);
    state_extent(GAP_AT, GAP_AT);
}

static void make_buffer(scene *s, bool compressed)
{
    size_t size = compressed ? COMPRESSED_SIZE : FILE_SIZE;
    s->outcome = ETL_BUFFER;
    s->reader.trace.offset = size;
    s->reader.window = (etl_span){file, size};
    s->reader.buffer = (etl_buffer){
        .raw = {file, size},
        .compressed = compressed,
        .inflated_from = compressed ? COMPRESSED_SIZE - EVENT_AT : 0,
        .space = compressed ? ETL_SPACE_INFLATED : ETL_SPACE_FILE,
        .data = {file, FILE_SIZE},
        .extent = GAP_AT,
    };
    etl_buffer_header_read(s->reader.buffer.raw, s->reader.trace.shape, &s->reader.buffer.header);
}

static void make_event(scene *s)
{
    s->outcome = ETL_EVENT;
    s->reader.event = (etl_event){
        .offset = EVENT_AT,
        .space = s->reader.buffer.space,
        .bytes = {file + EVENT_AT, EVENT_SIZE},
        .size = EVENT_SIZE,
        .header_size = ETL_SIZE(PERFINFO_TRACE_HEADER),
        .data_size = 4,
        .padding = PADDING,
        .type = ETL_HEADER_TYPE_PERFINFO64,
        .layout = ETL_LAYOUT_PERFINFO,
    };
}

static void make_gap(scene *s)
{
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_SLACK, s->reader.buffer.space, GAP_AT, FILE_SIZE - GAP_AT};
}

static bool step(scene *s, spoiler *spoil)
{
    if (spoil)
        spoil(s);
    bool held = etl_oracle_step(&s->oracle, s->outcome, &s->reader);
    s->reader.findings = (etl_findings){0};
    return held;
}

/* Plays the decode, the step `when` spoiled, and returns the promise that was broken. */
enum when { NEVER, BUFFER, EVENT, GAP, END };
static etl_promise play(scene *s, enum when when, spoiler *spoil, bool compressed)
{
    *s = (scene){0};
    etl_oracle_init(&s->oracle, compressed ? COMPRESSED_SIZE : FILE_SIZE, ETL_LIMITS_DEFAULT, true);
    make_file();
    make_buffer(s, compressed);
    bool held = step(s, when == BUFFER ? spoil : NULL);
    make_event(s);
    held = held && step(s, when == EVENT ? spoil : NULL);
    make_gap(s);
    held = held && step(s, when == GAP ? spoil : NULL);
    s->outcome = ETL_END;
    held = held && step(s, when == END ? spoil : NULL) && etl_oracle_end(&s->oracle);
    if (held != (s->oracle.broken == ETL_PROMISE_COUNT))
        abort(); /* the oracle's answer and its note are one */
    return s->oracle.broken;
}

static void internal(scene *s)
{
    s->outcome = ETL_INTERNAL;
}

static void unknown_outcome(scene *s)
{
    s->outcome = (etl_outcome)99;
}

static void want_nothing(scene *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 0;
}

static void want_everything(scene *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = SIZE_MAX;
}

static void want_room_above_limit(scene *s)
{
    s->outcome = ETL_ROOM;
    s->reader.trace.want = (size_t)ETL_LIMITS_DEFAULT.inflated + ETL_BUFFER_SIZE_MIN + 1;
}

/* A file of this size may inflate to 64 KiB and no more. */
static void want_room_of_nothing(scene *s)
{
    s->outcome = ETL_ROOM;
    s->reader.trace.want = 0x10000 + ETL_BUFFER_SIZE_MIN + 1;
}

/* Room is kept; a reader that asks again for what it has asks too often. */
static void want_room_again(scene *s)
{
    s->outcome = ETL_ROOM;
    s->reader.trace.want = 0x1000;
    for (unsigned n = 0; n < 8; n++)
        etl_oracle_step(&s->oracle, s->outcome, &s->reader);
}

/* No more than the file may inflate to, but than the buffer may, which claims more than it has. */
static void want_room_of_others(scene *s)
{
    s->reader.buffer.header.buffer_size = ETL_BUFFER_SIZE_MAX;
    s->oracle.size = 1000;
    s->reader.trace.want = 0x20000;
    etl_oracle_step(&s->oracle, ETL_ROOM, &s->reader);
}

static void inflated_from_nothing(scene *s)
{
    s->reader.buffer.data.size = 0x10000 + ETL_BUFFER_SIZE_MIN + 1;
}

static void reader_goes_back(scene *s)
{
    s->reader.trace.offset--;
}

/* A reader that asks for the same byte without end. */
static void hang(scene *s)
{
    s->outcome = ETL_MORE;
    s->reader.trace.want = 1;
    for (unsigned n = 0; n < 100000 && etl_oracle_step(&s->oracle, s->outcome, &s->reader); n++)
        continue;
}

static void gap_late(scene *s)
{
    s->reader.gap.offset++;
    s->reader.gap.size--;
}

static void gap_twice(scene *s)
{
    etl_oracle_step(&s->oracle, s->outcome, &s->reader);
}

static void gap_long(scene *s)
{
    s->reader.gap.size++;
}

static void gap_huge(scene *s)
{
    s->reader.gap.size = UINT64_MAX;
}

static void gap_empty(scene *s)
{
    s->reader.gap.size = 0;
}

static void gap_of_no_kind(scene *s)
{
    s->reader.gap.kind = ETL_REGION_COUNT;
}

static void gap_of_payload(scene *s)
{
    s->reader.gap.kind = ETL_REGION_PAYLOAD;
}

/* `count` regions for a header of eight bytes, no items, and user data of eight bytes. */
static void take_regions(scene *s, etl_region_kind first, etl_region_kind second, uint64_t second_size, size_t count)
{
    const etl_piece pieces[] = {{ETL_REGION_EVENT_HEADER, 8}, {ETL_REGION_ITEMS, 0}, {ETL_REGION_PAYLOAD, 8}};
    const etl_region regions[] = {{first, ETL_SPACE_FILE, GAP_AT, 8},
                                  {second, ETL_SPACE_FILE, GAP_AT + 8, second_size},
                                  {ETL_REGION_PADDING, ETL_SPACE_FILE, GAP_AT + 8 + second_size, 8}};
    etl_oracle_regions(&s->oracle, regions, count, pieces, sizeof pieces / sizeof pieces[0]);
    s->outcome = ETL_END;
}

static void regions_swapped(scene *s)
{
    take_regions(s, ETL_REGION_PAYLOAD, ETL_REGION_EVENT_HEADER, 8, 2);
}

static void region_of_other_kind(scene *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_ITEMS, 8, 2);
}

static void region_short(scene *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_PAYLOAD, 7, 2);
}

static void region_left_out(scene *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_PAYLOAD, 8, 1);
}

static void region_too_many(scene *s)
{
    take_regions(s, ETL_REGION_EVENT_HEADER, ETL_REGION_PAYLOAD, 8, 3);
}

static void rest_of_payload(scene *s)
{
    s->reader.buffer.inflated_from -= 4;
    s->reader.buffer.rest_kind = ETL_REGION_PAYLOAD;
}

static void gap_of_other_space(scene *s)
{
    s->reader.gap.space = s->reader.gap.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void gap_damaged(scene *s)
{
    s->reader.gap.kind = ETL_REGION_DAMAGED;
}

static void gap_swallowed(scene *s)
{
    s->outcome = ETL_END;
}

static void miscount(scene *s)
{
    s->oracle.tiling.bytes[ETL_REGION_SLACK]++;
}

static void miscount_of_kinds(scene *s)
{
    s->oracle.tiling.bytes[ETL_REGION_PADDING] -= PADDING;
    s->oracle.tiling.bytes[ETL_REGION_TAIL] += PADDING;
}

static void tiling_broken(scene *s)
{
    s->oracle.tiling.broken = true;
}

static void buffer_skipped(scene *s)
{
    s->reader.buffer.index = 1;
}

static void buffer_past_end(scene *s)
{
    s->reader.buffer.raw.size = FILE_SIZE + 1;
    s->reader.buffer.data.size = FILE_SIZE + 1;
}

static void buffer_below_header(scene *s)
{
    s->reader.buffer.raw.size = EVENT_AT - 1;
}

static void buffer_of_longer_stream(scene *s)
{
    s->reader.buffer.inflated_from++;
}

static void buffer_extent_past_end(scene *s)
{
    s->reader.buffer.extent = FILE_SIZE + 1;
}

static void buffer_in_wrong_space(scene *s)
{
    s->reader.buffer.space = s->reader.buffer.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void event_skipped(scene *s)
{
    s->reader.event.index = 1;
}

static void event_repeated(scene *s)
{
    etl_oracle_step(&s->oracle, s->outcome, &s->reader);
}

static void event_part_too_long(scene *s)
{
    s->reader.event.data_size++;
}

static void event_part_wraps(scene *s)
{
    s->reader.event.lost_size = UINT32_MAX;
    s->reader.event.data_size++;
}

static void event_bytes_too_few(scene *s)
{
    s->reader.event.bytes.size--;
}

static void event_padding_of_eight(scene *s)
{
    s->reader.event.padding = 8;
}

static void event_elsewhere(scene *s)
{
    s->reader.event.bytes.at -= 8;
}

static void event_before_buffer(scene *s)
{
    s->reader.event.offset = UINT64_MAX;
}

static void event_past_end(scene *s)
{
    s->reader.event.offset = FILE_SIZE - 8;
    s->reader.event.bytes.at = file + FILE_SIZE - 8;
}

static void event_in_wrong_space(scene *s)
{
    s->reader.event.space = s->reader.event.space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE;
}

static void event_of_no_layout(scene *s)
{
    s->reader.event.layout = ETL_LAYOUT_COUNT;
}

/* Items of four bytes: less than the header of one. */
static void event_items_that_are_none(scene *s)
{
    s->reader.event.items_size = 4;
    s->reader.event.data_size = 0;
}

static void impossible_time(scene *s)
{
    etl_utc utc = {.year = 2020, .month = 13, .day = 1};
    etl_oracle_utc(&s->oracle, &utc, 0);
    s->outcome = ETL_END;
}

static etl_finding *add_finding(scene *s)
{
    etl_finding *finding = &s->reader.findings.at[s->reader.findings.count++];
    *finding = (etl_finding){.rule = ETL_RULE_BUF_002, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
    return finding;
}

/* A finding in the space of the gap; in the file, where the step has none. */
static void tell(scene *s, etl_rule rule, uint64_t offset)
{
    etl_finding *finding = add_finding(s);
    finding->rule = rule;
    finding->offset = offset;
    finding->space = s->reader.gap.space;
}

static void note_of_loss(scene *s)
{
    etl_finding *finding = add_finding(s);
    finding->rule = ETL_RULE_BUF_006;
    finding->lost = 1;
}

static void add_error(scene *s)
{
    add_finding(s);
}

static void damaged_and_told(scene *s, uint64_t lost)
{
    etl_finding *finding = add_finding(s);
    gap_damaged(s);
    finding->space = s->reader.gap.space;
    finding->lost = lost;
}

static void damaged_beside_error(scene *s)
{
    damaged_and_told(s, 0);
}

static void damaged_more_than_told(scene *s)
{
    damaged_and_told(s, s->reader.gap.size / 2);
}

static void damaged_less_than_told(scene *s)
{
    damaged_and_told(s, s->reader.gap.size + 1);
}

static void damaged_as_told(scene *s)
{
    damaged_and_told(s, s->reader.gap.size);
}

static void gap_short(scene *s)
{
    s->reader.gap.size--;
    damaged_as_told(s);
}

static void damaged_elsewhere(scene *s)
{
    damaged_as_told(s);
    s->reader.findings.at[0].space = ETL_SPACE_FILE;
}

static void loss_of_nothing(scene *s)
{
    add_finding(s)->lost = 1;
}

static void rest_damaged(scene *s)
{
    s->reader.buffer.inflated_from = 4;
    s->reader.buffer.rest_kind = ETL_REGION_DAMAGED;
    add_error(s);
}

static void slack_before_extent(scene *s)
{
    (void)s;
    state_extent(GAP_AT + 8, GAP_AT);
}

static void slack_before_saved_offset(scene *s)
{
    (void)s;
    state_extent(0, GAP_AT + 8);
}

/* Of a buffer that does not say where its events end, the end marker at the gap does. */
static void slack_at_marker(scene *s)
{
    (void)s;
    state_extent(EVENT_AT - 1, FILE_SIZE + 1);
}

/* What is there may be an event, and is no 0xFF. */
static void slack_at_no_marker(scene *s)
{
    slack_at_marker(s);
    file[GAP_AT] = 0;
    tell(s, ETL_RULE_BUF_015, GAP_AT);
}

static void slack_up_to_more(scene *s)
{
    s->reader.gap.size -= 8;
}

static void slack_unclean(scene *s)
{
    (void)s;
    file[UNCLEAN_AT] = 0;
}

static void slack_unclean_told(scene *s)
{
    slack_unclean(s);
    tell(s, ETL_RULE_BUF_015, UNCLEAN_AT);
}

static void slack_unclean_told_late(scene *s)
{
    slack_unclean_told(s);
    file[UNCLEAN_AT - 1] = 0;
}

static void slack_unclean_told_elsewhere(scene *s)
{
    slack_unclean_told(s);
    s->reader.findings.at[0].space = ETL_SPACE_FILE;
}

/* The gap is behind a buffer that ends there. */
static void tail_untold(scene *s)
{
    memset(file + GAP_AT, 0, FILE_SIZE - GAP_AT);
    s->reader.gap.kind = ETL_REGION_TAIL;
}

static void tail_told(scene *s)
{
    tail_untold(s);
    tell(s, ETL_RULE_BUF_003, GAP_AT);
}

static void tail_written(scene *s)
{
    tail_told(s);
    file[FILE_SIZE - 1] = 1;
}

static void tail_before_more(scene *s)
{
    tail_told(s);
    s->reader.gap.size -= 8;
}

/* Too short for a header, so that it need not be blank. */
static void tail_short(scene *s)
{
    tail_written(s);
    s->reader.gap.size = EVENT_AT - 1;
    s->oracle.size = GAP_AT + EVENT_AT - 1;
    file[GAP_AT] = 1;
}

static void leave(scene *s, uint32_t size)
{
    s->reader.buffer.inflated_from -= size;
    s->reader.buffer.rest_kind = ETL_REGION_SLACK;
}

static void rest_of_flag_word(scene *s)
{
    leave(s, 4);
}

static void rest_untold(scene *s)
{
    leave(s, 5);
}

static void rest_told(scene *s)
{
    rest_untold(s);
    tell(s, ETL_RULE_BUF_019, COMPRESSED_SIZE - 5);
}

static void rest_before_next(scene *s)
{
    rest_untold(s);
    tell(s, ETL_RULE_BUF_001, 0);
}

static void findings_overflow(scene *s)
{
    s->reader.findings.overflow = true;
}

static void findings_too_many(scene *s)
{
    s->reader.findings.count = ETL_FINDINGS_MAX + 1;
}

static void finding_of_no_rule(scene *s)
{
    add_finding(s)->rule = ETL_RULE_COUNT;
}

static void finding_of_structure(scene *s)
{
    add_finding(s)->rule = ETL_RULE_BUF_007;
}

static void finding_of_no_action(scene *s)
{
    add_finding(s)->action = ETL_ACTION_COUNT;
}

static void finding_past_end(scene *s)
{
    add_finding(s)->offset = FILE_SIZE + 1;
}

static void finding_loses_too_much(scene *s)
{
    add_finding(s)->lost = FILE_SIZE + 1;
}

static void finding_of_later_event(scene *s)
{
    add_finding(s)->event = 2;
}

static void finding_of_later_buffer(scene *s)
{
    add_finding(s)->buffer = 2;
}

typedef struct row {
    const char *what;
    etl_promise promise;
    enum when when;
    spoiler *spoil;
    bool compressed;
} row;

static const row rows[] = {
    {"nothing is wrong", ETL_PROMISE_COUNT, NEVER, NULL, false},
    {"nothing is wrong in a compressed buffer", ETL_PROMISE_COUNT, NEVER, NULL, true},
    {"ETL_INTERNAL", ETL_PROMISE_INTERNAL, EVENT, internal, false},
    {"an outcome that is none", ETL_PROMISE_OUTCOME, EVENT, unknown_outcome, false},
    {"a wish for no bytes", ETL_PROMISE_WANT, EVENT, want_nothing, false},
    {"a wish for all bytes", ETL_PROMISE_WANT, EVENT, want_everything, false},
    {"a wish for room above the limit", ETL_PROMISE_WANT, EVENT, want_room_above_limit, false},
    {"room that the input cannot fill", ETL_PROMISE_INFLATED, GAP, want_room_of_nothing, false},
    {"a wish for room again and again", ETL_PROMISE_INFLATED, GAP, want_room_again, false},
    {"room that the buffer cannot fill", ETL_PROMISE_INFLATED, BUFFER, want_room_of_others, true},
    {"a buffer inflated from too little", ETL_PROMISE_INFLATED, BUFFER, inflated_from_nothing, true},
    {"a reader that goes back", ETL_PROMISE_OFFSET, GAP, reader_goes_back, false},
    {"the same wish without end", ETL_PROMISE_PROGRESS, EVENT, hang, false},
    {"a byte in no region", ETL_PROMISE_TILING, GAP, gap_late, false},
    {"a region twice", ETL_PROMISE_TILING, GAP, gap_twice, false},
    {"a region past the end", ETL_PROMISE_TILING, GAP, gap_long, false},
    {"a region whose size wraps", ETL_PROMISE_TILING, GAP, gap_huge, false},
    {"a last byte in no region", ETL_PROMISE_TILING, GAP, gap_short, false},
    {"a region that is left out", ETL_PROMISE_TILING, GAP, gap_swallowed, false},
    {"an inflated byte in no region", ETL_PROMISE_INFLATED_TILING, GAP, gap_late, true},
    {"an inflated region twice", ETL_PROMISE_INFLATED_TILING, GAP, gap_twice, true},
    {"an inflated region past the end", ETL_PROMISE_INFLATED_TILING, GAP, gap_long, true},
    {"a last inflated byte in no region", ETL_PROMISE_INFLATED_TILING, GAP, gap_short, true},
    {"an inflated region that is left out", ETL_PROMISE_INFLATED_TILING, GAP, gap_swallowed, true},
    {"an inflated region of no compressed buffer", ETL_PROMISE_INFLATED_TILING, GAP, gap_of_other_space, false},
    {"a file region inside an inflated buffer", ETL_PROMISE_TILING, GAP, gap_of_other_space, true},
    {"an empty region", ETL_PROMISE_REGION, GAP, gap_empty, false},
    {"a region of no kind", ETL_PROMISE_REGION, GAP, gap_of_no_kind, false},
    {"a gap of user data", ETL_PROMISE_REGION, GAP, gap_of_payload, false},
    {"parts in another order", ETL_PROMISE_REGIONS, GAP, regions_swapped, false},
    {"a part of another kind", ETL_PROMISE_REGIONS, GAP, region_of_other_kind, false},
    {"a part too short", ETL_PROMISE_REGIONS, GAP, region_short, false},
    {"a part in no region", ETL_PROMISE_REGIONS, GAP, region_left_out, false},
    {"a region that is no part", ETL_PROMISE_REGIONS, GAP, region_too_many, false},
    {"unused input as user data", ETL_PROMISE_REGIONS, BUFFER, rest_of_payload, true},
    {"a miscount of bytes", ETL_PROMISE_BYTES, GAP, miscount, false},
    {"bytes counted as of another kind", ETL_PROMISE_BYTES, GAP, miscount_of_kinds, false},
    {"a tiling that broke", ETL_PROMISE_BYTES, GAP, tiling_broken, false},
    {"a buffer index left out", ETL_PROMISE_BUFFER_INDEX, BUFFER, buffer_skipped, false},
    {"a buffer past the end", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_past_end, false},
    {"a buffer shorter than its header", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_below_header, true},
    {"a stream longer than its buffer", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_of_longer_stream, true},
    {"an extent past the end", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_extent_past_end, false},
    {"an uncompressed buffer in inflated space", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_in_wrong_space, false},
    {"a compressed buffer in file space", ETL_PROMISE_BUFFER_BOUNDS, BUFFER, buffer_in_wrong_space, true},
    {"an event index left out", ETL_PROMISE_EVENT_INDEX, EVENT, event_skipped, false},
    {"an event twice", ETL_PROMISE_EVENT_INDEX, EVENT, event_repeated, false},
    {"parts that are more than the event", ETL_PROMISE_EVENT_PARTS, EVENT, event_part_too_long, false},
    {"parts that add up by wrapping", ETL_PROMISE_EVENT_PARTS, EVENT, event_part_wraps, false},
    {"bytes that are less than the event", ETL_PROMISE_EVENT_PARTS, EVENT, event_bytes_too_few, false},
    {"padding of eight bytes", ETL_PROMISE_EVENT_PARTS, EVENT, event_padding_of_eight, false},
    {"bytes from another place", ETL_PROMISE_EVENT_BOUNDS, EVENT, event_elsewhere, false},
    {"an event at no place", ETL_PROMISE_EVENT_BOUNDS, EVENT, event_before_buffer, false},
    {"an event past the buffer's end", ETL_PROMISE_EVENT_BOUNDS, EVENT, event_past_end, false},
    {"an event in the wrong space", ETL_PROMISE_EVENT_BOUNDS, EVENT, event_in_wrong_space, true},
    {"a layout that is none", ETL_PROMISE_EVENT_KIND, EVENT, event_of_no_layout, false},
    {"items that no chain fills", ETL_PROMISE_ITEMS, EVENT, event_items_that_are_none, false},
    {"the month 13", ETL_PROMISE_CLOCK, GAP, impossible_time, false},
    {"findings that overflowed", ETL_PROMISE_FINDING_COUNT, GAP, findings_overflow, false},
    {"more findings than there is room for", ETL_PROMISE_FINDING_COUNT, GAP, findings_too_many, false},
    {"a finding of no rule", ETL_PROMISE_FINDING_RULE, GAP, finding_of_no_rule, false},
    {"a finding of a rule that cannot be violated", ETL_PROMISE_FINDING_RULE, GAP, finding_of_structure, false},
    {"a finding of no action", ETL_PROMISE_FINDING_RULE, GAP, finding_of_no_action, false},
    {"a finding past the end", ETL_PROMISE_FINDING_PLACE, GAP, finding_past_end, false},
    {"a finding that lost more than there is", ETL_PROMISE_FINDING_PLACE, GAP, finding_loses_too_much, false},
    {"a finding of an event not read yet", ETL_PROMISE_FINDING_PLACE, GAP, finding_of_later_event, false},
    {"a finding of a buffer not read yet", ETL_PROMISE_FINDING_PLACE, GAP, finding_of_later_buffer, false},
    {"a finding of a note that something is lost", ETL_PROMISE_FINDING_PLACE, GAP, note_of_loss, false},
    {"damage that no finding tells of", ETL_PROMISE_SILENT_LOSS, GAP, gap_damaged, false},
    {"inflated damage that no finding tells of", ETL_PROMISE_SILENT_LOSS, GAP, gap_damaged, true},
    {"damage beside an error that lost nothing", ETL_PROMISE_SILENT_LOSS, GAP, damaged_beside_error, false},
    {"damage told of as less than it is", ETL_PROMISE_SILENT_LOSS, GAP, damaged_more_than_told, false},
    {"damage told of as more than it is", ETL_PROMISE_SILENT_LOSS, GAP, damaged_less_than_told, false},
    {"damage told of elsewhere", ETL_PROMISE_SILENT_LOSS, GAP, damaged_elsewhere, true},
    {"a loss of no damage", ETL_PROMISE_SILENT_LOSS, END, loss_of_nothing, false},
    {"a rest that no finding tells of", ETL_PROMISE_SILENT_LOSS, BUFFER, rest_damaged, true},
    {"slack before Offset", ETL_PROMISE_SILENT_LOSS, GAP, slack_before_extent, false},
    {"inflated slack before Offset", ETL_PROMISE_SILENT_LOSS, GAP, slack_before_extent, true},
    {"slack before SavedOffset, and no Offset", ETL_PROMISE_SILENT_LOSS, GAP, slack_before_saved_offset, false},
    {"slack at an end marker, and no extent", ETL_PROMISE_COUNT, GAP, slack_at_marker, false},
    {"slack at no end marker, and no extent", ETL_PROMISE_SILENT_LOSS, GAP, slack_at_no_marker, false},
    {"slack before the end of its buffer", ETL_PROMISE_SILENT_LOSS, GAP, slack_up_to_more, false},
    {"slack before the end of an inflated buffer", ETL_PROMISE_SILENT_LOSS, GAP, slack_up_to_more, true},
    {"slack that is not 0xFF, and no word of it", ETL_PROMISE_SILENT_LOSS, GAP, slack_unclean, false},
    {"slack that is not 0xFF, as told", ETL_PROMISE_COUNT, GAP, slack_unclean_told, false},
    {"inflated slack that is not 0xFF, as told", ETL_PROMISE_COUNT, GAP, slack_unclean_told, true},
    {"slack that is not 0xFF before that is told", ETL_PROMISE_SILENT_LOSS, GAP, slack_unclean_told_late, false},
    {"inflated slack told of elsewhere", ETL_PROMISE_SILENT_LOSS, GAP, slack_unclean_told_elsewhere, true},
    {"a tail of zeros, as told", ETL_PROMISE_COUNT, GAP, tail_told, false},
    {"a tail that no finding tells of", ETL_PROMISE_SILENT_LOSS, GAP, tail_untold, false},
    {"a tail that was written", ETL_PROMISE_SILENT_LOSS, GAP, tail_written, false},
    {"a tail before the end of the file", ETL_PROMISE_SILENT_LOSS, GAP, tail_before_more, false},
    {"a tail inside an inflated buffer", ETL_PROMISE_SILENT_LOSS, GAP, tail_told, true},
    {"a tail too short for a buffer", ETL_PROMISE_COUNT, GAP, tail_short, false},
    {"an unused flag word", ETL_PROMISE_COUNT, BUFFER, rest_of_flag_word, true},
    {"unused input, and no word of it", ETL_PROMISE_SILENT_LOSS, BUFFER, rest_untold, true},
    {"unused input, as told", ETL_PROMISE_COUNT, BUFFER, rest_told, true},
    {"unused input up to another buffer, as told", ETL_PROMISE_COUNT, BUFFER, rest_before_next, true},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static unsigned number, failed;

void say(bool ok, const char *what)
{
    printf("%sok %u - %s\n", ok ? "" : "not ", ++number, what);
    failed += !ok;
}

/* The one oracle over two decodes; what differs is a finding of a rule that may be violated. */
static void test_streaming(bool fired[ETL_PROMISE_COUNT])
{
    static scene one, other;
    play(&one, NEVER, NULL, false);
    play(&other, NEVER, NULL, false);
    say(etl_oracle_compare(&one.oracle, &other.oracle), "two decodes that are the same");
    play(&other, GAP, add_error, false);
    etl_oracle_compare(&one.oracle, &other.oracle);
    fired[ETL_PROMISE_STREAMING] = one.oracle.broken == ETL_PROMISE_STREAMING;
    say(fired[ETL_PROMISE_STREAMING], "two decodes that differ");
}

int main(void)
{
    static scene s;
    bool fired[ETL_PROMISE_COUNT] = {false};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        etl_promise broken = play(&s, rows[i].when, rows[i].spoil, rows[i].compressed);
        say(broken == rows[i].promise, rows[i].what);
        if (broken != rows[i].promise)
            printf("# expected %s, got %s\n", etl_promise_name(rows[i].promise), etl_promise_name(broken));
        if (broken < ETL_PROMISE_COUNT)
            fired[broken] = true;
    }
    say(play(&s, GAP, damaged_as_told, false) == ETL_PROMISE_COUNT, "damage that a finding tells of");
    say(play(&s, GAP, damaged_as_told, true) == ETL_PROMISE_COUNT, "inflated damage that a finding tells of");
    test_streaming(fired);
    test_buffer_header(fired);
    test_direct(fired);
    test_memory(fired);
    test_records(fired);
    for (size_t i = 0; i < ETL_PROMISE_COUNT; i++)
        if (!fired[i]) {
            say(false, etl_promise_name((etl_promise)i));
            puts("# this oracle was never seen to fire");
        }
    printf("1..%u\n", number);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
