/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of a draft. Each picks its place and its values by chance, says what it did, and returns false, with nothing
 * changed, where the draft has no place for it.
 */
#ifndef ETLPROOF_EDIT_H
#define ETLPROOF_EDIT_H

#include "draft.h"
#include "random.h"
#include "mutator_core.h"

typedef struct mutator_edit {
    mutator_draft *draft;
    const mutator_draft *other; /* what is crossed in; NULL where nothing is */
    mutator_random random;
    size_t most;            /* bytes that may be written */
    mutator_edit_log *text;
} mutator_edit;

typedef bool mutator_editor(mutator_edit *edit);

/* edit_members.c: members by their role. */
mutator_editor mutator_edit_member, mutator_edit_context;
/* edit_structure.c */
mutator_editor mutator_edit_remove, mutator_edit_duplicate, mutator_edit_swap, mutator_edit_move, mutator_edit_grow,
    mutator_edit_shrink, mutator_edit_splice;
/* edit_insert.c: things that were not there. */
mutator_editor mutator_edit_new_event, mutator_edit_new_item, mutator_edit_new_buffer, mutator_edit_new_gap,
    mutator_edit_new_parts;
/* edit_compression.c */
mutator_editor mutator_edit_pack, mutator_edit_unpack, mutator_edit_repack, mutator_edit_stream;
/* edit_cross.c: what they put in comes from `other`. */
mutator_editor mutator_edit_cross_insert, mutator_edit_cross_replace, mutator_edit_cross_tail;
/* edit_bytes.c: bytes of a piece. */
mutator_editor mutator_edit_bytes;

/* edit_bytes.c: changes `size` bytes in place, which may become more, up to `most`, or less. Returns how many they are then. */
size_t mutator_bytes_change(mutator_random *random, uint8_t *bytes, size_t size, size_t most);

/* edit.c: what edits share. */

/* Adds to the description; pieces are named "event 3", what was not in the input "new event". */
#if defined(__GNUC__) && !defined(_WIN32) /* whose own attribute does not know %zu, which is there all the same */
__attribute__((format(printf, 2, 3)))
#endif
void mutator_edit_say(mutator_edit *edit, const char *format, ...);
void mutator_edit_say_piece(mutator_edit *edit, const mutator_piece *piece);

/* Any piece of that kind; NULL if there is none. */
mutator_piece *mutator_edit_pick(mutator_edit *edit, const mutator_draft *draft, mutator_piece_kind kind);
/* Any piece of one of the kinds, those that there are as often as they are listed; NULL if there is none. */
mutator_piece *mutator_edit_pick_of(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                    size_t count);
/* The same, but seldom the head. */
mutator_piece *mutator_edit_pick_row(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                     size_t count);
/* Any place that events may be put into; NULL if there is none. */
mutator_piece *mutator_edit_pick_container(mutator_edit *edit);
/* The logfile header event, or the buffer that starts with it. Without it a file is read by guesses: few edits touch it. */
bool mutator_piece_is_head(const mutator_piece *piece);
/* Any of the pieces in `parent` that something may be put before, or NULL for its end; slack stays the last. */
mutator_piece *mutator_edit_pick_place(mutator_edit *edit, const mutator_piece *parent);
/* Where an item of the event may be put: before one of its items, or before what follows them. */
mutator_piece *mutator_edit_pick_item_place(mutator_edit *edit, const mutator_piece *parent);

/* How many bytes more are within bounds: edits keep to them, so that copies of copies do not pile up. */
size_t mutator_edit_space(const mutator_edit *edit);
bool mutator_edit_has_space(const mutator_edit *edit, size_t size);

/*
 * edit_compression.c: makes the buffer of a stream plain; what follows the stream goes with it. False, and nothing is changed,
 * where the stream is no part of a buffer or could not be inflated.
 */
bool mutator_piece_unpack(mutator_draft *draft, mutator_piece *stream);
/* The part of a buffer that its events are in: its stream, or itself. */
mutator_piece *mutator_piece_contents(mutator_piece *buffer);

#endif
