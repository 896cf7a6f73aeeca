/* SPDX-License-Identifier: Apache-2.0 */
#include "sound_inputs.h"

#include <string.h>

#include "etlproof/etlproof.h"
#include "fuzz_input.h"

static void put(sound_input *in, unsigned size, uint64_t value)
{
    while (size-- > 0) {
        in->bytes[in->size++] = (uint8_t)value;
        value >>= 8;
    }
}

static void fill(sound_input *in, size_t count, uint8_t first)
{
    for (size_t i = 0; i < count; i++)
        in->bytes[in->size++] = (uint8_t)(first + i % 64);
}

static void align(sound_input *in)
{
    while (in->size % 8 != 0)
        in->bytes[in->size++] = 0;
}

static void put_context(sound_input *in)
{
    static const input_context context = {
        .events = {.pointer_size = 8, .known = true, .instance_guid = true, .compact_allowed = true},
        .shape = ETL_BUFFER_SHAPE_61};
    input_context_write(&context, in->bytes + in->size);
    in->size += INPUT_CONTEXT_SIZE;
}

/* A header of `size` bytes whose first dword is Size, HeaderType, MarkerFlags. */
static void put_event(sound_input *in, uint8_t type, uint16_t size)
{
    put(in, 2, size);
    put(in, 1, type);
    put(in, 1, ETL_MARKER_EVENT_TRACE);
}

/* A header whose first dword is Version, HeaderType, MarkerFlags; then Size and HookId. */
static void put_hook(sound_input *in, uint8_t type, uint16_t version, uint16_t size, uint16_t hook)
{
    put_event(in, type, version);
    put(in, 2, size);
    put(in, 2, hook);
}

static void put_item(sound_input *in, uint16_t type, uint16_t size, int linkage)
{
    put(in, 2, (ETL_SIZE(EXTENDED_DATA_ITEM) + size + 7u) / 8 * 8);
    put(in, 2, type);
    put(in, 2, (uint64_t)linkage);
    put(in, 2, size);
}

/* TraceLogging metadata: tag 0, a name, a counted field and a field with an output type and a tag. */
static void put_schema(sound_input *in)
{
    static const uint8_t schema[] = {20, 0, 0, 'e', 0, 'a', 0, 0x28, 3, 0, 'b', 'c', 0, 0x86, 0x85, 0x81, 2, 'd', 0, 4};
    put_item(in, ETL_ITEM_TYPE_EVENT_SCHEMA_TL, sizeof schema, 1);
    memcpy(in->bytes + in->size, schema, sizeof schema);
    in->size += sizeof schema;
    align(in);
}

/* Provider traits: a name, a group GUID and a decode GUID. */
static void put_traits(sound_input *in)
{
    put_item(in, ETL_ITEM_TYPE_PROV_TRAITS, 2 + 2 + 2 * (3 + 16), 1);
    put(in, 2, 2 + 2 + 2 * (3 + 16));
    put(in, 2, 'p');
    for (unsigned type = 1; type <= 2; type++) {
        put(in, 2, 3 + 16);
        put(in, 1, type);
        fill(in, 16, (uint8_t)(type * 16));
    }
    align(in);
}

static void put_sid(sound_input *in)
{
    put_item(in, ETL_ITEM_TYPE_SID, 16, 1);
    put(in, 2, 2 << 8 | 1);
    put(in, 6, UINT64_C(0x050000000000));
    fill(in, 8, 0x20);
}

/* One item of each layout. */
static void put_items(sound_input *in)
{
    static const struct {
        uint8_t type, size;
    } plain[] = {
        {ETL_ITEM_TYPE_RELATED_ACTIVITYID, 16}, {ETL_ITEM_TYPE_TS_ID, 4},          {ETL_ITEM_TYPE_EVENT_KEY, 8},
        {ETL_ITEM_TYPE_INSTANCE_INFO, 24},      {ETL_ITEM_TYPE_STACK_TRACE32, 16}, {ETL_ITEM_TYPE_STACK_TRACE64, 24},
        {ETL_ITEM_TYPE_PMC_COUNTERS, 16},       {ETL_ITEM_TYPE_STACK_KEY32, 12},   {ETL_ITEM_TYPE_STACK_KEY64, 16},
        {ETL_ITEM_TYPE_CONTAINER_ID, 5},
    };
    put_schema(in);
    put_traits(in);
    put_sid(in);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        put_item(in, plain[i].type, plain[i].size, i + 1 < sizeof plain / sizeof plain[0]);
        fill(in, plain[i].size, (uint8_t)(16 * i));
        align(in);
    }
}

