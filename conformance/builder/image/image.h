/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a laid-out trace, and the one change that makes a damaged file of it.
 */
#ifndef ETLPROOF_IMAGE_H
#define ETLPROOF_IMAGE_H

#include "model/model.h"

typedef enum build_patch_kind {
    BUILD_PATCH_NONE,
    BUILD_PATCH_BYTES,  /* `bytes` are written over what is at `offset` */
    BUILD_PATCH_CUT,    /* the file ends at `offset` */
    BUILD_PATCH_INSERT, /* `bytes` appear at `offset` */
    BUILD_PATCH_REMOVE, /* `size` bytes at `offset` vanish */
    BUILD_PATCH_MOVE    /* the `size` bytes at `offset` start `by` later; what they leave is zeros */
} build_patch_kind;

/* Where the recipe says something. */
typedef struct build_position {
    uint32_t line, column; /* from 1; 0: nowhere */
} build_position;

typedef struct build_patch {
    build_patch_kind kind;
    build_position spot; /* of the place, of the last one where there are two */
    const build_model_buffer
        *inflated; /* of the laid-out model: `offset` counts in its inflated bytes; NULL: in the file */
    uint64_t offset;
    uint64_t size;
    int64_t by;
    build_chunk bytes;
} build_patch;

/* The file as it is laid out. The caller frees the chunk. */
build_chunk build_image_make(const build_model *model);

/*
 * Changes the image and, where the bytes changed are those of a structure, the model too, so that the model keeps saying
 * what is written (BUILD_PATCH_BYTES only; sizes and places stay as they were laid out). After a change in an inflated
 * buffer it is compressed anew, and what follows it in the file moves. False with `*why` set if the patch reaches beyond
 * the file; the text holds until the next call in the same thread. `patch->inflated` may be a buffer of another copy of the
 * model; it is told by its name.
 */
bool build_image_patch(build_chunk *image, build_model *model, const build_patch *patch, const char **why);

#endif
