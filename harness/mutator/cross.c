/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits that take from another draft: its buffers, events, items, data go in among those of this one, or in their place.
 */
#include "edit.h"

static const etl_piece_kind kinds[] = {ETL_PIECE_EVENT, ETL_PIECE_EVENT, ETL_PIECE_ITEM, ETL_PIECE_BUFFER, ETL_PIECE_DATA};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Where a piece like that may go in; NULL if nowhere. */
static etl_piece *parent_for(etl_edit *edit, const etl_piece *piece)
{
    etl_piece *peer = etl_edit_pick(edit, edit->draft, piece->kind);
    switch (piece->kind) {
    case ETL_PIECE_EVENT: return etl_edit_pick_container(edit);
    case ETL_PIECE_BUFFER: return peer != NULL ? peer->parent : NULL;
    case ETL_PIECE_ITEM:
        if (peer != NULL)
            return peer->parent;
        peer = etl_edit_pick(edit, edit->draft, ETL_PIECE_EVENT);
        return peer != NULL && peer->structure == ETL_STRUCTURE_EVENT_HEADER ? peer : NULL;
    default: return NULL;
    }
}

bool etl_edit_cross_insert(etl_edit *edit)
{
    const etl_piece *theirs = etl_edit_pick_row(edit, edit->other, kinds, KINDS - 1);
    if (theirs == NULL || !etl_edit_has_room(edit, etl_piece_extent(theirs)))
        return false;
    etl_piece *parent = parent_for(edit, theirs);
    if (parent == NULL)
        return false;
    etl_piece *place = theirs->kind == ETL_PIECE_ITEM ? etl_edit_pick_item_place(edit, parent)
                                                      : etl_edit_pick_place(edit, parent);
    etl_draft_insert(etl_draft_copy(edit->draft, theirs), parent, place);
    etl_edit_say(edit, "the other's ");
    etl_edit_say_piece(edit, theirs);
    etl_edit_say(edit, " put into ");
    etl_edit_say_piece(edit, parent);
    return true;
}

bool etl_edit_cross_replace(etl_edit *edit)
{
    const etl_piece *theirs = etl_edit_pick_row(edit, edit->other, kinds, KINDS);
    etl_piece *ours = theirs != NULL ? etl_edit_pick_row(edit, edit->draft, &theirs->kind, 1) : NULL;
    if (ours == NULL || !etl_edit_has_room(edit, etl_piece_extent(theirs)))
        return false;
    etl_draft_insert(etl_draft_copy(edit->draft, theirs), ours->parent, ours);
    etl_draft_remove(edit->draft, ours);
    etl_edit_say(edit, "the other's ");
    etl_edit_say_piece(edit, theirs);
    etl_edit_say(edit, " in place of ");
    etl_edit_say_piece(edit, ours);
    return true;
}

/* What follows a piece of ours is what follows one of theirs, up to the end of what holds it. */
bool etl_edit_cross_tail(etl_edit *edit)
{
    const etl_piece *theirs = etl_edit_pick_row(edit, edit->other, kinds, KINDS - 1);
    etl_piece *ours = theirs != NULL ? etl_edit_pick_row(edit, edit->draft, &theirs->kind, 1) : NULL;
    if (ours == NULL)
        return false;
    etl_edit_say(edit, "from ");
    etl_edit_say_piece(edit, ours);
    etl_edit_say(edit, " on, the other's from ");
    etl_edit_say_piece(edit, theirs);
    etl_edit_say(edit, " on");
    etl_piece *parent = ours->parent, *after = ours;
    while (after != NULL && after->kind == ours->kind) {
        etl_piece *next = after->next;
        etl_draft_remove(edit->draft, after);
        after = next;
    }
    size_t room = etl_edit_room(edit);
    for (const etl_piece *p = theirs; p != NULL && p->kind == theirs->kind && etl_piece_extent(p) <= room; p = p->next) {
        room -= etl_piece_extent(p);
        etl_draft_insert(etl_draft_copy(edit->draft, p), parent, after);
    }
    return true;
}
