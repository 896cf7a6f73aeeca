/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

/* Who, when and how long: what most headers share. */
static void common(etl_json *json, const etl_event *event, const etl_event_fields *fields, const etl_clock *clock)
{
    uint64_t filetime = 0;
    if (event->has_time) {
        etl_json_i64(json, "timestamp", event->time);
        if (etl_clock_filetime(clock, event->time, &filetime))
            etl_json_filetime(json, "utc", filetime);
    }
    if (fields->has_thread_id && fields->has_process_id)
        etl_json_u32(json, "tid", (uint32_t)fields->thread_id);
    else if (fields->has_thread_id)
        etl_json_u64(json, "tid", fields->thread_id);
    if (fields->has_process_id)
        etl_json_u32(json, "pid", fields->process_id);
    if (fields->has_times) {
        etl_json_u32(json, "kernel_time", fields->kernel_time);
        etl_json_u32(json, "user_time", fields->user_time);
    }
    if (fields->has_processor_time)
        etl_json_u64(json, "processor_time", fields->processor_time);
}

/* SYSTEM, COMPACT, PERFINFO */
static void kernel(etl_json *json, const etl_event_fields *fields)
{
    etl_json_hex(json, "hook", fields->hook, 4);
    etl_json_u32(json, "group", fields->hook >> 8);
    etl_json_u32(json, "type", fields->hook & 0xFFu);
    etl_json_u32(json, "version", fields->version);
    if (fields->has_pebs)
        etl_json_u64(json, "pebs", fields->pebs);
    if (fields->pmc_count == 0)
        return;
    etl_json_array(json, "pmc");
    for (size_t i = 0; i < fields->pmc_count; i++)
        etl_json_u64(json, NULL, fields->pmc[i]);
    etl_json_array_end(json);
}

/* EVENT_HEADER */
static void manifest(etl_json *json, const etl_event *event, const etl_event_fields *fields)
{
    etl_json_guid(json, "provider", &fields->provider);
    etl_json_u32(json, "id", fields->id);
    etl_json_u32(json, "version", fields->version);
    etl_json_u32(json, "channel", fields->channel);
    etl_json_u32(json, "level", fields->level);
    etl_json_u32(json, "opcode", fields->opcode);
    etl_json_u32(json, "task", fields->task);
    etl_json_hex(json, "keyword", fields->keyword, 16);
    etl_json_hex(json, "flags", fields->flags, 4);
    etl_json_hex(json, "property", fields->property, 4);
    etl_json_guid(json, "activity", &fields->activity);
    etl_record_items(json, event);
}

/* FULL_HEADER, INSTANCE in both shapes */
static void classic(etl_json *json, etl_layout layout, const etl_event_fields *fields)
{
    if (fields->has_provider)
        etl_json_guid(json, "provider", &fields->provider);
    etl_json_u32(json, "type", fields->type);
    etl_json_u32(json, "level", fields->level);
    etl_json_u32(json, "version", fields->version);
    if (layout == ETL_LAYOUT_FULL)
        return;
    etl_json_u32(json, "instance_id", fields->instance_id);
    etl_json_u32(json, "parent_instance_id", fields->parent_instance_id);
    if (layout == ETL_LAYOUT_INSTANCE_GUID) {
        etl_json_guid(json, "parent_provider", &fields->parent_provider);
    } else {
        etl_json_u64(json, "reg_handle", fields->reg_handle);
        etl_json_u64(json, "parent_reg_handle", fields->parent_reg_handle);
    }
}

static void message(etl_json *json, const etl_event_fields *fields)
{
    etl_json_u32(json, "message", fields->message);
    etl_json_hex(json, "options", fields->options, 4);
    if (fields->has_sequence)
        etl_json_u32(json, "sequence", fields->sequence);
    if (fields->has_provider)
        etl_json_guid(json, "provider", &fields->provider);
    if (fields->has_component_id)
        etl_json_u32(json, "component_id", fields->component_id);
}

/* The members that only this kind of header has. */
static void own(etl_json *json, const etl_event *event, const etl_event_fields *fields)
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

static void header_extension(etl_json *json, etl_span data)
{
    etl_header_extension extension;
    if (!etl_header_extension_read(data, &extension))
        return;
    etl_json_object(json, "header_extension");
    etl_json_array(json, "group_mask");
    for (size_t i = 0; i < sizeof extension.group_mask / sizeof extension.group_mask[0]; i++)
        etl_json_hex(json, NULL, extension.group_mask[i], 8);
    etl_json_array_end(json);
    if (extension.has_version)
        etl_json_u32(json, "version", extension.version);
    etl_json_object_end(json);
}

/* Left out where neither the event nor the file says it. */
static void pointer_size(etl_json *json, const etl_event *event)
{
    const uint8_t size = etl_event_pointer_size(event);
    if (size != 0)
        etl_json_u32(json, "pointer_size", size);
}

/* The payloads that describe the file itself. A second logfile header has members of its own, so it is read here. */
static void own_payload(etl_json *json, const etl_event *event, const etl_event_fields *fields, const etl_buffer *buffer)
{
    if (event->layout != ETL_LAYOUT_SYSTEM && event->layout != ETL_LAYOUT_PERFINFO)
        return;
    if (fields->hook == ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION || fields->hook == ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END)
        header_extension(json, etl_event_data(event));
    uint64_t origin = event->space == ETL_SPACE_INFLATED ? 0 : buffer->offset;
    size_t at = (size_t)(event->offset - origin);
    if (!etl_logfile_here(buffer->data, at))
        return;
    etl_findings known = {0};
    etl_logfile logfile;
    etl_logfile_read(buffer->data, at, origin, &logfile, &known);
    etl_record_logfile(json, &logfile);
}

void etl_record_event(etl_json *json, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                      bool payload)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    etl_record_open(json, ETL_RECORD_EVENT);
    etl_json_u64(json, "buffer", buffer->index);
    etl_json_u64(json, "index", event->index);
    etl_json_u64(json, "offset", event->offset);
    if (event->space == ETL_SPACE_INFLATED)
        etl_json_text(json, "space", "inflated");
    etl_json_hex(json, "header_type", event->type, 2);
    etl_json_text(json, "name", etl_header_type_name(event->type));
    etl_json_u32(json, "size", event->size);
    etl_json_hex(json, "marker", event->marker, 2);
    etl_json_u32(json, "processor", buffer->header.processor);
    common(json, event, &fields, clock);
    own(json, event, &fields);
    own_payload(json, event, &fields, buffer);
    pointer_size(json, event);
    etl_json_u64(json, "data_offset", event->offset + event->header_size + event->items_size);
    etl_json_u32(json, "data_size", event->data_size);
    if (payload)
        etl_json_bytes(json, "data", etl_event_data(event));
    etl_json_object_end(json);
    etl_json_line(json);
}
