/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An outcome of the decode -> steps that write the new file. pack.c decides which events share a buffer, rebuild.c writes
 * buffer headers, and step_queue.c queues the steps. Called by the recover verb and by fuzz_recover.
 */
#include "etlproof/recover.h"

#include "event_form.h"
#include "pack.h"
#include "plausible.h"
#include "rebuild.h"
#include "search.h"
#include "span.h"
#include "step_queue.h"
#include "stream.h"

/* What happens to a buffer of the damaged file. */
enum { MODE_SKIP, MODE_KEEP, MODE_REBUILD, MODE_DROP };

void etl_recover_init(etl_recovery *r, const etl_survey *survey, etl_scratch scratch)
{
    *r = (etl_recovery){.survey = *survey, .scratch = scratch, .end = ETL_RECOVER_WANTS};
    etl_queue_init(r);
    r->header_only = survey->logfile.known && survey->header_buffer > 0;
    if (survey->logfile.known)
        return;
    r->survey.logfile = (etl_logfile){0}; /* a truncated logfile header is no evidence */
    etl_rebuild_logfile(r);
}

static bool is_header_buffer(const etl_recovery *r, const etl_buffer *b)
{
    return r->survey.logfile.known && b->index == r->survey.header_buffer;
}

/* The event with the logfile header; its last bytes may be missing. */
static bool is_header_event(const etl_recovery *r, const etl_event *event, const etl_buffer *b)
{
    return r->header_event.size > 0 && event->offset == b->offset + ETL_BUFFER_SIZE_MIN;
}

static void take_time(etl_recovery *r, const etl_event *event)
{
    r->events++;
    if (!event->has_time || (r->has_time && event->time <= r->last_time))
        return;
    r->has_time = true;
    r->last_time = event->time;
}

static void note_dropped(etl_recovery *r, const etl_region *region, uint64_t buffer, etl_rule rule)
{
    etl_recover_note *note = etl_queue_note(r, ETL_RECOVERED_DROPPED);
    note->rule = rule;
    note->space = region->space;
    note->offset = region->offset;
    note->size = region->size;
    note->buffer = buffer;
}

/* The rule behind a gap: a fault, or else the first finding. */
static etl_rule reason(const etl_findings *findings)
{
    const etl_rule fault = etl_pack_fault(findings);
    return fault != ETL_RULE_COUNT || findings->count == 0 ? fault : findings->at[0].rule;
}

static bool is_plausible(etl_span bytes, etl_buffer_shape shape)
{
    return etl_plausible_buffer(bytes, 0, shape, ETL_BUFFER_SIZE_MAX, ETL_PLAUSIBLE_BUFFER);
}

/*
 * Whether a search finds the buffer. The first buffer ends at the start of the second one, which a reader must find before
 * it knows the buffer shape from the logfile header.
 */
static bool is_findable(const etl_recovery *r, etl_span bytes)
{
    return (r->buffers == 0 || is_plausible(bytes, r->survey.shape)) &&
           (r->buffers > 1 || is_plausible(bytes, ETL_BUFFER_SHAPE_61));
}

/*
 * A buffer that a search does not find starts one BufferSize behind the buffer before it, unless the logfile header states
 * another BufferSize for all, or a flag word was left behind the stream: there readers search for the start.
 */
static void begin_buffer(etl_recovery *r, bool findable, uint32_t size)
{
    if (!findable && r->input_left)
        etl_rebuild_empty(r);
    r->input_left = false;
    r->size_misleads |= !findable && r->buffers > 0 && r->last_size != r->survey.logfile.buffer_size;
    r->last_size = size;
}

/* The first rule that the events of the buffer break; ETL_RULE_COUNT if there is none. */
static etl_rule find_fault(etl_recovery *r, const etl_buffer *b)
{
    etl_region gap;
    etl_outcome outcome;
    etl_rule fault;
    r->ahead = *b;
    do {
        r->walk_findings.count = 0;
        outcome = etl_buffer_next(&r->ahead, &r->next, &gap, &r->walk_findings);
        r->header_read |= outcome == ETL_EVENT && is_header_event(r, &r->next, b);
        fault = etl_pack_fault(&r->walk_findings);
    } while (outcome != ETL_END && fault == ETL_RULE_COUNT);
    return fault;
}

