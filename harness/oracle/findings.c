/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that each finding of a step names a rule, a place and indices that exist, and sums the bytes that findings report
 * as lost. Called by oracle_step.
 */
#include "step_checks.h"

static bool place_holds(const oracle_watch *oracle, const etl_finding *finding, const etl_reader *reader)
{
    /* The offset of the end is valid: it is the place of a missing byte. Lost bytes may begin before it. */
    uint64_t end = finding->space == ETL_SPACE_FILE ? oracle->end : reader->buffer.data.size;
    /* A finding may precede the outcome that reports its buffer or event. */
    return finding->offset <= end && finding->lost <= end &&
           (finding->lost == 0 || etl_rule_get(finding->rule)->severity >= ETL_SEVERITY_LIMIT) &&
           (finding->buffer == ETL_NO_INDEX || finding->buffer <= oracle->buffers) &&
           (finding->event == ETL_NO_INDEX || finding->event <= oracle->events);
}

bool oracle_rule_holds(const etl_finding *finding)
{
    return (size_t)finding->rule < ETL_RULE_COUNT && (size_t)finding->action < ETL_ACTION_COUNT &&
           etl_rule_get(finding->rule)->severity != ETL_SEVERITY_STRUCTURE;
}

/* The values of ALN-001 are offsets. */
static uint64_t relative_value(const oracle_watch *oracle, const etl_finding *finding, uint64_t value)
{
    return finding->rule == ETL_RULE_ALN_001 ? oracle_relative(oracle, finding->space, value) : value;
}

static void take_finding(oracle_watch *oracle, const etl_finding *finding)
{
    oracle->loss[finding->space != ETL_SPACE_FILE].told += finding->lost;
    oracle_mix(oracle, finding->rule);
    oracle_mix(oracle, finding->action);
    oracle_mix(oracle, finding->space);
    oracle_mix(oracle, oracle_relative(oracle, finding->space, finding->offset));
    oracle_mix(oracle, finding->lost);
    oracle_mix(oracle, finding->buffer);
    oracle_mix(oracle, finding->event);
    oracle_mix(oracle, finding->relation);
    oracle_mix(oracle, relative_value(oracle, finding, finding->expected));
    oracle_mix(oracle, relative_value(oracle, finding, finding->actual));
}

bool oracle_findings(oracle_watch *oracle, const etl_reader *reader)
{
    const etl_findings *findings = &reader->findings;
    if (findings->overflow || findings->count > ETL_FINDINGS_MAX)
        return oracle_break(oracle, ORACLE_PROMISE_FINDING_COUNT, reader->trace.offset);
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_finding *finding = &findings->at[i];
        if (!oracle_rule_holds(finding))
            return oracle_break(oracle, ORACLE_PROMISE_FINDING_RULE, finding->offset);
        if (!oracle_condition(place_holds(oracle, finding, reader), etl_rule_get(finding->rule)->id))
            return oracle_break(oracle, ORACLE_PROMISE_FINDING_PLACE, finding->offset);
        take_finding(oracle, finding);
    }
    return true;
}
