/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The third filter of the search for structures in an image: groups contenders by their first members, and rules out
 * places by members that every structure in use has. sieve.c calls this.
 */
#include "layout/scan_candidates.h"

/* Points below which a place is abandoned before all of its members are scored. */
#define FLOOR (-25 * ETL_GUESS_BIT)

static bool has_member(const etl_guess_plan *plan, const char *member, uint32_t *offset)
{
    etl_memory_member found;
    if (!etl_memory_find(plan->layout, member, &found))
        return false;
    *offset = found.offset;
    return true;
}

/* The first members of a layout. */
static tool_candidate_group group_of(const etl_guess_plan *plan)
{
    tool_candidate_group group = {.mark = TOOL_MARK_TIME};
    uint32_t offset;
    if (has_member(plan, "ProviderEnableInfo", &group.enable_offset)) {
        group.mark = plan->layout.arch == ETL_ARCH_X86 ? TOOL_MARK_LIST_X86 : TOOL_MARK_LIST_X64;
    } else if (has_member(plan, "LoggerId", &offset) && offset == 0) {
        group.mark = TOOL_MARK_SESSION;
    } else if (!has_member(plan, "ReferenceTime", &group.mark_offset) || group.mark_offset != 0) {
        has_member(plan, "StartTime", &group.mark_offset);
    }
    return group;
}

static bool is_alike(const tool_candidate_group *a, const tool_candidate_group *b)
{
    return a->mark == b->mark && a->mark_offset == b->mark_offset && a->enable_offset == b->enable_offset;
}

static tool_candidate candidate_of(const tool_contender *contender)
{
    tool_candidate candidate = {.at = contender, .count = 1};
    has_member(&contender->plan, "RefCount", &candidate.references);
    has_member(&contender->plan, "RegListHead", &candidate.registrations);
    has_member(&contender->plan, "LoggerId", &candidate.id);
    has_member(&contender->plan, "LoggerName", &candidate.name);
    return candidate;
}

/* True if `b` follows `a` in the ranking, with the same members at the same offsets. */
static bool continues(const tool_candidate *a, const tool_candidate *b)
{
    const etl_memory_layout *x = &a->at->plan.layout, *y = &b->at->plan.layout;
    return a->at + a->count == b->at && x->structure == y->structure && x->arch == y->arch &&
           a->references == b->references && a->registrations == b->registrations && a->id == b->id && a->name == b->name;
}

static void add(tool_candidate_group *group, const tool_contender *contender)
{
    const tool_candidate candidate = candidate_of(contender);
    if (group->count > 0 && continues(&group->at[group->count - 1], &candidate))
        group->at[group->count - 1].count++;
    else
        group->at[group->count++] = candidate;
}

void tool_candidates_open(tool_candidates *candidates, const tool_ranking *ranking)
{
    candidates->count = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        const tool_candidate_group like = group_of(&ranking->at[i].plan);
        uint32_t g = 0;
        while (g < candidates->count && !is_alike(&candidates->groups[g], &like))
            g++;
        if (g == candidates->count)
            candidates->groups[candidates->count++] = like;
        add(&candidates->groups[g], &ranking->at[i]);
    }
}

/* Checks ProviderEnableInfo and EnableInfo[8]. Few places that have the mark by chance pass. */
static bool can_be_enabled(const tool_candidate_group *group, etl_span bytes)
{
    for (uint32_t i = 0; i < TOOL_ENABLE_COUNT; i++) {
        const uint64_t word = etl_load_u64(bytes, group->enable_offset + i * ETL_TYPE_SIZE(TRACE_ENABLE_INFO));
        if (tool_sign_if_marked(word, TOOL_MARK_ENABLE) >> 63 == 0)
            return false;
    }
    return true;
}

uint32_t tool_candidate_places(const tool_candidate_group *group, etl_span bytes, size_t at, uint32_t marked)
{
    const uint32_t all = (UINT32_C(1) << TOOL_BLOCK_WORDS) - 1;
    uint32_t places = all & (group->mark_offset == 0 ? marked : marked >> 1);
    if (group->enable_offset == 0)
        return places;
    for (uint32_t left = places; left != 0; left &= left - 1) {
        const uint32_t word = tool_lowest_bit(left);
        if (!can_be_enabled(group, etl_span_from(bytes, at + (size_t)word * TOOL_WORD)))
            places &= ~(UINT32_C(1) << word);
    }
    return places;
}

/* True if there are references and an initialised registration list. */
static bool is_provider(const tool_candidate *candidate, tool_mark list, etl_span bytes)
{
    const uint32_t references = etl_load_u32(bytes, candidate->references);
    return references != 0 && references < ETL_GUESS_REFERENCES_END &&
           tool_sign_if_marked(etl_load_u64(bytes, candidate->registrations), list) >> 63 != 0;
}

/* True if there are a valid LoggerId and a name. */
static bool is_session(const tool_candidate *candidate, etl_span bytes)
{
    const etl_guess_plan *plan = &candidate->at->plan;
    const size_t at = candidate->name;
    if (etl_load_u32(bytes, candidate->id) >= ETL_MEMORY_LOGGERS_MOST)
        return false;
    const uint32_t length = etl_load_u16(bytes, at);
    const uint32_t most = etl_load_u16(bytes, at + ETL_PART_AT(UNICODE_STRING, MaximumLength));
    if (length == 0 || length > most || (length | most) % 2 != 0)
        return false;
    const uint64_t buffer = plan->layout.arch == ETL_ARCH_X86
                                ? etl_load_u32(bytes, at + ETL_PART_AT_X86(UNICODE_STRING, Buffer))
                                : etl_load_u64(bytes, at + ETL_PART_AT(UNICODE_STRING, Buffer));
    return plan->half.least <= buffer && buffer <= plan->half.most;
}

static bool can_be(const tool_candidate_group *group, const tool_candidate *candidate, etl_span bytes)
{
    return group->enable_offset != 0 ? is_provider(candidate, group->mark, bytes) : is_session(candidate, bytes);
}

static bool has_points(const tool_candidate *candidate, etl_span bytes, int32_t threshold)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        const tool_contender *contender = &candidate->at[i];
        if (etl_guess_score(&contender->plan, bytes, FLOOR) + contender->prior >= threshold)
            return true;
    }
    return false;
}

bool tool_candidate_is_plausible(const tool_candidate_group *group, etl_span bytes, int32_t threshold)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (can_be(group, &group->at[i], bytes) && has_points(&group->at[i], bytes, threshold))
            return true;
    return false;
}
