/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

#include <stdio.h>

typedef enum form {
    NUMBER, QUOTED, WORD, POINTER, GUID, TIME, FILETIME, UTC, KERNEL_TIME, USER_TIME, THREAD, PROCESS, HOOK, VERSION, TEXT,
    TIME_ZONE, SYSTEMTIME
} form;

typedef struct row {
    const char *member, *key;
    form form;
} row;

#define ROW(member, key, form) {#member, key, form},
static const row event_rows[] = {
#define ETL_EVENT_FIELD ROW
#include "records.def"
};
static const row buffer_rows[] = {
#define ETL_BUFFER_FIELD ROW
#include "records.def"
};
static const row trace_rows[] = {
#define ETL_TRACE_FIELD ROW
#include "records.def"
};
static const row logfile_rows[] = {
#define ETL_LOGFILE_FIELD ROW
#include "records.def"
};
static const row time_zone_rows[] = {
#define ETL_TIME_ZONE_FIELD ROW
#include "records.def"
};
static const row systemtime_rows[] = {
#define ETL_SYSTEMTIME_FIELD ROW
#include "records.def"
};
#define FIELDS(object, part, session, rows) put_fields(object, part, session, rows, sizeof(rows) / sizeof((rows)[0]))

/* A member of a structure, and how it reads. */
typedef struct member {
    uint64_t value; /* of a number */
    etl_member_kind kind;
    etl_bytes bytes;
} member;

static void put_fields(etl_object *object, const etl_part *part, const etl_session *session, const row *rows, size_t count);

static void put_time(etl_object *object, const char *key, uint64_t ticks, const etl_session *session)
{
    uint64_t filetime;
    etl_object_i64(object, key, (int64_t)ticks);
    if (etl_session_filetime(&session->clock, (int64_t)ticks, &filetime))
        etl_object_utc(object, "utc", filetime);
}

/* A FILETIME as it is, and as UTC unless it was never set. */
static void put_filetime(etl_object *object, const char *key, uint64_t time)
{
    char utc_key[32];
    (void)snprintf(utc_key, sizeof utc_key, "%s_utc", key);
    etl_object_i64(object, key, (int64_t)time);
    if ((int64_t)time > 0)
        etl_object_utc(object, utc_key, time);
}

static void put_hook(etl_object *object, uint64_t hook)
{
    etl_object_hex(object, "hook", hook, 4);
    etl_object_number(object, "group", (int64_t)(hook >> 8));
    etl_object_number(object, "type", (int64_t)(hook & 0xFF));
}

static void put_text(etl_object *object, const char *key, etl_bytes text)
{
    size_t size = 0;
    while (size + 2 <= text.size && etl_bytes_number(text, size, 2) != 0)
        size += 2;
    etl_object_utf16(object, key, text.at, size);
}

static void put_nested(etl_object *object, const row *r, const member *m, const etl_session *session)
{
    etl_object inner;
    if (!etl_object_nest(object, r->key, &inner))
        return;
    if (r->form == TIME_ZONE) {
        const etl_part zone = etl_written_part(ETL_STRUCTURE_TIME_ZONE_INFORMATION, m->bytes);
        FIELDS(&inner, &zone, session, time_zone_rows);
    } else {
        const etl_part time = etl_written_part(ETL_STRUCTURE_SYSTEMTIME, m->bytes);
        FIELDS(&inner, &time, session, systemtime_rows);
    }
    etl_object_close(&inner);
}

