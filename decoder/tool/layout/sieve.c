/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains the filters of the search for structures, from the cheapest to the dearest: glance.h rules out blocks, marks.h
 * words, scan_candidates.h structures, and the points of the rest decide. sweep.c calls this for each window of a file.
 */
#include "layout/sieve.h"

void tool_sieve_open(tool_sieve *sieve, const tool_ranking *ranking)
{
    sieve->ranking = ranking;
    tool_candidates_open(&sieve->candidates, ranking);
}

tool_sieve_walk tool_sieve_search(const tool_sieve *sieve, etl_span bytes, size_t size)
{
    return (tool_sieve_walk){.sieve = sieve, .bytes = bytes, .size = size};
}

static void filter_block(tool_sieve_walk *walk, uint32_t sight)
{
    const tool_candidates *candidates = &walk->sieve->candidates;
    uint32_t marked[TOOL_MARK_BEGINNINGS], any = 0;
    for (tool_mark mark = 0; mark < TOOL_MARK_BEGINNINGS; mark++) {
        marked[mark] = (sight & TOOL_SIGHT(mark)) != 0 ? tool_marked_words(walk->bytes, walk->at, mark) : 0;
        any |= marked[mark];
    }
    for (uint32_t i = 0; i < candidates->count && any != 0; i++) {
        const tool_candidate_group *group = &candidates->groups[i];
        const uint32_t words = marked[group->mark];
        walk->groups[i] = words != 0 ? tool_candidate_places(group, walk->bytes, walk->at, words) : 0;
        walk->places |= walk->groups[i];
    }
}

/* False if no bytes are left. */
static bool next_stretch(tool_sieve_walk *walk)
{
    walk->stretch += walk->blocks * TOOL_BLOCK;
    if (walk->stretch >= walk->size)
        return false;
    const size_t left = (walk->size - walk->stretch + TOOL_BLOCK - 1) / TOOL_BLOCK;
    walk->blocks = left < TOOL_STRETCH ? left : TOOL_STRETCH;
    walk->next = 0;
    tool_glance(etl_span_from(walk->bytes, walk->stretch), walk->blocks, walk->sights);
    return true;
}

/* Filters the next block of the stretch that the glance did not rule out, if any. */
static void next_block(tool_sieve_walk *walk)
{
    walk->next += etl_span_run((etl_span){walk->sights + walk->next, walk->blocks - walk->next}, 0);
    if (walk->next == walk->blocks)
        return;
    walk->at = walk->stretch + walk->next * TOOL_BLOCK;
    filter_block(walk, walk->sights[walk->next++]);
}

/* False at the end. */
static bool next_place(tool_sieve_walk *walk, uint32_t *word)
{
    while (walk->places == 0) {
        if (walk->next == walk->blocks && !next_stretch(walk))
            return false;
        next_block(walk);
    }
    *word = tool_lowest_bit(walk->places);
    walk->places &= walk->places - 1;
    return true;
}

static bool is_plausible(const tool_sieve_walk *walk, uint32_t word, etl_span bytes, int32_t threshold)
{
    const tool_candidates *candidates = &walk->sieve->candidates;
    for (uint32_t i = 0; i < candidates->count; i++)
        if ((walk->groups[i] >> word & 1) != 0 && tool_candidate_is_plausible(&candidates->groups[i], bytes, threshold))
            return true;
    return false;
}

/* The index of the first maximum. */
static size_t index_of_most(const int32_t *points, size_t count)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (points[i] > points[most])
            most = i;
    return most;
}

/* Most points of a contender that reads the bytes differently from `best`; 0 if there is none. Overwrites `points`. */
static int32_t most_of_others(const tool_ranking *ranking, size_t best, etl_span bytes, int32_t *points)
{
    size_t next = best;
    do {
        points[next] = INT32_MIN;
        next = index_of_most(points, ranking->count);
    } while (points[next] != INT32_MIN && etl_guess_alike(&ranking->at[best].plan, &ranking->at[next].plan, bytes));
    return points[next] != INT32_MIN ? points[next] : 0;
}

static tool_sieve_hit best_at(const tool_ranking *ranking, uint64_t offset, etl_span bytes)
{
    int32_t points[TOOL_RANKING_MAX];
    for (size_t i = 0; i < ranking->count; i++)
        points[i] = etl_guess_score(&ranking->at[i].plan, bytes, INT32_MIN) + ranking->at[i].prior;
    const size_t best = index_of_most(points, ranking->count);
    tool_sieve_hit hit = {.offset = offset, .contender = &ranking->at[best], .score = points[best]};
    hit.margin = hit.score - most_of_others(ranking, best, bytes, points);
    return hit;
}

bool tool_sieve_next(tool_sieve_walk *walk, int32_t threshold, tool_sieve_hit *hit)
{
    uint32_t word;
    while (next_place(walk, &word)) {
        const size_t offset = walk->at + (size_t)word * TOOL_WORD;
        const etl_span bytes = etl_span_from(walk->bytes, offset);
        if (offset >= walk->size)
            return false;
        if (is_plausible(walk, word, bytes, threshold)) {
            *hit = best_at(walk->sieve->ranking, offset, bytes);
            return true;
        }
    }
    return false;
}
