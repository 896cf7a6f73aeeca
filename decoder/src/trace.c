/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File to buffers: where each buffer starts and ends, and what lies between them.
 */
#include "etlproof/trace.h"

#include "etlproof/inflate.h"
#include "frame.h"
#include "open.h"
#include "report.h"
#include "scratch.h"
#include "search.h"
#include "span.h"

/* Where the current buffer ends, and how that was told. */
typedef struct extent_of_buffer {
    bool found;
    bool cut;       /* the file ends before the buffer does */
    bool mended;    /* the end is not where BufferSize says */
    bool common;    /* it is where the common size of uncompressed buffers says */
    bool doubtful;  /* of a compressed buffer, whose stream alone can tell whether it ends there */
    uint32_t size;  /* bytes of the buffer in the window */
    size_t want;    /* not 0: it takes a window of that many bytes to tell */
} extent_of_buffer;

/* Ends of a compressed buffer that are tried. */
enum { STREAM_TRIES = 5 };

/* The window in which the largest buffer and the one behind it can be told. */
#define FAR_LOOK ((size_t)ETL_BUFFER_SIZE_MAX + ETL_BUFFER_LOOK)

void etl_trace_init(etl_trace *trace, etl_limits limits)
{
    *trace = (etl_trace){.limits = limits, .shape = ETL_BUFFER_SHAPE_61};
}

static etl_outcome more(etl_trace *t, size_t want)
{
    t->want = want;
    return ETL_MORE;
}

static bool is_size(uint32_t size)
{
    return size >= ETL_BUFFER_SIZE_MIN && size <= ETL_BUFFER_SIZE_MAX;
}

/* After `size` bytes of the window the file ends, or another buffer starts. */
static bool leads_on(const etl_trace *t, etl_span window, uint32_t size)
{
    return window.size == size || (window.size > size && etl_buffer_plausible(etl_span_from(window, size), t->shape));
}

/*
 * After `size` bytes of the window a header says how long a buffer is and where its events end. What else it says may be
 * unheard of: only a search, which has nothing but the bytes to go by, asks for more.
 */
static bool leads_on_roughly(const etl_trace *t, etl_span window, uint32_t size, uint32_t stride)
{
    const etl_span next = etl_span_from(window, size);
    const uint32_t most = stride != 0 ? stride : ETL_BUFFER_SIZE_MAX;
    etl_buffer_header h;
    etl_buffer_header_read(next, t->shape, &h);
    bool compressed = (h.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
    return next.size >= ETL_BUFFER_SIZE_MIN && is_size(h.buffer_size) && h.buffer_size <= most &&
           etl_open_reach(&h, compressed ? most : h.buffer_size) != 0;
}

/* After `size` bytes of the window come bytes that were never written. */
static bool leads_to_blank(etl_span window, uint32_t size)
{
    etl_span next = etl_span_part(window, size, ETL_BUFFER_SIZE_MIN);
    return next.size > 0 && etl_span_run(next, 0) == next.size;
}

/*
 * BufferSize leads nowhere. All buffers of an uncompressed file have the size that the logfile header says: if that leads
 * to another buffer, or to one that says so too, or to the end of the file with something other than zeros before it, it is
 * the right one.
 */
static bool stride_fits(const etl_trace *t, etl_span window, uint32_t stride)
{
    if (window.size > stride)
        return leads_on(t, window, stride) || etl_load_u32(etl_span_from(window, stride), 0) == stride;
    return window.size == stride && etl_span_run(window, 0) < stride;
}

/*
 * Where a buffer may start that follows unused room from `reach` to `ones`. Three of the 0xFF bytes at most may be its own:
 * BufferSize starts with its lowest byte, and the highest is 0 or 1.
 */
static uint32_t start_behind(uint32_t reach, uint32_t ones)
{
    return ones - reach < 3 ? reach : ones - 3;
}

/*
 * In an uncompressed buffer the bytes after the last event are 0xFF. If they are not, and a buffer starts among them,
 * BufferSize is too large. `*clean` is where the 0xFF bytes start, the size if they do not reach the end.
 */
static uint32_t size_before_next(const etl_trace *t, etl_span window, uint32_t size, uint32_t *clean)
{
    etl_buffer_header h;
    etl_buffer_header_read(window, t->shape, &h);
    uint32_t reach = etl_open_reach(&h, size);
    *clean = size;
    if (h.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED || reach == 0)
        return size;
    uint32_t ones = reach + (uint32_t)etl_span_run(etl_span_part(window, reach, size - reach), UINT8_MAX);
    if (ones == size) {
        *clean = reach;
        return size;
    }
    const etl_span look = etl_span_first(window, (size_t)size + ETL_BUFFER_LOOK - 1);
    size_t next = etl_search_buffer(look, start_behind(reach, ones), t->shape);
    return next < size ? (uint32_t)next : size;
}

/* Offset of TRACE_LOGFILE_HEADER.BufferSize in a header buffer. */
#define COMMON_SIZE_AT \
    (ETL_SIZE(WMI_BUFFER_HEADER_61) + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize))

