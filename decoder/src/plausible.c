/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether an event or a buffer of a given strength starts at an offset; plausible.h has the table of strengths.
 * Called by the searches, the walk over a buffer and the measuring of stored sizes.
 */
#include "plausible.h"

#include "etlproof/event.h"
#include "event_form.h"
#include "message.h"

/* The shorter INSTANCE form serves for both: framing checks again. */
static const etl_context any_version = {0};

/* The facts by which the plausibility of an event is decided, read once. */
typedef struct candidate {
    bool sized;     /* its size and message parts fit; if not, the other members are not used */
    bool wnode;     /* a WNODE_HEADER: no marker byte */
    bool published; /* its layout is */
    bool known;     /* it is of a type that is stored */
    bool spare;     /* a message with unassigned options (MSG-005) */
    bool reserved;  /* such a message, whose Reserved is not 0 */
    uint32_t size;
    uint32_t next;  /* the next multiple of 8 behind it */
} candidate;

/*@ requires etl_readable(data) && \valid(c);
  @ assigns c->sized, c->spare, c->reserved; */
static void look_at_message(etl_span data, uint32_t at, candidate *c)
{
    const uint16_t options = etl_load_u16(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags));
    c->sized = etl_message_parts_of(options, c->size).size <= c->size;
    c->spare = (options & ~(unsigned)ETL_MESSAGE_OPTIONS) != 0;
    c->reserved = c->spare && etl_load_u8(data, (size_t)at + ETL_AT(MESSAGE_TRACE_HEADER, Reserved)) != 0;
}

/* An event whose form fits; only the parts of a message may not. */
/*@ requires etl_readable(data) && \valid_read(form) && at + form->size <= 0xFFFFFFF0;
  @ assigns \nothing; */
static candidate fitting(etl_span data, uint32_t at, const etl_event_form *form)
{
    candidate c = {.sized = true, .size = form->size, .next = etl_align8(at + form->size)};
    c.wnode = form->kind == ETL_EVENT_KIND_WNODE;
    c.published = form->layout != ETL_LAYOUT_OPAQUE;
    c.known = c.published || form->unpublished;
    if (form->kind == ETL_EVENT_KIND_MESSAGE)
        look_at_message(data, at, &c);
    return c;
}

/*@ requires etl_readable(data) && extent <= 0xFFFFFFF0;
  @ assigns \nothing; */
static candidate look_at(etl_span data, uint32_t at, uint32_t extent)
{
    const etl_event_form form = etl_event_form_at(data, at, &any_version);
    const candidate none = {.sized = false};
    return etl_event_form_fits(&form, at, extent) ? fitting(data, at, &form) : none;
}

/* Less than a header is left up to the extent, which ends the events. */
/*@ assigns \nothing; */
static bool at_extent(uint32_t at, uint32_t extent)
{
    return at + ETL_SIZE(OPAQUE_HEADER) > extent;
}

/* True if there is a successor at `at`; `c` is the candidate there. */
/*@ requires etl_readable(data) && \valid_read(c);
  @ assigns \nothing; */
static bool is_successor(etl_span data, uint32_t at, uint32_t extent, const candidate *c)
{
    return at_extent(at, extent) || etl_end_marker(data, at) || (c->sized && !c->wnode);
}

/*
 * A successor follows the event. User data looks like a message more often where options need not be assigned: then
 * Reserved is 0, as in all real messages, and an end marker is no evidence.
 */
/*@ requires etl_readable(data) && \valid_read(c) && \valid_read(next);
  @ assigns \nothing; */
static bool is_followed(etl_span data, uint32_t extent, const candidate *c, const candidate *next)
{
    if (c->spare)
        return !c->reserved && (at_extent(c->next, extent) || (next->sized && !next->wnode));
    return is_successor(data, c->next, extent, next);
}

/* Any small number is the size of a WNODE_HEADER: one counts as successor only if it has a successor, or starts a run. */
/*@ requires etl_readable(data) && extent <= 0xFFFFFFF0 && \valid_read(c);
  @ assigns \nothing; */
static bool is_run(etl_span data, uint32_t extent, const candidate *c)
{
    if (!c->wnode)
        return false;
    const candidate next = look_at(data, c->next, extent);
    return is_successor(data, c->next, extent, &next) || next.wnode;
}

bool etl_plausible_event(etl_span data, uint32_t at, uint32_t extent, etl_event_strength strength, uint32_t *size)
{
    const etl_event_form form = etl_event_form_at(data, at, &any_version);
    *size = form.size;
    if (!etl_event_form_fits(&form, at, extent))
        return false;
    const candidate here = fitting(data, at, &form);
    if (!here.sized || (strength == ETL_PLAUSIBLE_DECODED && !here.published))
        return false;
    if (strength == ETL_PLAUSIBLE_FIRST)
        return here.known && !here.spare;
    const candidate next = look_at(data, here.next, extent);
    if (here.wnode)
        return strength == ETL_PLAUSIBLE_KEPT &&
               (is_successor(data, here.next, extent, &next) || is_run(data, extent, &next));
    return is_followed(data, extent, &here, &next);
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

/* Offset if it is in range, else SavedOffset, in range or not. */
/*@ requires \valid_read(h);
  @ assigns \nothing; */
static uint32_t extent_of(const etl_buffer_header *h, uint32_t most)
{
    return in_range(h->offset, ETL_BUFFER_SIZE_MIN, most) ? h->offset : h->saved_offset;
}

/* All members except BufferSize; no event of the buffer ends behind `most`. */
/*@ requires etl_readable(bytes) && \valid_read(h) && most <= ETL_BUFFER_SIZE_MAX;
  @ assigns \nothing; */
static bool members_agree(etl_span bytes, const etl_buffer_header *h, bool compressed, uint32_t most)
{
    uint32_t extent = extent_of(h, most), size;
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
        return in_range(extent_of(&h, most), ETL_BUFFER_SIZE_MIN, most);
    return members_agree(bytes, &h, compressed, most);
}
