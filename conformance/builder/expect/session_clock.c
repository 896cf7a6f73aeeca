/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts ticks of a session clock to FILETIME and UTC. Called for the time stamps of records.
 */
#include "expect/session_clock.h"

#include "etlproof/format.h"

#include <stdio.h>

/* 64 bits times 10^7 need more than 64. */
__extension__ typedef __int128 wide;

enum { STEPS_A_SECOND = 10000000, STEPS_A_MICROSECOND = 10, SECONDS_A_DAY = 86400, FIRST_YEAR = 1601, LAST_YEAR = 9999 };

/* Rounded down, of negative numbers too; `by` is positive. */
static wide divide(wide number, wide by)
{
    const wide quotient = number / by;
    return number % by < 0 ? quotient - 1 : quotient;
}

bool build_session_filetime(const build_session_clock *clock, int64_t ticks, uint64_t *filetime)
{
    wide time = ticks;
    if (clock->type == ETL_CLOCK_TYPE_PERFCOUNTER || clock->type == ETL_CLOCK_TYPE_CPUCYCLE) {
        const wide steps = clock->type == ETL_CLOCK_TYPE_PERFCOUNTER ? STEPS_A_SECOND : STEPS_A_MICROSECOND;
        if (clock->frequency == 0)
            return false;
        time = clock->start_time + divide(((wide)ticks - clock->start_ticks) * steps, (wide)clock->frequency);
    } else if (clock->type != ETL_CLOCK_TYPE_SYSTEMTIME) {
        return false;
    }
    *filetime = (uint64_t)time;
    return time >= 0 && time <= INT64_MAX;
}

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month] + (month == 1 && is_leap(year) ? 1u : 0u);
}

void build_json_object_utc(build_json_object *object, const char *key, uint64_t filetime)
{
    uint64_t day = filetime / STEPS_A_SECOND / SECONDS_A_DAY;
    const unsigned second = (unsigned)(filetime / STEPS_A_SECOND % SECONDS_A_DAY);
    unsigned year = FIRST_YEAR, month = 0;
    char text[48];
    for (; year <= LAST_YEAR && day >= 365u + is_leap(year); year++)
        day -= 365u + is_leap(year);
    if (year > LAST_YEAR)
        return;
    for (; day >= days_of_month(year, month); month++)
        day -= days_of_month(year, month);
    (void)snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%07uZ", year, month + 1, (unsigned)day + 1,
                   second / 3600, second / 60 % 60, second % 60, (unsigned)(filetime % STEPS_A_SECOND));
    build_json_object_text(object, key, text);
}
