/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds findings to a list.
 */
#ifndef ETLPROOF_REPORT_H
#define ETLPROOF_REPORT_H

#include "etlproof/event.h"
#include "etlproof/finding.h"

/*@ predicate etl_list{L}(etl_findings *f) = \valid(f) && f->count <= ETL_FINDINGS_MAX; */

/*
 * Adds a finding with a rule and an offset, and returns it. ETL_FINDINGS_MAX rules out an overflow; if there is one all the
 * same, the last finding is reused and `overflow` is set, so that callers need no error path.
 */
/*@ requires etl_list(findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static inline etl_finding *etl_report(etl_findings *findings, etl_rule rule, etl_space space, uint64_t offset)
{
    if (findings->count < ETL_FINDINGS_MAX)
        findings->count++;
    else
        findings->overflow = true;
    etl_finding *finding = &findings->at[findings->count - 1u];
    finding->rule = rule;
    finding->action = ETL_ACTION_CONTINUE;
    finding->relation = ETL_RELATION_NONE;
    finding->space = space;
    finding->offset = offset;
    finding->lost = 0;
    finding->buffer = ETL_NO_INDEX;
    finding->event = ETL_NO_INDEX;
    finding->expected = 0;
    finding->actual = 0;
    return finding;
}

/*@ requires \valid(finding);
  @ assigns finding->relation, finding->expected, finding->actual; */
static inline void etl_expect(etl_finding *finding, etl_relation relation, uint64_t expected, uint64_t actual)
{
    finding->relation = relation;
    finding->expected = expected;
    finding->actual = actual;
}

/* Adds a finding at `at` bytes from the start of an event. */
/*@ requires etl_list(findings) && \valid_read(event) && \separated(findings, event);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static inline etl_finding *etl_report_event(etl_findings *findings, etl_rule rule, const etl_event *event, uint32_t at)
{
    etl_finding *finding = etl_report(findings, rule, event->space, event->offset + at);
    finding->buffer = event->buffer;
    finding->event = event->index;
    return finding;
}

#endif
