/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <inttypes.h>
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

bool target_input_part_take(const uint8_t *data, size_t size, target_input_part *part)
{
    if (size < INPUT_CONTEXT_SIZE)
        return false;
    const input_context said = input_context_read(data);
    *part = (target_input_part){
        .context = said.events,
        .shape = said.shape,
        .room = said.room,
        .bytes = target_copy((etl_span){data + INPUT_CONTEXT_SIZE, size - INPUT_CONTEXT_SIZE}),
    };
    return true;
}

void target_input_part_free(target_input_part *part)
{
    target_copy_free(part->bytes);
}

void target_hold(const oracle_state *oracle, const char *how)
{
    if (oracle->broken == ORACLE_PROMISE_COUNT)
        return;
    const char *part = oracle->part ? oracle->part : "";
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 " (%s%sbuffer %" PRIu64 ", event %" PRIu64 "): %s%s%s\n",
            oracle_promise_name(oracle->broken), oracle->broken_at, how ? how : "", how ? ", " : "", oracle->buffers,
            oracle->events, oracle_promise_text(oracle->broken), *part ? "; not so: " : "", part);
    abort();
}
