/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expected regions: what each byte of a built file belongs to.
 */
#ifndef ETLPROOF_EXPECTED_REGIONS_H
#define ETLPROOF_EXPECTED_REGIONS_H

#include "expect/outcome_plan.h"

typedef struct build_region {
    const build_model_buffer *inflated; /* it is in the inflated bytes of this buffer; NULL: in the file */
    uint64_t offset, size;
    etl_region_kind kind;
    const char *of; /* name of its buffer, event or item; NULL if it has none */
} build_region;

/* Regions of the file in order; those of inflated bytes follow the region of their compressed buffer. */
typedef struct build_regions {
    build_region *at;
    size_t count, capacity;
} build_regions;

/* False with `*why` set if the regions would overlap or leave bytes out. The caller frees the regions in either case. */
bool build_regions_make(build_regions *regions, const build_outcome_plan *plan, const char **why);
void build_regions_free(build_regions *regions);

/* How many bytes the regions of a kind have in the file. */
uint64_t build_regions_count_bytes(const build_regions *regions, etl_region_kind kind);
/*
 * How many bytes of a buffer in the file its compressed regions have. `*next`, 0 at first, is the region to go on from: the
 * caller takes the buffers in file order, so that each region is looked at once.
 */
uint64_t build_regions_count_compressed(const build_regions *regions, const build_model_buffer *buffer, size_t *next);

/* Appends the elements of a JSON array. */
void build_regions_put_json(const build_regions *regions, build_chunk *out);

#endif