static void put_field(etl_object *object, const row *r, const member *m, const etl_session *session)
{
    switch (r->form) {
    case KERNEL_TIME:
    case USER_TIME:
    case THREAD:
    case PROCESS:
    case NUMBER: etl_object_number(object, r->key, (int64_t)m->value); break;
    case QUOTED:
        if (m->kind == ETL_MEMBER_KIND_I64)
            etl_object_i64(object, r->key, (int64_t)m->value);
        else
            etl_object_u64(object, r->key, m->value);
        break;
    case WORD: etl_object_hex(object, r->key, m->value, 2 * (unsigned)m->bytes.size); break;
    case POINTER: etl_object_hex(object, r->key, m->value, 1); break;
    case GUID: etl_object_guid(object, r->key, m->bytes.at); break;
    case TIME: put_time(object, r->key, m->value, session); break;
    case FILETIME: put_filetime(object, r->key, m->value); break;
    case UTC:
        if (m->value != 0)
            etl_object_utc(object, r->key, m->value);
        break;
    case HOOK: put_hook(object, m->value); break;
    case VERSION: etl_object_number(object, r->key, (int64_t)(m->value & ETL_VERSION_MASK_EVENT_VERSION)); break;
    case TEXT: put_text(object, r->key, m->bytes); break;
    case TIME_ZONE:
    case SYSTEMTIME: put_nested(object, r, m, session); break;
    }
}

static bool is_private(const etl_part *part, const etl_session *session)
{
    if (part->structure == ETL_STRUCTURE_SYSTEM_TRACE_HEADER)
        return false;
    return session->private_logger || (part->structure == ETL_STRUCTURE_EVENT_HEADER &&
                                       (etl_part_get(part, "Flags") & ETL_EVENT_FLAG_PRIVATE_SESSION) != 0);
}

/* FULL_HEADER and INSTANCE of Windows 5.0 have no ProcessId. */
static bool has_wide_thread(const etl_part *part, const etl_session *session)
{
    return session->known && session->windows == ETL_SESSION_WINDOWS_5_0 && etl_part_get(part, "HeaderType") != 0 &&
           (part->structure == ETL_STRUCTURE_EVENT_TRACE_HEADER || part->structure == ETL_STRUCTURE_EVENT_INSTANCE_HEADER ||
            part->structure == ETL_STRUCTURE_EVENT_INSTANCE_GUID_HEADER);
}

/* Where two members hold one field, the first is written as that, and the second not at all. */
static bool put_joined(etl_object *object, const etl_part *part, const etl_session *session, const row *r, uint32_t at)
{
    const bool is_time = r->form == KERNEL_TIME || r->form == USER_TIME;
    const bool is_thread = r->form == THREAD || r->form == PROCESS;
    const etl_bytes both = {part->bytes + at, sizeof(uint64_t)};
    if (!(is_time && is_private(part, session)) && !(is_thread && has_wide_thread(part, session)))
        return false;
    if (r->form == KERNEL_TIME || r->form == THREAD)
        etl_object_u64(object, is_time ? "processor_time" : r->key, etl_bytes_number(both, 0, both.size));
    return true;
}

static void put_fields(etl_object *object, const etl_part *part, const etl_session *session, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t at;
        member m = {.value = etl_part_get(part, rows[i].member)};
        if (!etl_part_find(part, rows[i].member, &at, &m.kind) || put_joined(object, part, session, &rows[i], at))
            continue;
        m.bytes = (etl_bytes){part->bytes + at, etl_member_kind_size(m.kind)};
        put_field(object, &rows[i], &m, session);
    }
}

static void put_names(etl_object *object, const etl_session *session)
{
    const etl_bytes logger = etl_session_name(session, false), file = etl_session_name(session, true);
    etl_object_utf16(object, "logger_name", logger.at, logger.size);
    etl_object_utf16(object, "log_file_name", file.at, file.size);
}

/* Trace. */

static void put_version(etl_object *object, const etl_part *logfile)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%u.%u.%lu", (unsigned)etl_part_get(logfile, "MajorVersion"),
                   (unsigned)etl_part_get(logfile, "MinorVersion"),
                   (unsigned long)etl_part_get(logfile, "ProviderVersion"));
    etl_object_text(object, "windows", text);
}

