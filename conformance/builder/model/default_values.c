/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a well-formed file that nobody sets and no layout works out. No two members of a structure share a value,
 * and no GUID reads the same backwards, so that a reader that takes one for another is seen.
 */
#include "model/model_internal.h"

/* FILETIMEs of 2020-02-17: 05:13:20 boot, 09:00:00 start, 09:10:00 end. */
#define BOOT_TIME UINT64_C(132263900000000000)
#define START_TIME UINT64_C(132264036000000000)
#define END_TIME UINT64_C(132264042000000000)

enum { CLOCK_START = 1000000 }; /* session clock at START_TIME, where it is not FILETIME itself */
enum { LOGGER_ID = 0x20 };
enum { WMI_BUFFER_STATE_FLUSH = 4 }; /* Flags of 5.0 to 5.2. Source: Chappell on WMI_BUFFER_HEADER */

static const uint8_t guids[][15] = {
    {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC}, /* provider */
    {0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6, 0x07, 0x18, 0x29, 0x3A, 0x4B, 0x5C, 0x6D, 0x7E, 0x8F}, /* activity */
    {0x0F, 0x1E, 0x2D, 0x3C, 0x4B, 0x5A, 0x69, 0x78, 0x87, 0x96, 0xA5, 0xB4, 0xC3, 0xD2, 0xE1}, /* parent */
};
enum { PROVIDER, ACTIVITY, PARENT };

/* Different in its last byte for each of the first 256 events. */
static void make_guid(uint8_t guid[16], int which, uint32_t number)
{
    for (size_t i = 0; i < 15; i++)
        guid[i] = guids[which][i];
    guid[15] = (uint8_t)(0xF0 - number);
}

static void fill_guid(build_structure *part, const char *member, int which, uint32_t number)
{
    uint8_t guid[16];
    make_guid(guid, which, number);
    build_structure_fill_bytes(part, member, guid, sizeof guid);
}

build_structure build_default_buffer(etl_structure_id structure)
{
    build_structure part = build_structure_make(structure);
    build_structure_fill(&part, "UsePerfClock", 1);
    build_structure_fill(&part, "Flags", WMI_BUFFER_STATE_FLUSH);
    build_structure_fill(&part, "State", ETL_BUFFER_STATE_Flush);
    build_structure_fill(&part, "LoggerId", LOGGER_ID);
    build_structure_fill(&part, "Alignment", BUILD_DEFAULT_ALIGNMENT);
    return part;
}

static void fill_class(build_structure *part, uint32_t number)
{
    build_structure_fill(part, "ClassType", 0x21);
    build_structure_fill(part, "ClassLevel", 5);
    build_structure_fill(part, "ClassVersion", 0x0203);
    fill_guid(part, "Guid", PROVIDER, number);
    fill_guid(part, "ParentGuid", PARENT, number);
    build_structure_fill(part, "RegHandle", UINT64_C(0xFFFFA80012345670) + number);
    build_structure_fill(part, "ParentRegHandle", UINT64_C(0xFFFFA800ABCDEF00) + number);
    build_structure_fill(part, "InstanceId", 0x1100 + number);
    build_structure_fill(part, "ParentInstanceId", 0x2200 + number);
}

static void fill_event_header(build_structure *part, uint32_t number)
{
    fill_guid(part, "ProviderId", PROVIDER, number);
    fill_guid(part, "ActivityId", ACTIVITY, number);
    build_structure_fill(part, "Id", 0x0101 + number);
    build_structure_fill(part, "Version", 3);
    build_structure_fill(part, "Channel", 16);
    build_structure_fill(part, "Level", 4);
    build_structure_fill(part, "Opcode", 10);
    build_structure_fill(part, "Task", 0x2021);
    build_structure_fill(part, "Keyword", UINT64_C(0x8000400020001008));
}

static uint32_t hook_of(etl_layout layout)
{
    switch (layout) {
    case ETL_LAYOUT_PERFINFO: return ETL_HOOK_PERFINFO_LOG_TYPE_SAMPLED_PROFILE;
    case ETL_LAYOUT_COMPACT: return ETL_HOOK_PERFINFO_LOG_TYPE_CONTEXTSWAP;
    default: return ETL_HOOK_WMI_LOG_TYPE_PROCESS_CREATE;
    }
}

