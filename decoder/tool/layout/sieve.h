/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds places in a large memory image where structures may lie. Cheap filters see every place, the score few of them.
 */
#ifndef ETLPROOF_LAYOUT_SIEVE_H
#define ETLPROOF_LAYOUT_SIEVE_H

#include "layout/glance.h"
#include "layout/scan_candidates.h"

/* Bytes between two places. */
#define TOOL_SIEVE_STEP TOOL_WORD

typedef struct tool_sieve {
    const tool_ranking *ranking;
    tool_candidates candidates;
} tool_sieve;

/* The best contender at a place. */
typedef struct tool_sieve_hit {
    uint64_t offset; /* from the start of the span */
    const tool_contender *contender;
    int32_t score;
    int32_t margin; /* points above the best contender that reads the bytes differently */
} tool_sieve_hit;

void tool_sieve_open(tool_sieve *sieve, const tool_ranking *ranking);

/* A search for structures that begin within the first `size` bytes. */
typedef struct tool_sieve_walk {
    const tool_sieve *sieve;
    etl_span bytes;
    size_t size;
    size_t stretch;              /* offset of the blocks that `sights` describes */
    size_t blocks, next;         /* their number, and the next one to filter */
    uint8_t sights[TOOL_STRETCH];
    size_t at;                   /* offset of the current block */
    uint32_t groups[TOOL_CANDIDATE_GROUPS_MAX]; /* one bit for each of its words where a structure of the group may begin */
    uint32_t places;                           /* such words of all groups that are still to score */
} tool_sieve_walk;

tool_sieve_walk tool_sieve_search(const tool_sieve *sieve, etl_span bytes, size_t size);
/* The next place where a possible contender has at least `threshold` points. False at the end. */
bool tool_sieve_next(tool_sieve_walk *walk, int32_t threshold, tool_sieve_hit *hit);

#endif
