/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle over buffer headers passes on the decoder's reading of one header of each shape, and fails when a member is
 * wrong.
 */
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

/* A header whose bytes all differ. */
static uint8_t bytes[ETL_SIZE(WMI_BUFFER_HEADER_61)];
static etl_reader reader;

static void make(etl_buffer_shape shape, uint8_t flag, uint8_t type)
{
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0xFF - i);
    memset(bytes + ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), 0, 4);
    bytes[ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag)] = flag;
    bytes[ETL_AT(WMI_BUFFER_HEADER_61, BufferType)] = type;
    reader = (etl_reader){.trace.shape = shape, .window = {bytes, sizeof bytes}};
    etl_buffer_header_read(reader.window, shape, &reader.buffer.header);
}

static void nothing(etl_buffer_header *h) { (void)h; }
static void other_shape(etl_buffer_header *h) { h->shape = ETL_BUFFER_SHAPE_60; }
static void buffer_size(etl_buffer_header *h) { h->buffer_size++; }
static void saved_offset(etl_buffer_header *h) { h->saved_offset = h->offset; }
static void current_offset(etl_buffer_header *h) { h->current_offset = 0; }
static void time_stamp(etl_buffer_header *h) { h->time_stamp = (int32_t)h->time_stamp; }
static void next_byte(etl_buffer_header *h) { h->processor = bytes[ETL_AT(WMI_BUFFER_HEADER_60, ProcessorNumber) + 1]; }
static void short_index(etl_buffer_header *h) { h->processor &= 0xFF; }
static void long_index(etl_buffer_header *h) { h->processor |= 0x0800; }
static void logger_id(etl_buffer_header *h) { h->logger_id &= 0xFF; }
static void state(etl_buffer_header *h) { h->state &= 0xFFFF; }
static void offset(etl_buffer_header *h) { h->offset = h->saved_offset; }
static void buffer_flag(etl_buffer_header *h) { h->buffer_flag = h->buffer_type; }
static void buffer_type(etl_buffer_header *h) { h->buffer_type = h->buffer_flag; }
static void events_lost(etl_buffer_header *h) { h->events_lost &= 0xFFFF; }
static void lost_of_later(etl_buffer_header *h) { h->events_lost = 1; }
static void no_sequence(etl_buffer_header *h) { h->has_sequence_number = false; }
static void short_sequence(etl_buffer_header *h) { h->sequence_number &= 0xFFFF; }
static void no_clock(etl_buffer_header *h) { h->has_reference_time = false; }
static void start_time(etl_buffer_header *h) { h->reference_start_time = h->reference_start_perf_clock; }
static void start_perf_clock(etl_buffer_header *h) { h->reference_start_perf_clock = h->reference_start_time; }

static const struct row {
    const char *what;
    oracle_promise promise; /* COUNT: none is broken */
    etl_buffer_shape shape;
    uint8_t flag, type;
    void (*spoil)(etl_buffer_header *header);
} rows[] = {
    {"a header of 5.0", ORACLE_PROMISE_COUNT, ETL_BUFFER_SHAPE_50, 0x12, 3, nothing},
    {"a header of 5.2", ORACLE_PROMISE_COUNT, ETL_BUFFER_SHAPE_52, ETL_BUFFER_FLAG_PROC_INDEX, 3, nothing},
    {"a header of 6.0", ORACLE_PROMISE_COUNT, ETL_BUFFER_SHAPE_60, 0, ETL_BUFFER_TYPE_REFTIME, nothing},
    {"a header of 6.1", ORACLE_PROMISE_COUNT, ETL_BUFFER_SHAPE_61, ETL_BUFFER_FLAG_PROC_INDEX, 0, nothing},
    {"a header with flag RTBACKUP", ORACLE_PROMISE_COUNT, ETL_BUFFER_SHAPE_61, ETL_BUFFER_FLAG_RTBACKUP, 0, nothing},
    {"a header read by another shape", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, other_shape},
    {"another BufferSize", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, buffer_size},
    {"Offset as SavedOffset", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, saved_offset},
    {"another CurrentOffset", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, current_offset},
    {"a TimeStamp of 32 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, time_stamp},
    {"Alignment as ProcessorNumber", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_60, 0, 0, next_byte},
    {"a ProcessorIndex of 8 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, ETL_BUFFER_FLAG_PROC_INDEX, 0,
     short_index},
    {"a ProcessorIndex of 12 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, ETL_BUFFER_FLAG_PROC_INDEX, 0,
     long_index},
    {"a LoggerId of 8 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, logger_id},
    {"a State of 16 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, state},
    {"SavedOffset as Offset", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, offset},
    {"BufferType as BufferFlag", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_52, 1, 2, buffer_flag},
    {"BufferFlag as BufferType", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_52, 1, 2, buffer_type},
    {"EventsLost of 16 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_50, 0, 1, events_lost},
    {"EventsLost in a shape without it", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_52, 0, 1, lost_of_later},
    {"no SequenceNumber", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_60, 0, 0, no_sequence},
    {"a SequenceNumber of 16 bits", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, 0, short_sequence},
    {"no reference time", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, 0, ETL_BUFFER_TYPE_REFTIME, no_clock},
    {"StartPerfClock as StartTime", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_60, 0, ETL_BUFFER_TYPE_REFTIME,
     start_time},
    {"StartTime as StartPerfClock", ORACLE_PROMISE_BUFFER_HEADER, ETL_BUFFER_SHAPE_61, ETL_BUFFER_FLAG_RTBACKUP, 0,
     start_perf_clock},
};

static void judge(const struct row *row, bool fired[ORACLE_PROMISE_COUNT])
{
    oracle_watch oracle;
    oracle_init(&oracle, sizeof bytes, ETL_LIMITS_DEFAULT, true);
    make(row->shape, row->flag, row->type);
    row->spoil(&reader.buffer.header);
    const bool held = oracle_buffer_header(&oracle, &reader);
    const bool right = oracle.broken == row->promise && held == (oracle.broken == ORACLE_PROMISE_COUNT);
    say(right, row->what);
    if (!right)
        printf("# expected %s, got %s\n", oracle_promise_name(row->promise), oracle_promise_name(oracle.broken));
    if (oracle.broken < ORACLE_PROMISE_COUNT)
        fired[oracle.broken] = true;
}

void test_buffer_header(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge(&rows[i], fired);
}
