/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which findings about a logfile header are due: about the clock of a later one, member by member, and at the edges
 * of versions and sizes, which few vectors reach.
 */
#include <string.h>

#include "due.h"
#include "oracle_test.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define BODY_AT (EVENT_AT + ETL_SIZE(SYSTEM_TRACE_HEADER))
#define WIDE(member) ETL_AT(TRACE_LOGFILE_HEADER64, member)
#define NARROW(member) ETL_AT(TRACE_LOGFILE_HEADER32, member)
#define NAMES 8u /* bytes of both names */

/* Each byte of a member differs from those beside it, and the bytes of no member are 0. */
enum { CPU_SPEED = 0x45342312 };
static const int64_t ticks = 0x6f5e4d3c2b1a1908, start_time = 0x01cfbeadb0c1d2e3, perf_freq = 0x0102030405060708;

static struct {
    uint8_t raw[BODY_AT + ETL_SIZE(TRACE_LOGFILE_HEADER64) + NAMES + 8];
    etl_buffer buffer;
    etl_findings findings;
} s;

static uint32_t at_of(bool wide, uint32_t in_wide, uint32_t in_narrow)
{
    return BODY_AT + (wide ? in_wide : in_narrow);
}

/* A buffer with a logfile header; the bytes behind it are no part of the buffer. */
static void begin(bool wide, uint8_t major, uint32_t type)
{
    const uint32_t fixed = wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    memset(&s, 0, sizeof s);
    memset(s.raw, 0x5A, sizeof s.raw);
    put(s.raw + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 2, wide ? 0xC002 : 0xC001);
    put(s.raw + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, HookId), 2, 0);
    put(s.raw + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime), 8, (uint64_t)ticks);
    put(s.raw + BODY_AT + WIDE(MajorVersion), 1, major);
    put(s.raw + BODY_AT + WIDE(CpuSpeedInMHz), 4, CPU_SPEED);
    put(s.raw + at_of(wide, WIDE(StartTime), NARROW(StartTime)), 8, (uint64_t)start_time);
    put(s.raw + at_of(wide, WIDE(PerfFreq), NARROW(PerfFreq)), 8, (uint64_t)perf_freq);
    put(s.raw + at_of(wide, WIDE(ReservedFlags), NARROW(ReservedFlags)), 4, type);
    put(s.raw + BODY_AT + fixed, NAMES, 0x0000004100000041); /* "A", "A" */
    s.buffer = (etl_buffer){.raw = {s.raw, BODY_AT + fixed + NAMES}, .offset = 0x10000, .index = 3};
    put(s.raw + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, s.buffer.raw.size - EVENT_AT);
}

static etl_finding *report(etl_rule rule, uint64_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_finding *finding = &s.findings.at[s.findings.count++];
    *finding = oracle_due_at(rule, ETL_SPACE_FILE, s.buffer.offset + at);
    oracle_due_values(finding, relation, expected, actual);
    return finding;
}

static bool ends(oracle_due *due)
{
    oracle_watch oracle = {.broken = ORACLE_PROMISE_COUNT};
    return oracle_due_end(&oracle, due);
}

/* A later logfile header that states `type`, and the clock of the first one: the finding is at `member`, with `later`. */
typedef struct clock_row {
    const char *what;
    uint8_t major;
    uint32_t type;
    etl_clock first;
    enum { START_TIME, TYPE, PERF_FREQ, CPU, TICKS, SAME } member;
    uint64_t expected, later;
} clock_row;

#define CLOCK(type, frequency) {type, frequency, ticks, start_time}
static const clock_row clocks[] = {
    {"one clock", 6, 1, CLOCK(1, perf_freq), SAME, 0, 0},
    {"another start time", 6, 1, {1, perf_freq, ticks, start_time + 1}, START_TIME, start_time + 1, start_time},
    {"another time stamp", 6, 1, {1, perf_freq, ticks + 1, start_time}, TICKS, ticks + 1, ticks},
    {"another type", 6, 1, CLOCK(2, perf_freq), TYPE, 2, 1},
    {"another type in the third byte", 6, 0x10001, CLOCK(1, perf_freq), TYPE, 1, 0x10001},
    {"another type in the fourth byte", 6, 0x1000001, CLOCK(1, perf_freq), TYPE, 1, 0x1000001},
    {"another frequency", 6, 1, CLOCK(1, perf_freq + 1), PERF_FREQ, perf_freq + 1, perf_freq},
    {"one processor speed", 6, 3, CLOCK(3, CPU_SPEED), SAME, 0, 0},
    {"another processor speed", 6, 3, CLOCK(3, CPU_SPEED + 1), CPU, CPU_SPEED + 1, CPU_SPEED},
    {"type 1 before 6.0", 5, 1, CLOCK(1, perf_freq), SAME, 0, 0},
    {"type 0 before 6.0", 5, 0, CLOCK(2, perf_freq), SAME, 0, 0},
    {"type 2 before 6.0", 5, 2, CLOCK(2, perf_freq), SAME, 0, 0},
    {"type 3 before 6.0", 5, 3, CLOCK(2, perf_freq), SAME, 0, 0},
    {"type 3 of 4.0", 4, 3, CLOCK(3, CPU_SPEED), SAME, 0, 0},
    {"type 3 of 6.0", 6, 3, CLOCK(3, CPU_SPEED), SAME, 0, 0},
};

