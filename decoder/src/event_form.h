/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of an event: what its first dword says it is, how large it says it is, and how large it is at least.
 * For framing (event.c), plausibility (plausible.c) and the walk over a buffer (buffer.c).
 */
#ifndef ETLPROOF_EVENT_FORM_H
#define ETLPROOF_EVENT_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "etlproof/format.h"
#include "etlproof/logfile.h"
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

/* What the first dword of an event says it is. */
typedef enum etl_event_kind {
    ETL_EVENT_KIND_TYPED,   /* marker 0xC0: a type of TRACE_HEADER_TYPE follows */
    ETL_EVENT_KIND_MESSAGE, /* marker 0x90 */
    ETL_EVENT_KIND_TIMED,   /* marker 0xB0: no published layout */
    ETL_EVENT_KIND_WNODE,   /* no marker: the dword is the BufferSize of a WNODE_HEADER */
    ETL_EVENT_KIND_UNKNOWN  /* no event */
} etl_event_kind;

typedef struct etl_event_form {
    etl_event_kind kind;
    uint8_t marker;       /* MarkerFlags */
    uint8_t type;         /* TRACE_HEADER_TYPE; that of a message, of TIMED and of a WNODE_HEADER too */
    etl_layout layout;    /* OPAQUE for an event without published layout */
    uint32_t size;        /* as the event states it */
    uint32_t header_size; /* of the layout's fixed part */
    uint32_t least;       /* the smallest size that an event of this form can have */
    uint8_t size_at;      /* offset of Size */
    uint8_t time_at;      /* offset of the time stamp; 0 where the layout has none at a fixed place */
    bool unpublished;     /* one of the sixteen types that is stored, or TIMED; but no layout of it is published */
} etl_event_form;

/* The form of the event at `at`, unchecked. Of `context` only `instance_guid` matters. */
/*@ requires etl_readable(data) && \valid_read(context);
  @ assigns \nothing; */
etl_event_form etl_event_form_at(etl_span data, uint32_t at, const etl_context *context);

/* The event takes `form->least` bytes at least, and ends by `extent`. */
/*@ requires \valid_read(form);
  @ assigns \nothing;
  @ ensures \result ==> at + form->size <= extent; */
static inline bool etl_event_form_fits(const etl_event_form *form, uint32_t at, uint32_t extent)
{
    return at <= extent && form->size >= form->least && form->size <= extent - at;
}

#endif
