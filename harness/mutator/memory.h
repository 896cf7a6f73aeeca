/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is taken piece by piece and given back all at once; kept for the next draft.
 */
#ifndef ETLPROOF_MEMORY_H
#define ETLPROOF_MEMORY_H

#include <stddef.h>

typedef struct etl_memory etl_memory;

/* Without memory, the process ends: a mutator has no other answer. */
etl_memory *etl_memory_new(void);
void etl_memory_free(etl_memory *memory);
/* Aligned for any type, and not initialised; `size` may be 0. Never NULL. */
void *etl_memory_take(etl_memory *memory, size_t size);
/* All that was taken is void. */
void etl_memory_reset(etl_memory *memory);

#endif
