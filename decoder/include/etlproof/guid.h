/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GUID. In files its first three fields are little-endian.
 */
#ifndef ETLPROOF_GUID_H
#define ETLPROOF_GUID_H

#include <stdint.h>

typedef struct etl_guid {
    uint32_t data1;
    uint16_t data2, data3;
    uint8_t data4[8];
} etl_guid;

#endif
