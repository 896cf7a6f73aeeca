/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte strings that were seen before, by a hash of 64 bits: two that differ are taken for one once in many lifetimes.
 */
#ifndef ETLPROOF_SEEN_H
#define ETLPROOF_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mutator_seen mutator_seen;

/* Never NULL: without memory, the process ends. */
mutator_seen *mutator_seen_new(void);
void mutator_seen_free(mutator_seen *seen);
/* False if the bytes were added before. */
bool mutator_seen_add(mutator_seen *seen, const uint8_t *at, size_t size);

#endif
