/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records as text for people, one line a record. record_stream.c calls this.
 */
#include "records/record_text.h"

#include <inttypes.h>

#include "records/field_record.h"
#include "span.h"

static void filetime(tool_output *out, uint64_t time)
{
    etl_utc utc;
    if (etl_filetime_utc(time, &utc))
        tool_put_utc(out, &utc);
    else
        tool_put_char(out, '-');
}

void tool_text_trace(tool_output *out, const etl_logfile *logfile)
{
    const char *clock = etl_clock_type_name(logfile->clock.type);
    tool_put_text(out, "trace    Windows ");
    tool_put_windows(out, logfile);
    tool_put_format(out, ", %u-bit, clock %s, %" PRIu32 " processors, mode 0x%08" PRIx32 ", started ",
                    logfile->pointer_size * 8u, clock != NULL ? clock : "unknown", logfile->number_of_processors,
                    logfile->log_file_mode);
    filetime(out, (uint64_t)logfile->start_time);
    tool_put_text(out, ", logger \"");
    tool_put_utf16(out, logfile->logger_name);
    tool_put_text(out, "\", file \"");
    tool_put_utf16(out, logfile->log_file_name);
    tool_put_text(out, "\"\n");
}

void tool_text_buffer(tool_output *out, const etl_buffer *buffer)
{
    const etl_buffer_header *header = &buffer->header;
    const char *type = etl_buffer_type_name(header->buffer_type);
    tool_put_format(out, "buffer   #%" PRIu64 " at 0x%" PRIx64 ", %" PRIu32 " bytes%s, processor %u, type %s",
                    buffer->index, buffer->offset, header->buffer_size, buffer->compressed ? " compressed" : "",
                    header->processor, type != NULL ? type : "unknown");
    tool_put_format(out, ", events end at 0x%" PRIx32, buffer->extent);
    if (header->has_sequence_number)
        tool_put_format(out, ", sequence %" PRId64, header->sequence_number);
    tool_put_char(out, '\n');
}

void tool_text_time(tool_output *out, const etl_clock *clock, int64_t ticks)
{
    uint64_t time = 0;
    etl_utc utc;
    if (etl_clock_filetime(clock, ticks, &time) && etl_filetime_utc(time, &utc))
        tool_put_utc(out, &utc);
    else
        tool_put_format(out, "%" PRId64 " ticks", ticks);
}

static void kernel(tool_output *out, const etl_event_fields *fields)
{
    const char *name = etl_hook_name(fields->hook);
    tool_put_format(out, " hook 0x%04x", fields->hook);
    if (name != NULL)
        tool_put_format(out, " %s", name);
    tool_put_format(out, " version %u", fields->version);
}

static void provider(tool_output *out, const etl_event_fields *fields)
{
    if (!fields->has_provider)
        return;
    tool_put_char(out, ' ');
    tool_put_guid(out, &fields->provider);
}

/* The name in the schema item of a TraceLogging event. */
static void self_described_name(tool_output *out, const etl_event *event)
{
    etl_items items = etl_event_items(event);
    etl_item item;
    etl_schema schema;
    while (etl_items_next(&items, &item)) {
        if (item.layout != ETL_ITEM_LAYOUT_SCHEMA || !etl_schema_read(item.data, &schema))
            continue;
        tool_put_text(out, " \"");
        tool_put_utf8(out, schema.name);
        tool_put_char(out, '"');
    }
}

static void identity(tool_output *out, const etl_event *event, const etl_event_fields *fields)
{
    switch (event->layout) {
    case ETL_LAYOUT_SYSTEM:
    case ETL_LAYOUT_COMPACT:
    case ETL_LAYOUT_PERFINFO: kernel(out, fields); break;
    case ETL_LAYOUT_FULL:
    case ETL_LAYOUT_INSTANCE:
    case ETL_LAYOUT_INSTANCE_GUID:
        provider(out, fields);
        tool_put_format(out, " type %u version %u level %u", fields->type, fields->version, fields->level);
        break;
    case ETL_LAYOUT_EVENT:
        provider(out, fields);
        tool_put_format(out, " id %u version %u level %u opcode %u task %u", fields->id, fields->version, fields->level,
                        fields->opcode, fields->task);
        self_described_name(out, event);
        break;
    case ETL_LAYOUT_MESSAGE:
        provider(out, fields);
        tool_put_format(out, " message %u options 0x%04x", fields->message, fields->options);
        break;
    case ETL_LAYOUT_OPAQUE:
    case ETL_LAYOUT_COUNT: break;
    }
}

void tool_text_event(tool_output *out, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                     tool_payload_form payload, const tool_schemas *schemas)
{
    etl_event_fields fields;
    etl_event_read(event, &fields);
    tool_put_format(out, "event    #%" PRIu64 " ", event->index);
    if (event->has_time)
        tool_text_time(out, clock, event->time);
    else
        tool_put_char(out, '-');
    tool_put_format(out, " cpu %u", buffer->header.processor);
    if (fields.has_process_id)
        tool_put_format(out, " pid %" PRIu32, fields.process_id);
    if (fields.has_thread_id)
        tool_put_format(out, " tid %" PRIu64, fields.thread_id);
    tool_put_format(out, " %s", etl_header_type_name(event->type));
    identity(out, event, &fields);
    tool_put_format(out, ", %" PRIu32 " bytes of payload", event->data_size);
    if (payload & TOOL_PAYLOAD_HEX) {
        tool_put_char(out, ' ');
        tool_put_dump(out, etl_event_data(event));
    }
    if (payload & TOOL_PAYLOAD_FIELDS)
        tool_text_fields(out, event, schemas);
    tool_put_char(out, '\n');
}

void tool_text_end(tool_output *out, const tool_tally *tally, const etl_trace *trace, tool_verdict verdict)
{
    static const etl_severity severities[] = {ETL_SEVERITY_ERROR, ETL_SEVERITY_LIMIT, ETL_SEVERITY_WARNING,
                                              ETL_SEVERITY_NOTE};
    tool_put_format(out, "end      %s: ", tool_verdict_text(verdict));
    tool_put_counted(out, tally->events, "event");
    tool_put_text(out, " in ");
    tool_put_counted(out, trace->buffers, "buffer");
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        tool_put_text(out, i == 0 ? "; " : ", ");
        tool_put_counted(out, tally->findings[severities[i]], etl_severity_text(severities[i]));
    }
    tool_put_char(out, '\n');
}
