/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What validate gathers of one file. Its size does not depend on the file.
 */
#ifndef ETLPROOF_INVENTORY_H
#define ETLPROOF_INVENTORY_H

#include "etlproof/etlproof.h"

#include "records/providers.h"
#include "io/pull.h"
#include "records/tally.h"

/* Findings that are kept; all are counted. */
#define TOOL_FINDINGS_KEPT 1100u
/* Of each rule, this many are kept however many of other rules came before. */
#define TOOL_FINDINGS_OF_RULE 5u

/* Room for a name, UTF-16: the event that it is in has fewer bytes, since its Size has 16 bits. */
#define TOOL_NAME_SIZE 0x10000u

/* Events between which the time stamps of a file lie. */
typedef struct tool_time_range {
    bool known;
    int64_t first, last;
} tool_time_range;

typedef struct tool_inventory {
    tool_tally tally;
    tool_providers providers;
    uint64_t items[0x10000]; /* by ExtType */
    tool_time_range time;
    uint64_t buffer_events_lost; /* sum of what 5.0 and 5.1 buffers say */
    uint64_t findings_of_rule[ETL_RULE_COUNT];
    etl_finding kept[TOOL_FINDINGS_KEPT];
    uint32_t kept_count;
    uint32_t reserved;   /* places kept back for rules that have had fewer than TOOL_FINDINGS_OF_RULE */
    bool has_first;
    etl_finding first;   /* the first of those that the verdict rests on */
    etl_logfile logfile; /* its spans, but for the two names, must not be used */
    uint8_t names[2][TOOL_NAME_SIZE];
} tool_inventory;

void tool_inventory_open(tool_inventory *inventory);

/* Pulls the file to its end. `strict`: the verdict rests on warnings too. */
void tool_inventory_take(tool_inventory *inventory, tool_pull *pull, bool strict);

#endif
