/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a mutant from an input and a seed. Called by engine/ and `etlproof mutate`. Decides which edits are made, how
 * many, and whether enclosing sizes are corrected. Structural edits come first, then sizes, then members and bytes, so
 * that a size that was set wrong on purpose stays wrong.
 */
#include "mutator.h"

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "checked_alloc.h"
#include "mutator_core.h"
#include "recipe_statements.h"

enum { EDITS_MOST = 8, TRIES = 4 };

typedef struct choice {
    mutator_editor *editor;
    unsigned weight;
} choice;

/* In each table, an edit is chosen with the share that its weight has in the sum. */
static const choice structural[] = {
    {mutator_edit_remove, 6},     {mutator_edit_duplicate, 6}, {mutator_edit_swap, 4},      {mutator_edit_move, 4},
    {mutator_edit_grow, 6},       {mutator_edit_shrink, 6},    {mutator_edit_splice, 3},    {mutator_edit_new_event, 6},
    {mutator_edit_new_item, 6},
    {mutator_edit_new_buffer, 2}, {mutator_edit_new_gap, 3},   {mutator_edit_new_parts, 4}, {mutator_edit_pack, 4},
    {mutator_edit_unpack, 2},     {mutator_edit_repack, 2},
};
static const choice local[] = {
    {mutator_edit_member, 32}, {mutator_edit_bytes, 10}, {mutator_edit_context, 3}, {mutator_edit_stream, 4},
};
static const choice crossing[] = {
    {mutator_edit_cross_insert, 3}, {mutator_edit_cross_replace, 3}, {mutator_edit_cross_tail, 2},
};
#define COUNT(table) (sizeof table / sizeof table[0])

mutator_core *mutator_new(input_kind input)
{
    mutator_core *mutator = mutator_calloc(1, sizeof *mutator);
    mutator->input = input;
    mutator->draft = mutator_draft_new();
    mutator->other = mutator_draft_new();
    return mutator;
}

void mutator_free(mutator_core *mutator)
{
    if (mutator == NULL)
        return;
    mutator_draft_free(mutator->draft);
    mutator_draft_free(mutator->other);
    free(mutator);
}

const char *mutator_description(const mutator_core *mutator)
{
    return mutator->log.at;
}

static mutator_editor *choose(mutator_random *random, const choice *choices, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += choices[i].weight;
    size_t at = mutator_random_below(random, sum);
    while (at >= choices->weight)
        at -= (choices++)->weight;
    return choices->editor;
}

static void say_next(mutator_edit *edit)
{
    if (edit->log->size > 0)
        mutator_edit_say(edit, "; ");
}

/* One edit of the table; another one where the draft has no place for the first. */
static bool edit_one(mutator_edit *edit, const choice *choices, size_t count)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        const size_t before = edit->log->size;
        say_next(edit);
        if (choose(&edit->random, choices, count)(edit))
            return true;
        edit->log->size = before;
        edit->log->at[before] = '\0';
    }
    return false;
}

/* Mostly all sizes are corrected: otherwise no mutant would pass the checks of sizes. */
static unsigned choose_settling(mutator_random *random)
{
    switch (mutator_random_below(random, 8)) {
    case 0: return 0;
    case 1: return MUTATOR_SETTLE_ALL & (unsigned)mutator_random_next(random);
    case 2: return MUTATOR_SETTLE_ALL & ~(1u << mutator_random_below(random, 6));
    default: return MUTATOR_SETTLE_ALL;
    }
}

static void settle(mutator_edit *edit, unsigned what)
{
    mutator_draft_settle(edit->draft, what);
    if (what == MUTATOR_SETTLE_ALL)
        return;
    say_next(edit);
    mutator_edit_say(edit, "sizes around %s", what == 0 ? "left as they were" : "corrected in part");
}

/*
 * Structural edits, then sizes, then other edits. Streams change size with the pieces in them, so BufferSize comes last,
 * unless an edit has set it.
 */
static void edit_draft(mutator_edit *edit, const choice *first, size_t first_count, size_t structure, size_t others)
{
    const unsigned what = choose_settling(&edit->random);
    for (size_t i = 0; i < structure; i++)
        edit_one(edit, first, first_count);
    if (structure > 0)
        settle(edit, what);
    for (size_t i = 0; i < others; i++)
        edit_one(edit, local, COUNT(local));
    mutator_draft_settle(edit->draft, what & MUTATOR_SETTLE_BUFFERS);
}

/* Bytes without structure. */

