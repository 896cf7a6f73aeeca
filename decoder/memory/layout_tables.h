/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of format/layouts/ as C arrays, for the other sources of this folder and for the builder of vectors.
 */
#ifndef ETLPROOF_MEMORY_LAYOUT_TABLES_H
#define ETLPROOF_MEMORY_LAYOUT_TABLES_H

#include "etlproof/memory.h"

/* The offset or size of a member that an architecture does not have. */
#define ETL_MEMORY_NONE UINT16_MAX

/* A fact of the tables for each architecture: ARM64 shares those of x64. */
#define ETL_ARCHES(x86, x64) {x86, x64, x64}

/* A row of a table of members. */
typedef struct etl_memory_row {
    const char *name;
    uint8_t type, since, until, evidence;
    uint16_t offset[ETL_ARCH_COUNT];
} etl_memory_row;

typedef struct etl_memory_rows {
    const etl_memory_row *at;
    size_t count;
} etl_memory_rows;

typedef struct etl_memory_type_row {
    const char *text;
    uint16_t size[ETL_ARCH_COUNT];
    uint8_t kind, count;
    uint8_t align[ETL_ARCH_COUNT];
} etl_memory_type_row;

typedef struct etl_memory_part_row {
    const char *name;
    uint8_t of, kind;
    uint8_t offset[ETL_ARCH_COUNT], size[ETL_ARCH_COUNT];
} etl_memory_part_row;

/*@
  predicate etl_known_row{L}(etl_memory_row *row) =
    etl_text(row->name) && row->type < ETL_MEMORY_TYPE_COUNT && row->evidence < ETL_EVIDENCE_COUNT;
*/

extern const etl_memory_rows etl_memory_all_rows[ETL_MEMORY_STRUCTURE_COUNT];

/*@ requires structure < ETL_MEMORY_STRUCTURE_COUNT;
  @ assigns \nothing;
  @ ensures \result.count <= UINT16_MAX && \valid_read(\result.at + (0 .. \result.count - 1));
  @ ensures \forall integer i; 0 <= i < \result.count ==> etl_known_row(\result.at + i); */
etl_memory_rows etl_memory_rows_of(etl_memory_structure structure);

/*@ requires type < ETL_MEMORY_TYPE_COUNT;
  @ assigns \nothing;
  @ ensures \valid_read(\result);
  @ ensures \result->count >= 1;
  @ ensures etl_text(\result->text); */
const etl_memory_type_row *etl_memory_type_get(etl_memory_type type);

/* The parts of all kinds, grouped by kind; `*count` rows. */
/*@ requires \valid(count);
  @ assigns *count;
  @ ensures *count <= UINT8_MAX && \valid_read(\result + (0 .. *count - 1));
  @ ensures \forall integer i; 0 <= i < *count ==> etl_text(\result[i].name); */
const etl_memory_part_row *etl_memory_parts(size_t *count);

/* The meaning of a member of that name. */
/*@ requires etl_text(member);
  @ assigns \nothing; */
etl_memory_meaning etl_memory_means(const char *member);

/* The evidence of the rows of a layout whose own evidence is PAGE, or of all its rows for ARM64, which no page has. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing;
  @ ensures \result < ETL_EVIDENCE_COUNT; */
etl_evidence etl_memory_page_evidence(etl_memory_layout layout);

/* The bits of LoggerMode, Flags or RequestFlag that have a meaning; all bits if the layout has no rows for them. */
/*@ requires etl_known_layout(layout);
  @ assigns \nothing; */
uint32_t etl_memory_bits_known(etl_memory_layout layout, etl_memory_meaning meaning);

/*@ requires etl_text(a) && etl_text(b);
  @ assigns \nothing; */
bool etl_memory_same_text(const char *a, const char *b);

#endif
