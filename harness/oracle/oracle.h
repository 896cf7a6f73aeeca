/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles: what holds for every input, conforming or not. A crash is not the only failure of a decoder; these are the
 * others. One oracle_watch watches one decode from outside: it is shown each outcome of etl_reader_next and keeps the first
 * promise that was broken. It trusts nothing that the decoder says of itself.
 */
#ifndef ETLPROOF_ORACLE_H
#define ETLPROOF_ORACLE_H

#include "promise.h"

void oracle_init(oracle_watch *oracle, uint64_t size, etl_limits limits, bool deep);

/* Watches one outcome of the reader, findings included. False as soon as a promise is broken. */
bool oracle_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader);

/* After ETL_END: what holds of the whole file. */
bool oracle_end(oracle_watch *oracle);

/*
 * Holds the decode `streamed` against that of the same bytes in one window, both having come as far. A difference breaks
 * STREAMING of `whole`.
 */
bool oracle_compare(oracle_watch *whole, const oracle_watch *streamed);

#endif
