/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as a pattern file of the hex editor ImHex.
 */
#include <inttypes.h>

#include "etlproof/format.h"

#include "layout/declarations.h"
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

static void values(tool_output *out)
{
    tool_put_text(out, "\nenum " CLOCK_TYPE " : u32 {\n");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++)
        tool_put_format(out, "%s    %s = %" PRIu32, type > 0 ? ",\n" : "", etl_clock_type_name(type), type);
    tool_put_text(out, "\n};\n");
}

static bool has_bits(etl_memory_layout layout, const etl_memory_member *member)
{
    etl_memory_bits bits;
    return tool_layout_bits(layout, member, 0, &bits);
}

static void type_name(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const char sign = member->kind == ETL_MEMORY_KIND_SIGNED ? 's' : 'u';
    if (tool_put_named_type(out, member, owner->layout.arch, "u8"))
        return;
    if (has_bits(owner->layout, member))
        tool_put_owned_name(out, owner, entry);
    else if (member->meaning == ETL_MEMORY_MEANING_CLOCK_TYPE)
        tool_put_text(out, CLOCK_TYPE);
    else
        tool_put_format(out, "%c%" PRIu32, sign, tool_layout_number_bits(member));
}

static void declare(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    tool_put_text(out, "    ");
    if (entry->is_gap) {
        tool_put_format(out, "padding[%" PRIu32 "];", member->size);
    } else {
        type_name(out, owner, entry);
        tool_put_char(out, ' ');
        tool_put_declarator(out, entry);
    }
    tool_put_format(out, " // %s%s0x%03" PRIx32, member->type, member->type[0] != '\0' ? ", " : "", member->offset);
    tool_layout_evidence_text(out, member->evidence, false);
    tool_put_char(out, '\n');
}

/* Bits up to `to` that have no name. */
static void skip_bits(tool_output *out, uint32_t *at, uint32_t to)
{
    if (to > *at)
        tool_put_format(out, "    padding : %" PRIu32 ";\n", to - *at);
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
static void bit_type(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    etl_memory_bits bits;
    uint32_t at = 0, index = 0;
    if (!has_bits(owner->layout, &entry->member))
        return;
    tool_put_text(out, "\nbitfield ");
    tool_put_owned_name(out, owner, entry);
    tool_put_text(out, " {\n");
    while (tool_layout_next_taken_bits(owner->layout, &entry->member, &index, &bits)) {
        skip_bits(out, &at, lowest_bit(bits.mask));
        tool_put_format(out, "    %s : %" PRIu32 ";", bits.name, width_of(bits.mask));
        if (!tool_layout_is_plain(bits.evidence))
            tool_put_format(out, " // %s", etl_evidence_get(bits.evidence)->text);
        tool_put_char(out, '\n');
        at += width_of(bits.mask);
    }
    skip_bits(out, &at, 8 * entry->member.size);
    tool_put_text(out, "};\n");
}

static void bit_types(tool_output *out, const tool_layout_owner *owner)
{
    tool_layout_view view = tool_layout_view_open(owner->layout);
    tool_layout_entry entry;
    while (tool_layout_view_next(&view, &entry))
        if (entry.taken)
            bit_type(out, owner, &entry);
}

/* Members that share bytes: a type of its own, named by the first of them. */
static void union_types(tool_output *out, const tool_layout_owner *owner)
{
    tool_layout_view view = tool_layout_view_open(owner->layout);
    tool_layout_entry entry;
    tool_layout_group group;
    while (tool_layout_next_taken(&view, &entry, &group)) {
        if (group.begins) {
            tool_put_text(out, "\nunion ");
            tool_put_owned_name(out, owner, &entry);
            tool_put_text(out, "_union {\n");
        }
        if (group.inside)
            declare(out, owner, &entry);
        if (group.ends)
            tool_put_text(out, "};\n");
    }
}

static void use_union(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *first)
{
    tool_put_text(out, "    ");
    tool_put_owned_name(out, owner, first);
    tool_put_text(out, "_union ");
    tool_put_member_name(out, first);
    tool_put_format(out, "_union; // 0x%03" PRIx32 "\n", first->member.offset);
}

static void structure(tool_output *out, etl_memory_layout layout)
{
    const tool_layout_owner owner = {layout, ETL_MEMORY_KIND_COUNT};
    tool_layout_view view = tool_layout_view_open(layout);
    tool_layout_entry entry;
    tool_layout_group group;
    bit_types(out, &owner);
    union_types(out, &owner);
    tool_put_text(out, "\nstruct ");
    tool_put_layout_name(out, layout);
    tool_put_text(out, " {\n");
    while (tool_layout_next_taken(&view, &entry, &group)) {
        if (group.begins)
            use_union(out, &owner, &entry);
        else if (!group.inside)
            declare(out, &owner, &entry);
    }
    tool_put_text(out, "};\n");
}

static void alias(tool_output *out, etl_memory_layout layout, etl_memory_layout same)
{
    tool_put_text(out, "using ");
    tool_put_layout_name(out, layout);
    tool_put_text(out, " = ");
    tool_put_layout_name(out, same);
    tool_put_text(out, ";\n");
}

static void kind_type(tool_output *out, const tool_layout_owner *owner)
{
    (void)tool_layout_declare_parts(out, owner, bit_type);
    tool_put_text(out, "\nstruct ");
    tool_put_owner_name(out, owner);
    tool_put_text(out, " {\n");
    (void)tool_layout_declare_parts(out, owner, declare);
    tool_put_text(out, "};\n");
}

void tool_layout_export_imhex(tool_output *out, etl_memory_layout wanted)
{
    static const tool_layout_language imhex = {preamble, "", "// ", "", values, kind_type, structure, alias};
    tool_layout_declare(out, wanted, &imhex);
}
