/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region: a run of bytes of one kind. The regions of a file tile it.
 */
#ifndef ETLPROOF_REGION_H
#define ETLPROOF_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/finding.h"
#include "etlproof/format.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

typedef struct etl_region {
    etl_region_kind kind;
    etl_space space;
    uint64_t offset;
    uint64_t size;
} etl_region;

/* Checks that the regions of a file, added in order, tile it. Starts as all zero. */
typedef struct etl_tiling {
    uint64_t next;                    /* where the next region of space FILE must start */
    bool broken;                      /* a region did not start there: a bug of the decoder */
    uint64_t bytes[ETL_REGION_COUNT]; /* of space FILE, by kind */
} etl_tiling;

/* Adds the next region. Regions of space INFLATED lie inside a region COMPRESSED and are not counted. */
void etl_tiling_add(etl_tiling *tiling, const etl_region *region);

ETL_C_END

#endif
