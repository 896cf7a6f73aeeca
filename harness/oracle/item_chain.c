/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the length of a chain of extended items against the sizes that its items state. Called by fuzz_items and by
 * targets of single events.
 */
#include "entry_points.h"
#include "input_bytes.h"

/* How far a chain can be read, and the rule that ends it; RULE_COUNT if nothing is wrong. */
typedef struct chain_end {
    uint32_t at;
    etl_rule rule;
} chain_end;

/* The rule that stops the reading of item `number` at `at` of an event. */
static etl_rule fault(const etl_event *event, uint32_t at, uint32_t number)
{
    const uint64_t available = event->size - at;
    const uint8_t *b = event->bytes.at + at;
    if (number == ETL_ITEMS_MAX)
        return ETL_RULE_EXT_004;
    if (available < ETL_SIZE(EXTENDED_DATA_ITEM))
        return ETL_RULE_EXT_003;
    uint32_t total = oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    uint32_t least = ETL_SIZE(EXTENDED_DATA_ITEM) + oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, DataSize));
    bool right = total % 8 == 0 && total >= least && total - least < 8 && total <= available;
    return right ? ETL_RULE_COUNT : ETL_RULE_EXT_002;
}

static chain_end walk(const etl_event *event, uint32_t at)
{
    chain_end end = {at, ETL_RULE_COUNT};
    bool linkage = true;
    for (uint32_t n = 0; linkage; n++) {
        end.rule = fault(event, end.at, n);
        if (end.rule != ETL_RULE_COUNT)
            break;
        const uint8_t *b = event->bytes.at + end.at;
        linkage = b[ETL_AT(EXTENDED_DATA_ITEM, Linkage)] & 1;
        end.at += oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    }
    return end;
}

static bool is_end(etl_rule rule)
{
    return rule == ETL_RULE_EXT_002 || rule == ETL_RULE_EXT_003 || rule == ETL_RULE_EXT_004;
}

/* The last finding gives the rule that ended the chain; no other finding does. */
static bool findings_hold(const etl_event *event, chain_end end, const etl_findings *findings)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < findings->count; i++)
        ends += is_end(findings->at[i].rule);
    if (!ORACLE_HOLDS(ends == (end.rule != ETL_RULE_COUNT)))
        return false;
    if (ends == 0)
        return true;
    const etl_finding *last = &findings->at[findings->count - 1];
    return ORACLE_HOLDS(last->rule == end.rule) && ORACLE_HOLDS(last->action == ETL_ACTION_SKIP_REST) &&
           ORACLE_HOLDS(last->lost == event->size - end.at);
}

bool oracle_chain(oracle_watch *oracle, const etl_event *event, oracle_measure measure, const etl_findings *findings)
{
    const chain_end end = walk(event, measure.at);
    if (!ORACLE_HOLDS(measure.size == end.at - measure.at) ||
        !ORACLE_HOLDS(measure.whole == (end.rule == ETL_RULE_COUNT)) || !findings_hold(event, end, findings))
        return oracle_break(oracle, ORACLE_PROMISE_CHAIN, event->offset + measure.at);
    return true;
}
