/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts events, findings and bytes of a file, and derives the verdict and the exit code. Every verb that reads a trace
 * calls this.
 */
#include "records/tally.h"

#include <stdio.h>

void tool_tally_buffer(tool_tally *tally, const etl_buffer *buffer)
{
    etl_region regions[ETL_BUFFER_REGIONS];
    size_t count = etl_buffer_regions(buffer, regions);
    for (size_t i = 0; i < count; i++)
        etl_tiling_add(&tally->tiling, &regions[i]);
}

void tool_tally_finding(tool_tally *tally, const etl_finding *finding)
{
    tally->findings[tool_profile_severity(tally->profile, finding->rule)]++;
}

tool_verdict tool_tally_verdict(const tool_tally *tally, const etl_reader *reader, bool strict)
{
    if (tally->events == 0 && !reader->trace.logfile.known)
        return TOOL_VERDICT_NOT_ETL;
    if (tally->findings[ETL_SEVERITY_ERROR] > 0 || (strict && tally->findings[ETL_SEVERITY_WARNING] > 0))
        return TOOL_VERDICT_DAMAGED;
    return tally->findings[ETL_SEVERITY_LIMIT] > 0 ? TOOL_VERDICT_LIMIT : TOOL_VERDICT_CONFORMING;
}

const char *tool_verdict_text(tool_verdict verdict)
{
    static const char *const texts[] = {
        [TOOL_VERDICT_CONFORMING] = "conforming",
        [TOOL_VERDICT_DAMAGED] = "damaged",
        [TOOL_VERDICT_NOT_ETL] = "not-etl",
        [TOOL_VERDICT_LIMIT] = "limit",
    };
    return texts[verdict];
}

/* The promise that the decoder broke, which no file can cause; NULL if it kept all of them. */
static const char *broken_promise(const tool_tally *tally, const tool_pull *pull)
{
    if (pull->fault == TOOL_PULL_BUG)
        return "the decoder reached an impossible state";
    if (pull->findings_overflow)
        return "one step reported more findings than it may";
    if (tally->tiling.broken)
        return "regions overlap or leave gaps";
    if (pull->fault == TOOL_PULL_NONE && tally->tiling.next != pull->input->size)
        return "the regions do not add up to the size of the file";
    return NULL;
}

tool_exit tool_tally_exit(const tool_tally *tally, const tool_pull *pull, tool_verdict verdict)
{
    static const tool_exit by_verdict[] = {
        [TOOL_VERDICT_CONFORMING] = TOOL_EXIT_CONFORMING,
        [TOOL_VERDICT_DAMAGED] = TOOL_EXIT_DAMAGED,
        [TOOL_VERDICT_NOT_ETL] = TOOL_EXIT_NOT_ETL,
        [TOOL_VERDICT_LIMIT] = TOOL_EXIT_LIMIT,
    };
    const char *promise = broken_promise(tally, pull);
    if (promise != NULL) {
        tool_print_error("%s: internal error (a bug in etlproof, not in the file): %s", pull->input->title,
                         promise);
        return TOOL_EXIT_INTERNAL;
    }
    if (pull->fault == TOOL_PULL_READ)
        return TOOL_EXIT_INPUT;
    if (pull->fault == TOOL_PULL_MEMORY) {
        tool_print_error("%s: out of memory", pull->input->title);
        return TOOL_EXIT_LIMIT;
    }
    return by_verdict[verdict];
}

void tool_tally_json_types(tool_json *json, const tool_tally *tally)
{
    tool_json_object(json, "events_by_header_type");
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++) {
        if (tally->events_by_type[type] == 0)
            continue;
        char key[16];
        (void)snprintf(key, sizeof key, "0x%02x", type);
        tool_json_u64(json, key, tally->events_by_type[type]);
    }
    tool_json_object_end(json);
}

void tool_tally_json_severities(tool_json *json, const char *key, const tool_tally *tally)
{
    tool_json_object(json, key);
    for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity < ETL_SEVERITY_COUNT; severity++)
        tool_json_u64(json, etl_severity_text((etl_severity)severity), tally->findings[severity]);
    tool_json_object_end(json);
}

void tool_tally_json_bytes(tool_json *json, const tool_tally *tally)
{
    tool_json_object(json, "bytes");
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
        tool_json_u64(json, etl_region_text((etl_region_kind)kind), tally->tiling.bytes[kind]);
    tool_json_object_end(json);
}
