/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of a draft. Each picks its place and its values by chance, says what it did, and returns false, with nothing
 * changed, where the draft has no place for it.
 */
#ifndef ETLPROOF_EDIT_H
#define ETLPROOF_EDIT_H

#include "draft.h"
#include "random.h"
#include "state.h"

typedef struct etl_edit {
    etl_draft *draft;
    const etl_draft *other; /* what is crossed in; NULL where nothing is */
    etl_random random;
    size_t most;            /* bytes that may be written */
    etl_text *text;
} etl_edit;

typedef bool etl_editor(etl_edit *edit);

/* fields.c: members by their role. */
etl_editor etl_edit_member, etl_edit_context;
/* structure.c */
etl_editor etl_edit_remove, etl_edit_duplicate, etl_edit_swap, etl_edit_move, etl_edit_grow, etl_edit_shrink,
    etl_edit_splice;
/* insert.c: things that were not there. */
etl_editor etl_edit_new_event, etl_edit_new_item, etl_edit_new_buffer, etl_edit_new_gap, etl_edit_new_parts;
/* compress.c */
etl_editor etl_edit_pack, etl_edit_unpack, etl_edit_repack, etl_edit_stream;
/* cross.c: what they put in comes from `other`. */
etl_editor etl_edit_cross_insert, etl_edit_cross_replace, etl_edit_cross_tail;
/* bytes.c: bytes of a piece. */
etl_editor etl_edit_bytes;

/* bytes.c: changes `size` bytes in place, which may become more, up to `most`, or less. Returns how many they are then. */
size_t etl_bytes_change(etl_random *random, uint8_t *bytes, size_t size, size_t most);

/* edit.c: what edits share. */

/* Adds to the description; pieces are named "event 3", what was not in the input "new event". */
#if defined(__GNUC__) && !defined(_WIN32) /* whose own attribute does not know %zu, which is there all the same */
__attribute__((format(printf, 2, 3)))
#endif
void etl_edit_say(etl_edit *edit, const char *format, ...);
void etl_edit_say_piece(etl_edit *edit, const etl_piece *piece);

/* Any piece of that kind; NULL if there is none. */
etl_piece *etl_edit_pick(etl_edit *edit, const etl_draft *draft, etl_piece_kind kind);
/* Any piece of one of the kinds, those that there are as often as they are listed; NULL if there is none. */
etl_piece *etl_edit_pick_of(etl_edit *edit, const etl_draft *draft, const etl_piece_kind *kinds, size_t count);
/* The same, but seldom the head. */
etl_piece *etl_edit_pick_row(etl_edit *edit, const etl_draft *draft, const etl_piece_kind *kinds, size_t count);
/* Any place that events may be put into; NULL if there is none. */
etl_piece *etl_edit_pick_container(etl_edit *edit);
/* The logfile header event, or the buffer that starts with it. Without it a file is read by guesses: few edits touch it. */
bool etl_piece_is_head(const etl_piece *piece);
/* Any of the pieces in `parent` that something may be put before, or NULL for its end; slack stays the last. */
etl_piece *etl_edit_pick_place(etl_edit *edit, const etl_piece *parent);
/* Where an item of the event may be put: before one of its items, or before what follows them. */
etl_piece *etl_edit_pick_item_place(etl_edit *edit, const etl_piece *parent);

/* How many bytes more are within bounds: edits keep to them, so that copies of copies do not pile up. */
size_t etl_edit_room(const etl_edit *edit);
bool etl_edit_has_room(const etl_edit *edit, size_t size);

/*
 * compress.c: makes the buffer of a stream plain; what follows the stream goes with it. False, and nothing is changed,
 * where the stream is no part of a buffer or could not be inflated.
 */
bool etl_piece_unpack(etl_draft *draft, etl_piece *stream);
/* The part of a buffer that its events are in: its stream, or itself. */
etl_piece *etl_piece_contents(etl_piece *buffer);

#endif
