/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks every member of etl_event_fields against the header as the oracle reads it by the tables; fields that the layout
 * lacks must be 0. Called by targets of single events.
 */
#include "entry_points.h"
#include "input_bytes.h"

/* A member of a structure at `b`. */
#define U8(structure, member) (b[ETL_AT(structure, member)])
#define U16(structure, member) oracle_raw_u16(b + ETL_AT(structure, member))
#define U32(structure, member) oracle_raw_u32(b + ETL_AT(structure, member))
#define U64(structure, member) oracle_raw_u64(b + ETL_AT(structure, member))
#define GUID(structure, member) oracle_raw_guid(b + ETL_AT(structure, member))

static void read_ids(uint64_t thread, uint32_t process, etl_event_fields *f)
{
    f->has_thread_id = f->has_process_id = true;
    f->thread_id = thread;
    f->process_id = process;
}

static void read_times(const uint8_t *at, bool one, etl_event_fields *f)
{
    f->has_times = !one;
    f->has_processor_time = one;
    f->kernel_time = one ? 0 : oracle_raw_u32(at);
    f->user_time = one ? 0 : oracle_raw_u32(at + 4);
    f->processor_time = one ? oracle_raw_u64(at) : 0;
}

static void read_hook(const uint8_t *b, etl_event_fields *f)
{
    f->version_word = U16(PERFINFO_TRACE_HEADER, Version);
    f->version = U8(PERFINFO_TRACE_HEADER, Version);
    f->hook = U16(PERFINFO_TRACE_HEADER, HookId);
}

/* Counters and PEBS index count only if the header has all of them. */
static void read_perfinfo(const etl_event *event, etl_event_fields *f)
{
    const uint8_t *b = event->bytes.at;
    read_hook(b, f);
    uint32_t extra = event->header_size - ETL_SIZE(PERFINFO_TRACE_HEADER);
    const uint8_t *at = b + ETL_SIZE(PERFINFO_TRACE_HEADER);
    if (extra == 0)
        return;
    f->has_pebs = f->version_word >> 15;
    if (f->has_pebs) {
        f->pebs = oracle_raw_u64(at);
        at += 8;
    }
    f->pmc_count = (f->version_word >> 8) % 8;
    for (unsigned i = 0; i < f->pmc_count; i++)
        f->pmc[i] = oracle_raw_u64(at + i * (size_t)8);
}

static void read_class(const etl_event *event, etl_event_fields *f)
{
    const uint8_t *b = event->bytes.at;
    f->type = U8(EVENT_TRACE_HEADER, ClassType);
    f->level = U8(EVENT_TRACE_HEADER, ClassLevel);
    f->version = U16(EVENT_TRACE_HEADER, ClassVersion);
    read_times(b + ETL_AT(EVENT_TRACE_HEADER, KernelTime), event->context.processor_time, f);
    read_ids(U32(EVENT_TRACE_HEADER, ThreadId), U32(EVENT_TRACE_HEADER, ProcessId), f);
    if (!event->context.thread_id_64)
        return;
    f->thread_id |= (uint64_t)f->process_id << 32;
    f->process_id = 0;
    f->has_process_id = false;
}

static void read_provider(etl_guid provider, etl_event_fields *f)
{
    f->has_provider = true;
    f->provider = provider;
}

static void read_instance(const uint8_t *b, etl_event_fields *f)
{
    f->reg_handle = U64(EVENT_INSTANCE_HEADER, RegHandle);
    f->instance_id = U32(EVENT_INSTANCE_HEADER, InstanceId);
    f->parent_instance_id = U32(EVENT_INSTANCE_HEADER, ParentInstanceId);
    f->parent_reg_handle = U64(EVENT_INSTANCE_HEADER, ParentRegHandle);
}

static void read_instance_guid(const uint8_t *b, etl_event_fields *f)
{
    read_provider(GUID(EVENT_INSTANCE_GUID_HEADER, Guid), f);
    f->instance_id = U32(EVENT_INSTANCE_GUID_HEADER, InstanceId);
    f->parent_instance_id = U32(EVENT_INSTANCE_GUID_HEADER, ParentInstanceId);
    f->parent_provider = GUID(EVENT_INSTANCE_GUID_HEADER, ParentGuid);
}

