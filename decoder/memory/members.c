/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout -> its members, with their parts; a member and the bytes of a structure -> its value. Called by check.c,
 * guess_plan.c, the layout verb and the builder of vectors.
 */
#include "etlproof/memory.h"

#include "layout_tables.h"
#include "span.h"

/*@ lemma name{L}: \forall char *s;
  @   etl_ends(s, 3) || etl_ends(s, 5) || etl_ends(s, 6) || etl_ends(s, 9) || etl_ends(s, 10) || etl_ends(s, 11) ||
  @   etl_ends(s, 15) || etl_ends(s, 19) || etl_ends(s, 20) ==> etl_text(s); */

uint32_t etl_arch_pointer_size(etl_arch arch)
{
    return arch == ETL_ARCH_X86 ? 4 : 8;
}

const char *etl_arch_text(etl_arch arch)
{
    return arch == ETL_ARCH_X86 ? "x86" : arch == ETL_ARCH_X64 ? "x64" : "arm64";
}

etl_arch etl_arch_find(const char *text)
{
    etl_arch arch = ETL_ARCH_X86;
    /*@ loop invariant arch <= ETL_ARCH_COUNT;
      @ loop assigns arch;
      @ loop variant ETL_ARCH_COUNT - arch; */
    while (arch < ETL_ARCH_COUNT && !etl_memory_same_text(etl_arch_text(arch), text))
        arch++;
    return arch;
}

etl_memory_structure etl_memory_structure_find(const char *name)
{
    etl_memory_structure structure = 0;
    /*@ loop invariant structure <= ETL_MEMORY_STRUCTURE_COUNT;
      @ loop assigns structure;
      @ loop variant ETL_MEMORY_STRUCTURE_COUNT - structure; */
    while (structure < ETL_MEMORY_STRUCTURE_COUNT &&
           !etl_memory_same_text(etl_memory_structure_get(structure)->name, name))
        structure++;
    return structure;
}

etl_memory_meaning etl_memory_means(const char *member)
{
#define ETL_MEMORY_MEANS(name, meaning) \
    if (etl_memory_same_text(member, name)) \
        return ETL_MEMORY_MEANING_##meaning;
#include "format/layouts/meanings.def"
    return ETL_MEMORY_MEANING_NONE;
}

etl_memory_walk etl_memory_members(etl_memory_layout layout)
{
    const size_t end = etl_memory_rows_of(layout.structure).count;
    return (etl_memory_walk){layout, etl_memory_size(layout) ? 0 : end};
}

/*@ requires \valid_read(row) && etl_known_row(row) && etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures etl_known_member(\result); */
static etl_memory_member member_of(const etl_memory_row *row, etl_memory_layout layout)
{
    const etl_memory_type_row *type = etl_memory_type_get((etl_memory_type)row->type);
    etl_evidence evidence = (etl_evidence)row->evidence;
    return (etl_memory_member){
        .name = row->name,
        .type = type->text,
        .kind = (etl_memory_kind)type->kind,
        .meaning = etl_memory_means(row->name),
        .evidence = evidence == ETL_EVIDENCE_PAGE || layout.arch == ETL_ARCH_ARM64 ? etl_memory_page_evidence(layout)
                                                                                   : evidence,
        .offset = row->offset[layout.arch],
        .size = type->size[layout.arch],
        .count = type->count,
        .align = type->align[layout.arch],
    };
}

/* Rows that are not taken state what a page has, and no page is about ARM64. */
/*@ requires \valid_read(row) && etl_known_row(row) && etl_known_layout(layout);
  @ assigns \nothing; */
static bool is_of(const etl_memory_row *row, etl_memory_layout layout)
{
    return row->since <= layout.windows && layout.windows <= row->until && row->offset[layout.arch] != ETL_MEMORY_NONE &&
           (layout.arch != ETL_ARCH_ARM64 || etl_evidence_get((etl_evidence)row->evidence)->taken);
}

