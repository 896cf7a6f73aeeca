/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracles of a whole decode: properties that hold for every input, conforming or not. A crash is only one failure
 * of a decoder; oracles find the others. An oracle_watch watches one decode from outside: it gets each outcome of
 * etl_reader_next and records the first broken promise. It checks everything that the decoder reports.
 */
#ifndef ETLPROOF_ORACLE_H
#define ETLPROOF_ORACLE_H

#include "promise.h"

/* `deep`: oracle_watch.deep. */
void oracle_init(oracle_watch *oracle, uint64_t size, etl_limits limits, bool deep);

/*
 * After oracle_init: the input starts at `base` of a file whose first bytes are not read. Two decodes of the same input at
 * different offsets have the same hash.
 */
void oracle_shift(oracle_watch *oracle, uint64_t base);

/* Checks one outcome of the reader with its findings. False as soon as a promise is broken. */
bool oracle_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader);

/*
 * Checks that the findings of the outcome are those that its bytes call for; after oracle_step. False as soon as a promise
 * is broken.
 */
bool oracle_due_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader);

/* After ETL_END: checks the promises about the whole file. */
bool oracle_end(oracle_watch *oracle);

/*
 * Compares the decode `streamed` with the decode of the same bytes in one window, at the same step. A difference breaks
 * STREAMING of `whole`.
 */
bool oracle_compare(oracle_watch *whole, const oracle_watch *streamed);

#endif
