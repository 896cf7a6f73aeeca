/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdio.h>

void etl_tally_buffer(etl_tally *tally, const etl_buffer *buffer)
{
    etl_region regions[ETL_BUFFER_REGIONS];
    size_t count = etl_buffer_regions(buffer, regions);
    for (size_t i = 0; i < count; i++)
        etl_tiling_add(&tally->tiling, &regions[i]);
}

void etl_tally_finding(etl_tally *tally, const etl_finding *finding)
{
    tally->findings[etl_rule_get(finding->rule)->severity]++;
}

etl_verdict etl_tally_verdict(const etl_tally *tally, const etl_reader *reader, bool strict)
{
    if (tally->events == 0 && !reader->trace.logfile.known)
        return ETL_VERDICT_NOT_ETL;
    if (tally->findings[ETL_SEVERITY_ERROR] > 0 || (strict && tally->findings[ETL_SEVERITY_WARNING] > 0))
        return ETL_VERDICT_DAMAGED;
    return tally->findings[ETL_SEVERITY_LIMIT] > 0 ? ETL_VERDICT_LIMIT : ETL_VERDICT_CONFORMING;
}

const char *etl_verdict_text(etl_verdict verdict)
{
    static const char *const texts[] = {
        [ETL_VERDICT_CONFORMING] = "conforming",
        [ETL_VERDICT_DAMAGED] = "damaged",
        [ETL_VERDICT_NOT_ETL] = "not-etl",
        [ETL_VERDICT_LIMIT] = "limit",
    };
    return texts[verdict];
}

/* The promises that the decoder has to keep whatever the file holds; NULL if it kept them. */
static const char *broken_promise(const etl_tally *tally, const etl_pull *pull)
{
    if (pull->fault == ETL_PULL_BUG)
        return "the decoder stopped at a condition that it rules out";
    if (pull->findings_overflow)
        return "one step made more findings than there can be";
    if (tally->tiling.broken)
        return "regions overlap, or leave bytes out";
    if (pull->fault == ETL_PULL_NONE && tally->tiling.next != pull->input->size)
        return "the regions do not add up to the size of the file";
    return NULL;
}

etl_exit etl_tally_exit(const etl_tally *tally, const etl_pull *pull, etl_verdict verdict)
{
    static const etl_exit by_verdict[] = {
        [ETL_VERDICT_CONFORMING] = ETL_EXIT_CONFORMING,
        [ETL_VERDICT_DAMAGED] = ETL_EXIT_DAMAGED,
        [ETL_VERDICT_NOT_ETL] = ETL_EXIT_NOT_ETL,
        [ETL_VERDICT_LIMIT] = ETL_EXIT_LIMIT,
    };
    const char *promise = broken_promise(tally, pull);
    if (promise != NULL) {
        etl_complain("%s: internal error, a bug of etlproof and not a fault of the file: %s", pull->input->title, promise);
        return ETL_EXIT_INTERNAL;
    }
    if (pull->fault == ETL_PULL_READ)
        return ETL_EXIT_INPUT;
    if (pull->fault == ETL_PULL_MEMORY) {
        etl_complain("%s: out of memory", pull->input->title);
        return ETL_EXIT_LIMIT;
    }
    return by_verdict[verdict];
}

void etl_tally_json_types(etl_json *json, const etl_tally *tally)
{
    etl_json_object(json, "events_by_header_type");
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++) {
        if (tally->events_by_type[type] == 0)
            continue;
        char key[16];
        (void)snprintf(key, sizeof key, "0x%02x", type);
        etl_json_u64(json, key, tally->events_by_type[type]);
    }
    etl_json_object_end(json);
}

void etl_tally_json_severities(etl_json *json, const char *key, const etl_tally *tally)
{
    etl_json_object(json, key);
    for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity < ETL_SEVERITY_COUNT; severity++)
        etl_json_u64(json, etl_severity_text((etl_severity)severity), tally->findings[severity]);
    etl_json_object_end(json);
}

void etl_tally_json_bytes(etl_json *json, const etl_tally *tally)
{
    etl_json_object(json, "bytes");
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
        etl_json_u64(json, etl_region_text((etl_region_kind)kind), tally->tiling.bytes[kind]);
    etl_json_object_end(json);
}
