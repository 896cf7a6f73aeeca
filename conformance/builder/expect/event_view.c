/* SPDX-License-Identifier: Apache-2.0 */
#include "expect/event_view.h"

#include <string.h>

enum { MAJOR_MIN = ETL_WINDOWS_VERSION_OLDEST >> 8, MAJOR_MAX = ETL_WINDOWS_VERSION_LATEST >> 8 };
enum { INSTANCE_GUID_SINCE = 0x0101 }; /* SubVersion << 8 | SubMinorVersion. Source: TYP-003 */
enum { LINKAGE = 1 };
enum { CHARACTER = 2 }; /* bytes of one in a WCHAR[] */

build_span build_span_slice(build_span bytes, size_t at, size_t size)
{
    if (at > bytes.size)
        at = bytes.size;
    if (size > bytes.size - at)
        size = bytes.size - at;
    return (build_span){bytes.at + at, size};
}

uint64_t build_span_number(build_span bytes, size_t at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = size; i-- > 0;)
        number = number << 8 | bytes.at[at + i];
    return number;
}

/* What of a member is there, in `bytes`, which end with it at the latest; the rest stays 0. */
static void copy_member(uint8_t *to, etl_member_kind kind, build_span bytes)
{
    const etl_structure_id nested = build_structure_nested(kind);
    const size_t size = etl_member_kind_size(kind);
    if (nested != ETL_STRUCTURE_COUNT) {
        const build_structure part = build_structure_read(nested, bytes);
        memcpy(to, part.bytes, size);
    } else if (kind == ETL_MEMBER_KIND_WCHAR32 && bytes.size >= CHARACTER) {
        memcpy(to, bytes.at, bytes.size / CHARACTER * CHARACTER);
    } else if (bytes.size == size) {
        memcpy(to, bytes.at, size);
    }
}

build_structure build_structure_read(etl_structure_id structure, build_span bytes)
{
    build_structure part = {.structure = structure};
    size_t count;
    const etl_member_info *members = etl_structure_members(structure, &count);
    for (size_t i = 0; i < count; i++) {
        const size_t size = etl_member_kind_size(members[i].kind);
        copy_member(part.bytes + members[i].offset, members[i].kind, build_span_slice(bytes, members[i].offset, size));
    }
    return part;
}

/* The logfile header. */

build_session build_session_none(void)
{
    build_session session = {.windows = ETL_WINDOWS_VERSION_LATEST, .instance_guid = true};
    session.logfile.structure = ETL_STRUCTURE_TRACE_LOGFILE_HEADER64;
    session.buffer_header = ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
    return session;
}

static uint32_t windows_of(const build_structure *logfile)
{
    const uint64_t major = build_structure_get(logfile, "MajorVersion");
    if (major < MAJOR_MIN || major > MAJOR_MAX)
        return ETL_WINDOWS_VERSION_LATEST;
    return (uint32_t)(major << 8 | build_structure_get(logfile, "MinorVersion"));
}

/* Before 6.0 ReservedFlags said 1 for the performance counter, and else the system time was used. */
static uint32_t clock_type_of(const build_session *session)
{
    const uint32_t flags = (uint32_t)build_structure_get(&session->logfile, "ReservedFlags");
    if (session->windows >= ETL_WINDOWS_VERSION_6_0)
        return flags;
    return flags == 1 ? ETL_CLOCK_TYPE_PERFCOUNTER : ETL_CLOCK_TYPE_SYSTEMTIME;
}

static uint64_t frequency_of(const build_session *session)
{
    const int64_t frequency = (int64_t)build_structure_get(&session->logfile, "PerfFreq");
    if (session->clock.type == ETL_CLOCK_TYPE_CPUCYCLE)
        return build_structure_get(&session->logfile, "CpuSpeedInMHz");
    return frequency > 0 ? (uint64_t)frequency : 0;
}

static etl_structure_id buffer_header_of(uint32_t windows)
{
    return windows < ETL_WINDOWS_VERSION_5_2   ? ETL_STRUCTURE_WMI_BUFFER_HEADER_50
           : windows < ETL_WINDOWS_VERSION_6_0 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_52
           : windows < ETL_WINDOWS_VERSION_6_1 ? ETL_STRUCTURE_WMI_BUFFER_HEADER_60
                                               : ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
}

static void conclude(build_session *session, uint64_t start_ticks)
{
    const build_structure *logfile = &session->logfile;
    const uint64_t sub = build_structure_get(logfile, "SubVersion") << 8 | build_structure_get(logfile, "SubMinorVersion");
    session->windows = windows_of(logfile);
    session->instance_guid = sub >= INSTANCE_GUID_SINCE;
    session->clock.type = clock_type_of(session);
    session->clock.frequency = frequency_of(session);
    session->clock.start_ticks = (int64_t)start_ticks;
    session->clock.start_time = (int64_t)build_structure_get(logfile, "StartTime");
    session->buffer_header = buffer_header_of(session->windows);
}

