/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles over the text that the command writes: decode records are JSON Lines of known kinds whose totals match, and the
 * reports of validate on the same file agree with them.
 */
#ifndef ETLPROOF_ORACLE_JSON_RECORDS_H
#define ETLPROOF_ORACLE_JSON_RECORDS_H

#include <stdint.h>

#include "json_reader.h"
#include "promise.h"

/*
 * `text`: all records of a file of oracle->size bytes; `by_time`: events are sorted, and follow all other records but
 * the end record. A wrong record breaks JSON or RECORDS at its offset in the text; `*why` then has the reason.
 */
bool oracle_records(oracle_watch *oracle, oracle_slice text, bool by_time, const char **why);

/*
 * `records` have passed oracle_records; `lenient` and `strict` are the output of validate --json for the same file, without
 * --strict and with it. The totals must equal those of the end record, and --strict may change only the verdict.
 */
bool oracle_summaries(oracle_watch *oracle, oracle_slice records, oracle_slice lenient, oracle_slice strict,
                      const char **why);

/* The same for validate --sarif: as many results as the end record counts findings. */
bool oracle_sarif(oracle_watch *oracle, oracle_slice records, oracle_slice sarif, const char **why);

#endif
