/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts that every verb takes of a file, and the verdict and exit code that follow from them.
 */
#ifndef ETLPROOF_RECORDS_TALLY_H
#define ETLPROOF_RECORDS_TALLY_H

#include "etlproof/etlproof.h"

#include "io/command.h"
#include "io/pull.h"
#include "records/json_writer.h"
#include "records/profile.h"

typedef struct tool_tally {
    tool_profile profile; /* whose severities are counted; zero: READER */
    uint64_t events;
    uint64_t events_by_type[ETL_HEADER_TYPE_COUNT];
    uint64_t findings[ETL_SEVERITY_COUNT];
    etl_tiling tiling;
} tool_tally;

typedef enum tool_verdict {
    TOOL_VERDICT_CONFORMING,
    TOOL_VERDICT_DAMAGED,
    TOOL_VERDICT_NOT_ETL,
    TOOL_VERDICT_LIMIT
} tool_verdict;

static inline void tool_tally_part(etl_tiling *tiling, etl_region_kind kind, uint64_t size)
{
    tiling->bytes[kind] += size;
    tiling->next += size;
}

/* Counts an event and its five regions. Inline: it runs once an event. */
static inline void tool_tally_event(tool_tally *tally, const etl_event *event)
{
    tally->events++;
    tally->events_by_type[event->type]++;
    if (event->space != ETL_SPACE_FILE)
        return;
    etl_tiling *tiling = &tally->tiling;
    tiling->broken |= tiling->next != event->offset;
    tool_tally_part(tiling, ETL_REGION_EVENT_HEADER, event->header_size);
    tool_tally_part(tiling, ETL_REGION_ITEMS, event->items_size);
    tool_tally_part(tiling, ETL_REGION_PAYLOAD, event->data_size);
    tool_tally_part(tiling, ETL_REGION_DAMAGED, event->lost_size);
    tool_tally_part(tiling, ETL_REGION_PADDING, event->padding);
}

/* Counts the regions of a buffer outside its events. */
void tool_tally_buffer(tool_tally *tally, const etl_buffer *buffer);

void tool_tally_finding(tool_tally *tally, const etl_finding *finding);

/* `strict`: warnings count as damage. */
tool_verdict tool_tally_verdict(const tool_tally *tally, const etl_reader *reader, bool strict);
const char *tool_verdict_text(tool_verdict verdict);

/* The exit code of a file that was read to its end, or could not be. Reports a broken promise on standard error. */
tool_exit tool_tally_exit(const tool_tally *tally, const tool_pull *pull, tool_verdict verdict);

/* Print "events_by_header_type", findings by severity under `key`, and "bytes" by region kind. */
void tool_tally_json_types(tool_json *json, const tool_tally *tally);
void tool_tally_json_severities(tool_json *json, const char *key, const tool_tally *tally);
void tool_tally_json_bytes(tool_json *json, const tool_tally *tally);

#endif
