/* SPDX-License-Identifier: Apache-2.0 */
#include "expect/expected_records.h"

#include <stdio.h>

typedef enum form {
    NUMBER,
    QUOTED,
    WORD,
    POINTER,
    GUID,
    TIME,
    FILETIME,
    UTC,
    KERNEL_TIME,
    USER_TIME,
    THREAD,
    PROCESS,
    HOOK,
    VERSION,
    TEXT,
    TIME_ZONE,
    SYSTEMTIME
} form;

typedef struct row {
    const char *member, *key;
    form form;
} row;

#define ROW(member, key, form) {#member, key, form},
static const row event_rows[] = {
#define BUILD_EVENT_FIELD ROW
#include "expect/record_fields.def"
};
static const row buffer_rows[] = {
#define BUILD_BUFFER_FIELD ROW
#include "expect/record_fields.def"
};
static const row trace_rows[] = {
#define BUILD_TRACE_FIELD ROW
#include "expect/record_fields.def"
};
static const row logfile_rows[] = {
#define BUILD_LOGFILE_FIELD ROW
#include "expect/record_fields.def"
};
static const row time_zone_rows[] = {
#define BUILD_TIME_ZONE_FIELD ROW
#include "expect/record_fields.def"
};
static const row systemtime_rows[] = {
#define BUILD_SYSTEMTIME_FIELD ROW
#include "expect/record_fields.def"
};
#define FIELDS(object, part, session, rows) put_fields(object, part, session, rows, sizeof(rows) / sizeof((rows)[0]))

/* A member of a structure, and how it reads. */
typedef struct member {
    uint64_t value; /* of a number */
    etl_member_kind kind;
    build_span bytes;
} member;

static void put_fields(build_json_object *object, const build_structure *part, const build_session *session,
                       const row *rows, size_t count);

static void put_time(build_json_object *object, const char *key, uint64_t ticks, const build_session *session)
{
    uint64_t filetime;
    build_json_object_i64(object, key, (int64_t)ticks);
    if (build_session_filetime(&session->clock, (int64_t)ticks, &filetime))
        build_json_object_utc(object, "utc", filetime);
}

/* A FILETIME as it is, and as UTC unless it was never set. */
static void put_filetime(build_json_object *object, const char *key, uint64_t time)
{
    char utc_key[32];
    (void)snprintf(utc_key, sizeof utc_key, "%s_utc", key);
    build_json_object_i64(object, key, (int64_t)time);
    if ((int64_t)time > 0)
        build_json_object_utc(object, utc_key, time);
}

static void put_hook(build_json_object *object, uint64_t hook)
{
    build_json_object_hex(object, "hook", hook, 4);
    build_json_object_number(object, "group", (int64_t)(hook >> 8));
    build_json_object_number(object, "type", (int64_t)(hook & 0xFF));
}

static void put_text(build_json_object *object, const char *key, build_span text)
{
    size_t size = 0;
    while (size + 2 <= text.size && build_span_number(text, size, 2) != 0)
        size += 2;
    build_json_object_utf16(object, key, text.at, size);
}

static void put_nested(build_json_object *object, const row *r, const member *m, const build_session *session)
{
    build_json_object inner;
    if (!build_json_object_nest(object, r->key, &inner))
        return;
    if (r->form == TIME_ZONE) {
        const build_structure zone = build_structure_read(ETL_STRUCTURE_TIME_ZONE_INFORMATION, m->bytes);
        FIELDS(&inner, &zone, session, time_zone_rows);
    } else {
        const build_structure time = build_structure_read(ETL_STRUCTURE_SYSTEMTIME, m->bytes);
        FIELDS(&inner, &time, session, systemtime_rows);
    }
    build_json_object_close(&inner);
}

