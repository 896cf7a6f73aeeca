/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: memory that is taken piece by piece and given back all at once; kept for the next draft.
 */
#ifndef ETLPROOF_ARENA_H
#define ETLPROOF_ARENA_H

#include <stddef.h>

typedef struct etl_arena etl_arena;

/* Without memory, the process ends: a mutator has no other answer. */
etl_arena *etl_arena_new(void);
void etl_arena_free(etl_arena *arena);
/* Aligned for any type, and not initialised; `size` may be 0. Never NULL. */
void *etl_arena_take(etl_arena *arena, size_t size);
/* All that was taken is void. */
void etl_arena_reset(etl_arena *arena);

#endif
