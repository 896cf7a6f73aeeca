/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256, FIPS 180-4, to name files by what they hold.
 */
#ifndef ETLPROOF_SHA256_H
#define ETLPROOF_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define ETL_SHA256_TEXT 65 /* hex digits and the NUL */

typedef struct etl_sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes taken */
    uint8_t block[64];
} etl_sha256;

void etl_sha256_begin(etl_sha256 *hash);
void etl_sha256_take(etl_sha256 *hash, const uint8_t *bytes, size_t size);
void etl_sha256_end(etl_sha256 *hash, char text[ETL_SHA256_TEXT]);

#endif
