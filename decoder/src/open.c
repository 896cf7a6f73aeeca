/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include "etlproof/inflate.h"
#include "frame.h"
#include "report.h"
#include "scratch.h"
#include "search.h"
#include "span.h"

/* Output up to this size is inflated whatever it came from. */
enum { EXPANSION_FREE = 0x10000 };

static bool in_range(uint32_t extent, uint32_t most)
{
    return extent >= ETL_BUFFER_SIZE_MIN && extent <= most;
}

/* Offset is the reliable end of data in every real buffer; SavedOffset is 0 in many. Source: 2,278 buffers. */
static uint32_t stated_extent(const etl_buffer_header *h, uint32_t most)
{
    return in_range(h->offset, most) ? h->offset : in_range(h->saved_offset, most) ? h->saved_offset : 0;
}

uint32_t etl_open_reach(const etl_buffer_header *h, uint32_t most)
{
    uint32_t reach = in_range(h->offset, most) ? h->offset : 0;
    return in_range(h->saved_offset, most) && h->saved_offset > reach ? h->saved_offset : reach;
}

/* A header buffer is never compressed, whatever its flags say: it holds what it takes to inflate the others. */
static bool is_compressed(const etl_buffer_header *h, etl_span raw, etl_open_state state)
{
    return h->buffer_flag & ETL_BUFFER_FLAG_COMPRESSED && state != ETL_OPEN_MENDED &&
           !etl_logfile_here(raw, ETL_BUFFER_SIZE_MIN);
}

static bool format_is_known(const etl_trace *t)
{
    uint32_t format = t->logfile.compression_format;
    return !t->logfile.known || format == ETL_COMPRESSION_FORMAT_XPRESS || format == ETL_COMPRESSION_FORMAT_NONE;
}

/* The most bytes that the caller lets `input` bytes inflate to. */
static uint64_t output_limit(const etl_trace *t, uint64_t input)
{
    uint64_t most = input * t->limits.expansion;
    if (most < EXPANSION_FREE)
        most = EXPANSION_FREE;
    return most < t->limits.inflated ? most : t->limits.inflated;
}

/* The largest extent that `input` bytes may be inflated to. */
static uint32_t most_extent(const etl_trace *t, uint64_t input)
{
    const uint64_t most = ETL_BUFFER_SIZE_MIN + output_limit(t, input);
    return most < ETL_BUFFER_SIZE_MAX ? (uint32_t)most : ETL_BUFFER_SIZE_MAX;
}

static etl_span stream_of(etl_span raw)
{
    return etl_span_from(raw, ETL_BUFFER_SIZE_MIN);
}

static etl_inflated inflate_to(etl_span raw, uint32_t extent, etl_scratch room)
{
    return etl_inflate(stream_of(raw), etl_scratch_part(room, ETL_BUFFER_SIZE_MIN, extent - ETL_BUFFER_SIZE_MIN));
}

/* An XPRESS stream with a fault, where plain events would make sense. */
static bool plain_after_all(const etl_stream *s, const etl_buffer_header *h)
{
    const etl_inflate_status status = s->inflated.status;
    const bool fault = status != ETL_INFLATE_DONE && status != ETL_INFLATE_SHORT;
    return fault && etl_event_plausible(s->raw, ETL_BUFFER_SIZE_MIN, stated_extent(h, (uint32_t)s->raw.size));
}

/* Input that is not used yet. */
static size_t surplus(const etl_stream *s)
{
    return stream_of(s->raw).size - s->inflated.consumed;
}

/*
 * More input is left than an unused flag word, or BufferSize leads to no buffer. If one starts in that input, this one
 * ends there (BUF-001): by all that it takes to tell, though its first event may lie behind BufferSize. Not so if the
 * input that was used would not have been let inflate so far: a row of such buffers, each claiming the whole file, would
 * cost its size squared.
 */
