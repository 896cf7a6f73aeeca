/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads members of WMI_LOGGER_CONTEXT, and writes a logfile header from them. layout_extract.c calls this.
 */
#include "layout/session_header.h"

#include <stdlib.h>
#include <string.h>

#include "event_form.h"
#include "scratch.h"

uint64_t tool_session_number(etl_memory_layout layout, etl_span structure, const char *name)
{
    etl_memory_member member;
    etl_memory_value value = {0};
    if (!etl_memory_find(layout, name, &member) || !etl_memory_read(structure, &member, &value))
        return 0;
    return value.number;
}

/* MajorVersion << 8 | MinorVersion. */
static uint32_t version_of(etl_memory_layout layout)
{
    char *end = NULL;
    const unsigned long major = strtoul(etl_windows_get(layout.windows)->version, &end, 10);
    return (uint32_t)(major << 8 | strtoul(end + 1, NULL, 10));
}

/* SubVersion << 8 | SubMinorVersion. */
static uint16_t sub_version_of(uint32_t version)
{
    static const struct {
        uint32_t version;
        uint16_t sub_version;
    } rows[] = {
#define ETL_WINDOWS_VERSION(name, major, minor, sub_version, build) {(major) << 8 | (minor), sub_version},
#include "format/windows.def"
    };
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof rows[0] && rows[i].version != version)
        i++;
    return rows[i].sub_version;
}

bool tool_session_shape(etl_memory_layout layout, etl_buffer_shape *shape)
{
    const uint32_t version = version_of(layout);
    *shape = version < ETL_WINDOWS_VERSION_6_1 ? ETL_BUFFER_SHAPE_60 : ETL_BUFFER_SHAPE_61;
    return version >= ETL_WINDOWS_VERSION_6_0;
}

/* LoggerName: it states the origin of the logfile header. LogFileName is empty. Each has a NUL. */
static const char logger_name[] = "etlproof layout --extract";

static uint32_t store_names(etl_scratch out, uint32_t at)
{
    for (size_t i = 0; i < sizeof logger_name; i++)
        etl_store_u16(out, at + 2 * i, (uint16_t)logger_name[i]);
    return at + 2 * (uint32_t)sizeof logger_name + 2;
}

static void store_buffer_header(etl_scratch out, uint32_t size, uint32_t extent)
{
    etl_store_u32(out, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), size);
    etl_store_u32(out, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), extent);
    etl_store_u32(out, ETL_AT(WMI_BUFFER_HEADER_61, Offset), extent);
    etl_store_u32(out, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_BUFFER_STATE_Flush);
    etl_store_u16(out, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), ETL_BUFFER_TYPE_HEADER);
}

static void store_event_header(etl_scratch out, bool wide, uint32_t size)
{
    etl_store_u8(out, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), wide ? ETL_HEADER_TYPE_SYSTEM64 : ETL_HEADER_TYPE_SYSTEM32);
    etl_store_u8(out, ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags), ETL_MARKER_EVENT_TRACE);
    etl_store_u16(out, ETL_AT(SYSTEM_TRACE_HEADER, Size), (uint16_t)size);
    etl_store_u16(out, ETL_AT(SYSTEM_TRACE_HEADER, HookId), ETL_HOOK_WMI_LOG_TYPE_HEADER);
}

/* Members at the same offset for both pointer sizes. */
static void store_fixed(etl_scratch out, etl_memory_layout layout, etl_span structure, tool_session_totals totals)
{
    const uint32_t version = version_of(layout);
    const uint16_t sub_version = sub_version_of(version);
    const uint32_t mode = (uint32_t)tool_session_number(layout, structure, "LoggerMode");
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize),
                  (uint32_t)tool_session_number(layout, structure, "BufferSize"));
    etl_store_u8(out, ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), (uint8_t)(version >> 8));
    etl_store_u8(out, ETL_AT(TRACE_LOGFILE_HEADER64, MinorVersion), (uint8_t)version);
    etl_store_u8(out, ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion), (uint8_t)(sub_version >> 8));
    etl_store_u8(out, ETL_AT(TRACE_LOGFILE_HEADER64, SubMinorVersion), (uint8_t)sub_version);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, ProviderVersion), etl_windows_get(layout.windows)->first_build);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), totals.processors);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, MaximumFileSize),
                  (uint32_t)tool_session_number(layout, structure, "MaximumFileSize"));
    /* Buffers are compressed on their way into a file: those in memory are not. */
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), mode & ~(uint32_t)ETL_LOGGER_MODE_COMPRESSED_MODE);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, BuffersWritten), (uint32_t)totals.buffers);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, StartBuffers), 1);
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize), etl_arch_pointer_size(layout.arch));
    etl_store_u32(out, ETL_AT(TRACE_LOGFILE_HEADER64, EventsLost),
                  (uint32_t)tool_session_number(layout, structure, "EventsLost"));
}

/* Members behind the pointers. */
static void store_rest(etl_scratch out, etl_memory_layout layout, etl_span structure, bool wide)
{
    const bool system_time = tool_session_number(layout, structure, "ClockType") == ETL_CLOCK_TYPE_SYSTEMTIME;
    etl_store_u64(out, wide ? ETL_AT(TRACE_LOGFILE_HEADER64, StartTime) : ETL_AT(TRACE_LOGFILE_HEADER32, StartTime),
                  tool_session_number(layout, structure, "StartTime"));
    etl_store_u32(out, wide ? ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags) : ETL_AT(TRACE_LOGFILE_HEADER32, ReservedFlags),
                  system_time ? ETL_CLOCK_TYPE_SYSTEMTIME : ETL_CLOCK_TYPE_RAW);
    etl_store_u32(out, wide ? ETL_AT(TRACE_LOGFILE_HEADER64, BuffersLost) : ETL_AT(TRACE_LOGFILE_HEADER32, BuffersLost),
                  (uint32_t)tool_session_number(layout, structure, "LogBuffersLost"));
}

uint32_t tool_session_header(etl_memory_layout layout, etl_span structure, tool_session_totals totals,
                             uint8_t bytes[TOOL_SESSION_HEADER_SIZE])
{
    const bool wide = etl_arch_pointer_size(layout.arch) == 8;
    const uint32_t event_at = ETL_BUFFER_SIZE_MIN, at = event_at + ETL_SIZE(SYSTEM_TRACE_HEADER);
    const uint32_t fixed = wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    const etl_scratch out = {bytes, TOOL_SESSION_HEADER_SIZE};
    memset(bytes, 0, TOOL_SESSION_HEADER_SIZE);
    const uint32_t end = store_names(out, at + fixed), extent = etl_align8(end);
    store_buffer_header(out, (uint32_t)tool_session_number(layout, structure, "BufferSize"), extent);
    store_event_header(etl_scratch_part(out, event_at, ETL_SIZE(SYSTEM_TRACE_HEADER)), wide, end - event_at);
    store_fixed(etl_scratch_part(out, at, fixed), layout, structure, totals);
    store_rest(etl_scratch_part(out, at, fixed), layout, structure, wide);
    return extent;
}
