/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflates the bytes of a buffer up to the end of its events. trace.c calls this for each buffer before open.c fills it;
 * stored_size.c uses it to try where a compressed buffer ends.
 */
#include "stream.h"

#include "extent.h"
#include "plausible.h"
#include "scratch.h"
#include "search.h"
#include "span.h"

/* The limit of expansion does not apply to output up to this size. */
enum { EXPANSION_FREE = 0x10000 };

bool etl_stream_overwritten(const etl_stream *s)
{
    return s->end == ETL_RAW_COMMON && etl_extent_stated(&s->header, ETL_BUFFER_SIZE_MAX) == 0;
}

/* A header buffer is never compressed, whatever its flags say: the others cannot be inflated without it. */
/*@ requires \valid_read(s) && etl_stream_begun(s);
  @ assigns \nothing; */
static bool is_compressed(const etl_stream *s)
{
    return s->header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED && !etl_stream_overwritten(s) &&
           !etl_logfile_here(s->raw, ETL_BUFFER_SIZE_MIN);
}

/*@ requires \valid_read(t);
  @ assigns \nothing; */
static bool format_is_known(const etl_trace *t)
{
    uint32_t format = t->logfile.compression_format;
    return !t->logfile.known || format == ETL_COMPRESSION_FORMAT_XPRESS || format == ETL_COMPRESSION_FORMAT_NONE;
}

/*@ assigns \nothing;
  @ ensures \result == \min(a, b); */
static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t etl_stream_left(etl_limits limits, etl_expansion before, uint64_t input)
{
    const uint64_t from = before.from + input, average = limits.average;
    const bool fits = average == 0 || from <= (UINT64_MAX - limits.inflated) / average;
    const uint64_t most = fits ? limits.inflated + from * average : UINT64_MAX;
    return most > before.to ? most - before.to : 0;
}

void etl_stream_count(etl_expansion *expansion, const etl_buffer *b)
{
    if (!b->compressed || b->data.at == b->raw.at)
        return;
    expansion->from += b->raw.size - ETL_BUFFER_SIZE_MIN;
    expansion->to += b->data.size - ETL_BUFFER_SIZE_MIN;
}

/* The limit of the caller on the output of `input` bytes. */
/*@ requires \valid_read(t);
  @ assigns \nothing;
  @ ensures \result <= t->limits.inflated; */
static uint64_t output_limit(const etl_trace *t, uint64_t input)
{
    uint64_t most = input * t->limits.expansion;
    if (most < EXPANSION_FREE)
        most = EXPANSION_FREE;
    return least(least(most, t->limits.inflated), etl_stream_left(t->limits, t->expansion, input));
}

/* The largest extent that `input` bytes may be inflated to. */
/*@ requires \valid_read(t);
  @ assigns \nothing;
  @ ensures ETL_BUFFER_SIZE_MIN <= \result <= ETL_BUFFER_SIZE_MAX; */
static uint32_t most_extent(const etl_trace *t, uint64_t input)
{
    const uint64_t most = ETL_BUFFER_SIZE_MIN + output_limit(t, input);
    return most < ETL_BUFFER_SIZE_MAX ? (uint32_t)most : ETL_BUFFER_SIZE_MAX;
}

/* Bytes of compressed input. */
/*@ requires \valid_read(s);
  @ assigns \nothing; */
static size_t input_size(const etl_stream *s)
{
    return s->raw.size - ETL_BUFFER_SIZE_MIN;
}

etl_inflated etl_stream_inflate_to(etl_span raw, uint32_t extent, etl_scratch scratch)
{
    return etl_inflate(etl_span_from(raw, ETL_BUFFER_SIZE_MIN),
                       etl_scratch_part(scratch, ETL_BUFFER_SIZE_MIN, extent - ETL_BUFFER_SIZE_MIN));
}

/* True if the stream has a fault, and a plausible event starts where it does: the buffer is not compressed. */
/*@ requires \valid_read(s) && etl_stream_begun(s);
  @ assigns \nothing; */
static bool is_plain(const etl_stream *s)
{
    const etl_inflate_status status = s->inflated.status;
    const bool fault = status != ETL_INFLATE_DONE && status != ETL_INFLATE_SHORT;
    uint32_t size;
    return fault && etl_plausible_event(s->raw, ETL_BUFFER_SIZE_MIN, etl_extent_stated(&s->header, (uint32_t)s->raw.size),
                                        ETL_PLAUSIBLE_DECODED, &size);
}