/* Bytes of input behind the stream of a compressed buffer; 0 for an uncompressed buffer. */
static size_t input_left(const etl_buffer *b)
{
    return b->compressed ? b->raw.size - ETL_BUFFER_SIZE_MIN - b->inflated_from : 0;
}

/* The stream inflates to more than Offset states: readers search its input for the start of the next buffer. */
static bool exceeds_extent(const etl_buffer *b)
{
    return b->compressed && b->data.size > b->extent;
}

/*
 * The rule that the slack of a buffer breaks, ETL_RULE_COUNT if there is none: slack that is not all 0xFF, or input behind
 * the stream. Such a buffer is rebuilt, since what readers find in its slack can depend on the buffers that follow.
 */
static etl_rule slack_fault(const etl_buffer *b)
{
    if (input_left(b) > ETL_STREAM_FLAG_WORD || exceeds_extent(b))
        return ETL_RULE_BUF_019;
    return !b->compressed && b->clean_from > b->reach ? ETL_RULE_BUF_015 : ETL_RULE_COUNT;
}

/*
 * LIM-001 if a copy of the buffer would be over the limit on all buffers of the new file: without the input of the buffers
 * that are not copied, less may be inflated. ETL_RULE_COUNT if not.
 */
static etl_rule limit_fault(const etl_recovery *r, const etl_buffer *b, etl_limits limits)
{
    if (!b->compressed)
        return ETL_RULE_COUNT;
    const uint64_t left = etl_stream_left(limits, r->expansion, b->raw.size - ETL_BUFFER_SIZE_MIN);
    return b->data.size - ETL_BUFFER_SIZE_MIN > left ? ETL_RULE_LIM_001 : ETL_RULE_COUNT;
}

/*
 * Whether readers of a copy of the buffer get the same events, find its start, and get the logfile header as an event: the
 * logfile header can be read without being an event of its buffer.
 */
static bool can_keep(const etl_recovery *r, const etl_buffer *b, const etl_reader *reader)
{
    return r->rule == ETL_RULE_COUNT && reader->trace.logfile.known == r->survey.logfile.known &&
           (r->buffers == 0 || is_plausible(b->raw, r->survey.shape)) &&
           (r->header_event.size == 0 || r->header_read);
}

static void keep_buffer(etl_recovery *r, const etl_buffer *b)
{
    r->mode = MODE_KEEP;
    begin_buffer(r, is_findable(r, b->raw), (uint32_t)b->raw.size);
    r->input_left = input_left(b) > 0;
    etl_stream_count(&r->expansion, b);
    if (is_header_buffer(r, b))
        r->header_at = r->written + ETL_BUFFER_SIZE_MIN + ETL_SIZE(SYSTEM_TRACE_HEADER);
    r->buffers++;
    r->buffers_kept++;
    etl_queue_write(r, b->raw);
}

/* Bytes of filling that are always allowed: a header buffer and the last buffer, both of the largest size. */
enum { FILL_FREE = 2 * ETL_BUFFER_SIZE_MAX };

/* Beyond these, the new file may grow to so many times the bytes read. */
enum { FILL_GROWTH = 16 };

/* Limits filling: many truncated buffers of a few bytes, each with a large BufferSize, would make a huge file. */
static bool may_fill(const etl_recovery *r, const etl_buffer *b, uint32_t size)
{
    const uint64_t grown = r->written + size;
    return grown <= FILL_FREE || (grown - FILL_FREE) / FILL_GROWTH <= b->offset + b->raw.size;
}

/*
 * The size of a rebuilt buffer: in an uncompressed file that of the old buffer, or its BufferSize if the logfile header
 * states the same. 0 for a compressed buffer, which becomes as long as its events.
 */
static uint32_t full_size(const etl_recovery *r, const etl_buffer *b)
{
    const uint32_t size = (uint32_t)b->raw.size, stated = b->header.buffer_size;
    if (b->compressed)
        return 0;
    return stated > size && stated == r->survey.logfile.buffer_size && may_fill(r, b, stated) ? stated : size;
}

/* The largest extent of a rebuilt buffer: that of the old data, aligned. */
static uint32_t pack_limit(const etl_buffer *b)
{
    const uint32_t size = etl_align8((uint32_t)b->data.size);
    return size < ETL_BUFFER_SIZE_MAX ? size : ETL_BUFFER_SIZE_MAX;
}

