/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms in which validate reports on a file.
 */
#ifndef ETLPROOF_VALIDATE_H
#define ETLPROOF_VALIDATE_H

#include "inventory.h"
#include "json.h"

typedef struct etl_validation {
    const etl_input *input;
    const etl_reader *reader;
    const etl_inventory *inventory;
    etl_verdict verdict;
    bool strict; /* warnings count as damage */
    bool all;    /* all findings that were kept, and not only the first of each rule */
} etl_validation;

/* The line that starts with the verdict. */
void etl_validate_verdict(etl_out *out, const etl_validation *report);
/* Inventory and findings, for people. */
void etl_validate_text(etl_out *out, const etl_validation *report);
/* One JSON object on a line, as conformance/schema/validate.schema.json has it. */
void etl_validate_json(etl_json *json, const etl_validation *report);

/* A SARIF 2.1.0 log with one run: its beginning, the results of each file, its end. */
void etl_sarif_open(etl_json *json);
void etl_sarif_file(etl_json *json, const etl_validation *report);
/* `failed`: a file could not be read to its end, or was read against a promise of ours, which standard error told. */
void etl_sarif_close(etl_json *json, bool failed);

#endif
