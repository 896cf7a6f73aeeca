/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_event_view: a built event divided into header, items, payload and lost bytes, at the place that the model gives.
 */
#ifndef ETLPROOF_EVENT_VIEW_H
#define ETLPROOF_EVENT_VIEW_H

#include "expect/session.h"
#include "model/model.h"

/* Header, items, data and lost bytes follow one another; their sizes add up to `size`. */
typedef struct build_event_view {
    build_span bytes; /* `size` of them */
    uint8_t marker, type;
    etl_layout layout;
    build_structure header;
    uint32_t size, header_size, items_size, data_size, lost_size;
    size_t item_count;
} build_event_view;

/*
 * Reads the event at the start of `bytes`, which end with its buffer. `opaque`: the event is kept undecoded.
 * `readable`: how many of its bytes are not lost, UINT32_MAX for all. False with `*why` set if the event cannot be read
 * and the recipe does not claim it lost.
 */
bool build_event_view_read(build_event_view *view, const build_session *session, const build_model_event *event,
                           build_span bytes, bool opaque, uint32_t readable, const char **why);

/*
 * Bytes of a pointer in the payload, as a message's OptionFlags or the header type state it; for a message that has neither
 * pointer option or both, the pointer size of the file. 0 if nothing states it.
 */
uint8_t build_event_view_pointer_size(const build_event_view *view, const build_session *session);

/* The offset of the message field that `option` announces; 0 if there is none, or it is lost. */
uint32_t build_event_view_message_field(const build_event_view *view, unsigned option);
/* The header and all bytes of item `n`. */
build_span build_event_view_item(const build_event_view *view, const build_model_event *event, size_t n,
                                 build_structure *header);

#endif
