/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --scan: finds structures in a memory image (sweep.h) and prints the best of those that overlap.
 */
#include "layout/layout_request.h"

#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "layout/sweep.h"
#include "span.h"

typedef struct scan_job {
    const tool_layout_request *request;
    tool_ranking ranking;
    tool_sweep sweep;
    tool_output out;
    tool_json json;
    tool_sieve_hit best; /* best of the overlapping hits so far; no contender if there is none */
    uint32_t versions;  /* versions that read the best hit alike, one bit each */
    uint8_t *bytes;     /* of the best hit */
    size_t size;
    uint64_t count;
} scan_job;

/* Members that identify a structure. */
static const char *const identifying[] = {"Guid", "RefCount", "LoggerId", "BufferSize", "InstanceGuid", "InstanceId"};

static void print_member(scan_job *s, const etl_memory_member *member, const etl_memory_value *value)
{
    const bool is_guid = member->kind == ETL_MEMORY_KIND_GUID;
    if (s->request->json && is_guid) {
        tool_json_guid(&s->json, member->name, &value->guid);
    } else if (s->request->json) {
        tool_json_u64(&s->json, member->name, value->number);
    } else {
        tool_put_format(&s->out, "  %s ", member->name);
        if (is_guid)
            tool_put_guid(&s->out, &value->guid);
        else
            tool_put_u64(&s->out, value->number);
    }
}

/* The name itself lies elsewhere in memory. */
static void print_name_length(scan_job *s, etl_memory_layout layout, etl_span bytes)
{
    etl_memory_member name, length;
    etl_memory_value value;
    if (!etl_memory_find(layout, "LoggerName", &name) || !etl_memory_part_find(&name, layout.arch, "Length", &length) ||
        !etl_memory_read(bytes, &length, &value))
        return;
    if (s->request->json)
        tool_json_u64(&s->json, "LoggerName.Length", value.number);
    else
        tool_put_format(&s->out, "  LoggerName.Length %u", (unsigned)value.number);
}

static void print_members(scan_job *s, etl_memory_layout layout)
{
    const etl_span bytes = {s->bytes, s->size};
    etl_memory_member member;
    etl_memory_value value;
    if (s->request->json)
        tool_json_object(&s->json, "members");
    for (size_t i = 0; i < sizeof identifying / sizeof identifying[0]; i++)
        if (etl_memory_find(layout, identifying[i], &member) && etl_memory_read(bytes, &member, &value))
            print_member(s, &member, &value);
    print_name_length(s, layout, bytes);
    if (s->request->json)
        tool_json_object_end(&s->json);
}

/* The other versions that read these bytes alike. */
static void print_alike(scan_job *s)
{
    const uint32_t others = s->versions & ~tool_contender_versions(s->best.contender);
    tool_json_array(&s->json, "alike");
    for (etl_windows i = 0; i < ETL_WINDOWS_COUNT; i++)
        if ((others >> i & 1) != 0)
            tool_json_text(&s->json, NULL, etl_windows_get(i)->text);
    tool_json_array_end(&s->json);
}

static void print_json(scan_job *s)
{
    const tool_contender *c = s->best.contender;
    tool_json_object(&s->json, NULL);
    tool_json_text(&s->json, "rec", "candidate");
    tool_json_u64(&s->json, "offset", s->best.offset);
    tool_contender_json(&s->json, c);
    print_alike(s);
    tool_json_u32(&s->json, "size", c->plan.size);
    tool_json_u32(&s->json, "missing", c->plan.size - (uint32_t)s->size);
    tool_json_i32(&s->json, "score", tool_points_bits(s->best.score));
    tool_json_i32(&s->json, "margin", tool_points_bits(s->best.margin));
    print_members(s, c->plan.layout);
    tool_json_object_end(&s->json);
    tool_json_line(&s->json);
}

static void print_text(scan_job *s)
{
    const tool_contender *c = s->best.contender;
    tool_put_format(&s->out, "0x%010llx  %-21s ", (unsigned long long)s->best.offset,
                    etl_memory_structure_get(c->plan.layout.structure)->name);
    tool_versions_text(&s->out, s->versions);
    tool_put_format(&s->out, " %s  ", etl_arch_text(c->plan.layout.arch));
    tool_points_text(&s->out, s->best.score);
    tool_put_text(&s->out, " bits, margin ");
    tool_points_text(&s->out, s->best.margin);
    print_members(s, c->plan.layout);
    if (s->size < c->plan.size)
        tool_put_format(&s->out, "  (%u bytes missing at the end)", (unsigned)(c->plan.size - s->size));
    tool_put_char(&s->out, '\n');
}