build_session build_session_read(build_span bytes)
{
    const uint32_t modes = ETL_LOGGER_MODE_PRIVATE_LOGGER_MODE | ETL_LOGGER_MODE_PRIVATE_IN_PROC;
    const build_structure event = build_structure_read(ETL_STRUCTURE_SYSTEM_TRACE_HEADER, bytes);
    const uint64_t type = build_structure_get(&event, "HeaderType"), size = build_structure_get(&event, "Size");
    const bool wide = type == ETL_HEADER_TYPE_SYSTEM64;
    build_session session = build_session_none();
    if (build_structure_get(&event, "MarkerFlags") != ETL_MARKER_EVENT_TRACE || size < ETL_SIZE(SYSTEM_TRACE_HEADER) ||
        build_structure_get(&event, "HookId") != ETL_HOOK_WMI_LOG_TYPE_HEADER ||
        (!wide && type != ETL_HEADER_TYPE_SYSTEM32))
        return session;
    const size_t fixed = ETL_SIZE(SYSTEM_TRACE_HEADER);
    const build_span body = build_span_slice(bytes, fixed, (size_t)size - fixed);
    const etl_structure_id id = wide ? ETL_STRUCTURE_TRACE_LOGFILE_HEADER64 : ETL_STRUCTURE_TRACE_LOGFILE_HEADER32;
    session.logfile = build_structure_read(id, body);
    session.private_logger = (build_structure_get(&session.logfile, "LogFileMode") & modes) != 0;
    session.known = body.size >= etl_structure_size_of(id);
    session.names = build_span_slice(body, etl_structure_size_of(id), body.size);
    session.pointer_size = etl_header_type_pointer_size((uint8_t)type);
    if (session.known)
        conclude(&session, build_structure_get(&event, "SystemTime"));
    return session;
}

build_span build_session_name(const build_session *session, bool second)
{
    size_t at = 0;
    while (at + 2 <= session->names.size && build_span_number(session->names, at, 2) != 0)
        at += 2;
    if (!second)
        return build_span_slice(session->names, 0, at & ~(size_t)1);
    const size_t start = at + 2;
    for (at = start; at + 2 <= session->names.size && build_span_number(session->names, at, 2) != 0;)
        at += 2;
    return build_span_slice(session->names, start, at - start);
}

/* Events. */

static etl_layout layout_of(uint8_t type)
{
    static const struct {
        uint8_t type;
        etl_layout layout;
    } rows[] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) {value, ETL_LAYOUT_##layout},
#include "format/header_types.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == type)
            return rows[i].layout;
    return ETL_LAYOUT_OPAQUE;
}

/* Type and layout from marker and type byte; 0xC00F is no message, as that type is never stored. */
static void tell_kind(build_event_view *w, const build_session *session, uint8_t type_byte)
{
    w->type = w->marker == ETL_MARKER_EVENT_TRACE             ? type_byte
              : w->marker == ETL_MARKER_MESSAGE               ? ETL_HEADER_TYPE_MESSAGE
              : w->marker == ETL_MARKER_ULONG32_TIME          ? ETL_HEADER_TYPE_TIMED
              : w->marker & ETL_MARKER_FLAG_TRACE_HEADER_FLAG ? 0
                                                              : ETL_HEADER_TYPE_WNODE_HEADER;
    w->layout = layout_of(w->type);
    if (w->layout == ETL_LAYOUT_MESSAGE && w->marker != ETL_MARKER_MESSAGE)
        w->layout = ETL_LAYOUT_OPAQUE;
    if (w->layout == ETL_LAYOUT_INSTANCE && session->instance_guid)
        w->layout = ETL_LAYOUT_INSTANCE_GUID;
}

/* The bytes of PEBS index and counters. */
static uint32_t counters_size(const build_event_view *w)
{
    const uint64_t version = build_structure_get(&w->header, "Version");
    const uint32_t lowest = ETL_VERSION_MASK_PMC_COUNT & -ETL_VERSION_MASK_PMC_COUNT;
    const uint32_t pebs = (version & ETL_VERSION_MASK_PEBS_INDEX) != 0;
    return ((uint32_t)(version & ETL_VERSION_MASK_PMC_COUNT) / lowest + pebs) * 8;
}

/* COMPONENTID takes the place of GUID, and both time stamps share one. */
static bool has_part(unsigned options, unsigned option)
{
    const unsigned stronger = option == ETL_MESSAGE_OPTION_GUID                    ? ETL_MESSAGE_OPTION_COMPONENTID
                              : option == ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP ? ETL_MESSAGE_OPTION_TIMESTAMP
                                                                                   : 0;
    return (options & option) != 0 && (options & stronger) == 0;
}

