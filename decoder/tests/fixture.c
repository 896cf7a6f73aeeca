/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_offsets(test_file *f, size_t start, uint32_t offset, uint32_t saved_offset)
{
    put_u32(&f->bytes, start + ETL_AT(WMI_BUFFER_HEADER_61, Offset), offset);
    put_u32(&f->bytes, start + ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), saved_offset);
}

void add_buffer(test_file *f, uint32_t size)
{
    test_bytes *b = &f->bytes;
    const size_t s = b->size;
    put_fill(b, s, size, 0xFF);
    put_fill(b, s, HEADER_BYTES, 0xA5); /* leftovers of the writer in members that are not set below */
    put_u32(b, s + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), size);
    put_u32(b, s + ETL_AT(WMI_BUFFER_HEADER_61, ReferenceCount), 0);
    put_u64(b, s + ETL_AT(WMI_BUFFER_HEADER_61, TimeStamp), 1000u + f->buffers);
    put_u64(b, s + ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber), f->buffers);
    put_u16(b, s + ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex), 3);
    put_u16(b, s + ETL_AT(WMI_BUFFER_HEADER_61, LoggerId), 7);
    put_u32(b, s + ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_BUFFER_STATE_Flush);
    put_u16(b, s + ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), ETL_BUFFER_FLAG_PROC_INDEX);
    put_u16(b, s + ETL_AT(WMI_BUFFER_HEADER_61, BufferType),
            f->buffers == 0 ? ETL_BUFFER_TYPE_HEADER : ETL_BUFFER_TYPE_GENERIC);
    f->start = s;
    f->at = s + HEADER_BYTES;
    f->buffers++;
    put_offsets(f, s, HEADER_BYTES, HEADER_BYTES);
    if (f->logfile != 0)
        put_u32(b, f->logfile + ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), f->buffers);
}

size_t add_event(test_file *f, uint8_t type, uint16_t size)
{
    const bool version_first = type == SYSTEM64 || type == PERFINFO64;
    const size_t at = f->at, end = f->start + ((at - f->start + size + 7u) & ~(size_t)7);
    put_fill(&f->bytes, at, size, 0x5A);
    put_fill(&f->bytes, at + size, end - at - size, 0xEE);
    put_u16(&f->bytes, at, version_first ? 2 : size);
    put_u8(&f->bytes, at + 2, type);
    put_u8(&f->bytes, at + 3, ETL_MARKER_EVENT_TRACE);
    put_u32(&f->bytes, at + 4, version_first ? UINT32_C(0x05240000) | size : 0);
    f->time += 10;
    put_u64(&f->bytes, at + (type == PERFINFO64 ? 8 : 0x10), (uint64_t)f->time);
    f->at = end;
    f->event[f->events++] = at;
    put_offsets(f, f->start, (uint32_t)(end - f->start), (uint32_t)(end - f->start));
    return at;
}

size_t add_logfile(test_file *f, uint32_t buffer_size)
{
    enum { NAMES = 4 + 4 };
    const size_t at =
        add_event(f, SYSTEM64, (uint16_t)(ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_SIZE(TRACE_LOGFILE_HEADER64) + NAMES));
    const size_t h = at + ETL_SIZE(SYSTEM_TRACE_HEADER);
    test_bytes *b = &f->bytes;
    put_u16(b, at + ETL_AT(SYSTEM_TRACE_HEADER, HookId), ETL_HOOK_WMI_LOG_TYPE_HEADER);
    put_fill(b, h, ETL_SIZE(TRACE_LOGFILE_HEADER64), 0);
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize), buffer_size);
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), 0x0501000A);
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), 4);
    put_u64(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime), UINT64_C(0x01D5000000000000));
    put_u64(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), UINT64_C(0x01D5000000001000));
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize), 8);
    put_u64(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, PerfFreq), 10000000);
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags), ETL_CLOCK_TYPE_PERFCOUNTER);
    put_u32(b, h + ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), f->buffers);
    put_text16(b, h + ETL_SIZE(TRACE_LOGFILE_HEADER64), "L");
    put_text16(b, h + ETL_SIZE(TRACE_LOGFILE_HEADER64) + 4, "F");
    if (f->logfile == 0)
        f->logfile = h;
    return at;
}

void add_header_buffer(test_file *f, uint32_t size)
{
    add_buffer(f, size);
    add_logfile(f, size);
}

