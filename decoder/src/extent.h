/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extent: where the events of a buffer end. The header states it; events may show that it is too small.
 */
#ifndef ETLPROOF_EXTENT_H
#define ETLPROOF_EXTENT_H

#include "etlproof/buffer.h"
#include "span.h"

/*@ predicate etl_walked{L}(etl_buffer *b) =
      \valid_read(b) && etl_readable(b->data) && b->data.size <= ETL_BUFFER_SIZE_MAX && b->at <= b->data.size &&
      b->extent <= b->data.size && b->reach <= b->data.size; */

/* The stated extent: Offset if it is in the range 0x48 to `most`, else SavedOffset if it is in that range; else 0. */
/*@ requires \valid_read(header);
  @ assigns \nothing;
  @ ensures \result == 0 || ETL_BUFFER_SIZE_MIN <= \result <= most; */
uint32_t etl_extent_stated(const etl_buffer_header *header, uint32_t most);

/* The larger of Offset and SavedOffset, of those in the range 0x48 to `most`; 0 if neither is. */
/*@ requires \valid_read(header);
  @ assigns \nothing;
  @ ensures \result == 0 || ETL_BUFFER_SIZE_MIN <= \result <= most; */
uint32_t etl_extent_reach(const etl_buffer_header *header, uint32_t most);

/* An event that crosses the extent of a buffer, or lies behind it. */
typedef struct etl_beyond {
    bool found;
    bool stated;     /* `extent` is no larger than Offset or SavedOffset */
    uint32_t extent; /* the larger extent */
    uint32_t at;     /* the event, from the start of the buffer's data */
    uint32_t size;
} etl_beyond;

/* The event at the place of the walk, if it needs a larger extent: that of SavedOffset, or all of the buffer. */
/*@ requires etl_walked(buffer);
  @ assigns \nothing;
  @ ensures \result.extent <= buffer->data.size && \result.at == buffer->at;
  @ ensures \result.found ==> buffer->at <= \result.extent; */
etl_beyond etl_extent_here(const etl_buffer *buffer);

/* The next event behind the extent, when the walk has reached the extent. `stated` is not set. */
/*@ requires etl_walked(buffer);
  @ assigns \nothing;
  @ ensures \result.extent <= buffer->data.size && (\result.found ==> \result.at <= \result.extent); */
etl_beyond etl_extent_behind(const etl_buffer *buffer);

/* True if an event of `data` crosses `extent` or lies behind it. */
/*@ requires etl_readable(data) && data.size <= ETL_BUFFER_SIZE_MAX;
  @ assigns \nothing; */
bool etl_extent_crossed(etl_span data, uint32_t extent);

#endif
