/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where the events of a buffer end, from its header and its events. Opening a buffer (stream.c, open.c) uses what
 * the header states; the walk (buffer.c) calls this to learn whether an event shows that the extent is too small.
 */
#include "extent.h"

#include "event_form.h"
#include "plausible.h"
#include "search.h"
#include "span.h"

/*@ assigns \nothing;
  @ ensures \result ==> ETL_BUFFER_SIZE_MIN <= extent <= most; */
static bool in_range(uint32_t extent, uint32_t most)
{
    return extent >= ETL_BUFFER_SIZE_MIN && extent <= most;
}

/* Offset is the reliable end of data in every real buffer; SavedOffset is 0 in many. Source: 2,278 buffers. */
uint32_t etl_extent_stated(const etl_buffer_header *h, uint32_t most)
{
    return in_range(h->offset, most) ? h->offset : in_range(h->saved_offset, most) ? h->saved_offset : 0;
}

uint32_t etl_extent_reach(const etl_buffer_header *h, uint32_t most)
{
    uint32_t reach = in_range(h->offset, most) ? h->offset : 0;
    return in_range(h->saved_offset, most) && h->saved_offset > reach ? h->saved_offset : reach;
}

/* Looks at sixteen bytes only, since this is called for every event that crosses an extent. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing; */
static bool is_unused(etl_span bytes)
{
    etl_span look = etl_span_first(bytes, 16);
    return etl_span_run(look, UINT8_MAX) == look.size;
}

/*
 * An event at the extent or across it: the extent is too small, or the event is a leftover (BUF-022). A damaged Size alone
 * would reach over 0xFF, and lead to no other event. For the Size of an event without published layout, the next event is
 * the only evidence.
 */
/*@ requires etl_walked(b) && size <= ETL_BUFFER_SIZE_MAX;
  @ assigns \nothing; */
static bool overruns(const etl_buffer *b, uint32_t size)
{
    const uint32_t end = (uint32_t)b->data.size;
    uint32_t unused;
    return b->at + size > b->extent &&
           (etl_plausible_event(b->data, etl_align8(b->at + size), end, ETL_PLAUSIBLE_FIRST, &unused) ||
            (etl_plausible_event(b->data, b->at, end, ETL_PLAUSIBLE_DECODED, &unused) &&
             !is_unused(etl_span_part(b->data, b->extent, b->at + size - b->extent))));
}

etl_beyond etl_extent_here(const etl_buffer *b)
{
    const uint32_t end = (uint32_t)b->data.size;
    etl_beyond beyond = {.extent = b->reach, .at = b->at};
    beyond.stated = b->extent < b->reach &&
                    etl_plausible_event(b->data, b->at, b->reach, ETL_PLAUSIBLE_FOLLOWED, &beyond.size);
    beyond.found = beyond.stated;
    if (beyond.stated || b->extent >= end ||
        !etl_plausible_event(b->data, b->at, end, ETL_PLAUSIBLE_FOLLOWED, &beyond.size))
        return beyond;
    beyond.extent = end;
    beyond.found = overruns(b, beyond.size);
    return beyond;
}

/*
 * Offset and SavedOffset agree, or an end marker lies at the extent: events behind it remain from an earlier use of
 * the buffer. If the two disagree, either may be wrong.
 */
/*@ requires etl_walked(b);
  @ assigns \nothing; */
static bool ends_here(const etl_buffer *b)
{
    return b->header.offset == b->header.saved_offset || etl_end_marker(b->data, b->at);
}

/*@ requires etl_walked(b) && extent <= b->data.size;
  @ assigns \nothing;
  @ ensures \result.extent == extent && \result.at <= extent; */
static etl_beyond event_behind(const etl_buffer *b, uint32_t extent)
{
    etl_beyond beyond = {.extent = extent};
    beyond.at = etl_search_event(b->data, b->at, extent);
    beyond.found = etl_plausible_event(b->data, beyond.at, extent, ETL_PLAUSIBLE_DECODED, &beyond.size);
    return beyond;
}

etl_beyond etl_extent_behind(const etl_buffer *b)
{
    const etl_beyond beyond = event_behind(b, b->reach);
    if (beyond.found || ends_here(b))
        return beyond;
    return event_behind(b, (uint32_t)b->data.size);
}

bool etl_extent_crossed(etl_span data, uint32_t extent)
{
    const uint32_t end = (uint32_t)data.size;
    uint32_t at = etl_search_event(data, ETL_BUFFER_SIZE_MIN, end), size;
    /*@ loop invariant at <= end;
      @ loop assigns at, size;
      @ loop variant end - at; */
    while (etl_plausible_event(data, at, end, ETL_PLAUSIBLE_DECODED, &size) && at + size <= extent)
        at = etl_search_event(data, at + size, end);
    return at < end;
}