build_structure build_default_event(etl_layout layout, uint32_t number)
{
    build_structure part = build_structure_make(etl_layout_structure(layout));
    build_structure_fill(&part, "ThreadId", 0x1234 + 4 * number);
    build_structure_fill(&part, "ProcessId", 0x5678 + 4 * number);
    build_structure_fill(&part, "KernelTime", 2 + number);
    build_structure_fill(&part, "UserTime", 1002 + number);
    if (layout == ETL_LAYOUT_EVENT) {
        fill_event_header(&part, number);
        return part;
    }
    fill_class(&part, number);
    build_structure_fill(&part, "Version", 2);
    build_structure_fill(&part, "HookId", hook_of(layout));
    build_structure_fill(&part, "MessageNumber", 10 + number);
    build_structure_fill(&part, "OptionFlags",
                         ETL_MESSAGE_OPTION_GUID | ETL_MESSAGE_OPTION_TIMESTAMP | ETL_MESSAGE_OPTION_SYSTEMINFO |
                             ETL_MESSAGE_OPTION_POINTER64);
    build_structure_fill(&part, "Unknown", 0x44434241);
    return part;
}

build_message_fields build_default_message_fields(uint32_t number)
{
    build_message_fields parts = {.sequence = 0x5E0 + number,
                                  .component_id = 0xC0 + number,
                                  .thread_id = 0x1234 + 4 * number,
                                  .process_id = 0x5678 + 4 * number,
                                  .time = UINT64_MAX,
                                  .filled_time = UINT64_MAX};
    make_guid(parts.guid, PROVIDER, number);
    return parts;
}

static void add_text(build_chunk *chunk, const char *text)
{
    do {
        build_chunk_number(chunk, (uint8_t)*text, 2);
    } while (*text++ != '\0');
}

void build_default_names(build_chunk *names)
{
    add_text(names, "t");
    add_text(names, "C:\\t.etl");
}

static void fill_text(build_structure *part, const char *member, const char *text)
{
    build_chunk chunk = {0};
    add_text(&chunk, text);
    build_structure_fill_bytes(part, member, chunk.at, chunk.size);
    build_chunk_free(&chunk);
}

/* The last Sunday of October and of March, as Windows writes it: day 5 is the last one. */
static void fill_time_zone(build_structure *part)
{
    build_structure_fill(part, "TimeZone.Bias", (uint64_t)-60);
    fill_text(part, "TimeZone.StandardName", "@tzres.dll,-322");
    build_structure_fill(part, "TimeZone.StandardDate.Month", 10);
    build_structure_fill(part, "TimeZone.StandardDate.Day", 5);
    build_structure_fill(part, "TimeZone.StandardDate.Hour", 3);
    fill_text(part, "TimeZone.DaylightName", "@tzres.dll,-321");
    build_structure_fill(part, "TimeZone.DaylightDate.Month", 3);
    build_structure_fill(part, "TimeZone.DaylightDate.Day", 5);
    build_structure_fill(part, "TimeZone.DaylightDate.Hour", 2);
    build_structure_fill(part, "TimeZone.DaylightBias", (uint64_t)-60);
}

build_structure build_default_logfile(uint8_t pointer_size)
{
    build_structure part = build_structure_make(pointer_size == 4 ? ETL_STRUCTURE_TRACE_LOGFILE_HEADER32
                                                                  : ETL_STRUCTURE_TRACE_LOGFILE_HEADER64);
    build_structure_fill(&part, "MajorVersion", 10);
    build_structure_fill(&part, "EndTime", END_TIME);
    build_structure_fill(&part, "TimerResolution", 156250);
    build_structure_fill(&part, "MaximumFileSize", 64);
    build_structure_fill(&part, "StartBuffers", 1);
    build_structure_fill(&part, "CpuSpeedInMHz", 2000);
    build_structure_fill(&part, "LoggerName", 0xA);
    build_structure_fill(&part, "LogFileName", 7);
    fill_time_zone(&part);
    build_structure_fill(&part, "BootTime", BOOT_TIME);
    build_structure_fill(&part, "PerfFreq", 10000000);
    build_structure_fill(&part, "StartTime", START_TIME);
    build_structure_fill(&part, "ReservedFlags", ETL_CLOCK_TYPE_PERFCOUNTER);
    return part;
}

uint32_t build_default_build(uint32_t windows)
{
    static const struct {
        uint32_t windows, build;
    } builds[] = {
#define ETL_WINDOWS_VERSION(name, major, minor, sub_version, build) {ETL_WINDOWS_VERSION_##name, build},
#include "format/windows.def"
    };
    size_t i = 0;
    while (i + 1 < sizeof builds / sizeof builds[0] && builds[i].windows != windows)
        i++;
    return builds[i].build;
}

/* Where the clock is system time, it starts at StartTime; before 6.0 it is unless ReservedFlags says otherwise. */
int64_t build_default_clock_start(const build_structure *logfile, uint32_t windows)
{
    if (logfile == NULL)
        return CLOCK_START;
    const uint64_t type = build_structure_get(logfile, "ReservedFlags");
    const bool system_time =
        windows < ETL_WINDOWS_VERSION_6_0 ? type != ETL_CLOCK_TYPE_PERFCOUNTER : type == ETL_CLOCK_TYPE_SYSTEMTIME;
    return system_time ? (int64_t)build_structure_get(logfile, "StartTime") : CLOCK_START;
}
