/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a large memory image structures may lie: what is cheap to see of every place, before any is looked at closely.
 */
#ifndef ETLPROOF_LAYOUT_SIEVE_H
#define ETLPROOF_LAYOUT_SIEVE_H

#include "layout/glance.h"
#include "layout/scan_candidates.h"

/* Bytes from a place to the next. */
#define TOOL_SIEVE_STEP TOOL_WORD

typedef struct tool_sieve {
    const tool_ranking *ranking;
    tool_candidates candidates;
} tool_sieve;

/* The best of all contenders at a place. */
typedef struct tool_sieve_hit {
    uint64_t offset; /* from the start of the span */
    const tool_contender *contender;
    int32_t score;
    int32_t margin; /* points that it is ahead of the next one there that reads the bytes otherwise */
} tool_sieve_hit;

void tool_sieve_open(tool_sieve *sieve, const tool_ranking *ranking);

/* Looks for structures that begin within the first `size` bytes. */
typedef struct tool_sieve_walk {
    const tool_sieve *sieve;
    etl_span bytes;
    size_t size;
    size_t stretch;              /* where the blocks begin that were seen at a glance */
    size_t blocks, next;         /* how many they are, and the next to be looked at */
    uint8_t sights[TOOL_STRETCH];
    size_t at;                   /* of the block that is looked at */
    uint32_t groups[TOOL_CANDIDATE_GROUPS_MAX]; /* a bit for each word of it that a structure of the group may begin with */
    uint32_t places;                           /* of all groups, those that are still to be looked at */
} tool_sieve_walk;

tool_sieve_walk tool_sieve_search(const tool_sieve *sieve, etl_span bytes, size_t size);
/* The next place where one of the contenders that it is not ruled out for has `threshold` points or more; false at the
   end. */
bool tool_sieve_next(tool_sieve_walk *walk, int32_t threshold, tool_sieve_hit *hit);

#endif
