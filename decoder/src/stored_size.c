/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures how many bytes a buffer takes in the file, from its start on. trace.c calls this once for each buffer.
 */
#include "stored_size.h"

#include "extent.h"
#include "plausible.h"
#include "search.h"
#include "span.h"

/* Places that are tried as the end of a compressed buffer. */
enum { STREAM_TRIES = 5 };

/* The window that shows the largest buffer, and whether another follows it. */
#define FAR_LOOK ((size_t)ETL_BUFFER_SIZE_MAX + ETL_BUFFER_LOOK)

/* Offset of TRACE_LOGFILE_HEADER.BufferSize in a header buffer. */
#define COMMON_SIZE_AT \
    (ETL_SIZE(WMI_BUFFER_HEADER_61) + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize))

/* The facts about a buffer that are known before its size. */
typedef struct buffer_start {
    etl_trace *trace;
    etl_span window;
    bool last;
    bool logfile;    /* it starts with a logfile header */
    uint32_t common; /* the size of all buffers of an uncompressed file; 0 if not known */
    etl_buffer_header header;
} buffer_start;

/*@ predicate is_a_size(integer size) = ETL_BUFFER_SIZE_MIN <= size <= ETL_BUFFER_SIZE_MAX;

    predicate fits(integer size, integer window) = is_a_size(size) && size <= window;

    predicate started{L}(buffer_start *p) =
      \valid_read(p) && \valid_read(p->trace) && etl_readable(p->window) && ETL_BUFFER_SIZE_MIN <= p->window.size &&
      (p->common == 0 || is_a_size(p->common));

    predicate searched{L}(etl_trace *t) = t->offset <= INT64_MAX && t->searched <= t->offset + ETL_BUFFER_SIZE_MAX;

    predicate lent{L}(buffer_start *p, etl_scratch scratch) =
      started(p) && etl_writable(scratch) && \separated(p, scratch.at + (0 .. scratch.size - 1)) &&
      \separated(p->trace, scratch.at + (0 .. scratch.size - 1)) &&
      \separated(p->window.at + (0 .. p->window.size - 1), scratch.at + (0 .. scratch.size - 1)); */

/*@ assigns \nothing;
  @ ensures \result <==> is_a_size(size); */
static bool is_size(uint32_t size)
{
    return size >= ETL_BUFFER_SIZE_MIN && size <= ETL_BUFFER_SIZE_MAX;
}

/*
 * The logfile header may be in the buffer that is measured. A window that ends before its BufferSize shows no common size;
 * measuring then asks for a longer window before it decides.
 */
/*@ requires \valid_read(t) && etl_readable(window);
  @ assigns \nothing;
  @ ensures \result.trace == t && \result.window == window && (\result.common == 0 || is_a_size(\result.common)); */
static buffer_start start_of(etl_trace *t, etl_span window, bool last)
{
    buffer_start p = {.trace = t, .window = window, .last = last, .common = t->logfile.buffer_size};
    p.logfile = etl_logfile_here(window, ETL_BUFFER_SIZE_MIN);
    if (!t->logfile.known && p.logfile)
        p.common = etl_load_u32(window, COMMON_SIZE_AT);
    if (!is_size(p.common))
        p.common = 0;
    etl_buffer_header_read(window, t->shape, &p.header);
    return p;
}

/*@ assigns \nothing;
  @ ensures !\result.found && \result.size == 0; */
static etl_stored_size wants(size_t size)
{
    return (etl_stored_size){.want = size};
}

/*@ requires started(p) && is_a_size(size);
  @ assigns \nothing;
  @ ensures \result.found && fits(\result.size, p->window.size); */
static etl_stored_size of_size(const buffer_start *p, uint32_t size)
{
    bool cut = p->window.size < size;
    return (etl_stored_size){
        .found = true, .end = cut ? ETL_RAW_CUT : ETL_RAW_WHOLE, .size = cut ? (uint32_t)p->window.size : size};
}

/* After `size` bytes the file ends, or another buffer starts. */
/*@ requires started(p);
  @ assigns \nothing; */
static bool leads_on(const buffer_start *p, uint32_t size)
{
    return p->window.size == size ||
           etl_plausible_buffer(p->window, size, p->trace->shape, ETL_BUFFER_SIZE_MAX, ETL_PLAUSIBLE_BUFFER);
}

/* After `size` bytes a header states sizes. Its other members may have unknown values: only a search checks them. */
/*@ requires started(p);
  @ assigns \nothing; */
static bool leads_to_sizes(const buffer_start *p, uint32_t size)
{
    const uint32_t most = p->common != 0 ? p->common : ETL_BUFFER_SIZE_MAX;
    return etl_plausible_buffer(p->window, size, p->trace->shape, most, ETL_PLAUSIBLE_SIZES);
}

