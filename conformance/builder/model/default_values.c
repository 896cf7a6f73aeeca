/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets default members by name. Called by model.c for new nodes, by version_shape.c for converted ones, and by the layout.
 */
#include "model/default_values.h"

#include "model/event_layouts.h"

/* FILETIMEs of 2020-02-17: 05:13:20 boot, 09:00:00 start, 09:10:00 end. */
#define BOOT_TIME UINT64_C(132263900000000000)
#define START_TIME UINT64_C(132264036000000000)
#define END_TIME UINT64_C(132264042000000000)

enum { CLOCK_START = 1000000 }; /* session clock at START_TIME, unless it is FILETIME itself */
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

static void fill_guid(build_structure *structure, const char *member, int which, uint32_t number)
{
    uint8_t guid[16];
    make_guid(guid, which, number);
    build_structure_fill_bytes(structure, member, guid, sizeof guid);
}

build_structure build_default_buffer(etl_structure_id header)
{
    build_structure structure = build_structure_make(header);
    build_structure_fill(&structure, "UsePerfClock", 1);
    build_structure_fill(&structure, "Flags", WMI_BUFFER_STATE_FLUSH);
    build_structure_fill(&structure, "State", ETL_BUFFER_STATE_Flush);
    build_structure_fill(&structure, "LoggerId", LOGGER_ID);
    build_structure_fill(&structure, "Alignment", BUILD_DEFAULT_ALIGNMENT);
    return structure;
}

/* Members by name: a header gets those that it has. `step` is added for each event before this one. */
static const struct {
    const char *member;
    uint64_t value;
    uint32_t step;
} numbers[] = {
    {"ThreadId", 0x1234, 4},
    {"ProcessId", 0x5678, 4},
    {"KernelTime", 2, 1},
    {"UserTime", 1002, 1},
    {"ClassType", 0x21, 0},
    {"ClassLevel", 5, 0},
    {"ClassVersion", 0x0203, 0},
    {"RegHandle", UINT64_C(0xFFFFA80012345670), 1},
    {"ParentRegHandle", UINT64_C(0xFFFFA800ABCDEF00), 1},
    {"InstanceId", 0x1100, 1},
    {"ParentInstanceId", 0x2200, 1},
    {"Id", 0x0101, 1},
    {"Channel", 16, 0},
    {"Level", 4, 0},
    {"Opcode", 10, 0},
    {"Task", 0x2021, 0},
    {"Keyword", UINT64_C(0x8000400020001008), 0},
    {"MessageNumber", 10, 1},
    {"OptionFlags",
     ETL_MESSAGE_OPTION_GUID | ETL_MESSAGE_OPTION_TIMESTAMP | ETL_MESSAGE_OPTION_SYSTEMINFO | ETL_MESSAGE_OPTION_POINTER64,
     0},
    {"Unknown", 0x44434241, 0},
};

build_structure build_default_event(etl_layout layout, uint32_t number)
{
    const build_event_layout *row = build_event_layout_get(layout);
    build_structure header = build_structure_make(etl_layout_structure(layout));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        build_structure_fill(&header, numbers[i].member, numbers[i].value + numbers[i].step * (uint64_t)number);
    build_structure_fill(&header, "Version", row->version);
    build_structure_fill(&header, "HookId", row->hook);
    fill_guid(&header, "Guid", PROVIDER, number);
    fill_guid(&header, "ParentGuid", PARENT, number);
    fill_guid(&header, "ProviderId", PROVIDER, number);
    fill_guid(&header, "ActivityId", ACTIVITY, number);
    return header;
}

build_message_fields build_default_message_fields(uint32_t number)
{
    build_message_fields fields = {.sequence = 0x5E0 + number,
                                   .component_id = 0xC0 + number,
                                   .thread_id = 0x1234 + 4 * number,
                                   .process_id = 0x5678 + 4 * number,
                                   .time = UINT64_MAX,
                                   .filled_time = UINT64_MAX};
    make_guid(fields.guid, PROVIDER, number);
    return fields;
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

static void fill_text(build_structure *structure, const char *member, const char *text)
{
    build_chunk chunk = {0};
    add_text(&chunk, text);
    build_structure_fill_bytes(structure, member, chunk.at, chunk.size);
    build_chunk_free(&chunk);
}

/* The last Sunday of October and of March, as Windows writes it: day 5 is the last one. */
static void fill_time_zone(build_structure *structure)
{
    build_structure_fill(structure, "TimeZone.Bias", (uint64_t)-60);
    fill_text(structure, "TimeZone.StandardName", "@tzres.dll,-322");
    build_structure_fill(structure, "TimeZone.StandardDate.Month", 10);
    build_structure_fill(structure, "TimeZone.StandardDate.Day", 5);
    build_structure_fill(structure, "TimeZone.StandardDate.Hour", 3);
    fill_text(structure, "TimeZone.DaylightName", "@tzres.dll,-321");
    build_structure_fill(structure, "TimeZone.DaylightDate.Month", 3);
    build_structure_fill(structure, "TimeZone.DaylightDate.Day", 5);
    build_structure_fill(structure, "TimeZone.DaylightDate.Hour", 2);
    build_structure_fill(structure, "TimeZone.DaylightBias", (uint64_t)-60);
}

build_structure build_default_logfile(uint8_t pointer_size)
{
    build_structure structure = build_structure_make(pointer_size == 4 ? ETL_STRUCTURE_TRACE_LOGFILE_HEADER32
                                                                       : ETL_STRUCTURE_TRACE_LOGFILE_HEADER64);
    build_structure_fill(&structure, "MajorVersion", 10);
    build_structure_fill(&structure, "EndTime", END_TIME);
    build_structure_fill(&structure, "TimerResolution", 156250);
    build_structure_fill(&structure, "MaximumFileSize", 64);
    build_structure_fill(&structure, "StartBuffers", 1);
    build_structure_fill(&structure, "CpuSpeedInMHz", 2000);
    build_structure_fill(&structure, "LoggerName", 0xA);
    build_structure_fill(&structure, "LogFileName", 7);
    fill_time_zone(&structure);
    build_structure_fill(&structure, "BootTime", BOOT_TIME);
    build_structure_fill(&structure, "PerfFreq", 10000000);
    build_structure_fill(&structure, "StartTime", START_TIME);
    build_structure_fill(&structure, "ReservedFlags", ETL_CLOCK_TYPE_PERFCOUNTER);
    return structure;
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

/* A system-time clock starts at StartTime. Before 6.0 the clock is system time unless ReservedFlags is PERFCOUNTER. */
int64_t build_default_clock_start(const build_structure *logfile, uint32_t windows)
{
    if (logfile == NULL)
        return CLOCK_START;
    const uint64_t type = build_structure_get(logfile, "ReservedFlags");
    const bool system_time =
        windows < ETL_WINDOWS_VERSION_6_0 ? type != ETL_CLOCK_TYPE_PERFCOUNTER : type == ETL_CLOCK_TYPE_SYSTEMTIME;
    return system_time ? (int64_t)build_structure_get(logfile, "StartTime") : CLOCK_START;
}
