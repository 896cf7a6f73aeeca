/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over times at the limits of what each accepts.
 */
#include <stddef.h>
#include <stdio.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

#define SECOND ETL_FILETIME_SECOND
#define DAY (86400 * SECOND)

static bool keeps(bool held, const oracle_watch *oracle, oracle_promise expected)
{
    return held == (expected == ORACLE_PROMISE_COUNT) && oracle->broken == expected;
}

static void test_range(void)
{
    static const struct {
        const char *what;
        etl_utc utc;
        bool holds;
    } rows[] = {
        {"the earliest time", {1601, 1, 1, 0, 0, 0, 0}, true},
        {"the latest time", {9999, 12, 31, 23, 59, 59, SECOND - 1}, true},
        {"the year 1600", {1600, 12, 31, 23, 59, 59, 0}, false},
        {"the year 10000", {10000, 1, 1, 0, 0, 0, 0}, false},
        {"the month 0", {2020, 0, 1, 0, 0, 0, 0}, false},
        {"the month 13", {2020, 13, 1, 0, 0, 0, 0}, false},
        {"the day 0", {2020, 1, 0, 0, 0, 0, 0}, false},
        {"the day 32", {2020, 1, 32, 0, 0, 0, 0}, false},
        {"the hour 24", {2020, 1, 1, 24, 0, 0, 0}, false},
        {"the minute 60", {2020, 1, 1, 0, 60, 0, 0}, false},
        {"the second 60", {2020, 1, 1, 0, 0, 60, 0}, false},
        {"a fraction of a whole second", {2020, 1, 1, 0, 0, 0, SECOND}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        oracle_watch oracle;
        oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, true);
        const bool held = oracle_utc(&oracle, &rows[i].utc, 0);
        say(keeps(held, &oracle, rows[i].holds ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_CLOCK), rows[i].what);
    }
}

