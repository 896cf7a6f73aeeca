/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapter of Windows itself: reads a file with OpenTrace and ProcessTrace and prints decode records. README.md explains
 * which fields it declares.
 */
#include <windows.h>

#include <evntrace.h>
#include <evntcons.h>
#include <fcntl.h>
#include <inttypes.h>
#include <io.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { EXIT_ACCEPT = 0, EXIT_REJECT = 1, EXIT_USAGE = 64, EXIT_UNREADABLE = 66, EXIT_INTERNAL = 70 };

/* The thread and process id that the API reports if the event header has none. */
#define NO_ID 0xFFFFFFFFu

static const char description[] =
    "{\"name\":\"windows\",\"version\":\"%lu.%lu.%lu\",\"language\":\"C\","
    "\"url\":\"https://learn.microsoft.com/windows/win32/api/evntrace/nf-evntrace-processtrace\",\"order\":\"time\","
    "\"records\":{"
    "\"trace\":[\"windows\",\"pointer_size\",\"clock_type\",\"clock_frequency\",\"logger_mode\",\"processors\","
    "\"buffer_size\",\"buffers_written\",\"events_lost\",\"buffers_lost\",\"start_utc\",\"end_utc\"],"
    "\"event\":[\"processor\",\"timestamp\",\"tid\",\"pid\",\"type\",\"version\",\"provider\",\"id\",\"channel\",\"level\","
    "\"opcode\",\"task\",\"keyword\",\"property\",\"activity\",\"items\",\"instance_id\",\"parent_instance_id\","
    "\"parent_provider\",\"message\",\"data_size\",\"data\"],"
    "\"item\":[\"type\",\"data\"]}}\n";

/* The GUID as text, without braces: 36 characters and NUL. */
static void write_guid(char text[37], const GUID *guid)
{
    const unsigned char *tail = guid->Data4;
    snprintf(text, 37, "%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", guid->Data1, guid->Data2, guid->Data3, tail[0],
             tail[1], tail[2], tail[3], tail[4], tail[5], tail[6], tail[7]);
}

static void print_guid(const char *name, const GUID *guid)
{
    char text[37];
    write_guid(text, guid);
    printf(",\"%s\":\"%s\"", name, text);
}

static void print_bytes(const char *name, const void *at, size_t size)
{
    const unsigned char *bytes = at;
    printf(",\"%s\":\"", name);
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    putchar('"');
}

/* Prints nothing beyond the end of Windows' calendar. */
static void print_utc(const char *name, LARGE_INTEGER time)
{
    FILETIME filetime = {.dwLowDateTime = time.LowPart, .dwHighDateTime = (DWORD)time.HighPart};
    SYSTEMTIME utc;
    if (!FileTimeToSystemTime(&filetime, &utc))
        return;
    printf(",\"%s\":\"%04u-%02u-%02uT%02u:%02u:%02u.%07uZ\"", name, utc.wYear, utc.wMonth, utc.wDay, utc.wHour, utc.wMinute,
           utc.wSecond, (unsigned)(time.QuadPart % 10000000));
}

static void print_trace(const TRACE_LOGFILE_HEADER *header)
{
    printf("{\"rec\":\"trace\",\"windows\":\"%u.%u.%lu\"", header->VersionDetail.MajorVersion,
           header->VersionDetail.MinorVersion, header->ProviderVersion);
    printf(",\"pointer_size\":%lu,\"clock_type\":%lu,\"clock_frequency\":\"%" PRId64 "\"", header->PointerSize,
           header->ReservedFlags, (int64_t)header->PerfFreq.QuadPart);
    printf(",\"logger_mode\":\"0x%08lx\",\"processors\":%lu,\"buffer_size\":%lu", header->LogFileMode,
           header->NumberOfProcessors, header->BufferSize);
    printf(",\"buffers_written\":%lu,\"events_lost\":%lu,\"buffers_lost\":%lu", header->BuffersWritten, header->EventsLost,
           header->BuffersLost);
    print_utc("start_utc", header->StartTime);
    if (header->EndTime.QuadPart != 0)
        print_utc("end_utc", header->EndTime);
    puts("}");
}

/* The API reports the instance of an INSTANCE event in an extended item. */
static void print_instance(const EVENT_RECORD *event)
{
    for (USHORT i = 0; i < event->ExtendedDataCount; i++) {
        const EVENT_HEADER_EXTENDED_DATA_ITEM *item = &event->ExtendedData[i];
        EVENT_EXTENDED_ITEM_INSTANCE instance;
        if (item->ExtType != EVENT_HEADER_EXT_TYPE_INSTANCE_INFO || item->DataSize < sizeof instance)
            continue;
        memcpy(&instance, (const void *)(ULONG_PTR)item->DataPtr, sizeof instance);
        printf(",\"instance_id\":%lu,\"parent_instance_id\":%lu", instance.InstanceId, instance.ParentInstanceId);
        print_guid("parent_provider", &instance.ParentGuid);
    }
}

