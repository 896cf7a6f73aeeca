/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of extended data items behind an EVENT_HEADER. One arrow of the decode: event to items.
 */
#ifndef ETLPROOF_ITEMS_H
#define ETLPROOF_ITEMS_H

#include "etlproof/event.h"
#include "etlproof/item.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* A chain has no more than this many items: more than twice what any writer attaches. */
#define ETL_ITEMS_MAX 32

/* The items of an event that could be read: those in its `items_size` bytes. */
typedef struct etl_items {
    etl_span bytes;
    uint32_t base; /* of `bytes`, from the start of the event */
    uint32_t at;
} etl_items;

etl_items etl_event_items(const etl_event *event);
bool etl_items_next(etl_items *items, etl_item *item);

/*
 * Walks the chain that starts at `at` of the event, for framing: returns the bytes of the items that can be read.
 * `whole` says that the chain ended where it should; if not, what follows it cannot be read.
 * Findings: EXT-002 to EXT-007, PAY-001, PAY-004, PAY-005.
 */
uint32_t etl_items_measure(const etl_event *event, uint32_t at, bool *whole, etl_findings *findings);

ETL_C_END

#endif