/*@ predicate consumed{L}(etl_stream *s) = etl_stream_begun(s) && ETL_BUFFER_SIZE_MIN + s->inflated.consumed <= s->raw.size;

    predicate produced{L}(etl_stream *s, etl_scratch scratch) =
      ETL_BUFFER_SIZE_MIN + s->inflated.produced <= scratch.size &&
      ETL_BUFFER_SIZE_MIN + s->inflated.produced <= ETL_BUFFER_SIZE_MAX;

    predicate apart{L}(etl_trace *t, etl_stream *s, etl_scratch scratch) =
      \valid_read(t) && \valid(s) && etl_writable(scratch) && \separated(t, s) &&
      \separated(s, scratch.at + (0 .. scratch.size - 1)) && \separated(t, scratch.at + (0 .. scratch.size - 1)) &&
      \separated(s->raw.at + (0 .. s->raw.size - 1), scratch.at + (0 .. scratch.size - 1)) &&
      \separated(s->raw.at + (0 .. s->raw.size - 1), s); */

/*
 * Where more than an unused flag word is left of the input, or no buffer follows it, the next buffer may start in what is
 * left: then this one ends there (BUF-001). The first event of the next one may lie behind BufferSize. Skip this when the
 * consumed input alone exceeds the expansion limit: a row of such buffers, each claiming the whole file, would otherwise
 * cost the square of the file's size.
 */
/*@ requires \valid_read(t) && \valid(s) && \separated(t, s) && consumed(s) && etl_readable(window);
  @ requires s->raw.size <= window.size;
  @ assigns s->limit, s->raw, s->ends_at_next;
  @ ensures consumed(s) && s->raw.at == \old(s->raw.at) && s->raw.size <= \old(s->raw.size); */
static void end_at_next(const etl_trace *t, etl_span window, etl_stream *s)
{
    const size_t size = s->raw.size;
    const uint64_t limit = output_limit(t, s->inflated.consumed);
    const bool followed = size == window.size ||
                          etl_plausible_buffer(window, size, t->shape, ETL_BUFFER_SIZE_MAX, ETL_PLAUSIBLE_BUFFER);
    if (etl_stream_unused(s) <= (followed ? ETL_STREAM_FLAG_WORD : 0))
        return;
    if (s->inflated.produced > limit) {
        s->limit = limit;
        return;
    }
    const etl_span look = etl_span_first(window, size + ETL_BUFFER_LOOK - 1);
    s->raw = etl_span_first(s->raw, etl_search_buffer(look, size - etl_stream_unused(s), t->shape));
    s->ends_at_next = s->raw.size < size;
}

/* The output is full, and more than `spare` bytes of input are left for more. */
/*@ requires \valid_read(s);
  @ assigns \nothing; */
static bool has_more(const etl_stream *s, etl_inflated inflated, size_t spare)
{
    return inflated.status == ETL_INFLATE_OVERRUN ||
           (inflated.status == ETL_INFLATE_DONE && input_size(s) - inflated.consumed > spare);
}

/* The limits allow what SavedOffset announces, but not what Offset does. */
/*@ requires \valid_read(s);
  @ assigns \nothing; */
static bool offset_exceeds_limits(const etl_stream *s)
{
    return s->extent < etl_extent_stated(&s->header, ETL_BUFFER_SIZE_MAX);
}

/*
 * The extent is too small if it cuts events off, as in a plain buffer. It is also too small if it is that of SavedOffset,
 * because the limits forbid Offset: this stream ends within the limits, and is measured by Offset.
 */
/*@ requires \valid(s) && etl_writable(scratch) && ETL_BUFFER_SIZE_MIN + longer.produced <= ETL_BUFFER_SIZE_MAX;
  @ requires \separated(s, scratch.at + (0 .. scratch.size - 1)) && s->extent >= ETL_BUFFER_SIZE_MIN;
  @ assigns s->longer, s->extent, s->inflated;
  @ ensures s->extent >= ETL_BUFFER_SIZE_MIN;
  @ ensures s->inflated == \old(s->inflated) || s->inflated == longer; */
static void take_longer(etl_inflated longer, etl_scratch scratch, etl_stream *s)
{
    const uint32_t size = ETL_BUFFER_SIZE_MIN + (uint32_t)longer.produced;
    if (offset_exceeds_limits(s))
        s->extent = size;
    else if (etl_extent_crossed(etl_span_first(etl_scratch_span(scratch), size), etl_stream_announced(s)))
        s->longer = true;
    else
        return;
    s->inflated = longer;
}

