/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Round trip: makes a well-formed trace from the input, writes it with the builder, and decodes it. The decode must equal
 * the model and have no complaint. The expected values come from the model, never from the decoder.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broken_promise.h"
#include "exact_copy.h"
#include "image/image.h"
#include "model_from_input.h"
#include "target.h"

typedef struct trip {
    const build_model *model;
    size_t buffer, event; /* buffers begun, and events of the last of them */
    uint8_t *scratch;
    etl_reader reader;
    oracle_watch oracle;
} trip;

static void fail(const trip *t, const char *what, uint64_t written, uint64_t read)
{
    const bool in_buffer = t->buffer > 0 && t->event < t->model->buffers[t->buffer - 1].event_count;
    const uint8_t type = in_buffer ? t->model->buffers[t->buffer - 1].events[t->event].type : 0;
    fprintf(stderr,
            "oracle build broken: %s of event %zu (type 0x%02x) in buffer %zu: written 0x%" PRIx64 ", read 0x%" PRIx64 "\n",
            what, t->event, type, t->buffer, written, read);
    abort();
}

static void hold(const trip *t, const char *what, uint64_t written, uint64_t read)
{
    if (written != read)
        fail(t, what, written, read);
}

static void hold_bytes(const trip *t, const char *what, const uint8_t *written, size_t size, etl_span read)
{
    hold(t, what, size, read.size);
    if (size != 0 && memcmp(written, read.at, size) != 0)
        fail(t, what, written[0], read.at[0]);
}

/* A member of the written header; 0 if the header lacks it. */
static uint64_t member(const build_model_event *event, const char *name)
{
    return build_structure_get(&event->header, name);
}

static void hold_guid(const trip *t, const char *what, const uint8_t *written, const etl_guid *read)
{
    uint8_t stored[16];
    for (size_t i = 0; i < 4; i++)
        stored[i] = (uint8_t)(read->data1 >> 8 * i);
    for (size_t i = 0; i < 2; i++) {
        stored[4 + i] = (uint8_t)(read->data2 >> 8 * i);
        stored[6 + i] = (uint8_t)(read->data3 >> 8 * i);
    }
    memcpy(stored + 8, read->data4, 8);
    hold_bytes(t, what, written, 16, (etl_span){stored, 16});
}

static bool has_member(const build_structure *part, const char *name)
{
    uint32_t at;
    etl_member_kind kind;
    return build_structure_find(part, name, &at, &kind);
}

static void hold_member_guid(const trip *t, const build_structure *part, const char *name, const etl_guid *read)
{
    uint32_t at;
    etl_member_kind kind;
    if (build_structure_find(part, name, &at, &kind))
        hold_guid(t, name, part->bytes + at, read);
}

static void hold_hook(const trip *t, const build_model_event *event, const etl_event_fields *f)
{
    hold(t, "HookId", member(event, "HookId"), f->hook);
    hold(t, "Version", member(event, "Version"), f->version_word);
    hold(t, "whether there is a PEBS index", event->has_pebs, f->has_pebs);
    hold(t, "PEBS index", event->has_pebs ? event->pebs : 0, f->pebs);
    hold(t, "number of counters", event->pmc_count, f->pmc_count);
    for (uint32_t i = 0; i < event->pmc_count; i++)
        hold(t, "counter", event->pmc[i], f->pmc[i]);
}

static void hold_class(const trip *t, const build_model_event *event, const etl_event_fields *f)
{
    hold(t, "ClassType", member(event, "ClassType"), f->type);
    hold(t, "ClassLevel", member(event, "ClassLevel"), f->level);
    hold(t, "ClassVersion", member(event, "ClassVersion"), f->version);
    hold(t, "InstanceId", member(event, "InstanceId"), f->instance_id);
    hold(t, "ParentInstanceId", member(event, "ParentInstanceId"), f->parent_instance_id);
    hold(t, "RegHandle", member(event, "RegHandle"), f->reg_handle);
    hold(t, "ParentRegHandle", member(event, "ParentRegHandle"), f->parent_reg_handle);
    hold_member_guid(t, &event->header, "Guid", &f->provider);
    hold_member_guid(t, &event->header, "ParentGuid", &f->parent_provider);
}

