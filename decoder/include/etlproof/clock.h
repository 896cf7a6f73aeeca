/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts raw time stamps to UTC, with integers only.
 */
#ifndef ETLPROOF_CLOCK_H
#define ETLPROOF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* FILETIME: 100 ns units since 1601-01-01 00:00 UTC. */
#define ETL_FILETIME_SECOND UINT64_C(10000000)

/* The clock of a trace, from its logfile header. */
typedef struct etl_clock {
    uint32_t type;        /* enum etl_clock_type */
    uint64_t frequency;   /* ticks a second of type PERFCOUNTER; MHz of type CPUCYCLE; else unused */
    int64_t start_ticks;  /* time stamp of the logfile header event ... */
    int64_t start_time;   /* ... and the FILETIME of that moment: StartTime */
} etl_clock;

typedef struct etl_utc {
    uint16_t year;         /* 1601 to 9999 */
    uint8_t month;         /* 1 to 12 */
    uint8_t day;           /* 1 to 31 */
    uint8_t hour, minute, second;
    uint32_t fraction;     /* 100 ns units, below 10,000,000 */
} etl_utc;

/*
 * The FILETIME of a raw time stamp, exact, rounded down (towards the past).
 * False if the clock's type is RAW or unknown, if it has no frequency, or if the result is outside 0 .. 2^63-1.
 */
bool etl_clock_filetime(const etl_clock *clock, int64_t ticks, uint64_t *filetime);

/* The calendar form of a FILETIME. False beyond the year 9999. */
bool etl_filetime_utc(uint64_t filetime, etl_utc *utc);

ETL_C_END

#endif
