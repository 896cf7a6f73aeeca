/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for free(). Never NULL: without memory, the process ends with exit status 70.
 */
#ifndef ETLPROOF_MUTATOR_CHECKED_ALLOC_H
#define ETLPROOF_MUTATOR_CHECKED_ALLOC_H

#include <stddef.h>

/* realloc(): `size` may be 0; new bytes are not initialised. */
void *mutator_realloc(void *memory, size_t size);

/* calloc(). */
void *mutator_calloc(size_t count, size_t size);

#endif
