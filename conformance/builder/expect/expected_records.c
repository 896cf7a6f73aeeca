/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the decode records of an outcome plan: the trace, each buffer, each event. Called by expected_decode.c.
 */
#include "expect/expected_records.h"

#include <stdio.h>

#include "expect/item_fields.h"
#include "expect/record_fields.h"
#include "model/event_layouts.h"

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

void build_record_of_trace(const build_outcome_plan *plan, build_field_overrides *overrides, build_chunk *out)
{
    const build_session *session = &plan->session;
    build_json_object object = build_json_object_open(out, overrides, "trace");
    build_json_object_text(&object, "rec", "trace");
    put_version(&object, &session->logfile);
    build_json_object_number(&object, "pointer_size", session->pointer_size);
    build_json_object_number(&object, "clock_type", session->clock.type);
    build_json_object_u64(&object, "clock_frequency", session->clock.frequency);
    build_json_object_hex(&object, "logger_mode", build_structure_get(&session->logfile, "LogFileMode"), 8);
    build_json_object_number(&object, "processors", (int64_t)build_structure_get(&session->logfile, "NumberOfProcessors"));
    build_record_fields(&object, &session->logfile, session, BUILD_ROWS_TRACE);
    build_json_object_utc(&object, "start_utc", build_structure_get(&session->logfile, "StartTime"));
    put_names(&object, session);
    build_json_object_close(&object);
}

/* Buffers. */

static build_structure header_of(const build_outcome_plan *plan, size_t b)
{
    const build_span file = {plan->image->at, plan->image->size};
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_span bytes = build_span_slice(file, (size_t)buffer->offset, SIZE_MAX);
    return build_structure_read(plan->buffers[b].session->buffer_header, bytes);
}

static unsigned flags_of(const build_structure *header)
{
    return (unsigned)build_structure_get(header, "BufferFlag");
}

bool build_record_is_compressed(const build_outcome_plan *plan, size_t b)
{
    const build_structure header = header_of(plan, b);
    return plan->model->buffers[b].compression != BUILD_MODEL_PLAIN &&
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

void build_record_of_buffer(const build_outcome_plan *plan, size_t b, uint64_t used, build_field_overrides *overrides,
                            build_chunk *out)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_buffer_outcome *outcome = &plan->buffers[b];
    const build_structure header = header_of(plan, b);
    const bool compressed = build_record_is_compressed(plan, b);
    build_json_object object = build_json_object_open(out, overrides, buffer->name);
    build_json_object_text(&object, "rec", "buffer");
    build_json_object_u64(&object, "index", outcome->index);
    build_json_object_u64(&object, "offset", buffer->offset);
    build_json_object_number(&object, "size", (int64_t)build_structure_get(&header, "BufferSize"));
    build_json_object_number(&object, "stored_size", buffer->size);
    build_json_object_text(&object, "header", etl_structure_name(header.id));
    build_json_object_bool(&object, "compressed", compressed);
    build_json_object_number(&object, "processor", build_structure_processor(&header));
    build_record_fields(&object, &header, outcome->session, BUILD_ROWS_BUFFER);
    build_json_object_number(&object, "extent",
                             compressed && used == 0 ? (int64_t)ETL_SIZE(WMI_BUFFER_HEADER_61) : outcome->extent);
    if (compressed)
        build_json_object_number(&object, "inflated_from", (int64_t)used);
    put_reference_time(&object, &header);
    put_recovery(&object, outcome->should);
    build_json_object_close(&object);
}

/* Events. */

