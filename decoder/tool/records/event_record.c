/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode record of an event as JSON. Its extended items are in item_record.c.
 */
#include "records/record.h"

#include "records/field_record.h"

#include "span.h"

/* Header type and name */
static char *header_type(char *at, uint8_t type)
{
    TOOL_MEMBER(hex_u8, "header_type", type);
    at = tool_write_text(TOOL_JSON_KEY(at, "name"), "\"");
    switch (type) {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) \
    case value: at = tool_write_text(at, #name); break;
#include "format/header_types.def"
    default: at = tool_write_text(at, "UNKNOWN"); break;
    }
    return tool_write_text(at, "\"");
}

/* Time, thread and process: the members that most headers have. */
static char *common(tool_json *json, char *at, const etl_event *event, const etl_event_fields *fields,
                    const etl_clock *clock)
{
    uint64_t filetime = 0;
    if (event->has_time) {
        TOOL_MEMBER(i64, "timestamp", event->time);
        if (etl_clock_filetime(clock, event->time, &filetime) && tool_json_find_second(json, filetime))
            at = tool_value_utc(TOOL_JSON_KEY(at, "utc"), filetime, json);
    }
    if (fields->has_thread_id && fields->has_process_id)
        TOOL_MEMBER(u32, "tid", (uint32_t)fields->thread_id);
    else if (fields->has_thread_id)
        TOOL_MEMBER(u64, "tid", fields->thread_id);
    if (fields->has_process_id)
        TOOL_MEMBER(u32, "pid", fields->process_id);
    if (fields->has_times) {
        TOOL_MEMBER(u32, "kernel_time", fields->kernel_time);
        TOOL_MEMBER(u32, "user_time", fields->user_time);
    }
    if (fields->has_processor_time)
        TOOL_MEMBER(u64, "processor_time", fields->processor_time);
    return at;
}

/* SYSTEM, COMPACT, PERFINFO */
static char *kernel(char *at, const etl_event_fields *fields)
{
    TOOL_MEMBER(hex_u16, "hook", fields->hook);
    TOOL_MEMBER(u32, "group", fields->hook >> 8);
    TOOL_MEMBER(u32, "type", fields->hook & 0xFFu);
    TOOL_MEMBER(u32, "version", fields->version);
    if (fields->has_pebs)
        TOOL_MEMBER(u64, "pebs", fields->pebs);
    if (fields->pmc_count == 0)
        return at;
    at = TOOL_JSON_KEY(at, "pmc");
    for (size_t i = 0; i < fields->pmc_count; i++) {
        *at = i == 0 ? '[' : ',';
        at = tool_value_u64(at + 1, fields->pmc[i]);
    }
    return tool_write_text(at, "]");
}

/* EVENT_HEADER */
static char *manifest(char *at, const etl_event_fields *fields)
{
    TOOL_MEMBER(guid, "provider", &fields->provider);
    TOOL_MEMBER(u32, "id", fields->id);
    TOOL_MEMBER(u32, "version", fields->version);
    TOOL_MEMBER(u32, "channel", fields->channel);
    TOOL_MEMBER(u32, "level", fields->level);
    TOOL_MEMBER(u32, "opcode", fields->opcode);
    TOOL_MEMBER(u32, "task", fields->task);
    TOOL_MEMBER(hex_u64, "keyword", fields->keyword);
    TOOL_MEMBER(hex_u16, "flags", fields->flags);
    TOOL_MEMBER(hex_u16, "property", fields->property);
    TOOL_MEMBER(guid, "activity", &fields->activity);
    return at;
}

/* FULL_HEADER, INSTANCE in both shapes */
static char *classic(char *at, etl_layout layout, const etl_event_fields *fields)
{
    if (fields->has_provider)
        TOOL_MEMBER(guid, "provider", &fields->provider);
    TOOL_MEMBER(u32, "type", fields->type);
    TOOL_MEMBER(u32, "level", fields->level);
    TOOL_MEMBER(u32, "version", fields->version);
    if (layout == ETL_LAYOUT_FULL)
        return at;
    TOOL_MEMBER(u32, "instance_id", fields->instance_id);
    TOOL_MEMBER(u32, "parent_instance_id", fields->parent_instance_id);
    if (layout == ETL_LAYOUT_INSTANCE_GUID) {
        TOOL_MEMBER(guid, "parent_provider", &fields->parent_provider);
    } else {
        TOOL_MEMBER(u64, "reg_handle", fields->reg_handle);
        TOOL_MEMBER(u64, "parent_reg_handle", fields->parent_reg_handle);
    }
    return at;
}

