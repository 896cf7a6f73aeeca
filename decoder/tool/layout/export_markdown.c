/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts as Markdown: a page a structure, and an index with the evidence and the disagreements of sources. The pages in
 * decoder/format/layouts are made here.
 */
#include <inttypes.h>
#include <string.h>

#include "etlproof/format.h"

#include "layout/export.h"
#include "layout/value.h"

/* Tables have columns for x86 and x64; ARM64 has the offsets of x64. */
#define COLUMNS ETL_ARCH_ARM64

/* A row of the tables, for both columns. */
typedef struct both {
    bool has[COLUMNS];
    etl_memory_member member[COLUMNS];
} both;

static etl_memory_layout with(etl_memory_layout layout, etl_windows windows, etl_arch arch)
{
    layout.windows = windows;
    layout.arch = arch;
    return layout;
}

/* The next row that either architecture has. Both walks pass the same rows, so their members belong together. */
static bool next_both(etl_memory_walk walks[COLUMNS], both *b)
{
    etl_memory_walk after[COLUMNS];
    size_t first = SIZE_MAX;
    for (etl_arch arch = 0; arch < COLUMNS; arch++) {
        after[arch] = walks[arch];
        b->has[arch] = etl_memory_next(&after[arch], &b->member[arch]);
        if (b->has[arch] && after[arch].row < first)
            first = after[arch].row;
    }
    for (etl_arch arch = 0; arch < COLUMNS; arch++) {
        b->has[arch] = b->has[arch] && after[arch].row == first;
        if (b->has[arch])
            walks[arch] = after[arch];
    }
    return first != SIZE_MAX;
}

/* Prints text in a cell of a table, with Markdown characters escaped. */
static void cell(tool_output *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|' || *text == '*' || *text == '[' || *text == '<')
            tool_put_char(out, '\\');
        tool_put_char(out, *text);
    }
}

static void offset_cell(tool_output *out, const both *b, etl_arch arch)
{
    if (b->has[arch])
        tool_put_format(out, " 0x%03" PRIX32 " |", b->member[arch].offset);
    else
        tool_put_text(out, " |");
}

/* The evidence for a row; empty if it is plain. */
static const char *evidence_text(etl_evidence evidence)
{
    return tool_layout_is_plain(evidence) ? "" : etl_evidence_get(evidence)->text;
}

static void member_row(tool_output *out, const both *b)
{
    const etl_memory_member *member = &b->member[b->has[ETL_ARCH_X86] ? ETL_ARCH_X86 : ETL_ARCH_X64];
    const bool taken = etl_evidence_get(member->evidence)->taken;
    tool_put_char(out, '|');
    for (etl_arch arch = 0; arch < COLUMNS; arch++)
        offset_cell(out, b, arch);
    tool_put_text(out, taken ? " " : " ~~");
    cell(out, member->name);
    tool_put_text(out, taken ? " | " : "~~ | ");
    cell(out, member->type);
    tool_put_format(out, " | %s |\n", evidence_text(member->evidence));
}

static void member_table(tool_output *out, etl_memory_layout layout)
{
    etl_memory_walk walks[COLUMNS];
    for (etl_arch arch = 0; arch < COLUMNS; arch++)
        walks[arch] = etl_memory_members(with(layout, layout.windows, arch));
    tool_put_text(out, "\n| x86 | x64 | member | type | evidence |\n|---|---|---|---|---|\n");
    for (both b; next_both(walks, &b);)
        member_row(out, &b);
}

static void size_and_source(tool_output *out, etl_memory_layout layout)
{
    etl_memory_claim claim;
    for (layout.arch = 0; layout.arch < ETL_ARCH_COUNT; layout.arch++) {
        const char *source = etl_memory_source(layout);
        if (etl_memory_size(layout) != 0)
            tool_put_format(out, "\n- %s: 0x%" PRIX32 " bytes; other sources: %s", etl_arch_text(layout.arch),
                            etl_memory_size(layout), source != NULL ? source : "none");
        else if (layout.arch != ETL_ARCH_ARM64)
            tool_put_format(out, "\n- %s: not present", etl_arch_text(layout.arch));
        if (etl_memory_claimed(layout, &claim))
            tool_put_format(out, "; not that of %s: %s", etl_windows_get(claim.layout.windows)->text,
                            etl_evidence_get(claim.evidence)->text);
    }
    tool_put_char(out, '\n');
}

/* True if a version needs a section of its own: its members or sources differ from the version before. */
static bool begins_section(etl_memory_layout layout)
{
    if (layout.windows == 0)
        return true;
    for (layout.arch = 0; layout.arch < ETL_ARCH_COUNT; layout.arch++) {
        const etl_memory_layout before = with(layout, layout.windows - 1, layout.arch);
        const char *source = etl_memory_source(layout), *old = etl_memory_source(before);
        if (!tool_layout_is_same(layout, before) || (source != old && (!source || !old || strcmp(source, old) != 0)))
            return true;
    }
    return false;
}

