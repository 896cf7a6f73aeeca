/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_chunk: bytes that grow. Files, JSON and the values of recipes are appended to chunks.
 */
#ifndef ETLPROOF_CHUNK_H
#define ETLPROOF_CHUNK_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty chunk. */
typedef struct build_chunk {
    uint8_t *at;
    size_t size, capacity;
} build_chunk;

/* Each appends. Running out of memory ends the process: a builder without memory has nothing to write. */
void build_chunk_add(build_chunk *chunk, const void *bytes, size_t size);
void build_chunk_fill(build_chunk *chunk, uint8_t byte, size_t size);
/* Appends the low `size` bytes of `value`, little-endian. */
void build_chunk_number(build_chunk *chunk, uint64_t value, size_t size);
/* Leaves the chunk empty. */
void build_chunk_free(build_chunk *chunk);

#endif