bool etl_memory_next(etl_memory_walk *walk, etl_memory_member *member)
{
    const etl_memory_layout layout = walk->layout;
    const etl_memory_rows rows = etl_memory_rows_of(layout.structure);
    /*@ loop invariant \at(walk->row, Pre) <= walk->row <= UINT16_MAX;
      @ loop assigns walk->row;
      @ loop variant UINT16_MAX - walk->row; */
    while (walk->row < rows.count) {
        const etl_memory_row *row = &rows.at[walk->row++];
        if (is_of(row, layout)) {
            *member = member_of(row, layout);
            return true;
        }
    }
    return false;
}

bool etl_memory_find(etl_memory_layout layout, const char *name, etl_memory_member *member)
{
    etl_memory_walk walk = etl_memory_members(layout);
    /*@ loop invariant walk.row <= UINT16_MAX;
      @ loop assigns walk.row, *member;
      @ loop variant UINT16_MAX - walk.row; */
    while (etl_memory_next(&walk, member))
        if (etl_evidence_get(member->evidence)->taken && etl_memory_same_text(member->name, name))
            return true;
    return false;
}

etl_memory_member etl_memory_element(const etl_memory_member *member, uint32_t index)
{
    etl_memory_member element = *member;
    element.size = member->size / member->count;
    element.offset = member->offset + index * element.size;
    element.count = 1;
    return element;
}

/*@ requires \valid_read(row) && etl_text(row->name) && \valid_read(member) && arch < ETL_ARCH_COUNT;
  @ assigns \nothing;
  @ ensures etl_text(\result.name); */
static etl_memory_member part_of(const etl_memory_part_row *row, const etl_memory_member *member, etl_arch arch)
{
    return (etl_memory_member){
        .name = row->name,
        .type = "",
        .kind = (etl_memory_kind)row->kind,
        .meaning = etl_memory_means(row->name),
        .evidence = member->evidence,
        .offset = member->offset + row->offset[arch],
        .size = row->size[arch],
        .count = 1,
        .align = row->size[arch],
    };
}

bool etl_memory_part(const etl_memory_member *member, etl_arch arch, uint32_t index, etl_memory_member *part)
{
    size_t count = 0;
    const etl_memory_part_row *rows = etl_memory_parts(&count);
    size_t i = 0;
    /*@ loop invariant i <= count;
      @ loop assigns i;
      @ loop variant count - i; */
    while (i < count && rows[i].of != member->kind)
        i++;
    if (index >= count - i || rows[i + index].of != member->kind)
        return false;
    *part = part_of(&rows[i + index], member, arch);
    return true;
}

bool etl_memory_part_find(const etl_memory_member *member, etl_arch arch, const char *name, etl_memory_member *part)
{
    /*@ loop invariant i <= UINT8_MAX;
      @ loop assigns i, *part;
      @ loop variant UINT8_MAX - i; */
    for (uint32_t i = 0; etl_memory_part(member, arch, i, part); i++)
        if (etl_memory_same_text(part->name, name))
            return true;
    return false;
}

/*@ requires etl_readable(structure) && \valid_read(member);
  @ assigns \nothing; */
static uint64_t number_at(etl_span structure, const etl_memory_member *member)
{
    const bool has_sign = member->kind == ETL_MEMORY_KIND_SIGNED;
    switch (member->size) {
    case 1:
        return etl_load_u8(structure, member->offset);
    case 2:
        return etl_load_u16(structure, member->offset);
    case 4:
        return has_sign ? (uint64_t)etl_load_i32(structure, member->offset) : etl_load_u32(structure, member->offset);
    default:
        break;
    }
    return etl_load_u64(structure, member->offset);
}

bool etl_memory_read(etl_span structure, const etl_memory_member *member, etl_memory_value *value)
{
    *value = (etl_memory_value){0};
    value->bytes = etl_span_part(structure, member->offset, member->size);
    if (!etl_span_has(structure, member->offset, member->size))
        return false;
    if (member->kind == ETL_MEMORY_KIND_GUID)
        value->guid = etl_load_guid(structure, member->offset);
    else if (member->size <= sizeof(uint64_t))
        value->number = number_at(structure, member);
    return true;
}
