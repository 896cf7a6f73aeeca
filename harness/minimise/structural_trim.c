/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes smaller candidates of an input, by its structure. Called by minimise_candidates.c, exit_status.c and AFL++'s
 * trimming.
 *
 * Trimming works in passes, from large to small: slack, buffers, events, items, user data, bytes. A pass has a list of
 * pieces and removes runs of them, from its end to its start: first all, then halves, down to single ones. The last pass
 * does so with the bytes of each piece. Every candidate is made from the input that held last, so that nothing has to be
 * undone.
 */
#include "structural_trim.h"

#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "checked_alloc.h"

/* Removals in one round may make further ones possible in the next. */
enum { ROUNDS = 2 };
/* PASS_BYTES cuts runs down to this fraction of a piece, unless it is fine; whole pieces are another pass. */
enum { RUNS_OF_PIECE = 16 };
/* BufferSize of a plain buffer is rounded up to a multiple. */
enum { ALIGNMENT = 8 };

/* PASS_SLACK has two steps: remove all slack; if that does not hold, leave buffers of one common size. */
typedef enum trim_pass { PASS_SLACK, PASS_BUFFERS, PASS_EVENTS, PASS_ITEMS, PASS_DATA, PASS_BYTES, PASS_COUNT } trim_pass;
enum { SLACK_ALL = 2, SLACK_COMMON = 1 };

struct minimise_trim {
    input_kind input;
    mutator_draft *draft;
    uint8_t *held, *candidate; /* the last candidate that held, and the current one */
    size_t held_size, candidate_size, capacity;
    size_t step, steps;
    unsigned round;
    bool shrank;  /* a candidate held in this round */
    bool finely;  /* bytes are cut down to single ones */
    bool tight;   /* buffers have no slack, and get none */
    trim_pass pass;
    size_t piece; /* PASS_BYTES: of its list, counted from 1; those before follow */
    size_t run;   /* pieces or bytes that are removed at once; PASS_SLACK: its step */
    size_t end;   /* where the next run ends; 0: no run of this size is left */
};

minimise_trim *minimise_trim_new(input_kind input)
{
    minimise_trim *trim = mutator_realloc(NULL, sizeof *trim);
    *trim = (minimise_trim){.input = input, .draft = mutator_draft_new()};
    return trim;
}

void minimise_trim_free(minimise_trim *trim)
{
    if (trim == NULL)
        return;
    mutator_draft_free(trim->draft);
    free(trim->held);
    free(trim->candidate);
    free(trim);
}

/* The lists of the passes. */

/* Whether the piece is slack, which settling shortens or extends. */
static bool ends_buffer(const mutator_piece *piece)
{
    return mutator_piece_is_slack(piece) && piece->next == NULL && piece->parent->kind == MUTATOR_PIECE_BUFFER;
}

static bool is_plain(const mutator_piece *buffer)
{
    for (const mutator_piece *p = buffer->first; p != NULL; p = p->next)
        if (p->kind == MUTATOR_PIECE_STREAM)
            return false;
    return true;
}

static bool is_listed(trim_pass pass, const mutator_piece *p)
{
    const bool is_raw = p->kind == MUTATOR_PIECE_RAW && !ends_buffer(p);
    const bool is_outer = p->parent != NULL && p->parent->parent == NULL;
    switch (pass) {
    case PASS_BUFFERS: return p->kind == MUTATOR_PIECE_BUFFER || (is_raw && is_outer);
    case PASS_EVENTS: return p->kind == MUTATOR_PIECE_EVENT || (is_raw && !is_outer);
    case PASS_ITEMS: return p->kind == MUTATOR_PIECE_ITEM;
    case PASS_DATA:
        return p->kind == MUTATOR_PIECE_DATA || p->kind == MUTATOR_PIECE_RECORD || p->kind == MUTATOR_PIECE_LOST;
    case PASS_BYTES: return is_raw || p->kind == MUTATOR_PIECE_STREAM || is_listed(PASS_DATA, p);
    case PASS_SLACK:
    case PASS_COUNT: break;
    }
    return false;
}

/* The next piece outside `piece`. */
static mutator_piece *piece_after(const mutator_piece *piece)
{
    while (piece != NULL && piece->next == NULL)
        piece = piece->parent;
    return piece != NULL ? piece->next : NULL;
}

static size_t count_listed(const minimise_trim *trim, trim_pass pass)
{
    size_t count = 0;
    for (const mutator_piece *p = trim->draft->root; p != NULL; p = mutator_piece_walk(p))
        count += is_listed(pass, p);
    return count;
}

