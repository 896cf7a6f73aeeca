/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of targets, and copies of bytes in which a read past the end is seen.
 */
#ifndef ETLPROOF_TARGETS_EXACT_COPY_H
#define ETLPROOF_TARGETS_EXACT_COPY_H

#include "etlproof/bytes.h"

/* The initial content of memory: it differs from the zeros of a fresh page, so that reads of unwritten bytes show. */
#define TARGET_JUNK 0xA5

/* Memory of `size` bytes, at least one; never NULL: without memory, the process ends. For free(). */
void *target_get_memory(size_t size);

/*
 * The bytes in an allocation of their own of exactly their size. Empty bytes are NULL, which must not be read at all. For
 * target_copy_free.
 */
etl_span target_copy(etl_span bytes);
/* The same with `before` and `after` bytes of TARGET_JUNK around them, which must not show in any result. */
etl_span target_copy_between(etl_span bytes, size_t before, size_t after);
void target_copy_free(etl_span copy);

#endif
