/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resynchronisation: where reading can go on after damage. A search asks more than the walk does, since it has nothing but
 * the bytes to go by.
 */
#ifndef ETLPROOF_SEARCH_H
#define ETLPROOF_SEARCH_H

#include "etlproof/buffer_header.h"
#include "span.h"

/* How far etl_buffer_plausible looks: the header and the first event's first eight bytes. */
#define ETL_BUFFER_LOOK (ETL_SIZE(WMI_BUFFER_HEADER_61) + 8u)

/*
 * True if `bytes` starts with a buffer header whose members agree with one another, and with an event that does too unless
 * the buffer is compressed or empty, or `bytes` is too short to tell.
 */
/*@ requires etl_readable(bytes);
  @ assigns \nothing; */
bool etl_buffer_plausible(etl_span bytes, etl_buffer_shape shape);

/* The same of all members but BufferSize, which may be anything. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing; */
bool etl_buffer_agrees(etl_span bytes, etl_buffer_shape shape);

/* Offset of the first plausible buffer from `from` on, wherever it starts; bytes.size if there is none. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing;
  @ ensures \result == bytes.size || from <= \result < bytes.size; */
size_t etl_search_buffer(etl_span bytes, size_t from, etl_buffer_shape shape);

/* Offset of the first plausible event at a multiple of 8 from `from` on; `extent` if there is none. */
/*@ requires etl_readable(data) && from <= 0xFFFFFFF8 && extent <= 0xFFFFFFF0;
  @ assigns \nothing;
  @ ensures \result == extent || (from <= \result < extent && \result % 8 == 0); */
uint32_t etl_search_event(etl_span data, uint32_t from, uint32_t extent);

#endif
