/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file to its end and gathers what `etlproof validate` reports of it.
 */
#include "records/inventory.h"

#include <string.h>

#include "records/field_record.h"
#include "span.h"

void tool_inventory_open(tool_inventory *inventory)
{
    memset(inventory, 0, sizeof *inventory);
}

static bool decides(etl_severity severity, bool strict)
{
    return severity == ETL_SEVERITY_ERROR || (strict && severity == ETL_SEVERITY_WARNING);
}

static void keep(tool_inventory *inventory, const etl_finding *finding)
{
    const bool of_rule = inventory->findings_of_rule[finding->rule]++ < TOOL_FINDINGS_OF_RULE;
    if (of_rule || inventory->kept_count < TOOL_FINDINGS_FIRST)
        inventory->kept[inventory->kept_count++] = *finding;
}

static void take_findings(tool_inventory *inventory, const etl_findings *findings, bool strict)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_finding *finding = &findings->at[i];
        tool_tally_finding(&inventory->tally, finding);
        keep(inventory, finding);
        const etl_severity severity = tool_profile_severity(inventory->tally.profile, finding->rule);
        if (inventory->has_first || !decides(severity, strict))
            continue;
        inventory->has_first = true;
        inventory->first = *finding;
    }
}

static void take_items(tool_inventory *inventory, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item)) {
        inventory->items[item.type]++;
        if (item.type >= inventory->item_types)
            inventory->item_types = item.type + 1u;
    }
}

static inline void take_time(tool_time_range *range, int64_t time)
{
    if (!range->known) {
        *range = (tool_time_range){true, time, time};
        return;
    }
    if (time < range->first)
        range->first = time;
    if (time > range->last)
        range->last = time;
}

static void count_payload(tool_payload_counts *counts, tool_fields fields)
{
    counts->whole += fields == TOOL_FIELDS_WHOLE;
    counts->cut += fields == TOOL_FIELDS_CUT;
    counts->schemas += fields == TOOL_FIELDS_SCHEMA;
}

static void take_payload(tool_inventory *inventory, tool_provider *provider, const etl_event *event,
                         etl_findings *findings)
{
    const tool_fields fields = tool_check_fields(event, &inventory->schemas, findings);
    count_payload(&inventory->payloads, fields);
    if (provider != NULL)
        count_payload(&provider->payloads, fields);
}

static inline void take_event(tool_inventory *inventory, const etl_event *event, etl_findings *findings)
{
    tool_tally_event(&inventory->tally, event);
    tool_provider *provider = tool_providers_add_event(&inventory->providers, event);
    if (inventory->with_payloads)
        take_payload(inventory, provider, event, findings);
    if (event->items_size > 0)
        take_items(inventory, event);
    if (event->has_time)
        take_time(&inventory->time, event->time);
    if (inventory->tally.profile == TOOL_PROFILE_WRITER)
        tool_writer_check_event(event, findings);
}

/* Copies a name, because the window that it lies in is replaced. */
static void keep_name(etl_span *name, uint8_t kept[TOOL_NAME_SIZE])
{
    etl_span part = etl_span_first(*name, TOOL_NAME_SIZE);
    for (size_t i = 0; i < part.size; i++)
        kept[i] = etl_load_u8(part, i);
    *name = (etl_span){kept, part.size};
}

static void take_buffer(tool_inventory *inventory, const etl_reader *reader, etl_findings *findings)
{
    tool_tally_buffer(&inventory->tally, &reader->buffer);
    if (inventory->tally.profile == TOOL_PROFILE_WRITER)
        tool_writer_check_buffer(&inventory->writer, reader, findings);
    inventory->buffer_events_lost += reader->buffer.header.events_lost;
    if (inventory->logfile.known || !reader->trace.logfile.known)
        return;
    inventory->logfile = reader->trace.logfile;
    keep_name(&inventory->logfile.logger_name, inventory->names[0]);
    keep_name(&inventory->logfile.log_file_name, inventory->names[1]);
}

void tool_inventory_take(tool_inventory *inventory, tool_pull *pull, bool strict)
{
    const etl_reader *reader = &pull->reader;
    for (;;) {
        etl_outcome outcome = tool_pull_next(pull);
        if (outcome == ETL_EVENT)
            take_event(inventory, &reader->event, &pull->reader.findings);
        else if (outcome == ETL_BUFFER)
            take_buffer(inventory, reader, &pull->reader.findings);
        else if (outcome == ETL_GAP)
            etl_tiling_add(&inventory->tally.tiling, &reader->gap);
        if (reader->findings.count > 0)
            take_findings(inventory, &reader->findings, strict);
        if (outcome == ETL_END)
            return;
    }
}
