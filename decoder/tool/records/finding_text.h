/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a finding expected and what it met, in words.
 */
#ifndef ETLPROOF_FINDING_TEXT_H
#define ETLPROOF_FINDING_TEXT_H

#include "etlproof/finding.h"

#include "io/output.h"

#define TOOL_FINDING_TEXT_MAX 64

/* "at least 0x50" and "0x10"; false where the rule compares no numbers. */
bool tool_finding_texts(const etl_finding *finding, char expected[TOOL_FINDING_TEXT_MAX],
                        char actual[TOOL_FINDING_TEXT_MAX]);

/* One line for people: rule, severity, place, expected, actual, what was done and what was lost. */
void tool_put_finding(tool_output *out, const etl_finding *finding);
/* The two parts of it: up to the place, and what is behind. */
void tool_put_finding_begin(tool_output *out, const etl_finding *finding);
void tool_put_finding_end(tool_output *out, const etl_finding *finding);
/* What a rule says and what follows, above the lines of its findings. */
void tool_put_finding_rule(tool_output *out, const etl_rule_info *rule);
/* "0x48", or "0x48 of inflated buffer 3" */
void tool_put_finding_place(tool_output *out, const etl_finding *finding);

#endif
