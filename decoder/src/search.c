/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where the next buffer or event starts. Opening a buffer, walking over it and measuring its stored size search
 * here after damage.
 */
#include "search.h"

#include "event_form.h"
#include "plausible.h"

/*
 * Skips zero bytes: in a run of zeros, a BufferSize, which is not 0, can start at the last three at the earliest. Searching
 * the parts of a file that were never written is thus as fast as reading them.
 */
/*@ requires etl_readable(bytes) && at < bytes.size;
  @ assigns \nothing;
  @ ensures at <= \result < bytes.size; */
static size_t skip_blank(etl_span bytes, size_t at)
{
    size_t run = etl_span_run(etl_span_from(bytes, at), 0);
    return run < 4 ? at : at + run - 3;
}

/* True if a BufferSize may start at `at`, by its highest byte alone. Few offsets remain to be checked. */
/*@ requires etl_readable(bytes) && at < bytes.size;
  @ assigns \nothing; */
static bool starts_size(etl_span bytes, size_t at)
{
    return etl_load_u8(etl_span_from(bytes, at), 3) <= ETL_BUFFER_SIZE_MAX >> 24;
}

size_t etl_search_buffer(etl_span bytes, size_t from, etl_buffer_shape shape)
{
    size_t at = from;
    /*@ loop invariant from <= at;
      @ loop assigns at;
      @ loop variant bytes.size - at; */
    while (at < bytes.size) {
        if (starts_size(bytes, at)) {
            at = skip_blank(bytes, at);
            if (etl_starts_like_buffer(bytes, at) &&
                etl_plausible_buffer(bytes, at, shape, ETL_BUFFER_SIZE_MAX, ETL_PLAUSIBLE_BUFFER))
                return at;
        }
        at++;
    }
    return bytes.size;
}

uint32_t etl_search_event(etl_span data, uint32_t from, uint32_t extent)
{
    uint32_t at = etl_align8(from), size;
    /*@ loop invariant from <= at && at % 8 == 0;
      @ loop assigns at, size;
      @ loop variant extent - at; */
    while (at < extent) {
        if (etl_plausible_event(data, at, extent, ETL_PLAUSIBLE_DECODED, &size))
            return at;
        at += 8;
    }
    return extent;
}
