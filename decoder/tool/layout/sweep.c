/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the sieve over all windows of a file. layout_guess.c and layout_scan.c call this.
 */
#include "layout/sweep.h"

#include "span.h"

/* Least bytes searched at once. */
#define STEP ((size_t)1024 * 1024)

bool tool_sweep_open(tool_sweep *sweep, const tool_ranking *ranking, const char *file, uint64_t offset)
{
    *sweep = (tool_sweep){.offset = offset, .after = 2 * ranking->most};
    tool_sieve_open(&sweep->sieve, ranking);
    if (!tool_input_open(&sweep->input, file))
        return false;
    tool_progress_start(&sweep->progress, false);
    sweep->walk = tool_sieve_search(&sweep->sieve, sweep->window, 0);
    return true;
}

/* Bytes of the window to search. A structure that begins behind them lies as a whole in the next window. */
static size_t searched(const tool_sweep *sweep)
{
    if (sweep->last || sweep->window.size < sweep->after)
        return sweep->window.size;
    return (sweep->window.size - sweep->after) / TOOL_SIEVE_STEP * TOOL_SIEVE_STEP;
}

static bool next_window(tool_sweep *sweep)
{
    const size_t done = searched(sweep), before = done < TOOL_SWEEP_BEFORE ? done : TOOL_SWEEP_BEFORE;
    if (sweep->last)
        return false;
    sweep->offset += done - before;
    sweep->skip = before;
    const size_t want = before + STEP + sweep->after;
    sweep->failed = !tool_input_serve(&sweep->input, sweep->offset, want, &sweep->window, &sweep->last);
    if (sweep->failed)
        return false;
    const etl_span rest = etl_span_from(sweep->window, before);
    sweep->walk = tool_sieve_search(&sweep->sieve, rest, searched(sweep) - (searched(sweep) < before ? 0 : before));
    const uint64_t total = sweep->input.size_known ? sweep->input.size : 0;
    tool_progress_update(&sweep->progress, sweep->input.title, sweep->offset, total);
    return true;
}

bool tool_sweep_next(tool_sweep *sweep, int32_t threshold, tool_sieve_hit *hit)
{
    if (tool_sieve_next(&sweep->walk, threshold, hit)) {
        hit->offset += sweep->offset + sweep->skip;
        return true;
    }
    if (!next_window(sweep))
        return false;
    *hit = (tool_sieve_hit){.offset = sweep->offset + sweep->skip};
    return true;
}

etl_span tool_sweep_bytes(const tool_sweep *sweep, uint64_t offset)
{
    return etl_span_from(sweep->window, (size_t)(offset - sweep->offset));
}

void tool_sweep_close(tool_sweep *sweep)
{
    tool_progress_end(&sweep->progress);
    tool_input_close(&sweep->input);
}
