/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time stamps of a session as UTC.
 */
#ifndef ETLPROOF_TIMES_H
#define ETLPROOF_TIMES_H

#include "json/json_text.h"

typedef struct build_session_clock {
    uint32_t type;       /* enum etl_clock_type */
    uint64_t frequency;  /* ticks a second, or MHz of type CPUCYCLE; 0: not known */
    int64_t start_ticks; /* the session clock at ... */
    int64_t start_time;  /* ... this FILETIME */
} build_session_clock;

/* FILETIME of a time stamp, rounded towards the past; false if the clock cannot say, or it is outside 0 .. 2^63-1. */
bool build_session_filetime(const build_session_clock *clock, int64_t ticks, uint64_t *filetime);

/* "2020-02-17T09:01:35.1234567Z"; nothing, not even the key, after the year 9999. */
void build_json_object_utc(build_json_object *object, const char *key, uint64_t filetime);

#endif
