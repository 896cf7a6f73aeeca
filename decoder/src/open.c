/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the stream of a buffer into a buffer that can be walked, and reports findings about its header and compression.
 * trace.c opens each buffer; buffer.c then walks over it.
 */
#include "open.h"

#include "extent.h"
#include "report.h"
#include "scratch.h"
#include "span.h"

/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report(const etl_buffer *b, etl_rule rule, uint32_t member, etl_findings *findings)
{
    etl_finding *finding = etl_report(findings, rule, ETL_SPACE_FILE, b->offset + member);
    finding->buffer = b->index;
    return finding;
}

/* Reports a member of the header whose value is not the expected one. */
/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void report_value(const etl_buffer *b, etl_rule rule, uint32_t member, etl_relation relation, uint64_t expected,
                         uint64_t actual, etl_findings *findings)
{
    etl_expect(report(b, rule, member, findings), relation, expected, actual);
}

/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_flag_and_type(const etl_buffer *b, etl_findings *findings)
{
    const etl_buffer_header *h = &b->header;
    const uint32_t flag = ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), type = ETL_AT(WMI_BUFFER_HEADER_61, BufferType);
    const unsigned lost = ETL_BUFFER_FLAG_EVENTS_LOST | ETL_BUFFER_FLAG_BUFFER_LOST | ETL_BUFFER_FLAG_RTBACKUP_CORRUPT;
    if (h->shape == ETL_BUFFER_SHAPE_50) {
        if (h->events_lost != 0)
            report_value(b, ETL_RULE_BUF_017, ETL_AT(WMI_BUFFER_HEADER_50, EventsLost), ETL_RELATION_EQUAL, 0,
                         h->events_lost, findings);
        return;
    }
    if (h->buffer_type >= ETL_BUFFER_TYPE_COUNT)
        report_value(b, ETL_RULE_BUF_011, type, ETL_RELATION_AT_MOST, ETL_BUFFER_TYPE_COUNT - 1, h->buffer_type, findings);
    if (h->buffer_flag & ~(unsigned)ETL_BUFFER_FLAGS)
        report_value(b, ETL_RULE_BUF_012, flag, ETL_RELATION_BITS_WITHIN, ETL_BUFFER_FLAGS, h->buffer_flag, findings);
    if ((h->buffer_type == ETL_BUFFER_TYPE_HEADER) != (b->index == 0))
        report_value(b, ETL_RULE_BUF_013, type, b->index == 0 ? ETL_RELATION_EQUAL : ETL_RELATION_NOT,
                     ETL_BUFFER_TYPE_HEADER, h->buffer_type, findings);
    if (h->buffer_flag & lost)
        report_value(b, ETL_RULE_BUF_017, flag, ETL_RELATION_BITS_WITHIN, ETL_BUFFER_FLAGS & ~lost, h->buffer_flag,
                     findings);
}

/*@ requires \valid_read(t) && \valid_read(b) && etl_list(findings) && \separated(b, findings) && \separated(t, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_processor(const etl_trace *t, const etl_buffer *b, etl_findings *findings)
{
    const uint32_t number = t->logfile.number_of_processors;
    if (number != 0 && b->header.processor >= number)
        report_value(b, ETL_RULE_BUF_016, ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex), ETL_RELATION_AT_MOST, number - 1,
                     b->header.processor, findings);
}

/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_offsets(const etl_buffer *b, etl_findings *findings)
{
    if (b->extent_stated && b->header.saved_offset != b->header.offset)
        report_value(b, ETL_RULE_BUF_006, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), ETL_RELATION_EQUAL, b->header.offset,
                     b->header.saved_offset, findings);
}

/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_offset(const etl_buffer *b, etl_rule rule, uint32_t most, etl_findings *findings)
{
    etl_finding *finding = report(b, rule, ETL_AT(WMI_BUFFER_HEADER_61, Offset), findings);
    if (b->header.offset < ETL_BUFFER_SIZE_MIN)
        etl_expect(finding, ETL_RELATION_AT_LEAST, ETL_BUFFER_SIZE_MIN, b->header.offset);
    else
        etl_expect(finding, ETL_RELATION_AT_MOST, most, b->header.offset);
    return finding;
}

/*@ predicate opening{L}(etl_buffer *b, etl_findings *findings) =
  @   \valid(b) && etl_readable(b->raw) && ETL_BUFFER_SIZE_MIN <= b->raw.size <= ETL_BUFFER_SIZE_MAX &&
  @   etl_list(findings) && \separated(b, findings); */

