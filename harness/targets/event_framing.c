/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames single events under the oracles that apply to them. Called by fuzz_event and fuzz_message.
 */
#include "event_framing.h"

#include "broken_promise.h"
#include "due.h"
#include "exact_copy.h"
#include "step_checks.h"

/* The offset of the second framing, a multiple of 8, and how many bytes are after its data. */
#define ELSEWHERE 16u
#define BEHIND 24u

static const char *const layers[] = {"event", "message", "items", NULL};

static void frame(oracle_framing *f, etl_span data, uint32_t at, uint32_t extent, etl_context context, uint64_t index)
{
    f->data = data;
    f->at = at;
    f->extent = extent;
    f->event = (etl_event){.index = index, .offset = at, .space = ETL_SPACE_FILE, .context = context};
    f->findings.count = 0;
    f->findings.overflow = false;
    f->framed = etl_event_frame(data, at, extent, &f->event, &f->findings);
}

/* Measures a chain of items again, for results that framing does not return. */
static bool hold_items(oracle_watch *oracle, const etl_event *event)
{
    static etl_findings findings;
    findings.count = 0;
    etl_event_fields fields;
    etl_event_read(event, &fields);
    if (event->layout != ETL_LAYOUT_EVENT || !(fields.flags & ETL_EVENT_FLAG_EXTENDED_INFO))
        return true;
    oracle_measure measure = {.at = event->header_size};
    measure.size = etl_items_measure(event, measure.at, &measure.whole, &findings);
    if (measure.size != event->items_size || (measure.whole && event->lost_size != 0) ||
        (!measure.whole && event->data_size != 0))
        return oracle_break(oracle, ORACLE_PROMISE_CHAIN, event->offset);
    return oracle_chain(oracle, event, measure);
}

static bool hold_event(oracle_watch *oracle, const etl_event *event, etl_span data)
{
    const etl_buffer buffer = {.space = ETL_SPACE_FILE, .data = data, .extent = (uint32_t)data.size};
    const etl_clock clock = {.type = ETL_CLOCK_TYPE_RAW};
    etl_event_fields fields;
    etl_event_read(event, &fields);
    return oracle_event(oracle, event, &buffer, &clock) &&
           (event->layout != ETL_LAYOUT_MESSAGE || oracle_message(oracle, event)) &&
           oracle_fields(oracle, event, &fields) && hold_items(oracle, event);
}

/* The findings are those that the bytes call for. Fewer bytes than those of a header decide nothing. */
static bool hold_findings(oracle_watch *oracle, const oracle_framing *f)
{
    const oracle_due_event event = {.data = f->data,
                                    .at = f->at,
                                    .extent = f->extent,
                                    .framed = f->framed,
                                    .context = f->event.context,
                                    .space = ETL_SPACE_FILE,
                                    .offset = f->event.offset,
                                    .buffer = f->event.buffer,
                                    .index = f->event.index};
    oracle_due due;
    if (f->extent - f->at < ETL_SIZE(OPAQUE_HEADER))
        return true;
    oracle_due_begin(&due, &f->findings);
    oracle_due_frame(&due, &event, 0, ETL_ACTION_CONTINUE);
    return oracle_due_end(oracle, &due);
}

bool target_frame_one(oracle_watch *oracle, oracle_framing *f, etl_span data, uint32_t at, etl_context context)
{
    const uint32_t extent = (uint32_t)data.size;
    frame(f, data, at, extent, context, oracle->events);
    uint64_t end = f->framed ? (uint64_t)at + f->event.size : extent;
    bool held = oracle_frame(oracle, f) && oracle_plausible(oracle, f, etl_event_plausible(data, at, extent)) &&
                oracle_call(oracle, &f->findings, layers, at, end) && hold_findings(oracle, f) &&
                (!f->framed || hold_event(oracle, &f->event, data));
    (void)held; /* the oracle has recorded it */
    target_hold(oracle, NULL);
    return f->framed;
}

/* More events than the bytes can hold: the walk does not advance. */
static void hold_progress(oracle_watch *oracle, uint32_t at)
{
    if (++oracle->steps > 1 + oracle->size / ETL_SIZE(OPAQUE_HEADER))
        oracle_break(oracle, ORACLE_PROMISE_PROGRESS, at);
    target_hold(oracle, NULL);
}

/* `copy` has the bytes of `here` at another place. With fewer bytes than a header left, findings may look past the extent.
   */
static void frame_elsewhere(oracle_watch *oracle, const oracle_framing *here, etl_span copy, uint64_t index)
{
    static oracle_framing there;
    if (here->extent - here->at < ETL_SIZE(OPAQUE_HEADER))
        return;
    frame(&there, copy, ELSEWHERE + here->at, ELSEWHERE + here->extent, here->event.context, index);
    oracle_same_frame(oracle, here, &there);
    target_hold(oracle, NULL);
}

/* The events framed so far are a whole input that ends there. */
static void hold_end(oracle_watch *oracle, uint32_t at)
{
    oracle->end = at;
    oracle_end(oracle);
    target_hold(oracle, NULL);
}

void target_frame_all(const target_context_input *part)
{
    static oracle_framing here;
    const uint32_t size = (uint32_t)part->bytes.size;
    const etl_span copy = target_copy_between(part->bytes, ELSEWHERE, BEHIND);
    oracle_watch oracle;
    oracle_init(&oracle, size, ETL_LIMITS_DEFAULT, true);
    uint32_t at = 0;
    do {
        hold_progress(&oracle, at);
        const uint64_t index = oracle.events;
        target_frame_one(&oracle, &here, part->bytes, at, part->context);
        frame_elsewhere(&oracle, &here, copy, index);
        at += here.framed ? here.event.size + here.event.padding : 0;
    } while (here.framed && at < size);
    hold_end(&oracle, at);
    target_copy_free(copy);
}
