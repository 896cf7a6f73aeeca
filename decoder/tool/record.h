/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of decode, one JSON object a line.
 */
#ifndef ETLPROOF_RECORD_H
#define ETLPROOF_RECORD_H

#include "etlproof/etlproof.h"

#include "json.h"
#include "tally.h"

typedef enum etl_record_kind {
#define ETL_RECORD_KIND(name, text) ETL_RECORD_##name,
#include "record_kinds.def"
    ETL_RECORD_KIND_COUNT
} etl_record_kind;

void etl_record_trace(etl_json *json, const etl_logfile *logfile);
void etl_record_buffer(etl_json *json, const etl_buffer *buffer);
/* `payload`: with the user data. */
void etl_record_event(etl_json *json, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                      bool payload);
void etl_record_finding(etl_json *json, const etl_finding *finding);
void etl_record_end(etl_json *json, const etl_tally *tally, const etl_trace *trace, etl_verdict verdict);

/* Opens the object of a record of that kind. */
void etl_record_open(etl_json *json, etl_record_kind kind);

/* Parts of records. */
void etl_record_items(etl_json *json, const etl_event *event);
/* The members of a logfile header, under key "logfile". */
void etl_record_logfile(etl_json *json, const etl_logfile *logfile);
/* The members of a finding, into the object that is open. */
void etl_record_finding_members(etl_json *json, const etl_finding *finding);
/* "windows" to "logger_mode": what all reports say of a trace; null where no logfile header says it. */
void etl_record_trace_members(etl_json *json, const etl_logfile *logfile);
/* "10.0.18362" */
void etl_out_windows(etl_out *out, const etl_logfile *logfile);

#endif
