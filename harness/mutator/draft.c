/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of pieces, its edits, and writing it out. draft_read.c makes it of an input, draft_settle.c sets sizes in it.
 */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "heap.h"
#include "xpress.h"

etl_draft *etl_draft_new(void)
{
    etl_draft *draft = etl_heap_zeros(1, sizeof *draft);
    draft->arena = etl_arena_new();
    return draft;
}

void etl_draft_free(etl_draft *draft)
{
    if (draft == NULL)
        return;
    etl_arena_free(draft->arena);
    etl_chunk_free(&draft->inflated);
    etl_chunk_free(&draft->stream);
    free(draft);
}

const char *etl_piece_text(etl_piece_kind kind)
{
    static const char *const texts[ETL_PIECE_COUNT] = {
#define ETL_PIECE(name, text) [ETL_PIECE_##name] = text,
        ETL_PIECES(ETL_PIECE)
#undef ETL_PIECE
    };
    return texts[kind];
}

/* Finding pieces. */

etl_piece *etl_piece_walk(const etl_piece *piece)
{
    if (piece->first != NULL)
        return piece->first;
    while (piece != NULL && piece->next == NULL)
        piece = piece->parent;
    return piece != NULL ? piece->next : NULL;
}

etl_piece *etl_draft_next(const etl_draft *draft, const etl_piece *piece, etl_piece_kind kind)
{
    etl_piece *at = piece != NULL ? etl_piece_walk(piece) : draft->root;
    while (at != NULL && at->kind != kind)
        at = etl_piece_walk(at);
    return at;
}

size_t etl_draft_count(const etl_draft *draft, etl_piece_kind kind)
{
    size_t count = 0;
    for (const etl_piece *p = etl_draft_next(draft, NULL, kind); p != NULL; p = etl_draft_next(draft, p, kind))
        count++;
    return count;
}

etl_piece *etl_draft_get(const etl_draft *draft, etl_piece_kind kind, size_t index)
{
    etl_piece *p = etl_draft_next(draft, NULL, kind);
    while (p != NULL && index-- > 0)
        p = etl_draft_next(draft, p, kind);
    return p;
}

etl_piece *etl_piece_holder(etl_piece *piece, etl_piece_kind kind)
{
    while (piece != NULL && piece->kind != kind)
        piece = piece->parent;
    return piece;
}

bool etl_piece_is_slack(const etl_piece *piece)
{
    return piece->kind == ETL_PIECE_RAW && piece->region == ETL_REGION_SLACK;
}

size_t etl_piece_extent(const etl_piece *piece)
{
    const bool stream = piece->kind == ETL_PIECE_STREAM;
    if (stream && !piece->changed)
        return piece->size;
    size_t size = stream ? 0 : piece->size;
    for (const etl_piece *p = piece->first; p != NULL; p = p->next)
        size += etl_piece_extent(p);
    return size;
}

/* Edits. */

/*
 * What a piece lies in has changed with it. The bytes of a stream may change without what is in it; what is in it never
 * changes without the stream, nor without the size of the buffer around.
 */
static void mark(etl_piece *piece, bool resized)
{
    if (piece->kind == ETL_PIECE_STREAM)
        piece = piece->parent;
    for (; piece != NULL; piece = piece->parent) {
        piece->changed = true;
        piece->resized = piece->resized || resized;
        resized = resized || piece->kind == ETL_PIECE_STREAM;
    }
}

static uint8_t *renew(etl_draft *draft, etl_piece *piece, size_t size)
{
    uint8_t *bytes = etl_arena_take(draft->arena, size);
    const size_t kept = size < piece->size ? size : piece->size;
    if (kept > 0)
        memcpy(bytes, piece->at, kept);
    if (size > kept)
        memset(bytes + kept, 0, size - kept);
    piece->at = bytes;
    piece->size = size;
    return bytes;
}

uint8_t *etl_piece_edit(etl_draft *draft, etl_piece *piece)
{
    mark(piece, false);
    return renew(draft, piece, piece->size);
}

uint8_t *etl_piece_resize(etl_draft *draft, etl_piece *piece, size_t size)
{
    mark(piece, size != piece->size);
    return renew(draft, piece, size);
}

void etl_piece_cut(etl_draft *draft, etl_piece *piece, size_t from, size_t size)
{
    if (from > piece->size)
        from = piece->size;
    if (size > piece->size - from)
        size = piece->size - from;
    if (size == 0)
        return;
    const size_t left = piece->size - size;
    uint8_t *bytes = etl_arena_take(draft->arena, left);
    memcpy(bytes, piece->at, from);
    memcpy(bytes + from, piece->at + from + size, left - from);
    piece->at = bytes;
    piece->size = left;
    mark(piece, true);
}

