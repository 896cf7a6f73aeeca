/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a laid-out trace, and the one change that makes a damaged file of it.
 */
#ifndef ETLPROOF_IMAGE_H
#define ETLPROOF_IMAGE_H

#include "model.h"

typedef enum etl_patch_kind {
    ETL_PATCH_NONE,
    ETL_PATCH_BYTES,  /* `bytes` are written over what is at `offset` */
    ETL_PATCH_CUT,    /* the file ends at `offset` */
    ETL_PATCH_INSERT, /* `bytes` appear at `offset` */
    ETL_PATCH_REMOVE, /* `size` bytes at `offset` vanish */
    ETL_PATCH_MOVE    /* the `size` bytes at `offset` start `by` later; what they leave is zeros */
} etl_patch_kind;

/* Where the recipe says something. */
typedef struct etl_spot {
    uint32_t line, column; /* from 1; 0: nowhere */
} etl_spot;

typedef struct etl_patch {
    etl_patch_kind kind;
    etl_spot spot;                    /* of the place, of the last one where there are two */
    const etl_model_buffer *inflated; /* of the laid-out model: `offset` counts in its inflated bytes; NULL: in the file */
    uint64_t offset;
    uint64_t size;
    int64_t by;
    etl_chunk bytes;
} etl_patch;

/* The file as it is laid out. The caller frees the chunk. */
etl_chunk etl_image_make(const etl_model *model);

/*
 * Changes the image and, where the bytes changed are those of a structure, the model too, so that the model keeps saying
 * what is written (ETL_PATCH_BYTES only; sizes and places stay as they were laid out). After a change in an inflated buffer
 * it is compressed anew, and what follows it in the file moves. False with `*why` set if the patch reaches beyond the file;
 * the text holds until the next call in the same thread. `patch->inflated` may be a buffer of another copy of the model; it
 * is told by its name.
 */
bool etl_image_patch(etl_chunk *image, etl_model *model, const etl_patch *patch, const char **why);

#endif