static void read_event_header(const etl_event *event, etl_event_fields *f)
{
    const uint8_t *b = event->bytes.at;
    f->flags = U16(EVENT_HEADER, Flags);
    f->property = U16(EVENT_HEADER, EventProperty);
    read_ids(U32(EVENT_HEADER, ThreadId), U32(EVENT_HEADER, ProcessId), f);
    read_provider(GUID(EVENT_HEADER, ProviderId), f);
    f->id = U16(EVENT_HEADER, Id);
    f->version = U8(EVENT_HEADER, Version);
    f->channel = U8(EVENT_HEADER, Channel);
    f->level = U8(EVENT_HEADER, Level);
    f->opcode = U8(EVENT_HEADER, Opcode);
    f->task = U16(EVENT_HEADER, Task);
    f->keyword = U64(EVENT_HEADER, Keyword);
    read_times(b + ETL_AT(EVENT_HEADER, KernelTime),
               event->context.processor_time || (f->flags & ETL_EVENT_FLAG_PRIVATE_SESSION) != 0, f);
    f->activity = GUID(EVENT_HEADER, ActivityId);
}

static void read_message(const etl_event *event, etl_event_fields *f)
{
    const uint8_t *b = event->bytes.at;
    f->message = U16(MESSAGE_TRACE_HEADER, MessageNumber);
    f->options = U16(MESSAGE_TRACE_HEADER, OptionFlags);
    const oracle_message_places places = oracle_message_places_of(f->options, event->size);
    f->has_sequence = places.sequence != 0;
    f->sequence = places.sequence ? oracle_raw_u32(b + places.sequence) : 0;
    f->has_component_id = places.component_id != 0;
    f->component_id = places.component_id ? oracle_raw_u32(b + places.component_id) : 0;
    if (places.guid)
        read_provider(oracle_raw_guid(b + places.guid), f);
    if (places.system_info)
        read_ids(oracle_raw_u32(b + places.system_info), oracle_raw_u32(b + places.system_info + 4), f);
}

static void read_fields(const etl_event *event, etl_event_fields *f)
{
    const uint8_t *b = event->bytes.at;
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
        read_times(b + ETL_AT(SYSTEM_TRACE_HEADER, KernelTime), false, f);
        read_hook(b, f);
        read_ids(U32(SYSTEM_TRACE_HEADER, ThreadId), U32(SYSTEM_TRACE_HEADER, ProcessId), f);
        break;
    case ETL_LAYOUT_COMPACT:
        read_hook(b, f);
        read_ids(U32(COMPACT_TRACE_HEADER, ThreadId), U32(COMPACT_TRACE_HEADER, ProcessId), f);
        break;
    case ETL_LAYOUT_PERFINFO: read_perfinfo(event, f); break;
    case ETL_LAYOUT_FULL:
        read_class(event, f);
        read_provider(GUID(EVENT_TRACE_HEADER, Guid), f);
        break;
    case ETL_LAYOUT_INSTANCE:
        read_class(event, f);
        read_instance(b, f);
        break;
    case ETL_LAYOUT_INSTANCE_GUID:
        read_class(event, f);
        read_instance_guid(b, f);
        break;
    case ETL_LAYOUT_EVENT: read_event_header(event, f); break;
    case ETL_LAYOUT_MESSAGE: read_message(event, f); break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

/* Every member of etl_event_fields that is a number, and those that are not. */
#define NUMBERS(FIELD) \
    FIELD(has_thread_id) FIELD(has_process_id) FIELD(has_times) FIELD(has_processor_time) FIELD(thread_id) \
    FIELD(process_id) FIELD(kernel_time) FIELD(user_time) FIELD(processor_time) FIELD(hook) FIELD(version_word) \
    FIELD(has_pebs) FIELD(pebs) FIELD(pmc_count) FIELD(version) FIELD(type) FIELD(level) FIELD(flags) FIELD(property) \
    FIELD(id) FIELD(channel) FIELD(opcode) FIELD(task) FIELD(keyword) FIELD(has_provider) FIELD(instance_id) \
    FIELD(parent_instance_id) FIELD(reg_handle) FIELD(parent_reg_handle) FIELD(message) FIELD(options) \
    FIELD(has_sequence) FIELD(has_component_id) FIELD(sequence) FIELD(component_id)
#define BLOCKS(FIELD) FIELD(pmc) FIELD(activity) FIELD(provider) FIELD(parent_provider)

/* Compared one by one: under sanitizers and libFuzzer, memcmp takes more time than all other checks here. */
bool oracle_fields(oracle_watch *oracle, const etl_event *event, const etl_event_fields *fields)
{
    etl_event_fields expected = {0};
    read_fields(event, &expected);
    bool same = true;
#define FIELD(name) same = same && oracle_condition(expected.name == fields->name, #name);
    NUMBERS(FIELD)
#undef FIELD
#define FIELD(name) same = same && oracle_condition(memcmp(&expected.name, &fields->name, sizeof fields->name) == 0, #name);
    BLOCKS(FIELD)
#undef FIELD
    return same || oracle_break(oracle, ORACLE_PROMISE_EVENT_FIELDS, event->offset);
}
