/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the edits share: the description, picking pieces and places at random, and the bound on growth.
 */
#include "edit.h"

#include <stdarg.h>
#include <stdio.h>

/* One pick in so many may be the head of the file. */
enum { HEAD_ONCE_IN = 16 };

void mutator_edit_say(mutator_edit *edit, const char *format, ...)
{
    mutator_edit_log *log = edit->log;
    const size_t capacity = sizeof log->at - log->size;
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(log->at + log->size, capacity, format, arguments);
    va_end(arguments);
    if (size > 0)
        log->size += (size_t)size < capacity ? (size_t)size : capacity - 1;
}

void mutator_edit_say_piece(mutator_edit *edit, const mutator_piece *piece)
{
    if (piece->number == MUTATOR_PIECE_NEW)
        mutator_edit_say(edit, "new %s", mutator_piece_text(piece->kind));
    else
        mutator_edit_say(edit, "%s %u", mutator_piece_text(piece->kind), (unsigned)piece->number);
}

mutator_piece *mutator_edit_pick(mutator_edit *edit, const mutator_draft *draft, mutator_piece_kind kind)
{
    const size_t count = mutator_draft_count(draft, kind);
    return count > 0 ? mutator_draft_get(draft, kind, mutator_random_below(&edit->random, count)) : NULL;
}

mutator_piece *mutator_edit_pick_of(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                    size_t count)
{
    size_t counts[MUTATOR_PIECE_COUNT] = {0}, present = 0;
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p))
        counts[p->kind]++;
    for (size_t i = 0; i < count; i++)
        present += counts[kinds[i]] > 0;
    if (present == 0)
        return NULL;
    size_t skip = mutator_random_below(&edit->random, present);
    while (counts[*kinds] == 0 || skip-- > 0)
        kinds++;
    return mutator_draft_get(draft, *kinds, mutator_random_below(&edit->random, counts[*kinds]));
}

mutator_piece *mutator_edit_pick_row(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                     size_t count)
{
    mutator_piece *piece = mutator_edit_pick_of(edit, draft, kinds, count);
    for (unsigned tries = 0; tries < 4 && piece != NULL && mutator_piece_is_head(piece); tries++) {
        if (mutator_random_once_in(&edit->random, HEAD_ONCE_IN))
            return piece;
        piece = mutator_edit_pick_of(edit, draft, kinds, count);
    }
    return piece != NULL && mutator_piece_is_head(piece) ? NULL : piece;
}

mutator_piece *mutator_piece_contents(mutator_piece *buffer)
{
    for (mutator_piece *p = buffer->first; p != NULL; p = p->next)
        if (p->kind == MUTATOR_PIECE_STREAM)
            return p;
    return buffer;
}

bool mutator_piece_is_head(const mutator_piece *piece)
{
    if (piece->kind == MUTATOR_PIECE_BUFFER && piece->first != NULL)
        piece = piece->first;
    return piece->kind == MUTATOR_PIECE_EVENT && piece->first != NULL && piece->first->kind == MUTATOR_PIECE_RECORD &&
           piece->before == NULL;
}

mutator_piece *mutator_edit_pick_container(mutator_edit *edit)
{
    mutator_draft *draft = edit->draft;
    if (draft->input == INPUT_EVENT || draft->input == INPUT_LOGFILE || draft->input == INPUT_MESSAGE)
        return draft->root;
    mutator_piece *buffer = mutator_edit_pick(edit, draft, MUTATOR_PIECE_BUFFER);
    return buffer != NULL ? mutator_piece_contents(buffer) : NULL;
}

/* A random piece from `from` to `to`, both included; NULL, the end, counts as one. */
static mutator_piece *pick_between(mutator_edit *edit, mutator_piece *from, mutator_piece *to)
{
    size_t count = 1;
    for (const mutator_piece *p = from; p != to; p = p->next)
        count++;
    mutator_piece *place = from;
    for (size_t i = mutator_random_below(&edit->random, count); i > 0; i--)
        place = place->next;
    return place;
}

mutator_piece *mutator_edit_pick_place(mutator_edit *edit, const mutator_piece *parent)
{
    mutator_piece *from = parent->first;
    if (from != NULL && from->kind == MUTATOR_PIECE_CONTEXT)
        from = from->next;
    if (from != NULL && mutator_piece_is_head(from) && !mutator_random_once_in(&edit->random, HEAD_ONCE_IN))
        from = from->next;
    mutator_piece *to = parent->last != NULL && mutator_piece_is_slack(parent->last) ? parent->last : NULL;
    return pick_between(edit, from, to);
}

mutator_piece *mutator_edit_pick_item_place(mutator_edit *edit, const mutator_piece *parent)
{
    mutator_piece *from = parent->first;
    while (from != NULL && (from->kind == MUTATOR_PIECE_CONTEXT || from->kind == MUTATOR_PIECE_EXTRA))
        from = from->next;
    mutator_piece *to = from;
    while (to != NULL && to->kind == MUTATOR_PIECE_ITEM)
        to = to->next;
    return pick_between(edit, from, to);
}

size_t mutator_edit_space(const mutator_edit *edit)
{
    const size_t now = mutator_piece_extent(edit->draft->root);
    return now < edit->most ? edit->most - now : 0;
}

bool mutator_edit_has_space(const mutator_edit *edit, size_t size)
{
    return size <= mutator_edit_space(edit);
}
