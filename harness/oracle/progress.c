/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No endless loop, and no wish without bound.
 */
#include "parts.h"

/*
 * A buffer of BufferSize bytes is asked for at most, and what a search looks at behind one; room up to the limit. Twice the
 * one and the exact other keep the reader's memory bounded, whatever a header says.
 */
static bool want_holds(const etl_oracle *oracle, etl_outcome outcome, const etl_trace *trace)
{
    size_t most = outcome == ETL_ROOM ? oracle->limits.inflated + ETL_BUFFER_SIZE_MIN : 2 * (size_t)ETL_BUFFER_SIZE_MAX;
    return trace->want > 0 && trace->want <= most;
}

/*
 * Each event and gap covers a byte or more, and each buffer its header. A byte can be asked for a few times: as the start
 * of a header, as part of a buffer, and once more by the search. So four steps a byte, with some for the start and the end,
 * is a bound that a reader which moves on never meets, and one that hangs meets soon.
 */
bool etl_oracle_progress(etl_oracle *oracle, etl_outcome outcome, const etl_trace *trace)
{
    if ((outcome == ETL_MORE || outcome == ETL_ROOM) && !want_holds(oracle, outcome, trace))
        return etl_oracle_break(oracle, ETL_PROMISE_WANT, trace->offset);
    uint64_t reached = trace->offset < oracle->size ? trace->offset : oracle->size;
    if (++oracle->steps > 64 + 4 * (reached + oracle->inflated))
        return etl_oracle_break(oracle, ETL_PROMISE_PROGRESS, trace->offset);
    return true;
}
