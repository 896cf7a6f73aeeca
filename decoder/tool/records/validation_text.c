/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of `etlproof validate` as text: verdict, inventory, findings. verb_validate.c calls this.
 */
#include "records/validation.h"

#include <inttypes.h>
#include <string.h>

#include "records/finding_text.h"
#include "records/not_etl.h"
#include "records/record.h"
#include "records/record_text.h"

/* Providers listed; the others are printed as one sum. */
#define TOP_PROVIDERS 10

static void counts(tool_output *out, const tool_validation *validation)
{
    tool_put_text(out, " (");
    tool_put_counted(out, validation->inventory->tally.events, "event");
    tool_put_text(out, ", ");
    tool_put_counted(out, validation->reader->trace.buffers, "buffer");
    tool_put_char(out, ')');
}

/* The first finding that makes the verdict. */
static void first_finding(tool_output *out, const tool_inventory *inventory)
{
    if (!inventory->has_first)
        return;
    const etl_rule_info *rule = etl_rule_get(inventory->first.rule);
    tool_put_text(out, ": first ");
    tool_put_severity(out, tool_profile_severity(inventory->tally.profile, inventory->first.rule), 0);
    tool_put_format(out, ": %s at ", rule->id);
    tool_put_finding_place(out, &inventory->first);
    tool_put_format(out, ": %s", rule->statement);
}

void tool_validation_verdict(tool_output *out, const tool_validation *validation)
{
    tool_put_name(out, validation->input->title);
    tool_put_text(out, ": ");
    switch (validation->verdict) {
    case TOOL_VERDICT_CONFORMING: tool_put_coloured(out, TOOL_GREEN, "conforming"); break;
    case TOOL_VERDICT_DAMAGED: tool_put_coloured(out, TOOL_RED, "damaged"); break;
    case TOOL_VERDICT_LIMIT: tool_put_coloured(out, TOOL_YELLOW, "limit reached"); break;
    case TOOL_VERDICT_NOT_ETL:
        tool_put_coloured(out, TOOL_YELLOW, "not an ETL file");
        tool_put_text(out, ": ");
        tool_put_not_etl(out, validation->input);
        tool_put_char(out, '\n');
        return;
    }
    counts(out, validation);
    first_finding(out, validation->inventory);
    tool_put_char(out, '\n');
}

/* The first column of an inventory line. */
static void label(tool_output *out, const char *text)
{
    tool_put_format(out, "  %-16s ", text);
}

static void name_list(tool_output *out, uint32_t value, etl_names names)
{
    bool first = true;
    for (size_t i = 0; i < names.count; i++) {
        if ((value & names.at[i].value) == 0)
            continue;
        tool_put_text(out, first ? " (" : ", ");
        tool_put_text(out, names.at[i].name);
        first = false;
    }
    if (!first)
        tool_put_char(out, ')');
}

static void names(tool_output *out, const etl_logfile *logfile)
{
    label(out, "logger");
    tool_put_char(out, '"');
    tool_put_utf16(out, logfile->logger_name);
    tool_put_text(out, "\", file \"");
    tool_put_utf16(out, logfile->log_file_name);
    tool_put_text(out, "\"\n");
}

static void trace(tool_output *out, const etl_logfile *logfile)
{
    if (!logfile->known) {
        label(out, "trace");
        tool_put_text(out, "no logfile header: version, clock and mode are unknown\n");
        return;
    }
    const char *clock = etl_clock_type_name(logfile->clock.type);
    label(out, "Windows");
    tool_put_windows(out, logfile);
    tool_put_format(out, ", %u-bit\n", logfile->pointer_size * 8u);
    names(out, logfile);
    label(out, "clock");
    tool_put_format(out, "%s (%" PRIu32 ")", clock != NULL ? clock : "unknown", logfile->clock.type);
    if (logfile->clock.type == ETL_CLOCK_TYPE_PERFCOUNTER)
        tool_put_format(out, ", %" PRIu64 " ticks per second", logfile->clock.frequency);
    if (logfile->clock.type == ETL_CLOCK_TYPE_CPUCYCLE)
        tool_put_format(out, ", %" PRIu64 " MHz", logfile->clock.frequency);
    tool_put_char(out, '\n');
    label(out, "mode");
    tool_put_format(out, "0x%08" PRIx32, logfile->log_file_mode);
    name_list(out, logfile->log_file_mode, etl_logger_mode_names());
    tool_put_char(out, '\n');
    label(out, "closed");
    tool_put_text(out, logfile->end_time != 0 ? "yes\n" : "no\n");
    label(out, "processors");
    tool_put_count(out, logfile->number_of_processors);
    tool_put_char(out, '\n');
}

