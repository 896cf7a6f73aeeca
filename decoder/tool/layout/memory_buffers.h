/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffers of one session in a memory image: where their headers lie, and which bytes belong to them.
 */
#ifndef ETLPROOF_LAYOUT_MEMORY_BUFFERS_H
#define ETLPROOF_LAYOUT_MEMORY_BUFFERS_H

#include "etlproof/buffer_header.h"

#include "io/command.h"
#include "io/windowed_input.h"

/* What identifies the buffers of a session: LoggerId and BufferSize of WMI_LOGGER_CONTEXT. */
typedef struct tool_memory_session {
    etl_buffer_shape shape;
    uint32_t logger_id, buffer_size;
} tool_memory_session;

/* A buffer. Its bytes start with its header; from `extent` on, memory holds leftovers of an earlier use. */
typedef struct tool_memory_buffer {
    uint64_t offset;   /* in the file */
    int64_t sequence;  /* SequenceNumber */
    int64_t time;      /* TimeStamp */
    uint32_t size;     /* BufferSize, or less where the next buffer or the end of the file comes first; a multiple of 8 */
    uint32_t extent;   /* the end of its events, at most `size` */
    uint16_t processor;
    bool cut;          /* some of its events lie behind `size` */
    bool has_logfile;  /* its first event has the logfile header */
} tool_memory_buffer;

typedef struct tool_memory_buffers {
    tool_memory_buffer *at;
    size_t count, room;
} tool_memory_buffers;

/* Buffers at most. Windows allows a session fewer; a hostile file may have a header every 72 bytes. */
#define TOOL_MEMORY_BUFFERS_MOST ((size_t)1 << 20)

/*
 * Finds the buffers that hold events, in the order of the file, at multiples of 8 bytes. A header counts if its BufferSize
 * and LoggerId are those of the session, its other members agree, and it is followed by the start of an event. Compressed
 * buffers are not found: nothing is known of the bytes behind their header. Returns CONFORMING; INPUT; or LIMIT, without
 * memory or with too many buffers. Standard error has the reason.
 */
tool_exit tool_memory_buffers_find(tool_memory_buffers *found, const tool_memory_session *session, tool_input *input);

/* By SequenceNumber, then TimeStamp, then offset: the order in which Windows fills and flushes buffers. */
void tool_memory_buffers_sort(tool_memory_buffers *found);

void tool_memory_buffers_free(tool_memory_buffers *found);

#endif
