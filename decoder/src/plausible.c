/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to a yes or no: does an event, or a buffer, of the strength asked start here? The table of strengths is in
 * plausible.h. The searches, the walk over a buffer and the measure of stored sizes ask.
 */
#include "plausible.h"

#include "etlproof/event.h"
#include "event_form.h"
#include "message.h"

/* The shorter INSTANCE form serves for both: framing checks again. */
static const etl_context any_version = {0};

/* The size fits, and so do the parts of a message: true of all strengths. */
/*@ requires etl_readable(data) && \valid_read(form);
  @ assigns \nothing;
  @ ensures \result ==> at + form->size <= extent; */
static bool is_sized(etl_span data, uint32_t at, uint32_t extent, const etl_event_form *form)
{
    if (form->kind == ETL_EVENT_KIND_UNKNOWN || !etl_event_form_fits(form, at, extent))
        return false;
    if (form->layout != ETL_LAYOUT_MESSAGE)
        return true;
    uint16_t options = etl_load_u16(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    return etl_message_parts_of(options, form->size).size <= form->size;
}

/*@ requires etl_readable(data);
  @ assigns \nothing; */
static bool is_marked(etl_span data, uint32_t at, uint32_t extent)
{
    const etl_event_form form = etl_event_form_at(data, at, &any_version);
    return form.kind != ETL_EVENT_KIND_WNODE && is_sized(data, at, extent, &form);
}

/* A message with options that nobody has assigned (MSG-005). */
/*@ requires etl_readable(data) && \valid_read(form);
  @ assigns \nothing; */
static bool has_spare_options(etl_span data, uint32_t at, const etl_event_form *form)
{
    uint16_t options = etl_load_u16(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    return form->kind == ETL_EVENT_KIND_MESSAGE && options & ~(unsigned)ETL_MESSAGE_OPTIONS;
}

/* Less than a header is left up to the extent, which ends the events. */
/*@ assigns \nothing; */
static bool at_extent(uint32_t at, uint32_t extent)
{
    return at + ETL_SIZE(OPAQUE_HEADER) > extent;
}

/* What stands at `at` may follow an event. */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
static bool may_follow(etl_span data, uint32_t at, uint32_t extent)
{
    return at_extent(at, extent) || etl_end_marker(data, at) || is_marked(data, at, extent);
}

/* User data looks like a message more often where options need not be assigned; Reserved is 0 in all real messages. */
/*@ requires etl_readable(data);
  @ assigns \nothing; */
static bool spare_options_followed(etl_span data, uint32_t at, uint32_t next, uint32_t extent)
{
    return etl_load_u8(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, Reserved)) == 0 &&
           (at_extent(next, extent) || is_marked(data, next, extent));
}

/*@ requires etl_readable(data) && \valid_read(form) && at + form->size <= extent <= 0xFFFFFFF0;
  @ assigns \nothing; */
static bool is_followed(etl_span data, uint32_t at, uint32_t extent, const etl_event_form *form)
{
    const uint32_t next = etl_align8(at + form->size);
    return has_spare_options(data, at, form) ? spare_options_followed(data, at, next, extent)
                                             : may_follow(data, next, extent);
}

/* `*next` is where the WNODE_HEADER at `at` leads. */
/*@ requires etl_readable(data) && \valid(next) && extent <= 0xFFFFFFF0;
  @ assigns *next; */
static bool is_wnode(etl_span data, uint32_t at, uint32_t extent, uint32_t *next)
{
    const etl_event_form form = etl_event_form_at(data, at, &any_version);
    if (form.kind != ETL_EVENT_KIND_WNODE || !is_sized(data, at, extent, &form))
        return false;
    *next = etl_align8(at + form.size);
    return true;
}

/* Any small number is the size of a WNODE_HEADER: one counts as successor only if it leads on too. */
/*@ requires etl_readable(data) && extent <= 0xFFFFFFF0;
  @ assigns \nothing; */
static bool wnode_follows(etl_span data, uint32_t at, uint32_t extent)
{
    uint32_t next, after;
    return is_wnode(data, at, extent, &next) && (may_follow(data, next, extent) || is_wnode(data, next, extent, &after));
}

bool etl_plausible_event(etl_span data, uint32_t at, uint32_t extent, etl_event_strength strength, uint32_t *size)
{
    const etl_event_form form = etl_event_form_at(data, at, &any_version);
    const bool wnode = form.kind == ETL_EVENT_KIND_WNODE;
    const bool decoded = form.layout != ETL_LAYOUT_OPAQUE;
    *size = form.size;
    if (!is_sized(data, at, extent, &form))
        return false;
    switch (strength) {
    case ETL_PLAUSIBLE_FIRST: return decoded ? !has_spare_options(data, at, &form) : form.unpublished;
    case ETL_PLAUSIBLE_KEPT:
        return is_followed(data, at, extent, &form) || (wnode && wnode_follows(data, etl_align8(at + form.size), extent));
    case ETL_PLAUSIBLE_FOLLOWED: return !wnode && is_followed(data, at, extent, &form);
    case ETL_PLAUSIBLE_DECODED: break;
    }
    return decoded && is_followed(data, at, extent, &form);
}

bool etl_event_plausible(etl_span data, uint32_t at, uint32_t extent)
{
    uint32_t size;
    return etl_plausible_event(data, at, extent, ETL_PLAUSIBLE_DECODED, &size);
}

/*@ assigns \nothing;
  @ ensures \result <==> least <= value <= most; */
static bool in_range(uint32_t value, uint32_t least, uint32_t most)
{
    return value >= least && value <= most;
}

/* A header of 5.0 or 5.1 has neither flag nor type: both are 0. */
/*@ requires \valid_read(h);
  @ assigns \nothing; */
static bool states_agree(const etl_buffer_header *h)
{
    bool old = h->shape == ETL_BUFFER_SHAPE_50 || h->shape == ETL_BUFFER_SHAPE_52;
    uint32_t states = old ? ETL_BUFFER_FLAGS_51_COUNT : ETL_BUFFER_STATE_COUNT;
    return h->state < states && h->buffer_flag <= ETL_BUFFER_FLAGS && h->buffer_type < ETL_BUFFER_TYPE_COUNT;
}

/* All members but BufferSize; no event of the buffer ends behind `most`. */
/*@ requires etl_readable(bytes) && \valid_read(h) && most <= ETL_BUFFER_SIZE_MAX;
  @ assigns \nothing; */
static bool members_agree(etl_span bytes, const etl_buffer_header *h, bool compressed, uint32_t most)
{
    uint32_t extent = in_range(h->offset, ETL_BUFFER_SIZE_MIN, most) ? h->offset : h->saved_offset, size;
    if (!states_agree(h) || !in_range(extent, ETL_BUFFER_SIZE_MIN, most))
        return false;
    if (compressed || extent == ETL_BUFFER_SIZE_MIN || bytes.size < ETL_BUFFER_LOOK)
        return true; /* no event, or none that could be looked at */
    return etl_plausible_event(bytes, ETL_BUFFER_SIZE_MIN, extent, ETL_PLAUSIBLE_FIRST, &size);
}

bool etl_plausible_buffer(etl_span window, size_t at, etl_buffer_shape shape, uint32_t largest,
                          etl_buffer_strength strength)
{
    const etl_span bytes = etl_span_from(window, at);
    if (bytes.size < ETL_BUFFER_SIZE_MIN)
        return false;
    etl_buffer_header h;
    etl_buffer_header_read(bytes, shape, &h);
    const bool compressed = (h.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
    if (strength == ETL_PLAUSIBLE_MEMBERS)
        return members_agree(bytes, &h, compressed, largest);
    if (!in_range(h.buffer_size, ETL_BUFFER_SIZE_MIN, largest))
        return false;
    const uint32_t most = compressed ? largest : h.buffer_size;
    if (strength == ETL_PLAUSIBLE_SIZES)
        return in_range(h.offset, ETL_BUFFER_SIZE_MIN, most) || in_range(h.saved_offset, ETL_BUFFER_SIZE_MIN, most);
    return members_agree(bytes, &h, compressed, most);
}