/* The buffer is not compressed: its bytes in the file are its data. */
/*@ requires opening(b, findings);
  @ assigns b->compressed, b->space, b->data, b->extent_stated, b->extent, b->reach, *findings;
  @ ensures etl_list(findings) && etl_opened(b); */
static void open_plain(etl_buffer *b, bool cut, etl_findings *findings)
{
    uint32_t size = (uint32_t)b->raw.size;
    uint32_t most = cut ? b->header.buffer_size : size;
    uint32_t extent = etl_extent_stated(&b->header, most);
    b->compressed = false;
    b->space = ETL_SPACE_FILE;
    b->data = b->raw;
    b->extent_stated = extent != 0;
    b->extent = extent != 0 && extent < size ? extent : size;
    b->reach = etl_extent_reach(&b->header, size);
    if (extent == 0)
        report_offset(b, ETL_RULE_BUF_005, most, findings);
}

/* None of the compressed data is used, because of `finding`. */
/*@ requires \valid(b) && etl_readable(b->raw) && ETL_BUFFER_SIZE_MIN <= b->raw.size && \valid(finding);
  @ requires \separated(b, finding);
  @ assigns b->data, b->extent, b->reach, b->rest_kind, finding->action, finding->lost;
  @ ensures etl_opened(b); */
static void leave_compressed(etl_buffer *b, etl_finding *finding)
{
    finding->action = ETL_ACTION_SKIP_BUFFER;
    finding->lost = b->raw.size - ETL_BUFFER_SIZE_MIN;
    b->data = etl_span_first(b->raw, ETL_BUFFER_SIZE_MIN);
    b->extent = b->reach = ETL_BUFFER_SIZE_MIN;
    b->rest_kind = ETL_REGION_DAMAGED;
}

/* Reports that `output` exceeds the limit; if the stream inflates to an unknown amount, that it exceeds both. */
/*@ requires \valid_read(b) && etl_list(findings) && \separated(b, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_limit(const etl_buffer *b, uint64_t limit, uint64_t output, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_LIM_001, ETL_AT(WMI_BUFFER_HEADER_61, Offset), findings);
    if (output > limit)
        etl_expect(finding, ETL_RELATION_AT_MOST, limit, output);
    return finding;
}

/* The stream ends before the announced extent, or continues behind it and then has a fault. */
/*@ requires \valid_read(s);
  @ assigns \nothing; */
static bool breaks(const etl_stream *s)
{
    const size_t made = ETL_BUFFER_SIZE_MIN + s->inflated.produced, expected = etl_stream_announced(s);
    const bool goes_on = made > expected && etl_stream_unused(s) > ETL_STREAM_FLAG_WORD;
    return s->inflated.status == ETL_INFLATE_OVERRUN || made < expected || goes_on;
}

/*@ requires \valid_read(s) && \valid_read(b) && etl_list(findings) && \separated(b, findings) && \separated(s, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_break(const etl_stream *s, const etl_buffer *b, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_BUF_010, ETL_BUFFER_SIZE_MIN + b->inflated_from, findings);
    if (s->inflated.status != ETL_INFLATE_OVERRUN) /* OVERRUN: the output is complete, and more would follow */
        etl_expect(finding, ETL_RELATION_EQUAL, etl_stream_announced(s), b->data.size);
    finding->action = ETL_ACTION_SKIP_BUFFER;
    return finding;
}

/*@ predicate one_of{L}(etl_finding *finding, etl_findings *findings) =
  @   \exists integer i; 0 <= i < ETL_FINDINGS_MAX && finding == &findings->at[i]; */

/*
 * Reports a stream that breaks, stops at a limit or leaves input unused. If the file cuts the buffer off, the stream ends
 * early for that reason: then the finding `cut` gets the loss.
 */
/*@ requires \valid_read(s) && \valid(b) && etl_list(findings) && (cut == \null || one_of(cut, findings));
  @ requires \separated(s, b) && \separated(s, findings) && \separated(b, findings);
  @ assigns b->rest_kind, *findings;
  @ ensures etl_list(findings); */