static void put_field(build_json_object *object, const row *r, const member *m, const build_session *session)
{
    switch (r->form) {
    case KERNEL_TIME:
    case USER_TIME:
    case THREAD:
    case PROCESS:
    case NUMBER: build_json_object_number(object, r->key, (int64_t)m->value); break;
    case QUOTED:
        if (m->kind == ETL_MEMBER_KIND_I64)
            build_json_object_i64(object, r->key, (int64_t)m->value);
        else
            build_json_object_u64(object, r->key, m->value);
        break;
    case WORD: build_json_object_hex(object, r->key, m->value, 2 * (unsigned)m->bytes.size); break;
    case POINTER: build_json_object_hex(object, r->key, m->value, 1); break;
    case GUID: build_json_object_guid(object, r->key, m->bytes.at); break;
    case TIME: put_time(object, r->key, m->value, session); break;
    case FILETIME: put_filetime(object, r->key, m->value); break;
    case UTC:
        if (m->value != 0)
            build_json_object_utc(object, r->key, m->value);
        break;
    case HOOK: put_hook(object, m->value); break;
    case VERSION: build_json_object_number(object, r->key, (int64_t)(m->value & ETL_VERSION_MASK_EVENT_VERSION)); break;
    case TEXT: put_text(object, r->key, m->bytes); break;
    case TIME_ZONE:
    case SYSTEMTIME: put_nested(object, r, m, session); break;
    }
}

static bool is_private(const build_structure *part, const build_session *session)
{
    if (part->structure == ETL_STRUCTURE_SYSTEM_TRACE_HEADER)
        return false;
    return session->private_logger || (part->structure == ETL_STRUCTURE_EVENT_HEADER &&
                                       (build_structure_get(part, "Flags") & ETL_EVENT_FLAG_PRIVATE_SESSION) != 0);
}

/* FULL_HEADER and INSTANCE of Windows 5.0 have no ProcessId. */
static bool has_wide_thread(const build_structure *part, const build_session *session)
{
    return session->known && session->windows == ETL_WINDOWS_VERSION_5_0 && build_structure_get(part, "HeaderType") != 0 &&
           (part->structure == ETL_STRUCTURE_EVENT_TRACE_HEADER || part->structure == ETL_STRUCTURE_EVENT_INSTANCE_HEADER ||
            part->structure == ETL_STRUCTURE_EVENT_INSTANCE_GUID_HEADER);
}

/* Where two members hold one field, the first is written as that, and the second not at all. */
static bool put_joined(build_json_object *object, const build_structure *part, const build_session *session, const row *r,
                       uint32_t at)
{
    const bool is_time = r->form == KERNEL_TIME || r->form == USER_TIME;
    const bool is_thread = r->form == THREAD || r->form == PROCESS;
    const build_span both = {part->bytes + at, sizeof(uint64_t)};
    if (!(is_time && is_private(part, session)) && !(is_thread && has_wide_thread(part, session)))
        return false;
    if (r->form == KERNEL_TIME || r->form == THREAD)
        build_json_object_u64(object, is_time ? "processor_time" : r->key, build_span_number(both, 0, both.size));
    return true;
}

static void put_fields(build_json_object *object, const build_structure *part, const build_session *session,
                       const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t at;
        member m = {.value = build_structure_get(part, rows[i].member)};
        if (!build_structure_find(part, rows[i].member, &at, &m.kind) || put_joined(object, part, session, &rows[i], at))
            continue;
        m.bytes = (build_span){part->bytes + at, etl_member_kind_size(m.kind)};
        put_field(object, &rows[i], &m, session);
    }
}

static void put_names(build_json_object *object, const build_session *session)
{
    const build_span logger = build_session_name(session, false), file = build_session_name(session, true);
    build_json_object_utf16(object, "logger_name", logger.at, logger.size);
    build_json_object_utf16(object, "log_file_name", file.at, file.size);
}

/* Trace. */

static void put_version(build_json_object *object, const build_structure *logfile)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%u.%u.%lu", (unsigned)build_structure_get(logfile, "MajorVersion"),
                   (unsigned)build_structure_get(logfile, "MinorVersion"),
                   (unsigned long)build_structure_get(logfile, "ProviderVersion"));
    build_json_object_text(object, "windows", text);
}

