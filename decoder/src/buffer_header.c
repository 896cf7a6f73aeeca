/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the members of a buffer header of a given shape from the first bytes of a buffer. Called wherever a buffer is
 * opened, measured or searched for.
 */
#include "etlproof/buffer_header.h"

#include "span.h"

/* A ProcessorIndex has 11 bits. Source: phnt ntwmi.h. */
enum { PROCESSOR_INDEX_MASK = 0x07FF };

void etl_buffer_header_read(etl_span bytes, etl_buffer_shape shape, etl_buffer_header *header)
{
    *header = (etl_buffer_header){.shape = shape};
    header->buffer_size = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    header->saved_offset = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
    header->current_offset = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, CurrentOffset));
    header->time_stamp = etl_load_i64(bytes, ETL_AT(WMI_BUFFER_HEADER_61, TimeStamp));
    header->processor = etl_load_u8(bytes, ETL_AT(WMI_BUFFER_HEADER_60, ProcessorNumber));
    header->logger_id = etl_load_u16(bytes, ETL_AT(WMI_BUFFER_HEADER_61, LoggerId));
    header->state = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, State));
    header->offset = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_61, Offset));
    if (shape == ETL_BUFFER_SHAPE_50) {
        header->events_lost = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_50, EventsLost));
        return;
    }
    header->buffer_flag = etl_load_u16(bytes, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag));
    header->buffer_type = etl_load_u16(bytes, ETL_AT(WMI_BUFFER_HEADER_61, BufferType));
    if (shape == ETL_BUFFER_SHAPE_52)
        return;
    header->has_sequence_number = true;
    header->sequence_number = etl_load_i64(bytes, ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber));
    if (header->buffer_flag & ETL_BUFFER_FLAG_PROC_INDEX)
        header->processor = etl_load_u16(bytes, ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex)) & PROCESSOR_INDEX_MASK;
    header->has_reference_time =
        header->buffer_type == ETL_BUFFER_TYPE_REFTIME || header->buffer_flag & ETL_BUFFER_FLAG_RTBACKUP;
    if (!header->has_reference_time)
        return;
    header->reference_start_time = etl_load_i64(bytes, ETL_AT(WMI_BUFFER_HEADER_61, StartTime));
    header->reference_start_perf_clock = etl_load_i64(bytes, ETL_AT(WMI_BUFFER_HEADER_61, StartPerfClock));
}
