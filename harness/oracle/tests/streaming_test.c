/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracle over two decodes of the same bytes: exactly the differences in their results break STREAMING.
 */
#include <stdio.h>
#include <string.h>

#include "hand_made_decode.h"

static void ends(played_decode *s)
{
    s->outcome = ETL_INTERNAL;
}

static void finding_more(played_decode *s)
{
    (void)played_finding(s);
}

static void last_byte(played_decode *s)
{
    s->data[EVENT_AT + EVENT_SIZE - 1] ^= 1;
}

static void first_byte(played_decode *s)
{
    s->data[EVENT_AT] ^= 1;
}

static void padding(played_decode *s)
{
    s->data[EVENT_AT + EVENT_SIZE] ^= 1;
}

/* A clock by which the same time stamp is another time. */
static void other_clock(played_decode *s)
{
    s->reader.trace.logfile.clock =
        (etl_clock){.type = ETL_CLOCK_TYPE_PERFCOUNTER, .frequency = ETL_FILETIME_SECOND, .start_time = 1};
}

static void no_time(played_decode *s)
{
    s->reader.event.has_time = false;
}

static void no_time_by_other_clock(played_decode *s)
{
    other_clock(s);
    no_time(s);
}

/* An event up to the end of its buffer: user data that is longer than an extension of the logfile header. */
static void long_event(played_decode *s)
{
    const uint32_t size = BUFFER_SIZE - EVENT_AT;
    s->reader.event.size = size;
    s->reader.event.bytes.size = size;
    s->reader.event.data_size = size - ETL_SIZE(PERFINFO_TRACE_HEADER);
    s->reader.event.padding = 0;
    s->last = true;
}

static void long_event_of_other_end(played_decode *s)
{
    long_event(s);
    s->data[BUFFER_SIZE - 1] ^= 1;
}

/* Only the decoded members of an event count, not its bytes. */
static void shallow(played_decode *s)
{
    long_event(s);
    s->oracle.deep = false;
}

static void shallow_of_other_end(played_decode *s)
{
    shallow(s);
    s->data[BUFFER_SIZE - 1] ^= 1;
}

static void shallow_of_other_extension(played_decode *s)
{
    shallow(s);
    s->data[EVENT_AT + ETL_SIZE(PERFINFO_TRACE_HEADER)] ^= 1;
}
_Static_assert(BUFFER_SIZE - EVENT_AT > ETL_SIZE(PERFINFO_TRACE_HEADER) + ETL_SIZE(ETW_KERNEL_HEADER_EXTENSION), "");

/* A finding with all members set, and the same with one changed. */
static etl_finding *full_finding(played_decode *s)
{
    etl_finding *finding = played_finding(s);
    finding->relation = ETL_RELATION_AT_LEAST;
    finding->expected = 8;
    finding->actual = 4;
    return finding;
}

static void finding(played_decode *s)
{
    (void)full_finding(s);
}

static void finding_actual(played_decode *s)
{
    full_finding(s)->actual++;
}

static const struct {
    const char *what;
    bool same;
    const char *part; /* of the condition that fails; NULL: any */
    played_step when;
    played_spoiler *one, *other;
} pairs[] = {
    {"two equal decodes", true, NULL, STEP_NEVER, NULL, NULL},
    {"two decodes, one with an extra finding", false, "->hash ", STEP_GAP, NULL, finding_more},
    {"two decodes with the same finding", true, NULL, STEP_GAP, finding, finding},
    {"two decodes that differ in a finding's actual value", false, "->hash ", STEP_GAP, finding, finding_actual},
    {"two decodes, one with a buffer fewer", false, "->buffers ", STEP_BUFFER, NULL, ends},
    {"two decodes, one with an event fewer", false, "->events ", STEP_EVENT, NULL, ends},
    {"two decodes that differ in an event's first byte", false, NULL, STEP_EVENT, NULL, first_byte},
    {"two decodes that differ in an event's last byte", false, NULL, STEP_EVENT, NULL, last_byte},
    {"two decodes that differ after an event", true, NULL, STEP_EVENT, NULL, padding},
    {"two decodes with different clocks", false, NULL, STEP_EVENT, NULL, other_clock},
    {"two decodes with different clocks, without time", true, NULL, STEP_EVENT, no_time, no_time_by_other_clock},
    {"two decodes that differ at the end of user data", false, NULL, STEP_EVENT, long_event, long_event_of_other_end},
    {"two shallow decodes that differ at the end of user data", true, NULL, STEP_EVENT, shallow, shallow_of_other_end},
    {"two shallow decodes that differ in the header extension", false, NULL, STEP_EVENT, shallow,
     shallow_of_other_extension},
};

void test_streaming(bool fired[ORACLE_PROMISE_COUNT])
{
    static played_decode one, other;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        played_play(&one, pairs[i].when, pairs[i].one, false);
        played_play(&other, pairs[i].when, pairs[i].other, false);
        const bool same = oracle_compare(&one.oracle, &other.oracle);
        const oracle_promise broken = one.oracle.broken;
        const bool right = same == pairs[i].same && broken == (same ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_STREAMING) &&
                           (!pairs[i].part || strstr(one.oracle.failed_condition, pairs[i].part));
        say(right, pairs[i].what);
        if (!right)
            printf("# got %s, %s\n", oracle_promise_name(broken),
                   one.oracle.failed_condition ? one.oracle.failed_condition : "");
        if (broken < ORACLE_PROMISE_COUNT)
            fired[broken] = true;
    }
}