/* The size of all buffers of an uncompressed file, 0 if not known; the logfile header may be in the buffer measured. */
static uint32_t common_size(const etl_trace *t, etl_span window)
{
    uint32_t size = t->logfile.buffer_size;
    if (!t->logfile.known && etl_logfile_here(window, ETL_BUFFER_SIZE_MIN))
        size = etl_load_u32(window, COMMON_SIZE_AT);
    return is_size(size) ? size : 0;
}

/* How far it takes to look before a buffer can be measured. */
static size_t look(const etl_trace *t)
{
    return t->logfile.known ? ETL_BUFFER_LOOK : COMMON_SIZE_AT + sizeof(uint32_t);
}

static extent_of_buffer of_size(etl_span window, uint32_t size)
{
    bool cut = window.size < size;
    return (extent_of_buffer){.found = true, .cut = cut, .size = cut ? (uint32_t)window.size : size};
}

/* The bytes up to the next plausible buffer from `from` on, or to the end of the file; 0 if no buffer can be as long. */
static uint32_t size_to_next(const etl_trace *t, etl_span window, uint32_t from)
{
    size_t next = etl_search_buffer(etl_span_first(window, FAR_LOOK), from, t->shape);
    return next <= ETL_BUFFER_SIZE_MAX ? (uint32_t)next : 0;
}

/* BufferSize is none. Where the buffer is found to end sooner after all, what was searched need not be searched again. */
static extent_of_buffer up_to_next(etl_trace *t, etl_span window)
{
    const uint64_t from = t->offset + ETL_BUFFER_SIZE_MIN;
    const uint32_t size = size_to_next(t, window, (uint32_t)((from < t->searched ? t->searched : from) - t->offset));
    t->searched = t->offset + size;
    return (extent_of_buffer){.found = size != 0, .mended = true, .size = size};
}

/* A compressed buffer whose BufferSize leads nowhere. */
static extent_of_buffer measure_compressed(etl_trace *t, etl_span window, uint32_t size)
{
    extent_of_buffer e = is_size(size) ? of_size(window, size) : up_to_next(t, window);
    e.doubtful = e.found && !e.cut;
    return e;
}

/*
 * An uncompressed buffer whose BufferSize leads nowhere. It is believed if the events end before, unless unused room goes
 * on to another buffer. If they do not, the buffer ends with its unused room, whatever comes then.
 */
static extent_of_buffer measure_plain(etl_trace *t, etl_span window, const etl_buffer_header *h)
{
    const bool believed = is_size(h->buffer_size) && etl_open_reach(h, h->buffer_size) != 0;
    const uint32_t reach = etl_open_reach(h, believed ? h->buffer_size : ETL_BUFFER_SIZE_MAX);
    if (reach == 0 || reach > window.size)
        return believed ? of_size(window, h->buffer_size) : up_to_next(t, window);
    const size_t most = ETL_BUFFER_SIZE_MAX - reach;
    const uint32_t ones = reach + (uint32_t)etl_span_run(etl_span_part(window, reach, most), UINT8_MAX);
    const etl_span look = etl_span_first(window, (size_t)ones + ETL_BUFFER_LOOK);
    size_t next = etl_search_buffer(look, start_behind(reach, ones), t->shape);
    const bool found = next < look.size && next <= ones;
    extent_of_buffer e = of_size(window, found ? (uint32_t)next : believed ? h->buffer_size : ones);
    e.mended = found || !believed;
    return e;
}

