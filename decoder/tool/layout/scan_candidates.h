/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structures that can begin at a place: contenders grouped by their first members.
 */
#ifndef ETLPROOF_LAYOUT_SCAN_CANDIDATES_H
#define ETLPROOF_LAYOUT_SCAN_CANDIDATES_H

#include "layout/marks.h"
#include "layout/ranking.h"

/* Consecutive contenders of the ranking that have the members below at the same offsets. */
typedef struct tool_candidate {
    const tool_contender *at;
    uint32_t count;
    uint32_t references, registrations; /* provider: offsets of RefCount, RegListHead */
    uint32_t id, name;                  /* session: offsets of LoggerId, LoggerName */
} tool_candidate;

/* Candidates with the same first members. */
typedef struct tool_candidate_group {
    tool_mark mark;
    uint32_t mark_offset;   /* offset of the marked word in the structure: 0 or 8 */
    uint32_t enable_offset; /* offset of the TRACE_ENABLE_INFO structures; 0 if none */
    uint32_t count;
    tool_candidate at[64];
} tool_candidate_group;

/* More than there are groups. */
#define TOOL_CANDIDATE_GROUPS_MAX 16u

typedef struct tool_candidates {
    uint32_t count;
    tool_candidate_group groups[TOOL_CANDIDATE_GROUPS_MAX];
} tool_candidates;

/* Groups all contenders of the ranking, which must outlive the candidates. */
void tool_candidates_open(tool_candidates *candidates, const tool_ranking *ranking);

/* One bit for each word of the block at `at` with which a structure of the group may begin. `marked`: the words with its
   mark. */
uint32_t tool_candidate_places(const tool_candidate_group *group, etl_span bytes, size_t at, uint32_t marked);

/* True if a contender of the group that is possible at the start of the span has at least `threshold` points. */
bool tool_candidate_is_plausible(const tool_candidate_group *group, etl_span bytes, int32_t threshold);

#endif
