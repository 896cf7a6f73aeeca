/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a payload, for records and for text.
 */
#ifndef ETLPROOF_RECORDS_FIELD_RECORD_H
#define ETLPROOF_RECORDS_FIELD_RECORD_H

#include "etlproof/etlproof.h"
#include "etlproof/payload.h"

#include "records/json_writer.h"

/* "event_name", "provider_name" and "fields", if the event carries metadata; "raw" for bytes without a field. */
void tool_record_fields(tool_json *json, const etl_event *event);

/* The fields for people: names, and values as in JSON. Nothing if the event carries no metadata. */
void tool_text_fields(tool_output *out, const etl_event *event);

/* Whether the payload of an event can be decoded. */
typedef enum tool_fields {
    TOOL_FIELDS_UNKNOWN, /* nothing describes it */
    TOOL_FIELDS_CUT,     /* not all of its fields could be read */
    TOOL_FIELDS_WHOLE
} tool_fields;

/* Adds the findings about the payload, which the two functions above do not report. */
tool_fields tool_check_fields(const etl_event *event, etl_findings *findings);

/* The value of a field, by its in-type and out-type. */
void tool_json_field_value(tool_json *json, const char *key, const etl_field *field, etl_span value);

#endif
