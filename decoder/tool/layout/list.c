/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout --list: the members of a structure, or which versions of it there are.
 */
#include <inttypes.h>

#include "etlproof/format.h"

#include "layout/layout.h"
#include "layout/value.h"
#include "layout/view.h"

/* What the bits of the member are called in this version, the rows that are not taken too. */
static void bits_json(etl_json *json, etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    if (!etl_layout_bits(layout, member, 0, &bits))
        return;
    etl_json_array(json, "bits");
    for (uint32_t i = 0; etl_layout_bits(layout, member, i, &bits); i++)
        etl_layout_bits_object(json, &bits);
    etl_json_array_end(json);
}

static void clock_types_json(etl_json *json, const etl_memory_member *member)
{
    if (member->meaning != ETL_MEMORY_MEANING_CLOCK_TYPE)
        return;
    etl_json_array(json, "clock_types");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++)
        etl_json_text(json, NULL, etl_clock_type_name(type));
    etl_json_array_end(json);
}

/* Of one element. */
static void parts_json(etl_json *json, etl_memory_layout layout, const etl_memory_member *member)
{
    const etl_memory_member element = etl_memory_element(member, 0);
    etl_memory_member part;
    if (!etl_memory_part(&element, layout.arch, 0, &part))
        return;
    etl_json_array(json, "parts");
    for (uint32_t i = 0; etl_memory_part(&element, layout.arch, i, &part); i++) {
        etl_json_object(json, NULL);
        etl_json_text(json, "name", part.name);
        etl_json_text(json, "kind", etl_layout_kind_name(part.kind));
        etl_json_u32(json, "offset", part.offset);
        etl_json_u32(json, "size", part.size);
        bits_json(json, layout, &part);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}

static void member_json(etl_json *json, etl_memory_layout layout, const etl_layout_entry *entry)
{
    etl_json_object(json, NULL);
    etl_layout_member_json(json, entry);
    etl_json_u32(json, "offset", entry->member.offset);
    etl_json_u32(json, "size", entry->member.size);
    bits_json(json, layout, &entry->member);
    clock_types_json(json, &entry->member);
    parts_json(json, layout, &entry->member);
    etl_json_object_end(json);
}

void etl_layout_list_json(etl_json *json, etl_memory_layout layout)
{
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    etl_json_object(json, NULL);
    etl_layout_head_json(json, layout);
    etl_json_array(json, "members");
    while (etl_layout_view_next(&view, &entry))
        member_json(json, layout, &entry);
    etl_json_array_end(json);
    etl_json_object_end(json);
}

static void row(etl_out *out, const etl_layout_entry *entry, bool evidence)
{
    const etl_memory_member *member = &entry->member;
    etl_out_format(out, "%s +0x%03" PRIx32 "  %5" PRIu32 "  ", entry->taken ? " " : "-", member->offset, member->size);
    if (entry->is_gap)
        etl_out_text(out, member->name);
    else
        etl_out_format(out, "%-36s %s", member->name, member->type);
    etl_layout_marks_text(out, entry, evidence);
    etl_out_char(out, '\n');
}

static void bits_text(etl_out *out, etl_memory_layout layout, const etl_memory_member *member, bool evidence)
{
    etl_memory_bits bits;
    for (uint32_t i = 0; etl_layout_bits(layout, member, i, &bits); i++)
        etl_layout_bits_line(out, etl_evidence_get(bits.evidence)->taken ? " " : "-", &bits, evidence);
}

static void members_text(etl_out *out, etl_memory_layout layout, bool evidence)
{
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    etl_layout_head_text(out, layout);
    while (etl_layout_view_next(&view, &entry)) {
        row(out, &entry, evidence);
        bits_text(out, layout, &entry.member, evidence);
    }
}

static void version_text(etl_out *out, etl_memory_layout layout)
{
    etl_memory_claim claim;
    etl_out_format(out, "  %-9s  %s  %4" PRIu32 " (0x%03" PRIx32 ") bytes  %s", etl_windows_get(layout.windows)->text,
                   etl_arch_text(layout.arch), etl_memory_size(layout), etl_memory_size(layout),
                   etl_windows_get(layout.windows)->title);
    if (etl_memory_claimed(layout, &claim))
        etl_out_format(out, "  [not taken: as %s]", etl_windows_get(claim.layout.windows)->text);
    etl_out_char(out, '\n');
}

static void versions_text(etl_out *out, etl_memory_layout wanted)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(wanted.structure);
    etl_memory_layout layout = {wanted.structure, 0, 0};
    etl_out_format(out, "%s: %s\n  source: %s\n", info->name, info->what, info->source);
    for (; etl_layout_next_known(&layout, wanted); etl_layout_step(&layout))
        version_text(out, layout);
}

static void versions_json(etl_json *json, etl_memory_layout wanted)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(wanted.structure);
    etl_memory_layout layout = {wanted.structure, 0, 0};
    etl_json_object(json, NULL);
    etl_json_text(json, "structure", info->name);
    etl_json_text(json, "what", info->what);
    etl_json_text(json, "source", info->source);
    etl_json_array(json, "layouts");
    for (; etl_layout_next_known(&layout, wanted); etl_layout_step(&layout)) {
        etl_json_object(json, NULL);
        etl_json_text(json, "windows", etl_windows_get(layout.windows)->text);
        etl_json_text(json, "title", etl_windows_get(layout.windows)->title);
        etl_json_u32(json, "first_build", etl_windows_get(layout.windows)->first_build);
        etl_json_u32(json, "last_build", etl_windows_get(layout.windows)->last_build);
        etl_json_text(json, "arch", etl_arch_text(layout.arch));
        etl_json_u32(json, "size", etl_memory_size(layout));
        etl_layout_claim_json(json, layout);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
    etl_json_object_end(json);
}

static void list_json(etl_out *out, etl_memory_layout layout, bool whole)
{
    etl_json json;
    etl_json_open(&json, out);
    if (whole)
        etl_layout_list_json(&json, layout);
    else
        versions_json(&json, layout);
    etl_json_line(&json);
}

etl_exit etl_layout_list(const etl_layout_request *request)
{
    const etl_memory_layout layout = request->layout;
    const bool whole = layout.windows < ETL_WINDOWS_COUNT && layout.arch < ETL_ARCH_COUNT;
    etl_out out;
    etl_out_open(&out);
    if (request->json)
        list_json(&out, layout, whole);
    else if (whole)
        members_text(&out, layout, request->evidence);
    else
        versions_text(&out, layout);
    return etl_out_close(&out);
}
