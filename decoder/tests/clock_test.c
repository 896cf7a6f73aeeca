/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c. The expected values come from Python: start_time + (ticks - start_ticks) * 10**7 // frequency with its integers,
 * and dates from its datetime, which counts days in another way.
 */
#include "etlproof/clock.h"

#include "test.h"

#define START INT64_C(132264720951234567) /* 2020-02-18 04:01:35.1234567 */

typedef struct conversion {
    int64_t start_time, start_ticks, ticks;
    uint64_t frequency;
    bool converts;
    uint64_t filetime;
} conversion;

static const conversion perfcounter[] = {
    {START, 1000, 1000, 10000000, true, UINT64_C(132264720951234567)},
    {START, 1000, 1001, 10000000, true, UINT64_C(132264720951234568)},
    /* Rounded towards the past, before the start too. */
    {START, 0, 1, 3, true, UINT64_C(132264720954567900)},
    {START, 0, -1, 3, true, UINT64_C(132264720947901233)},
    {START, 0, -3, 3, true, UINT64_C(132264720941234567)},
    {START, 0, 3000001, 3000000, true, UINT64_C(132264720961234570)},
    {START, 5000000000, 92694308000, 2435953, true, UINT64_C(132265080951234567)},
    {START, 5000000000, -82694308001, 2435953, true, UINT64_C(132264360951234562)},
    /* The product does not fit 64 bits. */
    {START, 0, INT64_C(922337203685478), 10000000, true, UINT64_C(133187058154920045)},
    {START, INT64_MIN, INT64_MAX, UINT64_C(10000000000007), true, UINT64_C(132283167695308263)},
    {START, INT64_MAX, INT64_MIN, UINT64_C(10000000000007), true, UINT64_C(132246274207160870)},
    {0, INT64_MIN, INT64_MAX, UINT64_MAX, true, 10000000},
    {0, INT64_MIN, INT64_MAX, UINT64_C(1) << 63, true, 19999999},
    {0, 0, INT64_MAX, (UINT64_C(1) << 63) + 1, true, 9999999},
    {5, 0, -1, UINT64_MAX, true, 4},
    {0, 0, INT64_C(1) << 61, UINT64_C(3) << 61, true, 3333333},
    {START, 0, -(INT64_C(1) << 61), UINT64_C(3) << 61, true, UINT64_C(132264720947901233)},
    /* The distance does not fit an int64_t. */
    {0, INT64_MIN, INT64_MAX, 20000000, true, INT64_MAX},
    {0, INT64_MIN, INT64_MAX, 20000001, true, UINT64_C(9223371575686197023)},
    {0, INT64_MIN, INT64_MAX, 10000000, false, 0},
    {INT64_MAX, INT64_MAX, INT64_MIN, 20000001, true, UINT64_C(461168578783)},
    {INT64_MAX, INT64_MAX, INT64_MIN, 20000000, false, 0},
    {0, INT64_MAX, INT64_MIN, 10000000, false, 0},
    /* The result is below 0 or above 2^63 - 1. */
    {0, 0, -1, UINT64_MAX, false, 0},
    {0, 0, 1, 1, true, 10000000},
    {0, 0, INT64_C(922337203685), 1, true, UINT64_C(9223372036850000000)},
    {0, 0, INT64_C(922337203686), 1, false, 0},
    {0, INT64_MIN, INT64_MAX, 1, false, 0},
    {3, 0, -3, 10000000, true, 0},
    {3, 0, -4, 10000000, false, 0},
    {INT64_MAX, 0, 0, 10000000, true, INT64_MAX},
    {INT64_MAX, 0, 1, 10000000, false, 0},
    {INT64_MAX, 0, INT64_MAX, 1, false, 0},
    /* A start before 1601. */
    {-5, 0, 6, 10000000, true, 1},
    {-5, 0, 5, 10000000, true, 0},
    {-5, 0, 4, 10000000, false, 0},
    {-5, 0, -1, 10000000, false, 0},
    {INT64_MIN, 0, INT64_MAX, 10000000, false, 0},
    {INT64_MIN, INT64_MIN, 0, 10000000, true, 0},
    {INT64_MIN, INT64_MIN, INT64_MAX, 10000000, true, INT64_MAX},
    {INT64_MIN, INT64_MIN, INT64_MAX, 5000000, false, 0},
    {-1, 0, INT64_C(1) << 62, 5000000, true, INT64_MAX},
    {-1, 0, (INT64_C(1) << 62) + 1, 5000000, false, 0},
    /* The distance is rounded up from 2^64 - 1. */
    {0, INT64_MAX, INT64_C(-9223370192180368438), 9999999, false, 0},
    {START, 0, 0, 0, false, 0},
};

static const conversion cpucycle[] = {
    {START, 0, INT64_C(3192000000), 3192, true, UINT64_C(132264720961234567)},
    {START, 0, 319, 3192, true, UINT64_C(132264720951234567)},
    {START, 0, 320, 3192, true, UINT64_C(132264720951234568)},
    {START, 0, -1, 3192, true, UINT64_C(132264720951234566)},
    {START, INT64_MIN, INT64_MAX, 1, false, 0},
    {START, 0, 0, 0, false, 0},
};

/* System time: neither start nor frequency is used. */
static const conversion systemtime[] = {
    {START, 77, INT64_C(132264036951234567), 0, true, UINT64_C(132264036951234567)},
    {START, 77, 0, 10000000, true, 0},
    {START, 77, INT64_MAX, 0, true, INT64_MAX},
    {START, 77, -1, 0, false, 0},
    {START, 77, INT64_MIN, 0, false, 0},
};

