/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4), which identifies vectors, and the files in the manifest of a recovery.
 */
#ifndef ETLPROOF_IO_SHA256_H
#define ETLPROOF_IO_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TOOL_SHA256_TEXT 65 /* hex digits and the NUL */

typedef struct tool_sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes hashed so far */
    uint8_t block[64];
} tool_sha256;

void tool_sha256_begin(tool_sha256 *hash);
void tool_sha256_take(tool_sha256 *hash, const uint8_t *bytes, size_t size);
void tool_sha256_end(tool_sha256 *hash, char text[TOOL_SHA256_TEXT]);

#endif
