/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What framing, walking and searching share.
 */
#ifndef ETLPROOF_FRAME_H
#define ETLPROOF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"
#include "span.h"

/* The next multiple of 8; `n` at most 2^32 - 8. */
/*@ requires n <= 0xFFFFFFF8;
  @ assigns \nothing;
  @ ensures \result % 8 == 0 && n <= \result < n + 8; */
static inline uint32_t etl_align8(uint32_t n)
{
    return (n + 7u) & ~UINT32_C(7);
}

/* Number of performance counters that a Version word announces. */
/*@ assigns \nothing;
  @ ensures \result <= 7; */
static inline uint32_t etl_pmc_count(uint16_t version_word)
{
    return (version_word & (unsigned)ETL_VERSION_MASK_PMC_COUNT) >> 8;
}

/* A dword that ends the events of a buffer: 0xFFFFFFFF or 0 (MRK-001). */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
static inline bool etl_end_marker(etl_span data, uint32_t at)
{
    uint32_t dword = etl_load_u32(data, at);
    return dword == 0 || dword == UINT32_MAX;
}

/* The first dword at `at` has a marker byte of a stored event: no more than a first look. */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
static inline bool etl_event_marked(etl_span data, uint32_t at)
{
    uint32_t marker = etl_load_u32(data, at) >> 24;
    return marker == ETL_MARKER_EVENT_TRACE || marker == ETL_MARKER_MESSAGE;
}

/*
 * An event of a decoded type, whose size and parts agree with one another and with `extent`; `data` may end before.
 * `*size` is its size.
 */
/*@ requires etl_readable(data) && \valid(size);
  @ assigns *size;
  @ ensures \result ==> at + *size <= extent; */
bool etl_event_agrees(etl_span data, uint32_t at, uint32_t extent, uint32_t *size);

/*
 * The same, without options that nobody has assigned; or an event of a type without published layout whose size fits. For
 * the first event of a buffer that is searched for: less would find buffers in user data.
 */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
bool etl_event_fits(etl_span data, uint32_t at, uint32_t extent);

/*
 * What stands at `at` may follow an event: the extent, an end marker, an event that agrees with itself, or one without
 * layout whose size fits, but no WNODE_HEADER.
 */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
bool etl_event_may_precede(etl_span data, uint32_t at, uint32_t extent);

/* An event without layout, but no WNODE_HEADER, that a walk keeps: what follows it may. `*size` is its size. */
/*@ requires etl_readable(data) && \valid(size);
  @ assigns *size;
  @ ensures \result ==> at + *size <= extent; */
bool etl_event_kept(etl_span data, uint32_t at, uint32_t extent, uint32_t *size);

#endif
