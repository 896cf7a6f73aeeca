/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a raw time stamp into a FILETIME, and a FILETIME into a calendar date. Users of the library call this for each
 * event that they print.
 */
#include "etlproof/clock.h"

/* A day and a 400-year cycle of the calendar, in units of the one below. */
#define SECONDS_A_DAY 86400u
#define DAYS_A_CYCLE 146097u

/* Microseconds have ten units of FILETIME. */
#define FILETIME_MICROSECOND (ETL_FILETIME_SECOND / 1000000)

/* The distance from `from` to `to`, which an int64_t may not hold, as sign and magnitude. */
typedef struct distance {
    bool negative;
    uint64_t magnitude;
} distance;

/*@ assigns \nothing;
  @ ensures \result.negative <==> to < from; */
static distance distance_between(int64_t from, int64_t to)
{
    distance d = {to < from, to < from ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from};
    return d;
}

typedef struct quotient {
    bool fits;
    uint64_t whole;
    bool exact; /* no remainder */
} quotient;

/*
 * part * factor / divisor, for part < divisor, where the product may not fit 64 bits: long multiplication from the top bit
 * of `factor` down, which keeps quotient and remainder of the product so far. The quotient is below `factor`.
 */
/*@ requires part < divisor;
  @ assigns \nothing; */
static quotient divide_long(uint64_t part, uint32_t factor, uint64_t divisor)
{
    uint64_t whole = 0, rest = 0;
    /*@ loop invariant rest < divisor;
      @ loop assigns bit, whole, rest;
      @ loop variant bit; */
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit /= 2) {
        bool wraps = rest >= divisor - rest;
        rest = wraps ? rest - (divisor - rest) : rest + rest;
        whole = whole + whole + wraps;
        if ((factor & bit) == 0)
            continue;
        wraps = rest >= divisor - part;
        rest = wraps ? rest - (divisor - part) : rest + part;
        whole += wraps;
    }
    quotient q = {true, whole, rest == 0};
    return q;
}

/* ticks * factor / divisor, rounded down; `divisor` is not 0. */
/*@ requires divisor != 0 && factor != 0;
  @ assigns \nothing; */
static quotient scale(uint64_t ticks, uint32_t factor, uint64_t divisor)
{
    uint64_t whole = ticks / divisor, part = ticks % divisor;
    quotient q = {false, 0, false};
    if (whole > UINT64_MAX / factor)
        return q;
    if (part <= UINT64_MAX / factor) {
        uint64_t product = part * factor;
        q.whole = product / divisor;
        q.exact = product % divisor == 0;
    } else {
        q = divide_long(part, factor, divisor);
    }
    whole *= factor;
    q.fits = q.whole <= UINT64_MAX - whole;
    q.whole += whole;
    return q;
}

/* start + d, if it is 0 .. 2^63-1. */
/*@ requires \valid(sum);
  @ assigns *sum;
  @ ensures \result ==> *sum <= INT64_MAX; */
static bool add_distance(int64_t start, distance d, uint64_t *sum)
{
    uint64_t base = (uint64_t)start;
    bool below = start < 0;
    if (below)
        base = UINT64_MAX - base + 1;
    if (below && d.negative)
        return false;
    if (!below && !d.negative) {
        *sum = base + d.magnitude;
        return d.magnitude <= (uint64_t)INT64_MAX - base;
    }
    uint64_t more = below ? d.magnitude : base, less = below ? base : d.magnitude;
    *sum = more - less;
    return more >= less && *sum <= (uint64_t)INT64_MAX;
}

/* start_time + (ticks - start_ticks) * factor / frequency, rounded towards the past. */
/*@ requires \valid_read(clock) && \valid(filetime) && \separated(clock, filetime) && factor != 0;
  @ assigns *filetime; */
static bool convert(const etl_clock *clock, int64_t ticks, uint32_t factor, uint64_t *filetime)
{
    if (clock->frequency == 0)
        return false;
    distance d = distance_between(clock->start_ticks, ticks);
    quotient q = scale(d.magnitude, factor, clock->frequency);
    bool up = d.negative && !q.exact;
    if (!q.fits || (up && q.whole == UINT64_MAX))
        return false;
    d.magnitude = q.whole + up;
    return add_distance(clock->start_time, d, filetime);
}

/*@ requires \valid_read(clock) && \valid(filetime) && \separated(clock, filetime);
  @ assigns *filetime; */
bool etl_clock_filetime(const etl_clock *clock, int64_t ticks, uint64_t *filetime)
{
    switch (clock->type) {
    case ETL_CLOCK_TYPE_PERFCOUNTER:
        return convert(clock, ticks, (uint32_t)ETL_FILETIME_SECOND, filetime);
    case ETL_CLOCK_TYPE_CPUCYCLE:
        return convert(clock, ticks, (uint32_t)FILETIME_MICROSECOND, filetime);
    case ETL_CLOCK_TYPE_SYSTEMTIME:
        *filetime = (uint64_t)ticks;
        return ticks >= 0;
    default:
        return false;
    }
}

/*
 * Years that begin on 1 March put the leap day last, so that months and leap years come out of divisions. Day 0 is
 * 1600-03-01, the start of a 400-year cycle and 306 days before the epoch.
 */
/*@ requires \valid(utc);
  @ assigns *utc; */
bool etl_filetime_utc(uint64_t filetime, etl_utc *utc)
{
    uint64_t seconds = filetime / ETL_FILETIME_SECOND;
    uint32_t second = (uint32_t)(seconds % SECONDS_A_DAY);
    uint32_t days = (uint32_t)(seconds / SECONDS_A_DAY) + 306;

    uint32_t day = days % DAYS_A_CYCLE;
    uint32_t year = (day - day / 1460 + day / 36524 - day / (DAYS_A_CYCLE - 1)) / 365;
    day -= 365 * year + year / 4 - year / 100;
    uint32_t month = (5 * day + 2) / 153; /* from March; five months have 153 days */
    day -= (153 * month + 2) / 5;
    year += 1600 + days / DAYS_A_CYCLE * 400 + (month >= 10);
    if (year > 9999)
        return false;

    *utc = (etl_utc){
        .year = (uint16_t)year,
        .month = (uint8_t)(month < 10 ? month + 3 : month - 9),
        .day = (uint8_t)(day + 1),
        .hour = (uint8_t)(second / 3600),
        .minute = (uint8_t)(second / 60 % 60),
        .second = (uint8_t)(second % 60),
        .fraction = (uint32_t)(filetime % ETL_FILETIME_SECOND),
    };
    return true;
}
