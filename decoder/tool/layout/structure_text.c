/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure in memory as text: one line a member, then the findings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/layout_decode.h"
#include "layout/place.h"
#include "layout/value.h"
#include "layout/view.h"
#include "records/finding_text.h"
#include "span.h"

/* Members of up to this many bytes show them beside the name; longer ones on lines of their own. */
#define BESIDE 8u
#define ROW_BYTES 32u

typedef struct layout_text {
    tool_output *out;
    const tool_structure *reading;
    const tool_layout_entry *entry;
    bool begun; /* the first line of the entry, with its evidence, is printed */
} layout_text;

static bool is_zero(etl_span bytes)
{
    return etl_span_run(bytes, 0) == bytes.size;
}

/* Offset, bytes if they are few, and name. */
static void begin_line(layout_text *t, const etl_memory_member *member, const char *name, etl_span bytes)
{
    const size_t beside = member->size <= BESIDE ? bytes.size : 0;
    tool_put_format(t->out, "%c 0x%08" PRIx64 " +0x%03" PRIx32 "  ", t->entry->taken ? ' ' : '-',
                    t->reading->offset + member->offset, member->offset);
    tool_put_dump(t->out, etl_span_first(bytes, beside));
    tool_put_spaces(t->out, 2 * (BESIDE - beside) + 2);
    tool_put_text(t->out, name);
}

static void end_line(layout_text *t)
{
    if (!t->begun)
        tool_layout_marks_text(t->out, t->entry, t->reading->evidence);
    t->begun = true;
    tool_put_char(t->out, '\n');
}

static void missing(layout_text *t, const etl_memory_member *member, etl_span bytes)
{
    tool_put_format(t->out, ": %s%" PRIu64 " of %" PRIu32 " bytes available", bytes.size > 0 ? "only " : "",
                    (uint64_t)bytes.size, member->size);
}

static void rows(layout_text *t, etl_span bytes)
{
    for (size_t at = 0; at < bytes.size; at += ROW_BYTES) {
        tool_put_spaces(t->out, 21);
        tool_put_dump(t->out, etl_span_part(bytes, at, ROW_BYTES));
        tool_put_char(t->out, '\n');
    }
}

/* A member or part without parts. */
static void plain(layout_text *t, const etl_memory_member *member, const char *name)
{
    etl_memory_value value;
    const bool whole = etl_memory_read(t->reading->bytes, member, &value);
    const bool is_long = member->size > BESIDE && !is_zero(value.bytes);
    begin_line(t, member, name, value.bytes);
    if (!whole)
        missing(t, member, value.bytes);
    else if (member->kind == ETL_MEMORY_KIND_BYTES)
        tool_put_format(t->out, " (%s%s%" PRIu32 " bytes%s)", member->type, member->type[0] != '\0' ? ", " : "",
                        member->size, is_zero(value.bytes) ? ", all zero" : "");
    else
        tool_put_text(t->out, " = ");
    if (whole)
        tool_layout_value_text(t->out, t->reading->layout, member, &value, t->reading->evidence);
    end_line(t);
    if (is_long)
        rows(t, value.bytes);
}

static void part_text(layout_text *t, const etl_memory_member *part, const char *name)
{
    char text[TOOL_LAYOUT_NAME_MAX];
    (void)snprintf(text, sizeof text, "%s.%s", name, part->name);
    plain(t, part, text);
}

/* An element, or a member that is not an array. */
static void single(layout_text *t, const etl_memory_member *member, const char *name)
{
    etl_memory_member part;
    uint32_t end = member->offset;
    if (!etl_memory_part(member, t->reading->layout.arch, 0, &part)) {
        plain(t, member, name);
        return;
    }
    for (uint32_t i = 0; etl_memory_part(member, t->reading->layout.arch, i, &part); i++) {
        const etl_memory_member gap = tool_layout_gap(end, part.offset);
        if (gap.size > 0)
            part_text(t, &gap, name);
        part_text(t, &part, name);
        end = part.offset + part.size;
    }
}