static bool is_known(etl_memory_layout layout)
{
    return etl_memory_size(with(layout, layout.windows, ETL_ARCH_X86)) != 0 ||
           etl_memory_size(with(layout, layout.windows, ETL_ARCH_X64)) != 0;
}

static void section(tool_output *out, etl_memory_layout layout)
{
    tool_put_format(out, "\n## %s", etl_windows_get(layout.windows)->text);
    etl_memory_layout next = layout;
    for (next.windows++; next.windows < ETL_WINDOWS_COUNT && !begins_section(next); next.windows++)
        tool_put_format(out, ", %s", etl_windows_get(next.windows)->text);
    tool_put_char(out, '\n');
    for (etl_windows w = layout.windows; w < next.windows; w++)
        tool_put_format(out, "%s%s (build %" PRIu32 ")", w == layout.windows ? "\n" : "; ", etl_windows_get(w)->title,
                        etl_windows_get(w)->first_build);
    tool_put_char(out, '\n');
    size_and_source(out, layout);
    member_table(out, layout);
}

static bool is_same_bits(const etl_memory_bits *a, const etl_memory_bits *b)
{
    return a->mask == b->mask && strcmp(a->name, b->name) == 0 && a->evidence == b->evidence && a->spare == b->spare;
}

static bool has_bits(etl_memory_meaning meaning, etl_windows windows, const etl_memory_bits *wanted)
{
    etl_memory_bits bits;
    for (uint32_t i = 0; etl_memory_bits_get(meaning, windows, i, &bits); i++)
        if (is_same_bits(&bits, wanted))
            return true;
    return false;
}

static void versions(tool_output *out, etl_windows since, etl_windows until)
{
    tool_put_text(out, etl_windows_get(since)->text);
    if (until != since)
        tool_put_format(out, " to %s", etl_windows_get(until)->text);
}

static void bits_row(tool_output *out, etl_memory_meaning meaning, etl_windows since, const etl_memory_bits *bits)
{
    const bool taken = etl_evidence_get(bits->evidence)->taken;
    etl_windows until = since;
    while (until + 1 < ETL_WINDOWS_COUNT && has_bits(meaning, until + 1, bits))
        until++;
    tool_put_format(out, "| 0x%08" PRIX32 " | %s%s%s%s | ", bits->mask, taken ? "" : "~~", bits->name, taken ? "" : "~~",
                    bits->spare ? " (no meaning)" : "");
    versions(out, since, until);
    tool_put_format(out, " | %s |\n", evidence_text(bits->evidence));
}

static void bits_table(tool_output *out, const char *name, etl_memory_meaning meaning)
{
    etl_memory_bits bits;
    tool_put_format(out, "\n## The bits of %s\n\n| mask | name | versions | evidence |\n|---|---|---|---|\n", name);
    for (etl_windows windows = 0; windows < ETL_WINDOWS_COUNT; windows++)
        for (uint32_t i = 0; etl_memory_bits_get(meaning, windows, i, &bits); i++)
            if (windows == 0 || !has_bits(meaning, windows - 1, &bits))
                bits_row(out, meaning, windows, &bits);
}

static void mode_table(tool_output *out)
{
    const etl_names names = etl_logger_mode_names();
    tool_put_text(out, "\n## The bits of LoggerMode\n\n| mask | EVENT_TRACE_... |\n|---|---|\n");
    for (size_t i = 0; i < names.count; i++)
        tool_put_format(out, "| 0x%08" PRIX32 " | %s |\n", names.at[i].value, names.at[i].name);
}

static void clock_table(tool_output *out)
{
    tool_put_text(out, "\n## The values of ClockType\n\n| value | EVENT_TRACE_CLOCK_... |\n|---|---|\n");
    for (uint32_t type = 0; etl_clock_type_name(type) != NULL; type++)
        tool_put_format(out, "| %" PRIu32 " | %s |\n", type, etl_clock_type_name(type));
}

static void kind_table(tool_output *out, etl_memory_kind kind)
{
    const etl_memory_member whole = {.kind = kind, .count = 1};
    etl_memory_member x86, x64;
    if (!etl_memory_part(&whole, ETL_ARCH_X86, 0, &x86))
        return;
    tool_put_format(out, "\n### %s\n\n%s\n\n| x86 | x64 | member | bytes |\n|---|---|---|---|\n",
                    tool_layout_kind_name(kind), tool_layout_kind_meaning(kind));
    for (uint32_t i = 0; etl_memory_part(&whole, ETL_ARCH_X86, i, &x86); i++) {
        (void)etl_memory_part(&whole, ETL_ARCH_X64, i, &x64);
        tool_put_format(out, "| 0x%02" PRIX32 " | 0x%02" PRIX32 " | %s | %" PRIu32, x86.offset, x64.offset, x86.name,
                        x86.size);
        if (x64.size != x86.size)
            tool_put_format(out, " (x64: %" PRIu32 ")", x64.size);
        tool_put_text(out, " |\n");
    }
}