static void hold_event_header(const trip *t, const build_model_event *event, const etl_event_fields *f)
{
    hold(t, "Id", member(event, "Id"), f->id);
    hold(t, "Version", member(event, "Version"), f->version);
    hold(t, "Channel", member(event, "Channel"), f->channel);
    hold(t, "Level", member(event, "Level"), f->level);
    hold(t, "Opcode", member(event, "Opcode"), f->opcode);
    hold(t, "Task", member(event, "Task"), f->task);
    hold(t, "Keyword", member(event, "Keyword"), f->keyword);
    hold(t, "Flags", member(event, "Flags"), f->flags);
    hold_member_guid(t, &event->header, "ProviderId", &f->provider);
    hold_member_guid(t, &event->header, "ActivityId", &f->activity);
}

static void hold_message(const trip *t, const build_model_event *event, const etl_event_fields *f)
{
    const unsigned options = (unsigned)member(event, "OptionFlags");
    const bool system_info = (options & ETL_MESSAGE_OPTION_SYSTEMINFO) != 0;
    hold(t, "MessageNumber", member(event, "MessageNumber"), f->message);
    hold(t, "OptionFlags", options, f->options);
    hold(t, "sequence number", options & ETL_MESSAGE_OPTION_SEQUENCE ? event->message_fields.sequence : 0, f->sequence);
    hold(t, "component id", options & ETL_MESSAGE_OPTION_COMPONENTID ? event->message_fields.component_id : 0,
         f->component_id);
    hold(t, "ThreadId", system_info ? event->message_fields.thread_id : 0, f->thread_id);
    hold(t, "ProcessId", system_info ? event->message_fields.process_id : 0, f->process_id);
    hold(t, "whether there is a GUID", (options & ETL_MESSAGE_OPTION_GUID) != 0, f->has_provider);
    if (f->has_provider)
        hold_guid(t, "GUID of a message", event->message_fields.guid, &f->provider);
}

/* In classic headers of Windows 5.0, ThreadId also covers the bytes that later are ProcessId. */
static void hold_ids(const trip *t, const build_model_event *event, const etl_event_fields *f)
{
    const uint64_t thread = member(event, "ThreadId"), process = member(event, "ProcessId");
    const build_structure *logfile = &t->model->buffers[0].events[0].logfile;
    const bool classic = event->layout == ETL_LAYOUT_FULL || event->layout == ETL_LAYOUT_INSTANCE;
    const bool wide =
        classic && build_structure_get(logfile, "MajorVersion") == 5 && build_structure_get(logfile, "MinorVersion") == 0;
    hold(t, "ThreadId", wide ? thread | process << 32 : thread, f->thread_id);
    hold(t, "ProcessId", wide ? 0 : process, f->process_id);
    hold(t, "KernelTime", member(event, "KernelTime"), f->kernel_time);
    hold(t, "UserTime", member(event, "UserTime"), f->user_time);
}

static void hold_fields(const trip *t, const build_model_event *event, const etl_event *read)
{
    etl_event_fields f;
    etl_event_read(read, &f);
    if (event->layout != ETL_LAYOUT_MESSAGE)
        hold_ids(t, event, &f);
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: hold_hook(t, event, &f); break;
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID: hold_class(t, event, &f); break;
    case ETL_LAYOUT_EVENT: hold_event_header(t, event, &f); break;
    case ETL_LAYOUT_MESSAGE: hold_message(t, event, &f); break;
    case ETL_LAYOUT_OPAQUE: /* fuzz_build writes no such event */
    case ETL_LAYOUT_COUNT: break;
    }
}

