/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a calendar time by counting days from 1601, year by year and month by month. Called by fuzz_clock.
 */
#include "entry_points.h"

#define DAYS_A_CYCLE (400u * 365 + 97)

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

/* The date `days` days after 1601-01-01. 1601 begins a cycle of 400 years, so that whole ones need not be counted. */
static void count(uint64_t days, unsigned *year, unsigned *month, unsigned *day)
{
    *year = 1601 + (unsigned)(days / DAYS_A_CYCLE) * 400;
    days %= DAYS_A_CYCLE;
    for (; days >= 365u + is_leap(*year); ++*year)
        days -= 365u + is_leap(*year);
    for (*month = 1; days >= days_of_month(*year, *month); ++*month)
        days -= days_of_month(*year, *month);
    *day = (unsigned)days + 1;
}

bool oracle_calendar(oracle_watch *oracle, uint64_t filetime, bool known, const etl_utc *utc)
{
    unsigned year, month, day;
    uint64_t seconds = filetime / ETL_FILETIME_SECOND;
    count(seconds / 86400, &year, &month, &day);
    if (!known && year > 9999)
        return true;
    if (ORACLE_HOLDS(known) && ORACLE_HOLDS(year <= 9999) && ORACLE_HOLDS(utc->year == year) &&
        ORACLE_HOLDS(utc->month == month) && ORACLE_HOLDS(utc->day == day) &&
        ORACLE_HOLDS(utc->minute < 60 && utc->second < 60) &&
        ORACLE_HOLDS(utc->hour * 3600u + utc->minute * 60u + utc->second == seconds % 86400) &&
        ORACLE_HOLDS(utc->fraction == filetime % ETL_FILETIME_SECOND))
        return true;
    return oracle_break(oracle, ORACLE_PROMISE_CALENDAR, 0);
}
