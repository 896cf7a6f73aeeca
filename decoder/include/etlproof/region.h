/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: what each byte of the file is for. All regions of a file tile it.
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

/* Holds the regions of a file, handed over in order, against the promise that they tile it. All zero to begin with. */
typedef struct etl_tiling {
    uint64_t next;                    /* where the next region of space FILE has to start */
    bool broken;                      /* one did not: a bug of the decoder */
    uint64_t bytes[ETL_REGION_COUNT]; /* of space FILE, by kind */
} etl_tiling;

/* Takes the next region. Those of space INFLATED lie inside a region COMPRESSED and are not counted. */
void etl_tiling_add(etl_tiling *tiling, const etl_region *region);

ETL_C_END

#endif