static void check_conversions(uint32_t type, const conversion *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const conversion *row = &rows[i];
        etl_clock clock = {type, row->frequency, row->start_ticks, row->start_time};
        uint64_t filetime = 0;
        bool converts = etl_clock_filetime(&clock, row->ticks, &filetime);
        CHECK(converts == row->converts);
        if (converts && row->converts)
            CHECK_UINT(row->filetime, filetime);
        if (converts != row->converts || (converts && filetime != row->filetime))
            printf("    in row %zu of clock type %" PRIu32 "\n", i, type);
    }
}

static void test_conversions(void)
{
    check_conversions(ETL_CLOCK_TYPE_PERFCOUNTER, perfcounter, sizeof perfcounter / sizeof *perfcounter);
    check_conversions(ETL_CLOCK_TYPE_CPUCYCLE, cpucycle, sizeof cpucycle / sizeof *cpucycle);
    check_conversions(ETL_CLOCK_TYPE_SYSTEMTIME, systemtime, sizeof systemtime / sizeof *systemtime);
    static const conversion never[] = {{START, 0, 5, 10000000, false, 0}};
    check_conversions(ETL_CLOCK_TYPE_RAW, never, 1);
    check_conversions(ETL_CLOCK_TYPE_COUNT, never, 1);
    check_conversions(UINT32_MAX, never, 1);
}

static const struct {
    uint64_t filetime;
    etl_utc utc;
} calendar[] = {
    {UINT64_C(0), {1601, 1, 1, 0, 0, 0, 0}},
    {UINT64_C(50975999999999), {1601, 2, 28, 23, 59, 59, 9999999}},
    {UINT64_C(50976000000000), {1601, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(31292351990000000), {1700, 2, 28, 23, 59, 59, 0}},
    {UINT64_C(31292352000000000), {1700, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(94354847999999999), {1899, 12, 31, 23, 59, 59, 9999999}},
    {UINT64_C(94404960000000000), {1900, 2, 28, 0, 0, 0, 0}},
    {UINT64_C(94405824000000000), {1900, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(116444736000000000), {1970, 1, 1, 0, 0, 0, 0}},
    {UINT64_C(125911583999999999), {1999, 12, 31, 23, 59, 59, 9999999}},
    {UINT64_C(125911584000000000), {2000, 1, 1, 0, 0, 0, 0}},
    {UINT64_C(125963012961234567), {2000, 2, 29, 12, 34, 56, 1234567}},
    {UINT64_C(125963424000000000), {2000, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(126226944000000000), {2000, 12, 31, 0, 0, 0, 0}},
    {UINT64_C(126227808000000000), {2001, 1, 1, 0, 0, 0, 0}},
    {UINT64_C(132264036951234567), {2020, 2, 17, 9, 1, 35, 1234567}},
    {UINT64_C(132274080000000000), {2020, 2, 29, 0, 0, 0, 0}},
    {UINT64_C(132539327999999999), {2020, 12, 31, 23, 59, 59, 9999999}},
    {UINT64_C(132590304000000000), {2021, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(157519296000000000), {2100, 2, 28, 0, 0, 0, 0}},
    {UINT64_C(157520160000000000), {2100, 3, 1, 0, 0, 0, 0}},
    {UINT64_C(252190368000000000), {2400, 2, 29, 0, 0, 0, 0}},
    {UINT64_C(252454752000000000), {2400, 12, 31, 0, 0, 0, 0}},
    {UINT64_C(252455616000000000), {2401, 1, 1, 0, 0, 0, 0}},
    {UINT64_C(2650467743999999999), {9999, 12, 31, 23, 59, 59, 9999999}},
};

static void test_calendar(void)
{
    etl_utc utc;
    for (size_t i = 0; i < sizeof calendar / sizeof *calendar; i++) {
        const etl_utc *expected = &calendar[i].utc;
        CHECK(etl_filetime_utc(calendar[i].filetime, &utc));
        CHECK_UINT(expected->year, utc.year);
        CHECK_UINT(expected->month, utc.month);
        CHECK_UINT(expected->day, utc.day);
        CHECK_UINT(expected->hour, utc.hour);
        CHECK_UINT(expected->minute, utc.minute);
        CHECK_UINT(expected->second, utc.second);
        CHECK_UINT(expected->fraction, utc.fraction);
    }
    CHECK(!etl_filetime_utc(UINT64_C(2650467744000000000), &utc)); /* 10000-01-01 */
    CHECK(!etl_filetime_utc(INT64_MAX, &utc));
    CHECK(!etl_filetime_utc(UINT64_MAX, &utc));
}

/* Each day from 1601-01-01 to 9999-12-31, as one number: hash = hash * 1000003 + yyyymmdd modulo 2^64. */
static void test_every_day(void)
{
    uint64_t hash = 0;
    for (uint64_t day = 0; day <= 3067670; day++) {
        etl_utc utc = {0};
        etl_filetime_utc(day * 86400 * ETL_FILETIME_SECOND, &utc);
        hash = hash * 1000003 + utc.year * UINT64_C(10000) + utc.month * UINT64_C(100) + utc.day;
    }
    CHECK_UINT(UINT64_C(9712544870711259822), hash);
}

int main(void)
{
    test_conversions();
    test_calendar();
    test_every_day();
    return test_result();
}
