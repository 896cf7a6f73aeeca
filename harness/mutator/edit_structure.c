/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of existing pieces: remove, duplicate, swap, move, grow, shrink, splice.
 */
#include "edit.h"

#include <string.h>

static const mutator_piece_kind rows[] = {MUTATOR_PIECE_EVENT, MUTATOR_PIECE_EVENT, MUTATOR_PIECE_ITEM,
                                          MUTATOR_PIECE_BUFFER};
enum { ROWS = sizeof rows / sizeof rows[0] };

static mutator_piece *pick_row(mutator_edit *edit)
{
    return mutator_edit_pick_row(edit, edit->draft, rows, ROWS);
}

/* Without padding, which settling would restore. */
bool mutator_edit_remove(mutator_edit *edit)
{
    static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_EVENT, MUTATOR_PIECE_EVENT,  MUTATOR_PIECE_ITEM,
                                               MUTATOR_PIECE_ITEM,  MUTATOR_PIECE_BUFFER, MUTATOR_PIECE_RAW,
                                               MUTATOR_PIECE_EXTRA, MUTATOR_PIECE_RECORD, MUTATOR_PIECE_DATA};
    mutator_piece *piece = mutator_edit_pick_row(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (piece == NULL || mutator_piece_extent(piece) == mutator_piece_extent(edit->draft->root))
        return false;
    mutator_edit_say_piece(edit, piece);
    mutator_edit_say(edit, " removed");
    mutator_piece *parent = piece->parent;
    mutator_draft_remove(edit->draft, piece);
    if (mutator_piece_is_slack(piece))
        mutator_piece_keep_extent(parent);
    return true;
}

/* Mostly once, sometimes enough for a chain with more items than allowed, or to show work that is quadratic. */
bool mutator_edit_duplicate(mutator_edit *edit)
{
    mutator_piece *piece = pick_row(edit);
    if (piece == NULL)
        return false;
    const bool many = piece->kind == MUTATOR_PIECE_ITEM || mutator_random_once_in(&edit->random, 4);
    const size_t wanted = mutator_random_small(&edit->random, many ? ETL_ITEMS_MAX + 2 : 8);
    const size_t size = mutator_piece_extent(piece), fit = size > 0 ? mutator_edit_space(edit) / size : 0;
    const size_t times = wanted < fit ? wanted : fit;
    if (times == 0)
        return false;
    for (size_t i = 0; i < times; i++)
        mutator_draft_insert(mutator_draft_copy(edit->draft, piece), piece->parent, piece->next);
    mutator_edit_say_piece(edit, piece);
    mutator_edit_say(edit, " %zu more time%s", times, times == 1 ? "" : "s");
    return true;
}

/* Moves the piece before `place`, which may be NULL. */
static void put_before(mutator_draft *draft, mutator_piece *piece, mutator_piece *parent, mutator_piece *place)
{
    mutator_draft_remove(draft, piece);
    mutator_draft_insert(piece, parent, place);
}

bool mutator_edit_swap(mutator_edit *edit)
{
    mutator_piece *a = pick_row(edit);
    mutator_piece *b = a != NULL ? mutator_edit_pick_row(edit, edit->draft, &a->kind, 1) : NULL;
    if (a == NULL || b == NULL || a == b)
        return false;
    mutator_edit_say_piece(edit, a);
    mutator_edit_say(edit, " and ");
    mutator_edit_say_piece(edit, b);
    mutator_edit_say(edit, " swapped");
    mutator_piece *hole = mutator_draft_make(edit->draft, MUTATOR_PIECE_RAW, ETL_STRUCTURE_COUNT, 0);
    mutator_draft_insert(hole, a->parent, a);
    put_before(edit->draft, a, b->parent, b);
    put_before(edit->draft, b, hole->parent, hole);
    mutator_draft_remove(edit->draft, hole);
    return true;
}

static bool may_have_items(const mutator_piece *event)
{
    return event->structure == ETL_STRUCTURE_EVENT_HEADER;
}

bool mutator_edit_move(mutator_edit *edit)
{
    mutator_piece *piece = pick_row(edit);
    if (piece == NULL)
        return false;
    mutator_piece *parent = piece->parent, *place;
    if (piece->kind == MUTATOR_PIECE_ITEM) {
        mutator_piece *event = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
        if (event != NULL && may_have_items(event))
            parent = event;
        place = mutator_edit_pick_item_place(edit, parent);
    } else {
        if (piece->kind == MUTATOR_PIECE_EVENT)
            parent = mutator_edit_pick_container(edit);
        if (parent == NULL)
            return false;
        place = mutator_edit_pick_place(edit, parent);
    }
    if (place == piece || (parent == piece->parent && place == piece->next))
        return false;
    mutator_edit_say_piece(edit, piece);
    mutator_edit_say(edit, " moved into ");
    mutator_edit_say_piece(edit, parent);
    put_before(edit->draft, piece, parent, place);
    return true;
}

