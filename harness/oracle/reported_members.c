/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the records of buffers and events as the command should, and compares them with what the command wrote. Called by
 * fuzz_json.
 */
#include "reported_members.h"

#include <inttypes.h>
#include <string.h>

#include "wanted_text.h"

static void add_buffer(oracle_members *members, const etl_buffer *b)
{
    if (members->buffer_count == ORACLE_MEMBERS_MAX)
        return;
    members->buffers[members->buffer_count++] = (oracle_reported_buffer){.header = b->header,
                                                                         .offset = b->offset,
                                                                         .stored_size = (uint32_t)b->raw.size,
                                                                         .extent = b->extent,
                                                                         .inflated_from = b->inflated_from,
                                                                         .compressed = b->compressed};
}

static void add_event(oracle_members *members, const etl_reader *reader)
{
    const etl_event *e = &reader->event;
    uint64_t filetime = 0;
    if (members->event_count == ORACLE_MEMBERS_MAX)
        return;
    oracle_reported_event *to = &members->events[members->event_count++];
    *to = (oracle_reported_event){.buffer = e->buffer,
                                  .offset = e->offset,
                                  .space = e->space,
                                  .layout = e->layout,
                                  .type = e->type,
                                  .marker = e->marker,
                                  .pointer_size = etl_event_pointer_size(e),
                                  .processor = reader->buffer.header.processor,
                                  .size = e->size,
                                  .data_at = e->header_size + e->items_size,
                                  .data_size = e->data_size,
                                  .has_time = e->has_time,
                                  .time = e->time};
    to->has_utc = e->has_time && etl_clock_filetime(&reader->trace.logfile.clock, e->time, &filetime) &&
                  etl_filetime_utc(filetime, &to->utc);
    etl_event_read(e, &to->fields);
}

void oracle_members_add(oracle_members *members, const etl_reader *reader, etl_outcome outcome)
{
    if (outcome == ETL_BUFFER)
        add_buffer(members, &reader->buffer);
    if (outcome == ETL_EVENT)
        add_event(members, reader);
}

/* A member that is a number of 64 bits, in text. */
static void want_wide(oracle_wanted *w, const char *key, uint64_t value)
{
    oracle_want(w, ",\"%s\":\"%" PRIu64 "\"", key, value);
}

static void want_signed(oracle_wanted *w, const char *key, int64_t value)
{
    oracle_want(w, ",\"%s\":\"%" PRIi64 "\"", key, value);
}

static void want_number(oracle_wanted *w, const char *key, uint32_t value)
{
    oracle_want(w, ",\"%s\":%" PRIu32, key, value);
}

static void want_hex(oracle_wanted *w, const char *key, uint64_t value, int digits)
{
    oracle_want(w, ",\"%s\":\"0x%0*" PRIx64 "\"", key, digits, value);
}

/* A name that a table may lack. */
static void want_name(oracle_wanted *w, const char *key, const char *name)
{
    if (name != NULL)
        oracle_want(w, ",\"%s\":\"%s\"", key, name);
}

static void want_flag_names(oracle_wanted *w, uint32_t flags)
{
    const etl_names names = etl_buffer_flag_names();
    const char *comma = "";
    oracle_want(w, ",\"flag_names\":[");
    for (const etl_name *n = names.at; n != names.at + names.count; n++) {
        if (!(flags & n->value))
            continue;
        oracle_want(w, "%s\"%s\"", comma, n->name);
        comma = ",";
    }
    oracle_want(w, "]");
}

/* Shapes before 5.2 have no flags and no type, but count lost events; those before 6.0 have no sequence. */
static void want_state(oracle_wanted *w, const etl_buffer_header *h)
{
    if (h->has_sequence_number)
        want_signed(w, "sequence_number", h->sequence_number);
    want_number(w, "state", h->state);
    if (h->has_sequence_number)
        want_name(w, "state_name", etl_buffer_state_name(h->state));
    if (h->shape == ETL_BUFFER_SHAPE_50) {
        want_number(w, "events_lost", h->events_lost);
        return;
    }
    want_hex(w, "flags", h->buffer_flag, 4);
    want_flag_names(w, h->buffer_flag);
    want_number(w, "type", h->buffer_type);
    want_name(w, "type_name", etl_buffer_type_name(h->buffer_type));
}

