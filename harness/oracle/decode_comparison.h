/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two decodes of the same bytes, one of them with larger limits or with --strict.
 */
#ifndef ETLPROOF_ORACLE_DECODE_COMPARISON_H
#define ETLPROOF_ORACLE_DECODE_COMPARISON_H

#include "promise.h"

/* The events of one buffer in one decode. */
typedef struct oracle_yield {
    uint64_t offset, size;  /* of the buffer in the file */
    uint64_t events, bytes; /* of its events, without padding */
} oracle_yield;

/*
 * Compares one buffer of a decode with larger limits to the same buffer of the other. Buffers at different places of the
 * file are not compared: after damage, more inflated bytes may lead the reader to resynchronise elsewhere.
 */
void oracle_limits(oracle_watch *oracle, const oracle_yield *less, const oracle_yield *more);

/* The verdicts, as the end record names them, of one decode: without --strict and with it. */
void oracle_strict(oracle_watch *oracle, const char *lenient, const char *strict);

#endif
