/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures and walks a chain of extended items after an EVENT_HEADER, and decodes each of them.
 */
#include "broken_promise.h"
#include "context_input.h"
#include "due.h"
#include "exact_copy.h"
#include "step_checks.h"
#include "target.h"

/* The most bytes that an event's Size can state. */
#define CHAIN_MOST ((size_t)UINT16_MAX - ETL_SIZE(EVENT_HEADER))

static const char *const layers[] = {"items", NULL};

/* The findings are those that the bytes of the chain call for. */
static void hold_findings(oracle_watch *oracle, const etl_event *e, const etl_findings *findings)
{
    const oracle_due_event event = {
        .data = e->bytes, .extent = e->size, .framed = true, .context = e->context, .space = ETL_SPACE_FILE};
    oracle_due due;
    oracle_due_begin(&due, findings);
    oracle_due_items(&due, &event, e->header_size, e->size);
    oracle_due_end(oracle, &due);
    target_hold(oracle, NULL);
}

static void walk(etl_event *event)
{
    static etl_findings findings;
    oracle_watch oracle;
    oracle_init(&oracle, event->size, ETL_LIMITS_DEFAULT, true);
    findings.count = 0;
    oracle_measure measure = {.at = event->header_size};
    measure.size = etl_items_measure(event, measure.at, &measure.whole, &findings);
    if (oracle_call(&oracle, &findings, layers, measure.at, event->size) && oracle_chain(&oracle, event, measure)) {
        event->items_size = measure.size;
        event->data_size = event->size - event->header_size - measure.size;
        oracle_items(&oracle, event);
    }
    target_hold(&oracle, NULL);
    hold_findings(&oracle, event, &findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    if (part.bytes.size <= CHAIN_MOST) {
        const etl_span bytes = target_copy_between(part.bytes, ETL_SIZE(EVENT_HEADER), 0);
        etl_event event = {
            .bytes = bytes,
            .size = (uint32_t)bytes.size,
            .header_size = ETL_SIZE(EVENT_HEADER),
            .type = part.context.pointer_size == 8 ? ETL_HEADER_TYPE_EVENT_HEADER64 : ETL_HEADER_TYPE_EVENT_HEADER32,
            .layout = ETL_LAYOUT_EVENT,
            .context = part.context,
        };
        walk(&event);
        target_copy_free(bytes);
    }
    target_context_input_free(&part);
    return 0;
}
