/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What structures can begin at a place: contenders by what they begin with, and what no structure in use is without.
 */
#ifndef ETLPROOF_LAYOUT_CANDIDATES_H
#define ETLPROOF_LAYOUT_CANDIDATES_H

#include "layout/marks.h"
#include "layout/rank.h"

/* Contenders that follow each other in the ranking, and have the members below in one place. */
typedef struct etl_candidate {
    const etl_contender *at;
    uint32_t count;
    uint32_t references, registrations; /* of a provider: RefCount, RegListHead */
    uint32_t id, name;                  /* of a session: LoggerId, LoggerName */
} etl_candidate;

/* Candidates whose beginnings look the same. */
typedef struct etl_candidate_group {
    etl_mark mark;
    uint32_t mark_offset;   /* of the word with the mark, in the structure: 0 or 8 */
    uint32_t enable_offset; /* of TRACE_ENABLE_INFO structures, one after the other; 0 if there are none */
    uint32_t count;
    etl_candidate at[64];
} etl_candidate_group;

/* More than there are ways to begin. */
#define ETL_CANDIDATE_GROUPS_MAX 16u

typedef struct etl_candidates {
    uint32_t count;
    etl_candidate_group groups[ETL_CANDIDATE_GROUPS_MAX];
} etl_candidates;

/* All contenders of the ranking, which has to stay. */
void etl_candidates_open(etl_candidates *candidates, const etl_ranking *ranking);

/* A bit for each word of the block at `at` that a structure of the group may begin with; `marked` as of its mark. */
uint32_t etl_candidate_places(const etl_candidate_group *group, etl_span bytes, size_t at, uint32_t marked);

/* Whether a contender of the group that the place at the start of the span is not ruled out for has `threshold` points or
   more. */
bool etl_candidate_is_plausible(const etl_candidate_group *group, etl_span bytes, int32_t threshold);

#endif
