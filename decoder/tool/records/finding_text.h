/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings as text: the line of a finding, the lines of its rule, and the values it expected and found.
 */
#ifndef ETLPROOF_RECORDS_FINDING_TEXT_H
#define ETLPROOF_RECORDS_FINDING_TEXT_H

#include "etlproof/finding.h"

#include "io/output.h"
#include "records/profile.h"

#define TOOL_FINDING_TEXT_MAX 64

/* Writes "at least 0x50" and "0x10". False if the rule compares no numbers. */
bool tool_finding_texts(const etl_finding *finding, char expected[TOOL_FINDING_TEXT_MAX],
                        char actual[TOOL_FINDING_TEXT_MAX]);

/* Prints one line: severity, rule, place, expected and actual value, action, bytes lost. */
void tool_put_finding(tool_output *out, tool_profile profile, const etl_finding *finding);
/*
 * The three parts of that line: up to the place, ": BufferSize is 0x10, expected at least 0x48", and the rest. An empty
 * `value` leaves ": BufferSize" out, after a place that names the member.
 */
void tool_put_finding_begin(tool_output *out, tool_profile profile, const etl_finding *finding);
void tool_put_finding_values(tool_output *out, const etl_finding *finding, const char *value);
void tool_put_finding_end(tool_output *out, const etl_finding *finding);
/* The name of a severity, coloured, and spaces up to `width`. */
void tool_put_severity(tool_output *out, etl_severity severity, size_t width);

/* Prints the statement and the effect of a rule, above the lines of its findings. */
void tool_put_finding_rule(tool_output *out, tool_profile profile, etl_rule rule);
/* "0x48", or "0x48 of inflated buffer 3" */
void tool_put_finding_place(tool_output *out, const etl_finding *finding);

#endif
