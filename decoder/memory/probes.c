/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of a structure -> the kind of its test, from clues.def. Called by guess_plan.c.
 */
#include "probes.h"

#include "layout_tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The kind of test for the members, or for the types, of a name. */
typedef struct probe_row {
    const char *name;
    const char *other; /* the member that it is compared with, or NULL */
    uint8_t probe;
} probe_row;

/*@ predicate known{L}(probe_row *row) = etl_text(row->name) && (row->other == \null || etl_text(row->other)); */

/*@ requires etl_text(name) && \valid_read(rows + (0 .. count - 1));
  @ requires \forall integer i; 0 <= i < count ==> known(rows + i);
  @ assigns \nothing;
  @ ensures \result == \null || (\valid_read(\result) && known(\result)); */
static const probe_row *find(const probe_row *rows, size_t count, const char *name)
{
    /*@ loop invariant i <= count;
      @ loop assigns i;
      @ loop variant count - i; */
    for (size_t i = 0; i < count; i++)
        if (etl_memory_same_text(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/*@ requires etl_text(name);
  @ assigns \nothing;
  @ ensures \result == \null || (\valid_read(\result) && known(\result)); */
static const probe_row *row_of_member(const char *name)
{
    static const probe_row rows[] = {
#define ETL_PROBE_OF_MEMBER(name, probe, other) {name, other, ETL_PROBE_##probe},
#include "format/layouts/clues.def"
    };
    return find(rows, COUNT(rows), name);
}

/*@ requires etl_text(name);
  @ assigns \nothing;
  @ ensures \result == \null || (\valid_read(\result) && known(\result)); */
static const probe_row *row_of_type(const char *name)
{
    static const probe_row rows[] = {
#define ETL_PROBE_OF_TYPE(name, probe) {name, NULL, ETL_PROBE_##probe},
#include "format/layouts/clues.def"
    };
    return find(rows, COUNT(rows), name);
}

etl_probe etl_probe_of(const etl_memory_member *member, const char **with)
{
    const probe_row *row = row_of_member(member->name);
    if (!row)
        row = row_of_type(member->type);
    *with = row ? row->other : NULL;
    if (row)
        return (etl_probe)row->probe;
    switch (member->kind) {
#define ETL_PROBE_OF_KIND(kind, probe) \
    case ETL_MEMORY_KIND_##kind: \
        return ETL_PROBE_##probe;
#include "format/layouts/clues.def"
    default:
        return ETL_PROBE_NONE;
    }
}