static void put_message(sound_input *in)
{
    put(in, 2, ETL_SIZE(MESSAGE_TRACE_HEADER) + 4 + 16 + 8 + 8 + 4);
    put(in, 1, 0);
    put(in, 1, ETL_MARKER_MESSAGE);
    put(in, 2, 12);
    put(in, 2, ETL_MESSAGE_OPTION_SEQUENCE | ETL_MESSAGE_OPTION_GUID | ETL_MESSAGE_OPTION_TIMESTAMP |
                   ETL_MESSAGE_OPTION_SYSTEMINFO | ETL_MESSAGE_OPTION_POINTER64);
    fill(in, 4 + 16 + 8 + 8 + 4, 0x30);
}

/* One event of each layout, the items in the first. */
static void put_events(sound_input *in)
{
    const size_t at = in->size;
    put_event(in, ETL_HEADER_TYPE_EVENT_HEADER64, 0);
    put(in, 2, ETL_EVENT_FLAG_EXTENDED_INFO);
    fill(in, ETL_SIZE(EVENT_HEADER) - 6, 1);
    put_items(in);
    fill(in, 5, 0x60);
    const size_t size = in->size - at;
    in->bytes[at] = (uint8_t)size;
    in->bytes[at + 1] = (uint8_t)(size >> 8);
    align(in);
    put_hook(in, ETL_HEADER_TYPE_SYSTEM64, 2, ETL_SIZE(SYSTEM_TRACE_HEADER) + 8, 0x0501);
    fill(in, ETL_SIZE(SYSTEM_TRACE_HEADER), 2);
    put_hook(in, ETL_HEADER_TYPE_COMPACT64, 2, ETL_SIZE(COMPACT_TRACE_HEADER), 0x0524);
    fill(in, ETL_SIZE(COMPACT_TRACE_HEADER) - 8, 3);
    put_hook(in, ETL_HEADER_TYPE_PERFINFO64, 0x8202, ETL_SIZE(PERFINFO_TRACE_HEADER) + 24, 0x0F2E);
    fill(in, ETL_SIZE(PERFINFO_TRACE_HEADER) + 16, 4);
    put_event(in, ETL_HEADER_TYPE_FULL_HEADER64, ETL_SIZE(EVENT_TRACE_HEADER));
    fill(in, ETL_SIZE(EVENT_TRACE_HEADER) - 4, 5);
    put_event(in, ETL_HEADER_TYPE_INSTANCE64, ETL_SIZE(EVENT_INSTANCE_GUID_HEADER) + 8);
    fill(in, ETL_SIZE(EVENT_INSTANCE_GUID_HEADER) + 4, 6);
    put_message(in);
}

static void put_logfile(sound_input *in)
{
    const size_t names = 12;
    put_hook(in, ETL_HEADER_TYPE_SYSTEM64, 2,
             (uint16_t)(ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_SIZE(TRACE_LOGFILE_HEADER64) + names),
             ETL_HOOK_WMI_LOG_TYPE_HEADER);
    fill(in, ETL_SIZE(SYSTEM_TRACE_HEADER) - 8, 1);
    uint8_t *body = in->bytes + in->size;
    fill(in, ETL_SIZE(TRACE_LOGFILE_HEADER64) + names, 0x20);
    memcpy(body + ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), "\x0A\x00\x01\x05", 4);
    memcpy(body + ETL_AT(TRACE_LOGFILE_HEADER64, PerfFreq), "\x80\x96\x98\0\0\0\0", 8);
    memcpy(body + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime), "\0\0\0\0\0\0\xD0\x01", 8);
    memcpy(body + ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags), "\x01\0\0", 4);
    memcpy(body + ETL_SIZE(TRACE_LOGFILE_HEADER64), "a\0b\0\0\0c\0d\0\0", names);
}

