/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each byte of a vector's file is for.
 */
#ifndef ETLPROOF_REGIONS_H
#define ETLPROOF_REGIONS_H

#include "expect/outcome_plan.h"

typedef struct build_region {
    const build_model_buffer *inflated; /* of the fates' model; NULL: the file */
    uint64_t offset, size;
    etl_region_kind kind;
    const char *of; /* the buffer, event or item of the recipe; NULL: none */
} build_region;

/* Those of the file in order, each compressed buffer's inflated ones right after its own. */
typedef struct build_regions {
    build_region *at;
    size_t count, room;
} build_regions;

/* False with `*why` set if they would overlap or leave bytes out. The caller frees the tiles all the same. */
bool build_regions_make(build_regions *tiles, const build_outcome_plan *fates, const char **why);
void build_regions_free(build_regions *tiles);

/* Bytes of the file of that kind, within `size` bytes from `offset` on. */
uint64_t build_regions_count_bytes(const build_regions *tiles, etl_region_kind kind, uint64_t offset, uint64_t size);

void build_regions_put_json(const build_regions *tiles, build_chunk *out);

#endif