/* After `size` bytes come bytes that were never written. */
/*@ requires started(p);
  @ assigns \nothing; */
static bool leads_to_blank(const buffer_start *p, uint32_t size)
{
    etl_span next = etl_span_part(p->window, size, ETL_BUFFER_SIZE_MIN);
    return next.size > 0 && etl_span_run(next, 0) == next.size;
}

/*
 * Where BufferSize leads nowhere: the common size is the right one if another buffer follows there, or a BufferSize that is
 * the common size too, or the end of the file with something other than zeros before it.
 */
/*@ requires started(p);
  @ assigns \nothing;
  @ ensures \result ==> p->common <= p->window.size; */
static bool common_fits(const buffer_start *p)
{
    const uint32_t size = p->common;
    if (p->window.size > size)
        return leads_on(p, size) || etl_load_u32(p->window, size) == size;
    return p->window.size == size && etl_span_run(p->window, 0) < size;
}

/*
 * Where the next buffer starts, or `end` if none starts before. It follows slack from `reach` to `ones`, and three of the
 * 0xFF bytes at most may belong to it: BufferSize starts with its lowest byte, and the highest is 0 or 1. If none follows,
 * one may start in the three bytes before `reach`, which a wrong Offset counts too.
 */
/*@ requires started(p) && ETL_BUFFER_SIZE_MIN <= reach <= ones <= end <= ETL_BUFFER_SIZE_MAX + 1 && ones <= p->window.size;
  @ assigns \nothing;
  @ ensures \result == end || (\result < end && fits(\result, p->window.size)); */
static uint32_t next_behind(const buffer_start *p, uint32_t reach, uint32_t ones, uint32_t end)
{
    const etl_span look = etl_span_first(p->window, (size_t)end + ETL_BUFFER_LOOK - 1);
    const etl_span before = etl_span_first(p->window, (size_t)reach + ETL_BUFFER_LOOK - 1);
    const size_t next = etl_search_buffer(look, ones - reach < 3 ? reach : ones - 3, p->trace->shape);
    if (next < end && next < look.size)
        return (uint32_t)next;
    const uint32_t from = reach < ETL_BUFFER_SIZE_MIN + 3 ? ETL_BUFFER_SIZE_MIN : reach - 3;
    const size_t earlier = etl_search_buffer(before, from, p->trace->shape);
    return earlier < reach ? (uint32_t)earlier : end;
}

/*
 * In an uncompressed buffer the bytes after the last event are 0xFF. If they are not, and a buffer starts among them,
 * BufferSize is too large. Sets `clean_from`.
 */
/*@ requires started(p) && \valid(e) && \separated(e, p) && fits(e->size, p->window.size);
  @ assigns e->clean_from, e->size, e->mended, e->end;
  @ ensures fits(e->size, p->window.size); */
static void end_before_next(const buffer_start *p, etl_stored_size *e)
{
    const uint32_t reach = etl_extent_reach(&p->header, e->size), size = e->size;
    e->clean_from = size;
    if (p->header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED || reach == 0)
        return;
    uint32_t ones = reach + (uint32_t)etl_span_run(etl_span_part(p->window, reach, size - reach), UINT8_MAX);
    if (ones == size) {
        e->clean_from = reach;
        return;
    }
    const uint32_t next = next_behind(p, reach, ones, size);
    if (next == size)
        return;
    e->size = next;
    e->mended = true;
    if (e->end == ETL_RAW_CUT)
        e->end = ETL_RAW_WHOLE;
}

/* The bytes up to the next plausible buffer from `from` on, or to the end of the file; 0 if no buffer can be as long. */
/*@ requires started(p) && ETL_BUFFER_SIZE_MIN <= from;
  @ assigns \nothing;
  @ ensures \result == 0 || fits(\result, p->window.size); */
static uint32_t size_to_next(const buffer_start *p, uint32_t from)
{
    size_t next = etl_search_buffer(etl_span_first(p->window, FAR_LOOK), from, p->trace->shape);
    return next <= ETL_BUFFER_SIZE_MAX ? (uint32_t)next : 0;
}

/* BufferSize is out of range: ends the buffer at the next one. No byte is searched twice. */
/*@ requires started(p) && \valid(p->trace) && \separated(p, p->trace) && searched(p->trace);
  @ assigns p->trace->searched;
  @ ensures searched(p->trace) && (\result.found ? fits(\result.size, p->window.size) : \result.size == 0); */
