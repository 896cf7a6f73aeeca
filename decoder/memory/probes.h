/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of tests of clues.def. guess_plan.c chooses one for each member; clues.c makes the tests.
 */
#ifndef ETLPROOF_MEMORY_PROBES_H
#define ETLPROOF_MEMORY_PROBES_H

typedef enum etl_probe {
#define ETL_PROBE(name) ETL_PROBE_##name,
#include "format/layouts/clues.def"
} etl_probe;

#endif
