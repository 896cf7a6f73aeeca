/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every verb counts, and the verdict that follows from it.
 */
#ifndef ETLPROOF_TALLY_H
#define ETLPROOF_TALLY_H

#include "etlproof/etlproof.h"

#include "json.h"
#include "pull.h"
#include "tool.h"

typedef struct etl_tally {
    uint64_t events;
    uint64_t events_by_type[ETL_HEADER_TYPE_COUNT];
    uint64_t findings[ETL_SEVERITY_COUNT];
    etl_tiling tiling;
} etl_tally;

typedef enum etl_verdict {
    ETL_VERDICT_CONFORMING,
    ETL_VERDICT_DAMAGED,
    ETL_VERDICT_NOT_ETL,
    ETL_VERDICT_LIMIT
} etl_verdict;

static inline void etl_tally_part(etl_tiling *tiling, etl_region_kind kind, uint64_t size)
{
    tiling->bytes[kind] += size;
    tiling->next += size;
}

/* An event: five regions at once, so that a pass over a large file is not held up by them. */
static inline void etl_tally_event(etl_tally *tally, const etl_event *event)
{
    tally->events++;
    tally->events_by_type[event->type]++;
    if (event->space != ETL_SPACE_FILE)
        return;
    etl_tiling *tiling = &tally->tiling;
    tiling->broken |= tiling->next != event->offset;
    etl_tally_part(tiling, ETL_REGION_EVENT_HEADER, event->header_size);
    etl_tally_part(tiling, ETL_REGION_ITEMS, event->items_size);
    etl_tally_part(tiling, ETL_REGION_PAYLOAD, event->data_size);
    etl_tally_part(tiling, ETL_REGION_DAMAGED, event->lost_size);
    etl_tally_part(tiling, ETL_REGION_PADDING, event->padding);
}

/* The regions that are the buffer's own. */
void etl_tally_buffer(etl_tally *tally, const etl_buffer *buffer);

void etl_tally_finding(etl_tally *tally, const etl_finding *finding);

/* `strict`: warnings count as damage. */
etl_verdict etl_tally_verdict(const etl_tally *tally, const etl_reader *reader, bool strict);
const char *etl_verdict_text(etl_verdict verdict);

/* The exit code of a file that was pulled to its end, or could not be; a bug of ours is said on standard error. */
etl_exit etl_tally_exit(const etl_tally *tally, const etl_pull *pull, etl_verdict verdict);

/* "events_by_header_type", "findings" by severity, "bytes" by region kind. */
void etl_tally_json_types(etl_json *json, const etl_tally *tally);
void etl_tally_json_severities(etl_json *json, const char *key, const etl_tally *tally);
void etl_tally_json_bytes(etl_json *json, const etl_tally *tally);

#endif
