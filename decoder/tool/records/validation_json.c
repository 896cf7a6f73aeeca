/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of `etlproof validate --json`: one object a file.
 */
#include "records/validation.h"

#include <stdio.h>

#include "records/record.h"

/* A trace without EndTime is still open, or was never closed. */
static void closed(tool_json *json, const etl_logfile *logfile)
{
    if (logfile->known)
        tool_json_bool(json, "closed", logfile->end_time != 0);
    else
        tool_json_null(json, "closed");
}

static void extended_items(tool_json *json, const tool_inventory *inventory)
{
    tool_json_object(json, "extended_items");
    for (unsigned type = 0; type < inventory->item_types; type++) {
        if (inventory->items[type] == 0)
            continue;
        char key[16];
        (void)snprintf(key, sizeof key, "0x%x", type);
        tool_json_u64(json, key, inventory->items[type]);
    }
    tool_json_object_end(json);
}

static void payload_counts(tool_json *json, uint64_t events, const tool_payload_counts *counts)
{
    tool_json_u64(json, "decoded", counts->whole);
    tool_json_u64(json, "not_fitting", counts->cut);
    tool_json_u64(json, "schemas", counts->schemas);
    tool_json_u64(json, "without_schema", events - counts->whole - counts->cut - counts->schemas);
}

static void provider_counts(tool_json *json, const tool_providers *providers, bool payloads)
{
    tool_json_array(json, "providers");
    for (size_t i = 0; i < TOOL_PROVIDERS_MAX; i++) {
        if (providers->at[i].events == 0)
            continue;
        etl_guid guid = tool_provider_guid(&providers->at[i]);
        tool_json_object(json, NULL);
        tool_json_guid(json, "provider", &guid);
        tool_json_u64(json, "events", providers->at[i].events);
        if (payloads)
            payload_counts(json, providers->at[i].events, &providers->at[i].payloads);
        tool_json_object_end(json);
    }
    for (unsigned group = 0; group < 0x100; group++) {
        if (providers->groups[group] == 0)
            continue;
        const char *guid = etl_hook_group_guid((uint8_t)group), *name = etl_hook_group_name((uint8_t)group);
        tool_json_object(json, NULL);
        tool_json_u32(json, "group", group);
        if (guid != NULL)
            tool_json_text(json, "provider", guid);
        if (name != NULL)
            tool_json_text(json, "name", name);
        tool_json_u64(json, "events", providers->groups[group]);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
    tool_json_u64(json, "events_of_other_providers", providers->others);
    tool_json_u64(json, "events_without_provider", providers->none);
}

static void one_time(tool_json *json, const char *key, const etl_clock *clock, int64_t ticks)
{
    uint64_t filetime = 0;
    if (etl_clock_filetime(clock, ticks, &filetime))
        tool_json_filetime(json, key, filetime);
}

static void time_range(tool_json *json, const tool_inventory *inventory)
{
    if (!inventory->time.known) {
        tool_json_null(json, "time_range");
        return;
    }
    tool_json_object(json, "time_range");
    tool_json_i64(json, "first", inventory->time.first);
    tool_json_i64(json, "last", inventory->time.last);
    one_time(json, "first_utc", &inventory->logfile.clock, inventory->time.first);
    one_time(json, "last_utc", &inventory->logfile.clock, inventory->time.last);
    tool_json_object_end(json);
}

static void lost(tool_json *json, const etl_logfile *logfile)
{
    if (logfile->known) {
        tool_json_u32(json, "events_lost", logfile->events_lost);
        tool_json_u32(json, "buffers_lost", logfile->buffers_lost);
    } else {
        tool_json_null(json, "events_lost");
        tool_json_null(json, "buffers_lost");
    }
}

static void findings(tool_json *json, const tool_inventory *inventory)
{
    tool_json_array(json, "findings");
    for (uint32_t i = 0; i < inventory->kept_count; i++) {
        tool_json_object(json, NULL);
        tool_record_finding_members(json, inventory->tally.profile, &inventory->kept[i]);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
    tool_json_object(json, "findings_by_rule");
    for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
        if (inventory->findings_of_rule[rule] > 0)
            tool_json_u64(json, etl_rule_get((etl_rule)rule)->id, inventory->findings_of_rule[rule]);
    tool_json_object_end(json);
    tool_tally_json_severities(json, "findings_by_severity", &inventory->tally);
}

void tool_validation_json(tool_json *json, const tool_validation *validation)
{
    const tool_inventory *inventory = validation->inventory;
    tool_json_object(json, NULL);
    tool_json_text(json, "file", validation->input->name);
    tool_json_u64(json, "size", validation->input->size);
    tool_json_text(json, "verdict", tool_verdict_text(validation->verdict));
    if (inventory->tally.profile == TOOL_PROFILE_WRITER)
        tool_json_text(json, "profile", "writer");
    tool_record_trace_members(json, &inventory->logfile);
    closed(json, &inventory->logfile);
    tool_json_u64(json, "buffers", validation->reader->trace.buffers);
    tool_json_u64(json, "compressed_buffers", validation->reader->trace.compressed_buffers);
    tool_json_u64(json, "events", inventory->tally.events);
    tool_tally_json_types(json, &inventory->tally);
    extended_items(json, inventory);
    provider_counts(json, &inventory->providers, inventory->with_payloads);
    if (inventory->with_payloads) {
        tool_json_object(json, "payloads");
        payload_counts(json, inventory->tally.events, &inventory->payloads);
        tool_json_object_end(json);
    }
    lost(json, &inventory->logfile);
    time_range(json, inventory);
    findings(json, inventory);
    tool_tally_json_bytes(json, &inventory->tally);
    tool_json_object_end(json);
    tool_json_line(json);
}
