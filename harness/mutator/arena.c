/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a draft, all freed at once; called by draft.c and draft_read.c.
 */
#include "arena.h"

#include <stdlib.h>

#include "checked_alloc.h"

enum { BLOCK_SIZE = 64 * 1024 };

typedef struct block {
    struct block *next;
    size_t size, used;
    max_align_t bytes[];
} block;

struct mutator_arena {
    block *first, *current;
};

static block *new_block(size_t size)
{
    block *b = mutator_realloc(NULL, sizeof *b + size);
    *b = (block){NULL, size, 0};
    return b;
}

mutator_arena *mutator_arena_new(void)
{
    mutator_arena *m = mutator_realloc(NULL, sizeof *m);
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

void mutator_arena_free(mutator_arena *arena)
{
    if (arena == NULL)
        return;
    free_from(arena->first);
    free(arena);
}

/* Blocks of an earlier draft that are too small for `size` are freed, so that memory does not grow from draft to draft. */
static void next_block(mutator_arena *m, size_t size)
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

void *mutator_arena_take(mutator_arena *arena, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    const size_t rounded = (size + unit - 1) / unit * unit;
    if (rounded > arena->current->size - arena->current->used)
        next_block(arena, rounded);
    char *at = (char *)arena->current->bytes + arena->current->used;
    arena->current->used += rounded;
    return at;
}

void mutator_arena_reset(mutator_arena *arena)
{
    arena->current = arena->first;
    arena->current->used = 0;
}
