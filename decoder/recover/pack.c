/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which events share a rebuilt buffer, and which break a rule that no conforming file may break.
 */
#include "pack.h"

#include "event_form.h"
#include "plausible.h"
#include "span.h"

etl_pack etl_pack_open(uint32_t limit)
{
    return (etl_pack){.at = ETL_BUFFER_SIZE_MIN, .limit = limit, .empty = true};
}

/* Whether a search would find the event. */
static bool is_known(etl_span bytes)
{
    uint32_t size;
    return etl_plausible_event(bytes, 0, (uint32_t)bytes.size, ETL_PLAUSIBLE_FIRST, &size);
}

/*
 * Behind padding, readers expect an event at the next multiple of 8 only if its marker is a usual one, and they accept an
 * opaque event only if a known event follows. Any other event has to start a buffer.
 */
static bool may_follow(const etl_pack *pack, etl_span bytes)
{
    return etl_event_marked(bytes, 0) && (!pack->opaque || is_known(bytes));
}

bool etl_pack_put(etl_pack *pack, etl_span bytes, bool opaque)
{
    const uint32_t end = etl_align8(pack->at + (uint32_t)bytes.size);
    if (!pack->empty && (end > pack->limit || !may_follow(pack, bytes)))
        return false;
    if (pack->empty)
        pack->first_plausible = is_known(bytes);
    pack->empty = false;
    pack->opaque = opaque;
    pack->at = end;
    return true;
}

/* Recovery repairs the logfile header separately: these findings are no reason to rebuild a buffer. */
static bool is_of_logfile(etl_rule rule)
{
    return rule == ETL_RULE_LFH_001 || rule == ETL_RULE_LFH_002;
}

etl_rule etl_pack_fault(const etl_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_rule rule = findings->at[i].rule;
        if (etl_rule_get(rule)->severity >= ETL_SEVERITY_LIMIT && !is_of_logfile(rule))
            return rule;
    }
    return ETL_RULE_COUNT;
}

/* Frames the event alone, so that findings about its position do not count. */
etl_rule etl_pack_event_fault(const etl_event *event, etl_findings *findings)
{
    etl_event alone = *event;
    findings->count = 0;
    (void)etl_event_frame(event->bytes, 0, event->size, &alone, findings);
    return etl_pack_fault(findings);
}