/* Number of elements from `from` on that are available and all zero. */
static uint32_t zero_run(const layout_text *t, const etl_memory_member *member, uint32_t from)
{
    uint32_t i = from;
    while (i < member->count) {
        const etl_memory_member element = etl_memory_element(member, i);
        const etl_span bytes = etl_span_part(t->reading->bytes, element.offset, element.size);
        if (bytes.size < element.size || !is_zero(bytes))
            break;
        i++;
    }
    return i - from;
}

static void zero_elements(layout_text *t, const etl_memory_member *member, uint32_t from, uint32_t count)
{
    const etl_memory_member first = etl_memory_element(member, from);
    char range[32] = "";
    char text[TOOL_LAYOUT_NAME_MAX];
    if (count > 1)
        (void)snprintf(range, sizeof range, " to %" PRIu32, from + count - 1);
    (void)snprintf(text, sizeof text, "%s[%" PRIu32 "%s] (all zero)", member->name, from, range);
    begin_line(t, &first, text, (etl_span){0});
    end_line(t);
}

static void elements(layout_text *t, const etl_memory_member *member)
{
    for (uint32_t i = 0; i < member->count;) {
        const etl_memory_member element = etl_memory_element(member, i);
        const uint32_t zeros = zero_run(t, member, i);
        char text[TOOL_LAYOUT_NAME_MAX];
        if (zeros > 0) {
            zero_elements(t, member, i, zeros);
            i += zeros;
            continue;
        }
        (void)snprintf(text, sizeof text, "%s[%" PRIu32 "]", member->name, i);
        single(t, &element, text);
        i++;
    }
}

static void finding_text(tool_output *out, const tool_structure *r, const etl_finding *finding)
{
    tool_layout_places places = tool_layout_places_of(r->layout, r->offset, finding);
    const char *value = etl_rule_get(finding->rule)->value;
    const char *before = " ";
    tool_put_spaces(out, 4);
    tool_put_finding_begin(out, TOOL_PROFILE_READER, finding);
    for (char name[TOOL_LAYOUT_NAME_MAX]; tool_layout_places_next(&places, name); before = ", ", value = "")
        tool_put_format(out, "%s%s", before, name);
    tool_put_finding_values(out, finding, value);
    tool_put_finding_end(out, finding);
}

static void findings_of(tool_output *out, const tool_structure *r, etl_rule rule)
{
    const etl_findings *all = &r->findings;
    bool printed = false;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->at[i].rule != rule)
            continue;
        if (!printed)
            tool_put_finding_rule(out, TOOL_PROFILE_READER, rule);
        printed = true;
        finding_text(out, r, &all->at[i]);
    }
}

static void findings(tool_output *out, const tool_structure *r)
{
    for (unsigned severity = ETL_SEVERITY_COUNT; severity-- > 0;)
        for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
            if (etl_rule_get((etl_rule)rule)->severity == (etl_severity)severity)
                findings_of(out, r, (etl_rule)rule);
}

static void head(tool_output *out, const tool_structure *r)
{
    tool_put_utf8(out, (etl_span){(const uint8_t *)r->title, strlen(r->title)});
    tool_put_format(out, " at 0x%" PRIx64 ": ", r->offset);
    tool_layout_head_text(out, r->layout);
    tool_put_format(out, "  verdict: %s\n", r->damaged ? "damaged" : "conforming");
}

void tool_structure_text(tool_output *out, const tool_structure *reading)
{
    tool_layout_view view = tool_layout_view_open(reading->layout);
    tool_layout_entry entry;
    head(out, reading);
    while (tool_layout_view_next(&view, &entry)) {
        layout_text t = {out, reading, &entry, false};
        if (entry.member.count > 1)
            elements(&t, &entry.member);
        else
            single(&t, &entry.member, entry.member.name);
    }
    findings(out, reading);
}
