/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the length of a chain of extended items against the sizes that its items state. Called by fuzz_items and by
 * targets of single events; the findings about a chain are checked in due_items.c.
 */
#include "entry_points.h"
#include "input_bytes.h"

/* Whether item `number` of a chain, at `at` of an event, can be read. */
static bool is_item(const etl_event *event, uint32_t at, uint32_t number)
{
    const uint32_t available = event->size - at;
    const uint8_t *b = event->bytes.at + at;
    if (number == ETL_ITEMS_MAX || available < ETL_SIZE(EXTENDED_DATA_ITEM))
        return false;
    const uint32_t total = oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    const uint32_t least = ETL_SIZE(EXTENDED_DATA_ITEM) + oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, DataSize));
    return total % 8 == 0 && total >= least && total - least < 8 && total <= available;
}

static oracle_measure measure_chain(const etl_event *event, uint32_t at)
{
    oracle_measure m = {.at = at};
    for (uint32_t number = 0; !m.whole && is_item(event, at + m.size, number); number++) {
        const uint8_t *b = event->bytes.at + at + m.size;
        m.whole = b[ETL_AT(EXTENDED_DATA_ITEM, Linkage)] % 2 == 0;
        m.size += oracle_raw_u16(b + ETL_AT(EXTENDED_DATA_ITEM, TotalSize));
    }
    return m;
}

bool oracle_chain(oracle_watch *oracle, const etl_event *event, oracle_measure measure)
{
    const oracle_measure expected = measure_chain(event, measure.at);
    if (!ORACLE_HOLDS(measure.size == expected.size) || !ORACLE_HOLDS(measure.whole == expected.whole))
        return oracle_break(oracle, ORACLE_PROMISE_CHAIN, event->offset + measure.at);
    return true;
}