static void end_at_next(const etl_trace *t, etl_span window, etl_stream *s)
{
    const size_t size = s->raw.size;
    const uint64_t limit = output_limit(t, s->inflated.consumed);
    const bool leads_on = size == window.size || etl_buffer_plausible(etl_span_from(window, size), t->shape);
    if (surplus(s) <= (leads_on ? ETL_OPEN_FLAG_WORD : 0))
        return;
    if (s->inflated.produced > limit) {
        s->limit = limit;
        return;
    }
    const etl_span look = etl_span_first(window, size + ETL_BUFFER_LOOK - 1);
    s->raw = etl_span_first(s->raw, etl_search_buffer(look, size - surplus(s), t->shape));
    s->ends_at_next = s->raw.size < size;
}

/* An event reaches across the extent, or lies behind it. */
static bool event_beyond(etl_span data, uint32_t extent)
{
    const uint32_t end = (uint32_t)data.size;
    uint32_t at = etl_search_event(data, ETL_BUFFER_SIZE_MIN, end), size;
    /*@ loop assigns at, size;
      @ loop variant end - at; */
    while (at < end && etl_event_agrees(data, at, end, &size) && at + size <= extent)
        at = etl_search_event(data, at + size, end);
    return at < end;
}

/* The room is full, and the stream has more than `spare` bytes to make more of. */
static bool has_more(const etl_stream *s, size_t spare)
{
    return s->inflated.status == ETL_INFLATE_OVERRUN || (s->inflated.status == ETL_INFLATE_DONE && surplus(s) > spare);
}

/* What the stream is held against: Offset, and SavedOffset only if events lie up to there. */
static uint32_t announced(const etl_stream *s)
{
    return s->longer ? s->reach : s->extent;
}

static etl_stream inflated_longer(const etl_stream *s, uint32_t extent, etl_scratch room)
{
    etl_stream longer = *s;
    longer.longer = true;
    longer.inflated = inflate_to(s->raw, extent, room);
    return longer;
}

/* What was announced does not hold if it cuts events off, as in a plain buffer. */
static void take_longer(const etl_stream *longer, etl_scratch room, etl_stream *s)
{
    const size_t size = ETL_BUFFER_SIZE_MIN + longer->inflated.produced;
    if (event_beyond(etl_span_first(etl_scratch_span(room), size), announced(s)))
        *s = *longer;
}

/* SavedOffset may announce more than Offset. Returns how much room it takes to see who is right; 0 if that was seen. */
static uint32_t inflate_to_reach(etl_scratch room, etl_stream *s)
{
    if (s->reach == s->extent || !has_more(s, 0))
        return 0;
    if (s->reach > room.size)
        return s->reach;
    const etl_stream longer = inflated_longer(s, s->reach, room);
    take_longer(&longer, room, s);
    return 0;
}

/*
 * More input than an unused flag word may be left. Returns how much room it takes to see what it makes; 0 if that was seen.
 * A stream that is run to its end uses such a flag word too; one that is run again, up to what it makes, does not.
 */
static uint32_t inflate_rest(const etl_trace *t, etl_scratch room, etl_stream *s)
{
    const size_t input = stream_of(s->raw).size;
    const uint32_t most = most_extent(t, input);
    if (!has_more(s, ETL_OPEN_FLAG_WORD))
        return 0;
    if (most > room.size)
        return most;
    etl_stream longer = inflated_longer(s, most, room);
    if (!has_more(&longer, ETL_OPEN_FLAG_WORD)) {
        longer = inflated_longer(s, ETL_BUFFER_SIZE_MIN + (uint32_t)longer.inflated.produced, room);
        take_longer(&longer, room, s);
    } else if (s->inflated.status == ETL_INFLATE_DONE) {
        s->limit = output_limit(t, input);
    }
    return 0;
}

static uint32_t inflate(const etl_trace *t, etl_span window, const etl_buffer_header *h, etl_scratch room, etl_stream *s)
{
    if (s->extent > room.size)
        return s->extent;
    s->inflated = inflate_to(s->raw, s->extent, room);
    s->plain = plain_after_all(s, h);
    if (s->plain)
        return 0;
    if (s->inflated.status == ETL_INFLATE_DONE)
        end_at_next(t, window, s);
    if (s->limit != 0)
        return 0;
    s->reach = etl_open_reach(h, most_extent(t, stream_of(s->raw).size));
    const uint32_t wanted = inflate_to_reach(room, s);
    return wanted != 0 ? wanted : inflate_rest(t, room, s);
}