size_t make_three_buffers(test_file *f, bool compressed)
{
    release(&f->bytes);
    *f = (test_file){0};
    add_header_buffer(f, THREE_SIZE);
    add_buffer(f, THREE_SIZE);
    const size_t middle = f->start;
    add_event(f, EVENT64, 0x50);
    add_event(f, FULL64, 0x58);
    add_event(f, SYSTEM64, 0x61);
    if (compressed)
        compress_buffer(f);
    add_buffer(f, THREE_SIZE);
    add_event(f, PERFINFO64, 0x30);
    return middle;
}

/* Flag words of 32 zeros, each with its literals; the last one has a 1 where the stream ends. */
void compress_buffer(test_file *f)
{
    const size_t size = f->at - f->start - HEADER_BYTES;
    test_bytes plain = {NULL, 0}, *b = &f->bytes;
    put_bytes(&plain, 0, b->at + f->start + HEADER_BYTES, size);
    take_out(b, f->start + HEADER_BYTES, b->size - f->start - HEADER_BYTES);
    for (size_t i = 0; i <= size; i += 32) {
        size_t n = size - i < 32 ? size - i : 32;
        put_u32(b, b->size, n < 32 ? UINT32_MAX >> n : 0);
        put_bytes(b, b->size, plain.at + i, n);
    }
    put_u32(b, f->start + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), (uint32_t)(b->size - f->start));
    put_u16(b, f->start + ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag),
            ETL_BUFFER_FLAG_PROC_INDEX | ETL_BUFFER_FLAG_COMPRESSED);
    uint32_t mode = (uint32_t)ETL_LOGGER_MODE_COMPRESSED_MODE;
    if (f->logfile != 0)
        put_u32(b, f->logfile + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), mode);
    release(&plain);
}

/* A decode in progress, and the state of its checks. */
typedef struct watch {
    run *r;
    etl_reader reader;
    uint64_t inflated; /* where the next event of an inflated buffer has to start */
    bool in_inflated;
    size_t inflated_size;
} watch;

static void promise(run *r, bool kept, const char *text)
{
    if (!kept && r->fault == NULL)
        r->fault = text;
}

static void note(run *r, uint64_t number)
{
    if (r->logged < RUN_LOG)
        r->log[r->logged++] = number;
    else
        r->fault = "the test's log is full";
}

/* True if the finding's numbers show a violation: `actual` does not have the relation to `expected`. */
static bool is_violation(const etl_finding *f)
{
    const char *id = etl_rule_get(f->rule)->id;
    bool is_signed = strncmp(id, "TIM", 3) == 0;
    bool less = is_signed ? (int64_t)f->actual < (int64_t)f->expected : f->actual < f->expected;
    switch (f->relation) {
    case ETL_RELATION_EQUAL: return f->actual != f->expected;
    case ETL_RELATION_NOT: return f->actual == f->expected;
    case ETL_RELATION_AT_LEAST: return less;
    case ETL_RELATION_AT_MOST: return !less && f->actual != f->expected;
    case ETL_RELATION_BITS_WITHIN: return (f->actual & ~f->expected) != 0;
    default: return true;
    }
}

/* True if a finding of this call states a loss; `*bytes` is the loss. */
static bool loss_is_told(const etl_findings *findings, uint64_t *bytes)
{
    bool told = false;
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_finding *f = &findings->at[i];
        if (etl_rule_get(f->rule)->severity >= ETL_SEVERITY_LIMIT) {
            told = true;
            *bytes = f->lost > *bytes ? f->lost : *bytes;
        }
    }
    return told;
}

static void take_findings(watch *w)
{
    const etl_findings *found = &w->reader.findings;
    promise(w->r, !found->overflow, "the list of findings overflowed");
    for (uint32_t i = 0; i < found->count; i++) {
        const etl_finding *f = &found->at[i];
        promise(w->r, is_violation(f), "a finding's numbers do not show a violation");
        promise(w->r, etl_rule_get(f->rule)->severity != ETL_SEVERITY_STRUCTURE,
                "a rule that cannot be violated was reported");
        promise(w->r, f->lost == 0 || etl_rule_get(f->rule)->severity >= ETL_SEVERITY_LIMIT, "bytes lost without an error");
        const uint64_t numbers[] = {f->rule,   f->action, f->relation, f->space,    f->offset,
                                    f->lost,   f->buffer, f->event,    f->expected, f->actual};
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            note(w->r, numbers[n]);
        if (w->r->findings < RUN_MOST)
            w->r->finding[w->r->findings] = *f;
        w->r->findings++;
    }
}

