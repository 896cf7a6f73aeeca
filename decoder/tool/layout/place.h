/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a structure a finding is about.
 */
#ifndef ETLPROOF_LAYOUT_PLACE_H
#define ETLPROOF_LAYOUT_PLACE_H

#include "etlproof/finding.h"
#include "etlproof/memory.h"

/* "EnableInfo[3].MatchAnyKeyword" */
#define TOOL_LAYOUT_NAME_MAX 128

typedef struct tool_layout_places {
    etl_memory_walk walk;
    uint64_t offset; /* in the structure */
    bool none;
} tool_layout_places;

/* What lies where the finding is, of a structure at `offset` of the file; nothing if the finding is about all of it. */
tool_layout_places tool_layout_places_of(etl_memory_layout layout, uint64_t offset, const etl_finding *finding);
/* The name of the next member, element or part that is taken and begins there: more than one in a union. False if there are
   no more. */
bool tool_layout_places_next(tool_layout_places *places, char name[TOOL_LAYOUT_NAME_MAX]);

#endif
