/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits that take buffers, events, items and payload from another draft, and insert them here or replace pieces by them.
 */
#include "edit.h"

static const mutator_piece_kind kinds[] = {MUTATOR_PIECE_EVENT, MUTATOR_PIECE_EVENT, MUTATOR_PIECE_ITEM,
                                           MUTATOR_PIECE_BUFFER, MUTATOR_PIECE_DATA};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Where a piece of that kind may be inserted; NULL if nowhere. */
static mutator_piece *parent_for(mutator_edit *edit, const mutator_piece *piece)
{
    mutator_piece *peer = mutator_edit_pick(edit, edit->draft, piece->kind);
    switch (piece->kind) {
    case MUTATOR_PIECE_EVENT: return mutator_edit_pick_container(edit);
    case MUTATOR_PIECE_BUFFER: return peer != NULL ? peer->parent : NULL;
    case MUTATOR_PIECE_ITEM:
        if (peer != NULL)
            return peer->parent;
        peer = mutator_edit_pick(edit, edit->draft, MUTATOR_PIECE_EVENT);
        return peer != NULL && peer->structure == ETL_STRUCTURE_EVENT_HEADER ? peer : NULL;
    default: return NULL;
    }
}

bool mutator_edit_cross_insert(mutator_edit *edit)
{
    const mutator_piece *theirs = mutator_edit_pick_row(edit, edit->other, kinds, KINDS - 1);
    if (theirs == NULL || !mutator_edit_has_space(edit, mutator_piece_extent(theirs)))
        return false;
    mutator_piece *parent = parent_for(edit, theirs);
    if (parent == NULL)
        return false;
    mutator_piece *place = theirs->kind == MUTATOR_PIECE_ITEM ? mutator_edit_pick_item_place(edit, parent)
                                                      : mutator_edit_pick_place(edit, parent);
    mutator_draft_insert(mutator_draft_copy(edit->draft, theirs), parent, place);
    mutator_edit_say(edit, "the other's ");
    mutator_edit_say_piece(edit, theirs);
    mutator_edit_say(edit, " put into ");
    mutator_edit_say_piece(edit, parent);
    return true;
}

bool mutator_edit_cross_replace(mutator_edit *edit)
{
    const mutator_piece *theirs = mutator_edit_pick_row(edit, edit->other, kinds, KINDS);
    mutator_piece *ours = theirs != NULL ? mutator_edit_pick_row(edit, edit->draft, &theirs->kind, 1) : NULL;
    if (ours == NULL || !mutator_edit_has_space(edit, mutator_piece_extent(theirs)))
        return false;
    mutator_draft_insert(mutator_draft_copy(edit->draft, theirs), ours->parent, ours);
    mutator_draft_remove(edit->draft, ours);
    mutator_edit_say(edit, "the other's ");
    mutator_edit_say_piece(edit, theirs);
    mutator_edit_say(edit, " in place of ");
    mutator_edit_say_piece(edit, ours);
    return true;
}

/* Replaces a piece of the draft and all later ones by a piece of the other draft and all later ones. */
bool mutator_edit_cross_tail(mutator_edit *edit)
{
    const mutator_piece *theirs = mutator_edit_pick_row(edit, edit->other, kinds, KINDS - 1);
    mutator_piece *ours = theirs != NULL ? mutator_edit_pick_row(edit, edit->draft, &theirs->kind, 1) : NULL;
    if (ours == NULL)
        return false;
    mutator_edit_say(edit, "from ");
    mutator_edit_say_piece(edit, ours);
    mutator_edit_say(edit, " on, the other's from ");
    mutator_edit_say_piece(edit, theirs);
    mutator_edit_say(edit, " on");
    mutator_piece *parent = ours->parent, *after = ours;
    while (after != NULL && after->kind == ours->kind) {
        mutator_piece *next = after->next;
        mutator_draft_remove(edit->draft, after);
        after = next;
    }
    size_t space = mutator_edit_space(edit);
    for (const mutator_piece *p = theirs; p != NULL && p->kind == theirs->kind && mutator_piece_extent(p) <= space;
         p = p->next) {
        space -= mutator_piece_extent(p);
        mutator_draft_insert(mutator_draft_copy(edit->draft, p), parent, after);
    }
    return true;
}