/* The piece at `index` of the list; NULL after its end. */
static mutator_piece *get_listed(const minimise_trim *trim, trim_pass pass, size_t index)
{
    for (mutator_piece *p = trim->draft->root; p != NULL; p = mutator_piece_walk(p))
        if (is_listed(pass, p) && index-- == 0)
            return p;
    return NULL;
}

/* How many runs there are of `count` things, down to runs of `least`. */
static size_t count_runs(size_t count, size_t least)
{
    size_t sum = 0;
    for (size_t run = count; run != 0; run = run == 1 || run <= least ? 0 : (run + 1) / 2)
        sum += (count + run - 1) / run;
    return sum;
}

static size_t least_run(const minimise_trim *trim, const mutator_piece *piece)
{
    return trim->finely ? 1 : piece->size / RUNS_OF_PIECE + 1;
}

static size_t count_steps(const minimise_trim *trim)
{
    size_t sum = SLACK_ALL;
    for (trim_pass pass = PASS_BUFFERS; pass < PASS_BYTES; pass++)
        sum += count_runs(count_listed(trim, pass), 1);
    for (const mutator_piece *p = trim->draft->root; p != NULL; p = mutator_piece_walk(p))
        if (is_listed(PASS_BYTES, p))
            sum += count_runs(p->size, least_run(trim, p));
    return ROUNDS * sum;
}

/* Slack. */