/* A buffer of the events with a few bytes of slack, and four bytes after it that are not a buffer. */
static void put_buffer(sound_input *in)
{
    const size_t at = in->size;
    in->size += ETL_SIZE(WMI_BUFFER_HEADER_61);
    memset(in->bytes + at, 0, ETL_SIZE(WMI_BUFFER_HEADER_61));
    put_events(in);
    const size_t extent = in->size - at;
    memset(in->bytes + in->size, 0xFF, 16);
    in->size += 16;
    sound_input header = {.size = 0};
    put(&header, 4, in->size - at);
    put(&header, 4, extent);
    memcpy(in->bytes + at, header.bytes, header.size);
    memcpy(in->bytes + at + ETL_AT(WMI_BUFFER_HEADER_61, Offset), header.bytes + 4, 4);
    put(in, 4, 0);
}

/* A stream of plain XPRESS: 32 zero bits mean that the next 32 bytes are literals. */
static void put_stream(sound_input *in, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (i % 32 == 0)
            put(in, 4, 0);
        put(in, 1, bytes[i]);
    }
}

/* A buffer of the events, compressed; and two bytes after it, which select limits that are not too tight to inflate it.
   */
static void put_compressed(sound_input *in)
{
    const size_t at = in->size;
    sound_input events = {.size = 0}, header = {.size = 0};
    put_events(&events);
    memset(in->bytes + at, 0, ETL_SIZE(WMI_BUFFER_HEADER_61));
    in->size += ETL_SIZE(WMI_BUFFER_HEADER_61);
    put_stream(in, events.bytes, events.size);
    put(&header, 4, in->size - at);
    put(&header, 4, ETL_SIZE(WMI_BUFFER_HEADER_61) + events.size);
    put(&header, 2, ETL_BUFFER_FLAG_COMPRESSED);
    memcpy(in->bytes + at, header.bytes, 8);
    memcpy(in->bytes + at + ETL_AT(WMI_BUFFER_HEADER_61, Offset), header.bytes + 4, 4);
    memcpy(in->bytes + at + ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), header.bytes + 8, 2);
    put(in, 2, 6);
}

/* Ticks of 3 MHz since a time in 2020, and stamps before, at and after the start, and at the extremes. */
static void put_clock(sound_input *in)
{
    static const uint64_t stamps[] = {1, 1000000, 3000001, UINT64_C(132264180951234567), INT64_MAX, UINT64_MAX};
    put(in, 4, ETL_CLOCK_TYPE_PERFCOUNTER);
    put(in, 8, 3000000);
    put(in, 8, 1000000);
    put(in, 8, UINT64_C(132264180951234567));
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++)
        put(in, 8, stamps[i]);
}

/* An ETW_GUID_ENTRY of 2004, x64: of GuidList, Blink is null; SecurityDescriptor points to user memory; cut after the
   fourth member. */
static void put_layout(sound_input *in)
{
    put(in, 1, ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY);
    put(in, 1, ETL_WINDOWS_2004);
    put(in, 1, ETL_ARCH_X64);
    put(in, 1, 4);
    put(in, 8, UINT64_C(0xFFFF800012345678));
    fill(in, 0x40, 0);
    put(in, 8, 0x12345678);
    fill(in, 0x158, 0);
}

int make_sound_input(const char *name, sound_input *input)
{
    static const struct {
        const char *name;
        void (*put)(sound_input *);
    } makers[] = {{"fuzz_buffer", put_buffer}, {"fuzz_buffer compressed", put_compressed}, {"fuzz_event", put_events},
                  {"fuzz_items", put_items},   {"fuzz_logfile", put_logfile},              {"fuzz_message", put_message},
                  {"fuzz_clock", put_clock},   {"fuzz_layout", put_layout}};
    input->size = 0;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (strcmp(name, makers[i].name) != 0)
            continue;
        if (makers[i].put != put_clock && makers[i].put != put_layout)
            put_context(input);
        makers[i].put(input);
        return 1;
    }
    return 0;
}