void etl_record_of_trace(const etl_fates *fates, etl_overrides *overrides, etl_chunk *out)
{
    const etl_session *session = &fates->session;
    etl_object object = etl_object_open(out, overrides, "trace");
    etl_object_text(&object, "rec", "trace");
    put_version(&object, &session->logfile);
    etl_object_number(&object, "pointer_size", session->pointer_size);
    etl_object_number(&object, "clock_type", session->clock.type);
    etl_object_u64(&object, "clock_frequency", session->clock.frequency);
    etl_object_hex(&object, "logger_mode", etl_part_get(&session->logfile, "LogFileMode"), 8);
    etl_object_number(&object, "processors", (int64_t)etl_part_get(&session->logfile, "NumberOfProcessors"));
    FIELDS(&object, &session->logfile, session, trace_rows);
    etl_object_utc(&object, "start_utc", etl_part_get(&session->logfile, "StartTime"));
    put_names(&object, session);
    etl_object_close(&object);
}

/* Buffers. */

static etl_part header_of(const etl_fates *fates, size_t b)
{
    const etl_bytes file = {fates->image->at, fates->image->size};
    const etl_model_buffer *buffer = &fates->model->buffers[b];
    const etl_bytes bytes = etl_bytes_part(file, (size_t)buffer->offset, SIZE_MAX);
    return etl_written_part(fates->buffers[b].session->buffer_header, bytes);
}

static unsigned flags_of(const etl_part *header)
{
    return (unsigned)etl_part_get(header, "BufferFlag");
}

bool etl_record_is_compressed(const etl_fates *fates, size_t b)
{
    const etl_part header = header_of(fates, b);
    return fates->model->buffers[b].compression != ETL_MODEL_PLAIN && (flags_of(&header) & ETL_BUFFER_FLAG_COMPRESSED) != 0;
}

static void put_reference_time(etl_object *object, const etl_part *header)
{
    etl_object inner;
    const bool filled = etl_part_get(header, "BufferType") == ETL_BUFFER_TYPE_REFTIME ||
                        (flags_of(header) & ETL_BUFFER_FLAG_RTBACKUP) != 0;
    uint32_t at;
    etl_member_kind kind;
    if (!filled || !etl_part_find(header, "StartPerfClock", &at, &kind) ||
        !etl_object_nest(object, "reference_time", &inner))
        return;
    etl_object_i64(&inner, "start_time", (int64_t)etl_part_get(header, "StartTime"));
    etl_object_i64(&inner, "start_perf_clock", (int64_t)etl_part_get(header, "StartPerfClock"));
    etl_object_close(&inner);
}

static void put_recovery(etl_object *object, bool should)
{
    if (should)
        etl_object_text(object, "recovery", "should");
}

void etl_record_of_buffer(const etl_fates *fates, size_t b, uint64_t used, etl_overrides *overrides, etl_chunk *out)
{
    const etl_model_buffer *buffer = &fates->model->buffers[b];
    const etl_buffer_fate *fate = &fates->buffers[b];
    const etl_part header = header_of(fates, b);
    const bool compressed = etl_record_is_compressed(fates, b);
    etl_object object = etl_object_open(out, overrides, buffer->name);
    etl_object_text(&object, "rec", "buffer");
    etl_object_u64(&object, "index", fate->index);
    etl_object_u64(&object, "offset", buffer->offset);
    etl_object_number(&object, "size", (int64_t)etl_part_get(&header, "BufferSize"));
    etl_object_number(&object, "stored_size", buffer->size);
    etl_object_text(&object, "header", etl_structure_name(header.structure));
    etl_object_bool(&object, "compressed", compressed);
    etl_object_number(&object, "processor", etl_part_processor(&header));
    FIELDS(&object, &header, fate->session, buffer_rows);
    etl_object_number(&object, "extent", compressed && used == 0 ? (int64_t)ETL_SIZE(WMI_BUFFER_HEADER_61) : fate->extent);
    if (compressed)
        etl_object_number(&object, "inflated_from", (int64_t)used);
    put_reference_time(&object, &header);
    put_recovery(&object, fate->should);
    etl_object_close(&object);
}

