/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests recovery_header.c: each total of a logfile header, and each member of a note, is accepted as it must be and refused
 * with any other value.
 */
#include "recovery_header.h"

#include "test.h"

#define START INT64_C(1000)
#define END_TIME "EndTime is that of the old file, or the time of the last event"
#define BUFFERS "BuffersWritten is the number of buffers; in a circular trace it may be larger"
#define PROCESSORS "NumberOfProcessors is that of the old file, or one more than the highest processor"
#define INPUT "a compressed buffer of the new file has no input behind its stream but a flag word"

/* An old file with two processors, whose trace was not closed, and the new one with three buffers and no event. */
static etl_survey old, made;
static target_recovery_totals in, out;

static const char *broken(void)
{
    return target_recovery_header((target_recovery_side){&old, &in}, (target_recovery_side){&made, &out});
}

static void begin(void)
{
    in = (target_recovery_totals){.buffers = 2, .processors = 5};
    out = (target_recovery_totals){.buffers = 3, .processors = 4};
    old = (etl_survey){.logfile = {.known = true, .number_of_processors = 2, .start_time = START, .buffers_written = 9}};
    old.logfile.clock = (etl_clock){
        .type = ETL_CLOCK_TYPE_PERFCOUNTER, .frequency = 5000000, .start_ticks = 100, .start_time = START};
    made = (etl_survey){.logfile = {.known = true, .number_of_processors = 2, .end_time = START, .buffers_written = 3}};
}

static void count_event(int64_t time, bool timed, bool header)
{
    static etl_reader reader;
    reader.event = (etl_event){.has_time = timed, .time = time};
    target_recovery_count(&out, ETL_EVENT, &reader, header);
}

/* `expected` is accepted, its neighbours and 0 are not. */
static void check_end_time(int64_t expected)
{
    const int64_t values[] = {expected, expected - 1, expected + 1, 0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        made.logfile.end_time = values[i];
        CHECK_TEXT(values[i] == expected ? NULL : END_TIME, broken());
    }
}

static void test_end_time(void)
{
    begin();
    check_end_time(START); /* no event */
    count_event(INT64_MAX, false, false);
    check_end_time(START); /* an event without time */
    count_event(400, true, false);
    count_event(150, true, false);
    check_end_time(START + 600); /* the greatest time, not the last one: 300 ticks of 200 ns */
    old.logfile.clock.type = ETL_CLOCK_TYPE_RAW;
    check_end_time(START);
    old.logfile.start_time = 0;
    check_end_time(1);
    old.logfile.end_time = 77;
    check_end_time(77);
    old.logfile.known = false;
    made.logfile.number_of_processors = 5;
    check_end_time(1);
}

/* An event before the start of the trace: the start counts. */
static void test_end_before_start(void)
{
    begin();
    count_event(50, true, false);
    check_end_time(START);
}

/* Ticks before 0 count as any other. */
static void test_end_at_negative_ticks(void)
{
    begin();
    old.logfile.clock.start_ticks = -100;
    check_end_time(START);
    count_event(-40, true, false);
    check_end_time(START + 120);
}

/* The event with the logfile header may count or not. */
static void test_end_of_header_event(void)
{
    begin();
    count_event(400, true, true);
    count_event(200, true, false);
    const int64_t all = START + 600, others = START + 200;
    const int64_t values[] = {all, others, all + 1, others - 1, others + 1, START};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        made.logfile.end_time = values[i];
        CHECK_TEXT(values[i] == all || values[i] == others ? NULL : END_TIME, broken());
    }
}

static void check_buffers(uint32_t expected)
{
    for (uint32_t i = 0; i < 16; i++) {
        made.logfile.buffers_written = i;
        CHECK_TEXT(i == expected ? NULL : BUFFERS, broken());
    }
}

