/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shapes of clues.def: what plan.c chooses for a member, and guess.c looks for.
 */
#ifndef ETLPROOF_MEMORY_PROBES_H
#define ETLPROOF_MEMORY_PROBES_H

typedef enum etl_probe {
#define ETL_PROBE(name) ETL_PROBE_##name,
#include "format/layouts/clues.def"
} etl_probe;

#endif
