/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of names with open addressing. Called by trace_block.c.
 */
#include "recipe/name_set.h"

#include <string.h>

enum { SLOTS = 16 }; /* at first */

/* FNV-1a. */
static size_t hash_of(const char *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * UINT32_C(0x01000193);
    return hash;
}

/* The slot of the name, or the free one where it belongs. */
static const char **find_slot(const build_name_set *set, const char *name)
{
    size_t at = hash_of(name) & (set->capacity - 1);
    while (set->slots[at] != NULL && strcmp(set->slots[at], name) != 0)
        at = (at + 1) & (set->capacity - 1);
    return &set->slots[at];
}

static void grow(build_parser *p, build_name_set *set)
{
    build_name_set grown = {.capacity = set->capacity == 0 ? SLOTS : 2 * set->capacity, .count = set->count};
    grown.slots = build_parser_allocate(p, grown.capacity * sizeof *grown.slots);
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i] != NULL)
            *find_slot(&grown, set->slots[i]) = set->slots[i];
    *set = grown;
}

bool build_name_set_add(build_parser *p, build_name_set *set, const char *name)
{
    if (2 * set->count >= set->capacity)
        grow(p, set);
    const char **slot = find_slot(set, name);
    if (*slot != NULL)
        return false;
    *slot = name;
    set->count++;
    return true;
}
