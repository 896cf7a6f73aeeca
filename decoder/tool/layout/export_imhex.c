/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as a pattern file of the hex editor ImHex.
 */
#include <inttypes.h>

#include "layout/export.h"
#include "layout/value.h"

static const char preamble[] =
    "// ETW's own structures as they lie in memory. Made by etlproof layout --export imhex.\n"
    "//\n"
    "// Place one where it begins, for example:\n"
    "//     WMI_LOGGER_CONTEXT_1903_x64 context @ 0x1000;\n"
    "\n"
    "#pragma description ETW structures in memory\n"
    "#pragma endian little\n"
    "\n"
    "struct ETW_LAYOUT_GUID {\n"
    "    u32 Data1;\n"
    "    u16 Data2;\n"
    "    u16 Data3;\n"
    "    u8 Data4[8];\n"
    "};\n";

/* "WMI_LOGGER_CONTEXT_1903_x64_Flags": the type of a member that has one of its own. */
static void own_type(etl_out *out, etl_memory_layout layout, const etl_layout_entry *entry)
{
    etl_out_layout_name(out, layout);
    etl_out_char(out, '_');
    etl_out_member_name(out, entry);
}

static bool has_bits(etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    return etl_layout_bits(layout, member, 0, &bits);
}

static void type_name(etl_out *out, etl_memory_layout layout, const etl_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const uint32_t size = member->size / member->count;
    etl_memory_member part;
    if (etl_memory_part(member, layout.arch, 0, &part))
        etl_out_format(out, "%s_%s", etl_layout_kind_name(member->kind), etl_arch_text(layout.arch));
    else if (member->kind == ETL_MEMORY_KIND_GUID)
        etl_out_text(out, "ETW_LAYOUT_GUID");
    else if (member->kind == ETL_MEMORY_KIND_BYTES)
        etl_out_text(out, "u8");
    else if (has_bits(layout, member))
        own_type(out, layout, entry);
    else
        etl_out_format(out, "%c%" PRIu32, member->kind == ETL_MEMORY_KIND_SIGNED ? 's' : 'u', 8 * size);
}

static void declare(etl_out *out, etl_memory_layout layout, const etl_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const uint32_t elements = member->kind == ETL_MEMORY_KIND_BYTES ? member->size : member->count;
    if (entry->is_gap) {
        etl_out_format(out, "    padding[%" PRIu32 "];", member->size);
    } else {
        etl_out_text(out, "    ");
        type_name(out, layout, entry);
        etl_out_char(out, ' ');
        etl_out_member_name(out, entry);
        if (elements > 1)
            etl_out_format(out, "[%" PRIu32 "]", elements);
        etl_out_char(out, ';');
    }
    etl_out_format(out, " // %s%s0x%03" PRIx32 "\n", member->type, member->type[0] != '\0' ? ", " : "", member->offset);
}

/* Bits up to `to` that have no name. */
static void skip_bits(etl_out *out, uint32_t *at, uint32_t to)
{
    if (to > *at)
        etl_out_format(out, "    padding : %" PRIu32 ";\n", to - *at);
    *at = to;
}

static uint32_t lowest_bit(uint32_t mask)
{
    uint32_t bit = 0;
    while ((mask >> bit & 1) == 0)
        bit++;
    return bit;
}

static uint32_t width_of(uint32_t mask)
{
    uint32_t width = 0;
    for (; mask != 0; mask &= mask - 1)
        width++;
    return width;
}

static void bit_type(etl_out *out, etl_memory_layout layout, const etl_layout_entry *entry)
{
    etl_memory_bits bits;
    uint32_t at = 0;
    etl_out_text(out, "\nbitfield ");
    own_type(out, layout, entry);
    etl_out_text(out, " {\n");
    for (uint32_t i = 0; etl_layout_bits(layout, &entry->member, i, &bits); i++) {
        if (!etl_evidence_get(bits.evidence)->taken)
            continue;
        skip_bits(out, &at, lowest_bit(bits.mask));
        etl_out_format(out, "    %s : %" PRIu32 ";\n", bits.name, width_of(bits.mask));
        at += width_of(bits.mask);
    }
    skip_bits(out, &at, 8 * entry->member.size);
    etl_out_text(out, "};\n");
}

