/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regions of a file to the sum of bytes by kind, and whether they tile the file. Callers of the library add them.
 */
#include "etlproof/region.h"

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