void build_record_of_trace(const build_outcome_plan *fates, build_field_overrides *overrides, build_chunk *out)
{
    const build_session *session = &fates->session;
    build_json_object object = build_json_object_open(out, overrides, "trace");
    build_json_object_text(&object, "rec", "trace");
    put_version(&object, &session->logfile);
    build_json_object_number(&object, "pointer_size", session->pointer_size);
    build_json_object_number(&object, "clock_type", session->clock.type);
    build_json_object_u64(&object, "clock_frequency", session->clock.frequency);
    build_json_object_hex(&object, "logger_mode", build_structure_get(&session->logfile, "LogFileMode"), 8);
    build_json_object_number(&object, "processors", (int64_t)build_structure_get(&session->logfile, "NumberOfProcessors"));
    FIELDS(&object, &session->logfile, session, trace_rows);
    build_json_object_utc(&object, "start_utc", build_structure_get(&session->logfile, "StartTime"));
    put_names(&object, session);
    build_json_object_close(&object);
}

/* Buffers. */

static build_structure header_of(const build_outcome_plan *fates, size_t b)
{
    const build_span file = {fates->image->at, fates->image->size};
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_span bytes = build_span_slice(file, (size_t)buffer->offset, SIZE_MAX);
    return build_structure_read(fates->buffers[b].session->buffer_header, bytes);
}

static unsigned flags_of(const build_structure *header)
{
    return (unsigned)build_structure_get(header, "BufferFlag");
}

bool build_record_is_compressed(const build_outcome_plan *fates, size_t b)
{
    const build_structure header = header_of(fates, b);
    return fates->model->buffers[b].compression != BUILD_MODEL_PLAIN &&
           (flags_of(&header) & ETL_BUFFER_FLAG_COMPRESSED) != 0;
}

static void put_reference_time(build_json_object *object, const build_structure *header)
{
    build_json_object inner;
    const bool filled = build_structure_get(header, "BufferType") == ETL_BUFFER_TYPE_REFTIME ||
                        (flags_of(header) & ETL_BUFFER_FLAG_RTBACKUP) != 0;
    uint32_t at;
    etl_member_kind kind;
    if (!filled || !build_structure_find(header, "StartPerfClock", &at, &kind) ||
        !build_json_object_nest(object, "reference_time", &inner))
        return;
    build_json_object_i64(&inner, "start_time", (int64_t)build_structure_get(header, "StartTime"));
    build_json_object_i64(&inner, "start_perf_clock", (int64_t)build_structure_get(header, "StartPerfClock"));
    build_json_object_close(&inner);
}

static void put_recovery(build_json_object *object, bool should)
{
    if (should)
        build_json_object_text(object, "recovery", "should");
}

void build_record_of_buffer(const build_outcome_plan *fates, size_t b, uint64_t used, build_field_overrides *overrides,
                            build_chunk *out)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_buffer_outcome *fate = &fates->buffers[b];
    const build_structure header = header_of(fates, b);
    const bool compressed = build_record_is_compressed(fates, b);
    build_json_object object = build_json_object_open(out, overrides, buffer->name);
    build_json_object_text(&object, "rec", "buffer");
    build_json_object_u64(&object, "index", fate->index);
    build_json_object_u64(&object, "offset", buffer->offset);
    build_json_object_number(&object, "size", (int64_t)build_structure_get(&header, "BufferSize"));
    build_json_object_number(&object, "stored_size", buffer->size);
    build_json_object_text(&object, "header", etl_structure_name(header.structure));
    build_json_object_bool(&object, "compressed", compressed);
    build_json_object_number(&object, "processor", build_structure_processor(&header));
    FIELDS(&object, &header, fate->session, buffer_rows);
    build_json_object_number(&object, "extent",
                             compressed && used == 0 ? (int64_t)ETL_SIZE(WMI_BUFFER_HEADER_61) : fate->extent);
    if (compressed)
        build_json_object_number(&object, "inflated_from", (int64_t)used);
    put_reference_time(&object, &header);
    put_recovery(&object, fate->should);
    build_json_object_close(&object);
}

