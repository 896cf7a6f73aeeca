/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --diff: compares the members of two versions of a structure: which were added, removed, moved, retyped,
 * or got other bits.
 */
#include <inttypes.h>
#include <string.h>

#include "layout/layout_request.h"
#include "layout/value.h"
#include "layout/view.h"

/* A member of one version, and its counterpart in the other version. */
typedef struct pair {
    etl_memory_layout layout, other_layout;
    etl_memory_member member, other;
    bool has_other, moved, retyped;
    bool recalled; /* its bits have other names */
} pair;

/* The `nth` taken member of that name, from 0. Unnamed members may share a description. */
static bool find(etl_memory_layout layout, const char *name, uint32_t nth, etl_memory_member *member)
{
    etl_memory_walk walk = etl_memory_members(layout);
    while (tool_layout_next_member(&walk, member))
        if (strcmp(member->name, name) == 0 && nth-- == 0)
            return true;
    return false;
}

/* The number of a member among those of its name. */
static uint32_t nth_of(etl_memory_layout layout, const etl_memory_member *wanted)
{
    etl_memory_member member;
    uint32_t nth = 0;
    while (find(layout, wanted->name, nth, &member) && member.offset != wanted->offset)
        nth++;
    return nth;
}

/* True if the member has a taken run with the same mask and name. */
static bool has_run(etl_memory_layout layout, const etl_memory_member *member, const etl_memory_bits *wanted)
{
    etl_memory_bits run;
    uint32_t at = 0;
    while (tool_layout_next_taken_bits(layout, member, &at, &run))
        if (run.mask == wanted->mask && strcmp(run.name, wanted->name) == 0)
            return true;
    return false;
}

/* The next taken run from `*at` on that the other version lacks. */
static bool next_run(const pair *p, bool of_other, uint32_t *at, etl_memory_bits *run)
{
    const etl_memory_layout one = of_other ? p->other_layout : p->layout, two = of_other ? p->layout : p->other_layout;
    const etl_memory_member *member = of_other ? &p->other : &p->member, *beside = of_other ? &p->member : &p->other;
    while (p->has_other && tool_layout_next_taken_bits(one, member, at, run))
        if (!has_run(two, beside, run))
            return true;
    return false;
}

static bool is_recalled(const pair *p)
{
    uint32_t at = 0, other_at = 0;
    etl_memory_bits run;
    return next_run(p, false, &at, &run) || next_run(p, true, &other_at, &run);
}

/* The next taken member and its counterpart. */
static bool next_pair(etl_memory_walk *walk, etl_memory_layout other, pair *p)
{
    *p = (pair){.layout = walk->layout, .other_layout = other};
    if (!tool_layout_next_member(walk, &p->member))
        return false;
    p->has_other = find(other, p->member.name, nth_of(walk->layout, &p->member), &p->other);
    p->moved = p->has_other && p->member.offset != p->other.offset;
    p->retyped = p->has_other && (p->member.size != p->other.size || strcmp(p->member.type, p->other.type) != 0);
    p->recalled = is_recalled(p);
    return true;
}

static bool is_changed(const pair *p)
{
    return p->moved || p->retyped || p->recalled;
}

static void row(tool_output *out, const char *mark, const etl_memory_member *member)
{
    tool_put_format(out, "%s +0x%03" PRIx32 "  %5" PRIu32 "  %-36s %s", mark, member->offset, member->size, member->name,
                    member->type);
}

static void end_row(tool_output *out, const etl_memory_member *member, bool evidence)
{
    tool_layout_evidence_text(out, member->evidence, evidence);
    tool_put_char(out, '\n');
}

static void runs_text(tool_output *out, const pair *p, bool of_other, bool evidence)
{
    uint32_t at = 0;
    for (etl_memory_bits run; next_run(p, of_other, &at, &run);)
        tool_layout_bits_line(out, of_other ? "-" : "+", &run, evidence);
}

static void changed_text(tool_output *out, const pair *p, bool evidence)
{
    row(out, p->retyped ? "~" : p->moved ? ">" : "*", &p->member);
    if (p->moved)
        tool_put_format(out, "  [was at +0x%03" PRIx32 "%s%s]", p->other.offset,
                        tool_layout_is_plain(p->other.evidence) ? "" : ", ",
                        tool_layout_is_plain(p->other.evidence) ? "" : etl_evidence_get(p->other.evidence)->text);
    if (p->retyped)
        tool_put_format(out, "  [was %s, %" PRIu32 " bytes]", p->other.type, p->other.size);
    end_row(out, &p->member, evidence);
    runs_text(out, p, true, evidence);
    runs_text(out, p, false, evidence);
}

static void only_text(tool_output *out, const char *mark, const pair *p, bool evidence)
{
    row(out, mark, &p->member);
    end_row(out, &p->member, evidence);
}

