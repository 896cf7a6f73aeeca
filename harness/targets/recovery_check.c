/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovers a file and checks the promises of recovery. Called by fuzz_recover and recover_test.
 */
#include "recovery_check.h"

#include <stdlib.h>
#include <string.h>

#include "recovery_header.h"
#include "verbs/recovery_passes.h"
#include "report.h"
#include "share.h"
#include "span.h"

/* The notes about dropped data, in the order of the recovery, or those about changed members. */
typedef struct notes {
    etl_recover_note *at;
    size_t count, capacity;
} notes;

/* What was dropped. */
typedef struct left_out {
    notes notes;
    size_t held;       /* how many of them were checked and are right */
    uint64_t events;   /* events of those */
    bool wrong;        /* the next one is wrong or missing */
    uint64_t wrong_at; /* where */
} left_out;

/* The new file, growing. */
typedef struct growing {
    uint8_t *at;
    size_t size, capacity;
    size_t most; /* the most that it may grow to */
    bool beyond; /* it would have grown larger */
    left_out left_out;
    notes changes;
} growing;

/* A compressed buffer becomes plain, larger by the limit on expansion at most; a buffer that was cut is padded to its size.
   */
static size_t most_of(uint64_t size, etl_limits limits)
{
    return 2 * (size_t)ETL_BUFFER_SIZE_MAX + limits.expansion * (size_t)size;
}

static bool keep_piece(void *context, etl_span bytes)
{
    growing *g = context;
    g->beyond = bytes.size > g->most - g->size;
    if (g->beyond)
        return false;
    if (g->capacity - g->size < bytes.size) {
        g->capacity = 2 * g->capacity + bytes.size + 4096;
        uint8_t *at = realloc(g->at, g->capacity);
        if (at == NULL)
            abort();
        g->at = at;
    }
    if (bytes.size > 0)
        memcpy(g->at + g->size, bytes.at, bytes.size);
    g->size += bytes.size;
    return true;
}

/* A patch after the end fails, and with it the recovery. */
static bool keep_patch(void *context, uint64_t at, etl_span bytes)
{
    growing *g = context;
    if (at > g->size || bytes.size > g->size - at)
        return false;
    memcpy(g->at + at, bytes.at, bytes.size);
    return true;
}

static void add_note(notes *n, const etl_recover_note *note)
{
    if (n->count == n->capacity) {
        n->capacity = 2 * n->capacity + 64;
        n->at = realloc(n->at, n->capacity * sizeof *n->at);
        if (n->at == NULL)
            abort();
    }
    n->at[n->count++] = *note;
}

static bool keep_note(void *context, const etl_recover_note *note)
{
    growing *g = context;
    if (note->kind == ETL_RECOVERED_DROPPED)
        add_note(&g->left_out.notes, note);
    if (note->kind == ETL_RECOVERED_CHANGED)
        add_note(&g->changes, note);
    return note->kind < ETL_RECOVERED_COUNT;
}

static void free_growing(growing *g)
{
    free(g->changes.at);
    free(g->left_out.notes.at);
    free(g->at);
}

/* Static because of their size. */
static tool_recovery first, second;

/*
 * Recovers the trace that starts at range->offset of `file`, whatever its verdict, and sets where it ends. False if it is
 * not an ETL file, or the recovery failed.
 */
static bool recover(tool_recovery *r, etl_span file, tool_trace_range *range, etl_limits limits, growing *g,
                    tool_exit *code)
{
    static tool_input input;
    tool_input_open_memory(&input, "the input", file, file.size > 0 ? file.size : 1);
    const tool_recovery_sink sink = {g, keep_piece, keep_patch, keep_note};
    *code = tool_recovery_survey_range(r, &input, limits, range);
    g->most = most_of(range->size, limits);
    const bool readable = *code == TOOL_EXIT_CONFORMING || *code == TOOL_EXIT_DAMAGED || *code == TOOL_EXIT_LIMIT;
    bool done = readable && r->pull.fault == TOOL_PULL_NONE;
    if (done && tool_recovery_write(r, &sink) != TOOL_EXIT_CONFORMING) {
        *code = TOOL_EXIT_INTERNAL;
        done = false;
    }
    tool_input_close(&input);
    return done;
}

/* One of the two files, event by event, in the order of the new one. */
typedef struct side {
    etl_span file;
    tool_input input;
    tool_pull pull;
    const etl_survey *survey; /* of this file */
    left_out *left_out;       /* NULL for a file of which nothing is dropped */
    bool header_turn;         /* the buffer with the logfile header is first, before buffers that precede it in the file */
    bool dropped;             /* a note reports the current buffer as dropped */
    target_recovery_totals totals;
} side;

