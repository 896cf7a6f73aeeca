/* SPDX-License-Identifier: Apache-2.0 */
#include "validate.h"

#include <stdio.h>

#include "record.h"

static void extended_items(etl_json *json, const etl_inventory *inventory)
{
    etl_json_object(json, "extended_items");
    for (unsigned type = 0; type < sizeof inventory->items / sizeof inventory->items[0]; type++) {
        if (inventory->items[type] == 0)
            continue;
        char key[16];
        (void)snprintf(key, sizeof key, "0x%x", type);
        etl_json_u64(json, key, inventory->items[type]);
    }
    etl_json_object_end(json);
}

static void provider_counts(etl_json *json, const etl_providers *providers)
{
    etl_json_array(json, "providers");
    for (size_t i = 0; i < ETL_PROVIDERS_MAX; i++) {
        if (providers->at[i].events == 0)
            continue;
        etl_guid guid = etl_provider_guid(&providers->at[i]);
        etl_json_object(json, NULL);
        etl_json_guid(json, "provider", &guid);
        etl_json_u64(json, "events", providers->at[i].events);
        etl_json_object_end(json);
    }
    for (unsigned group = 0; group < 0x100; group++) {
        if (providers->groups[group] == 0)
            continue;
        const char *guid = etl_hook_group_guid((uint8_t)group), *name = etl_hook_group_name((uint8_t)group);
        etl_json_object(json, NULL);
        etl_json_u32(json, "group", group);
        if (guid != NULL)
            etl_json_text(json, "provider", guid);
        if (name != NULL)
            etl_json_text(json, "name", name);
        etl_json_u64(json, "events", providers->groups[group]);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
    etl_json_u64(json, "events_of_other_providers", providers->others);
    etl_json_u64(json, "events_without_provider", providers->none);
}

static void one_time(etl_json *json, const char *key, const etl_clock *clock, int64_t ticks)
{
    uint64_t filetime = 0;
    if (etl_clock_filetime(clock, ticks, &filetime))
        etl_json_filetime(json, key, filetime);
}

static void time_range(etl_json *json, const etl_inventory *inventory)
{
    if (!inventory->time.known) {
        etl_json_null(json, "time_range");
        return;
    }
    etl_json_object(json, "time_range");
    etl_json_i64(json, "first", inventory->time.first);
    etl_json_i64(json, "last", inventory->time.last);
    one_time(json, "first_utc", &inventory->logfile.clock, inventory->time.first);
    one_time(json, "last_utc", &inventory->logfile.clock, inventory->time.last);
    etl_json_object_end(json);
}

static void lost(etl_json *json, const etl_logfile *logfile)
{
    if (logfile->known) {
        etl_json_u32(json, "events_lost", logfile->events_lost);
        etl_json_u32(json, "buffers_lost", logfile->buffers_lost);
    } else {
        etl_json_null(json, "events_lost");
        etl_json_null(json, "buffers_lost");
    }
}

static void findings(etl_json *json, const etl_inventory *inventory)
{
    etl_json_array(json, "findings");
    for (uint32_t i = 0; i < inventory->kept_count; i++) {
        etl_json_object(json, NULL);
        etl_record_finding_members(json, &inventory->kept[i]);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
    etl_json_object(json, "findings_by_rule");
    for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
        if (inventory->findings_of_rule[rule] > 0)
            etl_json_u64(json, etl_rule_get((etl_rule)rule)->id, inventory->findings_of_rule[rule]);
    etl_json_object_end(json);
    etl_tally_json_severities(json, "findings_by_severity", &inventory->tally);
}

void etl_validate_json(etl_json *json, const etl_validation *validation)
{
    const etl_inventory *inventory = validation->inventory;
    etl_json_object(json, NULL);
    etl_json_text(json, "file", validation->input->name);
    etl_json_u64(json, "size", validation->input->size);
    etl_json_text(json, "verdict", etl_verdict_text(validation->verdict));
    etl_record_trace_members(json, &inventory->logfile);
    etl_json_u64(json, "buffers", validation->reader->trace.buffers);
    etl_json_u64(json, "compressed_buffers", validation->reader->trace.compressed_buffers);
    etl_json_u64(json, "events", inventory->tally.events);
    etl_tally_json_types(json, &inventory->tally);
    extended_items(json, inventory);
    provider_counts(json, &inventory->providers);
    lost(json, &inventory->logfile);
    time_range(json, inventory);
    findings(json, inventory);
    etl_tally_json_bytes(json, &inventory->tally);
    etl_json_object_end(json);
    etl_json_line(json);
}