static void hold_items(const trip *t, const build_model_event *event, const etl_event *read)
{
    etl_items items = etl_event_items(read);
    etl_item item;
    for (size_t i = 0; i < event->item_count; i++) {
        const build_model_item *written = &event->items[i];
        if (!etl_items_next(&items, &item))
            fail(t, "number of items", event->item_count, i);
        hold(t, "ExtType", build_structure_get(&written->header, "ExtType"), item.type);
        hold(t, "TotalSize", written->size, item.size);
        hold(t, "place of an item", written->at - event->at, item.offset);
        hold_bytes(t, "data of an item", written->data.at, written->data.size, item.data);
    }
    if (etl_items_next(&items, &item))
        fail(t, "number of items", event->item_count, event->item_count + 1);
}

static void hold_time(const trip *t, const build_model_event *event, const etl_event *read)
{
    const bool message = event->layout == ETL_LAYOUT_MESSAGE;
    const bool timed = !message || (member(event, "OptionFlags") & ETL_MESSAGE_OPTION_TIMESTAMP) != 0;
    const uint64_t time = message ? event->message_fields.time : member(event, "TimeStamp") | member(event, "SystemTime");
    hold(t, "whether there is a time", timed, read->has_time);
    if (timed)
        hold(t, "time", time, (uint64_t)read->time);
}

static void hold_data(const trip *t, const build_model_event *event, const etl_event *read)
{
    const etl_span data = etl_event_data(read);
    if (event->is_logfile)
        return;
    hold_bytes(t, "user data", event->data.at, event->data.size, data);
}

static void hold_event(trip *t)
{
    const etl_event *read = &t->reader.event;
    const build_model_buffer *buffer = t->buffer > 0 ? &t->model->buffers[t->buffer - 1] : NULL;
    if (!buffer || t->event == buffer->event_count)
        fail(t, "number of events", t->event, t->event + 1);
    const build_model_event *event = &buffer->events[t->event];
    const bool plain = buffer->compression == BUILD_MODEL_PLAIN;
    hold(t, "offset", (plain ? buffer->offset : 0) + event->at, read->offset);
    hold(t, "type", event->type, read->type);
    hold(t, "layout", event->layout, read->layout);
    hold(t, "size", event->size, read->size);
    hold(t, "size of the header", event->header_size, read->header_size);
    hold(t, "size of the items", event->items_size, read->items_size);
    hold(t, "size of the user data", event->data_size, read->data_size);
    hold(t, "padding", event->padding_size, read->padding);
    hold_time(t, event, read);
    hold_fields(t, event, read);
    hold_items(t, event, read);
    hold_data(t, event, read);
    t->event++;
}

static void hold_end_of_buffer(const trip *t)
{
    if (t->buffer > 0)
        hold(t, "number of events", t->model->buffers[t->buffer - 1].event_count, t->event);
}

/* ETW_REF_CLOCK, which shapes before 6.0 lack, is set only in some buffers. */
static void hold_reference_time(const trip *t, const build_structure *written, const etl_buffer_header *read)
{
    const bool filled =
        has_member(written, "StartTime") && (build_structure_get(written, "BufferType") == ETL_BUFFER_TYPE_REFTIME ||
                                             (build_structure_get(written, "BufferFlag") & ETL_BUFFER_FLAG_RTBACKUP) != 0);
    hold(t, "whether there is a reference time", filled, read->has_reference_time);
    hold(t, "StartTime of the buffer", filled ? build_structure_get(written, "StartTime") : 0,
         (uint64_t)read->reference_start_time);
    hold(t, "StartPerfClock of the buffer", filled ? build_structure_get(written, "StartPerfClock") : 0,
         (uint64_t)read->reference_start_perf_clock);
}