/* The largest size that a plain buffer needs. */
static uint32_t common_size(const minimise_trim *trim)
{
    size_t most = 0;
    for (mutator_piece *p = mutator_draft_next(trim->draft, NULL, MUTATOR_PIECE_BUFFER); p != NULL;
         p = mutator_draft_next(trim->draft, p, MUTATOR_PIECE_BUFFER)) {
        const size_t slack = p->last != NULL && ends_buffer(p->last) ? p->last->size : 0;
        const size_t need = mutator_piece_extent(p) - slack;
        if (is_plain(p) && need > most)
            most = need;
    }
    return (uint32_t)((most + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* BufferSize of the logfile header, where it equals that of a buffer. */
static void set_logfile_size(minimise_trim *trim, uint32_t before, uint32_t after)
{
    mutator_piece *p = mutator_draft_next(trim->draft, NULL, MUTATOR_PIECE_RECORD);
    if (p == NULL)
        return;
    const bool is_32 = p->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER32;
    const uint32_t at = is_32 ? ETL_AT(TRACE_LOGFILE_HEADER32, BufferSize) : ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize);
    if ((is_32 || p->structure == ETL_STRUCTURE_TRACE_LOGFILE_HEADER64) &&
        mutator_piece_member(p, at, sizeof(uint32_t)) == before)
        mutator_piece_set_member(trim->draft, p, at, sizeof(uint32_t), after);
}

static void take_slack(minimise_trim *trim, uint32_t size)
{
    for (mutator_piece *p = mutator_draft_next(trim->draft, NULL, MUTATOR_PIECE_BUFFER); p != NULL;
         p = mutator_draft_next(trim->draft, p, MUTATOR_PIECE_BUFFER)) {
        if (!is_plain(p) || p->kept_size <= size)
            continue;
        if (size != 0)
            set_logfile_size(trim, p->kept_size, size);
        p->kept_size = size;
        p->resized = true;
    }
    mutator_draft_settle(trim->draft, MUTATOR_SETTLE_BUFFERS);
}

/* Candidates. */

/* Where the run starts; the last of a list may be short. */
static size_t start_of_run(const minimise_trim *trim)
{
    return trim->end > trim->run ? trim->end - trim->run : 0;
}

static void take_pieces(minimise_trim *trim)
{
    const size_t from = start_of_run(trim);
    size_t index = 0;
    for (mutator_piece *p = trim->draft->root, *next; p != NULL && index < trim->end; p = next) {
        next = mutator_piece_walk(p);
        if (!is_listed(trim->pass, p) || index++ < from)
            continue;
        next = piece_after(p);
        mutator_draft_remove(trim->draft, p);
    }
}

static void take_bytes(minimise_trim *trim)
{
    const size_t from = start_of_run(trim);
    mutator_piece *piece = get_listed(trim, PASS_BYTES, trim->piece - 1);
    if (piece != NULL)
        mutator_piece_cut(trim->draft, piece, from, trim->end - from);
}

static void take_out(minimise_trim *trim)
{
    if (trim->pass == PASS_SLACK) {
        take_slack(trim, trim->run == SLACK_ALL ? 0 : common_size(trim));
        return;
    }
    if (trim->pass == PASS_BYTES)
        take_bytes(trim);
    else
        take_pieces(trim);
    if (trim->tight)
        for (mutator_piece *p = mutator_draft_next(trim->draft, NULL, MUTATOR_PIECE_BUFFER); p != NULL;
             p = mutator_draft_next(trim->draft, p, MUTATOR_PIECE_BUFFER))
            p->kept_size = 0;
    mutator_draft_settle(trim->draft, MUTATOR_SETTLE_ALL);
}

/* Makes the candidate of the current run from the draft as it was read. False if it is no gain. */
static bool make(minimise_trim *trim)
{
    take_out(trim);
    trim->candidate_size = mutator_draft_write(trim->draft, trim->candidate, trim->capacity);
    if (trim->candidate_size == 0 || trim->candidate_size > trim->held_size)
        return false;
    return trim->candidate_size < trim->held_size || memcmp(trim->candidate, trim->held, trim->held_size) != 0;
}

/* The next run. What was removed has made lists and pieces shorter, so that each is counted again. */

static size_t count_here(const minimise_trim *trim, size_t *least)
{
    const mutator_piece *piece;
    *least = 1;
    switch (trim->pass) {
    case PASS_SLACK: return SLACK_ALL;
    case PASS_BYTES:
        piece = trim->piece != 0 ? get_listed(trim, PASS_BYTES, trim->piece - 1) : NULL;
        *least = piece != NULL ? least_run(trim, piece) : 1;
        return piece != NULL ? piece->size : 0;
    default: return count_listed(trim, trim->pass);
    }
}

static void start_pass(minimise_trim *trim, trim_pass pass)
{
    size_t least;
    trim->pass = pass;
    trim->piece = pass == PASS_BYTES ? count_listed(trim, PASS_BYTES) : 0;
    trim->run = trim->end = count_here(trim, &least);
}

/* After the last run of a pass. False after the last pass of the last round. */
static bool next_pass(minimise_trim *trim)
{
    size_t least;
    if (trim->pass == PASS_BYTES && trim->piece > 1) {
        trim->piece--;
        trim->run = trim->end = count_here(trim, &least);
        return true;
    }
    if (trim->pass + 1 < PASS_COUNT) {
        start_pass(trim, trim->pass + 1);
        return true;
    }
    if (!trim->shrank || ++trim->round == ROUNDS)
        return false;
    trim->shrank = false;
    start_pass(trim, PASS_SLACK);
    return true;
}

/* Reads the last candidate that held, and sets run and end for the next candidate. False if there is none. */
static bool next_run(minimise_trim *trim)
{
    size_t least, count;
    mutator_draft_read(trim->draft, trim->input, trim->held, trim->held_size);
    for (;;) {
        count = count_here(trim, &least);
        if (trim->end > count)
            trim->end = count;
        if (trim->end == 0 && trim->run > 1 && trim->run > least) {
            trim->run = (trim->run + 1) / 2;
            trim->end = trim->pass == PASS_SLACK ? trim->run : count;
        }
        if (trim->end != 0)
            return true;
        if (!next_pass(trim))
            return false;
    }
}

static size_t begin(minimise_trim *trim, const uint8_t *in, size_t size, bool finely)
{
    trim->finely = finely;
    /* One byte more than the input, which shows that a candidate is larger. */
    trim->capacity = size + 1;
    trim->held = mutator_realloc(trim->held, trim->capacity);
    trim->candidate = mutator_realloc(trim->candidate, trim->capacity);
    if (size != 0)
        memcpy(trim->held, in, size);
    trim->held_size = size;
    trim->step = trim->round = 0;
    trim->shrank = trim->tight = false;
    mutator_draft_read(trim->draft, trim->input, trim->held, size);
    trim->steps = count_steps(trim);
    start_pass(trim, PASS_SLACK);
    return trim->steps;
}

size_t minimise_trim_begin(minimise_trim *trim, const uint8_t *in, size_t size)
{
    return begin(trim, in, size, false);
}

size_t minimise_trim_finely(minimise_trim *trim, const uint8_t *in, size_t size)
{
    return begin(trim, in, size, true);
}

size_t minimise_trim_next(minimise_trim *trim, const uint8_t **candidate)
{
    while (trim->step < trim->steps && next_run(trim)) {
        trim->step++;
        if (make(trim)) {
            *candidate = trim->candidate;
            return trim->candidate_size;
        }
        minimise_trim_tell(trim, false);
    }
    return 0;
}

void minimise_trim_tell(minimise_trim *trim, bool holds)
{
    trim->end = start_of_run(trim);
    if (!holds)
        return;
    uint8_t *held = trim->candidate;
    trim->candidate = trim->held;
    trim->held = held;
    trim->held_size = trim->candidate_size;
    trim->shrank = true;
    if (trim->pass == PASS_SLACK) {
        trim->tight = trim->tight || trim->run == SLACK_ALL;
        trim->run = SLACK_COMMON;
        trim->end = 0;
    }
}
