/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a logfile header event, derives context and buffer shape from it, converts some times by its clock, and compares it
 * as a later header with clocks that are the same or differ in a member. The context of the input is not used: the header
 * gives it.
 */
#include "broken_promise.h"
#include "context_input.h"
#include "due.h"
#include "exact_copy.h"
#include "share.h"
#include "target.h"

/* Clocks to compare with: the same, and one for each member that differs. While fuzzing, an input gets one of them. */
enum { CLOCKS = 5 };

/* Of the buffer in the file: offsets that are kept in 32 bits overflow. */
#define ORIGIN UINT64_C(0xFFFFFFB0)

static const char *const layers[] = {"logfile", NULL};

/* Times near the start, and the extremes of a tick. */
static void hold_clock(oracle_watch *oracle, const etl_clock *clock)
{
    const int64_t start = clock->start_ticks;
    const int64_t ticks[] = {INT64_MIN, start, start < INT64_MAX - 1000 ? start + 1000 : INT64_MAX, INT64_MAX};
    bool before = false;
    uint64_t filetime = 0, last = 0;
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        bool known = etl_clock_filetime(clock, ticks[i], &filetime);
        oracle_filetime(oracle, clock, ticks[i], known, filetime);
        if (known && before)
            oracle_order(oracle, ticks[i - 1], last, ticks[i], filetime);
        before = known;
        last = filetime;
    }
}

/* The clock of the header, or one that differs from it in a member. */
static etl_clock clock_of(const etl_logfile *logfile, unsigned member)
{
    etl_clock clock = logfile->clock;
    int64_t *const times[] = {&clock.start_time, &clock.start_ticks};
    if (member == 1 || member == 2)
        *times[member - 1] ^= 1;
    clock.frequency ^= member == 3;
    clock.type ^= member == 4;
    return clock;
}

/* Compares the header with that of a trace, as if it started a later buffer. */
static void compare_logfile(oracle_watch *oracle, etl_span raw, const etl_logfile *logfile)
{
    static etl_findings findings;
    const etl_buffer buffer = {.index = ETL_NO_INDEX, .offset = ORIGIN, .raw = raw};
    const engine_share share = engine_share_of(raw);
    for (unsigned member = 0; member < CLOCKS; member++) {
        if (!engine_share_has(share, member, CLOCKS))
            continue;
        const etl_clock first = clock_of(logfile, member);
        oracle_due due;
        findings.count = 0;
        etl_logfile_compare(raw, ETL_SIZE(WMI_BUFFER_HEADER_61), ORIGIN, &first, &findings);
        oracle_due_begin(&due, &findings);
        oracle_due_later_logfile(&due, &buffer, &first);
        oracle_due_end(oracle, &due);
    }
}

static void read_logfile(etl_span buffer)
{
    static etl_findings findings;
    etl_logfile logfile;
    oracle_watch oracle;
    const uint32_t at = ETL_SIZE(WMI_BUFFER_HEADER_61);
    oracle_init(&oracle, buffer.size, ETL_LIMITS_DEFAULT, true);
    findings.count = 0;
    etl_logfile_read(buffer, at, ORIGIN, &logfile, &findings);
    etl_context context = etl_logfile_context(&logfile);
    bool held = oracle_call(&oracle, &findings, layers, ORIGIN + at, ORIGIN + buffer.size) &&
                oracle_logfile(&oracle, buffer, &logfile) &&
                oracle_context(&oracle, &logfile, &context, etl_logfile_shape(&logfile));
    oracle_due due;
    oracle_due_begin(&due, &findings);
    oracle_due_logfile(&due, buffer, ORIGIN, &logfile);
    held = held && oracle_due_end(&oracle, &due);
    if (held)
        compare_logfile(&oracle, buffer, &logfile);
    if (held && logfile.known)
        hold_clock(&oracle, &logfile.clock);
    target_hold(&oracle, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target_context_input part;
    if (!target_context_input_take(data, size, &part))
        return 0;
    etl_span buffer = target_copy_between(part.bytes, ETL_SIZE(WMI_BUFFER_HEADER_61), 0);
    read_logfile(buffer);
    target_copy_free(buffer);
    target_context_input_free(&part);
    return 0;
}
