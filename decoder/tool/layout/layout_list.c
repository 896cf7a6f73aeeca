/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --list: the members of one version of a structure, or all its known versions.
 */
#include <inttypes.h>

#include "etlproof/format.h"

#include "layout/layout_request.h"
#include "layout/value.h"
#include "layout/view.h"

/* The names of the bits of a member in this version, rejected rows included. */
static void bits_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    if (!tool_layout_bits(layout, member, 0, &bits))
        return;
    tool_json_array(json, "bits");
    for (uint32_t i = 0; tool_layout_bits(layout, member, i, &bits); i++)
        tool_layout_bits_object(json, &bits);
    tool_json_array_end(json);
}

static void clock_types_json(tool_json *json, const etl_memory_member *member)
{
    if (member->meaning != ETL_MEMORY_MEANING_CLOCK_TYPE)
        return;
    tool_json_array(json, "clock_types");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++)
        tool_json_text(json, NULL, etl_clock_type_name(type));
    tool_json_array_end(json);
}

/* The parts of one element. */
static void parts_json(tool_json *json, etl_memory_layout layout, const etl_memory_member *member)
{
    const etl_memory_member element = etl_memory_element(member, 0);
    etl_memory_member part;
    if (!etl_memory_part(&element, layout.arch, 0, &part))
        return;
    tool_json_array(json, "parts");
    for (uint32_t i = 0; etl_memory_part(&element, layout.arch, i, &part); i++) {
        tool_json_object(json, NULL);
        tool_json_text(json, "name", part.name);
        tool_json_text(json, "kind", tool_layout_kind_name(part.kind));
        tool_json_u32(json, "offset", part.offset);
        tool_json_u32(json, "size", part.size);
        bits_json(json, layout, &part);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

static void member_json(tool_json *json, etl_memory_layout layout, const tool_layout_entry *entry)
{
    tool_json_object(json, NULL);
    tool_layout_member_json(json, entry);
    tool_json_u32(json, "offset", entry->member.offset);
    tool_json_u32(json, "size", entry->member.size);
    bits_json(json, layout, &entry->member);
    clock_types_json(json, &entry->member);
    parts_json(json, layout, &entry->member);
    tool_json_object_end(json);
}

void tool_layout_list_json(tool_json *json, etl_memory_layout layout)
{
    tool_layout_view view = tool_layout_view_open(layout);
    tool_layout_entry entry;
    tool_json_object(json, NULL);
    tool_layout_head_json(json, layout);
    tool_json_array(json, "members");
    while (tool_layout_view_next(&view, &entry))
        member_json(json, layout, &entry);
    tool_json_array_end(json);
    tool_json_object_end(json);
}

static void row(tool_output *out, const tool_layout_entry *entry, bool evidence)
{
    const etl_memory_member *member = &entry->member;
    tool_put_format(out, "%s +0x%03" PRIx32 "  %5" PRIu32 "  ", entry->taken ? " " : "-", member->offset, member->size);
    if (entry->is_gap)
        tool_put_text(out, member->name);
    else
        tool_put_format(out, "%-36s %s", member->name, member->type);
    tool_layout_marks_text(out, entry, evidence);
    tool_put_char(out, '\n');
}

static void bits_text(tool_output *out, etl_memory_layout layout, const etl_memory_member *member, bool evidence)
{
    etl_memory_bits bits;
    for (uint32_t i = 0; tool_layout_bits(layout, member, i, &bits); i++)
        tool_layout_bits_line(out, etl_evidence_get(bits.evidence)->taken ? " " : "-", &bits, evidence);
}

static void members_text(tool_output *out, etl_memory_layout layout, bool evidence)
{
    tool_layout_view view = tool_layout_view_open(layout);
    tool_layout_entry entry;
    tool_layout_head_text(out, layout);
    while (tool_layout_view_next(&view, &entry)) {
        row(out, &entry, evidence);
        bits_text(out, layout, &entry.member, evidence);
    }
}

static void version_text(tool_output *out, etl_memory_layout layout)
{
    etl_memory_claim claim;
    tool_put_format(out, "  %-9s  %s  %4" PRIu32 " (0x%03" PRIx32 ") bytes  %s", etl_windows_get(layout.windows)->text,
                    etl_arch_text(layout.arch), etl_memory_size(layout), etl_memory_size(layout),
                    etl_windows_get(layout.windows)->title);
    if (etl_memory_claimed(layout, &claim))
        tool_put_format(out, "  [not taken: as %s]", etl_windows_get(claim.layout.windows)->text);
    tool_put_char(out, '\n');
}

static void versions_text(tool_output *out, etl_memory_layout wanted)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(wanted.structure);
    etl_memory_layout layout = {wanted.structure, 0, 0};
    tool_put_format(out, "%s: %s\n  source: %s\n", info->name, info->what, info->source);
    for (; tool_layout_next_known(&layout, wanted); tool_layout_step(&layout))
        version_text(out, layout);
}

static void versions_json(tool_json *json, etl_memory_layout wanted)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(wanted.structure);
    etl_memory_layout layout = {wanted.structure, 0, 0};
    tool_json_object(json, NULL);
    tool_json_text(json, "structure", info->name);
    tool_json_text(json, "what", info->what);
    tool_json_text(json, "source", info->source);
    tool_json_array(json, "layouts");
    for (; tool_layout_next_known(&layout, wanted); tool_layout_step(&layout)) {
        tool_json_object(json, NULL);
        tool_json_text(json, "windows", etl_windows_get(layout.windows)->text);
        tool_json_text(json, "title", etl_windows_get(layout.windows)->title);
        tool_json_u32(json, "first_build", etl_windows_get(layout.windows)->first_build);
        tool_json_u32(json, "last_build", etl_windows_get(layout.windows)->last_build);
        tool_json_text(json, "arch", etl_arch_text(layout.arch));
        tool_json_u32(json, "size", etl_memory_size(layout));
        tool_layout_claim_json(json, layout);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
    tool_json_object_end(json);
}

static void list_json(tool_output *out, etl_memory_layout layout, bool whole)
{
    tool_json json;
    tool_json_open(&json, out);
    if (whole)
        tool_layout_list_json(&json, layout);
    else
        versions_json(&json, layout);
    tool_json_line(&json);
}

tool_exit tool_layout_list(const tool_layout_request *request)
{
    const etl_memory_layout layout = request->layout;
    const bool whole = layout.windows < ETL_WINDOWS_COUNT && layout.arch < ETL_ARCH_COUNT;
    tool_output out;
    tool_output_open(&out);
    if (request->json)
        list_json(&out, layout, whole);
    else if (whole)
        members_text(&out, layout, request->evidence);
    else
        versions_text(&out, layout);
    return tool_output_close(&out);
}
