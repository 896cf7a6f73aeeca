/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that free() gives back. Never NULL: without memory the process ends with 70, as a mutator has no other answer.
 */
#ifndef ETLPROOF_MUTATOR_CHECKED_ALLOC_H
#define ETLPROOF_MUTATOR_CHECKED_ALLOC_H

#include <stddef.h>

/* `memory`, or new memory where that is NULL, made `size` bytes long. 0 will do; what is new is not initialised. */
void *mutator_realloc(void *memory, size_t size);

/* New memory for `count` elements of `size` bytes, all zeros. */
void *mutator_calloc(size_t count, size_t size);

#endif
