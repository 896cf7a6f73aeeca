/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include "etlproof/event.h"
#include "frame.h"
#include "span.h"

/* WMI_BUFFER_STATE of 5.1 and 5.2: three bits. */
enum { FLAGS_51_COUNT = 1 << 3 };

/*@ assigns \nothing;
  @ ensures \result <==> least <= value <= most; */
static bool in_range(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

/* A header of 5.0 or 5.1 has neither flag nor type: both are 0. */
/*@ requires \valid_read(h);
  @ assigns \nothing; */
static bool states_agree(const etl_buffer_header *h)
{
    bool old = h->shape == ETL_BUFFER_SHAPE_50 || h->shape == ETL_BUFFER_SHAPE_52;
    uint32_t states = old ? FLAGS_51_COUNT : ETL_BUFFER_STATE_COUNT;
    return h->state < states && h->buffer_flag <= ETL_BUFFER_FLAGS && h->buffer_type < ETL_BUFFER_TYPE_COUNT;
}

/* Two members that are at the same place in all shapes, which spares reading the others of what is no header. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing; */
static bool starts_like_header(etl_span bytes)
{
    const uint32_t state = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, State));
    return bytes.size >= ETL_BUFFER_SIZE_MIN &&
           in_range(etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize)), ETL_BUFFER_SIZE_MIN,
                    ETL_BUFFER_SIZE_MAX) &&
           (state < FLAGS_51_COUNT || state < ETL_BUFFER_STATE_COUNT);
}

/* All members but BufferSize; no event of the buffer ends behind `most` if it is not compressed. */
/*@ requires etl_readable(bytes) && \valid_read(h);
  @ assigns \nothing; */
static bool rest_agrees(etl_span bytes, const etl_buffer_header *h, uint32_t most)
{
    bool compressed = (h->buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
    if (compressed)
        most = ETL_BUFFER_SIZE_MAX;
    uint32_t extent = in_range(h->offset, ETL_BUFFER_SIZE_MIN, most) ? h->offset : h->saved_offset;
    if (!states_agree(h) || !in_range(extent, ETL_BUFFER_SIZE_MIN, most))
        return false;
    if (compressed || extent == ETL_BUFFER_SIZE_MIN || bytes.size < ETL_BUFFER_LOOK)
        return true; /* no event, or none that could be looked at */
    return etl_event_fits(bytes, ETL_BUFFER_SIZE_MIN, extent);
}

bool etl_buffer_plausible(etl_span bytes, etl_buffer_shape shape)
{
    if (!starts_like_header(bytes))
        return false;
    etl_buffer_header h;
    etl_buffer_header_read(bytes, shape, &h);
    return rest_agrees(bytes, &h, h.buffer_size);
}

bool etl_buffer_agrees(etl_span bytes, etl_buffer_shape shape)
{
    if (bytes.size < ETL_BUFFER_SIZE_MIN)
        return false;
    etl_buffer_header h;
    etl_buffer_header_read(bytes, shape, &h);
    return rest_agrees(bytes, &h, ETL_BUFFER_SIZE_MAX);
}

/*
 * Steps over zero bytes: where n bytes are zero, a BufferSize, which is not, can start with three of them at most.
 * Makes the search through never-written parts of a file as fast as reading them.
 */
/*@ requires etl_readable(bytes) && at < bytes.size;
  @ assigns \nothing;
  @ ensures at <= \result < bytes.size; */
static size_t skip_blank(etl_span bytes, size_t at)
{
    size_t run = etl_span_run(etl_span_from(bytes, at), 0);
    return run < 4 ? at : at + run - 3;
}

/* Whether a BufferSize may start at `at`, by its highest byte alone: that leaves few places to look at. */
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
            if (etl_buffer_plausible(etl_span_from(bytes, at), shape))
                return at;
        }
        at++;
    }
    return bytes.size;
}

uint32_t etl_search_event(etl_span data, uint32_t from, uint32_t extent)
{
    uint32_t at = etl_align8(from);
    /*@ loop invariant from <= at && at % 8 == 0;
      @ loop assigns at;
      @ loop variant extent - at; */
    while (at < extent) {
        if (etl_event_plausible(data, at, extent))
            return at;
        at += 8;
    }
    return extent;
}