static void bit_types(etl_out *out, etl_memory_layout layout)
{
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    while (etl_layout_view_next(&view, &entry))
        if (entry.taken && has_bits(layout, &entry.member))
            bit_type(out, layout, &entry);
}

/* Members that share bytes: a type of its own, named by the first of them. */
static void union_types(etl_out *out, etl_memory_layout layout)
{
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    etl_layout_group group;
    while (etl_layout_next_taken(&view, &entry, &group)) {
        if (group.begins) {
            etl_out_text(out, "\nunion ");
            own_type(out, layout, &entry);
            etl_out_text(out, "_union {\n");
        }
        if (group.inside)
            declare(out, layout, &entry);
        if (group.ends)
            etl_out_text(out, "};\n");
    }
}

static void use_union(etl_out *out, etl_memory_layout layout, const etl_layout_entry *first)
{
    etl_out_text(out, "    ");
    own_type(out, layout, first);
    etl_out_text(out, "_union ");
    etl_out_member_name(out, first);
    etl_out_format(out, "_union; // 0x%03" PRIx32 "\n", first->member.offset);
}

static void structure(etl_out *out, etl_memory_layout layout)
{
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    etl_layout_group group;
    bit_types(out, layout);
    union_types(out, layout);
    etl_out_format(out, "\n// %s, %s, 0x%" PRIx32 " bytes\nstruct ", etl_windows_get(layout.windows)->title,
                   etl_arch_text(layout.arch), etl_memory_size(layout));
    etl_out_layout_name(out, layout);
    etl_out_text(out, " {\n");
    while (etl_layout_next_taken(&view, &entry, &group)) {
        if (group.begins)
            use_union(out, layout, &entry);
        else if (!group.inside)
            declare(out, layout, &entry);
    }
    etl_out_text(out, "};\n");
}

static void alias(etl_out *out, etl_memory_layout layout, etl_memory_layout same)
{
    etl_out_format(out, "\n// %s, %s: the same\nusing ", etl_windows_get(layout.windows)->title,
                   etl_arch_text(layout.arch));
    etl_out_layout_name(out, layout);
    etl_out_text(out, " = ");
    etl_out_layout_name(out, same);
    etl_out_text(out, ";\n");
}

static void kind_type(etl_out *out, etl_memory_kind kind, etl_arch arch)
{
    const etl_memory_layout layout = {ETL_MEMORY_STRUCTURE_COUNT, ETL_WINDOWS_COUNT, arch};
    const etl_memory_member whole = {.kind = kind, .count = 1};
    etl_memory_member part;
    uint32_t end = 0;
    if (!etl_memory_part(&whole, arch, 0, &part))
        return;
    etl_out_format(out, "\nstruct %s_%s {\n", etl_layout_kind_name(kind), etl_arch_text(arch));
    for (uint32_t i = 0; etl_memory_part(&whole, arch, i, &part); i++) {
        const etl_layout_entry entry = {.member = part, .taken = true};
        const etl_layout_entry gap = {.member = etl_layout_gap(end, part.offset), .is_gap = true, .taken = true};
        if (gap.member.size > 0)
            declare(out, layout, &gap);
        declare(out, layout, &entry);
        end = part.offset + part.size;
    }
    etl_out_text(out, "};\n");
}

void etl_layout_export_imhex(etl_out *out, etl_memory_layout wanted)
{
    etl_memory_layout layout = {0, 0, 0};
    etl_out_text(out, preamble);
    for (etl_arch arch = 0; arch < ETL_ARCH_COUNT; arch++)
        for (etl_memory_kind kind = 0; kind < ETL_MEMORY_KIND_COUNT; kind++)
            if (wanted.arch == ETL_ARCH_COUNT || wanted.arch == arch)
                kind_type(out, kind, arch);
    for (; etl_layout_next_wanted(&layout, wanted); etl_layout_step(&layout)) {
        const etl_memory_layout same = etl_layout_first_same(layout, wanted);
        if (same.windows == layout.windows)
            structure(out, layout);
        else
            alias(out, layout, same);
    }
}
