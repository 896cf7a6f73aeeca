/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the members of a layout and the gaps between them, and prints what all forms of `etlproof layout` share.
 */
#include "layout/view.h"

#include <inttypes.h>
#include <stddef.h>

tool_layout_view tool_layout_view_open(etl_memory_layout layout)
{
    return (tool_layout_view){etl_memory_members(layout), 0, etl_memory_size(layout)};
}

bool tool_layout_next_member(etl_memory_walk *walk, etl_memory_member *member)
{
    while (etl_memory_next(walk, member))
        if (etl_evidence_get(member->evidence)->taken)
            return true;
    return false;
}

/* The offset of the first taken member from `walk` on, or the end of the structure. */
static uint32_t next_taken(etl_memory_walk walk, uint32_t size)
{
    etl_memory_member member;
    return tool_layout_next_member(&walk, &member) ? member.offset : size;
}

etl_memory_member tool_layout_gap(uint32_t from, uint32_t to)
{
    return (etl_memory_member){.name = "(padding)",
                               .type = "",
                               .kind = ETL_MEMORY_KIND_BYTES,
                               .offset = from,
                               .size = to - from,
                               .count = 1,
                               .align = 1};
}

bool tool_layout_view_next(tool_layout_view *view, tool_layout_entry *entry)
{
    etl_memory_walk walk = view->walk;
    etl_memory_member member;
    const bool more = etl_memory_next(&walk, &member);
    const uint32_t from = next_taken(view->walk, view->size);
    /* A rejected member comes before a gap that begins at or behind it. */
    if (from > view->end && (!more || member.offset > view->end)) {
        *entry = (tool_layout_entry){.member = tool_layout_gap(view->end, from), .is_gap = true, .taken = true};
        view->end = from;
        return true;
    }
    if (!more)
        return false;
    const bool taken = etl_evidence_get(member.evidence)->taken;
    *entry = (tool_layout_entry){member, false, taken, taken && member.offset < view->end};
    view->walk = walk;
    if (taken && view->end < member.offset + member.size)
        view->end = member.offset + member.size;
    return true;
}

void tool_layout_step(etl_memory_layout *layout)
{
    layout->arch++;
    if (layout->arch == ETL_ARCH_COUNT) {
        layout->arch = 0;
        layout->windows++;
    }
}

bool tool_layout_next_known(etl_memory_layout *layout, etl_memory_layout wanted)
{
    for (; layout->windows < ETL_WINDOWS_COUNT; tool_layout_step(layout)) {
        const bool is_wanted = (wanted.windows == ETL_WINDOWS_COUNT || wanted.windows == layout->windows) &&
                               (wanted.arch == ETL_ARCH_COUNT || wanted.arch == layout->arch);
        if (is_wanted && etl_memory_size(*layout) != 0)
            return true;
    }
    return false;
}

const char *tool_layout_kind_name(etl_memory_kind kind)
{
    static const char *const names[] = {
#define ETL_MEMORY_KIND(name, meaning) #name,
#include "format/layouts/kinds.def"
    };
    return names[kind];
}

const char *tool_layout_kind_meaning(etl_memory_kind kind)
{
    static const char *const meanings[] = {
#define ETL_MEMORY_KIND(name, meaning) meaning,
#include "format/layouts/kinds.def"
    };
    return meanings[kind];
}

const char *tool_layout_evidence_name(etl_evidence evidence)
{
    static const char *const names[] = {
#define ETL_EVIDENCE(name, taken, text, meaning) #name,
#include "format/layouts/evidence.def"
    };
    return names[evidence];
}

void tool_layout_claim_json(tool_json *json, etl_memory_layout layout)
{
    etl_memory_claim claim;
    if (!etl_memory_claimed(layout, &claim))
        return;
    tool_json_object(json, "claimed");
    tool_json_text(json, "windows", etl_windows_get(claim.layout.windows)->text);
    tool_json_u32(json, "size", etl_memory_size(claim.layout));
    tool_json_text(json, "source", claim.source);
    tool_json_text(json, "evidence", tool_layout_evidence_name(claim.evidence));
    tool_json_bool(json, "taken", etl_evidence_get(claim.evidence)->taken);
    tool_json_object_end(json);
}

void tool_layout_claim_text(tool_output *out, const char *before, etl_memory_layout layout, const char *after)
{
    etl_memory_claim claim;
    if (!etl_memory_claimed(layout, &claim))
        return;
    tool_put_format(out, "%s%s as %s: %s", before, etl_windows_get(layout.windows)->text,
                    etl_windows_get(claim.layout.windows)->text, claim.source);
    tool_layout_evidence_text(out, claim.evidence, true);
    tool_put_format(out, "%s\n", after);
}

void tool_layout_head_json(tool_json *json, etl_memory_layout layout)
{
    const etl_memory_structure_info *structure = etl_memory_structure_get(layout.structure);
    const char *source = etl_memory_source(layout);
    tool_json_text(json, "structure", structure->name);
    tool_json_text(json, "windows", etl_windows_get(layout.windows)->text);
    tool_json_text(json, "title", etl_windows_get(layout.windows)->title);
    tool_json_text(json, "arch", etl_arch_text(layout.arch));
    tool_json_text(json, "source", structure->source);
    if (source != NULL)
        tool_json_text(json, "known_from", source);
    tool_json_u32(json, "size", etl_memory_size(layout));
    tool_layout_claim_json(json, layout);
}

void tool_layout_member_json(tool_json *json, const tool_layout_entry *entry)
{
    tool_json_text(json, "name", entry->member.name);
    tool_json_text(json, "type", entry->member.type);
    tool_json_u32(json, "count", entry->member.count);
    tool_json_text(json, "kind", tool_layout_kind_name(entry->member.kind));
    if (entry->is_gap)
        tool_json_bool(json, "padding", true);
    else
        tool_json_text(json, "evidence", tool_layout_evidence_name(entry->member.evidence));
    tool_json_bool(json, "taken", entry->taken);
    if (entry->shared)
        tool_json_bool(json, "shared", true);
}

void tool_layout_head_text(tool_output *out, etl_memory_layout layout)
{
    const etl_memory_structure_info *structure = etl_memory_structure_get(layout.structure);
    const etl_windows_info *windows = etl_windows_get(layout.windows);
    const char *source = etl_memory_source(layout);
    tool_put_format(out, "%s of %s (%s), %s, 0x%" PRIx32 " bytes\n", structure->name, windows->text, windows->title,
                    etl_arch_text(layout.arch), etl_memory_size(layout));
    tool_put_format(out, "  %s\n  source: %s\n", structure->what, structure->source);
    tool_put_format(out, "  known from: %s\n", source != NULL ? source : "the page alone");
    tool_layout_claim_text(out, "  ", layout, "");
}

bool tool_layout_is_plain(etl_evidence evidence)
{
    return evidence == ETL_EVIDENCE_PAGE || evidence == ETL_EVIDENCE_CONFIRMED || evidence == ETL_EVIDENCE_DUMP_ONLY;
}

void tool_layout_evidence_text(tool_output *out, etl_evidence evidence, bool all)
{
    const etl_evidence_info *info = etl_evidence_get(evidence);
    if (all || !tool_layout_is_plain(evidence))
        tool_put_format(out, "  [%s%s]", info->taken ? "" : "not taken: ", info->text);
}

void tool_layout_marks_text(tool_output *out, const tool_layout_entry *entry, bool all)
{
    if (entry->shared)
        tool_put_text(out, "  [union]");
    if (!entry->is_gap)
        tool_layout_evidence_text(out, entry->member.evidence, all);
}
