/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of bytes: pointer and length, passed by value.
 */
#ifndef ETLPROOF_BYTES_H
#define ETLPROOF_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes to read. `at` may be NULL only if `size` is 0. The caller owns the bytes; they are never written. */
typedef struct etl_span {
    const uint8_t *at;
    size_t size;
} etl_span;

/* Memory to write to, lent by the caller. */
typedef struct etl_scratch {
    uint8_t *at;
    size_t size;
} etl_scratch;

#endif