/* Prints each hit at once: a scan of a large image takes long, and the user may stop it. */
static void print_best(scan_job *s)
{
    if (s->best.contender == NULL)
        return;
    tool_progress_end(&s->sweep.progress);
    if (s->request->json)
        print_json(s);
    else
        print_text(s);
    tool_output_flush(&s->out);
    s->count++;
    s->best.contender = NULL;
}

static bool overlaps_best(const scan_job *s, const tool_sieve_hit *hit)
{
    return s->best.contender != NULL && hit->offset < s->best.offset + s->best.contender->plan.size;
}

/* Of overlapping hits the best wins. */
static void take(scan_job *s, const tool_sieve_hit *hit)
{
    if (overlaps_best(s, hit) && (hit->contender == NULL || hit->score <= s->best.score))
        return;
    if (!overlaps_best(s, hit))
        print_best(s);
    if (hit->contender == NULL)
        return;
    const etl_span rest = tool_sweep_bytes(&s->sweep, hit->offset);
    const etl_span bytes = etl_span_first(rest, hit->contender->plan.size);
    s->versions = tool_ranking_alike(&s->ranking, hit->contender, rest);
    memcpy(s->bytes, bytes.at, bytes.size);
    s->size = bytes.size;
    s->best = *hit;
}

static void print_end(scan_job *s)
{
    if (!s->request->json) {
        tool_put_counted(&s->out, s->sweep.input.size, "byte");
        tool_put_text(&s->out, ", ");
        tool_put_counted(&s->out, s->count, "candidate");
        tool_put_char(&s->out, '\n');
        return;
    }
    tool_json_object(&s->json, NULL);
    tool_json_text(&s->json, "rec", "end");
    tool_json_u64(&s->json, "bytes", s->sweep.input.size);
    tool_json_u64(&s->json, "candidates", s->count);
    tool_json_object_end(&s->json);
    tool_json_line(&s->json);
}

/* Explains an empty result if --offset is past the end. */
static void report_offset_past_end(const scan_job *s)
{
    const tool_input *input = &s->sweep.input;
    if (s->request->offset > 0 && s->request->offset >= input->size)
        tool_print_error("%s: offset %llu is past the end of the file, which has %llu bytes", input->title,
                         (unsigned long long)s->request->offset, (unsigned long long)input->size);
}

static tool_exit scan(scan_job *s)
{
    tool_sieve_hit hit;
    while (!s->out.error && tool_sweep_next(&s->sweep, s->request->threshold, &hit))
        take(s, &hit);
    print_best(s);
    tool_progress_end(&s->sweep.progress);
    if (s->sweep.failed)
        return TOOL_EXIT_INPUT;
    report_offset_past_end(s);
    print_end(s);
    return s->count > 0 ? TOOL_EXIT_CONFORMING : TOOL_EXIT_NOT_ETL;
}

static tool_exit scan_file(scan_job *s)
{
    if (!tool_sweep_open(&s->sweep, &s->ranking, s->request->file, s->request->offset))
        return TOOL_EXIT_INPUT;
    tool_output_open(&s->out);
    tool_json_open(&s->json, &s->out);
    tool_exit code = scan(s);
    const tool_exit closed = tool_output_close(&s->out);
    tool_sweep_close(&s->sweep);
    return closed != TOOL_EXIT_CONFORMING ? closed : code;
}

tool_exit tool_layout_scan(const tool_layout_request *request)
{
    scan_job s = {.request = request};
    if (!tool_ranking_open(&s.ranking, request))
        return TOOL_EXIT_LIMIT;
    tool_exit code = TOOL_EXIT_LIMIT;
    s.bytes = malloc(s.ranking.most);
    if (s.bytes != NULL)
        code = scan_file(&s);
    else
        tool_print_error("out of memory");
    free(s.bytes);
    tool_ranking_close(&s.ranking);
    return code;
}