static etl_stored_size up_to_next(const buffer_start *p)
{
    etl_trace *t = p->trace;
    const uint64_t from = t->offset + ETL_BUFFER_SIZE_MIN;
    const uint32_t size = size_to_next(p, (uint32_t)((from < t->searched ? t->searched : from) - t->offset));
    t->searched = t->offset + size;
    return (etl_stored_size){.found = size != 0, .mended = true, .size = size};
}

/* The extent that a compressed buffer of `size` bytes announces, as far as the limits allow; 0 if they do not. */
/*@ requires started(p) && fits(size, p->window.size);
  @ assigns \nothing;
  @ ensures \result == 0 || is_a_size(\result); */
static uint32_t announced(const buffer_start *p, uint32_t size)
{
    const etl_stream stream = {.raw = etl_span_first(p->window, size), .header = p->header};
    return etl_stream_extent(p->trace, &stream);
}

/* What the stream of a buffer of `size` bytes inflates to. */
/*@ requires started(p) && fits(size, p->window.size) && etl_writable(scratch) && extent <= scratch.size;
  @ requires extent == 0 || is_a_size(extent);
  @ requires \separated(p->window.at + (0 .. p->window.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ assigns scratch.at[0 .. scratch.size - 1];
  @ ensures \result.consumed <= size - ETL_BUFFER_SIZE_MIN; */
static etl_inflated inflate(const buffer_start *p, uint32_t size, uint32_t extent, etl_scratch scratch)
{
    if (extent == 0)
        return (etl_inflated){.status = ETL_INFLATE_SHORT};
    return etl_stream_inflate_to(etl_span_first(p->window, size), extent, scratch);
}

/*
 * The end of a buffer whose stream ends at `end`, before `next`. An unused flag word between the two may belong to the
 * buffer. All bytes up to `next` do if the limits do not allow the input up to `end` to inflate so far: otherwise a row of
 * such buffers costs the square of its size.
 */
/*@ requires started(p) && ETL_BUFFER_SIZE_MIN <= end <= next && fits(next, p->window.size);
  @ assigns \nothing;
  @ ensures end <= \result <= next; */
static uint32_t end_of_stream(const buffer_start *p, uint32_t end, uint32_t next)
{
    if (next - end <= ETL_STREAM_FLAG_WORD || announced(p, end) < announced(p, next))
        return next;
    return leads_to_sizes(p, end + ETL_STREAM_FLAG_WORD) ? end + ETL_STREAM_FLAG_WORD : end;
}

/*
 * A compressed buffer whose BufferSize leads nowhere ends where its stream does, before one of the next places where
 * another buffer may start: what looks like a buffer may be part of the stream. A few places only, so that time stays
 * linear.
 */
/*@ requires lent(p, scratch) && \valid(e) && \separated(e, p) && \separated(e, p->trace);
  @ requires \separated(e, scratch.at + (0 .. scratch.size - 1)) && (e->size == 0 || fits(e->size, p->window.size));
  @ requires \separated(e, p->window.at + (0 .. p->window.size - 1));
  @ assigns e->want_scratch, e->mended, e->size, scratch.at[0 .. scratch.size - 1];
  @ ensures \old(e->size) == 0 ? e->size == 0 : fits(e->size, p->window.size); */
static void end_with_stream(const buffer_start *p, etl_scratch scratch, etl_stored_size *e)
{
    uint32_t size = e->size;
    /*@ loop invariant size == 0 || fits(size, p->window.size);
      @ loop invariant \at(e->size, Pre) == 0 ? e->size == 0 : fits(e->size, p->window.size);
      @ loop invariant size != 0 ==> e->size != 0;
      @ loop invariant tries <= STREAM_TRIES;
      @ loop assigns tries, size, e->mended, e->size, scratch.at[0 .. scratch.size - 1];
      @ loop variant STREAM_TRIES - tries; */
    for (unsigned tries = 0; tries < STREAM_TRIES && size != 0; tries++) {
        const uint32_t extent = announced(p, size);
        if (extent > scratch.size) {
            e->want_scratch = extent;
            return;
        }
        const etl_inflated inflated = inflate(p, size, extent, scratch);
        if (inflated.status == ETL_INFLATE_DONE) {
            const uint32_t end = ETL_BUFFER_SIZE_MIN + (uint32_t)inflated.consumed;
            e->mended = e->mended || size != e->size;
            e->size = e->mended ? end_of_stream(p, end, size) : size;
        }
        if ((inflated.status != ETL_INFLATE_SHORT && inflated.status != ETL_INFLATE_CUT) || size == p->window.size)
            return;
        size = size_to_next(p, size + 1);
    }
}

