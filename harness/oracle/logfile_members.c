/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks every member of a logfile header against its bytes, and the clock, context and buffer shape that the decoder
 * derives from it. Called by fuzz_logfile.
 */
#include "entry_points.h"
#include "input_bytes.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)

/* The event and the TRACE_LOGFILE_HEADER in it, or as many of their bytes as the buffer has. */
typedef struct header {
    bool here; /* the event is a logfile header */
    bool wide;
    etl_span event, body;
    uint32_t fixed; /* bytes of the structure before the names */
} header;

static header find(etl_span buffer)
{
    header h = {.here = false};
    if (buffer.size < EVENT_AT + ETL_SIZE(SYSTEM_TRACE_HEADER))
        return h; /* the members that decide are truncated, or there is no TRACE_LOGFILE_HEADER */
    const uint8_t *b = buffer.at + EVENT_AT;
    uint32_t size = oracle_raw_u16(b + ETL_AT(SYSTEM_TRACE_HEADER, Size));
    uint8_t type = b[ETL_AT(SYSTEM_TRACE_HEADER, HeaderType)];
    h.wide = type == ETL_HEADER_TYPE_SYSTEM64;
    h.here = (h.wide || type == ETL_HEADER_TYPE_SYSTEM32) &&
             b[ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags)] == ETL_MARKER_EVENT_TRACE &&
             oracle_raw_u16(b + ETL_AT(SYSTEM_TRACE_HEADER, HookId)) == ETL_HOOK_WMI_LOG_TYPE_HEADER &&
             size >= ETL_SIZE(SYSTEM_TRACE_HEADER);
    if (!h.here)
        return h;
    h.event = (etl_span){b, size < buffer.size - EVENT_AT ? size : buffer.size - EVENT_AT};
    h.body = (etl_span){b + ETL_SIZE(SYSTEM_TRACE_HEADER), h.event.size - ETL_SIZE(SYSTEM_TRACE_HEADER)};
    h.fixed = h.wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    return h;
}

/* MEMBER(field, name, size): members before the pointers, at the same offset in both widths. */
#define COMMON(MEMBER) \
    MEMBER(buffer_size, BufferSize, 4) MEMBER(major_version, MajorVersion, 1) MEMBER(minor_version, MinorVersion, 1) \
    MEMBER(sub_version, SubVersion, 1) MEMBER(sub_minor_version, SubMinorVersion, 1) \
    MEMBER(provider_version, ProviderVersion, 4) MEMBER(number_of_processors, NumberOfProcessors, 4) \
    MEMBER(end_time, EndTime, 8) MEMBER(timer_resolution, TimerResolution, 4) \
    MEMBER(maximum_file_size, MaximumFileSize, 4) MEMBER(log_file_mode, LogFileMode, 4) \
    MEMBER(buffers_written, BuffersWritten, 4) MEMBER(start_buffers, StartBuffers, 4) \
    MEMBER(stated_pointer_size, PointerSize, 4) MEMBER(events_lost, EventsLost, 4) \
    MEMBER(cpu_speed_in_mhz, CpuSpeedInMHz, 4)
/* Members after the first pointer, at offsets of their own. */
#define MOVED(MEMBER) \
    MEMBER(boot_time, BootTime, 8) MEMBER(perf_freq, PerfFreq, 8) MEMBER(start_time, StartTime, 8) \
    MEMBER(reserved_flags, ReservedFlags, 4) MEMBER(buffers_lost, BuffersLost, 4)

static bool members_hold(const header *h, const etl_logfile *l)
{
    const unsigned pointer = h->wide ? 8 : 4;
    bool same = l->pointer_size == pointer &&
                l->header_type == oracle_raw_get(h->event, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 1);
#define MEMBER(field, name, size) \
    same = same && (uint64_t)l->field == oracle_raw_get(h->body, ETL_AT(TRACE_LOGFILE_HEADER64, name), size);
    COMMON(MEMBER)
#undef MEMBER
#define MEMBER(field, name, size) \
    same = same && (uint64_t)l->field == oracle_raw_get(h->body, h->wide ? ETL_AT(TRACE_LOGFILE_HEADER64, name) \
                                                              : ETL_AT(TRACE_LOGFILE_HEADER32, name), size);
    MOVED(MEMBER)
#undef MEMBER
    size_t at = ETL_AT(TRACE_LOGFILE_HEADER64, LoggerName);
    return same && l->logger_name_pointer == oracle_raw_get(h->body, at, pointer) &&
           l->log_file_name_pointer == oracle_raw_get(h->body, at + pointer, pointer);
}

/* Whether UTF-16 text starts at `at` of `area`: no NUL in it, and a NUL after it unless the area ends. */
static bool text_holds(etl_span area, size_t at, etl_span text)
{
    if (text.size == 0)
        return oracle_raw_get(area, at, 2) == 0;
    if (text.at != area.at + at || text.size % 2 != 0 || at + text.size > area.size)
        return false;
    for (size_t i = 0; i < text.size; i += 2)
        if (oracle_raw_get(area, at + i, 2) == 0)
            return false;
    return oracle_raw_get(area, at + text.size, 2) == 0;
}

static bool date_holds(etl_span body, size_t at, const etl_systemtime *t)
{
    const uint16_t members[] = {t->year, t->month, t->day_of_week, t->day, t->hour, t->minute, t->second, t->milliseconds};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (members[i] != oracle_raw_get(body, at + 2 * i, 2))
            return false;
    return true;
}

