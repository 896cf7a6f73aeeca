/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the bytes of the file of a laid-out model, and applies the patch to both. Called once for each vector.
 */
#include "image/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/segments.h"

/* The segments of the whole file, or of one inflated buffer. They point into the model, which only a patch changes. */
static build_segments segments_of(build_model *model, build_model_buffer *inflated)
{
    build_segments segments = {0};
    if (inflated != NULL)
        build_segments_add_buffer(&segments, inflated, true);
    for (size_t i = 0; inflated == NULL && i < model->buffer_count; i++)
        build_segments_add_buffer(&segments, &model->buffers[i], false);
    return segments;
}

build_chunk build_image_make(const build_model *model)
{
    build_chunk image = {0};
    build_segments segments = segments_of((build_model *)model, NULL);
    build_segments_write(&segments, &image);
    build_segments_free(&segments);
    return image;
}

/* The kinds of patch. Each returns false if it reaches beyond the bytes. */

static bool fits(const build_chunk *chunk, uint64_t offset, uint64_t size)
{
    return offset <= chunk->size && size <= chunk->size - offset;
}

static bool overwrite(build_chunk *chunk, const build_patch *patch)
{
    if (!fits(chunk, patch->offset, patch->bytes.size))
        return false;
    if (patch->bytes.size != 0)
        memcpy(chunk->at + patch->offset, patch->bytes.at, patch->bytes.size);
    return true;
}

static bool cut(build_chunk *chunk, const build_patch *patch)
{
    if (!fits(chunk, patch->offset, 0))
        return false;
    chunk->size = (size_t)patch->offset;
    return true;
}

/* Replaces `size` bytes at `offset` by `bytes`. */
static bool replace(build_chunk *chunk, uint64_t offset, uint64_t size, const build_chunk *bytes)
{
    build_chunk after = {0};
    if (!fits(chunk, offset, size))
        return false;
    build_chunk_add(&after, chunk->at, (size_t)offset);
    build_chunk_add(&after, bytes->at, bytes->size);
    if (offset + size < chunk->size) /* an empty chunk has no address */
        build_chunk_add(&after, chunk->at + offset + size, chunk->size - (size_t)(offset + size));
    build_chunk_free(chunk);
    *chunk = after;
    return true;
}

static bool move(build_chunk *chunk, const build_patch *patch)
{
    const uint64_t to = patch->offset + (uint64_t)patch->by;
    build_chunk moved = {0};
    if (!fits(chunk, patch->offset, patch->size) || !fits(chunk, to, patch->size) || patch->size == 0)
        return false;
    build_chunk_add(&moved, chunk->at + patch->offset, (size_t)patch->size);
    memset(chunk->at + patch->offset, 0, (size_t)patch->size);
    memcpy(chunk->at + to, moved.at, moved.size);
    build_chunk_free(&moved);
    return true;
}

static bool change(build_chunk *chunk, const build_patch *patch)
{
    static const build_chunk nothing = {0};
    switch (patch->kind) {
    case BUILD_PATCH_BYTES: return overwrite(chunk, patch);
    case BUILD_PATCH_CUT: return cut(chunk, patch);
    case BUILD_PATCH_INSERT: return replace(chunk, patch->offset, 0, &patch->bytes);
    case BUILD_PATCH_REMOVE: return replace(chunk, patch->offset, patch->size, &nothing);
    case BUILD_PATCH_MOVE: return move(chunk, patch);
    default: return true;
    }
}

/* Writes the patched bytes into the model. */
static void mirror(build_model *model, build_model_buffer *inflated, const build_patch *patch)
{
    if (patch->kind != BUILD_PATCH_BYTES)
        return;
    build_segments segments = segments_of(model, inflated);
    build_segments_patch(&segments, patch->offset, patch->bytes.at, patch->bytes.size);
    build_segments_free(&segments);
}

/* The inflated bytes of a compressed buffer start with a copy of its header. */
static void mirror_headers(build_model *model)
{
    for (size_t i = 0; i < model->buffer_count; i++) {
        build_model_buffer *buffer = &model->buffers[i];
        if (build_model_buffer_is_compressed(buffer))
            memcpy(buffer->inflated.at, buffer->header.bytes, etl_structure_size_of(buffer->header.id));
    }
}

/* Sets `*why`: the patch reaches beyond its space. Returns false. */
static bool beyond(const build_patch *patch, const char *what, size_t size, const char **why)
{
    static _Thread_local char text[128];
    (void)snprintf(text, sizeof text, "expected a patch that stays within the %s of %zu bytes, found one at %" PRIu64, what,
                   size, patch->offset);
    *why = text;
    return false;
}

static bool patch_inflated(build_chunk *image, build_model *model, const build_patch *patch, const char **why)
{
    const size_t index = build_model_buffer_index(model, patch->inflated);
    build_model_buffer *buffer = &model->buffers[index];
    if (index == model->buffer_count || !build_model_buffer_is_compressed(buffer)) {
        *why = "the patch changes inflated bytes of a buffer that is not compressed";
        return false;
    }
    if (buffer->compression == BUILD_MODEL_GIVEN) {
        *why = "the patch changes inflated bytes of a buffer whose stream the recipe gives";
        return false;
    }
    if (patch->offset < etl_structure_size_of(buffer->header.id)) {
        *why = "the patch changes the header of a compressed buffer in its inflated bytes; headers are never compressed";
        return false;
    }
    if (!change(&buffer->inflated, patch))
        return beyond(patch, "inflated buffer", buffer->inflated.size, why);
    mirror(model, buffer, patch);
    build_file_layout_compress(buffer);
    build_file_layout_place_buffers(model);
    build_chunk_free(image);
    *image = build_image_make(model);
    return true;
}

bool build_image_patch(build_chunk *image, build_model *model, const build_patch *patch, const char **why)
{
    if (patch->inflated != NULL)
        return patch_inflated(image, model, patch, why);
    if (!change(image, patch))
        return beyond(patch, "file", image->size, why);
    mirror(model, NULL, patch);
    mirror_headers(model);
    return true;
}
