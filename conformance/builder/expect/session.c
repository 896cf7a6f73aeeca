/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the session from the built logfile header event. Called by the outcome plan, and for the `logfile` field of event
 * records.
 */
#include "expect/session.h"

#include "model/version_shape.h"

build_session build_session_none(void)
{
    build_session session = {.windows = ETL_WINDOWS_VERSION_LATEST, .instance_guid = true};
    session.logfile.id = ETL_STRUCTURE_TRACE_LOGFILE_HEADER64;
    session.buffer_header = ETL_STRUCTURE_WMI_BUFFER_HEADER_61;
    return session;
}

/* Before 6.0 ReservedFlags was 1 for the performance counter; any other value meant system time. */
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

/* Sets the members that the version and the clock of a whole logfile header decide. */
static void set_version_and_clock(build_session *session, uint64_t start_ticks)
{
    const build_structure *logfile = &session->logfile;
    const uint64_t sub = build_structure_get(logfile, "SubVersion") << 8 | build_structure_get(logfile, "SubMinorVersion");
    session->windows = build_version_of_logfile(logfile);
    session->instance_guid = sub >= BUILD_SUB_VERSION_INSTANCE_GUID;
    session->clock.type = clock_type_of(session);
    session->clock.frequency = frequency_of(session);
    session->clock.start_ticks = (int64_t)start_ticks;
    session->clock.start_time = (int64_t)build_structure_get(logfile, "StartTime");
    session->buffer_header = build_version_buffer_header(session->windows);
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
        set_version_and_clock(&session, build_structure_get(&event, "SystemTime"));
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