/* An empty pack. The first pack of the header buffer starts with the logfile header event, even if it was not decoded. */
static etl_pack open_pack(const etl_recovery *r, const etl_buffer *b)
{
    etl_pack pack = etl_pack_open(pack_limit(b));
    if (r->header_event.size > 0 && !r->open)
        (void)etl_pack_put(&pack, r->header_event, false);
    return pack;
}

/* Reads ahead to the next event that can be part of the new file; false if there is none. */
static bool next_packable(etl_recovery *r, const etl_buffer *b)
{
    etl_region gap;
    etl_outcome outcome;
    do {
        r->walk_findings.count = 0;
        outcome = etl_buffer_next(&r->ahead, &r->next, &gap, &r->walk_findings);
        r->has_next = outcome == ETL_EVENT && !is_header_event(r, &r->next, b) &&
                     etl_pack_event_fault(&r->next, &r->walk_findings) == ETL_RULE_COUNT;
    } while (outcome != ETL_END && !r->has_next);
    return r->has_next;
}

static bool put_event(etl_pack *pack, const etl_event *event)
{
    return etl_pack_put(pack, event->bytes, event->layout == ETL_LAYOUT_OPAQUE);
}

/* Whether the event would start a buffer, where readers would take it for the logfile header of another trace. */
static bool is_misplaced(etl_recovery *r, const etl_pack *pack, const etl_event *event)
{
    r->walk_findings.count = 0;
    if (pack->empty)
        etl_logfile_compare(event->bytes, 0, 0, &r->survey.logfile.clock, &r->walk_findings);
    return etl_pack_fault(&r->walk_findings) != ETL_RULE_COUNT;
}

/* The events of the next rebuilt buffer. */
static etl_pack measure(etl_recovery *r, const etl_buffer *b)
{
    etl_pack pack = open_pack(r, b);
    while (r->has_next || next_packable(r, b)) {
        if (!is_misplaced(r, &pack, &r->next) && !put_event(&pack, &r->next))
            break;
        r->has_next = false;
    }
    return pack;
}

/* Writes an event at `at` of `data` with its old padding, `there` bytes, and pads it with zeros to `size` bytes. */
static void write_padded(etl_recovery *r, etl_span data, uint32_t at, uint32_t there, uint32_t size)
{
    const etl_span bytes = etl_span_part(data, at, there < size ? there : size);
    etl_queue_write(r, bytes);
    etl_queue_fill(r, size - (uint32_t)bytes.size, false);
}

static void write_header_event(etl_recovery *r, const etl_buffer *b)
{
    const uint32_t size = r->pack.at - ETL_BUFFER_SIZE_MIN;
    r->header_at = r->written + ETL_SIZE(SYSTEM_TRACE_HEADER);
    r->events++;
    write_padded(r, b->raw, ETL_BUFFER_SIZE_MIN, size, size);
}

static void open_rebuilt(etl_recovery *r, const etl_buffer *b, const etl_pack *whole)
{
    const bool with_header_event = r->header_event.size > 0 && !r->open;
    r->pack = open_pack(r, b);
    r->extent = whole->at;
    const uint32_t full = full_size(r, b);
    r->size = full > whole->at ? full : whole->at;
    r->open = true;
    const etl_span header = etl_rebuild_header(r, b, r->extent, r->size);
    begin_buffer(r, whole->first_plausible && is_findable(r, header), r->size);
    etl_rebuild_write(r, b, header);
    r->buffers++;
    r->buffers_rebuilt++;
    if (with_header_event)
        write_header_event(r, b);
}

static void close_rebuilt(etl_recovery *r)
{
    if (r->open)
        etl_queue_fill(r, r->size - r->extent, true);
}

static void note_buffer(etl_recovery *r, const etl_buffer *b, etl_recovered kind, uint64_t size)
{
    etl_recover_note *note = etl_queue_note(r, kind);
    note->rule = r->rule;
    note->offset = b->offset;
    note->size = size;
    note->buffer = b->index;
}

/* Notes the input of a compressed buffer that was not inflated. */
static void drop_rest(etl_recovery *r, const etl_buffer *b)
{
    etl_region regions[ETL_BUFFER_REGIONS];
    const size_t count = etl_buffer_regions(b, regions);
    for (size_t i = 0; i < count; i++)
        if (regions[i].kind == ETL_REGION_DAMAGED)
            note_dropped(r, &regions[i], b->index, r->rule);
}