/* SavedOffset may announce more than Offset. Returns the scratch that inflating so far takes, or 0 when done. */
/*@ requires \valid(s) && etl_writable(scratch) && \separated(s, scratch.at + (0 .. scratch.size - 1));
  @ requires \separated(s->raw.at + (0 .. s->raw.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ requires consumed(s) && produced(s, scratch) && s->reach <= ETL_BUFFER_SIZE_MAX && s->extent >= ETL_BUFFER_SIZE_MIN;
  @ assigns s->longer, s->extent, s->inflated, scratch.at[0 .. scratch.size - 1];
  @ ensures consumed(s) && produced(s, scratch) && s->extent >= ETL_BUFFER_SIZE_MIN;
  @ ensures \result <= ETL_BUFFER_SIZE_MAX; */
static uint32_t inflate_to_reach(etl_scratch scratch, etl_stream *s)
{
    if (s->reach <= s->extent || !has_more(s, s->inflated, 0))
        return 0;
    if (s->reach > scratch.size)
        return s->reach;
    take_longer(etl_stream_inflate_to(s->raw, s->reach, scratch), scratch, s);
    return 0;
}

/*
 * More input than an unused flag word may be left. Returns the scratch that inflating it takes, or 0 when done. A run to
 * the end of the stream consumes such a flag word too; the second run stops at the end of the output and does not.
 */
/*@ requires apart(t, s, scratch) && consumed(s) && produced(s, scratch) && s->extent >= ETL_BUFFER_SIZE_MIN;
  @ assigns s->longer, s->extent, s->inflated, s->limit, scratch.at[0 .. scratch.size - 1];
  @ ensures consumed(s) && produced(s, scratch) && \result <= ETL_BUFFER_SIZE_MAX; */
static uint32_t inflate_rest(const etl_trace *t, etl_scratch scratch, etl_stream *s)
{
    const uint32_t most = most_extent(t, input_size(s));
    if (!has_more(s, s->inflated, ETL_STREAM_FLAG_WORD))
        return 0;
    if (most > scratch.size)
        return most;
    const etl_inflated rest = etl_stream_inflate_to(s->raw, most, scratch);
    if (!has_more(s, rest, ETL_STREAM_FLAG_WORD)) {
        const uint32_t end = ETL_BUFFER_SIZE_MIN + (uint32_t)rest.produced;
        take_longer(etl_stream_inflate_to(s->raw, end, scratch), scratch, s);
    } else if (s->inflated.status == ETL_INFLATE_DONE || offset_exceeds_limits(s)) {
        s->limit = output_limit(t, input_size(s));
    }
    return 0;
}

/*@ requires apart(t, s, scratch) && etl_stream_begun(s) && etl_readable(window) && s->raw.size <= window.size;
  @ requires ETL_BUFFER_SIZE_MIN <= s->extent <= ETL_BUFFER_SIZE_MAX;
  @ requires \separated(window.at + (0 .. window.size - 1), scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(window.at + (0 .. window.size - 1), s);
  @ assigns s->raw, s->plain, s->ends_at_next, s->longer, s->extent, s->reach, s->inflated, s->limit,
  @         scratch.at[0 .. scratch.size - 1];
  @ ensures etl_stream_begun(s) && s->raw.at == \old(s->raw.at) && s->raw.size <= \old(s->raw.size);
  @ ensures \result <= ETL_BUFFER_SIZE_MAX;
  @ ensures \result == 0 ==> produced(s, scratch); */
static uint32_t inflate(const etl_trace *t, etl_span window, etl_scratch scratch, etl_stream *s)
{
    if (s->extent > scratch.size)
        return s->extent;
    s->inflated = etl_stream_inflate_to(s->raw, s->extent, scratch);
    s->plain = is_plain(s);
    if (s->plain)
        return 0;
    if (s->inflated.status == ETL_INFLATE_DONE)
        end_at_next(t, window, s);
    if (s->limit != 0)
        return 0;
    s->reach = etl_extent_reach(&s->header, most_extent(t, input_size(s)));
    const uint32_t wanted = inflate_to_reach(scratch, s);
    return wanted != 0 ? wanted : inflate_rest(t, scratch, s);
}

uint32_t etl_stream_extent(const etl_trace *t, const etl_stream *s)
{
    return is_compressed(s) && format_is_known(t) ? etl_extent_stated(&s->header, most_extent(t, input_size(s))) : 0;
}

uint32_t etl_stream_inflate(const etl_trace *t, etl_span window, etl_scratch scratch, etl_stream *s)
{
    s->compressed = is_compressed(s);
    s->known_format = format_is_known(t);
    s->extent = etl_stream_extent(t, s);
    if (s->extent != 0)
        return inflate(t, window, scratch, s);
    s->limit = output_limit(t, input_size(s));
    return 0;
}