static void structure_page(tool_output *out, etl_memory_layout wanted)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(wanted.structure);
    tool_put_format(out,
                    "# %s: %s\n\nSource: %s. Members that a reader does not use are struck out; [README](README.md) "
                    "explains the evidence.\n\nGenerated by `etlproof layout %s --export markdown`.\n",
                    info->name, info->what, info->source, info->name);
    etl_memory_layout layout = {wanted.structure, 0, 0};
    for (; layout.windows < ETL_WINDOWS_COUNT; layout.windows++) {
        const bool is_wanted = wanted.windows == ETL_WINDOWS_COUNT || wanted.windows == layout.windows;
        if (is_wanted && is_known(layout) && (wanted.windows == layout.windows || begins_section(layout)))
            section(out, layout);
    }
    if (wanted.structure != ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT)
        return;
    bits_table(out, "Flags", ETL_MEMORY_MEANING_FLAGS);
    bits_table(out, "Flags2", ETL_MEMORY_MEANING_FLAGS2);
    bits_table(out, "RequestFlag", ETL_MEMORY_MEANING_REQUEST_FLAG);
}

static const char index_text[] =
    "# Layouts: ETW's own structures in memory\n"
    "\n"
    "The offset of every member of three structures of the kernel and NTDLL, by Windows version and architecture. These\n"
    "structures are in memory only, never in a file: the tables are for bytes of a crash dump or a memory image without\n"
    "symbols. `etlproof layout` decodes such bytes with these tables, and exports the tables for other tools.\n"
    "\n"
    "The `.def` files here are the tables, one row a fact. The pages are generated from them by `etlproof layout --export "
    "markdown`.\n"
    "\n"
    "| page | what it is | versions | source |\n"
    "|---|---|---|---|\n";

