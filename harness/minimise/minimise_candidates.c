/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes candidates that are smaller or simpler than an input, in the phases that minimise_candidates.h lists. Called by
 * candidate_program.c.
 */
#include "minimise_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "hash_set.h"
#include "checked_alloc.h"
#include "random_walk.h"
#include "simpler.h"
#include "structural_trim.h"

typedef enum phase {
    PHASE_TRIM,
    PHASE_UNPACK,
    PHASE_CUT,
    PHASE_FINELY,
    PHASE_DELETE,
    PHASE_RUNS,
    PHASE_PLAIN,
    PHASE_LESS,
    PHASE_SEARCH,
    PHASE_COUNT
} phase;

/*
 * After PATIENCE failed candidates, a phase is interrupted until the next round: it may not suit this input. When a
 * round no longer makes the input smaller, each phase gets PATIENCE_TIMES as many. In LESS all candidates count, since
 * it may lower each byte a little.
 */
enum { PATIENCE = 64, PATIENCE_TIMES = 4 };
/* RUNS: the most bytes that are removed at once. */
enum { RUN_MOST = 16 };
/* LESS: candidates of each byte after the halves: each of its bits. */
enum { BITS = 8 };
/* SEARCH: failed candidates that are allowed, as a multiple of those of another phase; fewer once a candidate held, since
   other phases may now succeed. */
enum { SEARCH_TIMES = 16, SEARCH_MORE = 4 };

struct minimise_candidates {
    input_kind input;
    mutator_core *mutator;
    mutator_draft *draft;
    minimise_trim *trim;
    uint8_t *held, *candidate; /* the last candidate that held, and the current one */
    size_t held_size, candidate_size, most;
    const uint8_t *offered; /* the candidate of the caller: `candidate`, or that of `trim` */
    minimise_hash_set *seen;
    minimise_random_walk search;
    size_t searches;        /* SEARCH: candidates that may fail before minimising ends */
    phase phase;
    bool shrank, changed; /* a candidate held in this round; changed: of the same size */
    bool gave_up;   /* a phase of this round was interrupted */
    size_t spent, patience; /* candidates in a row without gain, and the most allowed */
    bool is_over;
    size_t run;     /* UNPACK: streams; otherwise bytes that are changed at once */
    size_t end;     /* where the next run ends; 0: no run of this size is left */
    unsigned less;  /* LESS: what was subtracted from the byte; 0 before the first candidate */
    unsigned bit;   /* LESS: the next bit, counted from 1, once the halves are done; lower bits follow */
    bool found;     /* SEARCH: a candidate held */
};

/* The largest power of two up to `size`; 1 for 0. */
static size_t power_below(size_t size)
{
    size_t power = 1;
    while (power <= size / 2)
        power *= 2;
    return power;
}

static size_t count_streams(minimise_candidates *m)
{
    mutator_draft_read(m->draft, m->input, m->held, m->held_size);
    return mutator_draft_count(m->draft, MUTATOR_PIECE_STREAM);
}

static void start_phase(minimise_candidates *m, phase to)
{
    m->phase = to;
    m->spent = 0;
    m->less = m->bit = 0;
    m->found = false;
    switch (to) {
    case PHASE_TRIM: minimise_trim_begin(m->trim, m->held, m->held_size); break;
    case PHASE_FINELY: minimise_trim_finely(m->trim, m->held, m->held_size); break;
    case PHASE_UNPACK: m->run = m->end = count_streams(m); break;
    case PHASE_SEARCH: minimise_random_walk_begin(&m->search, m->held, m->held_size); break;
    case PHASE_RUNS:
        m->run = m->held_size < RUN_MOST ? m->held_size : RUN_MOST;
        m->end = m->held_size;
        break;
    default:
        m->run = to == PHASE_LESS ? 1 : power_below(m->held_size);
        m->end = m->held_size;
        break;
    }
}

/* How many candidates in a row may fail in this phase. */
static size_t patience_of(const minimise_candidates *m)
{
    if (m->phase != PHASE_SEARCH)
        return m->patience;
    const size_t most = m->patience < m->searches / SEARCH_TIMES ? m->patience * SEARCH_TIMES : m->searches;
    return m->found ? most / SEARCH_MORE : most;
}

