/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a small trace to start a campaign from where there are no real ones: a logfile header, and one event of each header
 * type, made from the tables of the format alone.
 */
#include <stdio.h>
#include <string.h>

#include "etlproof/etlproof.h"

#define TRACE_SIZE 4096u
#define DATA_SIZE 8u
#define FILETIME_2020 INT64_C(132223104000000000)

static uint8_t trace[TRACE_SIZE];
static size_t at = ETL_SIZE(WMI_BUFFER_HEADER_61);

static void put(size_t offset, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        trace[offset + i] = (uint8_t)(value >> 8 * i);
}

/* Sets the member of that name, if the structure has one. */
static void set(etl_structure_id id, size_t base, const char *name, uint64_t value)
{
    size_t count;
    const etl_member_info *members = etl_structure_members(id, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(members[i].name, name) == 0)
            put(base + members[i].offset, value, etl_member_kind_size(members[i].kind));
}

/* Puts an event with `size` bytes of user data, and returns where those are. */
static size_t put_event(uint8_t type, etl_layout layout, size_t size)
{
    etl_structure_id id = etl_layout_structure(layout);
    size_t header = etl_structure_size_of(id);
    set(id, at, "Size", header + size);
    set(id, at, "HeaderType", type);
    set(id, at, "MarkerFlags", layout == ETL_LAYOUT_MESSAGE ? ETL_MARKER_MESSAGE : ETL_MARKER_EVENT_TRACE);
    set(id, at, "SystemTime", FILETIME_2020);
    set(id, at, "TimeStamp", FILETIME_2020);
    size_t data = at + header;
    at = (data + size + 7) / 8 * 8;
    return data;
}

static void put_logfile_header(void)
{
    size_t names = 4; /* two empty strings */
    size_t data = put_event(ETL_HEADER_TYPE_SYSTEM64, ETL_LAYOUT_SYSTEM, ETL_SIZE(TRACE_LOGFILE_HEADER64) + names);
    etl_structure_id id = ETL_STRUCTURE_TRACE_LOGFILE_HEADER64;
    set(id, data, "BufferSize", TRACE_SIZE);
    set(id, data, "MajorVersion", 10);
    set(id, data, "SubVersion", 1);
    set(id, data, "SubMinorVersion", 5);
    set(id, data, "ProviderVersion", 19041);
    set(id, data, "NumberOfProcessors", 1);
    set(id, data, "EndTime", FILETIME_2020);
    set(id, data, "BuffersWritten", 1);
    set(id, data, "PointerSize", 8);
    set(id, data, "BootTime", FILETIME_2020);
    set(id, data, "StartTime", FILETIME_2020);
    set(id, data, "PerfFreq", ETL_FILETIME_SECOND);
    set(id, data, "ReservedFlags", ETL_CLOCK_TYPE_SYSTEMTIME);
}

static void put_buffer_header(void)
{
    etl_structure_id id = ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
    set(id, 0, "BufferSize", TRACE_SIZE);
    set(id, 0, "SavedOffset", at);
    set(id, 0, "CurrentOffset", at);
    set(id, 0, "Offset", at);
    set(id, 0, "TimeStamp", FILETIME_2020);
    set(id, 0, "BufferType", ETL_BUFFER_TYPE_HEADER);
    memset(trace + at, 0xFF, TRACE_SIZE - at);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 64;
    }
    put_logfile_header();
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) put_event(value, ETL_LAYOUT_##layout, DATA_SIZE);
#include "format/header_types.def"
    put_buffer_header();
    FILE *file = fopen(argv[1], "wb");
    if (!file || fwrite(trace, 1, TRACE_SIZE, file) != TRACE_SIZE || fclose(file) != 0) {
        perror(argv[1]);
        return 66;
    }
    return 0;
}
