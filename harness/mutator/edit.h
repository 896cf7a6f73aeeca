/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of a draft. Each picks its place and its values at random and describes what it did. It returns false, and
 * changes nothing, where the draft has no place for it.
 */
#ifndef ETLPROOF_MUTATOR_EDIT_H
#define ETLPROOF_MUTATOR_EDIT_H

#include "draft.h"
#include "mutator_core.h"
#include "random.h"

typedef struct mutator_edit {
    mutator_draft *draft;
    const mutator_draft *other; /* the draft to cross with, or NULL */
    mutator_random random;
    size_t most;                /* bytes that may be written */
    mutator_edit_log *log;
} mutator_edit;

typedef bool mutator_editor(mutator_edit *edit);

/* edit_members.c: members, by their role. */
mutator_editor mutator_edit_member, mutator_edit_context;
/* edit_structure.c: existing pieces. */
mutator_editor mutator_edit_remove, mutator_edit_duplicate, mutator_edit_swap, mutator_edit_move, mutator_edit_grow,
    mutator_edit_shrink, mutator_edit_splice;
/* edit_insert.c: new pieces. */
mutator_editor mutator_edit_new_event, mutator_edit_new_item, mutator_edit_new_buffer, mutator_edit_new_gap,
    mutator_edit_new_parts;
/* edit_compression.c: compressed buffers and their streams. */
mutator_editor mutator_edit_pack, mutator_edit_unpack, mutator_edit_repack, mutator_edit_stream;
/* edit_cross.c: pieces of `other`. */
mutator_editor mutator_edit_cross_insert, mutator_edit_cross_replace, mutator_edit_cross_tail;
/* edit_bytes.c: bytes of a piece. */
mutator_editor mutator_edit_bytes;

/* edit_bytes.c: changes `size` bytes in place; they may become fewer, or more up to `most`. Returns the new size. */
size_t mutator_bytes_change(mutator_random *random, uint8_t *bytes, size_t size, size_t most);

/* edit.c: shared by the edits. */

/* Adds to the description; a piece is named "event 3", or "new event" if it was not in the input. */
#if defined(__GNUC__) && !defined(_WIN32) /* GCC's attribute for Windows rejects %zu, which works there */
__attribute__((format(printf, 2, 3)))
#endif
void mutator_edit_say(mutator_edit *edit, const char *format, ...);
void mutator_edit_say_piece(mutator_edit *edit, const mutator_piece *piece);

/* A random piece of that kind; NULL if there is none. */
mutator_piece *mutator_edit_pick(mutator_edit *edit, const mutator_draft *draft, mutator_piece_kind kind);
/* A random piece of one of the kinds, weighted by how often the kind is listed; NULL if there is none. */
mutator_piece *mutator_edit_pick_of(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                    size_t count);
/* The same, but seldom the head. */
mutator_piece *mutator_edit_pick_row(mutator_edit *edit, const mutator_draft *draft, const mutator_piece_kind *kinds,
                                     size_t count);
/* A random piece that events may be put into; NULL if there is none. */
mutator_piece *mutator_edit_pick_container(mutator_edit *edit);
/* The logfile header event, or the buffer that starts with it. Few edits touch it: without it, the decoder has to guess. */
bool mutator_piece_is_head(const mutator_piece *piece);
/* A random piece in `parent` to insert before, or NULL for the end; slack stays last. */
mutator_piece *mutator_edit_pick_place(mutator_edit *edit, const mutator_piece *parent);
/* Where to insert an item of the event: before one of its items, or before what follows them. */
mutator_piece *mutator_edit_pick_item_place(mutator_edit *edit, const mutator_piece *parent);

/* How many more bytes the edits may add: without a bound, copies of copies pile up. */
size_t mutator_edit_space(const mutator_edit *edit);
bool mutator_edit_has_space(const mutator_edit *edit, size_t size);

/*
 * edit_compression.c: makes the buffer of a stream plain, together with what follows the stream. False, and nothing is
 * changed, if the stream is not in a buffer or could not be inflated.
 */
bool mutator_piece_unpack(mutator_draft *draft, mutator_piece *stream);
/* The piece that the events of a buffer are in: its stream, or the buffer. */
mutator_piece *mutator_piece_contents(mutator_piece *buffer);

#endif
