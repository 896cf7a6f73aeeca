/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of tests of clues.def. probes.c chooses one for each member, for guess_plan.c; clues.c makes the tests.
 */
#ifndef ETLPROOF_MEMORY_PROBES_H
#define ETLPROOF_MEMORY_PROBES_H

#include "etlproof/memory.h"

typedef enum etl_probe {
#define ETL_PROBE(name) ETL_PROBE_##name,
#include "format/layouts/clues.def"
} etl_probe;

/* The kind of test for a member; `*with` is the name of the member that it is compared with, or NULL. */
/*@ requires \valid_read(member) && etl_known_member(*member) && \valid(with) && \separated(with, member);
  @ assigns *with;
  @ ensures *with == \null || etl_text(*with); */
etl_probe etl_probe_of(const etl_memory_member *member, const char **with);

#endif
