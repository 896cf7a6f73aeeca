/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the fields of the trace header of a framed event, for users of the library. There is one function for each
 * layout; it stays within the sizes that framing has checked.
 */
#include "etlproof/event.h"

#include "event_form.h"
#include "message.h"
#include "span.h"

/*@ predicate readable_to{L}(etl_event *event, etl_event_fields *fields) =
  @   \valid_read(event) && etl_readable(event->bytes) && \valid(fields) && \separated(fields, event) &&
  @   \separated(fields, event->bytes.at + (0 .. event->bytes.size - 1)); */

/* The two dwords of processor time, or the one qword that private loggers store there. */
/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_times(const etl_event *event, uint32_t at, bool as_one, etl_event_fields *fields)
{
    fields->has_processor_time = as_one;
    fields->has_times = !as_one;
    if (as_one) {
        fields->processor_time = etl_load_u64(event->bytes, at);
        return;
    }
    fields->kernel_time = etl_load_u32(event->bytes, at);
    fields->user_time = etl_load_u32(event->bytes, (size_t)at + 4);
}

/* SYSTEM and COMPACT; PERFINFO shares the first eight bytes. */
/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_hook(const etl_event *event, etl_event_fields *fields)
{
    fields->version_word = etl_load_u16(event->bytes, ETL_AT(SYSTEM_TRACE_HEADER, Version));
    fields->version = fields->version_word & ETL_VERSION_MASK_EVENT_VERSION;
    fields->hook = etl_load_u16(event->bytes, ETL_AT(SYSTEM_TRACE_HEADER, HookId));
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_system(const etl_event *event, etl_event_fields *fields)
{
    read_hook(event, fields);
    fields->has_thread_id = fields->has_process_id = true;
    fields->thread_id = etl_load_u32(event->bytes, ETL_AT(SYSTEM_TRACE_HEADER, ThreadId));
    fields->process_id = etl_load_u32(event->bytes, ETL_AT(SYSTEM_TRACE_HEADER, ProcessId));
    if (event->layout == ETL_LAYOUT_SYSTEM)
        read_times(event, ETL_AT(SYSTEM_TRACE_HEADER, KernelTime), false, fields);
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_perfinfo(const etl_event *event, etl_event_fields *fields)
{
    read_hook(event, fields);
    uint32_t at = ETL_SIZE(PERFINFO_TRACE_HEADER);
    if (event->header_size == at)
        return; /* nothing announced, or TYP-006: it does not fit */
    fields->has_pebs = (fields->version_word & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    if (fields->has_pebs) {
        fields->pebs = etl_load_u64(event->bytes, at);
        at += 8;
    }
    fields->pmc_count = (uint8_t)etl_pmc_count(fields->version_word);
    /*@ loop invariant 0 <= i <= fields->pmc_count <= 7;
      @ loop assigns i, fields->pmc[0 .. 6];
      @ loop variant fields->pmc_count - i; */
    for (uint32_t i = 0; i < fields->pmc_count; i++)
        fields->pmc[i] = etl_load_u64(event->bytes, at + i * 8u);
}

/* The fields that FULL and both INSTANCE headers share. */
/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_class(const etl_event *event, etl_event_fields *fields)
{
    fields->type = etl_load_u8(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ClassType));
    fields->level = etl_load_u8(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ClassLevel));
    fields->version = etl_load_u16(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ClassVersion));
    fields->has_thread_id = true;
    fields->has_process_id = !event->context.thread_id_64;
    if (event->context.thread_id_64) {
        fields->thread_id = etl_load_u64(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ThreadId));
    } else {
        fields->thread_id = etl_load_u32(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ThreadId));
        fields->process_id = etl_load_u32(event->bytes, ETL_AT(EVENT_TRACE_HEADER, ProcessId));
    }
    read_times(event, ETL_AT(EVENT_TRACE_HEADER, KernelTime), event->context.processor_time, fields);
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_full(const etl_event *event, etl_event_fields *fields)
{
    read_class(event, fields);
    fields->has_provider = true;
    fields->provider = etl_load_guid(event->bytes, ETL_AT(EVENT_TRACE_HEADER, Guid));
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_instance(const etl_event *event, etl_event_fields *fields)
{
    read_class(event, fields);
    fields->reg_handle = etl_load_u64(event->bytes, ETL_AT(EVENT_INSTANCE_HEADER, RegHandle));
    fields->instance_id = etl_load_u32(event->bytes, ETL_AT(EVENT_INSTANCE_HEADER, InstanceId));
    fields->parent_instance_id = etl_load_u32(event->bytes, ETL_AT(EVENT_INSTANCE_HEADER, ParentInstanceId));
    fields->parent_reg_handle = etl_load_u64(event->bytes, ETL_AT(EVENT_INSTANCE_HEADER, ParentRegHandle));
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_instance_guid(const etl_event *event, etl_event_fields *fields)
{
    read_full(event, fields);
    fields->instance_id = etl_load_u32(event->bytes, ETL_AT(EVENT_INSTANCE_GUID_HEADER, InstanceId));
    fields->parent_instance_id = etl_load_u32(event->bytes, ETL_AT(EVENT_INSTANCE_GUID_HEADER, ParentInstanceId));
    fields->parent_provider = etl_load_guid(event->bytes, ETL_AT(EVENT_INSTANCE_GUID_HEADER, ParentGuid));
}

/* EVENT_DESCRIPTOR */
/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_descriptor(const etl_event *event, etl_event_fields *fields)
{
    fields->id = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Id));
    fields->version = etl_load_u8(event->bytes, ETL_AT(EVENT_HEADER, Version));
    fields->channel = etl_load_u8(event->bytes, ETL_AT(EVENT_HEADER, Channel));
    fields->level = etl_load_u8(event->bytes, ETL_AT(EVENT_HEADER, Level));
    fields->opcode = etl_load_u8(event->bytes, ETL_AT(EVENT_HEADER, Opcode));
    fields->task = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Task));
    fields->keyword = etl_load_u64(event->bytes, ETL_AT(EVENT_HEADER, Keyword));
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_event_header(const etl_event *event, etl_event_fields *fields)
{
    fields->flags = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, Flags));
    fields->property = etl_load_u16(event->bytes, ETL_AT(EVENT_HEADER, EventProperty));
    fields->has_thread_id = fields->has_process_id = true;
    fields->thread_id = etl_load_u32(event->bytes, ETL_AT(EVENT_HEADER, ThreadId));
    fields->process_id = etl_load_u32(event->bytes, ETL_AT(EVENT_HEADER, ProcessId));
    fields->has_provider = true;
    fields->provider = etl_load_guid(event->bytes, ETL_AT(EVENT_HEADER, ProviderId));
    read_descriptor(event, fields);
    bool private_session = event->context.processor_time || fields->flags & ETL_EVENT_FLAG_PRIVATE_SESSION;
    read_times(event, ETL_AT(EVENT_HEADER, KernelTime), private_session, fields);
    fields->activity = etl_load_guid(event->bytes, ETL_AT(EVENT_HEADER, ActivityId));
}