static char *message(char *at, const etl_event_fields *fields)
{
    TOOL_MEMBER(u32, "message", fields->message);
    TOOL_MEMBER(hex_u16, "options", fields->options);
    if (fields->has_sequence)
        TOOL_MEMBER(u32, "sequence", fields->sequence);
    if (fields->has_provider)
        TOOL_MEMBER(guid, "provider", &fields->provider);
    if (fields->has_component_id)
        TOOL_MEMBER(u32, "component_id", fields->component_id);
    return at;
}

/* The members of this event layout only. */
static char *own(char *at, const etl_event *event, const etl_event_fields *fields)
{
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: return kernel(at, fields);
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID: return classic(at, event->layout, fields);
    case ETL_LAYOUT_EVENT: return manifest(at, fields);
    case ETL_LAYOUT_MESSAGE: return message(at, fields);
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
    return at;
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
    switch (fields->hook) {
    case ETL_HOOK_WMI_LOG_TYPE_HEADER: logfile_header(json, event, buffer); break;
    case ETL_HOOK_WMI_LOG_TYPE_HEADER_EXTENSION:
    case ETL_HOOK_WMI_LOG_TYPE_GROUP_MASKS_END: header_extension(json, etl_event_data(event)); break;
    case ETL_HOOK_Header_LastDroppedTimes: last_dropped_times(json, etl_event_data(event)); break;
    default: break;
    }
}

/* From the start of the record to the members of its layout. */
static void head(tool_json *json, const etl_event *event, const etl_event_fields *fields, const etl_buffer *buffer,
                 const etl_clock *clock)
{
    char *at = tool_json_run(json);
    TOOL_MEMBER(u64, "buffer", buffer->index);
    TOOL_MEMBER(u64, "index", event->index);
    TOOL_MEMBER(u64, "offset", event->offset);
    if (event->space == ETL_SPACE_INFLATED)
        at = tool_write_text(TOOL_JSON_KEY(at, "space"), "\"inflated\"");
    at = header_type(at, event->type);
    TOOL_MEMBER(u32, "size", event->size);
    TOOL_MEMBER(hex_u8, "marker", event->marker);
    TOOL_MEMBER(u32, "processor", buffer->header.processor);
    at = common(json, at, event, fields, clock);
    tool_json_end(json, own(at, event, fields));
}

/* Pointer size, omitted if neither the event nor the file states it, and the place of the payload. */
static void data(tool_json *json, const etl_event *event)
{
    const uint8_t pointer_size = etl_event_pointer_size(event);
    char *at = tool_json_run(json);
    if (pointer_size != 0)
        TOOL_MEMBER(u32, "pointer_size", pointer_size);
    TOOL_MEMBER(u64, "data_offset", event->offset + event->header_size + event->items_size);
    TOOL_MEMBER(u32, "data_size", event->data_size);
    tool_json_end(json, at);
}

void tool_record_event(tool_json *json, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                       tool_payload_form payload, const tool_schemas *schemas)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    tool_record_open(json, TOOL_RECORD_EVENT);
    head(json, event, &fields, buffer, clock);
    if (event->layout == ETL_LAYOUT_EVENT)
        tool_record_items(json, event);
    if (event->layout == ETL_LAYOUT_SYSTEM || event->layout == ETL_LAYOUT_PERFINFO)
        own_payload(json, event, &fields, buffer);
    data(json, event);
    if (payload & TOOL_PAYLOAD_HEX)
        tool_json_bytes(json, "data", etl_event_data(event));
    if (payload & TOOL_PAYLOAD_FIELDS)
        tool_record_fields(json, event, schemas);
    tool_json_object_end(json);
    tool_json_line(json);
}
