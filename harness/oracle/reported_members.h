/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle over the members of buffer and event records: they are those that the library read, and in their order. The
 * oracle writes them with code of its own.
 */
#ifndef ETLPROOF_ORACLE_REPORTED_MEMBERS_H
#define ETLPROOF_ORACLE_REPORTED_MEMBERS_H

#include "json_reader.h"
#include "promise.h"

/* Buffers and events of a decode that are compared: the first ones. */
#define ORACLE_MEMBERS_MAX 64u

/* A buffer, without its bytes. */
typedef struct oracle_reported_buffer {
    etl_buffer_header header;
    uint64_t offset;
    uint32_t stored_size, extent, inflated_from;
    bool compressed;
} oracle_reported_buffer;

/* An event, without its bytes. */
typedef struct oracle_reported_event {
    uint64_t buffer, offset;
    etl_space space;
    etl_layout layout;
    uint8_t type, marker, pointer_size;
    uint16_t processor;
    uint32_t size, data_at, data_size;
    bool has_time, has_utc;
    int64_t time;
    etl_utc utc;
    etl_event_fields fields;
} oracle_reported_event;

typedef struct oracle_members {
    oracle_reported_buffer buffers[ORACLE_MEMBERS_MAX];
    oracle_reported_event events[ORACLE_MEMBERS_MAX];
    size_t buffer_count, event_count; /* that are there */
} oracle_members;

/* Adds what one step of a decode reports. */
void oracle_members_add(oracle_members *members, const etl_reader *reader, etl_outcome outcome);

/*
 * True if the records of these buffers and events agree. Of an event's record, items and decoded payload are not compared.
 * If not, breaks RECORDS at the place in `records`, and `*why` has the reason.
 */
bool oracle_members_hold(oracle_watch *oracle, const oracle_members *members, oracle_slice records, const char **why);

#endif