static bool header_follows(const etl_survey *survey)
{
    return survey->logfile.known && survey->header_buffer > 0;
}

static void begin(side *s, etl_span file, const etl_survey *survey)
{
    s->file = file;
    s->survey = survey;
    s->header_turn = header_follows(survey);
    tool_input_open_memory(&s->input, "the input", file, file.size > 0 ? file.size : 1);
    tool_pull_open(&s->pull, &s->input, first.limits, NULL, false);
    s->pull.out = &first.out;
}

static void end(side *s)
{
    tool_pull_close(&s->pull);
    tool_input_close(&s->input);
}

/* Findings about the event, not about its place. */
static bool is_flawed(const etl_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_rule rule = findings->at[i].rule;
        if (etl_rule_get(rule)->severity >= ETL_SEVERITY_LIMIT && rule != ETL_RULE_ALN_001 && rule != ETL_RULE_BUF_022)
            return true;
    }
    return false;
}

static bool is_header(const side *s, const etl_event *event)
{
    const etl_buffer *b = &s->pull.reader.buffer;
    return s->survey->logfile.known && event->buffer == s->survey->header_buffer &&
           event->offset == b->offset + ETL_BUFFER_SIZE_MIN;
}

static bool of_header(const side *s)
{
    const etl_reader *reader = &s->pull.reader;
    return s->survey->logfile.known && reader->in_buffer && reader->buffer.index == s->survey->header_buffer;
}

/* A note names a rule that is broken at its place, if there is one. */
static bool is_reason(etl_rule rule, const etl_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->at[i].rule == rule)
            return true;
    return findings->count == 0 && rule == ETL_RULE_COUNT;
}

/* The note that must come next; NULL if there is none, or none that counts. */
static const etl_recover_note *next_note(const side *s)
{
    const left_out *l = s->left_out;
    return l != NULL && !l->wrong && l->held < l->notes.count ? &l->notes.at[l->held] : NULL;
}

static void refuse(side *s, uint64_t at)
{
    if (s->left_out->wrong)
        return;
    s->left_out->wrong = true;
    s->left_out->wrong_at = at;
}

/* The next note must be about this region, and about this event if the region is an event. */
static void hold_note(side *s, const etl_region *region, uint64_t event)
{
    const etl_reader *reader = &s->pull.reader;
    const uint64_t buffer = reader->in_buffer ? reader->buffer.index : ETL_NO_INDEX;
    const etl_recover_note *note = next_note(s);
    if (s->left_out == NULL)
        return;
    if (note == NULL || note->space != region->space || note->offset != region->offset || note->size != region->size ||
        note->buffer != buffer || note->event != event || !is_reason(note->rule, &reader->findings)) {
        refuse(s, region->offset);
        return;
    }
    s->left_out->held++;
    s->left_out->events += event != ETL_NO_INDEX;
}

/* A note at its header reports a dropped buffer. Damaged regions of a compressed buffer, which were never inflated, are
   dropped in any case. */
static void hold_buffer(side *s)
{
    const etl_buffer *b = &s->pull.reader.buffer;
    const etl_recover_note *note = next_note(s);
    etl_region regions[ETL_BUFFER_REGIONS];
    const size_t count = etl_buffer_regions(b, regions);
    s->dropped = note != NULL && note->space == ETL_SPACE_FILE && note->offset == b->offset;
    if (s->dropped && (note->buffer != b->index || note->size != ETL_BUFFER_SIZE_MIN))
        refuse(s, b->offset);
    if (s->dropped)
        s->left_out->held++;
    for (size_t i = 0; i < count; i++)
        if (regions[i].kind == ETL_REGION_DAMAGED)
            hold_note(s, &regions[i], ETL_NO_INDEX);
}

/* The event with the logfile header is kept, even if it could not be read as an event. */
static void hold_gap(side *s)
{
    const etl_reader *reader = &s->pull.reader;
    etl_region gap = reader->gap;
    if (gap.kind != ETL_REGION_DAMAGED && gap.kind != ETL_REGION_TAIL)
        return;
    if (of_header(s)) {
        const uint32_t at = ETL_BUFFER_SIZE_MIN + ETL_AT(SYSTEM_TRACE_HEADER, Size);
        const uint64_t end = reader->buffer.offset + ETL_BUFFER_SIZE_MIN + etl_load_u16(reader->buffer.raw, at);
        const uint64_t kept = gap.offset < end ? end - gap.offset : 0;
        gap.offset += kept;
        gap.size -= kept < gap.size ? kept : gap.size;
    }
    if (gap.size > 0)
        hold_note(s, &gap, ETL_NO_INDEX);
}

