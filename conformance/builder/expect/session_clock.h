/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time stamps of a session as UTC.
 */
#ifndef ETLPROOF_SESSION_CLOCK_H
#define ETLPROOF_SESSION_CLOCK_H

#include "json/json_object.h"

typedef struct build_session_clock {
    uint32_t type;       /* enum etl_clock_type */
    uint64_t frequency;  /* ticks a second, MHz for CPUCYCLE; 0 if unknown */
    int64_t start_ticks; /* the session clock ... */
    int64_t start_time;  /* ... at this FILETIME */
} build_session_clock;

/* The FILETIME of a time stamp, rounded down. False if the clock does not state it, or it is outside 0 .. 2^63-1. */
bool build_session_filetime(const build_session_clock *clock, int64_t ticks, uint64_t *filetime);

/* Adds a field such as "2020-02-17T09:01:35.1234567Z"; none for times after the year 9999. */
void build_json_object_utc(build_json_object *object, const char *key, uint64_t filetime);

#endif