static void report_difference(const clock_row *row, bool wide)
{
    const uint64_t members[] = {
        [START_TIME] = at_of(wide, WIDE(StartTime), NARROW(StartTime)),
        [TYPE] = at_of(wide, WIDE(ReservedFlags), NARROW(ReservedFlags)),
        [PERF_FREQ] = at_of(wide, WIDE(PerfFreq), NARROW(PerfFreq)),
        [CPU] = BODY_AT + WIDE(CpuSpeedInMHz),
        [TICKS] = EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime),
        [SAME] = EVENT_AT,
    };
    const bool same = row->member == SAME;
    report(same ? ETL_RULE_LFH_012 : ETL_RULE_LFH_011, members[row->member], same ? ETL_RELATION_NONE : ETL_RELATION_EQUAL,
           row->expected, row->later)
        ->buffer = s.buffer.index;
}

static bool later_holds(const etl_clock *first)
{
    oracle_due due;
    oracle_due_begin(&due, &s.findings);
    oracle_due_later_logfile(&due, &s.buffer, first);
    return ends(&due);
}

static void test_clocks(void)
{
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        bool holds = true;
        for (unsigned wide = 0; wide < 2; wide++) {
            begin(wide, clocks[i].major, clocks[i].type);
            report_difference(&clocks[i], wide);
            holds &= later_holds(&clocks[i].first);
        }
        say(holds, clocks[i].what);
    }
}

/* A PerfFreq with the sign bit is no frequency. */
static void test_frequency_edge(void)
{
    const etl_clock most = CLOCK(1, INT64_MAX), none = CLOCK(1, 0);
    begin(true, 6, 1);
    put(s.raw + BODY_AT + WIDE(PerfFreq), 8, INT64_MAX);
    report(ETL_RULE_LFH_012, EVENT_AT, ETL_RELATION_NONE, 0, 0)->buffer = s.buffer.index;
    say(later_holds(&most), "the largest frequency");
    put(s.raw + BODY_AT + WIDE(PerfFreq), 8, (uint64_t)INT64_MAX + 1);
    say(later_holds(&none), "a frequency with the sign bit");
}

/* A later header that is not whole states no clock. */
static void test_part(void)
{
    const etl_clock other = {1, 1, 1, 1};
    bool holds = true;
    for (unsigned wide = 0; wide < 2; wide++) {
        const uint32_t fixed = wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
        begin(wide, 6, 1);
        s.buffer.raw.size = BODY_AT + fixed - 1;
        report(ETL_RULE_LFH_012, EVENT_AT, ETL_RELATION_NONE, 0, 0)->buffer = s.buffer.index;
        holds &= later_holds(&other);
        s.buffer.raw.size++;
        holds &= !later_holds(&other);
    }
    say(holds, "the members of a later header that is cut by one byte");
}

/* A version of the first header, and the finding about it. */
typedef struct version_row {
    const char *what;
    uint8_t major;
    uint32_t sub;
    enum { NONE, MAJOR, SUB } member;
    etl_relation relation;
    uint64_t expected;
} version_row;

static const version_row versions[] = {
    {"version 5", 5, 0x200, NONE, 0, 0},
    {"version 10", 10, 0x200, NONE, 0, 0},
    {"a sub-version beyond 0x200 of version 5", 5, 0x201, SUB, ETL_RELATION_AT_MOST, 0x200},
    {"a sub-version beyond 0x200 of version 10", 10, 0x201, SUB, ETL_RELATION_AT_MOST, 0x200},
    {"version 4, whose sub-version is not checked", 4, 0x201, MAJOR, ETL_RELATION_AT_LEAST, 5},
    {"version 11, whose sub-version is not checked", 11, 0x201, MAJOR, ETL_RELATION_AT_MOST, 10},
};

static void test_version(const version_row *row)
{
    const etl_logfile l = {.known = true,
                           .major_version = row->major,
                           .sub_version = (uint8_t)(row->sub >> 8),
                           .sub_minor_version = (uint8_t)row->sub,
                           .pointer_size = 8,
                           .stated_pointer_size = 8,
                           .number_of_processors = 1,
                           .clock = CLOCK(ETL_CLOCK_TYPE_SYSTEMTIME, 0),
                           .end_time = INT64_MAX};
    begin(true, row->major, ETL_CLOCK_TYPE_SYSTEMTIME);
    if (row->member == MAJOR)
        report(ETL_RULE_LFH_005, BODY_AT + WIDE(MajorVersion), row->relation, row->expected, row->major);
    if (row->member == SUB)
        report(ETL_RULE_LFH_005, BODY_AT + WIDE(SubVersion), row->relation, row->expected, row->sub);
    oracle_due due;
    oracle_due_begin(&due, &s.findings);
    oracle_due_logfile(&due, s.buffer.raw, s.buffer.offset, &l);
    say(ends(&due), row->what);
}

void test_due_logfile(void)
{
    test_clocks();
    test_frequency_edge();
    test_part();
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        test_version(&versions[i]);
}
