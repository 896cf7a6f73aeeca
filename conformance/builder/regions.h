/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each byte of a vector's file is for.
 */
#ifndef ETLPROOF_REGIONS_H
#define ETLPROOF_REGIONS_H

#include "fate.h"

typedef struct etl_tile {
    const etl_model_buffer *inflated; /* of the fates' model; NULL: the file */
    uint64_t offset, size;
    etl_region_kind kind;
    const char *of;                   /* the buffer, event or item of the recipe; NULL: none */
} etl_tile;

/* Those of the file in order, each compressed buffer's inflated ones right after its own. */
typedef struct etl_tiles {
    etl_tile *at;
    size_t count, room;
} etl_tiles;

/* False with `*why` set if they would overlap or leave bytes out. The caller frees the tiles all the same. */
bool etl_tiles_make(etl_tiles *tiles, const etl_fates *fates, const char **why);
void etl_tiles_free(etl_tiles *tiles);

/* Bytes of the file of that kind, within `size` bytes from `offset` on. */
uint64_t etl_tiles_bytes(const etl_tiles *tiles, etl_region_kind kind, uint64_t offset, uint64_t size);

void etl_tiles_json(const etl_tiles *tiles, etl_chunk *out);

#endif