static void want_buffer(oracle_wanted *w, const oracle_reported_buffer *b)
{
    static const char *const shapes[] = {[ETL_BUFFER_SHAPE_50] = "50", [ETL_BUFFER_SHAPE_52] = "52",
                                         [ETL_BUFFER_SHAPE_60] = "60", [ETL_BUFFER_SHAPE_61] = "61"};
    const etl_buffer_header *h = &b->header;
    want_wide(w, "offset", b->offset);
    want_number(w, "size", h->buffer_size);
    want_number(w, "stored_size", b->stored_size);
    oracle_want(w, ",\"header\":\"WMI_BUFFER_HEADER_%s\",\"compressed\":%s", shapes[h->shape],
                b->compressed ? "true" : "false");
    want_number(w, "processor", h->processor);
    want_signed(w, "timestamp", h->time_stamp);
    want_state(w, h);
    want_number(w, "saved_offset", h->saved_offset);
    want_number(w, "offset_member", h->offset);
    want_number(w, "current_offset", h->current_offset);
    want_number(w, "extent", b->extent);
    if (b->compressed)
        want_number(w, "inflated_from", b->inflated_from);
    want_number(w, "logger_id", h->logger_id);
    if (h->has_reference_time)
        oracle_want(w, ",\"reference_time\":{\"start_time\":\"%" PRIi64 "\",\"start_perf_clock\":\"%" PRIi64 "\"}",
                    h->reference_start_time, h->reference_start_perf_clock);
    oracle_want(w, "}\n");
}