static void index_row(tool_output *out, etl_memory_structure structure)
{
    const etl_memory_structure_info *info = etl_memory_structure_get(structure);
    etl_memory_layout layout = {structure, 0, 0};
    const char *first = NULL, *last = NULL;
    for (; layout.windows < ETL_WINDOWS_COUNT; layout.windows++) {
        if (!is_known(layout))
            continue;
        last = etl_windows_get(layout.windows)->text;
        first = first != NULL ? first : last;
    }
    tool_put_format(out, "| [%s](", info->name);
    for (const char *c = info->name; *c != '\0'; c++)
        tool_put_char(out, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    tool_put_format(out, ".md) | %s | %s to %s | %s |\n", info->what, first, last, info->source);
}

static void evidence_table(tool_output *out)
{
    tool_put_text(out, "\n## Evidence of a member\n\n"
                       "*The page* is the source in the table above, a *type dump* the types of a symbol file. Where two\n"
                       "rows disagree, a reader uses the row with the better evidence. The tables of members state no\n"
                       "evidence where a member has one source, or where all sources agree.\n\n"
                       "| evidence | meaning | used |\n|---|---|---|\n");
    for (etl_evidence i = 0; i < ETL_EVIDENCE_COUNT; i++)
        tool_put_format(out, "| %s | %s | %s |\n", etl_evidence_get(i)->text, etl_evidence_get(i)->meaning,
                        etl_evidence_get(i)->taken ? "yes" : "no");
}

/* A rejected member and the one that is taken instead. */
typedef struct disagreement {
    etl_memory_member member, taken;
    bool has_taken;
} disagreement;

/* Finds the taken member of the same name, or else the taken member at the same offset. */
static bool find_taken(etl_memory_layout layout, const etl_memory_member *member, etl_memory_member *taken)
{
    if (etl_memory_find(layout, member->name, taken))
        return true;
    etl_memory_walk walk = etl_memory_members(layout);
    while (etl_memory_next(&walk, taken))
        if (etl_evidence_get(taken->evidence)->taken && taken->offset == member->offset)
            return true;
    return false;
}

static bool next_disagreement(etl_memory_walk *walk, disagreement *d)
{
    while (etl_memory_next(walk, &d->member)) {
        if (etl_evidence_get(d->member.evidence)->taken)
            continue;
        d->has_taken = find_taken(walk->layout, &d->member, &d->taken);
        return true;
    }
    return false;
}

static bool is_same_row(const etl_memory_member *a, const etl_memory_member *b)
{
    return a->evidence == b->evidence && a->offset == b->offset && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0;
}

/* True if the layout has the same disagreement. */
static bool disagrees_too(etl_memory_layout layout, const disagreement *wanted)
{
    etl_memory_walk walk = etl_memory_members(layout);
    for (disagreement d; next_disagreement(&walk, &d);)
        if (is_same_row(&d.member, &wanted->member) && d.has_taken == wanted->has_taken &&
            (!d.has_taken || is_same_row(&d.taken, &wanted->taken)))
            return true;
    return false;
}

static void disagreement_row(tool_output *out, etl_memory_layout layout, const disagreement *d)
{
    etl_windows until = layout.windows;
    while (until + 1 < ETL_WINDOWS_COUNT && disagrees_too(with(layout, until + 1, layout.arch), d))
        until++;
    tool_put_format(out, "| %s | %s | ", etl_memory_structure_get(layout.structure)->name, etl_arch_text(layout.arch));
    versions(out, layout.windows, until);
    tool_put_text(out, " | ");
    cell(out, d->member.name);
    tool_put_format(out, " | 0x%03" PRIX32 ", ", d->member.offset);
    cell(out, d->member.type);
    tool_put_format(out, " | %s | ", etl_evidence_get(d->member.evidence)->text);
    if (d->has_taken) {
        if (strcmp(d->taken.name, d->member.name) != 0) {
            cell(out, d->taken.name);
            tool_put_text(out, ", ");
        }
        tool_put_format(out, "0x%03" PRIX32 ", ", d->taken.offset);
        cell(out, d->taken.type);
        tool_put_format(out, ": %s", etl_evidence_get(d->taken.evidence)->text);
    } else {
        tool_put_text(out, "no member");
    }
    tool_put_text(out, " |\n");
}

/* The disagreements that the version before does not have. */
static void disagreements_of(tool_output *out, etl_memory_layout layout)
{
    etl_memory_walk walk = etl_memory_members(layout);
    for (disagreement d; next_disagreement(&walk, &d);)
        if (layout.windows == 0 || !disagrees_too(with(layout, layout.windows - 1, layout.arch), &d))
            disagreement_row(out, layout, &d);
}

static bool claims_too(etl_memory_layout layout, const etl_memory_claim *wanted)
{
    etl_memory_claim claim;
    return etl_memory_claimed(layout, &claim) && claim.layout.windows == wanted->layout.windows &&
           claim.evidence == wanted->evidence;
}

/* A claim about the whole layout, unless the version before has it too. */
static void claim_row(tool_output *out, etl_memory_layout layout)
{
    etl_memory_claim claim;
    etl_windows until = layout.windows;
    if (!etl_memory_claimed(layout, &claim) || claims_too(with(layout, layout.windows - 1, layout.arch), &claim))
        return;
    while (until + 1 < ETL_WINDOWS_COUNT && claims_too(with(layout, until + 1, layout.arch), &claim))
        until++;
    tool_put_format(out, "| %s | %s | ", etl_memory_structure_get(layout.structure)->name, etl_arch_text(layout.arch));
    versions(out, layout.windows, until);
    tool_put_format(out, " | all | as %s, 0x%03" PRIX32 " bytes: %s | %s | the newer edition |\n",
                    etl_windows_get(claim.layout.windows)->text, etl_memory_size(claim.layout), claim.source,
                    etl_evidence_get(claim.evidence)->text);
}

static void disagreements(tool_output *out)
{
    const etl_memory_layout wanted = {ETL_MEMORY_STRUCTURE_COUNT, ETL_WINDOWS_COUNT, ETL_ARCH_COUNT};
    etl_memory_layout layout = {0, 0, 0};
    tool_put_text(out, "\n## Where sources disagree\n\n"
                       "| structure | arch | versions | member | on the page | evidence | a reader uses |\n"
                       "|---|---|---|---|---|---|---|\n");
    for (; tool_layout_next_wanted(&layout, wanted); tool_layout_step(&layout)) {
        claim_row(out, layout);
        disagreements_of(out, layout);
    }
    tool_put_text(out, "\nBits of Flags on which sources disagree are in [WMI_LOGGER_CONTEXT](wmi_logger_context.md).\n");
}

static void index_page(tool_output *out)
{
    tool_put_text(out, index_text);
    for (etl_memory_structure i = 0; i < ETL_MEMORY_STRUCTURE_COUNT; i++)
        index_row(out, i);
    evidence_table(out);
    disagreements(out);
    mode_table(out);
    clock_table(out);
    tool_put_text(out, "\n## Nested structures\n\nThe types of members that are structures themselves.\n");
    for (etl_memory_kind kind = 0; kind < ETL_MEMORY_KIND_COUNT; kind++)
        kind_table(out, kind);
}

void tool_layout_export_markdown(tool_output *out, etl_memory_layout wanted)
{
    if (wanted.structure == ETL_MEMORY_STRUCTURE_COUNT)
        index_page(out);
    else
        structure_page(out, wanted);
}
