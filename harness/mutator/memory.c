/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_SIZE = 64 * 1024 };

typedef struct block {
    struct block *next;
    size_t size, used;
    max_align_t bytes[];
} block;

struct etl_memory {
    block *first, *current;
};

static void *get(size_t size)
{
    void *at = malloc(size);
    if (at == NULL) {
        fputs("mutator: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return at;
}

static block *new_block(size_t size)
{
    block *b = get(sizeof *b + size);
    *b = (block){NULL, size, 0};
    return b;
}

etl_memory *etl_memory_new(void)
{
    etl_memory *m = get(sizeof *m);
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

void etl_memory_free(etl_memory *memory)
{
    if (memory == NULL)
        return;
    free_from(memory->first);
    free(memory);
}

/* Blocks of an earlier draft that are too small for `size` are given up, so that what is kept does not grow. */
static void next_block(etl_memory *m, size_t size)
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

void *etl_memory_take(etl_memory *memory, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    const size_t rounded = (size + unit - 1) / unit * unit;
    if (rounded > memory->current->size - memory->current->used)
        next_block(memory, rounded);
    char *at = (char *)memory->current->bytes + memory->current->used;
    memory->current->used += rounded;
    return at;
}

void etl_memory_reset(etl_memory *memory)
{
    memory->current = memory->first;
    memory->current->used = 0;
}