static void buffers(tool_output *out, const tool_validation *validation)
{
    label(out, "buffers");
    tool_put_count(out, validation->reader->trace.buffers);
    tool_put_text(out, " (");
    tool_put_count(out, validation->reader->trace.compressed_buffers);
    tool_put_text(out, " compressed)\n");
}

static void row(tool_output *out, uint64_t count, const char *name)
{
    tool_put_format(out, "    %14" PRIu64 "  %s\n", count, name);
}

static void events(tool_output *out, const tool_tally *tally)
{
    label(out, "events");
    tool_put_count(out, tally->events);
    tool_put_char(out, '\n');
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++) {
        if (tally->events_by_type[type] == 0)
            continue;
        tool_put_format(out, "    %14" PRIu64 "  0x%02x %s\n", tally->events_by_type[type], type,
                        etl_header_type_name((uint8_t)type));
    }
}

static void items(tool_output *out, const tool_inventory *inventory)
{
    uint64_t all = 0;
    for (unsigned type = 0; type < inventory->item_types; type++)
        all += inventory->items[type];
    if (all == 0)
        return;
    label(out, "extended items");
    tool_put_count(out, all);
    tool_put_char(out, '\n');
    for (unsigned type = 0; type < inventory->item_types; type++) {
        if (inventory->items[type] == 0)
            continue;
        const char *name = etl_item_type_name((uint16_t)type);
        tool_put_format(out, "    %14" PRIu64 "  0x%x %s\n", inventory->items[type], type, name != NULL ? name : "unknown");
    }
}

/* One line of the list of providers: a provider, or a group of kernel events. */
typedef struct source {
    uint64_t events;
    const tool_provider *provider; /* NULL: a group */
    unsigned group;
} source;

/* Inserts `next` among the TOP_PROVIDERS with most events. Returns how many there are now. */
static size_t insert(source top[TOP_PROVIDERS], size_t count, source next)
{
    size_t at = count;
    while (at > 0 && top[at - 1].events < next.events)
        at--;
    if (at == TOP_PROVIDERS)
        return count;
    size_t last = count < TOP_PROVIDERS ? count : TOP_PROVIDERS - 1;
    memmove(top + at + 1, top + at, (last - at) * sizeof top[0]);
    top[at] = next;
    return last + 1;
}

static void source_line(tool_output *out, const source *s)
{
    if (s->provider != NULL) {
        etl_guid guid = tool_provider_guid(s->provider);
        tool_put_format(out, "    %14" PRIu64 "  ", s->events);
        tool_put_guid(out, &guid);
        const tool_payload_counts *payloads = &s->provider->payloads;
        if (payloads->whole + payloads->cut > 0)
            tool_put_format(out, "  %" PRIu64 " decoded, %" PRIu64 " not fitting", payloads->whole, payloads->cut);
        tool_put_char(out, '\n');
        return;
    }
    const char *guid = etl_hook_group_guid((uint8_t)s->group), *name = etl_hook_group_name((uint8_t)s->group);
    tool_put_format(out, "    %14" PRIu64 "  %s  kernel group 0x%02x %s\n", s->events,
                    guid != NULL ? guid : "00000000-0000-0000-0000-000000000000", s->group,
                    name != NULL ? name : "unknown");
}

static void providers(tool_output *out, const tool_providers *all)
{
    source top[TOP_PROVIDERS];
    size_t count = 0;
    uint64_t total = all->others, shown = 0;
    unsigned different = 0;
    for (size_t i = 0; i < TOOL_PROVIDERS_MAX; i++) {
        if (all->at[i].events == 0)
            continue;
        different++;
        total += all->at[i].events;
        count = insert(top, count, (source){all->at[i].events, &all->at[i], 0});
    }
    for (unsigned group = 0; group < 0x100; group++) {
        if (all->groups[group] == 0)
            continue;
        different++;
        total += all->groups[group];
        count = insert(top, count, (source){all->groups[group], NULL, group});
    }
    if (total + all->none == 0)
        return;
    label(out, "providers");
    tool_put_format(out, "%s%u\n", all->others > 0 ? "more than " : "", different);
    for (size_t i = 0; i < count; i++) {
        source_line(out, &top[i]);
        shown += top[i].events;
    }
    if (total > shown)
        row(out, total - shown, "from other providers");
    if (all->none > 0)
        row(out, all->none, "without a provider");
}

