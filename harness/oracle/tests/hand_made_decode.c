/* SPDX-License-Identifier: Apache-2.0 */
#include "hand_made_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FILETIME of 2001-09-09T01:46:40Z. */
#define BILLENNIUM INT64_C(126444736000000000)

void played_extent(played_decode *s, uint8_t offset, uint8_t saved_offset)
{
    s->data[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = offset;
    s->data[ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset)] = saved_offset;
}

etl_finding *played_finding(played_decode *s)
{
    etl_finding *finding = &s->reader.findings.at[s->reader.findings.count++];
    *finding = (etl_finding){.rule = ETL_RULE_BUF_002, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
    return finding;
}

void played_damage(played_decode *s, uint64_t lost)
{
    etl_finding *finding = played_finding(s);
    s->reader.gap.kind = ETL_REGION_DAMAGED;
    finding->space = s->reader.gap.space;
    finding->lost = lost;
}

uint64_t played_place(const played_decode *s, uint32_t at)
{
    return at + (s->reader.buffer.space == ETL_SPACE_FILE ? s->reader.buffer.offset : 0);
}

void played_open(played_decode *s, uint64_t offset, const uint8_t *bytes, size_t size, size_t inflated)
{
    s->outcome = ETL_BUFFER;
    s->reader.trace.offset = offset + size;
    s->reader.window_offset = offset;
    s->reader.window = (etl_span){bytes, size};
    s->reader.buffer = (etl_buffer){
        .index = s->buffers++,
        .offset = offset,
        .raw = {bytes, size},
        .compressed = inflated != 0,
        .inflated_from = inflated ? (uint32_t)size - EVENT_AT : 0,
        .space = inflated ? ETL_SPACE_INFLATED : ETL_SPACE_FILE,
        .data = {bytes, inflated ? inflated : size},
    };
    etl_buffer_header_read(s->reader.buffer.raw, s->reader.trace.shape, &s->reader.buffer.header);
}

/* The oracle must return false exactly when it has recorded a broken promise. */
static void agree(const played_decode *s, bool held)
{
    if (held != (s->oracle.broken == ORACLE_PROMISE_COUNT))
        abort();
}

void played_step_now(played_decode *s, etl_outcome outcome)
{
    const bool sound = s->oracle.broken == ORACLE_PROMISE_COUNT;
    const bool held = oracle_step(&s->oracle, outcome, &s->reader);
    if (sound)
        agree(s, held);
    s->reader.findings = (etl_findings){0};
}

static void make_file(played_decode *s, bool compressed)
{
    *s = (played_decode){.size = compressed ? FIRST_COMPRESSED_SIZE + COMPRESSED_SIZE : FIRST_SIZE + BUFFER_SIZE};
    s->first[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = FIRST_SIZE;
    memset(s->data + GAP_AT, 0xFF, BUFFER_SIZE - GAP_AT);
    played_extent(s, GAP_AT, GAP_AT);
    s->reader.trace.logfile.clock.type = ETL_CLOCK_TYPE_SYSTEMTIME;
    oracle_init(&s->oracle, s->size, ETL_LIMITS_DEFAULT, true);
}

static void make_first(played_decode *s, bool compressed)
{
    played_open(s, 0, s->first, compressed ? FIRST_COMPRESSED_SIZE : FIRST_SIZE, compressed ? FIRST_SIZE : 0);
    s->reader.buffer.extent = FIRST_SIZE;
}

static void make_buffer(played_decode *s, bool compressed)
{
    if (compressed)
        played_open(s, FIRST_COMPRESSED_SIZE, s->data, COMPRESSED_SIZE, BUFFER_SIZE);
    else
        played_open(s, FIRST_SIZE, s->data, BUFFER_SIZE, 0);
    s->reader.buffer.extent = GAP_AT;
}

static void make_event(played_decode *s)
{
    s->outcome = ETL_EVENT;
    s->reader.event = (etl_event){
        .index = s->events++,
        .offset = played_place(s, EVENT_AT),
        .space = s->reader.buffer.space,
        .bytes = {s->reader.buffer.data.at + EVENT_AT, EVENT_SIZE},
        .size = EVENT_SIZE,
        .header_size = ETL_SIZE(PERFINFO_TRACE_HEADER),
        .data_size = 4,
        .padding = PADDING,
        .type = ETL_HEADER_TYPE_PERFINFO64,
        .layout = ETL_LAYOUT_PERFINFO,
        .has_time = true,
        .time = BILLENNIUM,
    };
}

static void make_gap(played_decode *s)
{
    s->outcome = ETL_GAP;
    s->reader.gap = (etl_region){ETL_REGION_SLACK, s->reader.buffer.space, played_place(s, GAP_AT), BUFFER_SIZE - GAP_AT};
}

static void make(played_decode *s, played_step step, bool compressed)
{
    switch (step) {
    case STEP_FIRST: make_first(s, compressed); break;
    case STEP_BUFFER: make_buffer(s, compressed); break;
    case STEP_FIRST_EVENT:
    case STEP_EVENT: make_event(s); break;
    case STEP_GAP: make_gap(s); break;
    case STEP_NEVER:
    case STEP_END: s->outcome = ETL_END; break;
    }
}

static void take(played_decode *s, played_step step, played_step when, played_spoiler *spoil, bool compressed)
{
    make(s, step, compressed);
    if (step == when && spoil)
        spoil(s);
    played_step_now(s, s->outcome);
}

oracle_promise played_play(played_decode *s, played_step when, played_spoiler *spoil, bool compressed)
{
    const oracle_promise *broken = &s->oracle.broken;
    make_file(s, compressed);
    for (played_step step = STEP_FIRST; *broken == ORACLE_PROMISE_COUNT && step < STEP_END && !s->last; step++)
        take(s, step, when, spoil, compressed);
    if (*broken == ORACLE_PROMISE_COUNT)
        take(s, STEP_END, when, spoil, compressed);
    if (*broken == ORACLE_PROMISE_COUNT)
        agree(s, oracle_end(&s->oracle));
    return *broken;
}

void played_judge(const played_row *rows, size_t count, bool fired[ORACLE_PROMISE_COUNT])
{
    static played_decode s;
    for (size_t i = 0; i < count; i++) {
        oracle_promise broken = played_play(&s, rows[i].when, rows[i].spoil, rows[i].compressed);
        say(broken == rows[i].promise, rows[i].what);
        if (broken != rows[i].promise)
            printf("# expected %s, got %s\n", oracle_promise_name(rows[i].promise), oracle_promise_name(broken));
        if (broken < ORACLE_PROMISE_COUNT)
            fired[broken] = true;
    }
}
