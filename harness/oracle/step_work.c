/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the work of a decode is linear: bytes that are searched and inflated, and requests for the same input. Called
 * by oracle_step. Not counted are bytes that a search does not pass: runs of 0xFF behind the events, and single looks.
 */
#include "step_checks.h"

/* Work that any input may cost. */
#define WORK_FREE UINT64_C(0x100)

/* Output that inflating any input may make. */
#define EXPANSION_FREE UINT64_C(0x10000)

/* The largest window that a search requests to move on by one byte. */
#define SEARCH_WINDOW (ETL_SIZE(WMI_BUFFER_HEADER_61) + 8u)

/* Requests without progress: for a header, BufferSize, the common size, the largest buffer, the first byte of a search. */
#define REQUESTS_MOST 6

/*
 * How often a byte is searched for a buffer. The end of an uncompressed buffer of the smallest size is searched for twice,
 * with 83 bytes before and behind it: 4.6 times its 72 bytes. For a compressed one, five ends are tried, up to four times.
 */
#define SEARCHES_MOST 6
#define SEARCHES_COMPRESSED_MOST 32

/* How often a byte is searched for an event: after damage, and twice behind the extent; and each time it is inflated. */
#define WALKS_MOST 3

/* Streams that one call inflates: up to each of five ends, then to Offset, to SavedOffset, and twice for more events. */
#define INFLATIONS_MOST 9

/* How often the output that a buffer may have is made: that of the first end once, up to that of five buffers. */
#define OUTPUTS_MOST 32

static bool requests_hold(oracle_watch *oracle, etl_outcome outcome, const etl_trace *trace)
{
    if (trace->offset != oracle->offset)
        oracle->requests = 0;
    oracle->requests += outcome == ETL_MORE;
    oracle->windows += outcome == ETL_MORE;
    return ORACLE_HOLDS(oracle->requests <= REQUESTS_MOST);
}

static bool searches_hold(const oracle_watch *oracle)
{
    const uint64_t bytes = oracle->size + oracle->windows * SEARCH_WINDOW;
    const uint64_t data = oracle->size + oracle->inflated;
    const uint64_t most = oracle->has_flagged ? SEARCHES_COMPRESSED_MOST : SEARCHES_MOST;
    return ORACLE_HOLDS(oracle->work.searched <= WORK_FREE + most * bytes) &&
           ORACLE_HOLDS(oracle->work.walked <= WORK_FREE + oracle->work.inflated + WALKS_MOST * data);
}

static bool inflations_hold(const oracle_watch *oracle, const oracle_work *step)
{
    const uint64_t outputs = EXPANSION_FREE * (oracle->buffers + 1) + oracle->limits.expansion * oracle->size;
    return ORACLE_HOLDS(step->inflations <= INFLATIONS_MOST) &&
           ORACLE_HOLDS(oracle->work.inflated <= OUTPUTS_MOST * outputs);
}

/* Whether a buffer is compressed by its flags is known only once it is returned. */
bool oracle_work_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader, const oracle_work *step)
{
    oracle->work.searched += step->searched;
    oracle->work.walked += step->walked;
    oracle->work.inflated += step->inflated;
    if (outcome == ETL_BUFFER)
        oracle->has_flagged |= (reader->buffer.header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
    if (requests_hold(oracle, outcome, &reader->trace) && inflations_hold(oracle, step) &&
        (outcome == ETL_MORE || outcome == ETL_SCRATCH || searches_hold(oracle)))
        return true;
    return oracle_break(oracle, ORACLE_PROMISE_WORK, reader->trace.offset);
}
