/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the bounds on scratch and on steps, which follow from the bytes of each buffer.
 */
#include "hand_made_decode.h"
#include "step_checks.h"

/* Any input may inflate to FREE bytes; beyond them, an input byte may give a thousand. */
#define FREE (0x10000u + EVENT_AT)
#define OF_FILE (EVENT_AT + 1000u * (FIRST_SIZE + BUFFER_SIZE))

/* A request for scratch before the buffer is read. */
static void ask(played_decode *s, size_t scratch)
{
    const uint64_t behind = s->reader.trace.offset;
    s->reader.trace.offset = s->reader.buffer.offset;
    s->reader.trace.want = scratch;
    played_step_now(s, ETL_SCRATCH);
    s->reader.trace.offset = behind;
}

static void scratch_of_file(played_decode *s)
{
    ask(s, OF_FILE);
}

static void scratch_above_file(played_decode *s)
{
    ask(s, OF_FILE + 1);
}

/* The whole file is read: no input is left that could fill more. */
static void scratch_past_end(played_decode *s)
{
    s->reader.trace.offset = UINT32_MAX;
    s->reader.trace.want = FREE + 1;
    played_step_now(s, ETL_SCRATCH);
}

static void scratch_at_end(played_decode *s)
{
    s->reader.trace.offset = UINT32_MAX;
    s->reader.trace.want = FREE;
    played_step_now(s, ETL_SCRATCH);
}

/* BufferSize of the first buffer. */
static void claim(played_decode *s, uint32_t size)
{
    put(s->first + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), 4, size);
    s->reader.buffer.header.buffer_size = size;
}

static void scratch_of_own_size(played_decode *s)
{
    claim(s, FIRST_SIZE);
    ask(s, OF_FILE);
}

static void scratch_above_own_size(played_decode *s)
{
    claim(s, FIRST_SIZE + 1);
    ask(s, OF_FILE);
}

static void scratch_of_no_size(played_decode *s)
{
    claim(s, ETL_BUFFER_SIZE_MAX + 1);
    ask(s, OF_FILE);
}

static void scratch_of_claim(played_decode *s)
{
    claim(s, ETL_BUFFER_SIZE_MAX);
    ask(s, FREE);
}

static void scratch_above_claim(played_decode *s)
{
    claim(s, ETL_BUFFER_SIZE_MAX);
    ask(s, FREE + 1);
}

static void scratch_above_claim_first(played_decode *s)
{
    scratch_above_claim(s);
    ask(s, 1);
}

/* The limit that the reader has on the inflated size of a buffer. */
static void limit(played_decode *s, uint32_t inflated)
{
    s->oracle.limits.inflated = inflated;
}

static void limit_of_nothing(played_decode *s)
{
    limit(s, 0);
}

static void limit_of_buffer(played_decode *s)
{
    limit(s, BUFFER_SIZE - EVENT_AT);
}

static void limit_below_buffer(played_decode *s)
{
    limit(s, BUFFER_SIZE - EVENT_AT - 1);
}

/* 64, and four for each byte up to the end of the first buffer, without two other steps: the buffer and its event. */
#define STEPS_MOST (64 + 4 * FIRST_SIZE - 2)

static void steps(played_decode *s, unsigned times)
{
    s->reader.trace.want = 1;
    for (unsigned n = 0; n < times; n++) {
        s->oracle.requests = 0;
        played_step_now(s, ETL_MORE);
    }
}

static void steps_most(played_decode *s)
{
    steps(s, STEPS_MOST);
}

static void steps_above_most(played_decode *s)
{
    steps(s, STEPS_MOST + 1);
}

#define OK ORACLE_PROMISE_COUNT
#define INFLATED ORACLE_PROMISE_INFLATED

