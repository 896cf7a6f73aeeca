/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores the layouts that bytes may be (etlproof/memory.h) and sorts them. layout_guess.c and layout_scan.c call this.
 */
#include "layout/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "span.h"

/* Bytes cannot tell ARM64 from x64, so that ARM64 has to be asked for. */
static bool is_wanted(const tool_layout_request *request, etl_memory_layout layout, etl_windows until)
{
    const etl_memory_layout *wanted = &request->layout;
    return (wanted->structure == ETL_MEMORY_STRUCTURE_COUNT || wanted->structure == layout.structure) &&
           (wanted->arch == layout.arch || (wanted->arch == ETL_ARCH_COUNT && layout.arch != ETL_ARCH_ARM64)) &&
           (wanted->windows == ETL_WINDOWS_COUNT || (layout.windows <= wanted->windows && wanted->windows <= until));
}

/* log2 of the number of versions: a priori each version is equally likely. */
static int32_t prior_of(etl_windows from, etl_windows until)
{
    static const int32_t sixteenths[ETL_WINDOWS_COUNT] = {0,  16, 25, 32, 37, 41, 45, 48, 51,
                                                          53, 55, 57, 59, 61, 63, 64, 65, 67, 68};
    _Static_assert(ETL_WINDOWS_COUNT == 19, "add a logarithm for the new version");
    return sixteenths[until - from] * ETL_GUESS_BIT / 16;
}

static void add(tool_ranking *ranking, etl_memory_layout layout, etl_windows until)
{
    tool_contender *contender = &ranking->at[ranking->count++];
    etl_guess_prepare(&contender->plan, layout);
    contender->until = until;
    contender->prior = prior_of(layout.windows, until);
    contender->score = INT32_MIN;
    if (contender->plan.size > ranking->most)
        ranking->most = contender->plan.size;
}

static void add_versions(tool_ranking *ranking, const tool_layout_request *request, etl_memory_layout layout)
{
    etl_windows until;
    for (layout.windows = 0; layout.windows < ETL_WINDOWS_COUNT; layout.windows = until + 1) {
        until = etl_memory_same_until(layout);
        if (etl_memory_size(layout) != 0 && is_wanted(request, layout, until))
            add(ranking, layout, until);
    }
}

bool tool_ranking_open(tool_ranking *ranking, const tool_layout_request *request)
{
    *ranking = (tool_ranking){.at = calloc(TOOL_RANKING_MAX, sizeof *ranking->at)};
    if (ranking->at == NULL) {
        tool_print_error("out of memory");
        return false;
    }
    etl_memory_layout layout = {0};
    for (layout.structure = 0; layout.structure < ETL_MEMORY_STRUCTURE_COUNT; layout.structure++)
        for (layout.arch = 0; layout.arch < ETL_ARCH_COUNT; layout.arch++)
            add_versions(ranking, request, layout);
    return true;
}

void tool_ranking_close(tool_ranking *ranking)
{
    free(ranking->at);
    ranking->at = NULL;
}

void tool_ranking_score(tool_ranking *ranking, etl_span bytes, uint64_t offset)
{
    for (size_t i = 0; i < ranking->count; i++) {
        tool_contender *contender = &ranking->at[i];
        const int32_t score = etl_guess_score(&contender->plan, bytes, INT32_MIN) + contender->prior;
        if (score > contender->score) {
            contender->score = score;
            contender->offset = offset;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const tool_contender *left = a, *right = b;
    if (left->score != right->score)
        return left->score > right->score ? -1 : 1;
    return (int)right->until - (int)left->until;
}

/* Moves a contender forward to index `to`. */
static void advance(tool_ranking *ranking, size_t from, size_t to)
{
    const tool_contender contender = ranking->at[from];
    memmove(&ranking->at[to + 1], &ranking->at[to], (from - to) * sizeof contender);
    ranking->at[to] = contender;
}

/* Gives one rank to the contender at `first` and to all later ones that read the bytes alike. Returns the next index. */
static size_t rank_from(tool_ranking *ranking, size_t first, uint32_t rank, etl_span bytes)
{
    const tool_contender *leader = &ranking->at[first];
    size_t end = first;
    for (size_t i = first; i < ranking->count; i++) {
        if (i > first && (ranking->at[i].offset != leader->offset ||
                          !etl_guess_alike(&leader->plan, &ranking->at[i].plan, bytes)))
            continue;
        ranking->at[i].rank = rank;
        advance(ranking, i, end++);
    }
    return end;
}

void tool_ranking_sort(tool_ranking *ranking, etl_span bytes, uint64_t offset)
{
    uint32_t rank = 1;
    qsort(ranking->at, ranking->count, sizeof *ranking->at, compare);
    for (size_t i = 0; i < ranking->count; rank++)
        i = rank_from(ranking, i, rank, etl_span_from(bytes, (size_t)(ranking->at[i].offset - offset)));
}

uint32_t tool_contender_versions(const tool_contender *contender)
{
    return (UINT32_C(2) << contender->until) - (UINT32_C(1) << contender->plan.layout.windows);
}

uint32_t tool_ranking_alike(const tool_ranking *ranking, const tool_contender *contender, etl_span bytes)
{
    uint32_t versions = 0;
    for (size_t i = 0; i < ranking->count; i++)
        if (etl_guess_alike(&contender->plan, &ranking->at[i].plan, bytes))
            versions |= tool_contender_versions(&ranking->at[i]);
    return versions;
}

static bool is_among(uint32_t versions, etl_windows windows)
{
    return (versions >> windows & 1) != 0;
}

void tool_versions_text(tool_output *out, uint32_t versions)
{
    const char *comma = "";
    for (etl_windows first = 0; first < ETL_WINDOWS_COUNT; first++) {
        etl_windows last = first;
        if (!is_among(versions, first))
            continue;
        while (is_among(versions, last + 1))
            last++;
        tool_put_format(out, "%s%s", comma, etl_windows_get(first)->text);
        if (last != first)
            tool_put_format(out, " to %s", etl_windows_get(last)->text);
        comma = ", ";
        first = last;
    }
}

void tool_contender_json(tool_json *json, const tool_contender *contender)
{
    const etl_memory_layout layout = contender->plan.layout;
    tool_json_text(json, "structure", etl_memory_structure_get(layout.structure)->name);
    tool_json_text(json, "windows", etl_windows_get(layout.windows)->text);
    tool_json_text(json, "until", etl_windows_get(contender->until)->text);
    tool_json_text(json, "arch", etl_arch_text(layout.arch));
}

int32_t tool_points_bits(int32_t points)
{
    return points >= 0 ? points / ETL_GUESS_BIT : -((-points + ETL_GUESS_BIT - 1) / ETL_GUESS_BIT);
}

void tool_points_text(tool_output *out, int32_t points)
{
    const int32_t tenths = (points < 0 ? -points : points) * 10 / ETL_GUESS_BIT;
    tool_put_format(out, "%s%d.%d", points < 0 ? "-" : "", (int)(tenths / 10), (int)(tenths % 10));
}
