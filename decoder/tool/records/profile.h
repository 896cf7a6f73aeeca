/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiles of `etlproof validate`: what a violation of each rule means to a reader, and to the author of a writer.
 */
#ifndef ETLPROOF_RECORDS_PROFILE_H
#define ETLPROOF_RECORDS_PROFILE_H

#include <stdbool.h>

#include "etlproof/format.h"

/* In the order of the values of --profile. */
typedef enum tool_profile {
    TOOL_PROFILE_READER, /* the severities of rules.def */
    TOOL_PROFILE_WRITER  /* what Windows never writes is an error: writer_rules.def */
} tool_profile;

/* A row of writer_rules.def. */
typedef struct tool_writer_rule {
    bool held;
    const char *evidence;
} tool_writer_rule;

/* NULL if the table has no row: the profile changes nothing for such a rule. */
const tool_writer_rule *tool_writer_rule_get(etl_rule rule);

etl_severity tool_profile_severity(tool_profile profile, etl_rule rule);

#endif
