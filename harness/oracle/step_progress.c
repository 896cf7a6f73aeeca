/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that a decode ends: steps, requests for input and scratch are bounded by the size of the input. Called by
 * oracle_step.
 */
#include "step_checks.h"

/* Output up to this size is exempt from the limit on expansion. */
#define EXPANSION_FREE UINT64_C(0x10000)

/*
 * A request may cover a buffer of BufferSize bytes and the bytes after it that a search needs, at most twice the
 * largest BufferSize; scratch is bounded by the limit. So the reader's memory is bounded, whatever a header states.
 */
static bool want_holds(const oracle_watch *oracle, etl_outcome outcome, const etl_trace *trace)
{
    size_t most = outcome == ETL_SCRATCH ? oracle->limits.inflated + ETL_BUFFER_SIZE_MIN : 2 * (size_t)ETL_BUFFER_SIZE_MAX;
    return trace->want > 0 && trace->want <= most;
}

void oracle_stream_done(oracle_watch *oracle)
{
    oracle->input_before += oracle->input;
    oracle->output_before += oracle->output;
    oracle->input = oracle->output = 0;
}

/* What the buffers before leave of the output that all input up to here may have. */
static uint64_t left_by_others(const oracle_watch *oracle, etl_limits limits, uint64_t input)
{
    const uint64_t all = oracle->input_before + input;
    uint64_t most = limits.inflated;
    if (all != 0 && limits.average >= (UINT64_MAX - most) / all)
        return UINT64_MAX;
    most += all * limits.average;
    return oracle->output_before < most ? most - oracle->output_before : 0;
}

uint64_t oracle_output_limit(const oracle_watch *oracle, etl_limits limits, uint64_t input)
{
    const uint64_t left = left_by_others(oracle, limits, input);
    uint64_t most = input * limits.expansion;
    if (most < EXPANSION_FREE)
        most = EXPANSION_FREE;
    if (most > limits.inflated)
        most = limits.inflated;
    return most < left ? most : left;
}

/* With the header. Any input may inflate to 64 KiB, so the sum over a file is linear in its size: each buffer has one. */
static uint64_t inflated_most(const oracle_watch *oracle, uint64_t input)
{
    return ETL_BUFFER_SIZE_MIN + oracle_output_limit(oracle, oracle->limits, input);
}

/* BufferSize is possible, and larger than the buffer's own bytes. */
static bool claims_more(const etl_buffer *buffer)
{
    return buffer->raw.size < buffer->header.buffer_size && buffer->header.buffer_size <= ETL_BUFFER_SIZE_MAX;
}

/*
 * Scratch that was requested is filled completely. A buffer that claims more bytes than its own gets no more scratch than
 * its own bytes may inflate to; otherwise a row of small buffers that each claim the rest of the file would be quadratic.
 */
bool oracle_inflated(oracle_watch *oracle, const etl_buffer *buffer)
{
    const uint64_t most = inflated_most(oracle, buffer->raw.size - ETL_BUFFER_SIZE_MIN);
    if (!ORACLE_HOLDS(oracle->scratch <= most || !claims_more(buffer)) ||
        !ORACLE_HOLDS(!buffer->compressed || buffer->data.size <= most))
        return oracle_break(oracle, ORACLE_PROMISE_INFLATED, buffer->offset);
    oracle->scratch_requests = oracle->scratch = 0;
    return true;
}

/*
 * Scratch is requested at most three times a buffer: for Offset, for SavedOffset, and for all bytes. A request is for the
 * next buffer, so the last one is done.
 */
static bool room_holds(oracle_watch *oracle, const etl_trace *trace)
{
    oracle_stream_done(oracle);
    const uint64_t left = trace->offset < oracle->end ? oracle->end - trace->offset : 0;
    oracle->scratch = trace->want > oracle->scratch ? trace->want : oracle->scratch;
    return ++oracle->scratch_requests <= 3 && trace->want <= inflated_most(oracle, left);
}

/*
 * Each event and gap covers at least one byte, and each buffer its header. A byte can be requested a few times: as the
 * start of a header, as part of a buffer, and by the search. So four steps a byte, plus a constant, is a bound that an
 * advancing reader never reaches and a hanging one reaches soon.
 */
bool oracle_progress(oracle_watch *oracle, etl_outcome outcome, const etl_trace *trace)
{
    if ((outcome == ETL_MORE || outcome == ETL_SCRATCH) && !want_holds(oracle, outcome, trace))
        return oracle_break(oracle, ORACLE_PROMISE_WANT, trace->offset);
    if (outcome == ETL_SCRATCH && !room_holds(oracle, trace))
        return oracle_break(oracle, ORACLE_PROMISE_INFLATED, trace->offset);
    if (trace->offset < oracle->offset)
        return oracle_break(oracle, ORACLE_PROMISE_OFFSET, trace->offset);
    oracle->offset = trace->offset;
    const uint64_t reached = (trace->offset < oracle->end ? trace->offset : oracle->end) - oracle->base;
    if (++oracle->steps > 64 + 4 * (reached + oracle->inflated))
        return oracle_break(oracle, ORACLE_PROMISE_PROGRESS, trace->offset);
    return true;
}
