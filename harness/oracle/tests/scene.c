/* SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scene_extent(scene *s, uint8_t offset, uint8_t saved_offset)
{
    s->file[ETL_AT(WMI_BUFFER_HEADER_61, Offset)] = offset;
    s->file[ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset)] = saved_offset;
}

etl_finding *scene_finding(scene *s)
{
    etl_finding *finding = &s->reader.findings.at[s->reader.findings.count++];
    *finding = (etl_finding){.rule = ETL_RULE_BUF_002, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
    return finding;
}

void scene_damage(scene *s, uint64_t lost)
{
    etl_finding *finding = scene_finding(s);
    s->reader.gap.kind = ETL_REGION_DAMAGED;
    finding->space = s->reader.gap.space;
    finding->lost = lost;
}

static void make_file(scene *s)
{
    memset(s->file + GAP_AT, 0xFF, FILE_SIZE - GAP_AT);
    scene_extent(s, GAP_AT, GAP_AT);
}

static void make_buffer(scene *s, bool compressed)
{
    size_t size = compressed ? COMPRESSED_SIZE : FILE_SIZE;
    s->outcome = ETL_BUFFER;
    s->reader.trace.offset = size;
    s->reader.window = (etl_span){s->file, size};
    s->reader.buffer = (etl_buffer){
        .raw = {s->file, size},
        .compressed = compressed,
        .inflated_from = compressed ? COMPRESSED_SIZE - EVENT_AT : 0,
        .space = compressed ? ETL_SPACE_INFLATED : ETL_SPACE_FILE,
        .data = {s->file, FILE_SIZE},
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
        .bytes = {s->file + EVENT_AT, EVENT_SIZE},
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

static bool step(scene *s, scene_spoiler *spoil)
{
    if (spoil)
        spoil(s);
    bool held = etl_oracle_step(&s->oracle, s->outcome, &s->reader);
    s->reader.findings = (etl_findings){0};
    return held;
}

etl_promise scene_play(scene *s, scene_step when, scene_spoiler *spoil, bool compressed)
{
    *s = (scene){0};
    etl_oracle_init(&s->oracle, compressed ? COMPRESSED_SIZE : FILE_SIZE, ETL_LIMITS_DEFAULT, true);
    make_file(s);
    make_buffer(s, compressed);
    bool held = step(s, when == SCENE_BUFFER ? spoil : NULL);
    make_event(s);
    held = held && step(s, when == SCENE_EVENT ? spoil : NULL);
    make_gap(s);
    held = held && step(s, when == SCENE_GAP ? spoil : NULL);
    s->outcome = ETL_END;
    held = held && step(s, when == SCENE_END ? spoil : NULL) && etl_oracle_end(&s->oracle);
    if (held != (s->oracle.broken == ETL_PROMISE_COUNT))
        abort(); /* the oracle's answer and its note are one */
    return s->oracle.broken;
}

void scene_judge(const scene_row *rows, size_t count, bool fired[ETL_PROMISE_COUNT])
{
    static scene s;
    for (size_t i = 0; i < count; i++) {
        etl_promise broken = scene_play(&s, rows[i].when, rows[i].spoil, rows[i].compressed);
        say(broken == rows[i].promise, rows[i].what);
        if (broken != rows[i].promise)
            printf("# expected %s, got %s\n", etl_promise_name(rows[i].promise), etl_promise_name(broken));
        if (broken < ETL_PROMISE_COUNT)
            fired[broken] = true;
    }
}
