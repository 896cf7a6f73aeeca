/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer of the damaged file, or the survey -> the header of a buffer of the new file, and notes of what changed.
 */
#include "rebuild.h"

#include "buffer_structure.h"
#include "frame.h"
#include "scratch.h"
#include "step_queue.h"

/* Replaces values by which a search would reject the buffer; a 5.0 header has no flag and type. */
static void fix_state(etl_scratch scratch, const etl_recovery *r)
{
    const etl_span header = etl_scratch_span(scratch);
    const uint16_t flag = etl_load_u16(header, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag));
    /* State of the first buffer is the compression format. */
    if (etl_load_u32(header, ETL_AT(WMI_BUFFER_HEADER_61, State)) >= ETL_BUFFER_STATE_COUNT && r->buffers > 0)
        etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_BUFFER_STATE_Flush);
    if (r->survey.shape == ETL_BUFFER_SHAPE_50)
        return;
    etl_store_u16(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag),
                  (uint16_t)(flag & ETL_BUFFER_FLAGS & ~(unsigned)ETL_BUFFER_FLAG_COMPRESSED));
    if (etl_load_u16(header, ETL_AT(WMI_BUFFER_HEADER_61, BufferType)) >= ETL_BUFFER_TYPE_COUNT)
        etl_store_u16(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), ETL_BUFFER_TYPE_GENERIC);
}

etl_span etl_rebuild_header(etl_recovery *r, const etl_buffer *buffer, uint32_t extent, uint32_t size)
{
    const etl_scratch scratch = etl_scratch_part(r->scratch, ETL_SCRATCH_HEADER, ETL_BUFFER_SIZE_MIN);
    etl_store_copy(scratch, buffer->raw, ETL_BUFFER_SIZE_MIN);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), size);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), extent);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, Offset), extent);
    fix_state(scratch, r);
    return etl_scratch_span(scratch);
}

/* Notes a changed member: of 4 bytes, which all buffer shapes have, or of 2 bytes, which 5.0 does not have. */
static void note_change(etl_recovery *r, etl_span from, etl_span to, uint32_t member, bool wide)
{
    etl_queue_change(r, r->written, etl_buffer_structure(r->survey.shape), member,
                     wide ? etl_load_u32(from, member) : etl_load_u16(from, member),
                     wide ? etl_load_u32(to, member) : etl_load_u16(to, member));
}

void etl_rebuild_write(etl_recovery *r, const etl_buffer *buffer, etl_span header)
{
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), true);
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), true);
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, Offset), true);
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, State), true);
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag), false);
    note_change(r, buffer->raw, header, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), false);
    etl_queue_write(r, header);
}

/* The sizes in a new header. */
static void store_sizes(etl_scratch scratch, uint32_t extent, uint32_t size)
{
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize), size);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset), extent);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, Offset), extent);
    etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_BUFFER_STATE_Flush);
}

static void note_made(etl_recovery *r, etl_rule rule, uint32_t size)
{
    etl_recover_note *note = etl_queue_note(r, ETL_RECOVERED_MADE);
    note->rule = rule;
    note->offset = r->written;
    note->size = size;
    r->buffers++;
    r->buffers_made++;
    r->last_size = size;
}

void etl_rebuild_empty(etl_recovery *r)
{
    const etl_scratch scratch = etl_scratch_part(r->scratch, ETL_SCRATCH_EMPTY, ETL_BUFFER_SIZE_MIN);
    store_sizes(scratch, ETL_BUFFER_SIZE_MIN, ETL_BUFFER_SIZE_MIN);
    if (r->survey.shape != ETL_BUFFER_SHAPE_50)
        etl_store_u16(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), ETL_BUFFER_TYPE_EMPTY_MARKER);
    note_made(r, ETL_RULE_BUF_001, ETL_BUFFER_SIZE_MIN);
    etl_queue_write(r, etl_scratch_span(scratch));
}

/* LoggerName of a new logfile header: it states its origin. */
static const char logger_name[] = "etlproof recover";

