/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of extended data items behind an EVENT_HEADER. This step of the decode turns an event into items.
 */
#ifndef ETLPROOF_ITEMS_H
#define ETLPROOF_ITEMS_H

#include "etlproof/event.h"
#include "etlproof/item.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* The largest number of items in a chain: more than twice what any writer attaches. */
#define ETL_ITEMS_MAX 32

/* An iterator over the items that could be read: those in the event's `items_size` bytes. */
typedef struct etl_items {
    etl_span bytes;
    uint32_t base; /* offset of `bytes` from the start of the event */
    uint32_t at;   /* of the next item, in `bytes` */
} etl_items;

/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns \nothing;
  @ ensures \valid_read(\result.bytes.at + (0 .. \result.bytes.size - 1));
  @ ensures \result.bytes.size <= event->items_size && \result.base == event->header_size && \result.at == 0; */
etl_items etl_event_items(const etl_event *event);

/* False if there is no further item. */
/*@ requires \valid(items) && \valid_read(items->bytes.at + (0 .. items->bytes.size - 1)) && \valid(item);
  @ requires \separated(items, item) && \separated(item, items->bytes.at + (0 .. items->bytes.size - 1));
  @ assigns *item, items->at;
  @ ensures \result ==> \valid_read(item->data.at + (0 .. item->data.size - 1)) && item->data.size <= UINT16_MAX;
  @ ensures \result ==> \old(items->at) < items->bytes.size && item->offset <= items->base + \old(items->at); */
bool etl_items_next(etl_items *items, etl_item *item);

/*
 * Measures the chain that starts at `at` of the event, for framing: returns how many bytes of items can be read. `*whole`
 * is true if the last item ended the chain; if not, the rest of the event cannot be read.
 * Findings: EXT-002 to EXT-007, PAY-001, PAY-004, PAY-005.
 */
/*@ requires \valid_read(event) && \valid_read(event->bytes.at + (0 .. event->bytes.size - 1)) && at <= event->size;
  @ requires \valid(findings) && findings->count <= ETL_FINDINGS_MAX && \valid(whole);
  @ requires \separated(findings, event, whole) && \separated(findings, event->bytes.at + (0 .. event->bytes.size - 1));
  @ assigns *findings, *whole;
  @ ensures findings->count <= ETL_FINDINGS_MAX && \result <= event->size - at; */
uint32_t etl_items_measure(const etl_event *event, uint32_t at, bool *whole, etl_findings *findings);

ETL_C_END

#endif
