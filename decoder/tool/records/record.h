/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode records as JSON Lines, described by conformance/schema/decode.schema.json. Each function prints one record.
 */
#ifndef ETLPROOF_RECORDS_RECORD_H
#define ETLPROOF_RECORDS_RECORD_H

#include "etlproof/etlproof.h"

#include "records/json_writer.h"
#include "records/tally.h"
#include "records/trace_schemas.h"

typedef enum tool_record_kind {
#define TOOL_RECORD_KIND(name, text) TOOL_RECORD_##name,
#include "records/record_kinds.def"
    TOOL_RECORD_KIND_COUNT
} tool_record_kind;

/* How the payload of events is printed: bits, in the order of the choices of decode. */
typedef enum tool_payload_form {
    TOOL_PAYLOAD_NONE,
    TOOL_PAYLOAD_HEX,
    TOOL_PAYLOAD_FIELDS,
    TOOL_PAYLOAD_BOTH
} tool_payload_form;

void tool_record_trace(tool_json *json, const etl_logfile *logfile);
void tool_record_buffer(tool_json *json, const etl_buffer *buffer);
void tool_record_event(tool_json *json, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                       tool_payload_form payload, const tool_schemas *schemas);
void tool_record_finding(tool_json *json, const etl_finding *finding);
void tool_record_end(tool_json *json, const tool_tally *tally, const etl_trace *trace, tool_verdict verdict);

/* Opens the object of a record. */
void tool_record_open(tool_json *json, tool_record_kind kind);

/* Members of records. */
void tool_record_items(tool_json *json, const etl_event *event);
/* The members of a logfile header, under key "logfile". */
void tool_record_logfile(tool_json *json, const etl_logfile *logfile);
/* The members of a finding, into the open object. */
void tool_record_finding_members(tool_json *json, tool_profile profile, const etl_finding *finding);
/* "windows" to "logger_mode", the members on the trace in every report; null without a logfile header. */
void tool_record_trace_members(tool_json *json, const etl_logfile *logfile);
/* "10.0.18362" */
void tool_put_windows(tool_output *out, const etl_logfile *logfile);

#endif