/* Stores LoggerName and the empty LogFileName, each with its NUL. Returns their end. */
static uint32_t store_names(etl_scratch scratch, uint32_t at)
{
    for (size_t i = 0; i + 1 < sizeof logger_name; i++)
        etl_store_u16(scratch, at + 2 * i, (uint16_t)logger_name[i]);
    return at + 2 * (uint32_t)sizeof logger_name + 2;
}

/* States the latest version, by which a file of unknown version is read, and what the survey found. */
static void store_logfile(etl_scratch scratch, const etl_survey *survey, bool wide)
{
    etl_store_u32(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, BufferSize), survey->logfile.buffer_size);
    etl_store_u8(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), ETL_WINDOWS_VERSION_LATEST >> 8);
    etl_store_u8(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion), 2);
    etl_store_u32(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors),
                  survey->processors > 0 ? survey->processors : 1);
    etl_store_u32(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode),
                  survey->compressed > 0 ? ETL_LOGGER_MODE_COMPRESSED_MODE : 0);
    etl_store_u32(scratch, ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize), wide ? 8 : 4);
    etl_store_u32(scratch,
                  wide ? ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags) : ETL_AT(TRACE_LOGFILE_HEADER32, ReservedFlags),
                  ETL_CLOCK_TYPE_RAW);
}

static void store_system_header(etl_scratch scratch, bool wide, uint32_t size)
{
    etl_store_u8(scratch, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType),
                 wide ? ETL_HEADER_TYPE_SYSTEM64 : ETL_HEADER_TYPE_SYSTEM32);
    etl_store_u8(scratch, ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags), ETL_MARKER_EVENT_TRACE);
    etl_store_u16(scratch, ETL_AT(SYSTEM_TRACE_HEADER, Size), (uint16_t)size);
    etl_store_u16(scratch, ETL_AT(SYSTEM_TRACE_HEADER, HookId), ETL_HOOK_WMI_LOG_TYPE_HEADER);
}

/* 64-bit pointers, unless a truncated logfile header, or without one most events, indicate 32-bit pointers. */
static bool is_wide(const etl_survey *survey)
{
    const uint8_t stated = survey->context.pointer_size;
    return stated != 0 ? stated == 8 : survey->wide >= survey->narrow;
}

/* The size of the other buffers, if they are all of one size. */
static uint32_t logfile_buffer_size(const etl_survey *survey)
{
    return survey->plain_size > ETL_SCRATCH_LOGFILE_SIZE ? survey->plain_size : ETL_SCRATCH_LOGFILE_SIZE;
}

void etl_rebuild_logfile(etl_recovery *r)
{
    const bool wide = is_wide(&r->survey);
    const uint32_t size = logfile_buffer_size(&r->survey);
    const uint32_t fixed = wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    const uint32_t event_at = ETL_BUFFER_SIZE_MIN, at = event_at + ETL_SIZE(SYSTEM_TRACE_HEADER);
    const etl_scratch scratch = etl_scratch_part(r->scratch, ETL_SCRATCH_LOGFILE, ETL_SCRATCH_LOGFILE_SIZE);
    const uint32_t end = store_names(scratch, at + fixed), extent = etl_align8(end);
    r->survey.logfile.pointer_size = wide ? 8 : 4;
    r->survey.logfile.buffer_size = size;
    store_sizes(scratch, extent, size);
    if (r->survey.compressed > 0)
        etl_store_u32(scratch, ETL_AT(WMI_BUFFER_HEADER_61, State), ETL_COMPRESSION_FORMAT_XPRESS);
    etl_store_u16(scratch, ETL_AT(WMI_BUFFER_HEADER_61, BufferType), ETL_BUFFER_TYPE_HEADER);
    store_system_header(etl_scratch_part(scratch, event_at, ETL_SIZE(SYSTEM_TRACE_HEADER)), wide, end - event_at);
    store_logfile(etl_scratch_part(scratch, at, fixed), &r->survey, wide);
    note_made(r, ETL_RULE_LFH_001, size);
    r->header_at = r->written + at;
    r->events++;
    etl_queue_write(r, etl_span_first(etl_scratch_span(scratch), extent));
    etl_queue_fill(r, size - extent, true);
}
