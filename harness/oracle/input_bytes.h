/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input bytes as the oracles read them: a second implementation beside the decoder's span.h. Callers make sure that
 * the bytes exist.
 */
#ifndef ETLPROOF_ORACLE_INPUT_BYTES_H
#define ETLPROOF_ORACLE_INPUT_BYTES_H

#include <string.h>

#include "etlproof/guid.h"
#include "etlproof/reader.h"

static inline uint64_t oracle_raw(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    while (size > 0)
        value = value << 8 | at[--size];
    return value;
}

static inline uint16_t oracle_raw_u16(const uint8_t *at)
{
    return (uint16_t)oracle_raw(at, 2);
}

static inline uint32_t oracle_raw_u32(const uint8_t *at)
{
    return (uint32_t)oracle_raw(at, 4);
}

static inline uint64_t oracle_raw_u64(const uint8_t *at)
{
    return oracle_raw(at, 8);
}

static inline int64_t oracle_raw_i64(const uint8_t *at)
{
    uint64_t value = oracle_raw(at, 8);
    return value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
}

/* A number of `size` bytes; 0 if one of its bytes is missing. */
static inline uint64_t oracle_raw_get(etl_span s, size_t at, unsigned size)
{
    return at <= s.size && size <= s.size - at ? oracle_raw(s.at + at, size) : 0;
}

static inline etl_guid oracle_raw_guid(const uint8_t *at)
{
    etl_guid guid = {oracle_raw_u32(at), oracle_raw_u16(at + 4), oracle_raw_u16(at + 6), {0}};
    memcpy(guid.data4, at + 8, sizeof guid.data4);
    return guid;
}

/* The part of the `size` bytes at `offset` of the file that lies in the reader's window. */
static inline etl_span oracle_raw_window(const etl_reader *reader, uint64_t offset, uint64_t size)
{
    const uint64_t start = reader->window_offset, end = start + reader->window.size;
    const uint64_t from = offset > start ? offset : start;
    const uint64_t to = offset + size < end ? offset + size : end;
    if (from >= to)
        return (etl_span){NULL, 0};
    return (etl_span){reader->window.at + (from - start), (size_t)(to - from)};
}

#endif
