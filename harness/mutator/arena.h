/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: memory that is allocated in parts and freed all at once; its blocks are reused for the next draft.
 */
#ifndef ETLPROOF_MUTATOR_ARENA_H
#define ETLPROOF_MUTATOR_ARENA_H

#include <stddef.h>

typedef struct mutator_arena mutator_arena;

/* Never NULL: without memory, the process ends. */
mutator_arena *mutator_arena_new(void);
void mutator_arena_free(mutator_arena *arena);
/* Aligned for any type, and not initialised; `size` may be 0. Never NULL. */
void *mutator_arena_take(mutator_arena *arena, size_t size);
/* Frees everything that was allocated. */
void mutator_arena_reset(mutator_arena *arena);

#endif
