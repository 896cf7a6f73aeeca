/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the checks of step_checks.h on each outcome of the reader, and checks the sums at the end of the file. Called by
 * every target that reads files.
 */
#include "oracle.h"

#include "step_checks.h"

void oracle_init(oracle_watch *oracle, uint64_t size, etl_limits limits, bool deep)
{
    *oracle = (oracle_watch){.size = size, .end = size, .limits = limits, .deep = deep, .broken = ORACLE_PROMISE_COUNT};
    (void)oracle_work_take();
}

void oracle_shift(oracle_watch *oracle, uint64_t base)
{
    oracle->base = oracle->offset = oracle->file_at = oracle->tiling.next = base;
    oracle->end = base + oracle->size;
}

static bool reader_outcome(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader)
{
    switch (outcome) {
    case ETL_MORE:
    case ETL_SCRATCH:
    case ETL_END:
        return true; /* how the input arrives does not change the decode: not hashed */
    case ETL_BUFFER:
        return oracle_buffer(oracle, &reader->buffer) && oracle_buffer_header(oracle, reader);
    case ETL_EVENT:
        return oracle_event(oracle, &reader->event, &reader->buffer, &reader->trace.logfile.clock);
    case ETL_GAP:
        return oracle_gap(oracle, reader);
    case ETL_INTERNAL:
        return oracle_break(oracle, ORACLE_PROMISE_INTERNAL, reader->trace.offset);
    }
    return oracle_break(oracle, ORACLE_PROMISE_OUTCOME, reader->trace.offset);
}

/* A request for input or scratch may already have the finding about the next outcome. */
static bool loss_is_told(oracle_watch *oracle, etl_outcome outcome)
{
    static const char *const whose[] = {[ETL_BUFFER] = "of a buffer", [ETL_EVENT] = "of an event", [ETL_GAP] = "of a gap",
                                        [ETL_END] = "of the file"};
    if (outcome == ETL_MORE || outcome == ETL_SCRATCH)
        return true;
    for (size_t i = 0; i < sizeof oracle->loss / sizeof oracle->loss[0]; i++)
        if (!oracle_condition(oracle->loss[i].told == oracle->loss[i].damaged, whose[outcome]))
            return oracle_break(oracle, ORACLE_PROMISE_SILENT_LOSS, oracle->loss[i].at);
    return true;
}

bool oracle_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader)
{
    const oracle_work work = oracle_work_take();
    return oracle_findings(oracle, reader) && reader_outcome(oracle, outcome, reader) &&
           loss_is_told(oracle, outcome) && oracle_work_step(oracle, outcome, reader, &work) &&
           oracle_progress(oracle, outcome, &reader->trace);
}

/* MemorySanitizer's, where it is linked in. */
void __msan_check_mem_is_initialized(const volatile void *at, size_t size) __attribute__((weak));

bool oracle_end(oracle_watch *oracle)
{
    /* The hash covers everything that the decode reported; checking it here shows whether any of it was uninitialised.
       */
    if (__msan_check_mem_is_initialized)
        __msan_check_mem_is_initialized(&oracle->hash, sizeof oracle->hash);
    if (oracle->inflated_at != oracle->inflated_end)
        return oracle_break(oracle, ORACLE_PROMISE_INFLATED_TILING, oracle->inflated_at);
    if (oracle->file_at != oracle->end)
        return oracle_break(oracle, ORACLE_PROMISE_TILING, oracle->file_at);
    bool counted = ORACLE_HOLDS(!oracle->tiling.broken);
    for (size_t kind = 0; kind < ETL_REGION_COUNT; kind++)
        counted = counted &&
                  oracle_condition(oracle->tiling.bytes[kind] == oracle->bytes[kind],
                                   etl_region_text((etl_region_kind)kind));
    return counted || oracle_break(oracle, ORACLE_PROMISE_BYTES, oracle->file_at);
}

bool oracle_compare(oracle_watch *whole, const oracle_watch *streamed)
{
    if (!ORACLE_HOLDS(whole->buffers == streamed->buffers) || !ORACLE_HOLDS(whole->events == streamed->events) ||
        !ORACLE_HOLDS(whole->hash == streamed->hash))
        return oracle_break(whole, ORACLE_PROMISE_STREAMING, whole->file_at);
    return true;
}
