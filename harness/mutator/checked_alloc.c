/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation that ends the process without memory; called by the mutator and by minimise/.
 */
#include "checked_alloc.h"

#include <stdio.h>
#include <stdlib.h>

enum { INTERNAL = 70 }; /* exit status of an internal error */

static void *check(void *memory)
{
    if (memory != NULL)
        return memory;
    (void)fputs("etlproof: the mutator is out of memory\n", stderr);
    exit(INTERNAL);
}

void *mutator_realloc(void *memory, size_t size)
{
    return check(realloc(memory, size != 0 ? size : 1));
}

void *mutator_calloc(size_t count, size_t size)
{
    return check(calloc(count, size));
}
