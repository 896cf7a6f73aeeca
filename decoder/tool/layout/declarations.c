/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks layouts and declares them in a language that export_c.c or export_imhex.c describes.
 */
#include "layout/declarations.h"

#include <inttypes.h>

#include "layout/value.h"

static void kind_name(tool_output *out, etl_memory_kind kind, etl_arch arch)
{
    tool_put_format(out, "%s_%s", tool_layout_kind_name(kind), etl_arch_text(arch));
}

void tool_put_owner_name(tool_output *out, const tool_layout_owner *owner)
{
    if (owner->kind == ETL_MEMORY_KIND_COUNT)
        tool_put_layout_name(out, owner->layout);
    else
        kind_name(out, owner->kind, owner->layout.arch);
}

void tool_put_owned_name(tool_output *out, const tool_layout_owner *owner, const tool_layout_entry *entry)
{
    tool_put_owner_name(out, owner);
    tool_put_char(out, '_');
    tool_put_member_name(out, entry);
}

bool tool_put_named_type(tool_output *out, const etl_memory_member *member, etl_arch arch, const char *byte)
{
    etl_memory_member part;
    if (etl_memory_part(member, arch, 0, &part))
        kind_name(out, member->kind, arch);
    else if (member->kind == ETL_MEMORY_KIND_GUID)
        tool_put_text(out, "ETW_LAYOUT_GUID");
    else if (member->kind == ETL_MEMORY_KIND_BYTES)
        tool_put_text(out, byte);
    else
        return false;
    return true;
}

uint32_t tool_layout_number_bits(const etl_memory_member *member)
{
    return 8 * (member->size / member->count);
}

void tool_put_declarator(tool_output *out, const tool_layout_entry *entry)
{
    const etl_memory_member *member = &entry->member;
    const uint32_t elements = member->kind == ETL_MEMORY_KIND_BYTES ? member->size : member->count;
    tool_put_member_name(out, entry);
    if (elements > 1)
        tool_put_format(out, "[%" PRIu32 "]", elements);
    tool_put_char(out, ';');
}

uint32_t tool_layout_declare_parts(tool_output *out, const tool_layout_owner *owner,
                                   void (*each)(tool_output *out, const tool_layout_owner *owner,
                                                const tool_layout_entry *entry))
{
    const etl_memory_member whole = {.kind = owner->kind, .count = 1};
    etl_memory_member part;
    uint32_t end = 0;
    for (uint32_t i = 0; etl_memory_part(&whole, owner->layout.arch, i, &part); i++) {
        const tool_layout_entry gap = {.member = tool_layout_gap(end, part.offset), .is_gap = true, .taken = true};
        const tool_layout_entry entry = {.member = part, .taken = true};
        if (gap.member.size > 0)
            each(out, owner, &gap);
        each(out, owner, &entry);
        end = part.offset + part.size;
    }
    return end;
}

static bool is_structure(etl_memory_kind kind)
{
    const etl_memory_member whole = {.kind = kind, .count = 1};
    etl_memory_member part;
    return etl_memory_part(&whole, 0, 0, &part);
}

static bool has_kind(etl_memory_layout layout, etl_memory_kind kind)
{
    etl_memory_walk walk = etl_memory_members(layout);
    for (etl_memory_member member; tool_layout_next_member(&walk, &member);)
        if (member.kind == kind)
            return true;
    return false;
}

static tool_layout_owner owner_of(etl_memory_kind kind, etl_arch arch)
{
    const etl_memory_layout wanted = {ETL_MEMORY_STRUCTURE_COUNT, ETL_WINDOWS_COUNT, arch};
    tool_layout_owner owner = {wanted, kind};
    etl_memory_layout layout = {0, 0, arch};
    for (; tool_layout_next_wanted(&layout, wanted); tool_layout_step(&layout))
        if (has_kind(layout, kind))
            owner.layout = layout;
    return owner;
}

static void declare_kinds(tool_output *out, etl_arch arch, const tool_layout_language *language)
{
    for (etl_memory_kind kind = 0; kind < ETL_MEMORY_KIND_COUNT; kind++) {
        const tool_layout_owner owner = owner_of(kind, arch);
        if (is_structure(kind))
            language->kind(out, &owner);
    }
}

static void not_taken_bits(tool_output *out, etl_memory_layout layout, const etl_memory_member *member,
                           const tool_layout_language *language)
{
    etl_memory_bits bits;
    for (uint32_t i = 0; tool_layout_bits(layout, member, i, &bits); i++)
        if (!etl_evidence_get(bits.evidence)->taken)
            tool_put_format(out, "%s0x%08" PRIx32 " of %s, %s: not taken: %s%s\n", language->comment, bits.mask,
                            member->name, bits.name, etl_evidence_get(bits.evidence)->text, language->comment_end);
}

static void not_taken(tool_output *out, etl_memory_layout layout, const tool_layout_language *language)
{
    etl_memory_walk walk = etl_memory_members(layout);
    for (etl_memory_member member; etl_memory_next(&walk, &member);) {
        const etl_evidence_info *evidence = etl_evidence_get(member.evidence);
        if (!evidence->taken)
            tool_put_format(out, "%s0x%03" PRIx32 " %s, %s: not taken: %s%s\n", language->comment, member.offset,
                            member.name, member.type, evidence->text, language->comment_end);
        else
            not_taken_bits(out, layout, &member, language);
    }
}

static void heading(tool_output *out, etl_memory_layout layout, const tool_layout_language *language)
{
    tool_put_format(out, "\n%s%s, %s, 0x%" PRIx32 " bytes%s\n", language->comment, etl_windows_get(layout.windows)->title,
                    etl_arch_text(layout.arch), etl_memory_size(layout), language->comment_end);
    tool_layout_claim_text(out, language->comment, layout, language->comment_end);
    not_taken(out, layout, language);
}

void tool_layout_declare(tool_output *out, etl_memory_layout wanted, const tool_layout_language *language)
{
    etl_memory_layout layout = {0, 0, 0};
    tool_put_text(out, language->preamble);
    language->values(out);
    for (etl_arch arch = 0; arch < ETL_ARCH_COUNT; arch++)
        if (wanted.arch == ETL_ARCH_COUNT || wanted.arch == arch)
            declare_kinds(out, arch, language);
    for (; tool_layout_next_wanted(&layout, wanted); tool_layout_step(&layout)) {
        const etl_memory_layout same = tool_layout_first_same(layout, wanted);
        heading(out, layout, language);
        if (same.windows == layout.windows)
            language->structure(out, layout);
        else
            language->alias(out, layout, same);
    }
    tool_put_text(out, language->epilogue);
}
