/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of an event: the kind and the size that its first bytes state, and the smallest size of that kind.
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
    return (n + 7u) / 8u * 8u;
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

/* The first dword at `at` has a marker byte of a stored event: a quick first test. */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
static inline bool etl_event_marked(etl_span data, uint32_t at)
{
    uint32_t marker = etl_load_u32(data, at) >> 24;
    return marker == ETL_MARKER_EVENT_TRACE || marker == ETL_MARKER_MESSAGE;
}

/* The kind of an event, by its first dword. */
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
    bool unpublished;     /* a type of header_types.def that is stored, or TIMED; but no layout of it is published */
} etl_event_form;

/* layouts.def as a table. The proofs rest on what event_form.c asserts of both tables: they see no contents of them. */
typedef struct etl_layout_row {
    uint8_t size;
    uint8_t size_at;
    uint8_t time_at;
} etl_layout_row;

extern const etl_layout_row etl_layout_rows[ETL_LAYOUT_COUNT];

/* header_types.def as a table. */
typedef struct etl_type_row {
    bool known;
    uint8_t layout;
} etl_type_row;

extern const etl_type_row etl_type_rows[ETL_HEADER_TYPE_COUNT];

/* The type byte is valid only with marker 0xC0. 0xC00F is not a message, since that type is never stored. */
/*@ requires \valid_read(context);
  @ assigns \nothing;
  @ ensures \result.layout < ETL_LAYOUT_COUNT && \result.kind == ETL_EVENT_KIND_TYPED; */
static inline etl_event_form etl_event_form_typed(uint8_t type, const etl_context *context)
{
    /*@ admit rows: etl_type_rows[type].layout < ETL_LAYOUT_COUNT; */
    etl_event_form form = {.kind = ETL_EVENT_KIND_TYPED, .type = type, .layout = (etl_layout)etl_type_rows[type].layout};
    if (form.layout == ETL_LAYOUT_INSTANCE && context->instance_guid)
        form.layout = ETL_LAYOUT_INSTANCE_GUID;
    else if (form.layout == ETL_LAYOUT_MESSAGE)
        form.layout = ETL_LAYOUT_OPAQUE;
    form.unpublished = form.layout == ETL_LAYOUT_OPAQUE && etl_type_rows[type].known && type != ETL_HEADER_TYPE_MESSAGE;
    return form;
}

/*@ requires \valid_read(context);
  @ assigns \nothing;
  @ ensures \result.layout < ETL_LAYOUT_COUNT;
  @ ensures \result.kind == ETL_EVENT_KIND_WNODE ==> \result.layout == ETL_LAYOUT_OPAQUE; */
static inline etl_event_form etl_event_form_of(uint32_t dword, const etl_context *context)
{
    static const etl_event_form message = {
        .kind = ETL_EVENT_KIND_MESSAGE, .type = ETL_HEADER_TYPE_MESSAGE, .layout = ETL_LAYOUT_MESSAGE};
    static const etl_event_form timed = {
        .kind = ETL_EVENT_KIND_TIMED, .type = ETL_HEADER_TYPE_TIMED, .layout = ETL_LAYOUT_OPAQUE, .unpublished = true};
    static const etl_event_form wnode = {
        .kind = ETL_EVENT_KIND_WNODE, .type = ETL_HEADER_TYPE_WNODE_HEADER, .layout = ETL_LAYOUT_OPAQUE};
    static const etl_event_form unknown = {.kind = ETL_EVENT_KIND_UNKNOWN, .type = 0, .layout = ETL_LAYOUT_OPAQUE};
    switch (dword >> 24) {
    case ETL_MARKER_EVENT_TRACE: return etl_event_form_typed(dword >> 16 & 0xFF, context);
    case ETL_MARKER_MESSAGE: return message;
    case ETL_MARKER_ULONG32_TIME: return timed;
    default: break;
    }
    if (dword >> 24 & ETL_MARKER_FLAG_TRACE_HEADER_FLAG)
        return unknown;
    return wnode;
}

/* The form of the event at `at`, unchecked. Of `context` only `instance_guid` matters. */
/*@ requires etl_readable(data) && \valid_read(context);
  @ assigns \nothing;
  @ ensures \result.least >= 8 && \result.layout < ETL_LAYOUT_COUNT;
  @ ensures \result.layout != ETL_LAYOUT_OPAQUE ==> \result.header_size == \result.least; */
static inline etl_event_form etl_event_form_at(etl_span data, uint32_t at, const etl_context *context)
{
    const uint32_t dword = etl_load_u32(data, at);
    etl_event_form form = etl_event_form_of(dword, context);
    const bool wnode = form.kind == ETL_EVENT_KIND_WNODE;
    /*@ admit rows: etl_layout_rows[form.layout].size >= 8; */
    form.marker = (uint8_t)(dword >> 24);
    form.size_at = etl_layout_rows[form.layout].size_at;
    form.time_at = etl_layout_rows[form.layout].time_at;
    form.header_size = etl_layout_rows[form.layout].size;
    form.size = wnode ? dword : etl_load_u16(data, (size_t)at + form.size_at);
    form.least = wnode ? ETL_SIZE(WNODE_HEADER) : form.header_size;
    return form;
}

/* An event of a kind that is known, which takes `form->least` bytes at least and ends by `extent`. */
/*@ requires \valid_read(form);
  @ assigns \nothing;
  @ ensures \result ==> at + form->size <= extent && form->size >= form->least; */
static inline bool etl_event_form_fits(const etl_event_form *form, uint32_t at, uint32_t extent)
{
    return form->kind != ETL_EVENT_KIND_UNKNOWN && at <= extent && form->size >= form->least && form->size <= extent - at;
}

#endif