/* False after the last phase of a round without gain in which every phase was completed. */
static bool next_phase(minimise_candidates *m)
{
    if (m->phase + 1 < PHASE_COUNT) {
        start_phase(m, m->phase + 1);
        return true;
    }
    if (!m->shrank && !m->changed && !m->gave_up)
        return false;
    if (!m->shrank)
        m->patience *= PATIENCE_TIMES;
    m->shrank = m->changed = m->gave_up = false;
    start_phase(m, PHASE_TRIM);
    return true;
}

/*
 * Runs go from the end to the start, each size after the one twice as large. They start at multiples of it, as numbers and
 * structures do; the last may be short.
 */
static size_t start_of_run(const minimise_candidates *m)
{
    return m->end != 0 ? (m->end - 1) / m->run * m->run : 0;
}

/* True if there is a run of this size or of a smaller one, down to `least`. */
static bool next_run(minimise_candidates *m, size_t count, size_t least)
{
    if (m->end > count)
        m->end = count;
    while (m->end == 0 && m->run > least) {
        m->run = m->phase == PHASE_UNPACK ? 1 : m->run / 2;
        m->end = count;
    }
    return m->end != 0;
}

/* UNPACK: all streams, then one at a time. */

static bool make_unpacked(minimise_candidates *m)
{
    if (!next_run(m, count_streams(m), 1))
        return false;
    mutator_draft *draft = m->draft;
    size_t from = start_of_run(m), left = m->end - from;
    for (mutator_piece *p = mutator_draft_get(draft, MUTATOR_PIECE_STREAM, from), *next; p != NULL && left-- > 0;
         p = next) {
        next = mutator_draft_next(draft, p, MUTATOR_PIECE_STREAM);
        mutator_piece_unpack(draft, p);
    }
    mutator_draft_settle(draft, MUTATOR_SETTLE_ALL);
    m->candidate_size = mutator_draft_write(draft, m->candidate, m->most + 1);
    return true;
}

/* CUT: the end: half of all, a quarter and so on, down to a byte. Runs of other phases do not return to the end. */

static bool make_cut(minimise_candidates *m)
{
    if (m->run >= m->held_size)
        m->run = m->held_size / 2;
    if (m->run == 0)
        return false;
    m->candidate_size = m->held_size - m->run;
    memcpy(m->candidate, m->held, m->candidate_size);
    return true;
}

/* DELETE. */

static bool make_deleted(minimise_candidates *m)
{
    if (!next_run(m, m->held_size, 1))
        return false;
    const size_t from = start_of_run(m);
    memcpy(m->candidate, m->held, from);
    memcpy(m->candidate + from, m->held + m->end, m->held_size - m->end);
    m->candidate_size = m->held_size - (m->end - from);
    return true;
}

/* RUNS: of any length, from any start. */

static bool make_run_deleted(minimise_candidates *m)
{
    if (m->end > m->held_size)
        m->end = m->held_size;
    for (; m->end < m->run && m->run > 1; m->end = m->held_size)
        m->run--;
    if (m->end < m->run || m->run == 0)
        return false;
    memcpy(m->candidate, m->held, m->end - m->run);
    memcpy(m->candidate + m->end - m->run, m->held + m->end, m->held_size - m->end);
    m->candidate_size = m->held_size - m->run;
    return true;
}

/* PLAIN. */

static bool make_plain(minimise_candidates *m)
{
    if (!next_run(m, m->held_size, 1))
        return false;
    const size_t from = start_of_run(m);
    memcpy(m->candidate, m->held, m->held_size);
    memset(m->candidate + from, 0, m->end - from);
    m->candidate_size = m->held_size;
    return true;
}

/* LESS: half of the byte is subtracted, then a quarter and so on, down to 1; then each of its bits. */

static unsigned less_of(minimise_candidates *m, unsigned byte)
{
    if (m->bit == 0) {
        m->less = m->less != 0 ? m->less / 2 : (byte + 1) / 2;
        if (m->less != 0)
            return m->less;
        m->bit = BITS + 1;
    }
    while (--m->bit != 0)
        if (byte & 1u << (m->bit - 1))
            return 1u << (m->bit - 1);
    return 0;
}

static bool make_less(minimise_candidates *m)
{
    while (next_run(m, m->held_size, 1)) {
        const uint8_t byte = m->held[m->end - 1];
        const unsigned less = less_of(m, byte);
        if (less != 0) {
            memcpy(m->candidate, m->held, m->held_size);
            m->candidate[m->end - 1] = (uint8_t)(byte - less);
            m->candidate_size = m->held_size;
            return true;
        }
        m->end--;
    }
    return false;
}