/* Events. */

static void put_counters(build_json_object *object, const build_event_view *w)
{
    const bool has_pebs = (build_structure_get(&w->header, "Version") & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    size_t at = ETL_SIZE(PERFINFO_TRACE_HEADER);
    if (has_pebs && w->header_size > at) {
        build_json_object_u64(object, "pebs", build_span_number(w->bytes, at, 8));
        at += 8;
    }
    if (at >= w->header_size || !build_json_object_key(object, "pmc"))
        return;
    for (size_t first = at; at < w->header_size; at += 8) {
        build_json_raw(object->out, at == first ? "[\"" : "\",\"");
        build_json_u64(object->out, build_span_number(w->bytes, at, 8));
    }
    build_json_raw(object->out, "\"]");
}

static void put_part(build_json_object *object, const build_event_view *w, unsigned option, const char *key)
{
    const uint32_t at = build_event_view_message_field(w, option);
    if (at != 0)
        build_json_object_number(object, key, (int64_t)build_span_number(w->bytes, at, 4));
}

static void put_message_parts(build_json_object *object, const build_event_view *w, const build_session *session)
{
    const uint32_t guid = build_event_view_message_field(w, ETL_MESSAGE_OPTION_GUID);
    const uint32_t time = build_event_view_message_field(w, ETL_MESSAGE_OPTION_TIMESTAMP);
    const uint32_t system = build_event_view_message_field(w, ETL_MESSAGE_OPTION_SYSTEMINFO);
    put_part(object, w, ETL_MESSAGE_OPTION_SEQUENCE, "sequence");
    put_part(object, w, ETL_MESSAGE_OPTION_COMPONENTID, "component_id");
    if (guid != 0)
        build_json_object_guid(object, "provider", w->bytes.at + guid);
    if (time != 0)
        put_time(object, "timestamp", build_span_number(w->bytes, time, 8), session);
    put_part(object, w, ETL_MESSAGE_OPTION_SYSTEMINFO, "tid");
    if (system != 0)
        build_json_object_number(object, "pid", (int64_t)build_span_number(w->bytes, system + 4u, 4));
}

static void put_items(build_json_object *object, const build_event_view *w, const build_model_event *event, uint64_t offset)
{
    if (!build_json_object_key(object, "items"))
        return;
    build_json_raw(object->out, "[");
    for (size_t i = 0; i < w->item_count; i++) {
        build_structure header;
        const build_span bytes = build_event_view_item(w, event, i, &header);
        const size_t size = (size_t)build_structure_get(&header, "DataSize");
        const build_span data = build_span_slice(bytes, ETL_SIZE(EXTENDED_DATA_ITEM), size);
        const uint16_t type = (uint16_t)build_structure_get(&header, "ExtType");
        build_json_raw(object->out, i == 0 ? "" : ",");
        build_json_object item = build_json_object_open(object->out, object->overrides, event->items[i].name);
        build_json_object_hex(&item, "type", type, 1);
        if (etl_item_type_name(type) != NULL)
            build_json_object_text(&item, "name", etl_item_type_name(type));
        build_json_object_u64(&item, "offset", offset + (uint64_t)(bytes.at - w->bytes.at));
        build_json_object_number(&item, "size", (int64_t)bytes.size);
        build_item_fields(&item, type, data);
        build_json_object_dump(&item, "data", data.at, data.size);
        build_json_object_close(&item);
    }
    build_json_raw(object->out, "]");
}

/* ETW_KERNEL_HEADER_EXTENSION, which in 5.2 ends before Version. */
static void put_header_extension(build_json_object *object, build_span data)
{
    const size_t masks = ETL_AT(ETW_KERNEL_HEADER_EXTENSION, Version);
    build_json_object inner;
    if (data.size < masks || !build_json_object_nest(object, "header_extension", &inner))
        return;
    if (build_json_object_key(&inner, "group_mask")) {
        for (size_t at = 0; at < masks; at += 4) {
            build_json_raw(object->out, at == 0 ? "[\"" : "\",\"");
            build_json_hex(object->out, build_span_number(data, at, 4), 8);
        }
        build_json_raw(object->out, "\"]");
    }
    if (data.size >= ETL_SIZE(ETW_KERNEL_HEADER_EXTENSION))
        build_json_object_number(&inner, "version", (int64_t)build_span_number(data, masks, 4));
    build_json_object_close(&inner);
}

static void put_pointer_size(build_json_object *object, const build_event_view *w, const build_session *session)
{
    const uint8_t size = build_event_view_pointer_size(w, session);
    if (size != 0)
        build_json_object_number(object, "pointer_size", size);
}

/* Payloads that describe the file. */
static void put_own_payload(build_json_object *object, const build_event_view *w, build_span data)
{
    const uint64_t hook = build_structure_get(&w->header, "HookId");
    build_json_object inner;
    if (w->layout != ETL_LAYOUT_SYSTEM && w->layout != ETL_LAYOUT_PERFINFO)
        return;
    if (hook == ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION || hook == ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END)
        put_header_extension(object, data);
    if (w->layout != ETL_LAYOUT_SYSTEM || hook != ETL_HOOK_WMI_LOG_TYPE_HEADER ||
        !build_json_object_nest(object, "logfile", &inner))
        return;
    const build_session session = build_session_read(build_span_slice(w->bytes, 0, w->size - w->lost_size));
    FIELDS(&inner, &session.logfile, &session, logfile_rows);
    put_names(&inner, &session);
    build_json_object_close(&inner);
}

static void put_header(build_json_object *object, const build_event_view *w, const build_model_event *event,
                       uint64_t offset, const build_session *session)
{
    FIELDS(object, &w->header, session, event_rows);
    switch (w->layout) {
    case ETL_LAYOUT_PERFINFO: put_counters(object, w); break;
    case ETL_LAYOUT_MESSAGE: put_message_parts(object, w, session); break;
    case ETL_LAYOUT_EVENT: put_items(object, w, event, offset); break;
    default: break;
    }
}

void build_record_of_event(const build_outcome_plan *fates, size_t b, size_t i, build_field_overrides *overrides,
                           build_chunk *out)
{
    const build_model_buffer *buffer = &fates->model->buffers[b];
    const build_buffer_outcome *fate = &fates->buffers[b];
    const build_event_view *w = &fate->events[i].written;
    const build_structure buffer_header = header_of(fates, b);
    const bool inflated = buffer->compression != BUILD_MODEL_PLAIN;
    const uint64_t offset = (inflated ? 0 : buffer->offset) + buffer->events[i].at;
    const build_span data = build_span_slice(w->bytes, w->header_size + w->items_size, w->data_size);
    build_json_object object = build_json_object_open(out, overrides, buffer->events[i].name);
    build_json_object_text(&object, "rec", "event");
    build_json_object_u64(&object, "buffer", fate->index);
    build_json_object_u64(&object, "index", fate->events[i].index);
    build_json_object_u64(&object, "offset", offset);
    if (inflated)
        build_json_object_text(&object, "space", "inflated");
    build_json_object_hex(&object, "header_type", w->type, 2);
    build_json_object_text(&object, "name", etl_header_type_name(w->type));
    build_json_object_number(&object, "size", w->size);
    build_json_object_hex(&object, "marker", w->marker, 2);
    build_json_object_number(&object, "processor", build_structure_processor(&buffer_header));
    put_header(&object, w, &buffer->events[i], offset, fate->session);
    put_own_payload(&object, w, data);
    put_pointer_size(&object, w, fate->session);
    build_json_object_u64(&object, "data_offset", offset + w->header_size + w->items_size);
    build_json_object_number(&object, "data_size", w->data_size);
    build_json_object_dump(&object, "data", data.at, data.size);
    put_recovery(&object, fate->events[i].should);
    build_json_object_close(&object);
}
