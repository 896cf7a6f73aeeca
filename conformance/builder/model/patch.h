/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_patch: a fault of a damaged vector, as a change of the laid-out file.
 */
#ifndef ETLPROOF_PATCH_H
#define ETLPROOF_PATCH_H

#include "model/model.h"

/* A place in the recipe's text, for error messages. */
typedef struct build_position {
    uint32_t line, column; /* from 1; 0 where there is none */
} build_position;

typedef enum build_patch_kind {
    BUILD_PATCH_NONE,
    BUILD_PATCH_BYTES,  /* `bytes` overwrite those at `offset` */
    BUILD_PATCH_CUT,    /* the file ends at `offset` */
    BUILD_PATCH_INSERT, /* `bytes` are inserted at `offset` */
    BUILD_PATCH_REMOVE, /* `size` bytes at `offset` are removed */
    BUILD_PATCH_MOVE    /* `size` bytes at `offset` move by `by`, and leave zeros */
} build_patch_kind;

typedef struct build_patch {
    build_patch_kind kind;
    build_position position;            /* of the place in the recipe, of the last one where there are two */
    const build_model_buffer *inflated; /* `offset` counts in this buffer's inflated bytes; NULL: in the file */
    uint64_t offset;
    uint64_t size;
    int64_t by;
    build_chunk bytes;
} build_patch;

#endif
