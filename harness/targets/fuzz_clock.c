/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts time stamps by a clock, and every result to its calendar form. The input is numbers, little-endian:
 *
 *     offset  size  what
 *     0       4     etl_clock.type
 *     4       8     frequency
 *     12      8     start_ticks
 *     20      8     start_time
 *     28      8...  time stamps
 *
 * Missing bytes are 0. Each time stamp is also tried as a FILETIME, and with its two neighbours.
 */
#include "broken_promise.h"
#include "entry_points.h"
#include "input_bytes.h"
#include "target.h"

/* The most time stamps of one input; more find nothing new. */
#define STAMPS_MOST 64

/* The next number of `size` bytes of the input. */
static uint64_t take(etl_span *rest, unsigned size)
{
    uint8_t bytes[8] = {0};
    size_t have = rest->size < size ? rest->size : size;
    if (have > 0)
        memcpy(bytes, rest->at, have);
    *rest = (etl_span){have ? rest->at + have : rest->at, rest->size - have};
    return oracle_raw(bytes, size);
}

static int64_t take_i64(etl_span *rest)
{
    uint8_t bytes[8];
    uint64_t value = take(rest, 8);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return oracle_raw_i64(bytes);
}

static void hold_calendar(oracle_watch *oracle, uint64_t filetime)
{
    etl_utc utc;
    bool known = etl_filetime_utc(filetime, &utc);
    oracle_calendar(oracle, filetime, known, &utc);
    target_hold(oracle, NULL);
}

static bool convert(oracle_watch *oracle, const etl_clock *clock, int64_t ticks, uint64_t *filetime)
{
    bool known = etl_clock_filetime(clock, ticks, filetime);
    oracle_filetime(oracle, clock, ticks, known, known ? *filetime : 0);
    target_hold(oracle, NULL);
    if (known)
        hold_calendar(oracle, *filetime);
    return known;
}

/* A time stamp and its two neighbours. Returns what convert() gives for the time stamp. */
static bool hold_stamp(oracle_watch *oracle, const etl_clock *clock, int64_t ticks, uint64_t *here)
{
    uint64_t before, after;
    bool known = convert(oracle, clock, ticks, here);
    if (ticks > INT64_MIN && convert(oracle, clock, ticks - 1, &before) && known)
        oracle_order(oracle, ticks - 1, before, ticks, *here);
    if (ticks < INT64_MAX && convert(oracle, clock, ticks + 1, &after) && known)
        oracle_order(oracle, ticks, *here, ticks + 1, after);
    hold_calendar(oracle, (uint64_t)ticks);
    return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    etl_span rest = {data, size};
    oracle_watch oracle;
    etl_clock clock;
    clock.type = (uint32_t)take(&rest, 4);
    clock.frequency = take(&rest, 8);
    clock.start_ticks = take_i64(&rest);
    clock.start_time = take_i64(&rest);
    oracle_init(&oracle, size, ETL_LIMITS_DEFAULT, true);
    int64_t last = clock.start_ticks;
    uint64_t last_time, time;
    bool last_known = convert(&oracle, &clock, last, &last_time);
    for (unsigned n = 0; n < STAMPS_MOST && rest.size > 0; n++) {
        int64_t ticks = take_i64(&rest);
        bool known = hold_stamp(&oracle, &clock, ticks, &time);
        if (known && last_known && ticks >= last)
            oracle_order(&oracle, last, last_time, ticks, time);
        else if (known && last_known)
            oracle_order(&oracle, ticks, time, last, last_time);
        target_hold(&oracle, NULL);
        last = ticks;
        last_time = time;
        last_known = known;
    }
    return 0;
}
