/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <stdlib.h>

#include "heap.h"

enum { BLOCK_SIZE = 64 * 1024 };

typedef struct block {
    struct block *next;
    size_t size, used;
    max_align_t bytes[];
} block;

struct etl_arena {
    block *first, *current;
};

static block *new_block(size_t size)
{
    block *b = etl_heap_get(NULL, sizeof *b + size);
    *b = (block){NULL, size, 0};
    return b;
}

etl_arena *etl_arena_new(void)
{
    etl_arena *m = etl_heap_get(NULL, sizeof *m);
    m->first = m->current = new_block(BLOCK_SIZE);
    return m;
}

static void free_from(block *b)
{
    while (b != NULL) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

void etl_arena_free(etl_arena *arena)
{
    if (arena == NULL)
        return;
    free_from(arena->first);
    free(arena);
}

/* Blocks of an earlier draft that are too small for `size` are given up, so that what is kept does not grow. */
static void next_block(etl_arena *m, size_t size)
{
    while (m->current->next != NULL && m->current->next->size < size) {
        block *small = m->current->next;
        m->current->next = small->next;
        free(small);
    }
    if (m->current->next == NULL)
        m->current->next = new_block(size > BLOCK_SIZE ? size : BLOCK_SIZE);
    m->current = m->current->next;
    m->current->used = 0;
}

void *etl_arena_take(etl_arena *arena, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    const size_t rounded = (size + unit - 1) / unit * unit;
    if (rounded > arena->current->size - arena->current->used)
        next_block(arena, rounded);
    char *at = (char *)arena->current->bytes + arena->current->used;
    arena->current->used += rounded;
    return at;
}

void etl_arena_reset(etl_arena *arena)
{
    arena->current = arena->first;
    arena->current->used = 0;
}
