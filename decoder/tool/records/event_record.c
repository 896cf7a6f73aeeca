/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode record of an event as JSON. Its extended items are in item_record.c.
 */
#include "records/record.h"

#include "span.h"

/* Time, thread and process: the members that most headers have. */
static void common(tool_json *json, const etl_event *event, const etl_event_fields *fields, const etl_clock *clock)
{
    uint64_t filetime = 0;
    if (event->has_time) {
        tool_json_i64(json, "timestamp", event->time);
        if (etl_clock_filetime(clock, event->time, &filetime))
            tool_json_filetime(json, "utc", filetime);
    }
    if (fields->has_thread_id && fields->has_process_id)
        tool_json_u32(json, "tid", (uint32_t)fields->thread_id);
    else if (fields->has_thread_id)
        tool_json_u64(json, "tid", fields->thread_id);
    if (fields->has_process_id)
        tool_json_u32(json, "pid", fields->process_id);
    if (fields->has_times) {
        tool_json_u32(json, "kernel_time", fields->kernel_time);
        tool_json_u32(json, "user_time", fields->user_time);
    }
    if (fields->has_processor_time)
        tool_json_u64(json, "processor_time", fields->processor_time);
}

/* SYSTEM, COMPACT, PERFINFO */
static void kernel(tool_json *json, const etl_event_fields *fields)
{
    tool_json_hex(json, "hook", fields->hook, 4);
    tool_json_u32(json, "group", fields->hook >> 8);
    tool_json_u32(json, "type", fields->hook & 0xFFu);
    tool_json_u32(json, "version", fields->version);
    if (fields->has_pebs)
        tool_json_u64(json, "pebs", fields->pebs);
    if (fields->pmc_count == 0)
        return;
    tool_json_array(json, "pmc");
    for (size_t i = 0; i < fields->pmc_count; i++)
        tool_json_u64(json, NULL, fields->pmc[i]);
    tool_json_array_end(json);
}

/* EVENT_HEADER */
static void manifest(tool_json *json, const etl_event *event, const etl_event_fields *fields)
{
    tool_json_guid(json, "provider", &fields->provider);
    tool_json_u32(json, "id", fields->id);
    tool_json_u32(json, "version", fields->version);
    tool_json_u32(json, "channel", fields->channel);
    tool_json_u32(json, "level", fields->level);
    tool_json_u32(json, "opcode", fields->opcode);
    tool_json_u32(json, "task", fields->task);
    tool_json_hex(json, "keyword", fields->keyword, 16);
    tool_json_hex(json, "flags", fields->flags, 4);
    tool_json_hex(json, "property", fields->property, 4);
    tool_json_guid(json, "activity", &fields->activity);
    tool_record_items(json, event);
}

/* FULL_HEADER, INSTANCE in both shapes */
static void classic(tool_json *json, etl_layout layout, const etl_event_fields *fields)
{
    if (fields->has_provider)
        tool_json_guid(json, "provider", &fields->provider);
    tool_json_u32(json, "type", fields->type);
    tool_json_u32(json, "level", fields->level);
    tool_json_u32(json, "version", fields->version);
    if (layout == ETL_LAYOUT_FULL)
        return;
    tool_json_u32(json, "instance_id", fields->instance_id);
    tool_json_u32(json, "parent_instance_id", fields->parent_instance_id);
    if (layout == ETL_LAYOUT_INSTANCE_GUID) {
        tool_json_guid(json, "parent_provider", &fields->parent_provider);
    } else {
        tool_json_u64(json, "reg_handle", fields->reg_handle);
        tool_json_u64(json, "parent_reg_handle", fields->parent_reg_handle);
    }
}

static void message(tool_json *json, const etl_event_fields *fields)
{
    tool_json_u32(json, "message", fields->message);
    tool_json_hex(json, "options", fields->options, 4);
    if (fields->has_sequence)
        tool_json_u32(json, "sequence", fields->sequence);
    if (fields->has_provider)
        tool_json_guid(json, "provider", &fields->provider);
    if (fields->has_component_id)
        tool_json_u32(json, "component_id", fields->component_id);
}