static void test_buffers(void)
{
    begin();
    check_buffers(3);
    old.logfile.log_file_mode = ETL_LOGGER_MODE_FILE_MODE_CIRCULAR;
    check_buffers(9);
    old.logfile.buffers_written = 2;
    check_buffers(3);
    old.logfile.buffers_written = 9;
    old.logfile.known = false;
    made.logfile.end_time = 1;
    made.logfile.number_of_processors = 5;
    check_buffers(3);
}

static void check_processors(uint32_t expected)
{
    for (uint32_t i = 0; i < 16; i++) {
        made.logfile.number_of_processors = i;
        CHECK_TEXT(i == expected ? NULL : PROCESSORS, broken());
    }
}

static void test_processors(void)
{
    begin();
    check_processors(2);
    old.logfile.known = false;
    made.logfile.end_time = 1;
    check_processors(5);
    in.processors = 0;
    check_processors(1);
}

static void count_buffer(target_recovery_totals *totals, uint16_t processor)
{
    static etl_reader reader;
    reader.buffer.header.processor = processor;
    target_recovery_count(totals, ETL_BUFFER, &reader, false);
}

/* A buffer with 10 bytes of input, of which the stream uses some. */
static void check_input(bool compressed, uint32_t used, const char *expected)
{
    static etl_reader reader;
    reader.buffer = (etl_buffer){.compressed = compressed, .inflated_from = used};
    reader.buffer.raw.size = ETL_BUFFER_SIZE_MIN + 10;
    begin();
    target_recovery_count(&out, ETL_BUFFER, &reader, false);
    reader.buffer.inflated_from = 10;
    target_recovery_count(&out, ETL_BUFFER, &reader, false);
    out.buffers = 3;
    CHECK_TEXT(expected, broken());
}

static void test_input(void)
{
    check_input(true, 10, NULL);
    check_input(true, 6, NULL);
    check_input(true, 5, INPUT);
    check_input(true, 0, INPUT);
    check_input(false, 0, NULL);
}

static void test_count(void)
{
    target_recovery_totals totals = {0};
    static const etl_reader reader;
    count_buffer(&totals, 3);
    count_buffer(&totals, 1);
    target_recovery_count(&totals, ETL_GAP, &reader, false);
    target_recovery_count(&totals, ETL_END, &reader, false);
    CHECK_UINT(2, totals.buffers);
    CHECK_UINT(4, totals.processors);
    CHECK(!totals.has_time[0] && !totals.has_time[1]);
}

static void test_change(void)
{
    const uint8_t bytes[] = {0, 0, 0, 0x34, 0x12, 0xFF};
    const etl_span file = {bytes, sizeof bytes};
    const etl_recover_note right = {.space = ETL_SPACE_FILE, .offset = 3, .from = 0, .to = UINT64_C(0x9ABC1234)};
    CHECK(target_recovery_change_fits(file, &right));
    etl_recover_note wrong = right;
    wrong.space = ETL_SPACE_INFLATED;
    CHECK(!target_recovery_change_fits(file, &wrong));
    wrong = right;
    wrong.from = wrong.to;
    CHECK(!target_recovery_change_fits(file, &wrong));
    for (uint64_t at = 0; at < 8; at++) {
        wrong = right;
        wrong.offset = at;
        CHECK(target_recovery_change_fits(file, &wrong) == (at == 3));
    }
    for (unsigned bit = 0; bit < 16; bit++) {
        wrong = right;
        wrong.to ^= UINT64_C(1) << bit;
        CHECK(!target_recovery_change_fits(file, &wrong));
    }
    CHECK(!target_recovery_change_fits((etl_span){bytes, 1}, &(etl_recover_note){.from = 1}));
    const etl_recover_note last = {.offset = 4, .to = 0xFF12};
    CHECK(target_recovery_change_fits(file, &last));
}

int main(void)
{
    test_end_time();
    test_end_before_start();
    test_end_at_negative_ticks();
    test_end_of_header_event();
    test_buffers();
    test_processors();
    test_count();
    test_change();
    test_input();
    return test_result();
}