/* The size of a buffer whose BufferSize leads nowhere, if its other members are sound, or it is the last before zeros. */
static extent_of_buffer measure_alone(etl_trace *t, etl_span window, bool last)
{
    const bool here = etl_logfile_here(window, ETL_BUFFER_SIZE_MIN);
    etl_buffer_header h;
    etl_buffer_header_read(window, t->shape, &h);
    if (!here && !etl_buffer_agrees(window, t->shape)) {
        bool blank = is_size(h.buffer_size) && leads_to_blank(window, h.buffer_size);
        return blank ? of_size(window, h.buffer_size) : (extent_of_buffer){.found = false};
    }
    if (!last && window.size < FAR_LOOK)
        return (extent_of_buffer){.want = FAR_LOOK};
    if (!here && h.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED)
        return measure_compressed(t, window, h.buffer_size);
    return measure_plain(t, window, &h);
}

/* BufferSize is believed if it is the common one, or leads on; else the common one is tried, which leads on as a rule. */
static extent_of_buffer measure(etl_trace *t, etl_span window, bool last)
{
    uint32_t size = etl_load_u32(window, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    uint32_t stride = common_size(t, window);
    extent_of_buffer e = {0};
    if (is_size(size) && !last && window.size < size + ETL_BUFFER_LOOK) {
        e.want = size + ETL_BUFFER_LOOK;
        return e;
    }
    if (is_size(size) && (size == stride || leads_on(t, window, size)))
        return of_size(window, size);
    if (stride != 0 && stride != size) {
        if (!last && window.size < stride + ETL_BUFFER_LOOK) {
            e.want = stride + ETL_BUFFER_LOOK;
            return e;
        }
        if (stride_fits(t, window, stride)) {
            e = of_size(window, stride);
            e.mended = e.common = true;
            return e;
        }
    }
    if (is_size(size) && leads_on_roughly(t, window, size, stride))
        return of_size(window, size);
    return measure_alone(t, window, last);
}

/* A merged or compressed file has a header buffer that is shorter than the others. */
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

/* The first logfile header that there is holds for the file; it should be in the first buffer. */
static void read_logfile(etl_trace *t, etl_span raw, etl_findings *findings)
{
    bool here = etl_logfile_here(raw, ETL_BUFFER_SIZE_MIN);
    if (t->logfile.known) {
        if (here)
            etl_report(findings, ETL_RULE_LFH_011, ETL_SPACE_FILE, t->offset + ETL_BUFFER_SIZE_MIN)->buffer = t->buffers;
        return;
    }
    if (!here && t->buffers > 0)
        return;
    etl_logfile_read(raw, ETL_BUFFER_SIZE_MIN, t->offset, &t->logfile, findings);
    t->context = etl_logfile_context(&t->logfile);
    t->shape = etl_logfile_shape(&t->logfile);
    check_header_size(t, raw, findings);
}

static void report_mended(const etl_trace *t, etl_span window, uint32_t size, etl_findings *findings)
{
    uint32_t stated = etl_load_u32(window, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    etl_rule rule = is_size(stated) ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002;
    etl_finding *finding = etl_report(findings, rule, ETL_SPACE_FILE, t->offset);
    etl_expect(finding, ETL_RELATION_EQUAL, size, stated);
    finding->buffer = t->buffers;
}

/* From here on nothing can be read: the search for the next buffer begins. */
static void begin_search(etl_trace *t, etl_span window)
{
    uint32_t size = etl_load_u32(window, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    etl_findings cause = {.count = 0};
    etl_finding *finding =
        etl_report(&cause, is_size(size) ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002, ETL_SPACE_FILE, t->offset);
    if (size < ETL_BUFFER_SIZE_MIN)
        etl_expect(finding, ETL_RELATION_AT_LEAST, ETL_BUFFER_SIZE_MIN, size);
    else if (!is_size(size))
        etl_expect(finding, ETL_RELATION_AT_MOST, ETL_BUFFER_SIZE_MAX, size);
    t->cause = *finding;
    t->searching = true;
    t->blank = true;
    t->gap_offset = t->offset;
}

static etl_outcome end_gap(etl_trace *t, bool found, etl_region *gap, etl_findings *findings)
{
    gap->kind = found || !t->blank ? ETL_REGION_DAMAGED : ETL_REGION_TAIL;
    gap->space = ETL_SPACE_FILE;
    gap->offset = t->gap_offset;
    gap->size = t->offset - t->gap_offset;
    t->searching = false;
    if (gap->kind == ETL_REGION_TAIL)
        t->cause.rule = ETL_RULE_BUF_003;
    etl_finding *finding = etl_report(findings, t->cause.rule, ETL_SPACE_FILE, t->gap_offset);
    etl_expect(finding, t->cause.relation, t->cause.expected, t->cause.actual);
    finding->action = found ? ETL_ACTION_RESYNC : ETL_ACTION_STOP;
    finding->lost = gap->kind == ETL_REGION_DAMAGED ? gap->size : 0;
    return ETL_GAP;
}

static void pass(etl_trace *t, etl_span window, size_t size)
{
    t->blank = t->blank && etl_span_run(etl_span_first(window, size), 0) == size;
    t->offset += size;
}

/* Looks at every byte: buffers of compressed files start anywhere. The place where the search began is known to be none. */
static etl_outcome search(etl_trace *t, etl_span window, bool last, etl_region *gap, etl_findings *findings)
{
    size_t from = t->offset == t->gap_offset ? 1 : 0;
    size_t whole = window.size < ETL_BUFFER_LOOK ? 0 : window.size - ETL_BUFFER_LOOK + 1;
    size_t end = last ? window.size : whole;
    if (end <= from && !last)
        return more(t, from + ETL_BUFFER_LOOK);
    size_t at = etl_search_buffer(window, from, t->shape);
    if (at < end) {
        pass(t, window, at);
        return end_gap(t, true, gap, findings);
    }
    pass(t, window, end);
    return last ? end_gap(t, false, gap, findings) : more(t, ETL_BUFFER_LOOK);
}

static etl_outcome tail(etl_trace *t, etl_span window, etl_region *gap, etl_findings *findings)
{
    etl_finding *finding = etl_report(findings, ETL_RULE_BUF_003, ETL_SPACE_FILE, t->offset);
    etl_expect(finding, ETL_RELATION_EQUAL, 0, window.size);
    finding->action = ETL_ACTION_STOP;
    gap->kind = ETL_REGION_TAIL;
    gap->space = ETL_SPACE_FILE;
    gap->offset = t->offset;
    gap->size = window.size;
    t->offset += window.size;
    return ETL_GAP;
}

/* A trace that was closed knows how many buffers it has; a circular one may have written more than it kept. */
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

/*
 * Where a buffer ends whose stream ends at `end`, before `next`: of what stands between, a flag word may be its own. All of
 * it is if so little input would not be let inflate so far: a row of such buffers would cost its size squared.
 */
static uint32_t end_of_stream(const etl_trace *t, etl_span window, uint32_t end, uint32_t next)
{
    const uint32_t whole = etl_open_room(t, etl_span_first(window, next), ETL_OPEN_WHOLE);
    if (next - end <= ETL_OPEN_FLAG_WORD || etl_open_room(t, etl_span_first(window, end), ETL_OPEN_WHOLE) < whole)
        return next;
    return leads_on_roughly(t, window, end + ETL_OPEN_FLAG_WORD, common_size(t, window)) ? end + ETL_OPEN_FLAG_WORD : end;
}

/* What becomes of the stream of a buffer that announces `wanted` bytes; 0 if that is more than the limits allow. */
static etl_inflated try_stream(etl_span raw, uint32_t wanted, etl_scratch room)
{
    if (wanted == 0)
        return (etl_inflated){.status = ETL_INFLATE_SHORT};
    etl_scratch out = etl_scratch_part(room, ETL_BUFFER_SIZE_MIN, wanted - ETL_BUFFER_SIZE_MIN);
    return etl_inflate(etl_span_from(raw, ETL_BUFFER_SIZE_MIN), out);
}

/*
 * A doubtful buffer ends where its stream is done, before one of the next few places where another may start: what looks
 * like a buffer may be a part of the stream. A few, as the time that they take has to be linear. Returns how much room it
 * takes to go on; 0 if all is done.
 */
static uint32_t settle(const etl_trace *t, etl_span window, etl_scratch room, extent_of_buffer *e)
{
    uint32_t size = e->size;
    for (unsigned tries = 0; tries < STREAM_TRIES && size != 0; tries++) {
        const etl_span raw = etl_span_first(window, size);
        const uint32_t wanted = etl_open_room(t, raw, ETL_OPEN_WHOLE);
        if (wanted > room.size)
            return wanted;
        const etl_inflated inflated = try_stream(raw, wanted, room);
        if (inflated.status == ETL_INFLATE_DONE) {
            const uint32_t end = ETL_BUFFER_SIZE_MIN + (uint32_t)inflated.consumed;
            e->mended = e->mended || size != e->size;
            e->size = e->mended ? end_of_stream(t, window, end, size) : size;
        }
        if ((inflated.status != ETL_INFLATE_SHORT && inflated.status != ETL_INFLATE_CUT) || size == window.size)
            return 0;
        size = size_to_next(t, window, size + 1);
    }
    return 0;
}

/* Settles where the buffer ends, and inflates it. Returns how much room it takes to go on; 0 if all is done. */
static uint32_t inflate(const etl_trace *t, etl_span window, extent_of_buffer *e, etl_open_state state, etl_scratch room,
                        etl_stream *stream)
{
    const uint32_t wanted = e->doubtful ? settle(t, window, room, e) : 0;
    return wanted != 0 ? wanted : etl_open_stream(t, window, e->size, state, room, stream);
}

static etl_outcome open_buffer(etl_trace *t, etl_span window, extent_of_buffer e, etl_scratch room, etl_buffer *buffer,
                               etl_findings *findings)
{
    uint32_t clean = e.size;
    const uint32_t size = size_before_next(t, window, e.size, &clean);
    if (size < e.size) {
        e.size = size;
        e.mended = true;
        e.cut = false;
    }
    const etl_open_state state = e.common ? ETL_OPEN_MENDED : e.cut ? ETL_OPEN_CUT : ETL_OPEN_WHOLE;
    etl_stream stream;
    t->want = inflate(t, window, &e, state, room, &stream);
    if (t->want != 0)
        return ETL_SCRATCH;
    read_logfile(t, stream.raw, findings);
    if (e.mended)
        report_mended(t, window, e.size, findings);
    buffer->index = t->buffers;
    etl_open(t, &stream, state, room, buffer, findings);
    if (!buffer->compressed)
        buffer->clean_from = clean;
    t->buffers++;
    t->compressed_buffers += buffer->compressed;
    t->offset += buffer->raw.size;
    return ETL_BUFFER;
}

etl_outcome etl_trace_next(etl_trace *t, etl_span window, bool last, etl_scratch room, etl_buffer *buffer, etl_region *gap,
                           etl_findings *findings)
{
    if (t->ended)
        return ETL_END;
    if (t->searching)
        return search(t, window, last, gap, findings);
    if (!last && window.size < look(t))
        return more(t, look(t));
    if (window.size == 0)
        return finish(t, findings);
    if (window.size < ETL_BUFFER_SIZE_MIN)
        return tail(t, window, gap, findings);
    extent_of_buffer e = measure(t, window, last);
    if (e.want != 0)
        return more(t, e.want);
    if (e.found)
        return open_buffer(t, window, e, room, buffer, findings);
    begin_search(t, window);
    return search(t, window, last, gap, findings);
}