/*@ requires readable_to(event, fields);
  @ assigns *fields; */
static void read_message(const etl_event *event, etl_event_fields *fields)
{
    fields->message = etl_load_u16(event->bytes, ETL_AT(MESSAGE_TRACE_HEADER, MessageNumber));
    fields->options = etl_load_u16(event->bytes, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    etl_message_parts parts = etl_message_parts_of(fields->options, event->header_size);
    fields->has_sequence = parts.sequence != 0;
    if (parts.sequence)
        fields->sequence = etl_load_u32(event->bytes, parts.sequence);
    fields->has_component_id = parts.component_id != 0;
    if (parts.component_id)
        fields->component_id = etl_load_u32(event->bytes, parts.component_id);
    fields->has_provider = parts.guid != 0;
    if (parts.guid)
        fields->provider = etl_load_guid(event->bytes, parts.guid);
    fields->has_thread_id = fields->has_process_id = parts.system_info != 0;
    if (parts.system_info) {
        fields->thread_id = etl_load_u32(event->bytes, parts.system_info);
        fields->process_id = etl_load_u32(event->bytes, (size_t)parts.system_info + 4);
    }
}

void etl_event_read(const etl_event *event, etl_event_fields *fields)
{
    *fields = (etl_event_fields){0};
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT: read_system(event, fields); break;
    case ETL_LAYOUT_PERFINFO: read_perfinfo(event, fields); break;
    case ETL_LAYOUT_FULL: read_full(event, fields); break;
    case ETL_LAYOUT_INSTANCE: read_instance(event, fields); break;
    case ETL_LAYOUT_INSTANCE_GUID: read_instance_guid(event, fields); break;
    case ETL_LAYOUT_EVENT: read_event_header(event, fields); break;
    case ETL_LAYOUT_MESSAGE: read_message(event, fields); break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

/*@ requires \valid_read(event) && etl_readable(event->bytes);
  @ assigns \nothing; */
static uint8_t message_pointer_size(const etl_event *event)
{
    uint16_t options = etl_load_u16(event->bytes, ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    switch (options & (ETL_MESSAGE_OPTION_POINTER32 | ETL_MESSAGE_OPTION_POINTER64)) {
    case ETL_MESSAGE_OPTION_POINTER32: return 4;
    case ETL_MESSAGE_OPTION_POINTER64: return 8;
    default: return event->context.pointer_size; /* neither, or both: MSG-004 */
    }
}

uint8_t etl_event_pointer_size(const etl_event *event)
{
    if (event->layout == ETL_LAYOUT_MESSAGE)
        return message_pointer_size(event);
    return etl_header_type_pointer_size(event->type);
}
