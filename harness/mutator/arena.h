/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: memory that is taken piece by piece and given back all at once; kept for the next draft.
 */
#ifndef ETLPROOF_MUTATOR_ARENA_H
#define ETLPROOF_MUTATOR_ARENA_H

#include <stddef.h>

typedef struct mutator_arena mutator_arena;

/* Without memory, the process ends: a mutator has no other answer. */
mutator_arena *mutator_arena_new(void);
void mutator_arena_free(mutator_arena *arena);
/* Aligned for any type, and not initialised; `size` may be 0. Never NULL. */
void *mutator_arena_take(mutator_arena *arena, size_t size);
/* All that was taken is void. */
void mutator_arena_reset(mutator_arena *arena);

#endif