static void rebuild(etl_recovery *r, const etl_buffer *b)
{
    r->ahead = *b;
    r->has_next = false;
    const etl_pack pack = measure(r, b);
    r->mode = pack.empty ? MODE_DROP : MODE_REBUILD;
    note_buffer(r, b, pack.empty ? ETL_RECOVERED_DROPPED : ETL_RECOVERED_REBUILT,
                pack.empty ? ETL_BUFFER_SIZE_MIN : b->raw.size);
    drop_rest(r, b);
    if (!pack.empty)
        open_rebuilt(r, b, &pack);
}

/* Finds the event with the logfile header, whose end may be beyond its buffer. */
static void find_header_event(etl_recovery *r, const etl_buffer *b)
{
    const uint16_t stated = etl_load_u16(b->raw, ETL_BUFFER_SIZE_MIN + ETL_AT(SYSTEM_TRACE_HEADER, Size));
    r->header_event = etl_span_part(b->raw, ETL_BUFFER_SIZE_MIN, stated);
    r->header_stated = stated;
    r->header_left = (uint16_t)r->header_event.size;
}

static void take_buffer(etl_recovery *r, const etl_reader *reader)
{
    const etl_buffer *b = &reader->buffer;
    const bool header = is_header_buffer(r, b);
    close_rebuilt(r);
    r->open = false;
    r->mode = MODE_SKIP;
    r->header_event = (etl_span){0};
    r->header_read = false;
    if (header ? r->header_moved : r->header_only)
        return;
    if (header)
        find_header_event(r, b);
    r->rule = etl_pack_fault(&reader->findings);
    if (r->header_only)
        note_buffer(r, b, ETL_RECOVERED_MOVED, b->raw.size);
    if (r->rule == ETL_RULE_COUNT)
        r->rule = find_fault(r, b);
    if (r->rule == ETL_RULE_COUNT)
        r->rule = slack_fault(b);
    if (r->rule == ETL_RULE_COUNT)
        r->rule = limit_fault(r, b, reader->trace.limits);
    if (can_keep(r, b, reader))
        keep_buffer(r, b);
    else
        rebuild(r, b);
}

static void drop_event(etl_recovery *r, const etl_event *event, etl_rule rule)
{
    const etl_region region = {ETL_REGION_DAMAGED, event->space, event->offset, event->size};
    note_dropped(r, &region, event->buffer, rule);
    r->pending[r->pending_count - 1u].note.event = event->index;
    r->events_dropped++;
}

/* Begins the next rebuilt buffer if the event does not fit into the open one. False if no buffer can take the event. */
static bool make_room(etl_recovery *r, const etl_event *event, const etl_buffer *b)
{
    etl_pack trial = r->pack;
    if (r->mode == MODE_REBUILD && !put_event(&trial, event)) {
        const etl_pack pack = measure(r, b);
        if (pack.empty) {
            r->mode = MODE_DROP;
            return false;
        }
        close_rebuilt(r);
        open_rebuilt(r, b, &pack);
    }
    return r->mode == MODE_REBUILD && !is_misplaced(r, &r->pack, event);
}

static void write_event(etl_recovery *r, const etl_event *event, const etl_buffer *b)
{
    const uint32_t before = r->pack.at;
    (void)put_event(&r->pack, event);
    take_time(r, event);
    const uint64_t start = event->space == ETL_SPACE_FILE ? b->offset : 0;
    write_padded(r, b->data, (uint32_t)(event->offset - start), event->size + event->padding, r->pack.at - before);
}

static void take_event(etl_recovery *r, const etl_event *event, const etl_buffer *b)
{
    if (r->mode == MODE_KEEP)
        take_time(r, event);
    if (r->mode != MODE_REBUILD && r->mode != MODE_DROP)
        return;
    if (is_header_event(r, event, b))
        return;
    const etl_rule flaw = etl_pack_event_fault(event, &r->walk_findings);
    if (flaw != ETL_RULE_COUNT)
        drop_event(r, event, flaw);
    else if (make_room(r, event, b))
        write_event(r, event, b);
    else
        drop_event(r, event, ETL_RULE_LFH_011);
}