static void payloads(tool_output *out, const tool_inventory *inventory)
{
    const tool_payload_counts *counts = &inventory->payloads;
    if (!inventory->with_payloads)
        return;
    label(out, "payloads");
    tool_put_format(out, "%" PRIu64 " decoded, %" PRIu64 " not fitting, %" PRIu64 " without schema", counts->whole,
                    counts->cut, inventory->tally.events - counts->whole - counts->cut - counts->schemas);
    if (counts->schemas > 0)
        tool_put_format(out, "; %" PRIu64 " are schemas of others", counts->schemas);
    tool_put_char(out, '\n');
}

static void lost(tool_output *out, const tool_inventory *inventory)
{
    if (!inventory->logfile.known)
        return;
    label(out, "lost by logger");
    tool_put_counted(out, inventory->logfile.events_lost, "event");
    tool_put_text(out, ", ");
    tool_put_counted(out, inventory->logfile.buffers_lost, "buffer");
    tool_put_char(out, '\n');
    if (inventory->buffer_events_lost > 0)
        row(out, inventory->buffer_events_lost, "events lost according to buffer headers");
}

static void time_range(tool_output *out, const tool_inventory *inventory)
{
    if (!inventory->time.known)
        return;
    label(out, "time");
    tool_text_time(out, &inventory->logfile.clock, inventory->time.first);
    tool_put_text(out, " to ");
    tool_text_time(out, &inventory->logfile.clock, inventory->time.last);
    tool_put_char(out, '\n');
}

static void bytes(tool_output *out, const tool_tally *tally, uint64_t size)
{
    label(out, "bytes");
    tool_put_count(out, size);
    tool_put_char(out, '\n');
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
        if (tally->tiling.bytes[kind] > 0)
            row(out, tally->tiling.bytes[kind], etl_region_text((etl_region_kind)kind));
}

/* Prints one rule, its first findings, and how many more there are. */
static void findings_of(tool_output *out, const tool_inventory *inventory, etl_rule rule, bool all)
{
    uint64_t total = inventory->findings_of_rule[rule], shown = 0;
    const tool_profile profile = inventory->tally.profile;
    tool_put_finding_rule(out, profile, rule);
    for (uint32_t i = 0; i < inventory->kept_count; i++) {
        if (inventory->kept[i].rule != rule || (!all && shown == TOOL_FINDINGS_OF_RULE))
            continue;
        tool_put_text(out, "    ");
        tool_put_finding(out, profile, &inventory->kept[i]);
        shown++;
    }
    if (total == shown)
        return;
    tool_put_text(out, "    and ");
    tool_put_count(out, total - shown);
    tool_put_format(out, " more of %s\n", etl_rule_get(rule)->id);
}

static void findings(tool_output *out, const tool_inventory *inventory, bool all)
{
    for (unsigned severity = ETL_SEVERITY_COUNT; severity-- > 0;)
        for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
            if (inventory->findings_of_rule[rule] > 0 &&
                tool_profile_severity(inventory->tally.profile, (etl_rule)rule) == (etl_severity)severity)
                findings_of(out, inventory, (etl_rule)rule, all);
}

void tool_validation_text(tool_output *out, const tool_validation *validation)
{
    const tool_inventory *inventory = validation->inventory;
    if (validation->verdict != TOOL_VERDICT_NOT_ETL) {
        trace(out, &inventory->logfile);
        buffers(out, validation);
        events(out, &inventory->tally);
        items(out, inventory);
        providers(out, &inventory->providers);
        payloads(out, inventory);
        lost(out, inventory);
        time_range(out, inventory);
        bytes(out, &inventory->tally, validation->input->size);
    }
    if (validation->verdict != TOOL_VERDICT_NOT_ETL || !tool_is_other_kind(validation->input))
        findings(out, inventory, validation->all);
}