void etl_draft_remove(etl_draft *draft, etl_piece *piece)
{
    if (piece == draft->root || piece->kind == ETL_PIECE_CONTEXT)
        return;
    mark(piece, true);
    *(piece->before != NULL ? &piece->before->next : &piece->parent->first) = piece->next;
    *(piece->next != NULL ? &piece->next->before : &piece->parent->last) = piece->before;
    piece->parent = piece->before = piece->next = NULL;
}

void etl_draft_insert(etl_piece *piece, etl_piece *parent, etl_piece *before)
{
    piece->parent = parent;
    piece->next = before;
    piece->before = before != NULL ? before->before : parent->last;
    *(piece->before != NULL ? &piece->before->next : &parent->first) = piece;
    *(before != NULL ? &before->before : &parent->last) = piece;
    mark(piece, true);
}

static etl_piece *new_piece(etl_draft *draft, etl_piece_kind kind, etl_structure_id structure)
{
    etl_piece *piece = etl_arena_take(draft->arena, sizeof *piece);
    *piece = (etl_piece){.kind = kind, .structure = structure, .number = ETL_PIECE_NEW, .mode = ETL_MODEL_GREEDY};
    return piece;
}

etl_piece *etl_draft_make(etl_draft *draft, etl_piece_kind kind, etl_structure_id structure, size_t size)
{
    etl_piece *piece = new_piece(draft, kind, structure);
    renew(draft, piece, size);
    return piece;
}

etl_piece *etl_draft_copy(etl_draft *draft, const etl_piece *piece)
{
    etl_piece *copy = new_piece(draft, piece->kind, piece->structure);
    *copy = *piece;
    copy->number = ETL_PIECE_NEW;
    copy->parent = copy->before = copy->next = copy->first = copy->last = NULL;
    for (const etl_piece *p = piece->first; p != NULL; p = p->next) {
        etl_piece *inner = etl_draft_copy(draft, p);
        inner->parent = copy;
        inner->before = copy->last;
        *(copy->last != NULL ? &copy->last->next : &copy->first) = inner;
        copy->last = inner;
    }
    return copy;
}

uint64_t etl_piece_member(const etl_piece *piece, uint32_t offset, uint32_t size)
{
    uint64_t value = 0;
    if (size > sizeof value || offset > piece->size || size > piece->size - offset)
        return 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)piece->at[offset + i] << 8 * i;
    return value;
}

bool etl_piece_set_member(etl_draft *draft, etl_piece *piece, uint32_t offset, uint32_t size, uint64_t value)
{
    if (size > sizeof value || offset > piece->size || size > piece->size - offset)
        return false;
    if (etl_piece_member(piece, offset, size) == (size < sizeof value ? value & ((UINT64_C(1) << 8 * size) - 1) : value))
        return true;
    uint8_t *bytes = etl_piece_edit(draft, piece);
    for (uint32_t i = 0; i < size; i++)
        bytes[offset + i] = (uint8_t)(value >> 8 * i);
    return true;
}

void etl_piece_keep_extent(etl_piece *buffer)
{
    buffer->room = (uint32_t)etl_piece_extent(buffer);
}

/* Writing. */

static void gather(const etl_piece *piece, etl_chunk *out)
{
    if (piece->kind != ETL_PIECE_STREAM)
        etl_chunk_add(out, piece->at, piece->size);
    for (const etl_piece *p = piece->first; p != NULL; p = p->next)
        gather(p, out);
}

/* The stream gets the bytes that say what is in it. */
static void compress(etl_draft *draft, etl_piece *stream)
{
    draft->inflated.size = draft->stream.size = 0;
    gather(stream, &draft->inflated);
    etl_xpress(draft->inflated.at, draft->inflated.size, stream->mode, &draft->stream);
    uint8_t *bytes = etl_arena_take(draft->arena, draft->stream.size);
    memcpy(bytes, draft->stream.at, draft->stream.size);
    stream->at = bytes;
    stream->size = draft->stream.size;
    stream->changed = false;
}

void etl_draft_compress(etl_draft *draft)
{
    for (etl_piece *p = etl_draft_next(draft, NULL, ETL_PIECE_STREAM); p; p = etl_draft_next(draft, p, ETL_PIECE_STREAM))
        if (p->changed)
            compress(draft, p);
}

static size_t put(const etl_piece *piece, uint8_t *out, size_t most)
{
    size_t size = piece->size < most ? piece->size : most;
    if (size > 0)
        memcpy(out, piece->at, size);
    if (piece->kind == ETL_PIECE_STREAM)
        return size;
    for (const etl_piece *p = piece->first; p != NULL && size < most; p = p->next)
        size += put(p, out + size, most - size);
    return size;
}

size_t etl_draft_write(etl_draft *draft, uint8_t *out, size_t most)
{
    etl_draft_compress(draft);
    return put(draft->root, out, most);
}
