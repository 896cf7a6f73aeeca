/* SPDX-License-Identifier: Apache-2.0 */
#include "edit.h"

#include <stdarg.h>
#include <stdio.h>

/* How seldom the head of a file is touched. */
enum { HEAD_ONCE_IN = 16 };

void etl_edit_say(etl_edit *edit, const char *format, ...)
{
    etl_text *text = edit->text;
    const size_t room = sizeof text->at - text->size;
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text->at + text->size, room, format, arguments);
    va_end(arguments);
    if (size > 0)
        text->size += (size_t)size < room ? (size_t)size : room - 1;
}

void etl_edit_say_piece(etl_edit *edit, const etl_piece *piece)
{
    if (piece->number == ETL_PIECE_NEW)
        etl_edit_say(edit, "new %s", etl_piece_text(piece->kind));
    else
        etl_edit_say(edit, "%s %u", etl_piece_text(piece->kind), (unsigned)piece->number);
}

etl_piece *etl_edit_pick(etl_edit *edit, const etl_draft *draft, etl_piece_kind kind)
{
    const size_t count = etl_draft_count(draft, kind);
    return count > 0 ? etl_draft_get(draft, kind, etl_random_below(&edit->random, count)) : NULL;
}

etl_piece *etl_edit_pick_of(etl_edit *edit, const etl_draft *draft, const etl_piece_kind *kinds, size_t count)
{
    size_t counts[ETL_PIECE_COUNT] = {0}, present = 0;
    for (const etl_piece *p = draft->root; p != NULL; p = etl_piece_walk(p))
        counts[p->kind]++;
    for (size_t i = 0; i < count; i++)
        present += counts[kinds[i]] > 0;
    if (present == 0)
        return NULL;
    size_t skip = etl_random_below(&edit->random, present);
    while (counts[*kinds] == 0 || skip-- > 0)
        kinds++;
    return etl_draft_get(draft, *kinds, etl_random_below(&edit->random, counts[*kinds]));
}

etl_piece *etl_edit_pick_row(etl_edit *edit, const etl_draft *draft, const etl_piece_kind *kinds, size_t count)
{
    etl_piece *piece = etl_edit_pick_of(edit, draft, kinds, count);
    for (unsigned tries = 0; tries < 4 && piece != NULL && etl_piece_is_head(piece); tries++) {
        if (etl_random_once_in(&edit->random, HEAD_ONCE_IN))
            return piece;
        piece = etl_edit_pick_of(edit, draft, kinds, count);
    }
    return piece != NULL && etl_piece_is_head(piece) ? NULL : piece;
}

etl_piece *etl_piece_contents(etl_piece *buffer)
{
    for (etl_piece *p = buffer->first; p != NULL; p = p->next)
        if (p->kind == ETL_PIECE_STREAM)
            return p;
    return buffer;
}

bool etl_piece_is_head(const etl_piece *piece)
{
    if (piece->kind == ETL_PIECE_BUFFER && piece->first != NULL)
        piece = piece->first;
    return piece->kind == ETL_PIECE_EVENT && piece->first != NULL && piece->first->kind == ETL_PIECE_RECORD &&
           piece->before == NULL;
}

etl_piece *etl_edit_pick_container(etl_edit *edit)
{
    etl_draft *draft = edit->draft;
    if (draft->input == ETL_INPUT_EVENT || draft->input == ETL_INPUT_LOGFILE || draft->input == ETL_INPUT_MESSAGE)
        return draft->root;
    etl_piece *buffer = etl_edit_pick(edit, draft, ETL_PIECE_BUFFER);
    return buffer != NULL ? etl_piece_contents(buffer) : NULL;
}

/* One of those from `from` on, up to `to` included; NULL, the end, is one of them. */
static etl_piece *pick_between(etl_edit *edit, etl_piece *from, etl_piece *to)
{
    size_t count = 1;
    for (const etl_piece *p = from; p != to; p = p->next)
        count++;
    etl_piece *place = from;
    for (size_t i = etl_random_below(&edit->random, count); i > 0; i--)
        place = place->next;
    return place;
}

etl_piece *etl_edit_pick_place(etl_edit *edit, const etl_piece *parent)
{
    etl_piece *from = parent->first;
    if (from != NULL && from->kind == ETL_PIECE_CONTEXT)
        from = from->next;
    if (from != NULL && etl_piece_is_head(from) && !etl_random_once_in(&edit->random, HEAD_ONCE_IN))
        from = from->next;
    etl_piece *to = parent->last != NULL && etl_piece_is_slack(parent->last) ? parent->last : NULL;
    return pick_between(edit, from, to);
}

etl_piece *etl_edit_pick_item_place(etl_edit *edit, const etl_piece *parent)
{
    etl_piece *from = parent->first;
    while (from != NULL && (from->kind == ETL_PIECE_CONTEXT || from->kind == ETL_PIECE_EXTRA))
        from = from->next;
    etl_piece *to = from;
    while (to != NULL && to->kind == ETL_PIECE_ITEM)
        to = to->next;
    return pick_between(edit, from, to);
}

size_t etl_edit_room(const etl_edit *edit)
{
    const size_t now = etl_piece_extent(edit->draft->root);
    return now < edit->most ? edit->most - now : 0;
}

bool etl_edit_has_room(const etl_edit *edit, size_t size)
{
    return size <= etl_edit_room(edit);
}