/* The members of this event layout only. */
static void own(tool_json *json, const etl_event *event, const etl_event_fields *fields)
{
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: kernel(json, fields); break;
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID: classic(json, event->layout, fields); break;
    case ETL_LAYOUT_EVENT: manifest(json, event, fields); break;
    case ETL_LAYOUT_MESSAGE: message(json, fields); break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

static void header_extension(tool_json *json, etl_span data)
{
    etl_header_extension extension;
    if (!etl_header_extension_read(data, &extension))
        return;
    tool_json_object(json, "header_extension");
    tool_json_array(json, "group_mask");
    for (size_t i = 0; i < sizeof extension.group_mask / sizeof extension.group_mask[0]; i++)
        tool_json_hex(json, NULL, extension.group_mask[i], 8);
    tool_json_array_end(json);
    if (extension.has_version)
        tool_json_u32(json, "version", extension.version);
    tool_json_object_end(json);
}

static void last_dropped_times(tool_json *json, etl_span data)
{
    etl_last_dropped_times dropped;
    if (!etl_last_dropped_times_read(data, &dropped))
        return;
    tool_json_object(json, "last_dropped_times");
    tool_json_u32(json, "count", dropped.count);
    tool_json_array(json, "times");
    for (size_t at = 0; at < dropped.times.size; at += 8)
        tool_json_i64(json, NULL, etl_load_i64(dropped.times, at));
    tool_json_array_end(json);
    tool_json_object_end(json);
}

/* Omitted if neither the event nor the file states it. */
static void pointer_size(tool_json *json, const etl_event *event)
{
    const uint8_t size = etl_event_pointer_size(event);
    if (size != 0)
        tool_json_u32(json, "pointer_size", size);
}

/* A second logfile header may differ from the first, so each is read here again. */
static void logfile_header(tool_json *json, const etl_event *event, const etl_buffer *buffer)
{
    uint64_t origin = event->space == ETL_SPACE_INFLATED ? 0 : buffer->offset;
    size_t at = (size_t)(event->offset - origin);
    if (!etl_logfile_here(buffer->data, at))
        return;
    etl_findings known = {0};
    etl_logfile logfile;
    etl_logfile_read(buffer->data, at, origin, &logfile, &known);
    tool_record_logfile(json, &logfile);
}

/* Decodes the payload of events about the trace itself. */
static void own_payload(tool_json *json, const etl_event *event, const etl_event_fields *fields, const etl_buffer *buffer)
{
    if (event->layout != ETL_LAYOUT_SYSTEM && event->layout != ETL_LAYOUT_PERFINFO)
        return;
    switch (fields->hook) {
    case ETL_HOOK_WMI_LOG_TYPE_HEADER: logfile_header(json, event, buffer); break;
    case ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION:
    case ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END: header_extension(json, etl_event_data(event)); break;
    case ETL_HOOK_Header_LastDroppedTimes: last_dropped_times(json, etl_event_data(event)); break;
    default: break;
    }
}

void tool_record_event(tool_json *json, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                       bool payload)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    tool_record_open(json, TOOL_RECORD_EVENT);
    tool_json_u64(json, "buffer", buffer->index);
    tool_json_u64(json, "index", event->index);
    tool_json_u64(json, "offset", event->offset);
    if (event->space == ETL_SPACE_INFLATED)
        tool_json_name(json, "space", "inflated");
    tool_json_hex(json, "header_type", event->type, 2);
    tool_json_name(json, "name", etl_header_type_name(event->type));
    tool_json_u32(json, "size", event->size);
    tool_json_hex(json, "marker", event->marker, 2);
    tool_json_u32(json, "processor", buffer->header.processor);
    common(json, event, &fields, clock);
    own(json, event, &fields);
    own_payload(json, event, &fields, buffer);
    pointer_size(json, event);
    tool_json_u64(json, "data_offset", event->offset + event->header_size + event->items_size);
    tool_json_u32(json, "data_size", event->data_size);
    if (payload)
        tool_json_bytes(json, "data", etl_event_data(event));
    tool_json_object_end(json);
    tool_json_line(json);
}
