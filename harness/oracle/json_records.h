/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds of the decode records of any file, by their text alone: JSON Lines of known records, whose totals are those of
 * the records before them. And what holds of other reports on that file beside them.
 */
#ifndef ETLPROOF_RECORDS_ORACLE_H
#define ETLPROOF_RECORDS_ORACLE_H

#include <stdint.h>

#include "promise.h"
#include "json_reader.h"

/*
 * `text`: all that was written of a file of oracle->size bytes; `by_time`: with events behind all other records but the
 * end, sorted. A record that is not as it has to be breaks JSON or RECORDS, at its offset in the text; `*why` then says
 * what is wrong.
 */
bool oracle_records(oracle_watch *oracle, oracle_slice text, bool by_time, const char **why);

/*
 * `records` are as they have to be; `lenient` and `strict` are what validate --json says of the same file, without --strict
 * and with it. The totals are those of the end record, and all that --strict may change is the verdict.
 */
bool oracle_summaries(oracle_watch *oracle, oracle_slice records, oracle_slice lenient, oracle_slice strict,
                      const char **why);

/* The same of what validate --sarif says: results for as many findings as the end record counts. */
bool oracle_sarif(oracle_watch *oracle, oracle_slice records, oracle_slice sarif, const char **why);

#endif
