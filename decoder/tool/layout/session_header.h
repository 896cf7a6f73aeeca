/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session in memory (WMI_LOGGER_CONTEXT) -> what identifies its buffers, and a logfile header for a file of them.
 */
#ifndef ETLPROOF_LAYOUT_SESSION_HEADER_H
#define ETLPROOF_LAYOUT_SESSION_HEADER_H

#include "etlproof/memory.h"

#include "layout/memory_buffers.h"

/* A number of the structure; 0 if it has no such member, or ends before it. */
uint64_t tool_session_number(etl_memory_layout layout, etl_span structure, const char *member);

/* The shape of the buffers. False for versions before 6.0, whose buffers have no BufferSize in memory. */
bool tool_session_shape(etl_memory_layout layout, etl_buffer_shape *shape);

/* What a logfile header states about the buffers behind it. */
typedef struct tool_session_totals {
    uint64_t buffers;
    uint32_t processors;
} tool_session_totals;

/* Bytes of the header of a buffer with a logfile header, of the logfile header, and of its names. */
#define TOOL_SESSION_HEADER_SIZE 0x200u

/*
 * Fills in the start of a buffer that holds a logfile header, of BufferSize bytes, and returns its extent; the rest of the
 * buffer is filled with 0xFF. The structure gives BufferSize, MaximumFileSize, LoggerMode, EventsLost, LogBuffersLost and
 * StartTime. It has neither the frequency of a clock nor the names, so the clock type is RAW, which claims nothing, unless
 * the clock is the system time. ProviderVersion is the first build of the version of Windows.
 */
uint32_t tool_session_header(etl_memory_layout layout, etl_span structure, tool_session_totals totals,
                             uint8_t bytes[TOOL_SESSION_HEADER_SIZE]);

#endif
