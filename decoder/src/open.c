/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include "etlproof/inflate.h"
#include "frame.h"
#include "report.h"
#include "room.h"
#include "search.h"
#include "span.h"

/* An unused flag word may remain when an XPRESS stream ends. */
enum { FLAG_WORD = 4 };

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

/* The larger of Offset and SavedOffset that the caller's limits allow; at least `extent`. */
static uint32_t reach_within_limits(const etl_trace *t, const etl_buffer_header *h, etl_span raw, uint32_t extent)
{
    uint32_t reach = etl_open_reach(h, ETL_BUFFER_SIZE_MAX);
    return reach - ETL_BUFFER_SIZE_MIN <= output_limit(t, raw.size - ETL_BUFFER_SIZE_MIN) ? reach : extent;
}

uint32_t etl_open_room(const etl_trace *trace, etl_span raw, etl_open_state state)
{
    etl_buffer_header h;
    etl_buffer_header_read(raw, trace->shape, &h);
    uint32_t extent = stated_extent(&h, ETL_BUFFER_SIZE_MAX);
    bool inflate = is_compressed(&h, raw, state) && extent != 0 && format_is_known(trace) &&
                   extent - ETL_BUFFER_SIZE_MIN <= output_limit(trace, raw.size - ETL_BUFFER_SIZE_MIN);
    return inflate ? reach_within_limits(trace, &h, raw, extent) : 0;
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

static void copy_header(etl_span raw, etl_room room)
{
    /*@ loop invariant at % 8 == 0 && at <= ETL_BUFFER_SIZE_MIN;
      @ loop variant ETL_BUFFER_SIZE_MIN - at; */
    for (uint32_t at = 0; at < ETL_BUFFER_SIZE_MIN; at += 8)
        etl_store_u64(room, at, etl_load_u64(raw, at));
}

static etl_finding *report_limit(const etl_buffer *b, uint64_t limit, uint64_t output, etl_findings *findings)
{
    etl_finding *finding = report(b, ETL_RULE_LIM_001, ETL_AT(WMI_BUFFER_HEADER_61, Offset), findings);
    etl_expect(finding, ETL_RELATION_AT_MOST, limit, output);
    return finding;
}

/*
 * More input than the stream needs. If a buffer starts in it, BufferSize is too large, and the buffer ends there (BUF-001).
 * Not so if the input that was used would not have been let inflate so far: a row of such buffers, each claiming the whole
 * file, would cost its size squared.
 */
static void check_surplus(const etl_trace *t, etl_buffer *b, etl_findings *findings)
{
    const size_t used = ETL_BUFFER_SIZE_MIN + (size_t)b->inflated_from;
    const uint64_t output = b->data.size - ETL_BUFFER_SIZE_MIN, limit = output_limit(t, b->inflated_from);
    if (b->raw.size - used <= FLAG_WORD)
        return;
    if (output > limit) {
        report_limit(b, limit, output, findings)->lost = b->raw.size - used;
        b->rest_kind = ETL_REGION_DAMAGED;
        return;
    }
    size_t next = etl_search_buffer(b->raw, used, b->header.shape);
    if (next < b->raw.size) {
        b->raw = etl_span_first(b->raw, next);
        etl_expect(report(b, ETL_RULE_BUF_001, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), findings), ETL_RELATION_EQUAL,
                   next, b->header.buffer_size);
        return;
    }
    etl_expect(report(b, ETL_RULE_BUF_019, (uint32_t)used, findings), ETL_RELATION_AT_MOST, FLAG_WORD, b->raw.size - used);
}

/*
 * What became of the input, once the room has been filled as far as it goes. That of a buffer that is cut ends early for
 * no fault of its own: the finding that said so says what is lost.
 */
static void check_stream(const etl_trace *t, etl_buffer *b, etl_inflated inflated, uint32_t announced, etl_finding *cut,
                         etl_findings *findings)
{
    if (inflated.status == ETL_INFLATE_DONE) {
        check_surplus(t, b, findings);
        return;
    }
    const uint32_t used = ETL_BUFFER_SIZE_MIN + b->inflated_from;
    b->rest_kind = ETL_REGION_DAMAGED;
    if (cut) {
        cut->lost = b->raw.size - used;
        return;
    }
    etl_finding *finding = report(b, ETL_RULE_BUF_010, used, findings);
    if (inflated.status != ETL_INFLATE_OVERRUN) /* which yields all that was announced, and then more */
        etl_expect(finding, ETL_RELATION_EQUAL, announced, ETL_BUFFER_SIZE_MIN + inflated.produced);
    finding->action = ETL_ACTION_SKIP_BUFFER;
    finding->lost = b->raw.size - used;
}

