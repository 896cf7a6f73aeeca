/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exactness of a converted time stamp, by multiplication alone: with d ticks since the start, f FILETIMEs since StartTime
 * is right if 0 <= d * factor - f * frequency < frequency. The numbers are as long as they get, digit by digit of 32 bits.
 */
#include "direct.h"

/* 192 bits in two's complement, low digit first: more than a sum of three products of 64 by 65 bits. */
#define DIGITS 6
typedef struct number {
    uint32_t digit[DIGITS];
} number;

static bool is_negative(number n)
{
    return n.digit[DIGITS - 1] >> 31;
}

static number subtract(number a, number b)
{
    uint32_t borrow = 0;
    for (int i = 0; i < DIGITS; i++) {
        uint64_t minus = (uint64_t)b.digit[i] + borrow;
        borrow = a.digit[i] < minus;
        a.digit[i] -= (uint32_t)minus;
    }
    return a;
}

static number from_unsigned(uint64_t value)
{
    return (number){{(uint32_t)value, (uint32_t)(value >> 32)}};
}

/* (to - from) * factor. */
static number scaled(int64_t from, int64_t to, uint64_t factor)
{
    const number zero = {{0}};
    uint64_t magnitude = to < from ? (uint64_t)from - (uint64_t)to : (uint64_t)to - (uint64_t)from;
    const uint32_t a[2] = {(uint32_t)magnitude, (uint32_t)(magnitude >> 32)};
    const uint32_t b[2] = {(uint32_t)factor, (uint32_t)(factor >> 32)};
    number product = zero;
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 2; j++) {
            carry += (uint64_t)a[i] * b[j] + product.digit[i + j];
            product.digit[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product.digit[i + 2] = (uint32_t)carry;
    }
    return to < from ? subtract(zero, product) : product;
}

/* 100 ns units for each unit of which `frequency` make up one; 0: the clock does not count such. */
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
    /* Right only if the result is below 0, or not below 2^63: a unit beyond the last. */
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

bool etl_oracle_filetime(etl_oracle *oracle, const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime)
{
    return time_holds(clock, ticks, known, filetime) || etl_oracle_break(oracle, ETL_PROMISE_FILETIME, 0);
}

bool etl_oracle_order(etl_oracle *oracle, int64_t ticks, uint64_t filetime, int64_t later_ticks, uint64_t later_filetime)
{
    if (ticks > later_ticks || filetime <= later_filetime)
        return true;
    return etl_oracle_break(oracle, ETL_PROMISE_TIME_ORDER, 0);
}
