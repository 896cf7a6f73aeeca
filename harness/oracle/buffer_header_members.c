/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks every member of etl_buffer_header against WMI_BUFFER_HEADER as the oracle reads it from the file's bytes; members
 * that the buffer shape lacks must be 0. Called by oracle_step.
 */
#include "step_checks.h"
#include "input_bytes.h"

/* A ProcessorIndex has 11 bits. */
#define PROCESSOR_INDEX_BITS 11

/* A member of a structure at `b`. */
#define U16(structure, member) oracle_raw_u16(b + ETL_AT(structure, member))
#define U32(structure, member) oracle_raw_u32(b + ETL_AT(structure, member))
#define I64(structure, member) oracle_raw_i64(b + ETL_AT(structure, member))

/* The members of Windows 5.0 that all later shapes have at the same offset. */
static void read_first(const uint8_t *b, etl_buffer_header *h)
{
    h->buffer_size = U32(WMI_BUFFER_HEADER_50, BufferSize);
    h->saved_offset = U32(WMI_BUFFER_HEADER_50, SavedOffset);
    h->current_offset = U32(WMI_BUFFER_HEADER_50, CurrentOffset);
    h->time_stamp = I64(WMI_BUFFER_HEADER_50, TimeStamp);
    h->processor = b[ETL_AT(WMI_BUFFER_HEADER_50, ProcessorNumber)];
    h->logger_id = U16(WMI_BUFFER_HEADER_50, LoggerId);
    h->state = U32(WMI_BUFFER_HEADER_50, Flags);
    h->offset = U32(WMI_BUFFER_HEADER_50, Offset);
}

/* StartTime and StartPerfClock are residue except in buffers of two types. */
static void read_clock(const uint8_t *b, etl_buffer_header *h)
{
    h->has_reference_time = h->buffer_type == ETL_BUFFER_TYPE_REFTIME || (h->buffer_flag & ETL_BUFFER_FLAG_RTBACKUP) != 0;
    h->reference_start_time = h->has_reference_time ? I64(WMI_BUFFER_HEADER_60, StartTime) : 0;
    h->reference_start_perf_clock = h->has_reference_time ? I64(WMI_BUFFER_HEADER_60, StartPerfClock) : 0;
}

static etl_buffer_header read_again(const uint8_t *b, etl_buffer_shape shape)
{
    etl_buffer_header h = {.shape = shape};
    read_first(b, &h);
    if (shape == ETL_BUFFER_SHAPE_50) {
        h.events_lost = U32(WMI_BUFFER_HEADER_50, EventsLost);
        return h;
    }
    h.buffer_flag = U16(WMI_BUFFER_HEADER_52, BufferFlag);
    h.buffer_type = U16(WMI_BUFFER_HEADER_52, BufferType);
    if (shape == ETL_BUFFER_SHAPE_52)
        return h;
    h.has_sequence_number = true;
    h.sequence_number = I64(WMI_BUFFER_HEADER_60, SequenceNumber);
    read_clock(b, &h);
    if (h.buffer_flag & ETL_BUFFER_FLAG_PROC_INDEX)
        h.processor = U16(WMI_BUFFER_HEADER_61, ProcessorIndex) % (1u << PROCESSOR_INDEX_BITS);
    return h;
}

/* Every member of etl_buffer_header. */
#define MEMBERS(MEMBER) \
    MEMBER(shape) MEMBER(buffer_size) MEMBER(saved_offset) MEMBER(current_offset) MEMBER(time_stamp) MEMBER(processor) \
    MEMBER(logger_id) MEMBER(state) MEMBER(offset) MEMBER(buffer_flag) MEMBER(buffer_type) MEMBER(events_lost) \
    MEMBER(has_sequence_number) MEMBER(sequence_number) MEMBER(has_reference_time) MEMBER(reference_start_time) \
    MEMBER(reference_start_perf_clock)

bool oracle_buffer_header(oracle_watch *oracle, const etl_reader *reader)
{
    const etl_buffer *buffer = &reader->buffer;
    const etl_span bytes = oracle_raw_window(reader, buffer->offset, ETL_SIZE(WMI_BUFFER_HEADER_61));
    if (!ORACLE_HOLDS(bytes.size == ETL_SIZE(WMI_BUFFER_HEADER_61)))
        return oracle_break(oracle, ORACLE_PROMISE_BUFFER_HEADER, buffer->offset);
    const etl_buffer_header expected = read_again(bytes.at, reader->trace.shape);
    bool same = true;
#define MEMBER(name) same = same && oracle_condition(expected.name == buffer->header.name, #name);
    MEMBERS(MEMBER)
#undef MEMBER
    return same || oracle_break(oracle, ORACLE_PROMISE_BUFFER_HEADER, buffer->offset);
}