/* A compressed buffer whose BufferSize leads nowhere. */
/*@ requires lent(p, scratch) && \valid(p->trace) && \separated(p, p->trace) && searched(p->trace);
  @ assigns p->trace->searched, scratch.at[0 .. scratch.size - 1];
  @ ensures searched(p->trace) && (\result.found ==> fits(\result.size, p->window.size)); */
static etl_stored_size measure_compressed(const buffer_start *p, etl_scratch scratch)
{
    etl_stored_size e = is_size(p->header.buffer_size) ? of_size(p, p->header.buffer_size) : up_to_next(p);
    end_with_stream(p, scratch, &e);
    return e;
}

/*
 * An uncompressed buffer whose BufferSize leads nowhere. BufferSize counts if the events end before it, unless slack leads
 * to another buffer. If they do not, the buffer ends with its slack, whatever follows.
 */
/*@ requires started(p) && \valid(p->trace) && \separated(p, p->trace) && searched(p->trace);
  @ assigns p->trace->searched;
  @ ensures searched(p->trace) && (\result.found ==> fits(\result.size, p->window.size)); */
static etl_stored_size measure_plain(const buffer_start *p)
{
    const uint32_t stated = p->header.buffer_size;
    const bool believed = is_size(stated) && etl_extent_reach(&p->header, stated) != 0;
    const uint32_t reach = etl_extent_reach(&p->header, believed ? stated : ETL_BUFFER_SIZE_MAX);
    if (reach == 0 || reach > p->window.size)
        return believed ? of_size(p, stated) : up_to_next(p);
    const size_t most = ETL_BUFFER_SIZE_MAX - reach;
    const uint32_t ones = reach + (uint32_t)etl_span_run(etl_span_part(p->window, reach, most), UINT8_MAX);
    const uint32_t next = next_behind(p, reach, ones, ones + 1);
    const bool found = next <= ones;
    etl_stored_size e = of_size(p, found ? next : believed ? stated : ones);
    e.mended = found || !believed;
    return e;
}

/* BufferSize leads nowhere: the buffer is one if its other members are plausible, or if it is the last before zeros. */
/*@ requires lent(p, scratch) && \valid(p->trace) && \separated(p, p->trace) && searched(p->trace);
  @ assigns p->trace->searched, scratch.at[0 .. scratch.size - 1];
  @ ensures searched(p->trace) && (\result.found ==> fits(\result.size, p->window.size)); */
static etl_stored_size measure_alone(const buffer_start *p, etl_scratch scratch)
{
    const uint32_t size = p->header.buffer_size;
    if (!p->logfile &&
        !etl_plausible_buffer(p->window, 0, p->trace->shape, ETL_BUFFER_SIZE_MAX, ETL_PLAUSIBLE_MEMBERS)) {
        bool blank = is_size(size) && leads_to_blank(p, size);
        return blank ? of_size(p, size) : (etl_stored_size){.found = false};
    }
    if (!p->last && p->window.size < FAR_LOOK)
        return wants(FAR_LOOK);
    if (!p->logfile && p->header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED)
        return measure_compressed(p, scratch);
    return measure_plain(p);
}

/* BufferSize counts if it is the common size, or if another buffer follows there; else the common size is tried. */
/*@ requires lent(p, scratch) && \valid(p->trace) && \separated(p, p->trace) && searched(p->trace);
  @ assigns p->trace->searched, scratch.at[0 .. scratch.size - 1];
  @ ensures searched(p->trace) && (\result.found ==> fits(\result.size, p->window.size)); */
static etl_stored_size measure(const buffer_start *p, etl_scratch scratch)
{
    const uint32_t size = p->header.buffer_size, common = p->common;
    if (is_size(size) && !p->last && p->window.size < size + ETL_BUFFER_LOOK)
        return wants(size + ETL_BUFFER_LOOK);
    if (is_size(size) && (size == common || leads_on(p, size)))
        return of_size(p, size);
    if (common != 0) {
        if (!p->last && p->window.size < common + ETL_BUFFER_LOOK)
            return wants(common + ETL_BUFFER_LOOK);
        if (common_fits(p))
            return (etl_stored_size){.found = true, .mended = true, .end = ETL_RAW_COMMON, .size = common};
    }
    if (is_size(size) && leads_to_sizes(p, size))
        return of_size(p, size);
    return measure_alone(p, scratch);
}

etl_stored_size etl_stored_size_measure(etl_trace *trace, etl_span window, bool last, etl_scratch scratch)
{
    const buffer_start p = start_of(trace, window, last);
    etl_stored_size e = measure(&p, scratch);
    if (e.found)
        end_before_next(&p, &e);
    e.raw = etl_span_first(window, e.size);
    e.header = p.header;
    e.in_range = is_size(p.header.buffer_size);
    return e;
}