/* The part of a gap behind the logfile header event, which is kept even if it was not decoded. */
static etl_region behind_header(const etl_recovery *r, const etl_reader *reader)
{
    etl_region gap = reader->gap;
    const uint64_t end = reader->buffer.offset + ETL_BUFFER_SIZE_MIN + r->header_event.size;
    const uint64_t kept = reader->in_buffer && gap.offset < end ? end - gap.offset : 0;
    const uint64_t part = kept < gap.size ? kept : gap.size;
    gap.offset += part;
    gap.size -= part;
    return gap;
}

/* A gap between buffers is noted only once, even if the file is read twice. */
static void take_gap(etl_recovery *r, const etl_reader *reader)
{
    const bool skipped = reader->in_buffer ? r->mode == MODE_SKIP : r->header_only;
    const etl_region_kind kind = reader->gap.kind;
    if (skipped || (kind != ETL_REGION_DAMAGED && kind != ETL_REGION_TAIL))
        return;
    const etl_region gap = r->header_event.size > 0 ? behind_header(r, reader) : reader->gap;
    if (gap.size > 0)
        note_dropped(r, &gap, reader->in_buffer ? reader->buffer.index : ETL_NO_INDEX, reason(&reader->findings));
}

/* The time of the last event as FILETIME; the start of the trace if the clock is unknown or the time earlier; never 0. */
static uint64_t end_time(const etl_recovery *r)
{
    const etl_logfile *l = &r->survey.logfile;
    const uint64_t start = l->start_time > 0 ? (uint64_t)l->start_time : 1;
    uint64_t time = 0;
    if (!r->has_time || !etl_clock_filetime(&l->clock, r->last_time, &time) || time < start)
        return start;
    return time;
}

/* A circular trace may have written more buffers than it kept: then its number stays. */
static uint32_t buffers_written(const etl_recovery *r)
{
    const etl_logfile *l = &r->survey.logfile;
    const bool circular = (l->log_file_mode & ETL_LOGGER_MODE_FILE_MODE_CIRCULAR) != 0;
    return circular && l->buffers_written > r->buffers ? l->buffers_written : (uint32_t)r->buffers;
}

static void patch_member(etl_recovery *r, unsigned slot, uint64_t start, etl_structure_id structure, uint32_t member,
                         uint32_t size, uint64_t from, uint64_t to)
{
    if (from == to)
        return;
    etl_queue_patch(r, slot, start + member, size, to);
    etl_queue_change(r, start, structure, member, from, to);
}

/* Corrects the logfile header where it describes the whole file, and Size of its own event. */
static void patch_logfile(etl_recovery *r)
{
    const etl_logfile *l = &r->survey.logfile;
    const etl_structure_id id = l->pointer_size == 8 ? ETL_STRUCTURE_TRACE_LOGFILE_HEADER64
                                                        : ETL_STRUCTURE_TRACE_LOGFILE_HEADER32;
    patch_member(r, 0, r->header_at - ETL_SIZE(SYSTEM_TRACE_HEADER), ETL_STRUCTURE_SYSTEM_TRACE_HEADER,
          ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, r->header_stated, r->header_left);
    patch_member(r, 1, r->header_at, id, ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), 4, l->buffers_written,
          buffers_written(r));
    if (r->size_misleads)
        patch_member(r, 3, r->header_at, id, ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize), 4, l->buffer_size, 0);
    if (l->end_time == 0)
        patch_member(r, 2, r->header_at, id, ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), 8, 0, end_time(r));
}

static void take_end(etl_recovery *r)
{
    close_rebuilt(r);
    r->open = false;
    if (r->header_only) {
        r->header_only = false;
        r->header_moved = true;
        r->end = ETL_RECOVER_AGAIN;
        return;
    }
    patch_logfile(r);
    r->end = ETL_RECOVER_DONE;
}

void etl_recover_take(etl_recovery *r, etl_outcome outcome, const etl_reader *reader)
{
    switch (outcome) {
    case ETL_BUFFER: take_buffer(r, reader); break;
    case ETL_EVENT: take_event(r, &reader->event, &reader->buffer); break;
    case ETL_GAP: take_gap(r, reader); break;
    case ETL_END: take_end(r); break;
    default: break;
    }
}

etl_recover_step etl_recover_next(etl_recovery *r)
{
    const etl_recover_step step = etl_queue_next(r);
    if (step != ETL_RECOVER_WANTS)
        return step;
    const etl_recover_step end = r->end;
    r->end = ETL_RECOVER_WANTS;
    return end;
}
