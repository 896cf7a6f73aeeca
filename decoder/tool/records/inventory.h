/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inventory of one file, for `etlproof validate`. Its size does not depend on the file.
 */
#ifndef ETLPROOF_RECORDS_INVENTORY_H
#define ETLPROOF_RECORDS_INVENTORY_H

#include "etlproof/etlproof.h"

#include "io/pull.h"
#include "records/providers.h"
#include "records/tally.h"
#include "records/trace_schemas.h"
#include "records/writer_check.h"

/* Kept are the first findings of the file, and behind them the first of each rule. All findings are counted. */
#define TOOL_FINDINGS_FIRST 1000u
#define TOOL_FINDINGS_OF_RULE 5u
#define TOOL_FINDINGS_KEPT (TOOL_FINDINGS_FIRST + TOOL_FINDINGS_OF_RULE * ETL_RULE_COUNT)

/* Largest name in bytes of UTF-16: the Size of its event has 16 bits. */
#define TOOL_NAME_SIZE 0x10000u

/* The least and the greatest timestamp of a file. */
typedef struct tool_time_range {
    bool known;
    int64_t first, last;
} tool_time_range;

typedef struct tool_inventory {
    bool with_payloads; /* read the payloads, and report what is wrong with them; set by the caller */
    tool_payload_counts payloads;
    tool_schemas schemas;
    tool_tally tally; /* its profile is set by the caller */
    tool_writer_check writer;
    tool_providers providers;
    uint64_t items[0x10000]; /* by ExtType */
    uint32_t item_types;     /* the greatest ExtType of an item, plus 1 */
    tool_time_range time;
    uint64_t buffer_events_lost; /* sum over the buffer headers of 5.0 and 5.1 */
    uint64_t findings_of_rule[ETL_RULE_COUNT];
    etl_finding kept[TOOL_FINDINGS_KEPT];
    uint32_t kept_count;
    bool has_first;
    etl_finding first;   /* the first finding that makes the verdict */
    etl_logfile logfile; /* only the spans of its two names may be used */
    uint8_t names[2][TOOL_NAME_SIZE];
} tool_inventory;

void tool_inventory_open(tool_inventory *inventory);

/* Reads the file to its end. `strict`: warnings count as damage. */
void tool_inventory_take(tool_inventory *inventory, tool_pull *pull, bool strict);

#endif
