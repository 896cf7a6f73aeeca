/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a logfile header as JSON, for record.c and event_record.c.
 */
#include "records/record.h"

/* The SYSTEMTIME of a change of daylight saving is a rule for any year, not a date, so each member is printed. */
static void system_time(tool_json *json, const char *key, const etl_systemtime *time)
{
    tool_json_object(json, key);
    tool_json_u32(json, "year", time->year);
    tool_json_u32(json, "month", time->month);
    tool_json_u32(json, "day_of_week", time->day_of_week);
    tool_json_u32(json, "day", time->day);
    tool_json_u32(json, "hour", time->hour);
    tool_json_u32(json, "minute", time->minute);
    tool_json_u32(json, "second", time->second);
    tool_json_u32(json, "milliseconds", time->milliseconds);
    tool_json_object_end(json);
}

static void time_zone(tool_json *json, const etl_time_zone *zone)
{
    tool_json_object(json, "time_zone");
    tool_json_i32(json, "bias", zone->bias);
    tool_json_utf16(json, "standard_name", zone->standard_name);
    system_time(json, "standard_date", &zone->standard_date);
    tool_json_i32(json, "standard_bias", zone->standard_bias);
    tool_json_utf16(json, "daylight_name", zone->daylight_name);
    system_time(json, "daylight_date", &zone->daylight_date);
    tool_json_i32(json, "daylight_bias", zone->daylight_bias);
    tool_json_object_end(json);
}

/* A FILETIME as a number, and as UTC unless it is 0, which means not set. */
static void file_time(tool_json *json, const char *key, const char *utc_key, int64_t time)
{
    tool_json_i64(json, key, time);
    if (time > 0)
        tool_json_filetime(json, utc_key, (uint64_t)time);
}

static void size_and_version(tool_json *json, const etl_logfile *logfile)
{
    tool_json_u32(json, "buffer_size", logfile->buffer_size);
    tool_json_u32(json, "major_version", logfile->major_version);
    tool_json_u32(json, "minor_version", logfile->minor_version);
    tool_json_u32(json, "sub_version", logfile->sub_version);
    tool_json_u32(json, "sub_minor_version", logfile->sub_minor_version);
    tool_json_u32(json, "provider_version", logfile->provider_version);
    tool_json_u32(json, "number_of_processors", logfile->number_of_processors);
    file_time(json, "end_time", "end_time_utc", logfile->end_time);
    tool_json_u32(json, "timer_resolution", logfile->timer_resolution);
    tool_json_u32(json, "maximum_file_size", logfile->maximum_file_size);
    tool_json_hex(json, "log_file_mode", logfile->log_file_mode, 8);
    tool_json_names(json, "log_file_mode_names", logfile->log_file_mode, etl_logger_mode_names());
}

static void counts(tool_json *json, const etl_logfile *logfile)
{
    tool_json_u32(json, "buffers_written", logfile->buffers_written);
    tool_json_u32(json, "start_buffers", logfile->start_buffers);
    tool_json_u32(json, "pointer_size", logfile->stated_pointer_size);
    tool_json_u32(json, "events_lost", logfile->events_lost);
    tool_json_u32(json, "cpu_speed_in_mhz", logfile->cpu_speed_in_mhz);
    tool_json_hex(json, "logger_name_pointer", logfile->logger_name_pointer, 1);
    tool_json_hex(json, "log_file_name_pointer", logfile->log_file_name_pointer, 1);
}

static void clock(tool_json *json, const etl_logfile *logfile)
{
    file_time(json, "boot_time", "boot_time_utc", logfile->boot_time);
    tool_json_i64(json, "perf_freq", logfile->perf_freq);
    file_time(json, "start_time", "start_time_utc", logfile->start_time);
    tool_json_u32(json, "reserved_flags", logfile->reserved_flags);
    tool_json_u32(json, "buffers_lost", logfile->buffers_lost);
}

void tool_record_logfile(tool_json *json, const etl_logfile *logfile)
{
    tool_json_object(json, "logfile");
    size_and_version(json, logfile);
    counts(json, logfile);
    time_zone(json, &logfile->time_zone);
    clock(json, logfile);
    tool_json_utf16(json, "logger_name", logfile->logger_name);
    tool_json_utf16(json, "log_file_name", logfile->log_file_name);
    tool_json_object_end(json);
}
