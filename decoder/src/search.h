/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resynchronisation: where the next plausible buffer or event starts.
 */
#ifndef ETLPROOF_SEARCH_H
#define ETLPROOF_SEARCH_H

#include "etlproof/buffer_header.h"
#include "span.h"

/* Offset of the first ETL_PLAUSIBLE_BUFFER from `from` on, wherever it starts; bytes.size if there is none. */
/*@ requires etl_readable(bytes);
  @ assigns \nothing;
  @ ensures \result == bytes.size || from <= \result < bytes.size; */
size_t etl_search_buffer(etl_span bytes, size_t from, etl_buffer_shape shape);

/* Offset of the first ETL_PLAUSIBLE_DECODED event at a multiple of 8 from `from` on; `extent` if there is none. */
/*@ requires etl_readable(data) && from <= 0xFFFFFFF8 && extent <= 0xFFFFFFF0;
  @ assigns \nothing;
  @ ensures \result == extent || (from <= \result < extent && \result % 8 == 0); */
uint32_t etl_search_event(etl_span data, uint32_t from, uint32_t extent);

#endif