static void gone_text(tool_output *out, etl_memory_layout from, etl_memory_layout to, bool evidence)
{
    etl_memory_walk walk = etl_memory_members(from);
    for (pair p; next_pair(&walk, to, &p);)
        if (!p.has_other)
            only_text(out, "-", &p, evidence);
}

static void diff_text(tool_output *out, etl_memory_layout from, etl_memory_layout to, bool evidence)
{
    etl_memory_walk walk = etl_memory_members(to);
    uint32_t same = 0;
    tool_put_format(out, "%s, %s: %s (%s), 0x%" PRIx32 " bytes, to %s (%s), 0x%" PRIx32 " bytes\n",
                    etl_memory_structure_get(to.structure)->name, etl_arch_text(to.arch),
                    etl_windows_get(from.windows)->text, etl_windows_get(from.windows)->title, etl_memory_size(from),
                    etl_windows_get(to.windows)->text, etl_windows_get(to.windows)->title, etl_memory_size(to));
    tool_layout_claim_text(out, "  ", from, "");
    tool_layout_claim_text(out, "  ", to, "");
    tool_put_text(out, "  - removed, + added, > moved, ~ retyped, * bits changed\n");
    gone_text(out, from, to, evidence);
    for (pair p; next_pair(&walk, from, &p);) {
        if (is_changed(&p))
            changed_text(out, &p, evidence);
        else if (!p.has_other)
            only_text(out, "+", &p, evidence);
        else
            same++;
    }
    tool_put_format(out, "  %" PRIu32 " members unchanged\n", same);
}

static void member_json(tool_json *json, const char *key, const etl_memory_member *member)
{
    tool_json_object(json, key);
    if (key == NULL)
        tool_json_text(json, "name", member->name);
    tool_json_text(json, "type", member->type);
    tool_json_u32(json, "offset", member->offset);
    tool_json_u32(json, "size", member->size);
    tool_json_text(json, "evidence", tool_layout_evidence_name(member->evidence));
    tool_json_object_end(json);
}

/* The members that only `one` has. */
static void only_json(tool_json *json, const char *key, etl_memory_layout one, etl_memory_layout other)
{
    etl_memory_walk walk = etl_memory_members(one);
    tool_json_array(json, key);
    for (pair p; next_pair(&walk, other, &p);)
        if (!p.has_other)
            member_json(json, NULL, &p.member);
    tool_json_array_end(json);
}

static void runs_json(tool_json *json, const pair *p, bool of_other)
{
    uint32_t at = 0;
    tool_json_array(json, of_other ? "gone_bits" : "new_bits");
    for (etl_memory_bits run; next_run(p, of_other, &at, &run);)
        tool_layout_bits_object(json, &run);
    tool_json_array_end(json);
}

static void changed_json(tool_json *json, etl_memory_layout from, etl_memory_layout to)
{
    etl_memory_walk walk = etl_memory_members(to);
    tool_json_array(json, "changed");
    for (pair p; next_pair(&walk, from, &p);) {
        if (!is_changed(&p))
            continue;
        tool_json_object(json, NULL);
        tool_json_text(json, "name", p.member.name);
        tool_json_bool(json, "moved", p.moved);
        tool_json_bool(json, "retyped", p.retyped);
        member_json(json, "from", &p.other);
        member_json(json, "to", &p.member);
        if (p.recalled) {
            runs_json(json, &p, true);
            runs_json(json, &p, false);
        }
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

static void version_json(tool_json *json, const char *key, etl_memory_layout layout)
{
    tool_json_object(json, key);
    tool_json_text(json, "windows", etl_windows_get(layout.windows)->text);
    tool_json_text(json, "title", etl_windows_get(layout.windows)->title);
    tool_json_u32(json, "size", etl_memory_size(layout));
    tool_layout_claim_json(json, layout);
    tool_json_object_end(json);
}

static void diff_json(tool_output *out, etl_memory_layout from, etl_memory_layout to)
{
    tool_json json;
    tool_json_open(&json, out);
    tool_json_object(&json, NULL);
    tool_json_text(&json, "structure", etl_memory_structure_get(to.structure)->name);
    tool_json_text(&json, "arch", etl_arch_text(to.arch));
    version_json(&json, "from", from);
    version_json(&json, "to", to);
    only_json(&json, "gone", from, to);
    only_json(&json, "new", to, from);
    changed_json(&json, from, to);
    tool_json_object_end(&json);
    tool_json_line(&json);
}

tool_exit tool_layout_diff(const tool_layout_request *request)
{
    etl_memory_layout from = request->layout, to = request->layout;
    tool_output out;
    from.windows = request->from;
    to.windows = request->to;
    tool_output_open(&out);
    if (request->json)
        diff_json(&out, from, to);
    else
        diff_text(&out, from, to, request->evidence);
    return tool_output_close(&out);
}