static void put_counters(build_json_object *object, const build_event_view *view)
{
    const bool has_pebs = (build_structure_get(&view->header, "Version") & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    size_t at = etl_structure_size_of(view->header.id);
    if (has_pebs && view->header_size > at) {
        build_json_object_u64(object, "pebs", build_span_number(view->bytes, at, 8));
        at += 8;
    }
    if (at >= view->header_size || !build_json_object_key(object, "pmc"))
        return;
    for (size_t first = at; at < view->header_size; at += 8) {
        build_json_raw(object->out, at == first ? "[\"" : "\",\"");
        build_json_u64(object->out, build_span_number(view->bytes, at, 8));
    }
    build_json_raw(object->out, "\"]");
}

static void put_message_field(build_json_object *object, const build_event_view *view, unsigned option, const char *key)
{
    const uint32_t at = build_event_view_message_field(view, option);
    if (at != 0)
        build_json_object_number(object, key, (int64_t)build_span_number(view->bytes, at, 4));
}

static void put_message_fields(build_json_object *object, const build_event_view *view, const build_session *session)
{
    const uint32_t guid = build_event_view_message_field(view, ETL_MESSAGE_OPTION_GUID);
    const uint32_t time = build_event_view_message_field(view, ETL_MESSAGE_OPTION_TIMESTAMP);
    const uint32_t system = build_event_view_message_field(view, ETL_MESSAGE_OPTION_SYSTEMINFO);
    put_message_field(object, view, ETL_MESSAGE_OPTION_SEQUENCE, "sequence");
    put_message_field(object, view, ETL_MESSAGE_OPTION_COMPONENTID, "component_id");
    if (guid != 0)
        build_json_object_guid(object, "provider", view->bytes.at + guid);
    if (time != 0)
        build_record_time(object, "timestamp", build_span_number(view->bytes, time, 8), session);
    put_message_field(object, view, ETL_MESSAGE_OPTION_SYSTEMINFO, "tid");
    if (system != 0)
        build_json_object_number(object, "pid", (int64_t)build_span_number(view->bytes, system + 4u, 4));
}

static void put_items(build_json_object *object, const build_event_view *view, const build_model_event *event,
                      uint64_t offset)
{
    if (!build_json_object_key(object, "items"))
        return;
    build_json_raw(object->out, "[");
    for (size_t i = 0; i < view->item_count; i++) {
        build_structure header;
        const build_span bytes = build_event_view_item(view, event, i, &header);
        const size_t size = (size_t)build_structure_get(&header, "DataSize");
        const build_span data = build_span_slice(bytes, ETL_SIZE(EXTENDED_DATA_ITEM), size);
        const uint16_t type = (uint16_t)build_structure_get(&header, "ExtType");
        build_json_raw(object->out, i == 0 ? "" : ",");
        build_json_object item = build_json_object_open(object->out, object->overrides, event->items[i].name);
        build_json_object_hex(&item, "type", type, 1);
        if (etl_item_type_name(type) != NULL)
            build_json_object_text(&item, "name", etl_item_type_name(type));
        build_json_object_u64(&item, "offset", offset + (uint64_t)(bytes.at - view->bytes.at));
        build_json_object_number(&item, "size", (int64_t)bytes.size);
        build_item_fields(&item, type, data);
        build_json_object_dump(&item, "data", data.at, data.size);
        build_json_object_close(&item);
    }
    build_json_raw(object->out, "]");
}

/* ETW_KERNEL_HEADER_EXTENSION; in 5.2 it ends before Version. */
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

/* LAST_DROPPED_TIMES: a count and the time stamps that the payload has room for. */
static void put_last_dropped_times(build_json_object *object, build_span data)
{
    const size_t head = ETL_SIZE(LAST_DROPPED_TIMES);
    build_json_object inner;
    if (data.size < head || !build_json_object_nest(object, "last_dropped_times", &inner))
        return;
    const uint64_t count = build_span_number(data, 0, 4);
    build_json_object_number(&inner, "count", (int64_t)count);
    if (build_json_object_key(&inner, "times")) {
        build_json_raw(object->out, "[");
        for (size_t i = 0; i < count && head + 8 * (i + 1) <= data.size; i++) {
            build_json_raw(object->out, i == 0 ? "\"" : ",\"");
            build_json_i64(object->out, (int64_t)build_span_number(data, head + 8 * i, 8));
            build_json_raw(object->out, "\"");
        }
        build_json_raw(object->out, "]");
    }
    build_json_object_close(&inner);
}

static void put_pointer_size(build_json_object *object, const build_event_view *view, const build_session *session)
{
    const uint8_t size = build_event_view_pointer_size(view, session);
    if (size != 0)
        build_json_object_number(object, "pointer_size", size);
}

/* Payloads that describe the file: the header extension, the times of lost events, and the logfile header. */
static void put_own_payload(build_json_object *object, const build_event_view *view, build_span data)
{
    const uint64_t hook = build_structure_get(&view->header, "HookId");
    build_json_object inner;
    if (view->layout != ETL_LAYOUT_SYSTEM && view->layout != ETL_LAYOUT_PERFINFO)
        return;
    if (hook == ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION || hook == ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END)
        put_header_extension(object, data);
    if (hook == ETL_HOOK_Header_LastDroppedTimes)
        put_last_dropped_times(object, data);
    if (view->layout != ETL_LAYOUT_SYSTEM || hook != ETL_HOOK_WMI_LOG_TYPE_HEADER ||
        !build_json_object_nest(object, "logfile", &inner))
        return;
    const build_session session = build_session_read(build_span_slice(view->bytes, 0, view->size - view->lost_size));
    build_record_fields(&inner, &session.logfile, &session, BUILD_ROWS_LOGFILE);
    put_names(&inner, &session);
    build_json_object_close(&inner);
}

static void put_header(build_json_object *object, const build_event_view *view, const build_model_event *event,
                       uint64_t offset, const build_session *session)
{
    build_record_fields(object, &view->header, session, BUILD_ROWS_EVENT);
    switch (build_event_layout_get(view->layout)->decoded) {
    case BUILD_EXTRAS_COUNTERS: put_counters(object, view); break;
    case BUILD_EXTRAS_MESSAGE_FIELDS: put_message_fields(object, view, session); break;
    case BUILD_EXTRAS_ITEMS: put_items(object, view, event, offset); break;
    case BUILD_EXTRAS_NOTHING: break;
    }
}

void build_record_of_event(const build_outcome_plan *plan, size_t b, size_t i, build_field_overrides *overrides,
                           build_chunk *out)
{
    const build_model_buffer *buffer = &plan->model->buffers[b];
    const build_buffer_outcome *outcome = &plan->buffers[b];
    const build_event_view *view = &outcome->events[i].view;
    const build_structure buffer_header = header_of(plan, b);
    const bool inflated = buffer->compression != BUILD_MODEL_PLAIN;
    const uint64_t offset = (inflated ? 0 : buffer->offset) + buffer->events[i].at;
    const build_span data = build_span_slice(view->bytes, view->header_size + view->items_size, view->data_size);
    build_json_object object = build_json_object_open(out, overrides, buffer->events[i].name);
    build_json_object_text(&object, "rec", "event");
    build_json_object_u64(&object, "buffer", outcome->index);
    build_json_object_u64(&object, "index", outcome->events[i].index);
    build_json_object_u64(&object, "offset", offset);
    if (inflated)
        build_json_object_text(&object, "space", "inflated");
    build_json_object_hex(&object, "header_type", view->type, 2);
    build_json_object_text(&object, "name", etl_header_type_name(view->type));
    build_json_object_number(&object, "size", view->size);
    build_json_object_hex(&object, "marker", view->marker, 2);
    build_json_object_number(&object, "processor", build_structure_processor(&buffer_header));
    put_header(&object, view, &buffer->events[i], offset, outcome->session);
    put_own_payload(&object, view, data);
    put_pointer_size(&object, view, outcome->session);
    build_json_object_u64(&object, "data_offset", offset + view->header_size + view->items_size);
    build_json_object_number(&object, "data_size", view->data_size);
    build_json_object_dump(&object, "data", data.at, data.size);
    put_recovery(&object, outcome->events[i].should);
    build_json_object_close(&object);
}
