/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a converted time stamp exactly, by multiplication alone: with d ticks since the start, f FILETIMEs since StartTime
 * is right if 0 <= d * factor - f * frequency < frequency. Called by fuzz_clock and fuzz_logfile.
 */
#include "entry_points.h"

/*
 * 192 bits in two's complement: more than a sum of three products of 64 by 65 bits. Members and not an array, which
 * sanitizers would have kept in memory: this runs a dozen times for each time stamp.
 */
typedef struct number {
    uint64_t low, middle, high;
} number;

static inline bool is_negative(number n)
{
    return n.high >> 63;
}

static inline number subtract(number a, number b)
{
    const uint64_t borrow = a.low < b.low;
    const uint64_t more = a.middle < b.middle || (a.middle == b.middle && borrow);
    return (number){a.low - b.low, a.middle - b.middle - borrow, a.high - b.high - more};
}

static inline number from_unsigned(uint64_t value)
{
    return (number){value, 0, 0};
}

/* By halves of 32 bits, each product of which has 64. */
static inline number product(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    const uint64_t low = (a & half) * (b & half), one = (a >> 32) * (b & half);
    const uint64_t other = (a & half) * (b >> 32) + (one & half) + (low >> 32);
    return (number){other << 32 | (low & half), (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32), 0};
}

/* (to - from) * factor. */
static inline number scaled(int64_t from, int64_t to, uint64_t factor)
{
    const uint64_t magnitude = to < from ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
    const number scaled = product(magnitude, factor);
    return to < from ? subtract(from_unsigned(0), scaled) : scaled;
}

/* 100 ns units in the time that `frequency` ticks take; 0 if the clock has no frequency. */
static uint32_t factor_of(const etl_clock *clock)
{
    return clock->type == ETL_CLOCK_TYPE_PERFCOUNTER ? 10000000 : clock->type == ETL_CLOCK_TYPE_CPUCYCLE ? 10 : 0;
}

static bool counted_holds(const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime)
{
    const number distance = scaled(clock->start_ticks, ticks, factor_of(clock));
    const number frequency = from_unsigned(clock->frequency);
    if (known) {
        if (filetime > INT64_MAX)
            return false;
        number rest = subtract(distance, scaled(clock->start_time, (int64_t)filetime, clock->frequency));
        return !is_negative(rest) && is_negative(subtract(rest, frequency));
    }
    /* A refusal is right only if the result is below 0, or at least 2^63. */
    number first = subtract(distance, scaled(clock->start_time, 0, clock->frequency));
    number last = subtract(distance, scaled(clock->start_time, INT64_MAX, clock->frequency));
    return is_negative(first) || !is_negative(subtract(last, frequency));
}

static bool time_holds(const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime)
{
    if (clock->type == ETL_CLOCK_TYPE_SYSTEMTIME)
        return known == (ticks >= 0) && (!known || filetime == (uint64_t)ticks);
    if (factor_of(clock) == 0 || clock->frequency == 0)
        return !known;
    return counted_holds(clock, ticks, known, filetime);
}

bool oracle_filetime(oracle_watch *oracle, const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime)
{
    return time_holds(clock, ticks, known, filetime) || oracle_break(oracle, ORACLE_PROMISE_FILETIME, 0);
}

bool oracle_order(oracle_watch *oracle, int64_t ticks, uint64_t filetime, int64_t later_ticks, uint64_t later_filetime)
{
    if (ticks > later_ticks || filetime <= later_filetime)
        return true;
    return oracle_break(oracle, ORACLE_PROMISE_TIME_ORDER, 0);
}
