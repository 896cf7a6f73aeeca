/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The pieces of the whole file, or of one buffer as it inflates. They point into the model, which only a patch changes. */
static etl_pieces pieces_of(etl_model *model, etl_model_buffer *inflated)
{
    etl_pieces pieces = {0};
    if (inflated != NULL)
        etl_pieces_add_buffer(&pieces, inflated, true);
    for (size_t i = 0; inflated == NULL && i < model->buffer_count; i++)
        etl_pieces_add_buffer(&pieces, &model->buffers[i], false);
    return pieces;
}

etl_chunk etl_image_make(const etl_model *model)
{
    etl_chunk image = {0};
    etl_pieces pieces = pieces_of((etl_model *)model, NULL);
    etl_pieces_write(&pieces, &image);
    etl_pieces_free(&pieces);
    return image;
}

/* What a patch does to bytes. Each is false if it reaches beyond them. */

static bool fits(const etl_chunk *chunk, uint64_t offset, uint64_t size)
{
    return offset <= chunk->size && size <= chunk->size - offset;
}

static bool overwrite(etl_chunk *chunk, const etl_patch *patch)
{
    if (!fits(chunk, patch->offset, patch->bytes.size))
        return false;
    if (patch->bytes.size != 0)
        memcpy(chunk->at + patch->offset, patch->bytes.at, patch->bytes.size);
    return true;
}

static bool cut(etl_chunk *chunk, const etl_patch *patch)
{
    if (!fits(chunk, patch->offset, 0))
        return false;
    chunk->size = (size_t)patch->offset;
    return true;
}

/* `size` bytes at `offset` give way to `bytes`. */
static bool replace(etl_chunk *chunk, uint64_t offset, uint64_t size, const etl_chunk *bytes)
{
    etl_chunk after = {0};
    if (!fits(chunk, offset, size))
        return false;
    etl_chunk_add(&after, chunk->at, (size_t)offset);
    etl_chunk_add(&after, bytes->at, bytes->size);
    etl_chunk_add(&after, chunk->at + offset + size, chunk->size - (size_t)(offset + size));
    etl_chunk_free(chunk);
    *chunk = after;
    return true;
}

static bool move(etl_chunk *chunk, const etl_patch *patch)
{
    const uint64_t to = patch->offset + (uint64_t)patch->by;
    etl_chunk moved = {0};
    if (!fits(chunk, patch->offset, patch->size) || !fits(chunk, to, patch->size) || patch->size == 0)
        return false;
    etl_chunk_add(&moved, chunk->at + patch->offset, (size_t)patch->size);
    memset(chunk->at + patch->offset, 0, (size_t)patch->size);
    memcpy(chunk->at + to, moved.at, moved.size);
    etl_chunk_free(&moved);
    return true;
}

static bool change(etl_chunk *chunk, const etl_patch *patch)
{
    static const etl_chunk nothing = {0};
    switch (patch->kind) {
    case ETL_PATCH_BYTES: return overwrite(chunk, patch);
    case ETL_PATCH_CUT: return cut(chunk, patch);
    case ETL_PATCH_INSERT: return replace(chunk, patch->offset, 0, &patch->bytes);
    case ETL_PATCH_REMOVE: return replace(chunk, patch->offset, patch->size, &nothing);
    case ETL_PATCH_MOVE: return move(chunk, patch);
    default: return true;
    }
}

static void mirror(etl_model *model, etl_model_buffer *inflated, const etl_patch *patch)
{
    if (patch->kind != ETL_PATCH_BYTES)
        return;
    etl_pieces pieces = pieces_of(model, inflated);
    etl_pieces_patch(&pieces, patch->offset, patch->bytes.at, patch->bytes.size);
    etl_pieces_free(&pieces);
}

/* A compressed buffer's header is in its inflated bytes too. */
static void mirror_headers(etl_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++) {
        etl_model_buffer *buffer = &model->buffers[i];
        if (!buffer->is_raw && buffer->compression != ETL_MODEL_PLAIN)
            memcpy(buffer->inflated.at, buffer->header.bytes, etl_structure_size_of(buffer->header.structure));
    }
}

/* The patch may have been made for another copy of the model. */
static etl_model_buffer *same_buffer(etl_model *model, const etl_model_buffer *buffer)
{
    for (size_t i = 0; i < model->buffer_count; i++)
        if (strcmp(model->buffers[i].name, buffer->name) == 0)
            return &model->buffers[i];
    return NULL;
}

/* Says what a patch does not fit in. False. */
static bool beyond(const etl_patch *patch, const char *what, size_t size, const char **why)
{
    static _Thread_local char room[128];
    (void)snprintf(room, sizeof room, "expected a patch that stays within the %s of %zu bytes, found one at %" PRIu64, what,
                   size, patch->offset);
    *why = room;
    return false;
}

static bool patch_inflated(etl_chunk *image, etl_model *model, const etl_patch *patch, const char **why)
{
    etl_model_buffer *buffer = same_buffer(model, patch->inflated);
    if (buffer == NULL || buffer->is_raw || buffer->compression == ETL_MODEL_PLAIN) {
        *why = "the patch is one of inflated bytes, and the buffer is not compressed";
        return false;
    }
    if (buffer->compression == ETL_MODEL_GIVEN) {
        *why = "the patch is one of inflated bytes, and the stream of the buffer is given";
        return false;
    }
    if (patch->offset < etl_structure_size_of(buffer->header.structure)) {
        *why = "the patch is one of inflated bytes, and the header of a buffer is never compressed";
        return false;
    }
    if (!change(&buffer->inflated, patch))
        return beyond(patch, "inflated buffer", buffer->inflated.size, why);
    mirror(model, buffer, patch);
    etl_layout_compress(buffer);
    etl_layout_place_buffers(model);
    etl_chunk_free(image);
    *image = etl_image_make(model);
    return true;
}

bool etl_image_patch(etl_chunk *image, etl_model *model, const etl_patch *patch, const char **why)
{
    if (patch->inflated != NULL)
        return patch_inflated(image, model, patch, why);
    if (!change(image, patch))
        return beyond(patch, "file", image->size, why);
    mirror(model, NULL, patch);
    mirror_headers(model);
    return true;
}