static const played_row rows[] = {
    {"scratch that the rest of the file may fill", OK, STEP_FIRST, scratch_of_file, false},
    {"one byte more than the rest of the file may fill", INFLATED, STEP_FIRST, scratch_above_file, false},
    {"too much scratch after the end of the file", INFLATED, STEP_GAP, scratch_past_end, false},
    {"the most scratch after the end of the file", OK, STEP_GAP, scratch_at_end, false},
    {"scratch for a buffer as long as BufferSize", OK, STEP_FIRST, scratch_of_own_size, false},
    {"scratch for a buffer one byte shorter than BufferSize", INFLATED, STEP_FIRST, scratch_above_own_size, false},
    {"scratch for a buffer with an impossible BufferSize", OK, STEP_FIRST, scratch_of_no_size, false},
    {"the most scratch for a buffer shorter than BufferSize", OK, STEP_FIRST, scratch_of_claim, false},
    {"one byte more for a buffer shorter than BufferSize", INFLATED, STEP_FIRST, scratch_above_claim, false},
    {"one byte more, then a smaller request", INFLATED, STEP_FIRST, scratch_above_claim_first, false},
    {"plain buffers above the limit", OK, STEP_FIRST, limit_of_nothing, false},
    {"a buffer that inflates to the limit", OK, STEP_FIRST, limit_of_buffer, true},
    {"a buffer that inflates to more than the limit", INFLATED, STEP_FIRST, limit_below_buffer, true},
    {"the most steps for a buffer", OK, STEP_FIRST_EVENT, steps_most, false},
    {"one step more for a buffer that is not the last", ORACLE_PROMISE_PROGRESS, STEP_FIRST_EVENT, steps_above_most,
     false},
};

static oracle_watch watch;

/* A decode of the bytes from 500 to 1000, with the reader at `at`. A byte may inflate to 100,000. */
static etl_trace begin(uint64_t at)
{
    etl_limits limits = ETL_LIMITS_DEFAULT;
    limits.expansion = 100000;
    oracle_init(&watch, 500, limits, true);
    watch.base = watch.offset = 500;
    watch.end = 1000;
    return (etl_trace){.offset = at};
}

/* `most` bytes of scratch are allowed, and one more is not. */
static bool most_is(uint64_t at, size_t most)
{
    etl_trace trace = begin(at);
    trace.want = most;
    const bool allowed = oracle_progress(&watch, ETL_SCRATCH, &trace);
    trace = begin(at);
    trace.want = most + 1;
    return allowed && !oracle_progress(&watch, ETL_SCRATCH, &trace);
}

static void test_scratch_left(void)
{
    say(most_is(999, EVENT_AT + 100000), "the last byte may fill its expansion");
    say(most_is(1000, FREE), "the end may fill what any input may");
}

/* After three requests for one buffer, the next buffer may have three. */
static void test_scratch_of_each_buffer(void)
{
    etl_trace trace = begin(500);
    etl_buffer buffer = {.raw.size = EVENT_AT};
    bool ok = true;
    for (unsigned i = 0; i < 6; i++) {
        trace.want = 100;
        ok = ok && oracle_progress(&watch, ETL_SCRATCH, &trace) && (i != 2 || oracle_inflated(&watch, &buffer));
    }
    say(ok, "scratch three times for each of two buffers");
}

/*
 * 100 bytes inflated to 50,000. Of what the next buffer may ask for, both count: 40,000, and 60 for each of 600 bytes,
 * without the 50,000.
 */
static void test_scratch_after_stream(void)
{
    const size_t most = EVENT_AT + 40000 + 60 * (500 + 100) - 50000;
    for (size_t more = 0; more < 2; more++) {
        etl_trace trace = begin(500);
        watch.limits.inflated = 40000;
        watch.limits.average = 60;
        watch.input = 100;
        watch.output = 50000;
        trace.want = most + more;
        say(oracle_progress(&watch, ETL_SCRATCH, &trace) == (more == 0), "scratch after a buffer that was inflated");
    }
}

/* Four steps a byte that was read, and 64. */
static void test_steps_from_base(void)
{
    const etl_trace trace = begin(600);
    bool ok = true;
    for (unsigned i = 0; i < 64 + 4 * 100; i++)
        ok = ok && oracle_progress(&watch, ETL_EVENT, &trace);
    say(ok && !oracle_progress(&watch, ETL_EVENT, &trace), "the bytes before the first of the decode give no steps");
}

void test_scratch(bool fired[ORACLE_PROMISE_COUNT])
{
    test_scratch_left();
    test_scratch_of_each_buffer();
    test_scratch_after_stream();
    test_steps_from_base();
    played_judge(rows, sizeof rows / sizeof rows[0], fired);
}