uint32_t etl_open_room(const etl_trace *t, etl_span raw, etl_open_state state)
{
    etl_buffer_header h;
    etl_buffer_header_read(raw, t->shape, &h);
    const bool inflated = is_compressed(&h, raw, state) && format_is_known(t);
    return inflated ? stated_extent(&h, most_extent(t, stream_of(raw).size)) : 0;
}

uint32_t etl_open_stream(const etl_trace *t, etl_span window, size_t size, etl_open_state state, etl_scratch room,
                         etl_stream *s)
{
    etl_buffer_header h;
    *s = (etl_stream){.raw = etl_span_first(window, size)};
    etl_buffer_header_read(s->raw, t->shape, &h);
    if (!is_compressed(&h, s->raw, state) || !format_is_known(t))
        return 0;
    s->extent = stated_extent(&h, most_extent(t, stream_of(s->raw).size));
    return s->extent == 0 ? 0 : inflate(t, window, &h, room, s);
}

static etl_finding *report(const etl_buffer *b, etl_rule rule, uint32_t member, etl_findings *findings)
{
    etl_finding *finding = etl_report(findings, rule, ETL_SPACE_FILE, b->offset + member);
    finding->buffer = b->index;
    return finding;
}

static void check_flag_and_type(const etl_buffer *b, etl_findings *findings)
{
    const etl_buffer_header *h = &b->header;
    const unsigned lost = ETL_BUFFER_FLAG_EVENTS_LOST | ETL_BUFFER_FLAG_BUFFER_LOST | ETL_BUFFER_FLAG_RTBACKUP_CORRUPT;
    if (h->shape == ETL_BUFFER_SHAPE_50) {
        if (h->events_lost != 0)
            etl_expect(report(b, ETL_RULE_BUF_017, ETL_AT(WMI_BUFFER_HEADER_50, EventsLost), findings), ETL_RELATION_EQUAL,
                       0, h->events_lost);
        return;
    }
    if (h->buffer_type >= ETL_BUFFER_TYPE_COUNT)
        etl_expect(report(b, ETL_RULE_BUF_011, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), findings), ETL_RELATION_AT_MOST,
                   ETL_BUFFER_TYPE_COUNT - 1, h->buffer_type);
    if (h->buffer_flag & ~(unsigned)ETL_BUFFER_FLAGS)
        etl_expect(report(b, ETL_RULE_BUF_012, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings),
                   ETL_RELATION_BITS_WITHIN, ETL_BUFFER_FLAGS, h->buffer_flag);
    if ((h->buffer_type == ETL_BUFFER_TYPE_HEADER) != (b->index == 0))
        etl_expect(report(b, ETL_RULE_BUF_013, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), findings),
                   b->index == 0 ? ETL_RELATION_EQUAL : ETL_RELATION_NOT, ETL_BUFFER_TYPE_HEADER, h->buffer_type);
    if (h->buffer_flag & lost)
        etl_expect(report(b, ETL_RULE_BUF_017, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings),
                   ETL_RELATION_BITS_WITHIN, ETL_BUFFER_FLAGS & ~lost, h->buffer_flag);
}

static void check_processor(const etl_trace *t, const etl_buffer *b, etl_findings *findings)
{
    const uint32_t number = t->logfile.number_of_processors;
    if (number != 0 && b->header.processor >= number)
        etl_expect(report(b, ETL_RULE_BUF_016, ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex), findings),
                   ETL_RELATION_AT_MOST, number - 1, b->header.processor);
}

static void check_offsets(const etl_buffer *b, etl_findings *findings)
{
    if (b->extent_stated && b->header.saved_offset != b->header.offset)
        etl_expect(report(b, ETL_RULE_BUF_006, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), findings), ETL_RELATION_EQUAL,
                   b->header.offset, b->header.saved_offset);
}