/* Payload, or the data of an item; an event without payload gets some. */
static mutator_piece *pick_data(mutator_edit *edit)
{
    static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_DATA, MUTATOR_PIECE_EVENT};
    mutator_piece *piece = mutator_edit_pick_of(edit, edit->draft, kinds, 2);
    if (piece == NULL || piece->kind == MUTATOR_PIECE_DATA)
        return piece;
    mutator_piece *place = NULL;
    for (mutator_piece *p = piece->first; p != NULL; p = p->next) {
        if (p->kind == MUTATOR_PIECE_DATA)
            return p;
        if (place == NULL && (p->kind == MUTATOR_PIECE_LOST || p->kind == MUTATOR_PIECE_PADDING))
            place = p;
    }
    mutator_piece *data = mutator_draft_make(edit->draft, MUTATOR_PIECE_DATA, ETL_STRUCTURE_COUNT, 0);
    mutator_draft_insert(data, piece, place);
    return data;
}

static void say_data(mutator_edit *edit, const mutator_piece *data, size_t before)
{
    mutator_edit_say_piece(edit, data);
    mutator_edit_say(edit, " in ");
    mutator_edit_say_piece(edit, data->parent);
    mutator_edit_say(edit, ": %zu -> %zu bytes", before, data->size);
}

/* What the 16 bits of Size allow around the data, less the current size. */
static size_t room_in_size(const mutator_piece *data)
{
    size_t used = 0;
    for (const mutator_piece *p = data;
         p != NULL && (p->kind == MUTATOR_PIECE_DATA || p->kind == MUTATOR_PIECE_ITEM || p->kind == MUTATOR_PIECE_EVENT);
         p = p->parent)
        used = mutator_piece_extent(p);
    return used < UINT16_MAX ? UINT16_MAX - used : 0;
}

static size_t slack_of(const mutator_piece *piece)
{
    while (piece != NULL && piece->kind != MUTATOR_PIECE_BUFFER)
        piece = piece->parent;
    return piece != NULL && piece->last != NULL && mutator_piece_is_slack(piece->last) ? piece->last->size : 0;
}

/* By a little; exactly to the end of the buffer or past it; or to the maximum of Size. */
bool mutator_edit_grow(mutator_edit *edit)
{
    if (!mutator_edit_has_space(edit, 1)) /* first, as picking may insert a piece */
        return false;
    mutator_piece *data = pick_data(edit);
    if (data == NULL)
        return false;
    const size_t slack = slack_of(data), before = data->size;
    const size_t little = mutator_random_small(&edit->random, 64), more = mutator_random_small(&edit->random, 1024);
    const size_t sizes[] = {little, more, slack, slack + 1, slack + 8, room_in_size(data), 8 - before % 8};
    size_t by = sizes[mutator_random_below(&edit->random, sizeof sizes / sizeof sizes[0])];
    if (by == 0 || !mutator_edit_has_space(edit, by))
        by = 1;
    uint8_t *bytes = mutator_piece_resize(edit->draft, data, before + by);
    const bool repeat = before > 0 && mutator_random_once_in(&edit->random, 2);
    for (size_t i = before; i < before + by; i++)
        bytes[i] = repeat ? bytes[i - before] : (uint8_t)mutator_random_next(&edit->random);
    say_data(edit, data, before);
    return true;
}

bool mutator_edit_shrink(mutator_edit *edit)
{
    static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_DATA, MUTATOR_PIECE_DATA, MUTATOR_PIECE_EXTRA,
                                               MUTATOR_PIECE_RAW};
    mutator_piece *data = mutator_edit_pick_of(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (data == NULL || data->size < 2)
        return false;
    const size_t before = data->size;
    const size_t by = mutator_random_once_in(&edit->random, 3) ? before / 2 : mutator_random_small(&edit->random, before);
    const size_t last = before - by;
    const size_t from = mutator_random_once_in(&edit->random, 2) ? last : mutator_random_below(&edit->random, last + 1);
    mutator_piece_cut(edit->draft, data, from, by);
    if (mutator_piece_is_slack(data))
        mutator_piece_keep_extent(data->parent);
    say_data(edit, data, before);
    return true;
}

/* Continues the payload of one event with the end of another's. */
bool mutator_edit_splice(mutator_edit *edit)
{
    mutator_piece *a = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_DATA),
                  *b = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_DATA);
    if (a == NULL || a == b || a->size == 0 || b->size == 0)
        return false;
    const size_t before = a->size, kept = mutator_random_below(&edit->random, a->size + 1);
    const size_t from = mutator_random_below(&edit->random, b->size), size = b->size - from;
    if (!mutator_edit_has_space(edit, size))
        return false;
    const uint8_t *bytes = b->at + from;
    memcpy(mutator_piece_resize(edit->draft, a, kept + size) + kept, bytes, size);
    say_data(edit, a, before);
    mutator_edit_say(edit, ", spliced");
    return true;
}
