/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that grow by one element. The capacity is not stored: it is the smallest power of two that holds the count.
 */
#ifndef ETLPROOF_GROWING_LIST_H
#define ETLPROOF_GROWING_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Whether a list of `count` elements has no space for another. */
static inline bool build_growing_list_is_full(size_t count)
{
    return (count & (count - 1)) == 0 || count == 0;
}

/* The next capacity of a full list. */
static inline size_t build_growing_list_capacity(size_t count)
{
    return count == 0 ? 1 : 2 * count;
}

/* A list on the heap with space for one more element of `size` bytes. Running out of memory ends the process. */
static inline void *build_growing_list_grow(void *list, size_t count, size_t size)
{
    if (build_growing_list_is_full(count))
        list = realloc(list, build_growing_list_capacity(count) * size);
    if (list == NULL)
        abort();
    return list;
}

#endif
