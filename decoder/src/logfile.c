/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the logfile header event: the facts of its trace, and findings about it. Compares a later logfile header with the
 * first one. trace.c calls this at the start of each buffer.
 */
#include "etlproof/logfile.h"

#include "etlproof/buffer.h"
#include "report.h"
#include "span.h"

/* The two widths of TRACE_LOGFILE_HEADER differ in the size of two pointers, and so in the offset of all later members. */
static const struct {
    uint8_t logger_name, log_file_name, time_zone;
    uint16_t boot_time, perf_freq, start_time, reserved_flags, buffers_lost, size;
} widths[2] = {
#define WIDTH(structure) \
    {ETL_AT(structure, LoggerName), ETL_AT(structure, LogFileName), ETL_AT(structure, TimeZone), \
     ETL_AT(structure, BootTime), ETL_AT(structure, PerfFreq), ETL_AT(structure, StartTime), \
     ETL_AT(structure, ReservedFlags), ETL_AT(structure, BuffersLost), ETL_SIZE(structure)}
    WIDTH(TRACE_LOGFILE_HEADER32), WIDTH(TRACE_LOGFILE_HEADER64)
#undef WIDTH
};

enum { MAJOR_MIN = ETL_WINDOWS_VERSION_OLDEST >> 8, MAJOR_MAX = ETL_WINDOWS_VERSION_LATEST >> 8 };

enum { PROCESSORS_MAX = 2048 }; /* a processor index has 11 bits */

/* A file of unknown version is read as one of the latest version (LFH-005). */
/*@ requires \valid_read(logfile);
  @ assigns \nothing; */
static uint32_t windows(const etl_logfile *logfile)
{
    if (logfile->major_version < MAJOR_MIN || logfile->major_version > MAJOR_MAX)
        return ETL_WINDOWS_VERSION_LATEST;
    return (uint32_t)logfile->major_version << 8 | logfile->minor_version;
}

/*@ requires etl_readable(buffer);
  @ assigns \nothing; */
static bool is_system(etl_span buffer, size_t offset)
{
    uint32_t marker = etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType));
    return marker == (ETL_MARKER_EVENT_TRACE << 8 | ETL_HEADER_TYPE_SYSTEM32) ||
           marker == (ETL_MARKER_EVENT_TRACE << 8 | ETL_HEADER_TYPE_SYSTEM64);
}

bool etl_logfile_here(etl_span buffer, size_t offset)
{
    return is_system(buffer, offset) &&
           etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, HookId)) == ETL_HOOK_WMI_LOG_TYPE_HEADER &&
           etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, Size)) >= ETL_SIZE(SYSTEM_TRACE_HEADER);
}

/* Reports the first member that keeps the event at `offset` from being a logfile header. */
/*@ requires etl_readable(buffer) && \valid(finding) && \separated(finding, buffer.at + (0 .. buffer.size - 1));
  @ assigns *finding; */
static void report_missing(etl_span buffer, size_t offset, etl_finding *finding)
{
    uint32_t hook = etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, HookId));
    if (!is_system(buffer, offset))
        etl_expect(finding, ETL_RELATION_EQUAL, (uint32_t)ETL_MARKER_EVENT_TRACE << 8 | ETL_HEADER_TYPE_SYSTEM64,
                   etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType)));
    else if (hook != ETL_HOOK_WMI_LOG_TYPE_HEADER)
        etl_expect(finding, ETL_RELATION_EQUAL, ETL_HOOK_WMI_LOG_TYPE_HEADER, hook);
    else
        etl_expect(finding, ETL_RELATION_AT_LEAST, ETL_SIZE(SYSTEM_TRACE_HEADER),
                   etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, Size)));
}

/*@ requires etl_readable(field) && \valid(terminated) && \separated(terminated, field.at + (0 .. field.size - 1));
  @ assigns *terminated;
  @ ensures etl_readable(\result) && etl_within(\result, field); */
static etl_span text16(etl_span field, bool *terminated)
{
    size_t length = 0;
    /*@ loop invariant 0 <= length <= field.size;
      @ loop assigns length;
      @ loop variant field.size - length; */
    while (etl_span_has(field, length, 2) && etl_load_u16(field, length) != 0)
        length += 2;
    *terminated = etl_span_has(field, length, 2);
    return etl_span_first(field, length);
}

/*@ requires etl_readable(s);
  @ assigns \nothing; */
static etl_systemtime read_systemtime(etl_span s, size_t at)
{
    etl_systemtime t = {
        etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Year)),   etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Month)),
        etl_load_u16(s, at + ETL_AT(SYSTEMTIME, DayOfWeek)), etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Day)),
        etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Hour)),   etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Minute)),
        etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Second)), etl_load_u16(s, at + ETL_AT(SYSTEMTIME, Milliseconds)),
    };
    return t;
}

