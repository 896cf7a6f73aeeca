/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a structure that a finding is about.
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

/* The members at the offset of a finding, in a structure at `offset` of the file. None for a finding about all of it. */
tool_layout_places tool_layout_places_of(etl_memory_layout layout, uint64_t offset, const etl_finding *finding);
/* The name of the next taken member, element or part that begins there: a union has several. False after the last. */
bool tool_layout_places_next(tool_layout_places *places, char name[TOOL_LAYOUT_NAME_MAX]);

#endif