static void want_guid(oracle_wanted *w, const char *key, const etl_guid *g)
{
    const uint8_t *d = g->data4;
    oracle_want(w, ",\"%s\":\"%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\"", key, g->data1, g->data2,
                g->data3, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
}

static void want_times(oracle_wanted *w, const oracle_reported_event *e)
{
    const etl_utc *u = &e->utc;
    if (e->has_time)
        want_signed(w, "timestamp", e->time);
    if (e->has_utc)
        oracle_want(w, ",\"utc\":\"%04u-%02u-%02uT%02u:%02u:%02u.%07" PRIu32 "Z\"", u->year, u->month, u->day, u->hour,
                    u->minute, u->second, u->fraction);
}

/* Without a process id, ThreadId has 64 bits. */
static void want_ids(oracle_wanted *w, const etl_event_fields *f)
{
    if (f->has_thread_id && f->has_process_id)
        want_number(w, "tid", (uint32_t)f->thread_id);
    else if (f->has_thread_id)
        want_wide(w, "tid", f->thread_id);
    if (f->has_process_id)
        want_number(w, "pid", f->process_id);
    if (f->has_times) {
        want_number(w, "kernel_time", f->kernel_time);
        want_number(w, "user_time", f->user_time);
    }
    if (f->has_processor_time)
        want_wide(w, "processor_time", f->processor_time);
}

static void want_hook(oracle_wanted *w, const etl_event_fields *f)
{
    want_hex(w, "hook", f->hook, 4);
    want_number(w, "group", f->hook / 256u);
    want_number(w, "type", f->hook % 256u);
    want_number(w, "version", f->version);
    if (f->has_pebs)
        want_wide(w, "pebs", f->pebs);
    for (unsigned i = 0; i < f->pmc_count; i++)
        oracle_want(w, "%s\"%" PRIu64 "\"", i == 0 ? ",\"pmc\":[" : ",", f->pmc[i]);
    oracle_want(w, "%s", f->pmc_count > 0 ? "]" : "");
}

static void want_class(oracle_wanted *w, etl_layout layout, const etl_event_fields *f)
{
    if (f->has_provider)
        want_guid(w, "provider", &f->provider);
    want_number(w, "type", f->type);
    want_number(w, "level", f->level);
    want_number(w, "version", f->version);
    if (layout == ETL_LAYOUT_FULL)
        return;
    want_number(w, "instance_id", f->instance_id);
    want_number(w, "parent_instance_id", f->parent_instance_id);
    if (layout == ETL_LAYOUT_INSTANCE_GUID) {
        want_guid(w, "parent_provider", &f->parent_provider);
        return;
    }
    want_wide(w, "reg_handle", f->reg_handle);
    want_wide(w, "parent_reg_handle", f->parent_reg_handle);
}

static void want_descriptor(oracle_wanted *w, const etl_event_fields *f)
{
    want_guid(w, "provider", &f->provider);
    want_number(w, "id", f->id);
    want_number(w, "version", f->version);
    want_number(w, "channel", f->channel);
    want_number(w, "level", f->level);
    want_number(w, "opcode", f->opcode);
    want_number(w, "task", f->task);
    want_hex(w, "keyword", f->keyword, 16);
    want_hex(w, "flags", f->flags, 4);
    want_hex(w, "property", f->property, 4);
    want_guid(w, "activity", &f->activity);
}

static void want_message(oracle_wanted *w, const etl_event_fields *f)
{
    want_number(w, "message", f->message);
    want_hex(w, "options", f->options, 4);
    if (f->has_sequence)
        want_number(w, "sequence", f->sequence);
    if (f->has_provider)
        want_guid(w, "provider", &f->provider);
    if (f->has_component_id)
        want_number(w, "component_id", f->component_id);
}

/* The members of this layout only. */
static void want_own(oracle_wanted *w, const oracle_reported_event *e)
{
    switch (e->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: want_hook(w, &e->fields); break;
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID: want_class(w, e->layout, &e->fields); break;
    case ETL_LAYOUT_EVENT: want_descriptor(w, &e->fields); break;
    case ETL_LAYOUT_MESSAGE: want_message(w, &e->fields); break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

/* Up to the items and the decoded payload. */
static void want_event(oracle_wanted *w, const oracle_reported_event *e)
{
    want_wide(w, "offset", e->offset);
    if (e->space == ETL_SPACE_INFLATED)
        want_name(w, "space", "inflated");
    want_hex(w, "header_type", e->type, 2);
    want_name(w, "name", etl_header_type_name(e->type));
    want_number(w, "size", e->size);
    want_hex(w, "marker", e->marker, 2);
    want_number(w, "processor", e->processor);
    want_times(w, e);
    want_ids(w, &e->fields);
    want_own(w, e);
}

static void want_data(oracle_wanted *w, const oracle_reported_event *e)
{
    if (e->pointer_size != 0)
        want_number(w, "pointer_size", e->pointer_size);
    want_wide(w, "data_offset", e->offset + e->data_at);
    want_number(w, "data_size", e->data_size);
}

static bool buffer_holds(oracle_slice line, const oracle_members *members, size_t index)
{
    oracle_wanted w = {.size = 0};
    oracle_want(&w, "{\"rec\":\"buffer\"");
    want_wide(&w, "index", index);
    want_buffer(&w, &members->buffers[index]);
    return oracle_slice_starts(line, w.at, w.size);
}

/* Only the last two members are compared of what follows the header. Quotes in texts are escaped, so no text has them. */
static bool event_holds(oracle_slice line, const oracle_members *members, size_t index)
{
    const oracle_reported_event *e = &members->events[index];
    oracle_wanted w = {.size = 0}, data = {.size = 0};
    oracle_want(&w, "{\"rec\":\"event\"");
    want_wide(&w, "buffer", e->buffer);
    want_wide(&w, "index", index);
    want_event(&w, e);
    want_data(&data, e);
    return oracle_slice_takes(&line, w.at, w.size) && oracle_slice_seeks(&line, data.at, data.size) &&
           (oracle_slice_starts(line, ",", 1) || oracle_slice_starts(line, "}", 1));
}

/* The number of the member "index", which the record has; UINT64_MAX if it is too large to be compared. */
static uint64_t index_of(oracle_slice line)
{
    static const char mark[] = "\"index\":\"";
    uint64_t index = 0;
    (void)oracle_slice_seeks(&line, mark, sizeof mark - 1);
    for (size_t at = 0; at < line.size && line.at[at] >= '0' && line.at[at] <= '9'; at++)
        index = index < ORACLE_MEMBERS_MAX ? index * 10 + (uint64_t)(line.at[at] - '0') : UINT64_MAX;
    return index;
}

static bool is_record(oracle_slice line, const char *kind)
{
    return oracle_slice_starts(line, kind, strlen(kind));
}

/* Records of other kinds, and those behind the first ones, hold. */
static bool record_holds(oracle_slice line, const oracle_members *members)
{
    if (is_record(line, "{\"rec\":\"buffer\"")) {
        const uint64_t index = index_of(line);
        return index >= members->buffer_count || buffer_holds(line, members, (size_t)index);
    }
    if (is_record(line, "{\"rec\":\"event\"")) {
        const uint64_t index = index_of(line);
        return index >= members->event_count || event_holds(line, members, (size_t)index);
    }
    return true;
}

bool oracle_members_hold(oracle_watch *oracle, const oracle_members *members, oracle_slice records, const char **why)
{
    oracle_slice rest = records;
    while (rest.size) {
        const size_t at = records.size - rest.size;
        if (!record_holds(oracle_slice_line(&rest), members)) {
            *why = "a record has not the members that the library read";
            return oracle_break(oracle, ORACLE_PROMISE_RECORDS, at);
        }
    }
    return true;
}