static void take_regions(watch *w, const etl_region *regions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const etl_region *g = &regions[i];
        etl_tiling_add(&w->r->tiling, g);
        promise(w->r, g->size != 0, "an empty region");
        note(w->r, g->kind);
        note(w->r, g->offset);
        note(w->r, g->size);
        if (g->space == ETL_SPACE_FILE)
            continue;
        promise(w->r, w->in_inflated && g->offset == w->inflated, "regions do not tile the inflated buffer");
        w->inflated += g->size;
    }
}

static void end_inflated(watch *w)
{
    promise(w->r, !w->in_inflated || w->inflated == w->inflated_size, "regions do not fill the inflated buffer");
    w->in_inflated = false;
}

static void take_buffer(watch *w)
{
    const etl_buffer *b = &w->reader.buffer;
    etl_region regions[ETL_BUFFER_REGIONS];
    uint64_t lost = 0;
    end_inflated(w);
    size_t count = etl_buffer_regions(b, regions);
    take_regions(w, regions, count);
    for (size_t i = 0; i < count; i++)
        promise(w->r, regions[i].kind != ETL_REGION_DAMAGED || loss_is_told(&w->reader.findings, &lost), "silent damage");
    w->in_inflated = b->compressed;
    w->inflated = HEADER_BYTES;
    w->inflated_size = b->data.size;
    note(w->r, b->extent);
    if (w->r->buffers < RUN_MOST)
        w->r->buffer[w->r->buffers] = *b;
    w->r->buffers++;
}

static void take_event(watch *w)
{
    const etl_event *e = &w->reader.event;
    etl_region regions[ETL_EVENT_REGIONS];
    uint64_t lost = 0;
    take_regions(w, regions, etl_event_regions(e, regions));
    promise(w->r, e->index == w->r->events, "event indexes do not count up");
    promise(w->r, e->buffer + 1 == w->r->buffers, "an event of another buffer");
    promise(w->r, e->header_size + e->items_size + e->data_size + e->lost_size == e->size,
            "parts of an event do not add up");
    promise(w->r, e->bytes.size == e->size, "an event has fewer bytes than its size");
    promise(w->r, e->lost_size == 0 || (loss_is_told(&w->reader.findings, &lost) && lost == e->lost_size), "silent loss");
    note(w->r, e->type);
    note(w->r, (uint64_t)e->time);
    if (w->r->events < RUN_MOST)
        w->r->event[w->r->events] = *e;
    w->r->events++;
}

/*
 * True if the slack hides no event: none starts before SavedOffset, nor after it unless SavedOffset equals Offset or an
 * end marker comes first. An event counts if it is plausible both up to SavedOffset and up to the end.
 */
static bool is_unused(const etl_buffer *b, const etl_region *slack)
{
    const uint32_t from = (uint32_t)(slack->offset - (b->space == ETL_SPACE_FILE ? b->offset : 0));
    const uint32_t end = (uint32_t)b->data.size, saved = b->header.saved_offset, used = saved <= end ? saved : 0;
    const uint8_t *first = b->data.at + from;
    bool marker = end - from < 4 || (first[0] == first[1] && first[1] == first[2] && first[2] == first[3] &&
                                     (first[0] == 0 || first[0] == 0xFF));
    const uint32_t to = saved == b->header.offset || marker ? used : end;
    for (uint32_t at = (from + 7) / 8 * 8; at < to; at += 8)
        if (etl_event_plausible(b->data, at, to) && etl_event_plausible(b->data, at, end))
            return false;
    return true;
}

static void take_gap(watch *w)
{
    const etl_region *g = &w->reader.gap;
    uint64_t lost = 0;
    take_regions(w, g, 1);
    if (g->kind == ETL_REGION_DAMAGED)
        promise(w->r, loss_is_told(&w->reader.findings, &lost) && lost == g->size, "silent damage");
    if (g->kind == ETL_REGION_SLACK)
        promise(w->r, is_unused(&w->reader.buffer, g), "an event in the slack");
    if (w->r->gaps < RUN_MOST)
        w->r->gap[w->r->gaps] = *g;
    w->r->gaps++;
}

