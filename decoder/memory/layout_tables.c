/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .def tables of format/layouts/ and windows.def -> C arrays, and look-ups in them. Called by the other sources of this
 * folder, by the layout verb and by the builder of vectors.
 */
#include "layout_tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Words of the tables. */
enum { NONE = ETL_MEMORY_NONE, USED = false, SPARE = true };

etl_memory_rows etl_memory_rows_of(etl_memory_structure structure)
{
    return etl_memory_all_rows[structure];
}

const etl_memory_type_row *etl_memory_type_get(etl_memory_type type)
{
    static const etl_memory_type_row rows[] = {
#define ETL_MEMORY_TYPE(name, kind, count, x86, x64, align_x86, align_x64, text) \
    {text, ETL_ARCHES(x86, x64), ETL_MEMORY_KIND_##kind, count, ETL_ARCHES(align_x86, align_x64)},
#include "format/layouts/types.def"
    };
    return &rows[type];
}

const etl_memory_part_row *etl_memory_parts(size_t *count)
{
    static const etl_memory_part_row rows[] = {
#define ETL_MEMORY_PART(kind, part, part_kind, x86, x64, size_x86, size_x64) \
    {#part, ETL_MEMORY_KIND_##kind, ETL_MEMORY_KIND_##part_kind, ETL_ARCHES(x86, x64), \
     ETL_ARCHES(size_x86, size_x64)},
#include "format/layouts/kinds.def"
    };
    *count = COUNT(rows);
    return rows;
}

bool etl_memory_same_text(const char *a, const char *b)
{
    size_t i = 0;
    /*@ loop invariant \forall integer j; 0 <= j < i ==> a[j] != 0 && a[j] == b[j];
      @ loop assigns i;
      @ loop variant SIZE_MAX - i; */
    while (a[i] != '\0' && a[i] == b[i])
        i++;
    return a[i] == b[i];
}

/* A row of evidence.def: the source of rows besides the page. */
typedef struct page_row {
    uint8_t structure, since, until, evidence;
    bool of[ETL_ARCH_COUNT];
    const char *source;
} page_row;

/*@ requires etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures \result == \null || \valid_read(\result);
  @ ensures \result != \null ==> \result->evidence < ETL_EVIDENCE_COUNT; */
static const page_row *page_row_of(etl_memory_layout layout)
{
    static const page_row rows[] = {
#define ETL_MEMORY_CONFIRMED(structure, since, until, x86, x64, arm64, evidence, source) \
    {ETL_MEMORY_STRUCTURE_##structure, ETL_WINDOWS_##since, ETL_WINDOWS_##until, ETL_EVIDENCE_##evidence, \
     {x86, x64, arm64}, source},
#include "format/layouts/evidence.def"
    };
    /*@ loop invariant i <= COUNT(rows);
      @ loop assigns i;
      @ loop variant COUNT(rows) - i; */
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].structure == layout.structure && rows[i].of[layout.arch] && rows[i].since <= layout.windows &&
            layout.windows <= rows[i].until)
            return &rows[i];
    return NULL;
}

etl_evidence etl_memory_page_evidence(etl_memory_layout layout)
{
    const page_row *row = page_row_of(layout);
    return row ? (etl_evidence)row->evidence : ETL_EVIDENCE_PAGE;
}

const char *etl_memory_source(etl_memory_layout layout)
{
    const page_row *row = page_row_of(layout);
    return row ? row->source : NULL;
}

/* A layout that is confirmed contradicts a claim that it is the layout of another version. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing; */
static etl_evidence claim_evidence(etl_memory_layout layout, etl_evidence evidence)
{
    return etl_memory_page_evidence(layout) == ETL_EVIDENCE_CONFIRMED ? ETL_EVIDENCE_CONTRADICTED : evidence;
}

bool etl_memory_claimed(etl_memory_layout layout, etl_memory_claim *claim)
{
    static const struct {
        uint8_t structure, of, since, until, evidence;
        const char *source;
    } rows[] = {
#define ETL_MEMORY_CLAIM(structure, of, since, until, evidence, source) \
    {ETL_MEMORY_STRUCTURE_##structure, ETL_WINDOWS_##of, ETL_WINDOWS_##since, ETL_WINDOWS_##until, \
     ETL_EVIDENCE_##evidence, source},
#include "format/layouts/claims.def"
    };
    if (layout.arch == ETL_ARCH_ARM64)
        return false;
    /*@ loop invariant i <= COUNT(rows);
      @ loop assigns i;
      @ loop variant COUNT(rows) - i; */
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].structure != layout.structure || layout.windows < rows[i].since || rows[i].until < layout.windows)
            continue;
        *claim = (etl_memory_claim){{layout.structure, (etl_windows)rows[i].of, layout.arch},
                                    claim_evidence(layout, (etl_evidence)rows[i].evidence),
                                    rows[i].source};
        return true;
    }
    return false;
}

