/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads members from the tables of format/layouts/, and writes members as bytes. Called by the recipe parser, and to write
 * and expect a structure in memory.
 */
#include "memory/memory_structure.h"

#include <string.h>

#include "etlproof/format.h"
#include "memory/layout_tables.h"

/* Members. */

/* Whether a row belongs to the layout, decoded or not. No page is about ARM64, so no row for it is disputed. */
static bool is_of(const etl_memory_row *row, etl_memory_layout layout)
{
    return row->since <= layout.windows && layout.windows <= row->until && row->offset[layout.arch] != ETL_MEMORY_NONE &&
           (layout.arch != ETL_ARCH_ARM64 || etl_evidence_get((etl_evidence)row->evidence)->taken);
}

static etl_evidence evidence_of(const etl_memory_row *row, etl_memory_layout layout)
{
    const bool of_page = row->evidence == ETL_EVIDENCE_PAGE || layout.arch == ETL_ARCH_ARM64;
    return of_page ? etl_memory_page_evidence(layout) : (etl_evidence)row->evidence;
}

build_memory_dispute build_memory_dispute_of(etl_memory_layout layout)
{
    const etl_memory_rows rows = etl_memory_rows_of(layout.structure);
    build_memory_dispute dispute = BUILD_MEMORY_SETTLED;
    for (size_t i = 0; i < rows.count; i++) {
        if (!is_of(&rows.at[i], layout))
            continue;
        if (rows.at[i].evidence == ETL_EVIDENCE_CONTRADICTED)
            return BUILD_MEMORY_CONTRADICTED;
        if (rows.at[i].evidence == ETL_EVIDENCE_MISFIT)
            dispute = BUILD_MEMORY_MISFIT;
    }
    return dispute;
}

const char *build_memory_other_name(etl_memory_layout layout, const etl_memory_member *member)
{
    const etl_memory_rows rows = etl_memory_rows_of(layout.structure);
    for (size_t i = 0; i < rows.count && member->evidence == ETL_EVIDENCE_SPELT; i++)
        if (is_of(&rows.at[i], layout) && rows.at[i].evidence == ETL_EVIDENCE_MISSPELT &&
            rows.at[i].offset[layout.arch] == member->offset)
            return rows.at[i].name;
    return NULL;
}

bool build_memory_next(etl_memory_layout layout, size_t *row, etl_memory_member *member)
{
    const etl_memory_rows rows = etl_memory_rows_of(layout.structure);
    while (*row < rows.count) {
        const etl_memory_row *at = &rows.at[(*row)++];
        if (!is_of(at, layout) || !etl_evidence_get(evidence_of(at, layout))->taken)
            continue;
        const etl_memory_type_row *type = etl_memory_type_get((etl_memory_type)at->type);
        *member = (etl_memory_member){.name = at->name,
                                      .type = type->text,
                                      .kind = (etl_memory_kind)type->kind,
                                      .meaning = etl_memory_means(at->name),
                                      .evidence = evidence_of(at, layout),
                                      .offset = at->offset[layout.arch],
                                      .size = type->size[layout.arch],
                                      .count = type->count,
                                      .align = type->align[layout.arch]};
        return true;
    }
    return false;
}

etl_memory_member build_memory_element(const etl_memory_member *member, uint32_t index)
{
    etl_memory_member element = *member;
    element.count = 1;
    element.size /= member->count;
    element.offset += element.size * index;
    return element;
}

bool build_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part)
{
    size_t count;
    const etl_memory_part_row *rows = etl_memory_parts(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].of != member->kind || member->count != 1 || index-- != 0)
            continue;
        *part = (etl_memory_member){.name = rows[i].name,
                                    .type = "",
                                    .kind = (etl_memory_kind)rows[i].kind,
                                    .meaning = etl_memory_means(rows[i].name),
                                    .evidence = member->evidence,
                                    .offset = member->offset + rows[i].offset[arch],
                                    .size = rows[i].size[arch],
                                    .count = 1,
                                    .align = rows[i].size[arch]};
        return true;
    }
    return false;
}

/* Looking up. */

bool build_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member)
{
    for (size_t row = 0; build_memory_next(layout, &row, member);)
        if (strcmp(member->name, name) == 0)
            return true;
    return false;
}

bool build_memory_find_at(etl_memory_layout layout, uint64_t offset, etl_memory_member *member)
{
    for (size_t row = 0; build_memory_next(layout, &row, member);)
        if (member->offset == offset)
            return true;
    return false;
}

bool build_memory_find_part(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part)
{
    for (uint32_t i = 0; build_memory_part(member, arch, i, part); i++)
        if (strcmp(part->name, name) == 0)
            return true;
    return false;
}

/* Values. */

bool build_memory_is_number(const etl_memory_member *member)
{
    etl_memory_member part;
    return member->count == 1 && member->size <= sizeof(uint64_t) && member->kind != ETL_MEMORY_KIND_BYTES &&
           !build_memory_part(member, ETL_ARCH_X86, 0, &part);
}

void build_memory_put(build_memory *memory, const etl_memory_member *member, uint64_t value)
{
    for (uint32_t i = 0; i < member->size; i++)
        memory->bytes[member->offset + i] = i < sizeof value ? (uint8_t)(value >> 8 * i) : 0;
}

uint64_t build_memory_get(const build_memory *memory, const etl_memory_member *member)
{
    uint64_t value = 0;
    for (uint32_t i = member->size; i-- > 0;)
        value = value << 8 | memory->bytes[member->offset + i];
    const uint64_t sign = UINT64_C(1) << (8 * member->size - 1);
    return member->kind == ETL_MEMORY_KIND_SIGNED ? (value ^ sign) - sign : value;
}

/* Bits. */

static bool logger_mode(uint32_t index, etl_memory_bits *bits)
{
    static const etl_memory_bits rows[] = {
#define ETL_LOGGER_MODE(value, name, source) {#name, value, ETL_EVIDENCE_PAGE, false},
#include "format/logger_modes.def"
    };
    if (index >= sizeof rows / sizeof rows[0])
        return false;
    *bits = rows[index];
    bits->spare = bits->mask == ETL_LOGGER_MODE_UNUSED_0x40000000;
    return true;
}

bool build_memory_bits(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits)
{
    if (meaning == ETL_MEMORY_MEANING_LOGGER_MODE)
        return logger_mode(index, bits);
    for (uint32_t i = 0; etl_memory_bits_of(layout, meaning, i, bits); i++)
        if (etl_evidence_get(bits->evidence)->taken && index-- == 0)
            return true;
    return false;
}
