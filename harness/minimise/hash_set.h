/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of byte strings, by a hash of 64 bits: a collision is too unlikely to matter.
 */
#ifndef ETLPROOF_MINIMISE_HASH_SET_H
#define ETLPROOF_MINIMISE_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct minimise_hash_set minimise_hash_set;

/* Never NULL: without memory, the process ends. */
minimise_hash_set *minimise_hash_set_new(void);
void minimise_hash_set_free(minimise_hash_set *seen);
/* False if the bytes were added before. */
bool minimise_hash_set_add(minimise_hash_set *seen, const uint8_t *at, size_t size);

#endif