/*@ requires etl_readable(s) && \valid(zone) && \separated(zone, s.at + (0 .. s.size - 1));
  @ assigns *zone; */
static void read_time_zone(etl_span s, etl_time_zone *zone)
{
    const size_t name_size = ETL_AT(TIME_ZONE_INFORMATION, StandardDate) - ETL_AT(TIME_ZONE_INFORMATION, StandardName);
    bool terminated;
    zone->bias = etl_load_i32(s, ETL_AT(TIME_ZONE_INFORMATION, Bias));
    zone->standard_name = text16(etl_span_part(s, ETL_AT(TIME_ZONE_INFORMATION, StandardName), name_size), &terminated);
    zone->standard_date = read_systemtime(s, ETL_AT(TIME_ZONE_INFORMATION, StandardDate));
    zone->standard_bias = etl_load_i32(s, ETL_AT(TIME_ZONE_INFORMATION, StandardBias));
    zone->daylight_name = text16(etl_span_part(s, ETL_AT(TIME_ZONE_INFORMATION, DaylightName), name_size), &terminated);
    zone->daylight_date = read_systemtime(s, ETL_AT(TIME_ZONE_INFORMATION, DaylightDate));
    zone->daylight_bias = etl_load_i32(s, ETL_AT(TIME_ZONE_INFORMATION, DaylightBias));
}

/* The members up to CpuSpeedInMHz, which both widths share. */
/*@ requires etl_readable(s) && \valid(logfile) && \separated(logfile, s.at + (0 .. s.size - 1));
  @ assigns *logfile;
  @ ensures logfile->pointer_size == \old(logfile->pointer_size); */
static void read_common(etl_span s, etl_logfile *logfile)
{
    logfile->buffer_size = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize));
    logfile->major_version = etl_load_u8(s, ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion));
    logfile->minor_version = etl_load_u8(s, ETL_AT(TRACE_LOGFILE_HEADER64, MinorVersion));
    logfile->sub_version = etl_load_u8(s, ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion));
    logfile->sub_minor_version = etl_load_u8(s, ETL_AT(TRACE_LOGFILE_HEADER64, SubMinorVersion));
    logfile->provider_version = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, ProviderVersion));
    logfile->number_of_processors = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors));
    logfile->end_time = etl_load_i64(s, ETL_AT(TRACE_LOGFILE_HEADER64, EndTime));
    logfile->timer_resolution = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, TimerResolution));
    logfile->maximum_file_size = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, MaximumFileSize));
    logfile->log_file_mode = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode));
    logfile->buffers_written = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten));
    logfile->start_buffers = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, StartBuffers));
    logfile->stated_pointer_size = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize));
    logfile->events_lost = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, EventsLost));
    logfile->cpu_speed_in_mhz = etl_load_u32(s, ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz));
}

/*@ requires etl_readable(s) && \valid(logfile) && \separated(logfile, s.at + (0 .. s.size - 1));
  @ assigns *logfile;
  @ ensures logfile->pointer_size == \old(logfile->pointer_size); */
static void read_rest(etl_span s, bool wide, etl_logfile *logfile)
{
    logfile->logger_name_pointer = wide ? etl_load_u64(s, widths[1].logger_name) : etl_load_u32(s, widths[0].logger_name);
    logfile->log_file_name_pointer = wide ? etl_load_u64(s, widths[1].log_file_name)
                                          : etl_load_u32(s, widths[0].log_file_name);
    read_time_zone(etl_span_part(s, widths[wide].time_zone, ETL_SIZE(TIME_ZONE_INFORMATION)), &logfile->time_zone);
    logfile->boot_time = etl_load_i64(s, widths[wide].boot_time);
    logfile->perf_freq = etl_load_i64(s, widths[wide].perf_freq);
    logfile->start_time = etl_load_i64(s, widths[wide].start_time);
    logfile->reserved_flags = etl_load_u32(s, widths[wide].reserved_flags);
    logfile->buffers_lost = etl_load_u32(s, widths[wide].buffers_lost);
}

/* Before 6.0, ReservedFlags is 1 for the performance counter and 0 for system time. */
/*@ requires \valid_read(logfile);
  @ assigns \nothing; */
static uint32_t clock_type(const etl_logfile *logfile)
{
    if (windows(logfile) >= ETL_WINDOWS_VERSION_6_0)
        return logfile->reserved_flags;
    return logfile->reserved_flags == 1 ? ETL_CLOCK_TYPE_PERFCOUNTER : ETL_CLOCK_TYPE_SYSTEMTIME;
}

