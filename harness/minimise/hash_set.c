/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers which byte strings were seen before. minimise_candidates.c uses it so that no candidate is tried twice.
 */
#include "hash_set.h"

#include <stdlib.h>

#include "checked_alloc.h"

/* Slots at the start; they double when half of them are taken. */
enum { SLOTS = 1024 };

struct minimise_hash_set {
    uint64_t *slots; /* hashes; 0 is empty */
    size_t count, capacity;
};

/* FNV-1a over words of 8 bytes and the remaining bytes, then mixed; never 0. */
static uint64_t hash_of(const uint8_t *at, size_t size)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ size;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word = 0;
        for (unsigned i = 0; i < 8; i++)
            word |= (uint64_t)at[i] << 8 * i;
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    for (; size != 0; at++, size--)
        hash = (hash ^ *at) * prime;
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 32;
    return hash != 0 ? hash : 1;
}

/* False if the hash is in the table. */
static bool put(uint64_t *slots, size_t capacity, uint64_t hash)
{
    size_t at = (size_t)hash & (capacity - 1);
    while (slots[at] != 0 && slots[at] != hash)
        at = (at + 1) & (capacity - 1);
    if (slots[at] == hash)
        return false;
    slots[at] = hash;
    return true;
}

minimise_hash_set *minimise_hash_set_new(void)
{
    minimise_hash_set *seen = mutator_realloc(NULL, sizeof *seen);
    *seen = (minimise_hash_set){.slots = mutator_calloc(SLOTS, sizeof *seen->slots), .capacity = SLOTS};
    return seen;
}

void minimise_hash_set_free(minimise_hash_set *seen)
{
    if (seen == NULL)
        return;
    free(seen->slots);
    free(seen);
}

static void grow(minimise_hash_set *seen)
{
    uint64_t *slots = mutator_calloc(2 * seen->capacity, sizeof *slots);
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->slots[i] != 0)
            put(slots, 2 * seen->capacity, seen->slots[i]);
    free(seen->slots);
    seen->slots = slots;
    seen->capacity *= 2;
}

bool minimise_hash_set_add(minimise_hash_set *seen, const uint8_t *at, size_t size)
{
    if (seen->count >= seen->capacity / 2)
        grow(seen);
    const bool is_new = put(seen->slots, seen->capacity, hash_of(at, size));
    seen->count += is_new;
    return is_new;
}