/* An XPRESS stream with a fault, where plain events would make sense. */
static bool plain_after_all(const etl_buffer *b, etl_inflated inflated, uint32_t extent)
{
    bool fault = inflated.status != ETL_INFLATE_DONE && inflated.status != ETL_INFLATE_SHORT;
    return fault && extent <= b->raw.size && etl_event_plausible(b->raw, ETL_BUFFER_SIZE_MIN, extent);
}

static etl_inflated inflate_to(const etl_buffer *b, uint32_t extent, etl_room room)
{
    etl_room out = etl_room_part(room, ETL_BUFFER_SIZE_MIN, extent - ETL_BUFFER_SIZE_MIN);
    return etl_inflate(etl_span_from(b->raw, ETL_BUFFER_SIZE_MIN), out);
}

/* What the stream makes between Offset and a larger SavedOffset counts if an event starts there, as in a plain buffer. */
static bool goes_on(const etl_trace *t, const etl_buffer *b, etl_inflated *inflated, uint32_t extent, etl_room room)
{
    const uint32_t reach = reach_within_limits(t, &b->header, b->raw, extent);
    if (reach == extent)
        return false;
    const etl_inflated all = inflate_to(b, reach, room);
    const uint32_t size = (uint32_t)(ETL_BUFFER_SIZE_MIN + all.produced);
    if (!etl_event_plausible(etl_span_first(etl_room_span(room), size), etl_align8(extent), size))
        return false;
    *inflated = all;
    return true;
}

static void inflate(const etl_trace *t, etl_buffer *b, etl_finding *cut, uint32_t extent, etl_room room,
                    etl_findings *findings)
{
    etl_inflated inflated = inflate_to(b, extent, room);
    if (plain_after_all(b, inflated, extent)) {
        report(b, ETL_RULE_BUF_021, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
        open_plain(b, cut != NULL, findings);
        return;
    }
    bool longer = goes_on(t, b, &inflated, extent, room);
    copy_header(b->raw, room);
    b->data = etl_span_first(etl_room_span(room), ETL_BUFFER_SIZE_MIN + inflated.produced);
    b->reach = (uint32_t)b->data.size;
    b->extent = longer ? extent : b->reach;
    b->inflated_from = (uint32_t)inflated.consumed;
    check_stream(t, b, inflated, longer ? b->header.saved_offset : extent, cut, findings);
}

static void open_compressed(const etl_trace *t, etl_buffer *b, etl_finding *cut, etl_room room, etl_findings *findings)
{
    const uint32_t extent = stated_extent(&b->header, ETL_BUFFER_SIZE_MAX);
    const uint64_t limit = output_limit(t, b->raw.size - ETL_BUFFER_SIZE_MIN);
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
    } else if (extent == 0) {
        leave_compressed(b, report_offset(b, ETL_RULE_BUF_008, ETL_BUFFER_SIZE_MAX, findings));
    } else if (extent - ETL_BUFFER_SIZE_MIN > limit) {
        leave_compressed(b, report_limit(b, limit, extent - ETL_BUFFER_SIZE_MIN, findings));
    } else {
        if (t->compressed_buffers == 0 && t->logfile.compression_format != ETL_COMPRESSION_FORMAT_XPRESS)
            report(b, ETL_RULE_BUF_020, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), findings);
        inflate(t, b, cut, extent, room, findings);
    }
}

void etl_open(const etl_trace *trace, etl_span raw, etl_open_state state, etl_room room, etl_buffer *b,
              etl_findings *findings)
{
    etl_finding *cut = NULL;
    b->offset = trace->offset;
    b->raw = raw;
    b->context = trace->context;
    b->inflated_from = 0;
    b->at = ETL_BUFFER_SIZE_MIN;
    b->clean_from = UINT32_MAX;
    b->has_time = false;
    etl_buffer_header_read(raw, trace->shape, &b->header);
    if (state == ETL_OPEN_CUT) {
        cut = report(b, ETL_RULE_BUF_004, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), findings);
        etl_expect(cut, ETL_RELATION_AT_MOST, raw.size, b->header.buffer_size);
    }
    if (is_compressed(&b->header, raw, state))
        open_compressed(trace, b, cut, room, findings);
    else
        open_plain(b, cut != NULL, findings);
    check_offsets(b, findings);
    check_flag_and_type(b, findings);
    check_processor(trace, b, findings);
}
