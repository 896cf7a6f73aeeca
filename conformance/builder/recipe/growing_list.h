/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that grow by one. None keeps how much room it has: it is always the power of two that its count asks for.
 */
#ifndef ETLPROOF_LIST_H
#define ETLPROOF_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Whether a list of `count` elements has no room for another. */
static inline bool build_growing_list_is_full(size_t count)
{
    return (count & (count - 1)) == 0 || count == 0;
}

/* Elements that a full list has to have room for next. */
static inline size_t build_growing_list_capacity(size_t count)
{
    return count == 0 ? 1 : 2 * count;
}

/* A list on the heap, with room for one more of `size` bytes. A builder out of memory has nothing to write: it ends. */
static inline void *build_growing_list_grow(void *list, size_t count, size_t size)
{
    if (build_growing_list_is_full(count))
        list = realloc(list, build_growing_list_capacity(count) * size);
    if (list == NULL)
        abort();
    return list;
}

#endif
