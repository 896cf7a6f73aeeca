/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles over the findings that the command writes: each of the library's findings stands in records, text, validate and
 * SARIF, in order and with all its members, and no other. The oracle writes each finding with code of its own.
 */
#ifndef ETLPROOF_ORACLE_REPORTED_FINDINGS_H
#define ETLPROOF_ORACLE_REPORTED_FINDINGS_H

#include "json_reader.h"
#include "promise.h"

/* Findings of a decode that are compared; validate keeps each of so many. */
#define ORACLE_REPORTED_MAX 700u

/* What the library reports about a file. */
typedef struct oracle_reported {
    bool writer; /* of validate --profile writer: what writer_rules.def says that Windows never writes is an error */
    etl_finding findings[ORACLE_REPORTED_MAX];
    uint64_t count; /* of all findings: only the first ORACLE_REPORTED_MAX are there */
    bool has_time;
    int64_t first, last; /* the least and the greatest time of an event */
} oracle_reported;

/* Adds what one step of a decode reports. */
void oracle_reported_add(oracle_reported *reported, const etl_reader *reader, etl_outcome outcome);

/*
 * Each is true if the text agrees; if not, it breaks RECORDS at the place in the text, and `*why` has the reason. Those of
 * validate hold if there are more findings than ORACLE_REPORTED_MAX, since validate need not keep them all.
 */
bool oracle_reported_records(oracle_watch *oracle, const oracle_reported *reported, oracle_slice records, const char **why);
bool oracle_reported_text(oracle_watch *oracle, const oracle_reported *reported, oracle_slice text, const char **why);
bool oracle_reported_json(oracle_watch *oracle, const oracle_reported *reported, oracle_slice json, const char **why);

/* `uri`: that of the file, as results have it. */
bool oracle_reported_sarif(oracle_watch *oracle, const oracle_reported *reported, oracle_slice sarif, const char *uri,
                           const char **why);

/* `all`: of each rule every finding is printed, not only the first five. */
bool oracle_reported_validation(oracle_watch *oracle, const oracle_reported *reported, oracle_slice text, bool all,
                                const char **why);

#endif
