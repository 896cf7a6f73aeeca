/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the findings of one step with those that are due. Called by due_step.c, and by targets of single entry points.
 */
#include "due.h"

void oracle_due_begin(oracle_due *due, const etl_findings *reported)
{
    *due = (oracle_due){.reported = reported, .wrong = ETL_RULE_COUNT};
}

static bool equal(const etl_finding *a, const etl_finding *b)
{
    return a->rule == b->rule && a->action == b->action && a->relation == b->relation && a->space == b->space &&
           a->offset == b->offset && a->lost == b->lost && a->buffer == b->buffer && a->event == b->event &&
           a->expected == b->expected && a->actual == b->actual;
}

static void blame(oracle_due *due, const etl_finding *finding)
{
    if (due->wrong != ETL_RULE_COUNT)
        return;
    due->wrong = finding->rule;
    due->wrong_at = finding->offset;
}

void oracle_due_expect(oracle_due *due, const etl_finding *expected)
{
    for (uint32_t i = 0; i < due->reported->count; i++) {
        if (due->taken[i] || !equal(&due->reported->at[i], expected))
            continue;
        due->taken[i] = true;
        return;
    }
    blame(due, expected);
}

const etl_finding *oracle_due_find(const oracle_due *due, etl_rule rule)
{
    for (uint32_t i = 0; i < due->reported->count; i++)
        if (!due->taken[i] && due->reported->at[i].rule == rule)
            return &due->reported->at[i];
    return NULL;
}

void oracle_due_allow(oracle_due *due, const etl_finding *expected)
{
    if (oracle_due_find(due, expected->rule))
        oracle_due_expect(due, expected);
}

bool oracle_due_end(oracle_watch *oracle, oracle_due *due)
{
    for (uint32_t i = 0; i < due->reported->count; i++)
        if (!due->taken[i])
            blame(due, &due->reported->at[i]);
    if (due->wrong == ETL_RULE_COUNT)
        return true;
    (void)oracle_condition(false, etl_rule_get(due->wrong)->id);
    return oracle_break(oracle, ORACLE_PROMISE_FINDING_DUE, due->wrong_at);
}
