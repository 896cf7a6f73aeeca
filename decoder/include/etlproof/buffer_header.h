/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The buffer header, WMI_BUFFER_HEADER, in its shapes.
 */
#ifndef ETLPROOF_BUFFER_HEADER_H
#define ETLPROOF_BUFFER_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/bytes.h"
#include "etlproof/format.h"
#include "etlproof/linkage.h"

ETL_C_BEGIN

/* The shapes of WMI_BUFFER_HEADER by Windows version. structures.def has their members. */
typedef enum etl_buffer_shape {
    ETL_BUFFER_SHAPE_50, /* 5.0 and 5.1 */
    ETL_BUFFER_SHAPE_52, /* 5.2 */
    ETL_BUFFER_SHAPE_60, /* 6.0 */
    ETL_BUFFER_SHAPE_61  /* 6.1 and later, and files whose version is not known */
} etl_buffer_shape;

/* Smallest and largest BufferSize, in bytes. Source: Chappell; the logger allows 16 MB. */
#define ETL_BUFFER_SIZE_MIN ETL_SIZE(WMI_BUFFER_HEADER_61)
#define ETL_BUFFER_SIZE_MAX UINT32_C(0x1000000)

/* Members as Microsoft names them, in C spelling; 0 where the shape lacks the member. */
typedef struct etl_buffer_header {
    etl_buffer_shape shape;
    uint32_t buffer_size;
    uint32_t saved_offset;
    uint32_t current_offset;
    int64_t time_stamp;       /* session clock; FILETIME in relogged files */
    uint16_t processor;       /* ProcessorIndex & 0x07FF with PROC_INDEX, else ProcessorNumber */
    uint16_t logger_id;
    uint32_t state;           /* Flags in 5.0 to 5.2 */
    uint32_t offset;
    uint16_t buffer_flag;     /* 5.2 and later */
    uint16_t buffer_type;     /* 5.2 and later */
    uint32_t events_lost;     /* 5.0 and 5.1 */
    bool has_sequence_number; /* 6.0 and later */
    int64_t sequence_number;
    bool has_reference_time;  /* ETW_REF_CLOCK is filled: from 6.0 on, with BufferType REFTIME or flag RTBACKUP */
    int64_t reference_start_time;       /* FILETIME */
    int64_t reference_start_perf_clock; /* ticks of that moment */
} etl_buffer_header;

/* Reads a header of this shape. `bytes` starts with it and has ETL_BUFFER_SIZE_MIN bytes or more. */
/*@ requires \valid_read(bytes.at + (0 .. bytes.size - 1)) && \valid(header);
  @ assigns *header; */
void etl_buffer_header_read(etl_span bytes, etl_buffer_shape shape, etl_buffer_header *header);

ETL_C_END

#endif
