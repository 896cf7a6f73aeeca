/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a payload, for records and for text.
 */
#ifndef ETLPROOF_RECORDS_FIELD_RECORD_H
#define ETLPROOF_RECORDS_FIELD_RECORD_H

#include "records/json_writer.h"
#include "records/trace_schemas.h"

/*
 * "event_name", "opcode_name", "provider_name" and "fields", if a schema describes the payload; "raw" for bytes without a
 * field.
 */
void tool_record_fields(tool_json *json, const etl_event *event, const tool_schemas *schemas);

/* The fields for people: names, and values as in JSON. Nothing if no schema describes the payload. */
void tool_text_fields(tool_output *out, const etl_event *event, const tool_schemas *schemas);

/* Whether the payload of an event can be decoded. */
typedef enum tool_fields {
    TOOL_FIELDS_UNKNOWN, /* nothing describes it */
    TOOL_FIELDS_SCHEMA,  /* it is a schema itself */
    TOOL_FIELDS_CUT,     /* not all of its fields could be read */
    TOOL_FIELDS_WHOLE
} tool_fields;

/* Adds the findings about the payload, which the two functions above do not report. Keeps a schema. */
tool_fields tool_check_fields(const etl_event *event, tool_schemas *schemas, etl_findings *findings);

/* The value of a field, by its in-type and out-type. */
void tool_json_field_value(tool_json *json, const char *key, const etl_field *field, etl_span value);

#endif
