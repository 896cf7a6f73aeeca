/* SPDX-License-Identifier: Apache-2.0 */
#include "etlproof/buffer_header.h"

#include "span.h"

/* A ProcessorIndex has 11 bits. Source: phnt ntwmi.h. */
enum { PROCESSOR_INDEX_MASK = 0x07FF };

/* What all shapes have at the same place. */
static void read_common(etl_span b, etl_buffer_header *h)
{
    h->buffer_size = etl_load_u32(b, ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    h->saved_offset = etl_load_u32(b, ETL_AT(WMI_BUFFER_HEADER_61, SavedOffset));
    h->current_offset = etl_load_u32(b, ETL_AT(WMI_BUFFER_HEADER_61, CurrentOffset));
    h->time_stamp = etl_load_i64(b, ETL_AT(WMI_BUFFER_HEADER_61, TimeStamp));
    h->processor = etl_load_u8(b, ETL_AT(WMI_BUFFER_HEADER_60, ProcessorNumber));
    h->logger_id = etl_load_u16(b, ETL_AT(WMI_BUFFER_HEADER_61, LoggerId));
    h->state = etl_load_u32(b, ETL_AT(WMI_BUFFER_HEADER_61, State));
    h->offset = etl_load_u32(b, ETL_AT(WMI_BUFFER_HEADER_61, Offset));
}

static void read_flag_and_type(etl_span b, etl_buffer_header *h)
{
    h->buffer_flag = etl_load_u16(b, ETL_AT(WMI_BUFFER_HEADER_61, BufferFlag));
    h->buffer_type = etl_load_u16(b, ETL_AT(WMI_BUFFER_HEADER_61, BufferType));
}

static void read_sequence_and_clock(etl_span b, etl_buffer_header *h)
{
    h->has_sequence_number = true;
    h->sequence_number = etl_load_i64(b, ETL_AT(WMI_BUFFER_HEADER_61, SequenceNumber));
    h->has_reference_time = h->buffer_type == ETL_BUFFER_TYPE_REFTIME || h->buffer_flag & ETL_BUFFER_FLAG_RTBACKUP;
    if (!h->has_reference_time)
        return;
    h->reference_start_time = etl_load_i64(b, ETL_AT(WMI_BUFFER_HEADER_61, StartTime));
    h->reference_start_perf_clock = etl_load_i64(b, ETL_AT(WMI_BUFFER_HEADER_61, StartPerfClock));
}

void etl_buffer_header_read(etl_span bytes, etl_buffer_shape shape, etl_buffer_header *header)
{
    *header = (etl_buffer_header){.shape = shape};
    read_common(bytes, header);
    if (shape == ETL_BUFFER_SHAPE_50) {
        header->events_lost = etl_load_u32(bytes, ETL_AT(WMI_BUFFER_HEADER_50, EventsLost));
        return;
    }
    read_flag_and_type(bytes, header);
    if (shape == ETL_BUFFER_SHAPE_52)
        return;
    read_sequence_and_clock(bytes, header);
    if (header->buffer_flag & ETL_BUFFER_FLAG_PROC_INDEX)
        header->processor = etl_load_u16(bytes, ETL_AT(WMI_BUFFER_HEADER_61, ProcessorIndex)) & PROCESSOR_INDEX_MASK;
}
