/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in the bytes that were written, at places that are known: the trace says where each event starts, so that
 * nothing is searched for here, and nothing guessed.
 */
#ifndef ETLPROOF_WRITTEN_H
#define ETLPROOF_WRITTEN_H

#include "expect/session_clock.h"

typedef struct build_span {
    const uint8_t *at;
    size_t size;
} build_span;

/* `size` bytes from `at` on, as far as they are there. */
build_span build_span_slice(build_span bytes, size_t at, size_t size);
/* Up to 8 bytes, little-endian; the bytes have to be there. */
uint64_t build_span_number(build_span bytes, size_t at, size_t size);

/*
 * The structure that `bytes` start with. Numbers and GUIDs that are not there whole are 0, be they of a structure within
 * it; of a text, the whole characters that are there count.
 */
build_structure build_structure_read(etl_structure_id structure, build_span bytes);

/* What the logfile header says of the file; all that follows from its version. */
typedef struct build_session {
    bool known;              /* the file has a logfile header, and all of it */
    uint8_t pointer_size;    /* of the file */
    build_structure logfile; /* TRACE_LOGFILE_HEADER32 or 64 */
    build_span names;        /* what follows it in its event */
    uint32_t windows;        /* major << 8 | minor */
    bool instance_guid;      /* INSTANCE is EVENT_INSTANCE_GUID_HEADER */
    bool private_logger;     /* ProcessorTime in place of KernelTime and UserTime */
    build_session_clock clock;
    etl_structure_id buffer_header;
} build_session;

/* A file without logfile header: one of the latest version. */
build_session build_session_none(void);
/* From the event that `bytes` start with and that they may end in; none if it is no logfile header. */
build_session build_session_read(build_span bytes);
/* The first of the names, or the second, without NUL. */
build_span build_session_name(const build_session *session, bool second);

/* An event as its bytes say. Header, items, data and what is lost of it follow one another and add up to `size`. */
typedef struct build_event_view {
    build_span bytes; /* `size` of them */
    uint8_t marker, type;
    etl_layout layout;
    build_structure header;
    uint32_t size, header_size, items_size, data_size, lost_size;
    size_t item_count;
} build_event_view;

/*
 * Reads the event that starts `bytes`, which end with its buffer. `opaque`: it is not decoded; `readable`: the bytes of it
 * that are not lost, UINT32_MAX for all. False with `*why` set if the event cannot be read, and nothing says that it is
 * lost.
 */
bool build_event_view_read(build_event_view *written, const build_session *session, const build_model_event *event,
                           build_span bytes, bool opaque, uint32_t readable, const char **why);

/* Bytes of a pointer in the user data: a message's option says it, or the type; a message with neither option or both has
 * that of the file. 0 if none says. */
uint8_t build_event_view_pointer_size(const build_event_view *written, const build_session *session);

/* Where the part of a message that `option` announces starts; 0 if it has none, or it is lost. */
uint32_t build_event_view_message_field(const build_event_view *written, unsigned option);
/* Item `n`: its header and all its bytes. */
build_span build_event_view_item(const build_event_view *written, const build_model_event *event, size_t n,
                                 build_structure *header);

#endif
