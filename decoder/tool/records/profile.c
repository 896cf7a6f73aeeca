/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the severity of a rule under a profile, from rules.def and writer_rules.def.
 */
#include "records/profile.h"

#include <stddef.h>

static const tool_writer_rule writer_rules[ETL_RULE_COUNT] = {
#define ETL_WRITER_RULE(rule, held, evidence) [ETL_RULE_##rule] = {held, evidence},
#include "format/writer_rules.def"
};

const tool_writer_rule *tool_writer_rule_get(etl_rule rule)
{
    return writer_rules[rule].evidence != NULL ? &writer_rules[rule] : NULL;
}

etl_severity tool_profile_severity(tool_profile profile, etl_rule rule)
{
    if (profile == TOOL_PROFILE_WRITER && writer_rules[rule].held)
        return ETL_SEVERITY_ERROR;
    return etl_rule_get(rule)->severity;
}