static bool same(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static size_t copy(uint8_t *out, size_t most, const uint8_t *in, size_t size)
{
    const size_t kept = size < most ? size : most;
    if (kept > 0)
        memcpy(out, in, kept);
    return kept;
}

/* Changes bytes in `out` until they differ from those of `in`. */
static size_t change_bytes(mutator_edit *edit, size_t changes, const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    const size_t most = edit->most;
    if (most == 0)
        return 0;
    say_next(edit);
    mutator_edit_say(edit, "%zu change%s of bytes", changes, changes == 1 ? "" : "s");
    for (size_t i = 0; i < changes || size == 0; i++)
        size = mutator_bytes_change(&edit->random, out, size, most);
    if (same(in, in_size, out, size))
        out[mutator_random_below(&edit->random, size)] ^= 1;
    return size;
}

static bool has_structure(const mutator_draft *draft)
{
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        if (p->structure != ETL_STRUCTURE_COUNT || p->kind == MUTATOR_PIECE_STREAM)
            return true;
    return false;
}

static mutator_edit begin(mutator_core *m, const uint8_t *in, size_t size, size_t most, uint64_t seed)
{
    m->log.size = 0;
    m->log.at[0] = '\0';
    mutator_draft_read(m->draft, m->input, in, size);
    return (mutator_edit){.draft = m->draft, .random = mutator_random_seed(seed), .most = most, .log = &m->log};
}

/* Recipes have statements instead of a draft. */
static size_t edit_recipe(mutator_edit *edit, size_t edits, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < edits; i++) {
        const size_t before = edit->log->size;
        say_next(edit);
        const size_t said = edit->log->size;
        size = mutator_statements_change(edit, out, size);
        if (edit->log->size == said)
            edit->log->at[edit->log->size = before] = '\0';
    }
    return size;
}

size_t mutator_mutate(mutator_core *mutator, const uint8_t *in, size_t size, uint8_t *out, size_t most, uint64_t seed)
{
    mutator_edit edit = begin(mutator, in, size, most, seed);
    const size_t edits = mutator_random_small(&edit.random, EDITS_MOST);
    size_t written;
    if (mutator->input == INPUT_RECIPE && most > 0) {
        written = edit_recipe(&edit, edits, out, copy(out, most, in, size));
    } else if (!has_structure(mutator->draft) || mutator_random_once_in(&edit.random, 24)) {
        written = change_bytes(&edit, edits, in, size, out, copy(out, most, in, size));
    } else {
        size_t structure = 0;
        for (size_t i = 0; i < edits; i++)
            structure += mutator_random_once_in(&edit.random, 2);
        edit_draft(&edit, structural, COUNT(structural), structure, edits - structure);
        written = mutator_draft_write(mutator->draft, out, most);
    }
    return same(in, size, out, written) || written == 0 ? change_bytes(&edit, 1, in, size, out, written) : written;
}

/* The start of one input and the end of the other. */
static size_t cross_bytes(mutator_edit *edit, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                          uint8_t *out)
{
    const size_t kept = mutator_random_below(&edit->random, size + 1),
                 from = mutator_random_below(&edit->random, other_size + 1);
    const size_t head = copy(out, edit->most, in, kept);
    say_next(edit);
    mutator_edit_say(edit, "bytes from 0x%zx on, the other's from 0x%zx on", kept, from);
    return head + copy(out + head, edit->most - head, from < other_size ? other + from : other, other_size - from);
}

size_t mutator_cross(mutator_core *mutator, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                     uint8_t *out, size_t most, uint64_t seed)
{
    mutator_edit edit = begin(mutator, in, size, most, seed);
    edit.other = mutator->other;
    mutator_draft_read(mutator->other, mutator->input, other, other_size);
    size_t written;
    if (mutator->input == INPUT_RECIPE && most > 0 && !mutator_random_once_in(&edit.random, 4)) {
        written = mutator_statements_cross(&edit, out, copy(out, most, in, size), other, other_size);
    } else if (!has_structure(mutator->draft) || !has_structure(mutator->other) ||
               mutator_random_once_in(&edit.random, 24)) {
        written = cross_bytes(&edit, in, size, other, other_size, out);
    } else {
        const size_t crosses = mutator_random_small(&edit.random, 4), others = mutator_random_once_in(&edit.random, 4);
        edit_draft(&edit, crossing, COUNT(crossing), crosses, others);
        written = mutator_draft_write(mutator->draft, out, most);
    }
    return same(in, size, out, written) || written == 0 ? change_bytes(&edit, 1, in, size, out, written) : written;
}