const etl_windows_info *etl_windows_get(etl_windows windows)
{
    static const etl_windows_info rows[] = {
#define ETL_WINDOWS(name, text, major, minor, first_build, last_build, title) \
    {text, #major "." #minor, first_build, last_build, title},
#include "format/windows.def"
    };
    return &rows[windows];
}

const etl_memory_structure_info *etl_memory_structure_get(etl_memory_structure structure)
{
    static const etl_memory_structure_info rows[] = {
#define ETL_MEMORY_STRUCTURE(name, mode, what, source) {#name, ETL_MEMORY_MODE_##mode, what, source},
#include "format/layouts/structures.def"
    };
    return &rows[structure];
}

const etl_evidence_info *etl_evidence_get(etl_evidence evidence)
{
    static const etl_evidence_info rows[] = {
#define ETL_EVIDENCE(name, taken, text, meaning) {text, meaning, taken},
#include "format/layouts/evidence.def"
    };
    return &rows[evidence];
}

uint32_t etl_memory_size(etl_memory_layout layout)
{
    static const struct {
        uint8_t structure, since, until;
        uint16_t size[ETL_ARCH_COUNT];
    } rows[] = {
#define ETL_MEMORY_SIZE(structure, since, until, x86, x64) \
    {ETL_MEMORY_STRUCTURE_##structure, ETL_WINDOWS_##since, ETL_WINDOWS_##until, ETL_ARCHES(x86, x64)},
#include "format/layouts/structures.def"
    };
    /* The pages are about x86 and x64: without a type dump, the layout for ARM64 is unknown. */
    if (layout.arch == ETL_ARCH_ARM64 && page_row_of(layout) == NULL)
        return 0;
    /*@ loop invariant i <= COUNT(rows);
      @ loop assigns i;
      @ loop variant COUNT(rows) - i; */
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].structure == layout.structure && rows[i].since <= layout.windows && layout.windows <= rows[i].until)
            return rows[i].size[layout.arch] == NONE ? 0 : rows[i].size[layout.arch];
    return 0;
}

bool etl_memory_bits_of(etl_memory_layout layout, etl_memory_meaning meaning, uint32_t index, etl_memory_bits *bits)
{
#define ETL_MEMORY_MEANING_OF(name, of) \
    if (meaning == ETL_MEMORY_MEANING_##name && layout.structure == ETL_MEMORY_STRUCTURE_##of) \
        return etl_memory_bits_get(meaning, layout.windows, index, bits);
#include "format/layouts/meanings.def"
    return false;
}

typedef struct bits_row {
    uint8_t meaning, since, until;
    etl_memory_bits bits;
} bits_row;

/*@ requires \valid_read(row);
  @ assigns \nothing; */
static bool has_bits(const bits_row *row, etl_memory_meaning meaning, etl_windows windows)
{
    return row->meaning == meaning && row->since <= windows && windows <= row->until;
}

bool etl_memory_bits_get(etl_memory_meaning meaning, etl_windows windows, uint32_t index, etl_memory_bits *bits)
{
    static const bits_row rows[] = {
#define ETL_MEMORY_BITS(meaning, mask, name, use, since, until, evidence) \
    {ETL_MEMORY_MEANING_##meaning, ETL_WINDOWS_##since, ETL_WINDOWS_##until, {#name, mask, ETL_EVIDENCE_##evidence, use}},
#include "format/layouts/bits.def"
    };
    /*@ loop invariant i <= COUNT(rows) && index <= \at(index, Pre) <= index + i;
      @ loop assigns i, index;
      @ loop variant COUNT(rows) - i; */
    for (size_t i = 0; i < COUNT(rows); i++)
        if (has_bits(&rows[i], meaning, windows) && index-- == 0) {
            *bits = rows[i].bits;
            return true;
        }
    return false;
}
