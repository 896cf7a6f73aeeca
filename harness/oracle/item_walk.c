/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the extended items of an event form a chain inside it, and each of them by item_members.c. Called by
 * oracle_step.
 */
#include "entry_points.h"
#include "step_checks.h"

static bool item_holds(const etl_event *event, const etl_item *item, uint64_t at)
{
    uint64_t end = (uint64_t)event->header_size + event->items_size;
    uint64_t least = (uint64_t)ETL_SIZE(EXTENDED_DATA_ITEM) + item->data.size;
    return item->offset == at && item->size >= least && at + item->size <= end &&
           (item->data.size == 0 || item->data.at == event->bytes.at + at + ETL_SIZE(EXTENDED_DATA_ITEM));
}

bool oracle_items(oracle_watch *oracle, const etl_event *event)
{
    uint64_t at = event->header_size;
    uint32_t count = 0;
    etl_items items = etl_event_items(event);
    etl_item item;
    while (etl_items_next(&items, &item)) {
        if (++count > ETL_ITEMS_MAX || !item_holds(event, &item, at))
            return oracle_break(oracle, ORACLE_PROMISE_ITEMS, event->offset);
        at += item.size;
        oracle_mix(oracle, item.type);
        oracle_mix(oracle, item.layout);
        oracle_mix(oracle, item.linkage);
        if (!oracle_item(oracle, event, &item))
            return false;
    }
    if (at != (uint64_t)event->header_size + event->items_size)
        return oracle_break(oracle, ORACLE_PROMISE_ITEMS, event->offset);
    return true;
}