/* A logfile header with another clock, which may not start a buffer of the new file. */
static bool is_of_other_trace(const side *s, const etl_event *event)
{
    static etl_findings findings;
    const etl_clock *known = &s->survey->logfile.clock;
    etl_logfile other;
    findings.count = 0;
    etl_logfile_read(event->bytes, 0, 0, &other, &findings);
    return other.known && (other.start_time != known->start_time || other.clock.type != known->type ||
                           other.clock.frequency != known->frequency || other.clock.start_ticks != known->start_ticks);
}

/* Whether the next note says that the event was dropped so that it does not start a buffer. */
static bool is_misplaced(const side *s, const etl_event *event)
{
    const etl_recover_note *note = next_note(s);
    return note != NULL && note->rule == ETL_RULE_LFH_011 && note->event == event->index && is_of_other_trace(s, event);
}

/* Whether the new file must have the event; it always has the one with the logfile header. */
static bool take_event(side *s)
{
    const etl_event *event = &s->pull.reader.event;
    const etl_region region = {ETL_REGION_DAMAGED, event->space, event->offset, event->size};
    if (is_header(s, event))
        return false;
    if (is_misplaced(s, event))
        etl_report(&s->pull.reader.findings, ETL_RULE_LFH_011, event->space, event->offset);
    if (is_flawed(&s->pull.reader.findings)) {
        hold_note(s, &region, event->index);
        return false;
    }
    if (s->dropped)
        refuse(s, event->offset);
    return true;
}

/* The next event that the new file must have. False after the last. Checks the notes about what precedes it. */
static bool next_event(side *s)
{
    for (;;) {
        const etl_outcome outcome = tool_pull_next(&s->pull);
        if (outcome == ETL_END && !s->header_turn)
            return false;
        if (outcome == ETL_END) {
            const etl_survey *survey = s->survey;
            end(s);
            begin(s, s->file, survey);
            s->header_turn = false;
            continue;
        }
        if ((header_follows(s->survey) && of_header(s)) != s->header_turn)
            continue;
        target_recovery_count(&s->totals, outcome, &s->pull.reader,
                              outcome == ETL_EVENT && is_header(s, &s->pull.reader.event));
        if (outcome == ETL_BUFFER)
            hold_buffer(s);
        else if (outcome == ETL_GAP)
            hold_gap(s);
        else if (outcome == ETL_EVENT && take_event(s))
            return true;
    }
}