/*@ requires \valid(logfile);
  @ assigns logfile->clock; */
static void set_clock(etl_logfile *logfile, int64_t start_ticks)
{
    etl_clock *clock = &logfile->clock;
    clock->type = clock_type(logfile);
    clock->start_ticks = start_ticks;
    clock->start_time = logfile->start_time;
    if (clock->type == ETL_CLOCK_TYPE_CPUCYCLE)
        clock->frequency = logfile->cpu_speed_in_mhz;
    else
        clock->frequency = logfile->perf_freq > 0 ? (uint64_t)logfile->perf_freq : 0;
}

/* The logfile header that is checked, and where its findings go. */
typedef struct check {
    const etl_logfile *logfile;
    bool wide;
    uint64_t header; /* file offset of TRACE_LOGFILE_HEADER */
    etl_findings *findings;
} check;

/*@ predicate checkable{L}(check *c) =
  @   \valid_read(c) && \valid_read(c->logfile) && etl_list(c->findings) && \separated(c->findings, c, c->logfile); */

/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void violated(const check *c, etl_rule rule, uint32_t member, etl_relation relation, uint64_t expected,
                     uint64_t actual)
{
    etl_expect(etl_report(c->findings, rule, ETL_SPACE_FILE, c->header + member), relation, expected, actual);
}

/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void check_version(const check *c)
{
    const etl_logfile *l = c->logfile;
    const uint32_t major_at = ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion);
    if (l->major_version < MAJOR_MIN)
        violated(c, ETL_RULE_LFH_005, major_at, ETL_RELATION_AT_LEAST, MAJOR_MIN, l->major_version);
    else if (l->major_version > MAJOR_MAX)
        violated(c, ETL_RULE_LFH_005, major_at, ETL_RELATION_AT_MOST, MAJOR_MAX, l->major_version);
    else if (l->sub_version > 2 || (l->sub_version == 2 && l->sub_minor_version > 0))
        violated(c, ETL_RULE_LFH_005, ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion), ETL_RELATION_AT_MOST, 0x200,
                 (uint64_t)l->sub_version << 8 | l->sub_minor_version);
}

/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void check_numbers(const check *c)
{
    const etl_logfile *l = c->logfile;
    if (l->stated_pointer_size != l->pointer_size)
        violated(c, ETL_RULE_LFH_004, ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize), ETL_RELATION_EQUAL, l->pointer_size,
                 l->stated_pointer_size);
    if (l->number_of_processors == 0)
        violated(c, ETL_RULE_LFH_006, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), ETL_RELATION_AT_LEAST, 1, 0);
    if (l->number_of_processors > PROCESSORS_MAX)
        violated(c, ETL_RULE_LFH_006, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), ETL_RELATION_AT_MOST,
                 PROCESSORS_MAX, l->number_of_processors);
}

/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void check_clock(const check *c)
{
    const etl_logfile *l = c->logfile;
    if (l->clock.type >= ETL_CLOCK_TYPE_COUNT)
        violated(c, ETL_RULE_TIM_001, widths[c->wide].reserved_flags, ETL_RELATION_AT_MOST, ETL_CLOCK_TYPE_COUNT - 1,
                 l->reserved_flags);
    if (l->clock.type == ETL_CLOCK_TYPE_PERFCOUNTER && l->perf_freq <= 0)
        violated(c, ETL_RULE_TIM_002, widths[c->wide].perf_freq, ETL_RELATION_AT_LEAST, 1, (uint64_t)l->perf_freq);
    if (l->clock.type == ETL_CLOCK_TYPE_CPUCYCLE && l->cpu_speed_in_mhz == 0)
        violated(c, ETL_RULE_TIM_002, ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz), ETL_RELATION_AT_LEAST, 1, 0);
    if (l->end_time == 0)
        violated(c, ETL_RULE_LFH_010, ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), ETL_RELATION_NOT, 0, 0);
    else if (l->end_time < l->start_time)
        violated(c, ETL_RULE_TIM_005, ETL_AT(TRACE_LOGFILE_HEADER64, EndTime), ETL_RELATION_AT_LEAST,
                 (uint64_t)l->start_time, (uint64_t)l->end_time);
}

/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void check_members(const check *c)
{
    check_version(c);
    check_numbers(c);
    check_clock(c);
}