/* Where the part of `option` starts, and its size; of option 0, where all parts end. */
static uint32_t message_place(unsigned options, unsigned option, uint32_t *size)
{
    static const struct {
        uint16_t option, size;
    } rows[] = {
#define ETL_MESSAGE_OPTION(value, name, size, meaning, source) {value, size},
#include "format/message_options.def"
    };
    uint32_t at = ETL_SIZE(MESSAGE_TRACE_HEADER);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *size = rows[i].size;
        if (rows[i].option == option)
            return at;
        at += has_part(options, rows[i].option) ? rows[i].size : 0;
    }
    return at;
}

static unsigned options_of(const build_event_view *w)
{
    return (unsigned)build_structure_get(&w->header, "OptionFlags");
}

uint8_t build_event_view_pointer_size(const build_event_view *w, const build_session *session)
{
    if (w->layout != ETL_LAYOUT_MESSAGE)
        return etl_header_type_pointer_size(w->type);
    const bool narrow = (options_of(w) & ETL_MESSAGE_OPTION_POINTER32) != 0;
    const bool wide = (options_of(w) & ETL_MESSAGE_OPTION_POINTER64) != 0;
    return narrow == wide ? session->pointer_size : narrow ? 4 : 8;
}

uint32_t build_event_view_message_field(const build_event_view *w, unsigned option)
{
    uint32_t size;
    const uint32_t at = message_place(options_of(w), option, &size);
    return has_part(options_of(w), option) && at + size <= w->header_size ? at : 0;
}

build_span build_event_view_item(const build_event_view *w, const build_model_event *event, size_t n,
                                 build_structure *header)
{
    const size_t at = event->items[n].at - event->at;
    *header = build_structure_read(ETL_STRUCTURE_EXTENDED_DATA_ITEM, build_span_slice(w->bytes, at, SIZE_MAX));
    return build_span_slice(w->bytes, at, (size_t)build_structure_get(header, "TotalSize"));
}

/* The items up to the one without Linkage, as far as `readable` goes. False if they do not follow one another. */
static bool count_items(build_event_view *w, const build_model_event *event, uint32_t readable)
{
    bool more = (build_structure_get(&w->header, "Flags") & ETL_EVENT_FLAG_EXTENDED_INFO) != 0;
    uint32_t at = w->header_size;
    for (; more && w->item_count < event->item_count; w->item_count++) {
        build_structure header;
        if (event->items[w->item_count].at - event->at != at)
            break;
        const build_span item = build_event_view_item(w, event, w->item_count, &header);
        if (at + item.size > readable || item.size < ETL_SIZE(EXTENDED_DATA_ITEM))
            break;
        at += (uint32_t)item.size;
        more = (build_structure_get(&header, "Linkage") & LINKAGE) != 0;
    }
    w->items_size = at - w->header_size;
    return !more;
}

/* Header and items, and whether all that is announced is there. */
static bool divide(build_event_view *w, const build_model_event *event, uint32_t readable)
{
    uint32_t more = 0, last;
    w->header_size = etl_structure_size_of(w->header.structure);
    if (w->layout == ETL_LAYOUT_PERFINFO) {
        more = counters_size(w);
    } else if (w->layout == ETL_LAYOUT_MESSAGE) {
        more = message_place(options_of(w), 0, &last) - w->header_size;
    } else if (w->layout == ETL_LAYOUT_EVENT) {
        return count_items(w, event, readable);
    }
    if (w->header_size + more <= readable) {
        w->header_size += more;
        return true;
    }
    if (w->layout == ETL_LAYOUT_MESSAGE)
        w->header_size = readable;
    return false;
}

bool build_event_view_read(build_event_view *w, const build_session *session, const build_model_event *event,
                           build_span bytes, bool opaque, uint32_t readable, const char **why)
{
    const build_structure first = build_structure_read(ETL_STRUCTURE_OPAQUE_HEADER, bytes);
    *w = (build_event_view){.marker = (uint8_t)build_structure_get(&first, "MarkerFlags")};
    tell_kind(w, session, (uint8_t)build_structure_get(&first, "HeaderType"));
    if (opaque)
        w->layout = ETL_LAYOUT_OPAQUE;
    w->header = build_structure_read(etl_layout_structure(w->layout), bytes);
    const bool wnode = (w->marker & ETL_MARKER_FLAG_TRACE_HEADER_FLAG) == 0;
    w->size =
        (uint32_t)(wnode && bytes.size >= 4 ? build_span_number(bytes, 0, 4) : build_structure_get(&w->header, "Size"));
    w->bytes = build_span_slice(bytes, 0, w->size);
    const bool whole = readable == UINT32_MAX; /* nothing says that the event is lost from some byte on, be it its last */
    if (readable > w->size)
        readable = w->size;
    if (w->bytes.size < w->size || etl_structure_size_of(w->header.structure) > readable) {
        *why = "its Size does not cover its header, or leads out of its buffer, and it is not `lost`";
        return false;
    }
    if (!divide(w, event, readable) && whole) {
        *why = "what its header announces does not fit in it, and it is not `lost` from there on";
        return false;
    }
    w->data_size = readable - w->header_size - w->items_size;
    w->lost_size = w->size - readable;
    return true;
}
