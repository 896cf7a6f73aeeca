/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that the oracles find every silent loss: damage needs a finding, and slack and tail must be what the decoder calls
 * them.
 */
#include <string.h>

#include "step_checks.h"
#include "hand_made_decode.h"

static void gap_damaged(played_decode *s)
{
    s->reader.gap.kind = ETL_REGION_DAMAGED;
}

static void damaged_beside_error(played_decode *s)
{
    played_damage(s, 0);
}

static void damaged_more_than_told(played_decode *s)
{
    played_damage(s, s->reader.gap.size / 2);
}

static void damaged_less_than_told(played_decode *s)
{
    played_damage(s, s->reader.gap.size + 1);
}

static void damaged_as_told(played_decode *s)
{
    played_damage(s, s->reader.gap.size);
}

static void damaged_elsewhere(played_decode *s)
{
    damaged_as_told(s);
    s->reader.findings.at[0].space = ETL_SPACE_FILE;
}

static void loss_of_nothing(played_decode *s)
{
    played_finding(s)->lost = 1;
}

static void rest_damaged(played_decode *s)
{
    s->reader.buffer.inflated_from = 4;
    s->reader.buffer.rest_kind = ETL_REGION_DAMAGED;
    (void)played_finding(s);
}

static void slack_before_extent(played_decode *s)
{
    played_extent(s, GAP_AT + 8, GAP_AT);
}

static void slack_before_saved_offset(played_decode *s)
{
    played_extent(s, 0, GAP_AT + 8);
}

/* The buffer does not state where its events end, but the gap starts with an end marker. */
static void slack_at_marker(played_decode *s)
{
    played_extent(s, EVENT_AT - 1, BUFFER_SIZE + 1);
}

/* The bytes may be an event: they are not 0xFF. */
static void slack_at_no_marker(played_decode *s)
{
    slack_at_marker(s);
    s->data[GAP_AT] = 0;
}

static void slack_up_to_more(played_decode *s)
{
    s->reader.gap.size -= 8;
}

/* The gap follows a buffer that ends at its start. */
static void tail_blank(played_decode *s)
{
    memset(s->data + GAP_AT, 0, BUFFER_SIZE - GAP_AT);
    s->reader.gap.kind = ETL_REGION_TAIL;
}

static void tail_written(played_decode *s)
{
    tail_blank(s);
    s->data[BUFFER_SIZE - 1] = 1;
}

static void tail_written_at_start(played_decode *s)
{
    tail_blank(s);
    s->data[GAP_AT] = 1;
}

static void tail_before_more(played_decode *s)
{
    tail_blank(s);
    s->reader.gap.size -= 8;
}

/* Too short for a header, so that it need not be blank. */
static void tail_short(played_decode *s)
{
    tail_written(s);
    s->reader.gap.size = EVENT_AT - 1;
    s->oracle.end = s->reader.gap.offset + EVENT_AT - 1;
    s->data[GAP_AT] = 1;
}

static const played_row rows[] = {
    {"damage without a finding", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, gap_damaged, false},
    {"inflated damage without a finding", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, gap_damaged, true},
    {"damage with a finding", ORACLE_PROMISE_COUNT, STEP_GAP, damaged_as_told, false},
    {"inflated damage with a finding", ORACLE_PROMISE_COUNT, STEP_GAP, damaged_as_told, true},
    {"damage with an error that reports no loss", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, damaged_beside_error, false},
    {"damage larger than reported", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, damaged_more_than_told, false},
    {"damage smaller than reported", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, damaged_less_than_told, false},
    {"damage reported in the other space", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, damaged_elsewhere, true},
    {"a reported loss without damage", ORACLE_PROMISE_SILENT_LOSS, STEP_END, loss_of_nothing, false},
    {"unused input without a finding", ORACLE_PROMISE_SILENT_LOSS, STEP_BUFFER, rest_damaged, true},
    {"slack before Offset", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_before_extent, false},
    {"inflated slack before Offset", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_before_extent, true},
    {"slack before SavedOffset, without Offset", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_before_saved_offset,
     false},
    {"slack at an end marker, without extent", ORACLE_PROMISE_COUNT, STEP_GAP, slack_at_marker, false},
    {"slack without end marker, and without extent", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_at_no_marker, false},
    {"slack that stops before the end of its buffer", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_up_to_more, false},
    {"slack that stops before the end of its inflated buffer", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, slack_up_to_more,
     true},
    {"a tail of zeros", ORACLE_PROMISE_COUNT, STEP_GAP, tail_blank, false},
    {"a tail that is not blank", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_written, false},
    {"a tail that is not blank at its start", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_written_at_start, false},
    {"a tail that stops before the end of the file", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_before_more, false},
    {"a tail inside an inflated buffer", ORACLE_PROMISE_SILENT_LOSS, STEP_GAP, tail_blank, true},
    {"a tail too short for a buffer", ORACLE_PROMISE_COUNT, STEP_GAP, tail_short, false},
};

void test_gap(bool fired[ORACLE_PROMISE_COUNT])
{
    played_judge(rows, sizeof rows / sizeof rows[0], fired);
}
