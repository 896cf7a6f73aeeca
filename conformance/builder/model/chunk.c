/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A builder that is out of memory has nothing to write, and its callers nothing to do about it. */
static void make_room(build_chunk *chunk, size_t size)
{
    if (size <= chunk->room - chunk->size)
        return;
    size_t room = chunk->room < 64 ? 64 : chunk->room;
    while (room - chunk->size < size)
        room *= 2;
    uint8_t *at = realloc(chunk->at, room);
    if (at == NULL)
        abort();
    chunk->at = at;
    chunk->room = room;
}

void build_chunk_add(build_chunk *chunk, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    make_room(chunk, size);
    memcpy(chunk->at + chunk->size, bytes, size);
    chunk->size += size;
}

void build_chunk_fill(build_chunk *chunk, uint8_t byte, size_t size)
{
    if (size == 0)
        return;
    make_room(chunk, size);
    memset(chunk->at + chunk->size, byte, size);
    chunk->size += size;
}

void build_chunk_number(build_chunk *chunk, uint64_t value, size_t size)
{
    make_room(chunk, size);
    for (size_t i = 0; i < size; i++)
        chunk->at[chunk->size++] = (uint8_t)(value >> 8 * i);
}

void build_chunk_free(build_chunk *chunk)
{
    free(chunk->at);
    *chunk = (build_chunk){0};
}
