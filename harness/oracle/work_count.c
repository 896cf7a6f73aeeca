/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the work of the decoder, in front of the functions that do it. Called by oracle_step.
 */
#include "work_count.h"

#include "etlproof/inflate.h"
#include "search.h"

#define WRAP(type, name, parameters) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters

static oracle_work work;

oracle_work oracle_work_take(void)
{
    const oracle_work taken = work;
    work = (oracle_work){0};
    return taken;
}

/* At least one, so that calls count. */
static uint64_t passed(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 1;
}

WRAP(size_t, etl_search_buffer, (etl_span bytes, size_t from, etl_buffer_shape shape))
{
    const size_t to = __real_etl_search_buffer(bytes, from, shape);
    work.searched += passed(from, to);
    return to;
}

WRAP(uint32_t, etl_search_event, (etl_span data, uint32_t from, uint32_t extent))
{
    const uint32_t to = __real_etl_search_event(data, from, extent);
    work.walked += passed(from, to);
    return to;
}

/* Weak: tests that inject faults into the inflater have their own. */
etl_inflated __wrap_etl_inflate(etl_span in, etl_scratch out) __attribute__((weak));
WRAP(etl_inflated, etl_inflate, (etl_span in, etl_scratch out))
{
    const etl_inflated inflated = __real_etl_inflate(in, out);
    work.inflations++;
    work.inflated += inflated.consumed + inflated.produced;
    return inflated;
}