/* Members that a shape lacks are 0 on both sides. */
static void hold_buffer_header(const trip *t, const build_structure *written, const etl_buffer_header *read)
{
    hold(t, "BufferSize of the buffer", build_structure_get(written, "BufferSize"), read->buffer_size);
    hold(t, "SavedOffset of the buffer", build_structure_get(written, "SavedOffset"), read->saved_offset);
    hold(t, "CurrentOffset of the buffer", build_structure_get(written, "CurrentOffset"), read->current_offset);
    hold(t, "TimeStamp of the buffer", build_structure_get(written, "TimeStamp"), (uint64_t)read->time_stamp);
    hold(t, "processor of the buffer", build_structure_processor(written), read->processor);
    hold(t, "LoggerId of the buffer", build_structure_get(written, "LoggerId"), read->logger_id);
    hold(t, "State of the buffer", build_structure_get(written, "State") | build_structure_get(written, "Flags"),
         read->state);
    hold(t, "Offset of the buffer", build_structure_get(written, "Offset"), read->offset);
    hold(t, "BufferFlag of the buffer", build_structure_get(written, "BufferFlag"), read->buffer_flag);
    hold(t, "BufferType of the buffer", build_structure_get(written, "BufferType"), read->buffer_type);
    hold(t, "EventsLost of the buffer", build_structure_get(written, "EventsLost"), read->events_lost);
    hold(t, "whether there is a SequenceNumber", has_member(written, "SequenceNumber"), read->has_sequence_number);
    hold(t, "SequenceNumber of the buffer", build_structure_get(written, "SequenceNumber"),
         (uint64_t)read->sequence_number);
    hold_reference_time(t, written, read);
}

static void hold_buffer(trip *t)
{
    const etl_buffer *read = &t->reader.buffer;
    hold_end_of_buffer(t);
    if (t->buffer == t->model->buffer_count)
        fail(t, "number of buffers", t->buffer, t->buffer + 1);
    const build_model_buffer *buffer = &t->model->buffers[t->buffer++];
    t->event = 0;
    hold(t, "offset of the buffer", buffer->offset, read->offset);
    hold(t, "bytes of the buffer", buffer->size, read->raw.size);
    hold(t, "extent of the buffer", buffer->extent, read->extent);
    hold(t, "compression of the buffer", buffer->compression != BUILD_MODEL_PLAIN, read->compressed);
    hold_buffer_header(t, &buffer->header, &read->header);
}

/* Notes report habits of real writers; any other finding is a complaint, and a written trace must have none. */
static void hold_findings(const trip *t, const etl_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_rule_info *rule = etl_rule_get(findings->at[i].rule);
        if (rule->severity > ETL_SEVERITY_NOTE)
            fail(t, rule->id, findings->at[i].expected, findings->at[i].actual);
    }
}

static bool step(trip *t, etl_span file)
{
    const etl_outcome outcome = etl_reader_next(&t->reader);
    if (oracle_step(&t->oracle, outcome, &t->reader))
        oracle_due_step(&t->oracle, outcome, &t->reader);
    target_hold(&t->oracle, NULL);
    hold_findings(t, &t->reader.findings);
    t->reader.findings.count = 0;
    if (outcome == ETL_MORE) {
        const size_t at = (size_t)t->reader.trace.offset;
        etl_reader_feed(&t->reader, (etl_span){file.at + at, file.size - at}, true);
    } else if (outcome == ETL_SCRATCH) {
        free(t->scratch);
        t->scratch = target_get_memory(t->reader.trace.want);
        etl_reader_lend(&t->reader, (etl_scratch){t->scratch, t->reader.trace.want});
    } else if (outcome == ETL_BUFFER) {
        hold_buffer(t);
    } else if (outcome == ETL_EVENT) {
        hold_event(t);
    }
    return outcome != ETL_END;
}

static void decode(trip *t, etl_span file)
{
    t->scratch = NULL;
    t->buffer = t->event = 0;
    etl_reader_init(&t->reader, ETL_LIMITS_DEFAULT);
    oracle_init(&t->oracle, file.size, ETL_LIMITS_DEFAULT, false);
    while (step(t, file))
        continue;
    oracle_end(&t->oracle);
    target_hold(&t->oracle, NULL);
    hold_end_of_buffer(t);
    hold(t, "number of buffers", t->model->buffer_count, t->buffer);
    free(t->scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static trip t;
    build_model *model = target_model_from_input((etl_span){data, size});
    build_chunk image = build_image_make(model);
    const etl_span file = target_copy((etl_span){image.at, image.size});
    t.model = model;
    hold(&t, "size of the file", model->size, file.size);
    decode(&t, file);
    target_copy_free(file);
    build_chunk_free(&image);
    build_model_free(model);
    return 0;
}
