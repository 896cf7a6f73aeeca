/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two decodes of the same bytes, one of them with larger limits, or with stricter eyes.
 */
#ifndef ETLPROOF_LIMITS_H
#define ETLPROOF_LIMITS_H

#include "promise.h"

/* What a decode gave of one buffer. */
typedef struct oracle_yield {
    uint64_t offset, size; /* of the buffer in the file */
    uint64_t events, bytes; /* of its events, without padding */
} oracle_yield;

/*
 * Holds what a decode with larger limits gave of a buffer against what the other gave. Buffers that are not the same bytes
 * of the file are no more compared: after damage, what is inflated may show another place to go on.
 */
bool oracle_limits(oracle_watch *oracle, const oracle_yield *less, const oracle_yield *more);

/* The verdicts, as the end record names them, of one decode: by itself, and where warnings count as damage. */
bool oracle_strict(oracle_watch *oracle, const char *lenient, const char *strict);

#endif
