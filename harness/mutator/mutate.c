/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which edits are made, how many, and whether the sizes around them are set right. Edits of structure come first, then the
 * sizes, then edits of members and bytes, so that a size which was set wrong on purpose stays wrong.
 */
#include "mutator.h"

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "heap.h"
#include "state.h"
#include "statements.h"

enum { EDITS_MOST = 8, TRIES = 4 };

typedef struct choice {
    etl_editor *editor;
    unsigned weight;
} choice;

/* In each table, how often one is chosen is its weight in the sum of all. */
static const choice structural[] = {
    {etl_edit_remove, 6},     {etl_edit_duplicate, 6}, {etl_edit_swap, 4},      {etl_edit_move, 4},
    {etl_edit_grow, 6},       {etl_edit_shrink, 6},    {etl_edit_splice, 3},    {etl_edit_new_event, 6},
    {etl_edit_new_item, 6},
    {etl_edit_new_buffer, 2}, {etl_edit_new_gap, 3},   {etl_edit_new_parts, 4}, {etl_edit_pack, 4},
    {etl_edit_unpack, 2},     {etl_edit_repack, 2},
};
static const choice local[] = {
    {etl_edit_member, 32}, {etl_edit_bytes, 10}, {etl_edit_context, 3}, {etl_edit_stream, 4},
};
static const choice crossing[] = {
    {etl_edit_cross_insert, 3}, {etl_edit_cross_replace, 3}, {etl_edit_cross_tail, 2},
};
#define COUNT(table) (sizeof table / sizeof table[0])

etl_mutator *etl_mutator_new(etl_input input)
{
    etl_mutator *mutator = etl_heap_zeros(1, sizeof *mutator);
    mutator->input = input;
    mutator->draft = etl_draft_new();
    mutator->other = etl_draft_new();
    return mutator;
}

void etl_mutator_free(etl_mutator *mutator)
{
    if (mutator == NULL)
        return;
    if (mutator->trim != NULL)
        mutator->free_trim(mutator->trim);
    etl_draft_free(mutator->draft);
    etl_draft_free(mutator->other);
    free(mutator);
}

const char *etl_mutator_description(const etl_mutator *mutator)
{
    return mutator->text.at;
}

static etl_editor *choose(etl_random *random, const choice *choices, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += choices[i].weight;
    size_t at = etl_random_below(random, sum);
    while (at >= choices->weight)
        at -= (choices++)->weight;
    return choices->editor;
}

static void say_next(etl_edit *edit)
{
    if (edit->text->size > 0)
        etl_edit_say(edit, "; ");
}

/* One edit of the table; another where the draft has no place for the first. */
static bool edit_one(etl_edit *edit, const choice *choices, size_t count)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        const size_t before = edit->text->size;
        say_next(edit);
        if (choose(&edit->random, choices, count)(edit))
            return true;
        edit->text->size = before;
        edit->text->at[before] = '\0';
    }
    return false;
}

/* Mostly all sizes are set right, or else no mutant would reach what lies behind the checks of sizes. */
static unsigned choose_settling(etl_random *random)
{
    switch (etl_random_below(random, 8)) {
    case 0: return 0;
    case 1: return ETL_SETTLE_ALL & (unsigned)etl_random_next(random);
    case 2: return ETL_SETTLE_ALL & ~(1u << etl_random_below(random, 6));
    default: return ETL_SETTLE_ALL;
    }
}

static void settle(etl_edit *edit, unsigned what)
{
    etl_draft_settle(edit->draft, what);
    if (what == ETL_SETTLE_ALL)
        return;
    say_next(edit);
    etl_edit_say(edit, "sizes around %s", what == 0 ? "left as they were" : "set right in part");
}

/*
 * Edits of structure, sizes, other edits. The sizes of streams change with what is in them, so BufferSize comes last, where
 * no edit has set it.
 */
