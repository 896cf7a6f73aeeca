/* SPDX-License-Identifier: Apache-2.0 */
#include "recovered.h"

#include <stdlib.h>
#include <string.h>

#include "recovering.h"
#include "share.h"
#include "span.h"

/* The new file, growing. */
typedef struct growing {
    uint8_t *at;
    size_t size, room;
    size_t most; /* that it may come to */
    bool beyond; /* it would have come to more */
} growing;

/* A compressed buffer may become so many times larger, as a plain one; and a buffer that was cut is filled up again. */
static size_t most_of(etl_span file)
{
    return 2 * (size_t)ETL_BUFFER_SIZE_MAX + ETL_LIMITS_DEFAULT.expansion * file.size;
}

static bool keep_piece(void *context, etl_span bytes)
{
    growing *g = context;
    g->beyond = bytes.size > g->most - g->size;
    if (g->beyond)
        return false;
    if (g->room - g->size < bytes.size) {
        g->room = 2 * g->room + bytes.size + 4096;
        uint8_t *at = realloc(g->at, g->room);
        if (at == NULL)
            abort();
        g->at = at;
    }
    if (bytes.size > 0)
        memcpy(g->at + g->size, bytes.at, bytes.size);
    g->size += bytes.size;
    return true;
}

/* A patch beyond what was written fails, and so the recovery. */
static bool keep_patch(void *context, uint64_t at, etl_span bytes)
{
    growing *g = context;
    if (at > g->size || bytes.size > g->size - at)
        return false;
    memcpy(g->at + at, bytes.at, bytes.size);
    return true;
}

static bool keep_note(void *context, const etl_recover_note *note)
{
    (void)context;
    return note->kind < ETL_RECOVERED_COUNT;
}

/* Static for their size. */
static etl_recovering first, second;

/* Recovers `file`, whatever its verdict. False if it was no ETL file, or the recovery failed. */
static bool recover(etl_recovering *r, etl_span file, growing *g, etl_exit *code)
{
    static etl_input input;
    etl_input_open_memory(&input, "the input", file, file.size > 0 ? file.size : 1);
    const etl_recovering_sink sink = {g, keep_piece, keep_patch, keep_note};
    *code = etl_recovering_survey(r, &input);
    const bool readable = *code == ETL_EXIT_CONFORMING || *code == ETL_EXIT_DAMAGED || *code == ETL_EXIT_LIMIT;
    bool done = readable && r->pull.fault == ETL_PULL_NONE;
    if (done && etl_recovering_write(r, &sink) != ETL_EXIT_CONFORMING) {
        *code = ETL_EXIT_INTERNAL;
        done = false;
    }
    etl_input_close(&input);
    return done;
}

/* One of the two files, event by event, in the order of the new one. */
typedef struct side {
    etl_span file;
    etl_input input;
    etl_pull pull;
    const etl_survey *survey; /* of this file */
    bool header_turn;         /* the events of the buffer with the logfile header come first */
    bool header_seen;
} side;

static void begin(side *s, etl_span file, const etl_survey *survey)
{
    s->file = file;
    s->survey = survey;
    s->header_turn = survey->logfile.known;
    etl_input_open_memory(&s->input, "the input", file, file.size > 0 ? file.size : 1);
    etl_pull_open(&s->pull, &s->input, NULL, false);
    s->pull.out = &first.out;
}

static void end(side *s)
{
    etl_pull_close(&s->pull);
    etl_input_close(&s->input);
}

/* Wrong with the event itself, and not with where it stands. */
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

/* The next event that the new file has to have, but for the one with the logfile header. False after the last. */
static bool next_event(side *s)
{
    const etl_reader *reader = &s->pull.reader;
    for (;;) {
        const etl_outcome outcome = etl_pull_next(&s->pull);
        if (outcome == ETL_END && !s->header_turn)
            return false;
        if (outcome == ETL_END) {
            const etl_survey *survey = s->survey;
            end(s);
            begin(s, s->file, survey);
            s->header_turn = false;
            continue;
        }
        const bool of_header = s->survey->logfile.known && reader->buffer.index == s->survey->header_buffer;
        if (outcome == ETL_EVENT && of_header == s->header_turn && !is_flawed(&reader->findings) &&
            !is_header(s, &reader->event))
            return true;
    }
}

static bool same_bytes(etl_span a, etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

/* Where an event was recorded is told by its buffer alone; one that was read by the wrong shape tells nothing. */
static bool same_origin(const side *in, const side *out)
{
    const etl_buffer_header *a = &in->pull.reader.buffer.header, *b = &out->pull.reader.buffer.header;
    return a->shape != b->shape || (a->processor == b->processor && a->logger_id == b->logger_id &&
                                    a->time_stamp == b->time_stamp && a->sequence_number == b->sequence_number);
}

static void blame(etl_recovered_file *recovered, const char *what, uint64_t at)
{
    recovered->broken = what;
    recovered->broken_at = at;
}

static void hold_events(etl_recovered_file *recovered, side *in, side *out)
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
            blame(recovered, "an event is of the same processor, in a buffer of the same time and sequence", at);
            return;
        }
    }
}

/* Of the logfile header, only totals, the end of the trace and a BufferSize that misleads may differ. */
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

/* Recovers the new file once more: whether it conforms comes out as well. */
static void hold_again(etl_recovered_file *recovered, etl_span made)
{
    growing again = {.most = most_of(made)};
    etl_exit code;
    if (!recover(&second, made, &again, &code) || code != ETL_EXIT_CONFORMING)
        blame(recovered, "the new file conforms", 0);
    else if (!same_bytes(made, (etl_span){again.at, again.size}))
        blame(recovered, "recovering the new file gives the same bytes", 0);
    else if (!same_logfile(&first.survey, &second.survey))
        blame(recovered, "clock and logfile header are the same, or claim nothing", 0);
    free(again.at);
}

static void hold(etl_recovered_file *recovered, etl_span file, etl_span made)
{
    static side in, out;
    hold_again(recovered, made);
    if (recovered->broken != NULL)
        return;
    begin(&in, file, &first.survey);
    begin(&out, made, &second.survey);
    hold_events(recovered, &in, &out);
    end(&in);
    end(&out);
}

void etl_recovered_make(etl_recovered_file *recovered, etl_span file)
{
    growing made = {.most = most_of(file)};
    *recovered = (etl_recovered_file){.exit = ETL_EXIT_NOT_ETL};
    if (recover(&first, file, &made, &recovered->exit) && recovered->exit != ETL_EXIT_CONFORMING) {
        recovered->at = made.at;
        recovered->size = made.size;
        recovered->read = first.tally.events;
        recovered->events = first.recovery.events;
        recovered->dropped = first.recovery.events_dropped;
        if (etl_share_has(etl_share_of(file), 0, ETL_SHARE))
            hold(recovered, file, (etl_span){made.at, made.size});
        return;
    }
    if (recovered->exit == ETL_EXIT_INTERNAL)
        blame(recovered, made.beyond ? "the new file is linear in the old one" : "what can be read can be recovered", 0);
    free(made.at);
}
