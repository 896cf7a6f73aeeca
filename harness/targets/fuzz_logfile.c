/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a logfile header event, derives context and buffer shape from it, and converts some times by its clock. The context
 * of the input is not used: the header gives it.
 */
#include "broken_promise.h"
#include "context_input.h"
#include "due.h"
#include "exact_copy.h"
#include "target.h"

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

static void read_logfile(etl_span buffer)
{
    static etl_findings findings;
    etl_logfile logfile;
    oracle_watch oracle;
    const uint32_t at = ETL_SIZE(WMI_BUFFER_HEADER_61);
    oracle_init(&oracle, buffer.size, ETL_LIMITS_DEFAULT, true);
    findings.count = 0;
    etl_logfile_read(buffer, at, 0, &logfile, &findings);
    etl_context context = etl_logfile_context(&logfile);
    bool held = oracle_call(&oracle, &findings, layers, at, buffer.size) &&
                oracle_logfile(&oracle, buffer, &logfile) &&
                oracle_context(&oracle, &logfile, &context, etl_logfile_shape(&logfile));
    oracle_due due;
    oracle_due_begin(&due, &findings);
    oracle_due_logfile(&due, buffer, 0, &logfile);
    held = held && oracle_due_end(&oracle, &due);
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
