/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of what is there: taken out, doubled, exchanged, moved, made longer or shorter, joined.
 */
#include "edit.h"

#include <string.h>

static const etl_piece_kind rows[] = {ETL_PIECE_EVENT, ETL_PIECE_EVENT, ETL_PIECE_ITEM, ETL_PIECE_BUFFER};
enum { ROWS = sizeof rows / sizeof rows[0] };

static etl_piece *pick_row(etl_edit *edit)
{
    return etl_edit_pick_row(edit, edit->draft, rows, ROWS);
}

/* Padding is not among them: settling puts it back. */
bool etl_edit_remove(etl_edit *edit)
{
    static const etl_piece_kind kinds[] = {ETL_PIECE_EVENT,  ETL_PIECE_EVENT, ETL_PIECE_ITEM,  ETL_PIECE_ITEM,
                                           ETL_PIECE_BUFFER, ETL_PIECE_RAW,   ETL_PIECE_EXTRA, ETL_PIECE_RECORD,
                                           ETL_PIECE_DATA};
    etl_piece *piece = etl_edit_pick_row(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (piece == NULL || etl_piece_extent(piece) == etl_piece_extent(edit->draft->root))
        return false;
    etl_edit_say_piece(edit, piece);
    etl_edit_say(edit, " removed");
    etl_piece *parent = piece->parent;
    etl_draft_remove(edit->draft, piece);
    if (etl_piece_is_slack(piece))
        etl_piece_keep_extent(parent);
    return true;
}

/* Often once, sometimes enough for a chain of more items than there may be. */
bool etl_edit_duplicate(etl_edit *edit)
{
    etl_piece *piece = pick_row(edit);
    if (piece == NULL)
        return false;
    const size_t wanted = etl_random_small(&edit->random, piece->kind == ETL_PIECE_ITEM ? ETL_ITEMS_MAX + 2 : 8);
    const size_t size = etl_piece_extent(piece), fit = size > 0 ? etl_edit_room(edit) / size : 0;
    const size_t times = wanted < fit ? wanted : fit;
    if (times == 0)
        return false;
    for (size_t i = 0; i < times; i++)
        etl_draft_insert(etl_draft_copy(edit->draft, piece), piece->parent, piece->next);
    etl_edit_say_piece(edit, piece);
    etl_edit_say(edit, " %zu more time%s", times, times == 1 ? "" : "s");
    return true;
}

/* Takes the piece out and puts it before `place`, which may be NULL. */
static void put_before(etl_draft *draft, etl_piece *piece, etl_piece *parent, etl_piece *place)
{
    etl_draft_remove(draft, piece);
    etl_draft_insert(piece, parent, place);
}

bool etl_edit_swap(etl_edit *edit)
{
    etl_piece *a = pick_row(edit);
    etl_piece *b = a != NULL ? etl_edit_pick_row(edit, edit->draft, &a->kind, 1) : NULL;
    if (a == NULL || b == NULL || a == b)
        return false;
    etl_edit_say_piece(edit, a);
    etl_edit_say(edit, " and ");
    etl_edit_say_piece(edit, b);
    etl_edit_say(edit, " swapped");
    etl_piece *hole = etl_draft_make(edit->draft, ETL_PIECE_RAW, ETL_STRUCTURE_COUNT, 0);
    etl_draft_insert(hole, a->parent, a);
    put_before(edit->draft, a, b->parent, b);
    put_before(edit->draft, b, hole->parent, hole);
    etl_draft_remove(edit->draft, hole);
    return true;
}

static bool may_have_items(const etl_piece *event)
{
    return event->structure == ETL_STRUCTURE_EVENT_HEADER;
}

bool etl_edit_move(etl_edit *edit)
{
    etl_piece *piece = pick_row(edit);
    if (piece == NULL)
        return false;
    etl_piece *parent = piece->parent, *place;
    if (piece->kind == ETL_PIECE_ITEM) {
        etl_piece *event = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
        if (event != NULL && may_have_items(event))
            parent = event;
        place = etl_edit_pick_item_place(edit, parent);
    } else {
        if (piece->kind == ETL_PIECE_EVENT)
            parent = etl_edit_pick_container(edit);
        if (parent == NULL)
            return false;
        place = etl_edit_pick_place(edit, parent);
    }
    if (place == piece || (parent == piece->parent && place == piece->next))
        return false;
    etl_edit_say_piece(edit, piece);
    etl_edit_say(edit, " moved into ");
    etl_edit_say_piece(edit, parent);
    put_before(edit->draft, piece, parent, place);
    return true;
}

/* User data, or that of an item; where an event has none, it gets some. */
static etl_piece *pick_data(etl_edit *edit)
{
    static const etl_piece_kind kinds[] = {ETL_PIECE_DATA, ETL_PIECE_EVENT};
    etl_piece *piece = etl_edit_pick_of(edit, edit->draft, kinds, 2);
    if (piece == NULL || piece->kind == ETL_PIECE_DATA)
        return piece;
    etl_piece *place = NULL;
    for (etl_piece *p = piece->first; p != NULL; p = p->next) {
        if (p->kind == ETL_PIECE_DATA)
            return p;
        if (place == NULL && (p->kind == ETL_PIECE_LOST || p->kind == ETL_PIECE_PADDING))
            place = p;
    }
    etl_piece *data = etl_draft_make(edit->draft, ETL_PIECE_DATA, ETL_STRUCTURE_COUNT, 0);
    etl_draft_insert(data, piece, place);
    return data;
}

static void say_data(etl_edit *edit, const etl_piece *data, size_t before)
{
    etl_edit_say_piece(edit, data);
    etl_edit_say(edit, " in ");
    etl_edit_say_piece(edit, data->parent);
    etl_edit_say(edit, ": %zu -> %zu bytes", before, data->size);
}

/* What 16 bits of Size can say of the event or item around the data, less what it has. */
static size_t room_in_size(const etl_piece *data)
{
    size_t used = 0;
    for (const etl_piece *p = data; p != NULL && (p->kind == ETL_PIECE_DATA || p->kind == ETL_PIECE_ITEM ||
                                                  p->kind == ETL_PIECE_EVENT); p = p->parent)
        used = etl_piece_extent(p);
    return used < UINT16_MAX ? UINT16_MAX - used : 0;
}

static size_t slack_of(const etl_piece *piece)
{
    while (piece != NULL && piece->kind != ETL_PIECE_BUFFER)
        piece = piece->parent;
    return piece != NULL && piece->last != NULL && etl_piece_is_slack(piece->last) ? piece->last->size : 0;
}

/* By a little; up to the end of the buffer, exactly or past it; or to the most that Size can say. */
bool etl_edit_grow(etl_edit *edit)
{
    if (!etl_edit_has_room(edit, 1)) /* first, as picking may put a piece in */
        return false;
    etl_piece *data = pick_data(edit);
    if (data == NULL)
        return false;
    const size_t slack = slack_of(data), before = data->size;
    const size_t little = etl_random_small(&edit->random, 64), more = etl_random_small(&edit->random, 1024);
    const size_t sizes[] = {little, more, slack, slack + 1, slack + 8, room_in_size(data), 8 - before % 8};
    size_t by = sizes[etl_random_below(&edit->random, sizeof sizes / sizeof sizes[0])];
    if (by == 0 || !etl_edit_has_room(edit, by))
        by = 1;
    uint8_t *bytes = etl_piece_resize(edit->draft, data, before + by);
    const bool repeat = before > 0 && etl_random_once_in(&edit->random, 2);
    for (size_t i = before; i < before + by; i++)
        bytes[i] = repeat ? bytes[i - before] : (uint8_t)etl_random_next(&edit->random);
    say_data(edit, data, before);
    return true;
}

bool etl_edit_shrink(etl_edit *edit)
{
    static const etl_piece_kind kinds[] = {ETL_PIECE_DATA, ETL_PIECE_DATA, ETL_PIECE_EXTRA, ETL_PIECE_RAW};
    etl_piece *data = etl_edit_pick_of(edit, edit->draft, kinds, sizeof kinds / sizeof kinds[0]);
    if (data == NULL || data->size < 2)
        return false;
    const size_t before = data->size;
    const size_t by = etl_random_once_in(&edit->random, 3) ? before / 2 : etl_random_small(&edit->random, before);
    const size_t last = before - by;
    const size_t from = etl_random_once_in(&edit->random, 2) ? last : etl_random_below(&edit->random, last + 1);
    etl_piece_cut(edit->draft, data, from, by);
    if (etl_piece_is_slack(data))
        etl_piece_keep_extent(data->parent);
    say_data(edit, data, before);
    return true;
}

/* The user data of one goes on with the end of another's. */
bool etl_edit_splice(etl_edit *edit)
{
    etl_piece *a = etl_edit_pick(edit, edit->draft, ETL_PIECE_DATA), *b = etl_edit_pick(edit, edit->draft, ETL_PIECE_DATA);
    if (a == NULL || a == b || a->size == 0 || b->size == 0)
        return false;
    const size_t before = a->size, kept = etl_random_below(&edit->random, a->size + 1);
    const size_t from = etl_random_below(&edit->random, b->size), size = b->size - from;
    if (!etl_edit_has_room(edit, size))
        return false;
    const uint8_t *bytes = b->at + from;
    memcpy(etl_piece_resize(edit->draft, a, kept + size) + kept, bytes, size);
    say_data(edit, a, before);
    etl_edit_say(edit, ", spliced");
    return true;
}