/* The members of TIME_ZONE_INFORMATION with its names of at most 32 characters, as far as the event goes. */
static bool time_zone_holds(const header *h, const etl_time_zone *z)
{
    size_t at = h->wide ? ETL_AT(TRACE_LOGFILE_HEADER64, TimeZone) : ETL_AT(TRACE_LOGFILE_HEADER32, TimeZone);
    if (at > h->body.size)
        at = h->body.size;
    const etl_span zone = {h->body.at + at, h->body.size - at};
    etl_span standard = zone, daylight = zone;
    const size_t standard_end = ETL_AT(TIME_ZONE_INFORMATION, StandardDate);
    const size_t daylight_end = ETL_AT(TIME_ZONE_INFORMATION, DaylightDate);
    standard.size = zone.size < standard_end ? zone.size : standard_end;
    daylight.size = zone.size < daylight_end ? zone.size : daylight_end;
    return (uint32_t)z->bias == oracle_raw_get(zone, ETL_AT(TIME_ZONE_INFORMATION, Bias), 4) &&
           (uint32_t)z->standard_bias == oracle_raw_get(zone, ETL_AT(TIME_ZONE_INFORMATION, StandardBias), 4) &&
           (uint32_t)z->daylight_bias == oracle_raw_get(zone, ETL_AT(TIME_ZONE_INFORMATION, DaylightBias), 4) &&
           date_holds(zone, ETL_AT(TIME_ZONE_INFORMATION, StandardDate), &z->standard_date) &&
           date_holds(zone, ETL_AT(TIME_ZONE_INFORMATION, DaylightDate), &z->daylight_date) &&
           text_holds(standard, ETL_AT(TIME_ZONE_INFORMATION, StandardName), z->standard_name) &&
           text_holds(daylight, ETL_AT(TIME_ZONE_INFORMATION, DaylightName), z->daylight_name);
}

/* LogFileName is after the NUL of LoggerName; without that NUL there is none. */
static bool names_hold(const header *h, const etl_logfile *l)
{
    if (!l->known)
        return l->logger_name.size == 0 && l->log_file_name.size == 0;
    size_t next = h->fixed + l->logger_name.size + 2;
    return text_holds(h->body, h->fixed, l->logger_name) && text_holds(h->body, next, l->log_file_name);
}

bool oracle_logfile(oracle_watch *oracle, etl_span buffer, const etl_logfile *l)
{
    const header h = find(buffer);
    const bool known = h.here && h.body.size >= h.fixed;
    bool holds = ORACLE_HOLDS(l->known == known);
    if (h.here)
        holds = holds && ORACLE_HOLDS(members_hold(&h, l)) && ORACLE_HOLDS(time_zone_holds(&h, &l->time_zone)) &&
                ORACLE_HOLDS(names_hold(&h, l));
    if (known)
        holds =
            holds &&
            ORACLE_HOLDS(l->clock.start_ticks == oracle_raw_i64(h.event.at + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime))) &&
            ORACLE_HOLDS(l->compression_format == oracle_raw_u16(buffer.at + ETL_AT(WMI_BUFFER_HEADER_61, State)));
    return holds || oracle_break(oracle, ORACLE_PROMISE_LOGFILE, EVENT_AT);
}

/* Whether the file is of Windows major.minor or later; an unknown version counts as the latest. */
static bool is_since(const etl_logfile *l, unsigned major, unsigned minor)
{
    if (!l->known || l->major_version < 5)
        return true;
    return l->major_version > major || (l->major_version == major && l->minor_version >= minor);
}

static bool clock_holds(const etl_logfile *l)
{
    const etl_clock *c = &l->clock;
    uint32_t type = l->reserved_flags;
    if (!is_since(l, 6, 0))
        type = type == 1 ? ETL_CLOCK_TYPE_PERFCOUNTER : ETL_CLOCK_TYPE_SYSTEMTIME;
    if (c->type != type || c->start_time != l->start_time)
        return false;
    if (type == ETL_CLOCK_TYPE_CPUCYCLE)
        return c->frequency == l->cpu_speed_in_mhz;
    return type != ETL_CLOCK_TYPE_PERFCOUNTER || c->frequency == (l->perf_freq > 0 ? (uint64_t)l->perf_freq : 0);
}

static etl_buffer_shape shape_of(const etl_logfile *l)
{
    if (is_since(l, 6, 1))
        return ETL_BUFFER_SHAPE_61;
    if (is_since(l, 6, 0))
        return ETL_BUFFER_SHAPE_60;
    return is_since(l, 5, 2) ? ETL_BUFFER_SHAPE_52 : ETL_BUFFER_SHAPE_50;
}

bool oracle_context(oracle_watch *oracle, const etl_logfile *l, const etl_context *c, etl_buffer_shape shape)
{
    const uint32_t private_modes = ETL_LOGGER_MODE_PRIVATE_LOGGER_MODE | ETL_LOGGER_MODE_PRIVATE_IN_PROC;
    bool holds = c->known == l->known && c->pointer_size == l->pointer_size && shape == shape_of(l) &&
                 c->instance_guid == (!l->known || l->sub_version * 256 + l->sub_minor_version >= 0x101) &&
                 c->thread_id_64 == !is_since(l, 5, 1) && c->compact_allowed == is_since(l, 6, 2) &&
                 c->processor_time == ((l->log_file_mode & private_modes) != 0);
    if (l->known)
        holds = holds && clock_holds(l);
    return holds || oracle_break(oracle, ORACLE_PROMISE_CONTEXT, EVENT_AT);
}