/* Size of the event is too small for the fixed part, of which the event has `size` bytes. */
/*@ requires checkable(c);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static void report_cut(const check *c, size_t size)
{
    const uint64_t event = c->header - ETL_SIZE(SYSTEM_TRACE_HEADER);
    etl_expect(etl_report(c->findings, ETL_RULE_LFH_002, ETL_SPACE_FILE, event + ETL_AT(SYSTEM_TRACE_HEADER, Size)),
               ETL_RELATION_AT_LEAST, widths[c->wide].size + ETL_SIZE(SYSTEM_TRACE_HEADER),
               size + ETL_SIZE(SYSTEM_TRACE_HEADER));
}

/* LoggerName, then LogFileName, follow the fixed part. */
/*@ requires checkable(c) && etl_readable(body) && \valid(logfile) && \separated(logfile, c, c->findings);
  @ requires \separated(logfile, body.at + (0 .. body.size - 1));
  @ assigns logfile->logger_name, logfile->log_file_name, *c->findings;
  @ ensures etl_list(c->findings); */
static void read_names(etl_span body, const check *c, etl_logfile *logfile)
{
    const size_t at = widths[c->wide].size;
    bool first = false, second = false;
    logfile->logger_name = text16(etl_span_from(body, at), &first);
    size_t next = at + logfile->logger_name.size + 2;
    if (first)
        logfile->log_file_name = text16(etl_span_from(body, next), &second);
    if (!first || !second)
        etl_report(c->findings, ETL_RULE_LFH_003, ETL_SPACE_FILE, c->header + (first ? next : at));
}

/* Reads the event at `offset`, except the names. Returns its body. `known`: the fixed part of the body is complete. */
/*@ requires etl_readable(buffer) && \valid(logfile) && \separated(logfile, buffer.at + (0 .. buffer.size - 1));
  @ assigns *logfile;
  @ ensures etl_readable(\result) && etl_within(\result, buffer); */
static etl_span read_fixed(etl_span buffer, size_t offset, etl_logfile *logfile)
{
    const uint32_t size = etl_load_u16(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, Size));
    const etl_span body =
        etl_span_part(buffer, offset + ETL_SIZE(SYSTEM_TRACE_HEADER), size - ETL_SIZE(SYSTEM_TRACE_HEADER));
    logfile->header_type = etl_load_u8(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType));
    logfile->pointer_size = etl_header_type_pointer_size(logfile->header_type);
    const bool wide = logfile->pointer_size == 8;
    read_common(body, logfile);
    read_rest(body, wide, logfile);
    logfile->known = body.size >= widths[wide].size;
    if (logfile->known)
        set_clock(logfile, etl_load_i64(buffer, offset + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime)));
    return body;
}

/*@ requires \valid_read(logfile);
  @ assigns \nothing;
  @ ensures \result.logfile == logfile && \result.findings == findings; */
static check begin_check(const etl_logfile *logfile, uint64_t event, etl_findings *findings)
{
    return (check){logfile, logfile->pointer_size == 8, event + ETL_SIZE(SYSTEM_TRACE_HEADER), findings};
}

/*@ requires etl_readable(buffer) && \valid(logfile) && etl_list(findings) && \separated(logfile, findings);
  @ requires \separated(logfile, buffer.at + (0 .. buffer.size - 1));
  @ assigns *logfile, *findings;
  @ ensures etl_list(findings); */
static void read_checked(etl_span buffer, size_t offset, uint64_t origin, etl_logfile *logfile, etl_findings *findings)
{
    const etl_span body = read_fixed(buffer, offset, logfile);
    const check c = begin_check(logfile, origin + offset, findings);
    if (!logfile->known) {
        report_cut(&c, body.size);
        return;
    }
    logfile->compression_format = etl_load_u16(buffer, ETL_AT(WMI_BUFFER_HEADER_61, State)); /* its low word */
    check_members(&c);
    read_names(body, &c, logfile);
}

void etl_logfile_read(etl_span buffer, size_t offset, uint64_t origin, etl_logfile *logfile, etl_findings *findings)
{
    *logfile = (etl_logfile){0};
    if (etl_logfile_here(buffer, offset))
        read_checked(buffer, offset, origin, logfile, findings);
    else
        report_missing(buffer, offset, etl_report(findings, ETL_RULE_LFH_001, ETL_SPACE_FILE, origin + offset));
}

/* Reports the first member of the clock that differs. False if none does. */
/*@ requires checkable(c) && \valid_read(first) && \separated(first, c->findings);
  @ assigns *c->findings;
  @ ensures etl_list(c->findings); */