static etl_finding *report_offset(const etl_buffer *b, etl_rule rule, uint32_t most, etl_findings *findings)
{
    etl_finding *finding = report(b, rule, ETL_AT(WMI_BUFFER_HEADER_61, Offset), findings);
    if (b->header.offset < ETL_BUFFER_SIZE_MIN)
        etl_expect(finding, ETL_RELATION_AT_LEAST, ETL_BUFFER_SIZE_MIN, b->header.offset);
    else
        etl_expect(finding, ETL_RELATION_AT_MOST, most, b->header.offset);
    return finding;
}

/* The buffer's bytes hold its events as they are. */
static void open_plain(etl_buffer *b, bool cut, etl_findings *findings)
{
    uint32_t size = (uint32_t)b->raw.size;
    uint32_t most = cut ? b->header.buffer_size : size;
    uint32_t extent = stated_extent(&b->header, most);
    b->compressed = false;
    b->space = ETL_SPACE_FILE;
    b->data = b->raw;
    b->extent_stated = extent != 0;
    b->extent = extent != 0 && extent < size ? extent : size;
    b->reach = etl_open_reach(&b->header, size);
    if (extent == 0)
        report_offset(b, ETL_RULE_BUF_005, most, findings);
}

/* None of the compressed data is used; the finding says why. */
static void leave_compressed(etl_buffer *b, etl_finding *finding)
{
    finding->action = ETL_ACTION_SKIP_BUFFER;
    finding->lost = b->raw.size - ETL_BUFFER_SIZE_MIN;
    b->data = etl_span_first(b->raw, ETL_BUFFER_SIZE_MIN);
    b->extent = ETL_BUFFER_SIZE_MIN;
    b->rest_kind = ETL_REGION_DAMAGED;
}

static void copy_header(etl_span raw, etl_scratch room)
{
    /*@ loop invariant at % 8 == 0 && at <= ETL_BUFFER_SIZE_MIN;
      @ loop variant ETL_BUFFER_SIZE_MIN - at; */
    for (uint32_t at = 0; at < ETL_BUFFER_SIZE_MIN; at += 8)
        etl_store_u64(room, at, etl_load_u64(raw, at));
}

/* `output` is more than the limit, or the stream makes more than both, and nobody knows how much. */
static etl_finding *report_limit(const etl_buffer *b, uint64_t limit, uint64_t output, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_LIM_001, ETL_AT(WMI_BUFFER_HEADER_61, Offset), findings);
    if (output > limit)
        etl_expect(finding, ETL_RELATION_AT_MOST, limit, output);
    return finding;
}

/* The stream ends before what was announced, or goes on behind it and then breaks. */
static bool breaks(const etl_stream *s)
{
    const size_t made = ETL_BUFFER_SIZE_MIN + s->inflated.produced, expected = announced(s);
    const bool goes_on = made > expected && surplus(s) > ETL_OPEN_FLAG_WORD;
    return s->inflated.status == ETL_INFLATE_OVERRUN || made < expected || goes_on;
}

static etl_finding *report_break(const etl_stream *s, const etl_buffer *b, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_BUF_010, ETL_BUFFER_SIZE_MIN + b->inflated_from, findings);
    if (s->inflated.status != ETL_INFLATE_OVERRUN) /* which yields all that was announced, and then more */
        etl_expect(finding, ETL_RELATION_EQUAL, announced(s), b->data.size);
    finding->action = ETL_ACTION_SKIP_BUFFER;
    return finding;
}

/*
 * What became of the input. That of a buffer that is cut ends early for no fault of its own: the finding that said so says
 * what is lost.
 */
