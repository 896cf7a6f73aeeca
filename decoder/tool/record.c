/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <inttypes.h>

#include "buffer_structure.h"
#include "finding_text.h"

void etl_record_open(etl_json *json, etl_record_kind kind)
{
    static const char *const texts[] = {
#define ETL_RECORD_KIND(name, text) text,
#include "record_kinds.def"
    };
    etl_json_object(json, NULL);
    etl_json_text(json, "rec", texts[kind]);
}

static void close_record(etl_json *json)
{
    etl_json_object_end(json);
    etl_json_line(json);
}

void etl_out_windows(etl_out *out, const etl_logfile *logfile)
{
    etl_out_format(out, "%u.%u.%" PRIu32, logfile->major_version, logfile->minor_version, logfile->provider_version);
}

static void trace_unknown(etl_json *json)
{
    static const char *const keys[] = {"windows", "pointer_size", "clock_type", "logger_mode"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        etl_json_null(json, keys[i]);
}

void etl_record_trace_members(etl_json *json, const etl_logfile *logfile)
{
    if (!logfile->known) {
        trace_unknown(json);
        return;
    }
    etl_json_string(json, "windows");
    etl_out_windows(json->out, logfile);
    etl_json_string_end(json);
    etl_json_u32(json, "pointer_size", logfile->pointer_size);
    etl_json_u32(json, "clock_type", logfile->clock.type);
    const char *clock = etl_clock_type_name(logfile->clock.type);
    if (clock != NULL)
        etl_json_text(json, "clock_type_name", clock);
    etl_json_u64(json, "clock_frequency", logfile->clock.frequency);
    etl_json_hex(json, "logger_mode", logfile->log_file_mode, 8);
    etl_json_names(json, "logger_mode_names", logfile->log_file_mode, etl_logger_mode_names());
    etl_json_u32(json, "processors", logfile->number_of_processors);
}

void etl_record_trace(etl_json *json, const etl_logfile *logfile)
{
    etl_record_open(json, ETL_RECORD_TRACE);
    etl_record_trace_members(json, logfile);
    etl_json_u32(json, "buffer_size", logfile->buffer_size);
    etl_json_u32(json, "buffers_written", logfile->buffers_written);
    etl_json_u32(json, "events_lost", logfile->events_lost);
    etl_json_u32(json, "buffers_lost", logfile->buffers_lost);
    etl_json_filetime(json, "start_utc", (uint64_t)logfile->start_time);
    if (logfile->end_time != 0)
        etl_json_filetime(json, "end_utc", (uint64_t)logfile->end_time);
    etl_json_utf16(json, "logger_name", logfile->logger_name);
    etl_json_utf16(json, "log_file_name", logfile->log_file_name);
    close_record(json);
}

static void buffer_kind(etl_json *json, const etl_buffer_header *header)
{
    if (header->shape == ETL_BUFFER_SHAPE_50) {
        etl_json_u32(json, "events_lost", header->events_lost);
        return;
    }
    etl_json_hex(json, "flags", header->buffer_flag, 4);
    etl_json_names(json, "flag_names", header->buffer_flag, etl_buffer_flag_names());
    etl_json_u32(json, "type", header->buffer_type);
    const char *type = etl_buffer_type_name(header->buffer_type);
    if (type != NULL)
        etl_json_text(json, "type_name", type);
}

static void buffer_state(etl_json *json, const etl_buffer_header *header)
{
    etl_json_u32(json, "state", header->state);
    const char *state = header->has_sequence_number ? etl_buffer_state_name(header->state) : NULL;
    if (state != NULL)
        etl_json_text(json, "state_name", state);
}

void etl_record_buffer(etl_json *json, const etl_buffer *buffer)
{
    const etl_buffer_header *header = &buffer->header;
    etl_record_open(json, ETL_RECORD_BUFFER);
    etl_json_u64(json, "index", buffer->index);
    etl_json_u64(json, "offset", buffer->offset);
    etl_json_u32(json, "size", header->buffer_size);
    etl_json_u32(json, "stored_size", (uint32_t)buffer->raw.size);
    etl_json_text(json, "header", etl_structure_name(etl_buffer_structure(header->shape)));
    etl_json_bool(json, "compressed", buffer->compressed);
    etl_json_u32(json, "processor", header->processor);
    etl_json_i64(json, "timestamp", header->time_stamp);
    if (header->has_sequence_number)
        etl_json_i64(json, "sequence_number", header->sequence_number);
    buffer_state(json, header);
    buffer_kind(json, header);
    etl_json_u32(json, "saved_offset", header->saved_offset);
    etl_json_u32(json, "offset_member", header->offset);
    etl_json_u32(json, "current_offset", header->current_offset);
    etl_json_u32(json, "extent", buffer->extent);
    if (buffer->compressed)
        etl_json_u32(json, "inflated_from", buffer->inflated_from);
    etl_json_u32(json, "logger_id", header->logger_id);
    if (header->has_reference_time) {
        etl_json_object(json, "reference_time");
        etl_json_i64(json, "start_time", header->reference_start_time);
        etl_json_i64(json, "start_perf_clock", header->reference_start_perf_clock);
        etl_json_object_end(json);
    }
    close_record(json);
}

void etl_record_finding_members(etl_json *json, const etl_finding *finding)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    char expected[ETL_FINDING_TEXT_MAX], actual[ETL_FINDING_TEXT_MAX];
    etl_json_text(json, "rule", rule->id);
    etl_json_text(json, "severity", etl_severity_text(rule->severity));
    etl_json_text(json, "layer", rule->layer);
    etl_json_u64(json, "offset", finding->offset);
    if (finding->space == ETL_SPACE_INFLATED)
        etl_json_text(json, "space", "inflated");
    if (finding->buffer != ETL_NO_INDEX)
        etl_json_u64(json, "buffer", finding->buffer);
    if (finding->event != ETL_NO_INDEX)
        etl_json_u64(json, "event", finding->event);
    if (etl_finding_texts(finding, expected, actual)) {
        etl_json_text(json, "expected", expected);
        etl_json_text(json, "actual", actual);
    }
    etl_json_text(json, "action", etl_action_text(finding->action));
    etl_json_u64(json, "lost", finding->lost);
    etl_json_text(json, "message", rule->statement);
}

void etl_record_finding(etl_json *json, const etl_finding *finding)
{
    etl_record_open(json, ETL_RECORD_FINDING);
    etl_record_finding_members(json, finding);
    close_record(json);
}

void etl_record_end(etl_json *json, const etl_tally *tally, const etl_trace *trace, etl_verdict verdict)
{
    etl_record_open(json, ETL_RECORD_END);
    etl_json_text(json, "verdict", etl_verdict_text(verdict));
    etl_json_u64(json, "buffers", trace->buffers);
    etl_json_u64(json, "compressed_buffers", trace->compressed_buffers);
    etl_json_u64(json, "events", tally->events);
    etl_tally_json_types(json, tally);
    etl_tally_json_severities(json, "findings", tally);
    etl_tally_json_bytes(json, tally);
    close_record(json);
}