static void check_stream(const etl_stream *s, etl_buffer *b, etl_finding *cut, etl_findings *findings)
{
    etl_finding *lost = NULL;
    if (s->limit != 0)
        lost = report_limit(b, s->limit, s->inflated.produced, findings);
    else if (breaks(s))
        lost = cut ? cut : report_break(s, b, findings);
    else if (etl_stream_unused(s) > ETL_STREAM_FLAG_WORD && !s->ends_at_next)
        report_value(b, ETL_RULE_BUF_019, ETL_BUFFER_SIZE_MIN + b->inflated_from, ETL_RELATION_AT_MOST,
                     ETL_STREAM_FLAG_WORD, etl_stream_unused(s), findings);
    if (lost) {
        lost->lost = etl_stream_unused(s);
        b->rest_kind = ETL_REGION_DAMAGED;
    }
}

/*@ requires \valid_read(s) && etl_writable(scratch) && \valid(b) && etl_readable(b->raw) && \separated(b, s);
  @ requires ETL_BUFFER_SIZE_MIN + s->inflated.produced <= scratch.size;
  @ requires ETL_BUFFER_SIZE_MIN + s->inflated.produced <= ETL_BUFFER_SIZE_MAX;
  @ requires \separated(b, scratch.at + (0 .. scratch.size - 1)) && \separated(s, scratch.at + (0 .. scratch.size - 1));
  @ assigns b->data, b->reach, b->extent, b->inflated_from, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_opened(b); */
static void open_inflated(const etl_stream *s, etl_scratch scratch, etl_buffer *b)
{
    const uint32_t size = ETL_BUFFER_SIZE_MIN + (uint32_t)s->inflated.produced;
    const uint32_t announced = etl_stream_announced(s);
    etl_store_copy(scratch, b->raw, ETL_BUFFER_SIZE_MIN);
    b->data = etl_span_first(etl_scratch_span(scratch), size);
    b->extent = s->extent < size ? s->extent : size;
    b->reach = announced < size ? announced : size;
    b->inflated_from = (uint32_t)s->inflated.consumed;
}

/* Neither Offset nor SavedOffset announces an extent that the buffer may be inflated to. */
/*@ requires \valid_read(s) && \valid_read(b) && etl_list(findings) && \separated(b, findings) && \separated(s, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && findings->count >= 1 && \result == &findings->at[findings->count - 1]; */
static etl_finding *report_extent(const etl_stream *s, const etl_buffer *b, etl_findings *findings)
{
    const uint32_t extent = etl_extent_stated(&b->header, ETL_BUFFER_SIZE_MAX);
    if (extent == 0)
        return report_offset(b, ETL_RULE_BUF_008, ETL_BUFFER_SIZE_MAX, findings);
    return report_limit(b, s->limit, extent - ETL_BUFFER_SIZE_MIN, findings);
}

/* The finding for which no compressed data can be used; NULL if all can. */
/*@ requires \valid_read(t) && \valid_read(s) && \valid_read(b) && etl_list(findings);
  @ requires \separated(b, findings) && \separated(s, findings) && \separated(t, findings);
  @ assigns *findings;
  @ ensures etl_list(findings);
  @ ensures \result != \null ==> findings->count >= 1 && \result == &findings->at[findings->count - 1];
  @ ensures \result == \null ==> s->extent != 0; */