static void edit_draft(etl_edit *edit, const choice *first, size_t first_count, size_t structure, size_t others)
{
    const unsigned what = choose_settling(&edit->random);
    for (size_t i = 0; i < structure; i++)
        edit_one(edit, first, first_count);
    if (structure > 0)
        settle(edit, what);
    for (size_t i = 0; i < others; i++)
        edit_one(edit, local, COUNT(local));
    etl_draft_settle(edit->draft, what & ETL_SETTLE_BUFFERS);
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

/* Changes the bytes in `out` until they are not those of `in`. */
static size_t change_bytes(etl_edit *edit, size_t changes, const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    const size_t most = edit->most;
    if (most == 0)
        return 0;
    say_next(edit);
    etl_edit_say(edit, "%zu change%s of bytes", changes, changes == 1 ? "" : "s");
    for (size_t i = 0; i < changes || size == 0; i++)
        size = etl_bytes_change(&edit->random, out, size, most);
    if (same(in, in_size, out, size))
        out[etl_random_below(&edit->random, size)] ^= 1;
    return size;
}

static bool has_structure(const etl_draft *draft)
{
    for (const etl_piece *p = draft->root; p != NULL; p = etl_piece_walk(p))
        if (p->structure != ETL_STRUCTURE_COUNT || p->kind == ETL_PIECE_STREAM)
            return true;
    return false;
}

static etl_edit begin(etl_mutator *m, const uint8_t *in, size_t size, size_t most, uint64_t seed)
{
    m->text.size = 0;
    m->text.at[0] = '\0';
    etl_draft_read(m->draft, m->input, in, size);
    return (etl_edit){.draft = m->draft, .random = etl_random_seed(seed), .most = most, .text = &m->text};
}

/* Recipes have statements in place of a draft. */
static size_t edit_recipe(etl_edit *edit, size_t edits, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < edits; i++) {
        const size_t before = edit->text->size;
        say_next(edit);
        const size_t said = edit->text->size;
        size = etl_statements_change(edit, out, size);
        if (edit->text->size == said)
            edit->text->at[edit->text->size = before] = '\0';
    }
    return size;
}

size_t etl_mutator_mutate(etl_mutator *mutator, const uint8_t *in, size_t size, uint8_t *out, size_t most, uint64_t seed)
{
    etl_edit edit = begin(mutator, in, size, most, seed);
    const size_t edits = etl_random_small(&edit.random, EDITS_MOST);
    size_t written;
    if (mutator->input == ETL_INPUT_RECIPE && most > 0) {
        written = edit_recipe(&edit, edits, out, copy(out, most, in, size));
    } else if (!has_structure(mutator->draft) || etl_random_once_in(&edit.random, 24)) {
        written = change_bytes(&edit, edits, in, size, out, copy(out, most, in, size));
    } else {
        size_t structure = 0;
        for (size_t i = 0; i < edits; i++)
            structure += etl_random_once_in(&edit.random, 2);
        edit_draft(&edit, structural, COUNT(structural), structure, edits - structure);
        written = etl_draft_write(mutator->draft, out, most);
    }
    return same(in, size, out, written) || written == 0 ? change_bytes(&edit, 1, in, size, out, written) : written;
}

/* The beginning of one, and the end of the other. */
static size_t cross_bytes(etl_edit *edit, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                          uint8_t *out)
{
    const size_t kept = etl_random_below(&edit->random, size + 1), from = etl_random_below(&edit->random, other_size + 1);
    const size_t head = copy(out, edit->most, in, kept);
    say_next(edit);
    etl_edit_say(edit, "bytes from 0x%zx on, the other's from 0x%zx on", kept, from);
    return head + copy(out + head, edit->most - head, from < other_size ? other + from : other, other_size - from);
}

size_t etl_mutator_cross(etl_mutator *mutator, const uint8_t *in, size_t size, const uint8_t *other, size_t other_size,
                         uint8_t *out, size_t most, uint64_t seed)
{
    etl_edit edit = begin(mutator, in, size, most, seed);
    edit.other = mutator->other;
    etl_draft_read(mutator->other, mutator->input, other, other_size);
    size_t written;
    if (mutator->input == ETL_INPUT_RECIPE && most > 0 && !etl_random_once_in(&edit.random, 4)) {
        written = etl_statements_cross(&edit, out, copy(out, most, in, size), other, other_size);
    } else if (!has_structure(mutator->draft) || !has_structure(mutator->other) || etl_random_once_in(&edit.random, 24)) {
        written = cross_bytes(&edit, in, size, other, other_size, out);
    } else {
        const size_t crosses = etl_random_small(&edit.random, 4), others = etl_random_once_in(&edit.random, 4);
        edit_draft(&edit, crossing, COUNT(crossing), crosses, others);
        written = etl_draft_write(mutator->draft, out, most);
    }
    return same(in, size, out, written) || written == 0 ? change_bytes(&edit, 1, in, size, out, written) : written;
}
