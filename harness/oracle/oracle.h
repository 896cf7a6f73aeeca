/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles: what holds for every input, conforming or not. A crash is not the only failure of a decoder; these are the
 * others. One etl_oracle watches one decode from outside: it is shown each outcome of etl_reader_next and keeps the first
 * promise that was broken. It trusts nothing that the decoder says of itself.
 */
#ifndef ETLPROOF_ORACLE_H
#define ETLPROOF_ORACLE_H

#include "promise.h"

void etl_oracle_init(etl_oracle *oracle, uint64_t size, etl_limits limits, bool deep);

/* Watches one outcome of the reader, findings included. False as soon as a promise is broken. */
bool etl_oracle_step(etl_oracle *oracle, etl_outcome outcome, const etl_reader *reader);

/* After ETL_END: what holds of the whole file. */
bool etl_oracle_end(etl_oracle *oracle);

/*
 * Holds the decode `streamed` against that of the same bytes in one window, both having come as far. A difference breaks
 * STREAMING of `whole`.
 */
bool etl_oracle_compare(etl_oracle *whole, const etl_oracle *streamed);

#endif