/* SEARCH: a candidate that holds but is not simpler is not kept. */

static bool make_searched(minimise_candidates *m)
{
    m->candidate_size =
        m->held_size > 1 ? minimise_random_walk_next(&m->search, m->held, m->held_size, m->candidate, m->most) : 0;
    return m->held_size > 1;
}

static bool is_gain(const minimise_candidates *m)
{
    return m->phase != PHASE_SEARCH || minimise_is_simpler(m->candidate, m->candidate_size, m->held, m->held_size);
}

/* Candidates. */

/* Makes the next candidate of this phase. False if there is none. */
static bool make(minimise_candidates *m)
{
    m->offered = m->candidate;
    switch (m->phase) {
    case PHASE_TRIM:
    case PHASE_FINELY:
        m->candidate_size = minimise_trim_next(m->trim, &m->offered);
        return m->candidate_size != 0;
    case PHASE_UNPACK: return make_unpacked(m);
    case PHASE_CUT: return make_cut(m);
    case PHASE_DELETE: return make_deleted(m);
    case PHASE_RUNS: return make_run_deleted(m);
    case PHASE_PLAIN: return make_plain(m);
    case PHASE_LESS: return make_less(m);
    case PHASE_SEARCH: return make_searched(m);
    case PHASE_COUNT: break;
    }
    return false;
}

/* Moves to the next candidate of this phase. */
static void step(minimise_candidates *m, bool holds)
{
    switch (m->phase) {
    case PHASE_TRIM:
    case PHASE_FINELY: minimise_trim_tell(m->trim, holds); break;
    case PHASE_CUT: m->run /= holds ? 1 : 2; break;
    case PHASE_RUNS: m->end -= holds ? 0 : 1; break;
    case PHASE_LESS: break; /* half as much is next, from what held */
    case PHASE_SEARCH: break;
    default: m->end = start_of_run(m); break;
    }
}

minimise_candidates *minimise_candidates_new(input_kind input, const uint8_t *in, size_t size, size_t searches)
{
    minimise_candidates *m = mutator_realloc(NULL, sizeof *m);
    *m = (minimise_candidates){.input = input, .mutator = mutator_new(input), .draft = mutator_draft_new(),
                               .trim = minimise_trim_new(input), .held_size = size, .most = size,
                               .patience = PATIENCE, .searches = searches};
    m->held = mutator_realloc(NULL, size + 1);
    m->candidate = mutator_realloc(NULL, size + 1);
    if (size != 0)
        memcpy(m->held, in, size);
    m->search = minimise_random_walk_new(m->mutator, size);
    m->seen = minimise_hash_set_new();
    minimise_hash_set_add(m->seen, m->held, size);
    start_phase(m, PHASE_TRIM);
    return m;
}

void minimise_candidates_free(minimise_candidates *m)
{
    if (m == NULL)
        return;
    minimise_random_walk_free(&m->search);
    minimise_trim_free(m->trim);
    mutator_draft_free(m->draft);
    mutator_free(m->mutator);
    minimise_hash_set_free(m->seen);
    free(m->held);
    free(m->candidate);
    free(m);
}

size_t minimise_candidates_next(minimise_candidates *m, const uint8_t **candidate)
{
    while (!m->is_over) {
        const bool gives_up = m->spent >= patience_of(m);
        m->gave_up = m->gave_up || (gives_up && (m->phase != PHASE_SEARCH || patience_of(m) < m->searches));
        if (gives_up || !make(m)) {
            m->is_over = !next_phase(m);
        } else if (m->candidate_size == 0 || m->candidate_size > m->most ||
                   !minimise_hash_set_add(m->seen, m->offered, m->candidate_size)) {
            m->spent += m->phase == PHASE_SEARCH;
            step(m, false);
        } else {
            *candidate = m->offered;
            return m->candidate_size;
        }
    }
    return 0;
}

void minimise_candidates_tell(minimise_candidates *m, bool holds)
{
    const bool gain = holds && is_gain(m);
    if (gain) {
        m->shrank = m->shrank || m->candidate_size < m->held_size;
        m->changed = m->found = true;
        memcpy(m->held, m->offered, m->candidate_size);
        m->held_size = m->candidate_size;
    }
    if (holds && m->phase == PHASE_SEARCH)
        minimise_random_walk_tell(&m->search, m->candidate, m->candidate_size);
    m->spent = gain && m->phase != PHASE_LESS ? 0 : m->spent + 1;
    step(m, holds);
}
