/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms in which validate reports on a file.
 */
#ifndef ETLPROOF_VALIDATE_H
#define ETLPROOF_VALIDATE_H

#include "records/inventory.h"
#include "records/json_writer.h"

typedef struct tool_validation {
    const tool_input *input;
    const etl_reader *reader;
    const tool_inventory *inventory;
    tool_verdict verdict;
    bool strict; /* warnings count as damage */
    bool all;    /* all findings that were kept, and not only the first of each rule */
} tool_validation;

/* The line that starts with the verdict. */
void tool_validation_verdict(tool_output *out, const tool_validation *report);
/* Inventory and findings, for people. */
void tool_validation_text(tool_output *out, const tool_validation *report);
/* One JSON object on a line, as conformance/schema/validate.schema.json has it. */
void tool_validation_json(tool_json *json, const tool_validation *report);

/* A SARIF 2.1.0 log with one run: its beginning, the results of each file, its end. */
void tool_sarif_open(tool_json *json);
void tool_sarif_file(tool_json *json, const tool_validation *report);
/* `failed`: a file could not be read to its end, or was read against a promise of ours, which standard error told. */
void tool_sarif_close(tool_json *json, bool failed);

#endif
