/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of pieces: finding, editing and writing them. draft_read.c makes the tree from an input, draft_settle.c corrects
 * the sizes in it. Called by every edit and by minimise/.
 */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "checked_alloc.h"
#include "image/xpress_compressor.h"

mutator_draft *mutator_draft_new(void)
{
    mutator_draft *draft = mutator_calloc(1, sizeof *draft);
    draft->arena = mutator_arena_new();
    return draft;
}

void mutator_draft_free(mutator_draft *draft)
{
    if (draft == NULL)
        return;
    mutator_arena_free(draft->arena);
    build_chunk_free(&draft->inflated);
    build_chunk_free(&draft->stream);
    free(draft);
}

const char *mutator_piece_text(mutator_piece_kind kind)
{
    static const char *const texts[MUTATOR_PIECE_COUNT] = {
#define MUTATOR_PIECE(name, text) [MUTATOR_PIECE_##name] = text,
        MUTATOR_PIECES(MUTATOR_PIECE)
#undef MUTATOR_PIECE
    };
    return texts[kind];
}

/* Finding pieces. */

mutator_piece *mutator_piece_walk(const mutator_piece *piece)
{
    if (piece->first != NULL)
        return piece->first;
    while (piece != NULL && piece->next == NULL)
        piece = piece->parent;
    return piece != NULL ? piece->next : NULL;
}

mutator_piece *mutator_draft_next(const mutator_draft *draft, const mutator_piece *piece, mutator_piece_kind kind)
{
    mutator_piece *at = piece != NULL ? mutator_piece_walk(piece) : draft->root;
    while (at != NULL && at->kind != kind)
        at = mutator_piece_walk(at);
    return at;
}

size_t mutator_draft_count(const mutator_draft *draft, mutator_piece_kind kind)
{
    size_t count = 0;
    for (const mutator_piece *p = mutator_draft_next(draft, NULL, kind); p != NULL; p = mutator_draft_next(draft, p, kind))
        count++;
    return count;
}

mutator_piece *mutator_draft_get(const mutator_draft *draft, mutator_piece_kind kind, size_t index)
{
    mutator_piece *p = mutator_draft_next(draft, NULL, kind);
    while (p != NULL && index-- > 0)
        p = mutator_draft_next(draft, p, kind);
    return p;
}

mutator_piece *mutator_piece_holder(mutator_piece *piece, mutator_piece_kind kind)
{
    while (piece != NULL && piece->kind != kind)
        piece = piece->parent;
    return piece;
}

bool mutator_piece_is_slack(const mutator_piece *piece)
{
    return piece->kind == MUTATOR_PIECE_RAW && piece->region == ETL_REGION_SLACK;
}

size_t mutator_piece_extent(const mutator_piece *piece)
{
    const bool stream = piece->kind == MUTATOR_PIECE_STREAM;
    if (stream && !piece->changed)
        return piece->size;
    size_t size = stream ? 0 : piece->size;
    for (const mutator_piece *p = piece->first; p != NULL; p = p->next)
        size += mutator_piece_extent(p);
    return size;
}

/* Edits. */

/*
 * A change marks all containers of the piece. The bytes of a stream may change without the pieces in it; those never change
 * without the stream and the size of its buffer.
 */
static void mark(mutator_piece *piece, bool resized)
{
    if (piece->kind == MUTATOR_PIECE_STREAM)
        piece = piece->parent;
    for (; piece != NULL; piece = piece->parent) {
        piece->changed = true;
        piece->resized = piece->resized || resized;
        resized = resized || piece->kind == MUTATOR_PIECE_STREAM;
    }
}

static uint8_t *renew(mutator_draft *draft, mutator_piece *piece, size_t size)
{
    uint8_t *bytes = mutator_arena_take(draft->arena, size);
    const size_t kept = size < piece->size ? size : piece->size;
    if (kept > 0)
        memcpy(bytes, piece->at, kept);
    if (size > kept)
        memset(bytes + kept, 0, size - kept);
    piece->at = bytes;
    piece->size = size;
    return bytes;
}

uint8_t *mutator_piece_edit(mutator_draft *draft, mutator_piece *piece)
{
    mark(piece, false);
    return renew(draft, piece, piece->size);
}

uint8_t *mutator_piece_resize(mutator_draft *draft, mutator_piece *piece, size_t size)
{
    mark(piece, size != piece->size);
    return renew(draft, piece, size);
}

void mutator_piece_cut(mutator_draft *draft, mutator_piece *piece, size_t from, size_t size)
{
    if (from > piece->size)
        from = piece->size;
    if (size > piece->size - from)
        size = piece->size - from;
    if (size == 0)
        return;
    const size_t left = piece->size - size;
    uint8_t *bytes = mutator_arena_take(draft->arena, left);
    memcpy(bytes, piece->at, from);
    memcpy(bytes + from, piece->at + from + size, left - from);
    piece->at = bytes;
    piece->size = left;
    mark(piece, true);
}

