/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as a pattern file of the hex editor ImHex.
 */
#include <inttypes.h>

#include "etlproof/format.h"

#include "layout/declare.h"
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

#define CLOCK_TYPE "ETW_LAYOUT_CLOCK_TYPE"

static void values(etl_out *out)
{
    etl_out_text(out, "\nenum " CLOCK_TYPE " : u32 {\n");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++)
        etl_out_format(out, "%s    %s = %" PRIu32, type > 0 ? ",\n" : "", etl_clock_type_name(type), type);
    etl_out_text(out, "\n};\n");
}

static bool has_bits(etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    return etl_layout_bits(layout, member, 0, &bits);
}

static void type_name(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const char sign = member->kind == ETL_MEMORY_KIND_SIGNED ? 's' : 'u';
    if (etl_out_named_type(out, member, owner->layout.arch, "u8"))
        return;
    if (has_bits(owner->layout, member))
        etl_out_owned_name(out, owner, entry);
    else if (member->meaning == ETL_MEMORY_MEANING_CLOCK_TYPE)
        etl_out_text(out, CLOCK_TYPE);
    else
        etl_out_format(out, "%c%" PRIu32, sign, etl_layout_number_bits(member));
}

static void declare(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    etl_out_text(out, "    ");
    if (entry->is_gap) {
        etl_out_format(out, "padding[%" PRIu32 "];", member->size);
    } else {
        type_name(out, owner, entry);
        etl_out_char(out, ' ');
        etl_out_declarator(out, entry);
    }
    etl_out_format(out, " // %s%s0x%03" PRIx32, member->type, member->type[0] != '\0' ? ", " : "", member->offset);
    etl_layout_evidence_text(out, member->evidence, false);
    etl_out_char(out, '\n');
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

/* The type of a member whose bits have names. */
static void bit_type(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *entry)
{
    etl_memory_bits bits;
    uint32_t at = 0, index = 0;
    if (!has_bits(owner->layout, &entry->member))
        return;
    etl_out_text(out, "\nbitfield ");
    etl_out_owned_name(out, owner, entry);
    etl_out_text(out, " {\n");
    while (etl_layout_next_taken_bits(owner->layout, &entry->member, &index, &bits)) {
        skip_bits(out, &at, lowest_bit(bits.mask));
        etl_out_format(out, "    %s : %" PRIu32 ";", bits.name, width_of(bits.mask));
        if (!etl_layout_is_plain(bits.evidence))
            etl_out_format(out, " // %s", etl_evidence_get(bits.evidence)->text);
        etl_out_char(out, '\n');
        at += width_of(bits.mask);
    }
    skip_bits(out, &at, 8 * entry->member.size);
    etl_out_text(out, "};\n");
}

static void bit_types(etl_out *out, const etl_layout_owner *owner)
{
    etl_layout_view view = etl_layout_view_open(owner->layout);
    etl_layout_entry entry;
    while (etl_layout_view_next(&view, &entry))
        if (entry.taken)
            bit_type(out, owner, &entry);
}

/* Members that share bytes: a type of its own, named by the first of them. */
static void union_types(etl_out *out, const etl_layout_owner *owner)
{
    etl_layout_view view = etl_layout_view_open(owner->layout);
    etl_layout_entry entry;
    etl_layout_group group;
    while (etl_layout_next_taken(&view, &entry, &group)) {
        if (group.begins) {
            etl_out_text(out, "\nunion ");
            etl_out_owned_name(out, owner, &entry);
            etl_out_text(out, "_union {\n");
        }
        if (group.inside)
            declare(out, owner, &entry);
        if (group.ends)
            etl_out_text(out, "};\n");
    }
}

static void use_union(etl_out *out, const etl_layout_owner *owner, const etl_layout_entry *first)
{
    etl_out_text(out, "    ");
    etl_out_owned_name(out, owner, first);
    etl_out_text(out, "_union ");
    etl_out_member_name(out, first);
    etl_out_format(out, "_union; // 0x%03" PRIx32 "\n", first->member.offset);
}

static void structure(etl_out *out, etl_memory_layout layout)
{
    const etl_layout_owner owner = {layout, ETL_MEMORY_KIND_COUNT};
    etl_layout_view view = etl_layout_view_open(layout);
    etl_layout_entry entry;
    etl_layout_group group;
    bit_types(out, &owner);
    union_types(out, &owner);
    etl_out_text(out, "\nstruct ");
    etl_out_layout_name(out, layout);
    etl_out_text(out, " {\n");
    while (etl_layout_next_taken(&view, &entry, &group)) {
        if (group.begins)
            use_union(out, &owner, &entry);
        else if (!group.inside)
            declare(out, &owner, &entry);
    }
    etl_out_text(out, "};\n");
}

static void alias(etl_out *out, etl_memory_layout layout, etl_memory_layout same)
{
    etl_out_text(out, "using ");
    etl_out_layout_name(out, layout);
    etl_out_text(out, " = ");
    etl_out_layout_name(out, same);
    etl_out_text(out, ";\n");
}

static void kind_type(etl_out *out, const etl_layout_owner *owner)
{
    (void)etl_layout_declare_parts(out, owner, bit_type);
    etl_out_text(out, "\nstruct ");
    etl_out_owner_name(out, owner);
    etl_out_text(out, " {\n");
    (void)etl_layout_declare_parts(out, owner, declare);
    etl_out_text(out, "};\n");
}

void etl_layout_export_imhex(etl_out *out, etl_memory_layout wanted)
{
    static const etl_layout_language imhex = {preamble, "", "// ", "", values, kind_type, structure, alias};
    etl_layout_declare(out, wanted, &imhex);
}
