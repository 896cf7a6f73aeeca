/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a file into its buffers, in order, and the gaps between them. The caller passes windows of the file (reader.c);
 * stored_size.c measures each buffer, stream.c inflates it, open.c fills it.
 */
#include "etlproof/trace.h"

#include "open.h"
#include "plausible.h"
#include "report.h"
#include "search.h"
#include "span.h"
#include "stored_size.h"

/*@ predicate apart{L}(etl_trace *t, etl_span window, etl_findings *findings) =
      \valid(t) && etl_readable(window) && etl_list(findings) && \separated(t, findings) &&
      \separated(t, window.at + (0 .. window.size - 1)) && \separated(findings, window.at + (0 .. window.size - 1));

    predicate placed{L}(etl_trace *t, integer size) =
      t->offset + size <= INT64_MAX && t->searched <= t->offset + ETL_BUFFER_SIZE_MAX; */

void etl_trace_init(etl_trace *trace, etl_limits limits)
{
    *trace = (etl_trace){.limits = limits, .shape = ETL_BUFFER_SHAPE_61};
}

/*@ requires \valid(t);
  @ assigns t->want;
  @ ensures \result == ETL_MORE; */
static etl_outcome more(etl_trace *t, size_t want)
{
    t->want = want;
    return ETL_MORE;
}

/* The header buffer has the size that the logfile header states, except in a merged or compressed file. */
/*@ requires apart(t, raw, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_header_size(const etl_trace *t, etl_span raw, etl_findings *findings)
{
    const uint32_t modes = ETL_LOGGER_MODE_RELOG_MODE | ETL_LOGGER_MODE_COMPRESSED_MODE;
    uint32_t size = etl_load_u32(raw, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    if (t->logfile.known && !(t->logfile.log_file_mode & modes) && size != t->logfile.buffer_size) {
        etl_finding *finding = etl_report(findings, ETL_RULE_LFH_008, ETL_SPACE_FILE, t->offset);
        etl_expect(finding, ETL_RELATION_EQUAL, t->logfile.buffer_size, size);
        finding->buffer = t->buffers;
    }
}

/*@ requires apart(t, raw, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void compare_logfile(const etl_trace *t, etl_span raw, etl_findings *findings)
{
    const uint32_t before = findings->count;
    etl_logfile_compare(raw, ETL_BUFFER_SIZE_MIN, t->offset, &t->logfile.clock, findings);
    if (findings->count > before)
        findings->at[before].buffer = t->buffers;
}

/* The first logfile header counts for the whole file. It should be in the first buffer. */
/*@ requires apart(t, raw, findings);
  @ assigns t->logfile, t->context, t->shape, *findings;
  @ ensures etl_list(findings); */
static void read_logfile(etl_trace *t, etl_span raw, etl_findings *findings)
{
    if (t->logfile.known) {
        compare_logfile(t, raw, findings);
        return;
    }
    if (t->buffers > 0 && !etl_logfile_here(raw, ETL_BUFFER_SIZE_MIN))
        return;
    etl_logfile_read(raw, ETL_BUFFER_SIZE_MIN, t->offset, &t->logfile, findings);
    t->context = etl_logfile_context(&t->logfile);
    t->shape = etl_logfile_shape(&t->logfile);
    check_header_size(t, raw, findings);
}

/* BufferSize may not be the size of the buffer. */
/*@ requires \valid_read(t) && \valid_read(stored) && \valid_read(stream) && etl_list(findings);
  @ requires \separated(t, findings) && \separated(stored, findings) && \separated(stream, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void check_size(const etl_trace *t, const etl_stored_size *stored, const etl_stream *stream, etl_findings *findings)
{
    if (!stored->mended && !stream->ends_at_next)
        return;
    etl_rule rule = stored->in_range ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002;
    etl_finding *finding = etl_report(findings, rule, ETL_SPACE_FILE, t->offset);
    etl_expect(finding, ETL_RELATION_EQUAL, stream->raw.size, stored->header.buffer_size);
    finding->buffer = t->buffers;
}

/* No buffer starts here: begins the search for the next one. */
/*@ requires \valid(t) && \valid_read(stored) && \separated(t, stored);
  @ assigns t->cause, t->searching, t->blank, t->gap_offset; */
static void begin_search(etl_trace *t, const etl_stored_size *stored)
{
    const uint32_t size = stored->header.buffer_size;
    t->cause = (etl_finding){.rule = stored->in_range ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002, .relation = ETL_RELATION_NONE};
    if (size < ETL_BUFFER_SIZE_MIN)
        etl_expect(&t->cause, ETL_RELATION_AT_LEAST, ETL_BUFFER_SIZE_MIN, size);
    else if (!stored->in_range)
        etl_expect(&t->cause, ETL_RELATION_AT_MOST, ETL_BUFFER_SIZE_MAX, size);
    t->searching = true;
    t->blank = true;
    t->gap_offset = t->offset;
}