static void test_dropped(void)
{
    static const struct {
        const char *what;
        uint32_t count;
        size_t size, data_size; /* of the times; of the payload */
        bool holds;
    } rows[] = {
        {"no last dropped times", 0, 0, ETL_SIZE(LAST_DROPPED_TIMES), true},
        {"all last dropped times, which fill the payload", 2, 16, ETL_SIZE(LAST_DROPPED_TIMES) + 16, true},
        {"fewer last dropped times than stated", 3, 16, ETL_SIZE(LAST_DROPPED_TIMES) + 16, true},
        {"a last dropped time of seven bytes", 2, 15, ETL_SIZE(LAST_DROPPED_TIMES) + 16, false},
        {"a last dropped time of nine bytes", 2, 9, ETL_SIZE(LAST_DROPPED_TIMES) + 16, false},
        {"more last dropped times than stated", 1, 16, ETL_SIZE(LAST_DROPPED_TIMES) + 16, false},
        {"a last dropped time past the payload", 2, 16, ETL_SIZE(LAST_DROPPED_TIMES) + 15, false},
        {"a last dropped time past the whole ones of the payload", 3, 24, ETL_SIZE(LAST_DROPPED_TIMES) + 20, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const etl_last_dropped_times dropped = {rows[i].count, {NULL, rows[i].size}};
        say(oracle_dropped_times((etl_span){NULL, rows[i].data_size}, &dropped) == rows[i].holds, rows[i].what);
    }
}

/* Days since 1601-01-01, as an almanac gives them, and a time of that day. */
static const struct calendar_row {
    const char *what;
    uint64_t filetime;
    bool known;
    etl_utc utc;
    oracle_promise promise;
} calendar[] = {
    {"the first day", 0, true, {1601, 1, 1, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of a year", 364 * DAY + 59, true, {1601, 12, 31, 0, 0, 0, 59}, ORACLE_PROMISE_COUNT},
    {"the first day of the next year", 365 * DAY, true, {1602, 1, 1, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of a month", 30 * DAY, true, {1601, 1, 31, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the first day of March", 59 * DAY, true, {1601, 3, 1, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of a February", 1154 * DAY, true, {1604, 2, 29, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of a leap year", 1460 * DAY, true, {1604, 12, 31, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of February 1900", 109265 * DAY, true, {1900, 2, 28, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the first day of March 1900", 109266 * DAY, true, {1900, 3, 1, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day of February 2000", 145790 * DAY, true, {2000, 2, 29, 0, 0, 0, 0}, ORACLE_PROMISE_COUNT},
    {"the last day", UINT64_C(2650467743999999999), true, {9999, 12, 31, 23, 59, 59, SECOND - 1}, ORACLE_PROMISE_COUNT},
    {"the day after the last, not known", UINT64_C(2650467744000000000), false, {0}, ORACLE_PROMISE_COUNT},
    {"the day after the last, known", UINT64_C(2650467744000000000), true, {10000, 1, 1, 0, 0, 0, 0},
     ORACLE_PROMISE_CALENDAR},
    {"the last day, not known", UINT64_C(2650467743999999999), false, {0}, ORACLE_PROMISE_CALENDAR},
    {"another year", 364 * DAY, true, {1602, 12, 31, 0, 0, 0, 0}, ORACLE_PROMISE_CALENDAR},
    {"another month", 30 * DAY, true, {1601, 3, 31, 0, 0, 0, 0}, ORACLE_PROMISE_CALENDAR},
    {"minute 60", 3600 * SECOND, true, {1601, 1, 1, 0, 60, 0, 0}, ORACLE_PROMISE_CALENDAR},
    {"second 60", 60 * SECOND, true, {1601, 1, 1, 0, 0, 60, 0}, ORACLE_PROMISE_CALENDAR},
};

static void test_calendar(void)
{
    for (size_t i = 0; i < sizeof calendar / sizeof calendar[0]; i++) {
        oracle_watch oracle;
        oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, true);
        const bool held = oracle_calendar(&oracle, calendar[i].filetime, calendar[i].known, &calendar[i].utc);
        say(keeps(held, &oracle, calendar[i].promise), calendar[i].what);
    }
}

#define PERF(frequency, ticks, time) {ETL_CLOCK_TYPE_PERFCOUNTER, frequency, ticks, time}
#define CYCLE(frequency, ticks, time) {ETL_CLOCK_TYPE_CPUCYCLE, frequency, ticks, time}
#define SYSTEM {ETL_CLOCK_TYPE_SYSTEMTIME, 0, 0, 0}
#define OK ORACLE_PROMISE_COUNT
#define NO ORACLE_PROMISE_FILETIME

/* Time stamps, converted by hand: each tick takes 10,000,000 / frequency, or 10 / MHz, units of 100 ns. */
static const struct filetime_row {
    const char *what;
    etl_clock clock;
    int64_t ticks;
    bool known;
    uint64_t filetime;
    oracle_promise promise;
} filetimes[] = {
    {"system time", SYSTEM, 7, true, 7, OK},
    {"system time 0", SYSTEM, 0, true, 0, OK},
    {"another system time", SYSTEM, 7, true, 8, NO},
    {"system time, reported as unknown", SYSTEM, 7, false, 0, NO},
    {"system time below 0", SYSTEM, -1, false, 0, OK},
    {"system time below 0, reported as known", SYSTEM, -1, true, UINT64_MAX, NO},
    {"cycles of 2 MHz", CYCLE(2, 0, 100), 3, true, 115, OK},
    {"cycles of 3 MHz, rounded down", CYCLE(3, 0, 100), 1, true, 103, OK},
    {"cycles of 3 MHz, rounded up", CYCLE(3, 0, 100), 1, true, 104, NO},
    {"cycles before the start, rounded down", CYCLE(3, 0, 100), -1, true, 96, OK},
    {"cycles before the start, rounded up", CYCLE(3, 0, 100), -1, true, 97, NO},
    {"cycles without frequency", CYCLE(0, 0, 100), 1, false, 0, OK},
    {"cycles without frequency, reported as known", CYCLE(0, 0, 100), 1, true, 100, NO},
    {"a clock of unknown type", {9, 1, 0, 0}, 1, false, 0, OK},
    {"a clock of unknown type, reported as known", {9, 1, 0, 0}, 1, true, 1, NO},
    {"ticks at the start", PERF(10000000, 5, 100), 5, true, 100, OK},
    {"ticks at the start, reported as one unit before", PERF(10000000, 5, 100), 5, true, 99, NO},
    {"time 0", PERF(10000000, 100, 100), 0, true, 0, OK},
    {"time 0, reported as unknown", PERF(10000000, 100, 100), 0, false, 0, NO},
    {"a time below 0, reported as unknown", PERF(10000000, 101, 100), 0, false, 0, OK},
    {"a time below 0, reported as known", PERF(10000000, 101, 100), 0, true, UINT64_MAX, NO},
    {"the last time", PERF(10000000, 0, INT64_MAX), 0, true, INT64_MAX, OK},
    {"the last time, reported as unknown", PERF(10000000, 0, INT64_MAX), 0, false, 0, NO},
    {"a time after the last, reported as unknown", PERF(10000000, 0, INT64_MAX), 1, false, 0, OK},
    {"a time after the last, reported as known", PERF(10000000, 0, INT64_MAX), 1, true, UINT64_C(1) << 63, NO},
    {"the largest possible tick distance", PERF(10000000, INT64_MIN, INT64_MIN), INT64_MAX, true, INT64_MAX, OK},
    {"a high frequency", PERF(UINT64_MAX, 0, 100), 5, true, 100, OK},
    {"a high frequency before the start", PERF(UINT64_MAX, 0, 100), -5, true, 99, OK},
};

static void test_filetimes(void)
{
    for (size_t i = 0; i < sizeof filetimes / sizeof filetimes[0]; i++) {
        const struct filetime_row *r = &filetimes[i];
        oracle_watch oracle;
        oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, true);
        const bool held = oracle_filetime(&oracle, &r->clock, r->ticks, r->known, r->filetime);
        say(keeps(held, &oracle, r->promise), r->what);
    }
}

static void test_order(void)
{
    oracle_watch oracle;
    oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, true);
    say(oracle_order(&oracle, 2, 11, 1, 10), "an earlier tick with an earlier time");
    say(!oracle_order(&oracle, 1, 11, 1, 10), "one tick with two times");
}

void test_times(void)
{
    test_range();
    test_dropped();
    test_calendar();
    test_filetimes();
    test_order();
}