static etl_finding *report_unusable(const etl_trace *t, const etl_stream *s, const etl_buffer *b, etl_findings *findings)
{
    if (s->known_format)
        return s->extent == 0 ? report_extent(s, b, findings) : NULL;
    etl_finding *finding = report(b, ETL_RULE_BUF_009, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    etl_expect(finding, ETL_RELATION_EQUAL, ETL_COMPRESSION_FORMAT_XPRESS, t->logfile.compression_format);
    return finding;
}

/* Compressed data is used, as far as it could be inflated. */
/*@ requires \valid_read(t) && \valid_read(s) && opening(b, findings) && etl_stream_filled(s, scratch) && s->extent != 0;
  @ requires (cut == \null || one_of(cut, findings)) && \separated(t, findings) && \separated(s, findings);
  @ requires \separated(s, b) && \separated(b, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1));
  @ assigns b->data, b->reach, b->extent, b->inflated_from, b->rest_kind, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_list(findings);
  @ ensures etl_opened(b); */
static void use_compressed(const etl_trace *t, const etl_stream *s, etl_buffer *b, etl_finding *cut, etl_scratch scratch,
                           etl_findings *findings)
{
    if (t->compressed_buffers == 0 && t->logfile.compression_format != ETL_COMPRESSION_FORMAT_XPRESS)
        report(b, ETL_RULE_BUF_020, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    open_inflated(s, scratch, b);
    check_stream(s, b, cut, findings);
}

/*@ requires \valid_read(t) && \valid_read(s) && opening(b, findings) && etl_stream_filled(s, scratch);
  @ requires (cut == \null || one_of(cut, findings)) && \separated(t, findings) && \separated(s, findings);
  @ requires \separated(t, b) && \separated(s, b) && \separated(b, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(t, scratch.at + (0 .. scratch.size - 1));
  @ assigns *b, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_list(findings);
  @ ensures etl_opened(b); */
static void open_compressed(const etl_trace *t, const etl_stream *s, etl_buffer *b, etl_finding *cut, etl_scratch scratch,
                            etl_findings *findings)
{
    b->compressed = true;
    b->space = ETL_SPACE_INFLATED;
    b->extent_stated = true;
    b->rest_kind = ETL_REGION_SLACK;
    if (t->logfile.known && !(t->logfile.log_file_mode & ETL_LOGGER_MODE_COMPRESSED_MODE) && t->compressed_buffers == 0)
        report(b, ETL_RULE_LFH_007, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    etl_finding *unusable = report_unusable(t, s, b, findings);
    if (unusable)
        leave_compressed(b, unusable);
    else
        use_compressed(t, s, b, cut, scratch, findings);
}

/*
 * The flag COMPRESSED of a buffer that is not compressed: events take the place of its stream, or it is the header buffer,
 * whose flags can be read only once the logfile header has given the buffer shape.
 */
/*@ requires \valid_read(s) && \valid_read(b);
  @ assigns \nothing; */
static bool has_false_flag(const etl_stream *s, const etl_buffer *b)
{
    const bool flag = (b->header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
    return s->plain || (flag && !s->compressed && !etl_stream_overwritten(s));
}

/*@ requires \valid_read(trace) && \valid_read(stream) && \valid(b) && \separated(b, trace) && \separated(b, stream);
  @ requires etl_readable(stream->raw) && \separated(b, stream->raw.at + (0 .. stream->raw.size - 1));
  @ assigns *b;
  @ ensures etl_readable(b->raw);
  @ ensures b->raw.size == \old(stream->raw.size);
  @ ensures b->at == ETL_BUFFER_SIZE_MIN; */
static void begin(const etl_trace *trace, const etl_stream *stream, etl_buffer *b)
{
    b->raw = stream->raw;
    etl_buffer_header_read(b->raw, trace->shape, &b->header);
    b->offset = trace->offset;
    b->context = trace->context;
    b->inflated_from = 0;
    b->at = ETL_BUFFER_SIZE_MIN;
    b->clean_from = UINT32_MAX;
    b->steady_clock = trace->logfile.clock.type == ETL_CLOCK_TYPE_PERFCOUNTER ||
                      trace->logfile.clock.type == ETL_CLOCK_TYPE_CPUCYCLE;
    b->has_time = false;
}

/* The finding that the file ends before the buffer does; NULL if it does not. */
/*@ requires \valid_read(stream) && \valid_read(b) && etl_list(findings) && \separated(b, findings) &&
  @          \separated(stream, findings);
  @ assigns *findings;
  @ ensures etl_list(findings) && (\result == \null || one_of(\result, findings)); */
static etl_finding *report_cut(const etl_stream *stream, const etl_buffer *b, etl_findings *findings)
{
    if (stream->end != ETL_RAW_CUT || stream->ends_at_next)
        return NULL;
    etl_finding *cut = report(b, ETL_RULE_BUF_004, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), findings);
    etl_expect(cut, ETL_RELATION_AT_MOST, b->raw.size, b->header.buffer_size);
    return cut;
}

/*@ requires \valid_read(t) && \valid_read(b) && etl_list(findings) && \separated(b, findings) && \separated(t, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_header(const etl_trace *t, const etl_buffer *b, etl_findings *findings)
{
    check_offsets(b, findings);
    check_flag_and_type(b, findings);
    check_processor(t, b, findings);
}

void etl_open(const etl_trace *trace, const etl_stream *stream, etl_scratch scratch, etl_buffer *b, etl_findings *findings)
{
    begin(trace, stream, b);
    etl_finding *cut = report_cut(stream, b, findings);
    if (has_false_flag(stream, b))
        report(b, ETL_RULE_BUF_021, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
    if (stream->compressed && !stream->plain)
        open_compressed(trace, stream, b, cut, scratch, findings);
    else
        open_plain(b, cut != NULL, findings);
    check_header(trace, b, findings);
}
