/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts ticks of a session clock to FILETIME and UTC. Called for the time stamps of records.
 */
#include "expect/session_clock.h"

#include "etlproof/format.h"

#include <stdio.h>

enum { STEPS_A_SECOND = 10000000, STEPS_A_MICROSECOND = 10, SECONDS_A_DAY = 86400, FIRST_YEAR = 1601, LAST_YEAR = 9999 };

/*
 * number * steps / frequency, rounded down; *exact is false if it was rounded. False if it is 2^64 or more. The product may
 * need more than 64 bits, so that the rest of the division is multiplied bit by bit. `frequency` is below 2^63.
 */
static bool scale(uint64_t number, uint32_t steps, uint64_t frequency, uint64_t *result, bool *exact)
{
    const uint64_t left = number % frequency;
    uint64_t part = 0, rest = 0;
    for (unsigned bit = 32; bit-- > 0;) {
        rest *= 2;
        part = 2 * part + rest / frequency;
        rest %= frequency;
        if ((steps >> bit) % 2 != 0)
            rest += left;
        part += rest / frequency;
        rest %= frequency;
    }
    *exact = rest == 0;
    *result = number / frequency * steps + part;
    return number / frequency <= (UINT64_MAX - part) / steps;
}

static bool add_ticks(const build_session_clock *clock, int64_t ticks, uint32_t steps, uint64_t *filetime)
{
    const bool later = ticks >= clock->start_ticks;
    const uint64_t number =
        later ? (uint64_t)ticks - (uint64_t)clock->start_ticks : (uint64_t)clock->start_ticks - (uint64_t)ticks;
    const uint64_t start = (uint64_t)clock->start_time;
    uint64_t distance;
    bool exact;
    if (!scale(number, steps, clock->frequency, &distance, &exact))
        return false;
    if (later) {
        *filetime = start + distance;
        return distance <= (uint64_t)INT64_MAX - start && *filetime <= INT64_MAX;
    }
    *filetime = start - distance - (exact ? 0 : 1);
    return start <= INT64_MAX && distance < start + (exact ? 1 : 0);
}

bool build_session_filetime(const build_session_clock *clock, int64_t ticks, uint64_t *filetime)
{
    *filetime = (uint64_t)ticks;
    switch (clock->type) {
    case ETL_CLOCK_TYPE_SYSTEMTIME: return ticks >= 0;
    case ETL_CLOCK_TYPE_PERFCOUNTER: return clock->frequency != 0 && add_ticks(clock, ticks, STEPS_A_SECOND, filetime);
    case ETL_CLOCK_TYPE_CPUCYCLE: return clock->frequency != 0 && add_ticks(clock, ticks, STEPS_A_MICROSECOND, filetime);
    default: return false;
    }
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
