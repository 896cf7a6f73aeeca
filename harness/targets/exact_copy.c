/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies input bytes to allocations of exactly their size, so that a sanitizer sees every read past them. Called by all
 * targets.
 */
#include "exact_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *target_get_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fputs("the target is out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

etl_span target_copy_between(etl_span bytes, size_t before, size_t after)
{
    size_t size = before + bytes.size + after;
    if (size == 0)
        return (etl_span){NULL, 0};
    uint8_t *copy = target_get_memory(size);
    memset(copy, TARGET_JUNK, size);
    if (bytes.size)
        memcpy(copy + before, bytes.at, bytes.size);
    return (etl_span){copy, size};
}

etl_span target_copy(etl_span bytes)
{
    return target_copy_between(bytes, 0, 0);
}

void target_copy_free(etl_span copy)
{
    free((void *)(uintptr_t)copy.at);
}
