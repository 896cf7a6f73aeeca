/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of `etlproof validate` on a file, as text, JSON or SARIF.
 */
#ifndef ETLPROOF_RECORDS_VALIDATION_H
#define ETLPROOF_RECORDS_VALIDATION_H

#include "records/inventory.h"
#include "records/json_writer.h"

typedef struct tool_validation {
    const tool_input *input;
    const etl_reader *reader;
    const tool_inventory *inventory;
    tool_verdict verdict;
    bool strict; /* warnings count as damage */
    bool all;    /* print all findings that were kept, not only the first of each rule */
} tool_validation;

/* Prints the first line: file, verdict, first finding. */
void tool_validation_verdict(tool_output *out, const tool_validation *report);
/* Prints inventory and findings. */
void tool_validation_text(tool_output *out, const tool_validation *report);
/* Prints one JSON object on a line, described by conformance/schema/validate.schema.json. */
void tool_validation_json(tool_json *json, const tool_validation *report);

/* A SARIF 2.1.0 log with one run: its start, the results of each file, its end. */
void tool_sarif_open(tool_json *json);
void tool_sarif_file(tool_json *json, const tool_validation *report);
/* `failed`: a file could not be read to its end, or the decoder broke a promise; standard error has the reason. */
void tool_sarif_close(tool_json *json, bool failed);

#endif
