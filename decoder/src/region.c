/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums the bytes of a file by kind of region and checks that the regions tile the file. Users of the library add the
 * regions.
 */
#include "etlproof/region.h"

/*@ requires \valid(tiling) && \valid_read(region) && \separated(tiling, region);
  @ assigns *tiling; */
void etl_tiling_add(etl_tiling *tiling, const etl_region *region)
{
    if (region->space != ETL_SPACE_FILE)
        return;
    if (region->kind >= ETL_REGION_COUNT || region->offset != tiling->next || region->size > UINT64_MAX - region->offset) {
        tiling->broken = true;
        return;
    }
    tiling->bytes[region->kind] += region->size;
    tiling->next += region->size;
}
