/* SPDX-License-Identifier: Apache-2.0 */
#include "layout/sweep.h"

#include "span.h"

/* Bytes that are searched at once, at least. */
#define STEP ((size_t)1024 * 1024)

bool etl_sweep_open(etl_sweep *sweep, const etl_ranking *ranking, const char *file, uint64_t offset)
{
    *sweep = (etl_sweep){.offset = offset, .after = 2 * ranking->most};
    etl_sieve_open(&sweep->sieve, ranking);
    if (!etl_input_open(&sweep->input, file))
        return false;
    etl_progress_start(&sweep->progress, false);
    sweep->walk = etl_sieve_search(&sweep->sieve, sweep->window, 0);
    return true;
}

/* Bytes of the window that are searched from its start on: what begins behind them is whole in the next window. */
static size_t searched(const etl_sweep *sweep)
{
    if (sweep->last || sweep->window.size < sweep->after)
        return sweep->window.size;
    return (sweep->window.size - sweep->after) / ETL_SIEVE_STEP * ETL_SIEVE_STEP;
}

static bool next_window(etl_sweep *sweep)
{
    const size_t done = searched(sweep), before = done < ETL_SWEEP_BEFORE ? done : ETL_SWEEP_BEFORE;
    if (sweep->last)
        return false;
    sweep->offset += done - before;
    sweep->skip = before;
    const size_t want = before + STEP + sweep->after;
    sweep->failed = !etl_input_serve(&sweep->input, sweep->offset, want, &sweep->window, &sweep->last);
    if (sweep->failed)
        return false;
    const etl_span rest = etl_span_from(sweep->window, before);
    sweep->walk = etl_sieve_search(&sweep->sieve, rest, searched(sweep) - (searched(sweep) < before ? 0 : before));
    const uint64_t total = sweep->input.size_known ? sweep->input.size : 0;
    etl_progress_update(&sweep->progress, sweep->input.title, sweep->offset, total);
    return true;
}

bool etl_sweep_next(etl_sweep *sweep, int32_t threshold, etl_sieve_hit *hit)
{
    if (etl_sieve_next(&sweep->walk, threshold, hit)) {
        hit->offset += sweep->offset + sweep->skip;
        return true;
    }
    if (!next_window(sweep))
        return false;
    *hit = (etl_sieve_hit){.offset = sweep->offset + sweep->skip};
    return true;
}

etl_span etl_sweep_bytes(const etl_sweep *sweep, uint64_t offset)
{
    return etl_span_from(sweep->window, (size_t)(offset - sweep->offset));
}

void etl_sweep_close(etl_sweep *sweep)
{
    etl_progress_end(&sweep->progress);
    etl_input_close(&sweep->input);
}