/*@ requires \valid_read(tail) && etl_list(findings) && \separated(tail, findings);
  @ assigns *findings;
  @ ensures etl_list(findings); */
static void report_tail(const etl_region *tail, etl_findings *findings)
{
    etl_finding *finding = etl_report(findings, ETL_RULE_BUF_003, ETL_SPACE_FILE, tail->offset);
    etl_expect(finding, ETL_RELATION_EQUAL, 0, tail->size);
    finding->action = ETL_ACTION_STOP;
}

/*@ requires \valid(t) && \valid(gap) && etl_list(findings) && \separated(t, gap, findings);
  @ assigns *gap, t->searching, *findings;
  @ ensures etl_list(findings) && \result == ETL_GAP; */
static etl_outcome end_gap(etl_trace *t, bool found, etl_region *gap, etl_findings *findings)
{
    gap->kind = found || !t->blank ? ETL_REGION_DAMAGED : ETL_REGION_TAIL;
    gap->space = ETL_SPACE_FILE;
    gap->offset = t->gap_offset;
    gap->size = t->offset - t->gap_offset;
    t->searching = false;
    if (gap->kind == ETL_REGION_TAIL) {
        report_tail(gap, findings);
        return ETL_GAP;
    }
    etl_finding *finding = etl_report(findings, t->cause.rule, ETL_SPACE_FILE, t->gap_offset);
    etl_expect(finding, t->cause.relation, t->cause.expected, t->cause.actual);
    finding->action = found ? ETL_ACTION_RESYNC : ETL_ACTION_STOP;
    finding->lost = gap->size;
    return ETL_GAP;
}

/*@ requires \valid(t) && etl_readable(window) && \separated(t, window.at + (0 .. window.size - 1));
  @ requires size <= window.size && placed(t, window.size);
  @ assigns t->blank, t->offset;
  @ ensures t->offset == \old(t->offset) + size && t->searched == \old(t->searched); */
static void pass(etl_trace *t, etl_span window, size_t size)
{
    t->blank = t->blank && etl_span_run(etl_span_first(window, size), 0) == size;
    t->offset += size;
}

/* Looks at every byte, since buffers of compressed files start anywhere; except at the first, where no buffer starts. */
/*@ requires apart(t, window, findings) && placed(t, window.size);
  @ requires \valid(gap) && \separated(t, gap, findings) && \separated(gap, window.at + (0 .. window.size - 1));
  @ assigns t->blank, t->offset, t->want, t->searching, *gap, *findings;
  @ ensures etl_list(findings);
  @ ensures \result != ETL_BUFFER;
  @ ensures placed(t, 0); */
static etl_outcome search(etl_trace *t, etl_span window, bool last, etl_region *gap, etl_findings *findings)
{
    size_t from = t->offset == t->gap_offset ? 1 : 0;
    size_t whole = window.size < ETL_BUFFER_LOOK ? 0 : window.size - ETL_BUFFER_LOOK + 1;
    size_t end = last ? window.size : whole;
    if (end <= from && !last)
        return more(t, from + ETL_BUFFER_LOOK);
    size_t at = etl_search_buffer(window, from, t->shape);
    bool found = at < end;
    pass(t, window, found ? at : end);
    return found || last ? end_gap(t, found, gap, findings) : more(t, ETL_BUFFER_LOOK);
}

/*@ requires apart(t, window, findings) && placed(t, window.size) && \valid(gap) && \separated(t, gap, findings);
  @ assigns t->offset, *gap, *findings;
  @ ensures etl_list(findings) && placed(t, 0) && \result != ETL_BUFFER; */
static etl_outcome tail(etl_trace *t, etl_span window, etl_region *gap, etl_findings *findings)
{
    gap->kind = ETL_REGION_TAIL;
    gap->space = ETL_SPACE_FILE;
    gap->offset = t->offset;
    gap->size = window.size;
    report_tail(gap, findings);
    t->offset += window.size;
    return ETL_GAP;
}

/* The logfile header of a closed trace counts its buffers; a circular trace may have written more than it kept. */
/*@ requires \valid(t) && etl_list(findings) && \separated(t, findings);
  @ assigns t->ended, *findings;
  @ ensures etl_list(findings) && \result == ETL_END; */
