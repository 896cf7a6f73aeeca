/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only way to write into a room. Every store states its offset and is checked: one that does not fit writes nothing.
 */
#ifndef ETLPROOF_ROOM_H
#define ETLPROOF_ROOM_H

#include "span.h"

/* What has been written, to be read. */
static inline etl_span etl_room_span(etl_room r)
{
    etl_span s = {r.at, r.size};
    return s;
}

static inline void etl_store_u8(etl_room r, size_t offset, uint8_t value)
{
    if (offset < r.size)
        r.at[offset] = value;
}

static inline void etl_store_u64(etl_room r, size_t offset, uint64_t value)
{
    if (!etl_span_has(etl_room_span(r), offset, 8))
        return;
    uint8_t *p = r.at + offset;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
}

#endif