static void check_stream(const etl_stream *s, etl_buffer *b, etl_finding *cut, etl_findings *findings)
{
    etl_finding *lost = NULL;
    if (s->ends_at_next)
        etl_expect(report(b, ETL_RULE_BUF_001, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), findings), ETL_RELATION_EQUAL,
                   b->raw.size, b->header.buffer_size);
    if (s->limit != 0)
        lost = report_limit(b, s->limit, s->inflated.produced, findings);
    else if (breaks(s))
        lost = cut ? cut : report_break(s, b, findings);
    else if (surplus(s) > ETL_OPEN_FLAG_WORD && !s->ends_at_next)
        etl_expect(report(b, ETL_RULE_BUF_019, ETL_BUFFER_SIZE_MIN + b->inflated_from, findings), ETL_RELATION_AT_MOST,
                   ETL_OPEN_FLAG_WORD, surplus(s));
    if (lost) {
        lost->lost = surplus(s);
        b->rest_kind = ETL_REGION_DAMAGED;
    }
}

static void open_inflated(const etl_stream *s, etl_scratch room, etl_buffer *b)
{
    copy_header(b->raw, room);
    b->data = etl_span_first(etl_scratch_span(room), ETL_BUFFER_SIZE_MIN + s->inflated.produced);
    const uint32_t made = (uint32_t)b->data.size;
    b->reach = announced(s) < made ? announced(s) : made;
    b->extent = s->extent < made ? s->extent : made;
    b->inflated_from = (uint32_t)s->inflated.consumed;
}

/* Neither Offset nor SavedOffset announces what the buffer may be inflated to. */
static etl_finding *report_extent(const etl_trace *t, const etl_buffer *b, etl_findings *findings)
{
    const uint32_t extent = stated_extent(&b->header, ETL_BUFFER_SIZE_MAX);
    if (extent == 0)
        return report_offset(b, ETL_RULE_BUF_008, ETL_BUFFER_SIZE_MAX, findings);
    return report_limit(b, output_limit(t, stream_of(b->raw).size), extent - ETL_BUFFER_SIZE_MIN, findings);
}

static void open_compressed(const etl_trace *t, const etl_stream *s, etl_buffer *b, etl_finding *cut, etl_scratch room,
                            etl_findings *findings)
{
    b->compressed = true;
    b->space = ETL_SPACE_INFLATED;
    b->extent_stated = true;
    b->rest_kind = ETL_REGION_SLACK;
    if (t->logfile.known && !(t->logfile.log_file_mode & ETL_LOGGER_MODE_COMPRESSED_MODE) && t->compressed_buffers == 0)
        report(b, ETL_RULE_LFH_007, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    if (!format_is_known(t)) {
        etl_finding *finding = report(b, ETL_RULE_BUF_009, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
        etl_expect(finding, ETL_RELATION_EQUAL, ETL_COMPRESSION_FORMAT_XPRESS, t->logfile.compression_format);
        leave_compressed(b, finding);
    } else if (s->extent == 0) {
        leave_compressed(b, report_extent(t, b, findings));
    } else {
        if (t->compressed_buffers == 0 && t->logfile.compression_format != ETL_COMPRESSION_FORMAT_XPRESS)
            report(b, ETL_RULE_BUF_020, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
        open_inflated(s, room, b);
        check_stream(s, b, cut, findings);
    }
}

void etl_open(const etl_trace *trace, const etl_stream *stream, etl_open_state state, etl_scratch room, etl_buffer *b,
              etl_findings *findings)
{
    etl_finding *cut = NULL;
    b->offset = trace->offset;
    b->raw = stream->raw;
    b->context = trace->context;
    b->inflated_from = 0;
    b->at = ETL_BUFFER_SIZE_MIN;
    b->clean_from = UINT32_MAX;
    b->has_time = false;
    etl_buffer_header_read(b->raw, trace->shape, &b->header);
    if (state == ETL_OPEN_CUT && !stream->ends_at_next) {
        cut = report(b, ETL_RULE_BUF_004, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), findings);
        etl_expect(cut, ETL_RELATION_AT_MOST, b->raw.size, b->header.buffer_size);
    }
    if (stream->plain)
        report(b, ETL_RULE_BUF_021, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    if (!stream->plain && is_compressed(&b->header, b->raw, state))
        open_compressed(trace, stream, b, cut, room, findings);
    else
        open_plain(b, cut != NULL, findings);
    check_offsets(b, findings);
    check_flag_and_type(b, findings);
    check_processor(trace, b, findings);
}