static void print_items(const EVENT_RECORD *event)
{
    fputs(",\"items\":[", stdout);
    for (USHORT i = 0; i < event->ExtendedDataCount; i++) {
        const EVENT_HEADER_EXTENDED_DATA_ITEM *item = &event->ExtendedData[i];
        printf("%s{\"type\":\"0x%x\"", i == 0 ? "" : ",", item->ExtType);
        print_bytes("data", (const void *)(ULONG_PTR)item->DataPtr, item->DataSize);
        putchar('}');
    }
    putchar(']');
}

static void print_message(const EVENT_RECORD *event)
{
    static const GUID none;
    printf(",\"message\":%u", event->EventHeader.EventDescriptor.Id);
    if (memcmp(&event->EventHeader.ProviderId, &none, sizeof none) != 0)
        print_guid("provider", &event->EventHeader.ProviderId);
}

/* Whether a classic event is a kernel event, whose header has a HookId; the API reports a class GUID instead. */
static bool is_kernel_class(const GUID *provider)
{
    static const char *const classes[] = {
#define ETL_HOOK_GROUP(value, name, guid, source) guid,
#include "../../../decoder/format/hook_groups.def"
    };
    char text[37];
    write_guid(text, provider);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(text, classes[i]) == 0)
            return true;
    return false;
}

static void print_classic(const EVENT_RECORD *event)
{
    const EVENT_DESCRIPTOR *descriptor = &event->EventHeader.EventDescriptor;
    printf(",\"type\":%u,\"version\":%u", descriptor->Opcode, descriptor->Version);
    if (is_kernel_class(&event->EventHeader.ProviderId))
        return;
    print_guid("provider", &event->EventHeader.ProviderId);
    printf(",\"level\":%u", descriptor->Level);
    print_instance(event);
}

static void print_manifest(const EVENT_RECORD *event)
{
    const EVENT_DESCRIPTOR *descriptor = &event->EventHeader.EventDescriptor;
    print_guid("provider", &event->EventHeader.ProviderId);
    printf(",\"id\":%u,\"version\":%u,\"channel\":%u,\"level\":%u,\"opcode\":%u,\"task\":%u", descriptor->Id,
           descriptor->Version, descriptor->Channel, descriptor->Level, descriptor->Opcode, descriptor->Task);
    printf(",\"keyword\":\"0x%016" PRIx64 "\",\"property\":\"0x%04x\"", (uint64_t)descriptor->Keyword,
           event->EventHeader.EventProperty);
    print_guid("activity", &event->EventHeader.ActivityId);
    print_items(event);
}

static void WINAPI print_event(EVENT_RECORD *event)
{
    const EVENT_HEADER *header = &event->EventHeader;
    printf("{\"rec\":\"event\",\"processor\":%lu", GetEventProcessorIndex(event));
    printf(",\"timestamp\":\"%" PRId64 "\"", (int64_t)header->TimeStamp.QuadPart);
    if (header->ThreadId != NO_ID)
        printf(",\"tid\":%lu", header->ThreadId);
    if (header->ProcessId != NO_ID)
        printf(",\"pid\":%lu", header->ProcessId);
    if (header->Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE)
        print_message(event);
    else if (header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)
        print_classic(event);
    else
        print_manifest(event);
    printf(",\"data_size\":%u", event->UserDataLength);
    print_bytes("data", event->UserData, event->UserDataLength);
    puts("}");
}

/* The exit status for an error of the API: cannot read the file, out of resources, or file rejected. */
static int verdict(const char *call, ULONG error)
{
    if (error == ERROR_SUCCESS)
        return EXIT_ACCEPT;
    fprintf(stderr, "%s: error %lu\n", call, error);
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: return EXIT_UNREADABLE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NOACCESS:
    case ERROR_CALL_NOT_IMPLEMENTED: return EXIT_INTERNAL;
    default: return EXIT_REJECT;
    }
}

static int answer(wchar_t *path)
{
    EVENT_TRACE_LOGFILEW logfile = {.LogFileName = path};
    logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD | PROCESS_TRACE_MODE_RAW_TIMESTAMP;
    logfile.EventRecordCallback = print_event;
    TRACEHANDLE trace = OpenTraceW(&logfile);
    if (trace == INVALID_PROCESSTRACE_HANDLE)
        return verdict("OpenTrace", GetLastError());
    print_trace(&logfile.LogfileHeader);
    int status = verdict("ProcessTrace", ProcessTrace(&trace, 1, NULL, NULL));
    CloseTrace(trace);
    return status;
}

/* The parser is a part of Windows, so its version is the version of Windows. */
static void describe(void)
{
    typedef LONG(WINAPI * version_call)(OSVERSIONINFOW *);
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
    version_call get_version;
    memcpy(&get_version, &found, sizeof get_version);
    if (get_version != NULL)
        get_version(&version);
    printf(description, version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
}

int wmain(int argc, wchar_t **argv)
{
    _setmode(_fileno(stdout), _O_BINARY);
    if (argc != 2) {
        fputs("usage: etlproof-windows --describe | FILE\n", stderr);
        return EXIT_USAGE;
    }
    if (wcscmp(argv[1], L"--describe") == 0) {
        describe();
        return EXIT_ACCEPT;
    }
    return answer(argv[1]);
}