/* A new window in new memory, so that AddressSanitizer detects a read past it, or of the old window. */
static test_bytes next_window(const watch *w, etl_span file, size_t growth, bool late, bool *last)
{
    size_t from = (size_t)w->reader.trace.offset, rest = file.size - from, size = w->reader.trace.want;
    if (growth == 0)
        size = late ? file.size + 1 : file.size;
    else
        size = (size + growth - 1) / growth * growth;
    *last = late ? size > rest : size >= rest;
    test_bytes window = {NULL, 0};
    if (rest != 0)
        put_bytes(&window, 0, file.at + from, size < rest ? size : rest);
    return window;
}

/* Feeds the next window in new memory. */
static void feed(watch *w, etl_span file, size_t growth, bool late, test_bytes *window)
{
    bool last;
    test_bytes next = next_window(w, file, growth, late, &last);
    release(window);
    *window = next;
    etl_reader_feed(&w->reader, span_of(window), last);
    promise(w->r, w->reader.findings.count == 0, "findings with ETL_MORE");
}

static void lend(watch *w, test_bytes *scratch)
{
    run *r = w->r;
    const size_t want = w->reader.trace.want;
    release(scratch);
    put_fill(scratch, 0, want, 0xC3);
    etl_reader_lend(&w->reader, (etl_scratch){scratch->at, scratch->size});
    promise(r, w->reader.findings.count == 0, "findings with ETL_SCRATCH");
    r->scratch_count++;
    r->scratch_size = want > r->scratch_size ? want : r->scratch_size;
}

void run_windows(run *r, etl_span file, size_t growth, bool late, etl_limits limits)
{
    static watch w;
    test_bytes window = {NULL, 0}, scratch = {NULL, 0};
    memset(r, 0, sizeof *r);
    w = (watch){.r = r};
    etl_reader_init(&w.reader, limits);
    for (size_t calls = 0;; calls++) {
        promise(r, calls <= 3 * file.size + 16, "no end");
        etl_outcome outcome = etl_reader_next(&w.reader);
        if (outcome != ETL_MORE && outcome != ETL_SCRATCH)
            note(r, outcome);
        take_findings(&w);
        if (outcome == ETL_BUFFER)
            take_buffer(&w);
        else if (outcome == ETL_EVENT)
            take_event(&w);
        else if (outcome == ETL_GAP)
            take_gap(&w);
        else if (outcome == ETL_MORE)
            feed(&w, file, growth, late, &window);
        else if (outcome == ETL_SCRATCH)
            lend(&w, &scratch);
        else
            break;
        w.reader.findings.count = 0;
        if (r->fault != NULL && strcmp(r->fault, "no end") == 0)
            break;
    }
    w.reader.findings.count = 0;
    promise(r, etl_reader_next(&w.reader) == ETL_END && w.reader.findings.count == 0, "an outcome after ETL_END");
    end_inflated(&w);
    promise(r, !r->tiling.broken && r->tiling.next == file.size, "regions do not tile the file");
    r->logfile = w.reader.trace.logfile;
    r->context = w.reader.trace.context;
    release(&window);
    release(&scratch);
}

void run_file(run *r, etl_span file)
{
    run_windows(r, file, 0, false, ETL_LIMITS_DEFAULT);
}

const etl_finding *find_rule(const run *r, etl_rule rule)
{
    for (size_t i = 0; i < r->findings && i < RUN_MOST; i++)
        if (r->finding[i].rule == rule)
            return &r->finding[i];
    return NULL;
}

size_t count_rule(const run *r, etl_rule rule)
{
    size_t n = 0;
    for (size_t i = 0; i < r->findings && i < RUN_MOST; i++)
        n += r->finding[i].rule == rule;
    return n;
}

size_t count_severe(const run *r, etl_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < r->findings && i < RUN_MOST; i++)
        n += etl_rule_get(r->finding[i].rule)->severity >= severity;
    return n;
}

bool has_event(const run *r, size_t offset)
{
    for (size_t i = 0; i < r->events && i < RUN_MOST; i++)
        if (r->event[i].space == ETL_SPACE_FILE && r->event[i].offset == offset)
            return true;
    return false;
}

void print_findings(const run *r)
{
    for (size_t i = 0; i < r->findings && i < RUN_MOST; i++) {
        const etl_finding *f = &r->finding[i];
        printf("  %s at 0x%" PRIx64 ", %" PRIu64 " lost, expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n",
               etl_rule_get(f->rule)->id, f->offset, f->lost, f->expected, f->actual);
    }
}
