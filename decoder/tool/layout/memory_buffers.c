/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches a memory image for the buffers of a session. layout_extract.c calls this.
 */
#include "layout/memory_buffers.h"

#include <stdlib.h>

#include "io/progress_line.h"
#include "plausible.h"
#include "scratch.h"

/* Bytes searched at once. */
#define STEP ((size_t)1024 * 1024)
/* WMI_BUFFER_HEADER has members of 8 bytes. */
#define ALIGNMENT 8u

static bool is_extent(const etl_buffer_header *h, uint32_t extent)
{
    return extent > ETL_BUFFER_SIZE_MIN && extent <= h->buffer_size;
}

/* The end of the events: the writer's cursor while the buffer is in use, since Offset is that of an earlier flush. */
static uint32_t extent_of(const etl_buffer_header *h)
{
    const bool in_use = h->state == ETL_BUFFER_STATE_GeneralLogging || h->state == ETL_BUFFER_STATE_CSwitch;
    if (in_use && is_extent(h, h->current_offset))
        return h->current_offset;
    return is_extent(h, h->offset) ? h->offset : h->saved_offset;
}

/* Whether the bytes are a plausible buffer, once Offset is its extent. */
static bool is_plausible(etl_span bytes, const etl_buffer_header *h, uint32_t extent)
{
    uint8_t copied[ETL_BUFFER_LOOK];
    const etl_scratch copy = {copied, sizeof copied};
    etl_store_copy(copy, bytes, sizeof copied);
    etl_store_u32(copy, ETL_AT(WMI_BUFFER_HEADER_61, Offset), extent);
    return etl_plausible_buffer(etl_scratch_span(copy), 0, h->shape, h->buffer_size, ETL_PLAUSIBLE_BUFFER);
}

static bool has_logfile(etl_span bytes)
{
    const uint8_t type = etl_load_u8(bytes, ETL_BUFFER_SIZE_MIN + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType));
    const uint16_t hook = etl_load_u16(bytes, ETL_BUFFER_SIZE_MIN + ETL_AT(SYSTEM_TRACE_HEADER, HookId));
    return (type == ETL_HEADER_TYPE_SYSTEM32 || type == ETL_HEADER_TYPE_SYSTEM64) && hook == ETL_HOOK_WMI_LOG_TYPE_HEADER;
}

/* Whether a buffer of the session starts with the bytes. */
static bool read_buffer(const tool_memory_session *session, etl_span bytes, tool_memory_buffer *buffer)
{
    etl_buffer_header h;
    if (bytes.size < ETL_BUFFER_LOOK)
        return false;
    etl_buffer_header_read(bytes, session->shape, &h);
    const uint32_t extent = extent_of(&h);
    if (h.buffer_size != session->buffer_size || h.logger_id != session->logger_id || !is_extent(&h, extent) ||
        (h.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0 || !is_plausible(bytes, &h, extent))
        return false;
    *buffer = (tool_memory_buffer){.sequence = h.sequence_number,
                                   .time = h.time_stamp,
                                   .size = h.buffer_size,
                                   .extent = extent,
                                   .processor = h.processor,
                                   .has_logfile = has_logfile(bytes)};
    return true;
}

static bool add(tool_memory_buffers *found, const tool_memory_buffer *buffer)
{
    if (found->count == found->room) {
        const size_t room = found->room == 0 ? 256 : 2 * found->room;
        tool_memory_buffer *at = room <= TOOL_MEMORY_BUFFERS_MOST ? realloc(found->at, room * sizeof *at) : NULL;
        if (at == NULL)
            return false;
        found->at = at;
        found->room = room;
    }
    found->at[found->count++] = *buffer;
    return true;
}

/* Searches a window from `from` to `until`. The search continues at `*next`: headers do not overlap. */
static bool search(tool_memory_buffers *found, const tool_memory_session *session, etl_span window, uint64_t offset,
                   size_t until, size_t *next)
{
    tool_memory_buffer buffer;
    while (*next < until) {
        const bool can_be = etl_load_u32(window, *next) == session->buffer_size;
        const bool is = can_be && read_buffer(session, etl_span_from(window, *next), &buffer);
        buffer.offset = offset + *next;
        if (is && !add(found, &buffer))
            return false;
        *next += is ? ETL_BUFFER_SIZE_MIN : ALIGNMENT;
    }
    return true;
}

/* Ends each buffer by the start of the next one, or by the end of the file. */
static void set_sizes(tool_memory_buffers *found, uint64_t file_size)
{
    for (size_t i = 0; i < found->count; i++) {
        tool_memory_buffer *b = &found->at[i];
        const uint64_t end = i + 1 < found->count ? found->at[i + 1].offset : file_size;
        if (end - b->offset < b->size)
            b->size = (uint32_t)(end - b->offset) / ALIGNMENT * ALIGNMENT;
        b->cut = b->extent > b->size;
        if (b->cut)
            b->extent = b->size;
    }
}

tool_exit tool_memory_buffers_find(tool_memory_buffers *found, const tool_memory_session *session, tool_input *input)
{
    tool_progress progress;
    etl_span window;
    uint64_t offset = 0;
    bool last = false, room = true;
    *found = (tool_memory_buffers){0};
    tool_progress_start(&progress, false);
    while (!last && room) {
        size_t next = 0;
        if (!tool_input_serve(input, offset, STEP + ETL_BUFFER_LOOK, &window, &last))
            break;
        room = search(found, session, window, offset, last ? window.size : window.size - ETL_BUFFER_LOOK, &next);
        offset += next;
        tool_progress_update(&progress, input->title, offset, input->size_known ? input->size : 0);
    }
    tool_progress_end(&progress);
    set_sizes(found, input->size);
    if (!room)
        tool_print_error("%s: more than %u buffers, or out of memory", input->title, (unsigned)TOOL_MEMORY_BUFFERS_MOST);
    return !room ? TOOL_EXIT_LIMIT : last ? TOOL_EXIT_CONFORMING : TOOL_EXIT_INPUT;
}

static int compare(const void *a, const void *b)
{
    const tool_memory_buffer *x = a, *y = b;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

void tool_memory_buffers_sort(tool_memory_buffers *found)
{
    if (found->count > 0)
        qsort(found->at, found->count, sizeof *found->at, compare);
}

void tool_memory_buffers_free(tool_memory_buffers *found)
{
    free(found->at);
    *found = (tool_memory_buffers){0};
}
