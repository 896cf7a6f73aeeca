/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What structures can begin at a place: contenders by what they begin with, and what no structure in use is without.
 */
#ifndef ETLPROOF_LAYOUT_SCAN_CANDIDATES_H
#define ETLPROOF_LAYOUT_SCAN_CANDIDATES_H

#include "layout/marks.h"
#include "layout/ranking.h"

/* Contenders that follow each other in the ranking, and have the members below in one place. */
typedef struct tool_candidate {
    const tool_contender *at;
    uint32_t count;
    uint32_t references, registrations; /* of a provider: RefCount, RegListHead */
    uint32_t id, name;                  /* of a session: LoggerId, LoggerName */
} tool_candidate;

/* Candidates whose beginnings look the same. */
typedef struct tool_candidate_group {
    tool_mark mark;
    uint32_t mark_offset;   /* of the word with the mark, in the structure: 0 or 8 */
    uint32_t enable_offset; /* of TRACE_ENABLE_INFO structures, one after the other; 0 if there are none */
    uint32_t count;
    tool_candidate at[64];
} tool_candidate_group;

/* More than there are ways to begin. */
#define TOOL_CANDIDATE_GROUPS_MAX 16u

typedef struct tool_candidates {
    uint32_t count;
    tool_candidate_group groups[TOOL_CANDIDATE_GROUPS_MAX];
} tool_candidates;

/* All contenders of the ranking, which has to stay. */
void tool_candidates_open(tool_candidates *candidates, const tool_ranking *ranking);

/* A bit for each word of the block at `at` that a structure of the group may begin with; `marked` as of its mark. */
uint32_t tool_candidate_places(const tool_candidate_group *group, etl_span bytes, size_t at, uint32_t marked);

/* Whether a contender of the group that the place at the start of the span is not ruled out for has `threshold` points or
   more. */
bool tool_candidate_is_plausible(const tool_candidate_group *group, etl_span bytes, int32_t threshold);

#endif