static bool same_bytes(etl_span a, etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

/* The processor of an event is known only from its buffer, and only if that was read by the right shape. */
static bool same_origin(const side *in, const side *out)
{
    const etl_buffer_header *a = &in->pull.reader.buffer.header, *b = &out->pull.reader.buffer.header;
    return a->shape != b->shape || (a->processor == b->processor && a->logger_id == b->logger_id &&
                                    a->time_stamp == b->time_stamp && a->sequence_number == b->sequence_number);
}

static void blame(target_recovered_file *recovered, const char *what, uint64_t at)
{
    recovered->broken = what;
    recovered->broken_at = at;
}

static void hold_events(target_recovered_file *recovered, side *in, side *out)
{
    for (;;) {
        const bool more = next_event(in), same = next_event(out) == more;
        const uint64_t at = more ? in->pull.reader.event.offset : 0;
        if (same && !more)
            return;
        if (!same) {
            blame(recovered, "the new file has as many events as could be read", at);
            return;
        }
        if (!same_bytes(in->pull.reader.event.bytes, out->pull.reader.event.bytes)) {
            blame(recovered, "events are the same, in order, byte for byte", at);
            return;
        }
        if (!same_origin(in, out)) {
            blame(recovered, "an event has the same processor, in a buffer with the same time and sequence", at);
            return;
        }
    }
}

/* Every dropped event or run of bytes has a note, and the totals match. */
static void hold_account(target_recovered_file *recovered, const left_out *l)
{
    const etl_recovery *recovery = &first.recovery;
    if (l->wrong || l->held < l->notes.count)
        blame(recovered, "each dropped event or run of bytes has one note with its place and reason",
              l->wrong ? l->wrong_at : l->notes.at[l->held].offset);
    else if (recovery->events_dropped != l->events)
        blame(recovered, "the notes account for every dropped event", 0);
    else if (recovery->events != second.tally.events || recovery->buffers != second.pull.reader.trace.buffers)
        blame(recovered, "the new file has as many events and buffers as were written", 0);
}

static void hold_changes(target_recovered_file *recovered, etl_span made, const notes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (!target_recovery_change_fits(made, &changes->at[i]))
            blame(recovered, "a note about a changed member has its place in the new file, and its value",
                  changes->at[i].offset);
}

/* In the logfile header, only totals, the end of the trace and a misleading BufferSize may differ. */
static bool same_logfile(const etl_survey *in, const etl_survey *out)
{
    const etl_logfile *a = &in->logfile, *b = &out->logfile;
    if (!a->known)
        return b->known && b->clock.type == ETL_CLOCK_TYPE_RAW && b->start_time == 0;
    return b->known && a->clock.type == b->clock.type && a->clock.frequency == b->clock.frequency &&
           a->clock.start_ticks == b->clock.start_ticks && a->clock.start_time == b->clock.start_time &&
           a->header_type == b->header_type && (a->buffer_size == b->buffer_size || b->buffer_size == 0) &&
           a->log_file_mode == b->log_file_mode && a->provider_version == b->provider_version &&
           a->boot_time == b->boot_time && a->events_lost == b->events_lost && a->buffers_lost == b->buffers_lost &&
           (a->end_time == 0 || a->end_time == b->end_time);
}

/* Recovers the new file again, which also shows whether it conforms. */
static void hold_again(target_recovered_file *recovered, etl_span made)
{
    growing again = {0};
    tool_trace_range range = {.size = made.size};
    tool_exit code;
    if (!recover(&second, made, &range, first.limits, &again, &code) || code != TOOL_EXIT_CONFORMING || range.followed)
        blame(recovered, "the new file conforms", 0);
    else if (!same_bytes(made, (etl_span){again.at, again.size}))
        blame(recovered, "recovering the new file gives the same bytes", 0);
    else if (!same_logfile(&first.survey, &second.survey))
        blame(recovered, "clock and logfile header are the same, or state nothing", 0);
    free_growing(&again);
}

static void hold(target_recovered_file *recovered, etl_span file, growing *g)
{
    static side in, out;
    const etl_span made = {g->at, g->size};
    hold_again(recovered, made);
    if (recovered->broken != NULL)
        return;
    in = (side){.left_out = &g->left_out};
    out = (side){.left_out = NULL};
    begin(&in, file, &first.survey);
    begin(&out, made, &second.survey);
    hold_events(recovered, &in, &out);
    end(&in);
    end(&out);
    if (recovered->broken == NULL)
        hold_account(recovered, &g->left_out);
    const char *broken = target_recovery_header((target_recovery_side){&first.survey, &in.totals},
                                                (target_recovery_side){&second.survey, &out.totals});
    if (recovered->broken == NULL && broken != NULL)
        blame(recovered, broken, 0);
    if (recovered->broken == NULL)
        hold_changes(recovered, made, &g->changes);
}

/* Recovers the trace that starts at range->offset of `file`, adds to the result, and sets where the trace ends. */
static void recover_trace(target_recovered_file *recovered, etl_span file, tool_trace_range *range, etl_limits limits)
{
    growing made = {0};
    tool_exit code;
    const bool done = recover(&first, file, range, limits, &made, &code);
    if (done && code != TOOL_EXIT_CONFORMING) {
        recovered->files++;
        recovered->read += first.tally.events;
        recovered->events += first.recovery.events;
        recovered->dropped += first.recovery.events_dropped;
        const etl_span trace = etl_span_part(file, (size_t)range->offset, (size_t)range->size);
        if (engine_share_has(engine_share_of(trace), 0, ENGINE_SHARE))
            hold(recovered, trace, &made);
    } else if (code == TOOL_EXIT_INTERNAL)
        blame(recovered, made.beyond ? "the new file is linear in the old one" : "what can be read can be recovered", 0);
    recovered->exit = tool_exit_worse(recovered->exit, code);
    free_growing(&made);
}

void target_recovered_make(target_recovered_file *recovered, etl_span file, etl_limits limits)
{
    tool_trace_range range = {0};
    *recovered = (target_recovered_file){.exit = TOOL_EXIT_CONFORMING};
    do {
        range = (tool_trace_range){.offset = range.offset + range.size, .size = UINT64_MAX};
        recover_trace(recovered, file, &range, limits);
        if (recovered->broken != NULL)
            recovered->broken_at += range.offset;
        if (range.followed)
            recovered->exit = tool_exit_worse(recovered->exit, TOOL_EXIT_DAMAGED);
    } while (recovered->broken == NULL && range.followed);
}