void mutator_draft_remove(mutator_draft *draft, mutator_piece *piece)
{
    if (piece == draft->root || piece->kind == MUTATOR_PIECE_CONTEXT)
        return;
    mark(piece, true);
    *(piece->before != NULL ? &piece->before->next : &piece->parent->first) = piece->next;
    *(piece->next != NULL ? &piece->next->before : &piece->parent->last) = piece->before;
    piece->parent = piece->before = piece->next = NULL;
}

void mutator_draft_insert(mutator_piece *piece, mutator_piece *parent, mutator_piece *before)
{
    piece->parent = parent;
    piece->next = before;
    piece->before = before != NULL ? before->before : parent->last;
    *(piece->before != NULL ? &piece->before->next : &parent->first) = piece;
    *(before != NULL ? &before->before : &parent->last) = piece;
    mark(piece, true);
}

static mutator_piece *new_piece(mutator_draft *draft, mutator_piece_kind kind, etl_structure_id structure)
{
    mutator_piece *piece = mutator_arena_take(draft->arena, sizeof *piece);
    *piece = (mutator_piece){.kind = kind, .structure = structure, .number = MUTATOR_PIECE_NEW, .mode = BUILD_MODEL_GREEDY};
    return piece;
}

mutator_piece *mutator_draft_make(mutator_draft *draft, mutator_piece_kind kind, etl_structure_id structure, size_t size)
{
    mutator_piece *piece = new_piece(draft, kind, structure);
    renew(draft, piece, size);
    return piece;
}

mutator_piece *mutator_draft_copy(mutator_draft *draft, const mutator_piece *piece)
{
    mutator_piece *copy = new_piece(draft, piece->kind, piece->structure);
    *copy = *piece;
    copy->number = MUTATOR_PIECE_NEW;
    copy->parent = copy->before = copy->next = copy->first = copy->last = NULL;
    for (const mutator_piece *p = piece->first; p != NULL; p = p->next) {
        mutator_piece *inner = mutator_draft_copy(draft, p);
        inner->parent = copy;
        inner->before = copy->last;
        *(copy->last != NULL ? &copy->last->next : &copy->first) = inner;
        copy->last = inner;
    }
    return copy;
}

uint64_t mutator_piece_member(const mutator_piece *piece, uint32_t offset, uint32_t size)
{
    uint64_t value = 0;
    if (size > sizeof value || offset > piece->size || size > piece->size - offset)
        return 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)piece->at[offset + i] << 8 * i;
    return value;
}

bool mutator_piece_set_member(mutator_draft *draft, mutator_piece *piece, uint32_t offset, uint32_t size, uint64_t value)
{
    if (size > sizeof value || offset > piece->size || size > piece->size - offset)
        return false;
    if (mutator_piece_member(piece, offset, size) ==
        (size < sizeof value ? value & ((UINT64_C(1) << 8 * size) - 1) : value))
        return true;
    uint8_t *bytes = mutator_piece_edit(draft, piece);
    for (uint32_t i = 0; i < size; i++)
        bytes[offset + i] = (uint8_t)(value >> 8 * i);
    return true;
}

void mutator_piece_keep_extent(mutator_piece *buffer)
{
    buffer->kept_size = (uint32_t)mutator_piece_extent(buffer);
}

/* Writing. */

static void gather(const mutator_piece *piece, build_chunk *out)
{
    if (piece->kind != MUTATOR_PIECE_STREAM)
        build_chunk_add(out, piece->at, piece->size);
    for (const mutator_piece *p = piece->first; p != NULL; p = p->next)
        gather(p, out);
}

/* Gives the stream bytes that encode the pieces in it. */
static void compress(mutator_draft *draft, mutator_piece *stream)
{
    draft->inflated.size = draft->stream.size = 0;
    gather(stream, &draft->inflated);
    build_xpress_compress(draft->inflated.at, draft->inflated.size, stream->mode, &draft->stream);
    uint8_t *bytes = mutator_arena_take(draft->arena, draft->stream.size);
    memcpy(bytes, draft->stream.at, draft->stream.size);
    stream->at = bytes;
    stream->size = draft->stream.size;
    stream->changed = false;
}

void mutator_draft_compress(mutator_draft *draft)
{
    for (mutator_piece *p = mutator_draft_next(draft, NULL, MUTATOR_PIECE_STREAM); p;
         p = mutator_draft_next(draft, p, MUTATOR_PIECE_STREAM))
        if (p->changed)
            compress(draft, p);
}

static size_t put(const mutator_piece *piece, uint8_t *out, size_t most)
{
    size_t size = piece->size < most ? piece->size : most;
    if (size > 0)
        memcpy(out, piece->at, size);
    if (piece->kind == MUTATOR_PIECE_STREAM)
        return size;
    for (const mutator_piece *p = piece->first; p != NULL && size < most; p = p->next)
        size += put(p, out + size, most - size);
    return size;
}

size_t mutator_draft_write(mutator_draft *draft, uint8_t *out, size_t most)
{
    mutator_draft_compress(draft);
    return put(draft->root, out, most);
}
