/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records as JSON: the records trace, buffer, finding and end, and what all records share.
 */
#include "records/record.h"

#include <inttypes.h>
#include <string.h>

#include "buffer_structure.h"
#include "records/finding_text.h"

void tool_record_open(tool_json *json, tool_record_kind kind)
{
    static const struct {
        size_t size;
        char text[24];
    } starts[] = {
#define TOOL_RECORD_KIND(name, text) {sizeof "{\"rec\":\"" text "\"" - 1, "{\"rec\":\"" text "\""},
#include "records/record_kinds.def"
    };
    char *at = tool_output_reserve(json->out, sizeof starts[kind].text);
    memcpy(at, starts[kind].text, sizeof starts[kind].text);
    json->out->used += starts[kind].size;
    json->more = true;
}

static void close_record(tool_json *json)
{
    tool_json_object_end(json);
    tool_json_line(json);
}

void tool_put_windows(tool_output *out, const etl_logfile *logfile)
{
    tool_put_format(out, "%u.%u.%" PRIu32, logfile->major_version, logfile->minor_version, logfile->provider_version);
}

static void trace_unknown(tool_json *json)
{
    static const char *const keys[] = {"windows", "pointer_size", "clock_type", "logger_mode"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        tool_json_null(json, keys[i]);
}

void tool_record_trace_members(tool_json *json, const etl_logfile *logfile)
{
    if (!logfile->known) {
        trace_unknown(json);
        return;
    }
    tool_json_string(json, "windows");
    tool_put_windows(json->out, logfile);
    tool_json_string_end(json);
    tool_json_u32(json, "pointer_size", logfile->pointer_size);
    tool_json_u32(json, "clock_type", logfile->clock.type);
    const char *clock = etl_clock_type_name(logfile->clock.type);
    if (clock != NULL)
        tool_json_name(json, "clock_type_name", clock);
    tool_json_u64(json, "clock_frequency", logfile->clock.frequency);
    tool_json_hex(json, "logger_mode", logfile->log_file_mode, 8);
    tool_json_names(json, "logger_mode_names", logfile->log_file_mode, etl_logger_mode_names());
    tool_json_u32(json, "processors", logfile->number_of_processors);
}

void tool_record_trace(tool_json *json, const etl_logfile *logfile)
{
    tool_record_open(json, TOOL_RECORD_TRACE);
    tool_record_trace_members(json, logfile);
    tool_json_u32(json, "buffer_size", logfile->buffer_size);
    tool_json_u32(json, "buffers_written", logfile->buffers_written);
    tool_json_u32(json, "events_lost", logfile->events_lost);
    tool_json_u32(json, "buffers_lost", logfile->buffers_lost);
    tool_json_filetime(json, "start_utc", (uint64_t)logfile->start_time);
    if (logfile->end_time != 0)
        tool_json_filetime(json, "end_utc", (uint64_t)logfile->end_time);
    tool_json_utf16(json, "logger_name", logfile->logger_name);
    tool_json_utf16(json, "log_file_name", logfile->log_file_name);
    close_record(json);
}

static void buffer_kind(tool_json *json, const etl_buffer_header *header)
{
    if (header->shape == ETL_BUFFER_SHAPE_50) {
        tool_json_u32(json, "events_lost", header->events_lost);
        return;
    }
    tool_json_hex(json, "flags", header->buffer_flag, 4);
    tool_json_names(json, "flag_names", header->buffer_flag, etl_buffer_flag_names());
    tool_json_u32(json, "type", header->buffer_type);
    const char *type = etl_buffer_type_name(header->buffer_type);
    if (type != NULL)
        tool_json_name(json, "type_name", type);
}

static void buffer_state(tool_json *json, const etl_buffer_header *header)
{
    tool_json_u32(json, "state", header->state);
    const char *state = header->has_sequence_number ? etl_buffer_state_name(header->state) : NULL;
    if (state != NULL)
        tool_json_name(json, "state_name", state);
}

void tool_record_buffer(tool_json *json, const etl_buffer *buffer)
{
    const etl_buffer_header *header = &buffer->header;
    tool_record_open(json, TOOL_RECORD_BUFFER);
    tool_json_u64(json, "index", buffer->index);
    tool_json_u64(json, "offset", buffer->offset);
    tool_json_u32(json, "size", header->buffer_size);
    tool_json_u32(json, "stored_size", (uint32_t)buffer->raw.size);
    tool_json_name(json, "header", etl_structure_name(etl_buffer_structure(header->shape)));
    tool_json_bool(json, "compressed", buffer->compressed);
    tool_json_u32(json, "processor", header->processor);
    tool_json_i64(json, "timestamp", header->time_stamp);
    if (header->has_sequence_number)
        tool_json_i64(json, "sequence_number", header->sequence_number);
    buffer_state(json, header);
    buffer_kind(json, header);
    tool_json_u32(json, "saved_offset", header->saved_offset);
    tool_json_u32(json, "offset_member", header->offset);
    tool_json_u32(json, "current_offset", header->current_offset);
    tool_json_u32(json, "extent", buffer->extent);
    if (buffer->compressed)
        tool_json_u32(json, "inflated_from", buffer->inflated_from);
    tool_json_u32(json, "logger_id", header->logger_id);
    if (header->has_reference_time) {
        tool_json_object(json, "reference_time");
        tool_json_i64(json, "start_time", header->reference_start_time);
        tool_json_i64(json, "start_perf_clock", header->reference_start_perf_clock);
        tool_json_object_end(json);
    }
    close_record(json);
}

void tool_record_finding_members(tool_json *json, tool_profile profile, const etl_finding *finding)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    char expected[TOOL_FINDING_TEXT_MAX], actual[TOOL_FINDING_TEXT_MAX];
    tool_json_name(json, "rule", rule->id);
    tool_json_name(json, "severity", etl_severity_text(tool_profile_severity(profile, finding->rule)));
    tool_json_name(json, "layer", rule->layer);
    tool_json_u64(json, "offset", finding->offset);
    if (finding->space == ETL_SPACE_INFLATED)
        tool_json_name(json, "space", "inflated");
    if (finding->buffer != ETL_NO_INDEX)
        tool_json_u64(json, "buffer", finding->buffer);
    if (finding->event != ETL_NO_INDEX)
        tool_json_u64(json, "event", finding->event);
    if (tool_finding_texts(finding, expected, actual)) {
        tool_json_text(json, "expected", expected);
        tool_json_text(json, "actual", actual);
    }
    tool_json_name(json, "action", etl_action_text(finding->action));
    tool_json_u64(json, "lost", finding->lost);
    tool_json_text(json, "message", rule->statement);
}

void tool_record_finding(tool_json *json, const etl_finding *finding)
{
    tool_record_open(json, TOOL_RECORD_FINDING);
    tool_record_finding_members(json, TOOL_PROFILE_READER, finding);
    close_record(json);
}

void tool_record_end(tool_json *json, const tool_tally *tally, const etl_trace *trace, tool_verdict verdict)
{
    tool_record_open(json, TOOL_RECORD_END);
    tool_json_name(json, "verdict", tool_verdict_text(verdict));
    tool_json_u64(json, "buffers", trace->buffers);
    tool_json_u64(json, "compressed_buffers", trace->compressed_buffers);
    tool_json_u64(json, "events", tally->events);
    tool_tally_json_types(json, tally);
    tool_tally_json_severities(json, "findings", tally);
    tool_tally_json_bytes(json, tally);
    close_record(json);
}
