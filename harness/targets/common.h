/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share: memory, the parts of a file that inputs are, and the end of a run that broke a promise.
 */
#ifndef ETLPROOF_COMMON_H
#define ETLPROOF_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "input.h"
#include "oracle.h"

/* What memory holds that nobody wrote: what is read of it differs from a fresh page. */
#define TARGET_JUNK 0xA5

/* Memory of `size` bytes, one at least; never NULL: without memory, the process ends. For free(). */
void *target_get_memory(size_t size);

/*
 * The bytes in an allocation of their own of exactly their size, so that a read past them is seen. Empty, it is the NULL
 * that must not be read at all. For target_copy_free.
 */
etl_span target_copy(etl_span bytes);
/* The same with `before` and `after` bytes of TARGET_JUNK around them, which have no business in any result. */
etl_span target_copy_between(etl_span bytes, size_t before, size_t after);
void target_copy_free(etl_span copy);

/* An input that is a part of a file, taken apart as input.h says. (The builder has parts of its own: build_structure.) */
typedef struct target_input_part {
    etl_context context;
    etl_buffer_shape shape;
    uint32_t room;  /* bytes to inflate to */
    etl_span bytes; /* what follows the context, in an target_copy */
} target_input_part;

/* False if the input is too short to say its context: nothing is then taken. */
bool target_input_part_take(const uint8_t *data, size_t size, target_input_part *part);
void target_input_part_free(target_input_part *part);

/* Ends the process if a promise was broken, and says which. `how` says in which of several decodes; NULL: the only one. */
void target_hold(const oracle_state *oracle, const char *how);

#endif