static etl_outcome finish(etl_trace *t, etl_findings *findings)
{
    const etl_logfile *l = &t->logfile;
    t->ended = true;
    if (!l->known || l->end_time == 0 || t->buffers == l->buffers_written)
        return ETL_END;
    bool circular = (l->log_file_mode & ETL_LOGGER_MODE_FILE_MODE_CIRCULAR) != 0;
    etl_rule rule = t->buffers < l->buffers_written && !circular ? ETL_RULE_BUF_018 : ETL_RULE_BUF_014;
    etl_expect(etl_report(findings, rule, ETL_SPACE_FILE, t->offset),
               rule == ETL_RULE_BUF_018 ? ETL_RELATION_AT_LEAST : ETL_RELATION_EQUAL, l->buffers_written, t->buffers);
    return ETL_END;
}

/* Fills the buffer, after the logfile header that may be in it is read. */
/*@ requires apart(t, stream->raw, findings) && \valid_read(stored) && \valid_read(stream) && \valid(buffer);
  @ requires etl_stream_begun(stream) && etl_stream_filled(stream, scratch) && \separated(t, buffer, findings, stored);
  @ requires \separated(stream, t) && \separated(stream, buffer) && \separated(stream, findings) &&
  @          \separated(buffer, stream->raw.at + (0 .. stream->raw.size - 1)) &&
  @          \separated(t, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(buffer, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1));
  @ assigns t->logfile, t->context, t->shape, *buffer, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_list(findings);
  @ ensures etl_opened(buffer);
  @ ensures t->offset == \old(t->offset) && t->searched == \old(t->searched); */
static void fill(etl_trace *t, const etl_stored_size *stored, const etl_stream *stream, etl_scratch scratch,
                 etl_buffer *buffer, etl_findings *findings)
{
    read_logfile(t, stream->raw, findings);
    check_size(t, stored, stream, findings);
    buffer->index = t->buffers;
    etl_open(t, stream, scratch, buffer, findings);
    if (!buffer->compressed)
        buffer->clean_from = stored->clean_from;
}

/*@ requires \valid(t) && \valid_read(buffer) && \separated(t, buffer) && placed(t, size);
  @ assigns t->buffers, t->compressed_buffers, t->expansion, t->offset;
  @ ensures placed(t, 0); */
static void count(etl_trace *t, const etl_buffer *buffer, size_t size)
{
    t->buffers++;
    t->compressed_buffers += buffer->compressed;
    etl_stream_count(&t->expansion, buffer);
    t->offset += size;
}

/*@ requires apart(t, window, findings) && placed(t, window.size) && \valid_read(stored) && etl_writable(scratch);
  @ requires ETL_BUFFER_SIZE_MIN <= stored->raw.size <= ETL_BUFFER_SIZE_MAX && stored->raw.size <= window.size &&
  @          stored->raw.at == window.at;
  @ requires \valid(buffer) && \separated(t, buffer, findings, stored);
  @ requires \separated(buffer, window.at + (0 .. window.size - 1)) &&
  @          \separated(window.at + (0 .. window.size - 1), scratch.at + (0 .. scratch.size - 1));
  @ requires \separated(t, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(buffer, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(findings, scratch.at + (0 .. scratch.size - 1)) &&
  @          \separated(stored, scratch.at + (0 .. scratch.size - 1));
  @ assigns *t, *buffer, *findings, scratch.at[0 .. scratch.size - 1];
  @ ensures etl_list(findings);
  @ ensures placed(t, 0);
  @ ensures \result == ETL_BUFFER ==> etl_opened(buffer); */
static etl_outcome open_buffer(etl_trace *t, etl_span window, const etl_stored_size *stored, etl_scratch scratch,
                               etl_buffer *buffer, etl_findings *findings)
{
    etl_stream stream = {.raw = stored->raw, .header = stored->header, .end = stored->end};
    t->want = etl_stream_inflate(t, window, scratch, &stream);
    if (t->want != 0)
        return ETL_SCRATCH;
    const size_t size = stream.raw.size;
    fill(t, stored, &stream, scratch, buffer, findings);
    count(t, buffer, size);
    return ETL_BUFFER;
}

etl_outcome etl_trace_next(etl_trace *t, etl_span window, bool last, etl_scratch scratch, etl_buffer *buffer,
                           etl_region *gap, etl_findings *findings)
{
    if (t->ended)
        return ETL_END;
    if (t->searching)
        return search(t, window, last, gap, findings);
    if (!last && window.size < ETL_BUFFER_LOOK)
        return more(t, ETL_BUFFER_LOOK);
    if (window.size == 0)
        return finish(t, findings);
    if (window.size < ETL_BUFFER_SIZE_MIN)
        return tail(t, window, gap, findings);
    const etl_stored_size stored = etl_stored_size_measure(t, window, last, scratch);
    if (stored.want != 0)
        return more(t, stored.want);
    if (stored.want_scratch != 0) {
        t->want = stored.want_scratch;
        return ETL_SCRATCH;
    }
    if (stored.found)
        return open_buffer(t, window, &stored, scratch, buffer, findings);
    begin_search(t, &stored);
    return search(t, window, last, gap, findings);
}
