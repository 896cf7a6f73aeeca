/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing byte arrays, for every part of the builder and for the mutator, which compiles this file alone.
 */
#include "model/chunk.h"

#include <stdlib.h>
#include <string.h>

static void reserve(build_chunk *chunk, size_t size)
{
    if (size <= chunk->capacity - chunk->size)
        return;
    size_t capacity = chunk->capacity < 64 ? 64 : chunk->capacity;
    while (capacity - chunk->size < size)
        capacity *= 2;
    uint8_t *at = realloc(chunk->at, capacity);
    if (at == NULL)
        abort();
    chunk->at = at;
    chunk->capacity = capacity;
}

void build_chunk_add(build_chunk *chunk, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    reserve(chunk, size);
    memcpy(chunk->at + chunk->size, bytes, size);
    chunk->size += size;
}

void build_chunk_fill(build_chunk *chunk, uint8_t byte, size_t size)
{
    if (size == 0)
        return;
    reserve(chunk, size);
    memset(chunk->at + chunk->size, byte, size);
    chunk->size += size;
}

void build_chunk_number(build_chunk *chunk, uint64_t value, size_t size)
{
    reserve(chunk, size);
    for (size_t i = 0; i < size; i++)
        chunk->at[chunk->size++] = (uint8_t)(value >> 8 * i);
}

void build_chunk_free(build_chunk *chunk)
{
    free(chunk->at);
    *chunk = (build_chunk){0};
}