static bool report_other_clock(const check *c, const etl_clock *first)
{
    const etl_clock *clock = &c->logfile->clock;
    const uint32_t frequency = clock->type == ETL_CLOCK_TYPE_CPUCYCLE ? ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz)
                                                                      : widths[c->wide].perf_freq;
    const uint64_t system_time = c->header - ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime);
    if (clock->start_time != first->start_time)
        violated(c, ETL_RULE_LFH_011, widths[c->wide].start_time, ETL_RELATION_EQUAL, (uint64_t)first->start_time,
                 (uint64_t)clock->start_time);
    else if (clock->type != first->type)
        violated(c, ETL_RULE_LFH_011, widths[c->wide].reserved_flags, ETL_RELATION_EQUAL, first->type, clock->type);
    else if (clock->frequency != first->frequency)
        violated(c, ETL_RULE_LFH_011, frequency, ETL_RELATION_EQUAL, first->frequency, clock->frequency);
    else if (clock->start_ticks != first->start_ticks)
        etl_expect(etl_report(c->findings, ETL_RULE_LFH_011, ETL_SPACE_FILE, system_time), ETL_RELATION_EQUAL,
                   (uint64_t)first->start_ticks, (uint64_t)clock->start_ticks);
    else
        return false;
    return true;
}

void etl_logfile_compare(etl_span buffer, size_t offset, uint64_t origin, const etl_clock *first, etl_findings *findings)
{
    etl_logfile later = {0};
    if (!etl_logfile_here(buffer, offset))
        return;
    (void)read_fixed(buffer, offset, &later);
    const check c = begin_check(&later, origin + offset, findings);
    if (!later.known || !report_other_clock(&c, first))
        etl_report(findings, ETL_RULE_LFH_012, ETL_SPACE_FILE, origin + offset);
}

etl_buffer_shape etl_logfile_shape(const etl_logfile *logfile)
{
    const uint32_t version = logfile->known ? windows(logfile) : ETL_WINDOWS_VERSION_LATEST;
    return version < ETL_WINDOWS_VERSION_5_2   ? ETL_BUFFER_SHAPE_50
           : version < ETL_WINDOWS_VERSION_6_0 ? ETL_BUFFER_SHAPE_52
           : version < ETL_WINDOWS_VERSION_6_1 ? ETL_BUFFER_SHAPE_60
                                   : ETL_BUFFER_SHAPE_61;
}

etl_context etl_logfile_context(const etl_logfile *logfile)
{
    const uint32_t private_modes = ETL_LOGGER_MODE_PRIVATE_LOGGER_MODE | ETL_LOGGER_MODE_PRIVATE_IN_PROC;
    etl_context context = {0};
    context.pointer_size = logfile->pointer_size;
    context.known = logfile->known;
    context.instance_guid = !logfile->known || logfile->sub_version > 1 ||
                            (logfile->sub_version == 1 && logfile->sub_minor_version >= 1);
    context.thread_id_64 = logfile->known && windows(logfile) == ETL_WINDOWS_VERSION_5_0;
    context.compact_allowed = !logfile->known || windows(logfile) >= ETL_WINDOWS_VERSION_6_2;
    context.processor_time = (logfile->log_file_mode & private_modes) != 0;
    return context;
}

bool etl_header_extension_read(etl_span data, etl_header_extension *extension)
{
    *extension = (etl_header_extension){0};
    if (!etl_span_has(data, 0, ETL_AT(ETW_KERNEL_HEADER_EXTENSION, Version)))
        return false;
    /*@ loop invariant 0 <= i <= 8;
      @ loop assigns i, extension->group_mask[0 .. 7];
      @ loop variant 8 - i; */
    for (size_t i = 0; i < 8; i++)
        extension->group_mask[i] = etl_load_u32(data, ETL_AT(ETW_KERNEL_HEADER_EXTENSION, GroupMask0) + 4 * i);
    extension->has_version = etl_span_has(data, 0, ETL_SIZE(ETW_KERNEL_HEADER_EXTENSION));
    extension->version = etl_load_u32(data, ETL_AT(ETW_KERNEL_HEADER_EXTENSION, Version));
    return true;
}

bool etl_last_dropped_times_read(etl_span data, etl_last_dropped_times *dropped)
{
    const etl_span times = etl_span_from(data, ETL_SIZE(LAST_DROPPED_TIMES));
    const uint64_t stated = 8 * (uint64_t)etl_load_u32(data, ETL_AT(LAST_DROPPED_TIMES, TimeStampCount));
    dropped->count = (uint32_t)(stated / 8);
    dropped->times = etl_span_first(times, stated < times.size ? (size_t)stated : times.size & ~(size_t)7);
    return etl_span_has(data, 0, ETL_SIZE(LAST_DROPPED_TIMES));
}