/* Events. */

static void put_counters(etl_object *object, const etl_written *w)
{
    const bool has_pebs = (etl_part_get(&w->header, "Version") & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    size_t at = ETL_SIZE(PERFINFO_TRACE_HEADER);
    if (has_pebs && w->header_size > at) {
        etl_object_u64(object, "pebs", etl_bytes_number(w->bytes, at, 8));
        at += 8;
    }
    if (at >= w->header_size || !etl_object_key(object, "pmc"))
        return;
    for (size_t first = at; at < w->header_size; at += 8) {
        etl_text(object->out, at == first ? "[\"" : "\",\"");
        etl_text_u64(object->out, etl_bytes_number(w->bytes, at, 8));
    }
    etl_text(object->out, "\"]");
}

static void put_part(etl_object *object, const etl_written *w, unsigned option, const char *key)
{
    const uint32_t at = etl_written_message_part(w, option);
    if (at != 0)
        etl_object_number(object, key, (int64_t)etl_bytes_number(w->bytes, at, 4));
}

static void put_message_parts(etl_object *object, const etl_written *w, const etl_session *session)
{
    const uint32_t guid = etl_written_message_part(w, ETL_MESSAGE_OPTION_GUID);
    const uint32_t time = etl_written_message_part(w, ETL_MESSAGE_OPTION_TIMESTAMP);
    const uint32_t system = etl_written_message_part(w, ETL_MESSAGE_OPTION_SYSTEMINFO);
    put_part(object, w, ETL_MESSAGE_OPTION_SEQUENCE, "sequence");
    put_part(object, w, ETL_MESSAGE_OPTION_COMPONENTID, "component_id");
    if (guid != 0)
        etl_object_guid(object, "provider", w->bytes.at + guid);
    if (time != 0)
        put_time(object, "timestamp", etl_bytes_number(w->bytes, time, 8), session);
    put_part(object, w, ETL_MESSAGE_OPTION_SYSTEMINFO, "tid");
    if (system != 0)
        etl_object_number(object, "pid", (int64_t)etl_bytes_number(w->bytes, system + 4u, 4));
}

static void put_items(etl_object *object, const etl_written *w, const etl_model_event *event, uint64_t offset)
{
    if (!etl_object_key(object, "items"))
        return;
    etl_text(object->out, "[");
    for (size_t i = 0; i < w->item_count; i++) {
        etl_part header;
        const etl_bytes bytes = etl_written_item(w, event, i, &header);
        const size_t size = (size_t)etl_part_get(&header, "DataSize");
        const etl_bytes data = etl_bytes_part(bytes, ETL_SIZE(EXTENDED_DATA_ITEM), size);
        const uint16_t type = (uint16_t)etl_part_get(&header, "ExtType");
        etl_text(object->out, i == 0 ? "" : ",");
        etl_object item = etl_object_open(object->out, object->overrides, event->items[i].name);
        etl_object_hex(&item, "type", type, 1);
        if (etl_item_type_name(type) != NULL)
            etl_object_text(&item, "name", etl_item_type_name(type));
        etl_object_u64(&item, "offset", offset + (uint64_t)(bytes.at - w->bytes.at));
        etl_object_number(&item, "size", (int64_t)bytes.size);
        etl_item_fields(&item, type, data);
        etl_object_dump(&item, "data", data.at, data.size);
        etl_object_close(&item);
    }
    etl_text(object->out, "]");
}

/* ETW_KERNEL_HEADER_EXTENSION, which in 5.2 ends before Version. */
static void put_header_extension(etl_object *object, etl_bytes data)
{
    const size_t masks = ETL_AT(ETW_KERNEL_HEADER_EXTENSION, Version);
    etl_object inner;
    if (data.size < masks || !etl_object_nest(object, "header_extension", &inner))
        return;
    if (etl_object_key(&inner, "group_mask")) {
        for (size_t at = 0; at < masks; at += 4) {
            etl_text(object->out, at == 0 ? "[\"" : "\",\"");
            etl_text_hex(object->out, etl_bytes_number(data, at, 4), 8);
        }
        etl_text(object->out, "\"]");
    }
    if (data.size >= ETL_SIZE(ETW_KERNEL_HEADER_EXTENSION))
        etl_object_number(&inner, "version", (int64_t)etl_bytes_number(data, masks, 4));
    etl_object_close(&inner);
}

static void put_pointer_size(etl_object *object, const etl_written *w, const etl_session *session)
{
    const uint8_t size = etl_written_pointer_size(w, session);
    if (size != 0)
        etl_object_number(object, "pointer_size", size);
}

/* Payloads that describe the file. */
static void put_own_payload(etl_object *object, const etl_written *w, etl_bytes data)
{
    const uint64_t hook = etl_part_get(&w->header, "HookId");
    etl_object inner;
    if (w->layout != ETL_LAYOUT_SYSTEM && w->layout != ETL_LAYOUT_PERFINFO)
        return;
    if (hook == ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION || hook == ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END)
        put_header_extension(object, data);
    if (w->layout != ETL_LAYOUT_SYSTEM || hook != ETL_HOOK_WMI_LOG_TYPE_HEADER ||
        !etl_object_nest(object, "logfile", &inner))
        return;
    const etl_session session = etl_session_read(etl_bytes_part(w->bytes, 0, w->size - w->lost_size));
    FIELDS(&inner, &session.logfile, &session, logfile_rows);
    put_names(&inner, &session);
    etl_object_close(&inner);
}

static void put_header(etl_object *object, const etl_written *w, const etl_model_event *event, uint64_t offset,
                       const etl_session *session)
{
    FIELDS(object, &w->header, session, event_rows);
    switch (w->layout) {
    case ETL_LAYOUT_PERFINFO: put_counters(object, w); break;
    case ETL_LAYOUT_MESSAGE: put_message_parts(object, w, session); break;
    case ETL_LAYOUT_EVENT: put_items(object, w, event, offset); break;
    default: break;
    }
}

void etl_record_of_event(const etl_fates *fates, size_t b, size_t i, etl_overrides *overrides, etl_chunk *out)
{
    const etl_model_buffer *buffer = &fates->model->buffers[b];
    const etl_buffer_fate *fate = &fates->buffers[b];
    const etl_written *w = &fate->events[i].written;
    const etl_part buffer_header = header_of(fates, b);
    const bool inflated = buffer->compression != ETL_MODEL_PLAIN;
    const uint64_t offset = (inflated ? 0 : buffer->offset) + buffer->events[i].at;
    const etl_bytes data = etl_bytes_part(w->bytes, w->header_size + w->items_size, w->data_size);
    etl_object object = etl_object_open(out, overrides, buffer->events[i].name);
    etl_object_text(&object, "rec", "event");
    etl_object_u64(&object, "buffer", fate->index);
    etl_object_u64(&object, "index", fate->events[i].index);
    etl_object_u64(&object, "offset", offset);
    if (inflated)
        etl_object_text(&object, "space", "inflated");
    etl_object_hex(&object, "header_type", w->type, 2);
    etl_object_text(&object, "name", etl_header_type_name(w->type));
    etl_object_number(&object, "size", w->size);
    etl_object_hex(&object, "marker", w->marker, 2);
    etl_object_number(&object, "processor", etl_part_processor(&buffer_header));
    put_header(&object, w, &buffer->events[i], offset, fate->session);
    put_own_payload(&object, w, data);
    put_pointer_size(&object, w, fate->session);
    etl_object_u64(&object, "data_offset", offset + w->header_size + w->items_size);
    etl_object_number(&object, "data_size", w->data_size);
    etl_object_dump(&object, "data", data.at, data.size);
    put_recovery(&object, fate->events[i].should);
    etl_object_close(&object);
}
