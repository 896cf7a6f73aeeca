/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What counts as an event or a buffer, where the bytes are the only evidence: one ladder of strengths for each.
 *
 * An event is *sized* if its Size is at least the smallest size of its form, it ends by the extent, and the parts of a
 * message lie within its Size. A *successor* is the extent, an end marker, or a sized event that has a marker byte, at the
 * next multiple of 8 behind an event.
 *
 *   strength of an event     what is checked                                        who asks
 *   -----------------------  -----------------------------------------------------  -------------------------------------
 *   ETL_PLAUSIBLE_FIRST      sized; of a type that is stored; a message has no      a buffer that is searched for, of its
 *                            unassigned options                                     first event; an event that crosses
 *                                                                                   the extent, of the next one
 *   ETL_PLAUSIBLE_KEPT       sized; a successor follows; behind a WNODE_HEADER a    framing, of an event without
 *                            run of WNODE_HEADERs will do                           published layout
 *   ETL_PLAUSIBLE_FOLLOWED   KEPT, and it has a marker byte                         the walk, of an event at the extent
 *   ETL_PLAUSIBLE_DECODED    FOLLOWED, and its layout is published                  the search for the next event
 *
 * KEPT, FOLLOWED and DECODED are in order: each implies the one before. FIRST is no part of that order: it asks for a known
 * type, but for no successor, which may lie behind the window. A message with unassigned options is FOLLOWED only if its
 * Reserved is 0 and its successor is not an end marker: otherwise too many payloads look like such a message.
 *
 *   strength of a buffer     what is checked                                        who asks
 *   -----------------------  -----------------------------------------------------  -------------------------------------
 *   ETL_PLAUSIBLE_SIZES      BufferSize is in range, and Offset or SavedOffset is   the measure of a stored size, of the
 *                                                                                   next buffer where no search is needed
 *   ETL_PLAUSIBLE_MEMBERS    all members but BufferSize agree, and the first event  the same, of a buffer whose
 *                            is FIRST                                               BufferSize leads nowhere
 *   ETL_PLAUSIBLE_BUFFER     all members agree, and the first event is FIRST        the search for the next buffer
 *
 * BUFFER implies SIZES. It implies MEMBERS too, but for one case: where Offset lies between BufferSize and the largest
 * size, BUFFER goes by SavedOffset. The first event is not checked if the buffer is compressed or empty, or if the bytes
 * end before the event's first eight.
 */
#ifndef ETLPROOF_PLAUSIBLE_H
#define ETLPROOF_PLAUSIBLE_H

#include <stdbool.h>

#include "etlproof/buffer_header.h"
#include "span.h"

typedef enum etl_event_strength {
    ETL_PLAUSIBLE_FIRST,    /* sized, of a type that is stored, without unassigned options */
    ETL_PLAUSIBLE_KEPT,     /* sized, and a successor follows */
    ETL_PLAUSIBLE_FOLLOWED, /* KEPT, with a marker byte */
    ETL_PLAUSIBLE_DECODED   /* FOLLOWED, with a published layout */
} etl_event_strength;

/*
 * Whether an event of this strength starts at `at` and ends by `extent`; `data` may end before. `*size` is the size that
 * it states, whatever the answer.
 */
/*@ requires etl_readable(data) && \valid(size) && extent <= 0xFFFFFFF0;
  @ assigns *size;
  @ ensures \result ==> *size >= 8 && at + *size <= extent; */
bool etl_plausible_event(etl_span data, uint32_t at, uint32_t extent, etl_event_strength strength, uint32_t *size);

typedef enum etl_buffer_strength {
    ETL_PLAUSIBLE_SIZES,   /* BufferSize and the extent are in range */
    ETL_PLAUSIBLE_MEMBERS, /* all members but BufferSize agree, and the first event is FIRST */
    ETL_PLAUSIBLE_BUFFER   /* all members agree, and the first event is FIRST */
} etl_buffer_strength;

/* How far etl_plausible_buffer looks: the header and the first event's first eight bytes. */
#define ETL_BUFFER_LOOK (ETL_SIZE(WMI_BUFFER_HEADER_61) + 8u)

/* Whether a buffer of this strength, of `largest` bytes at most, starts at `at` of `window`. */
/*@ requires etl_readable(window) && largest <= ETL_BUFFER_SIZE_MAX;
  @ assigns \nothing; */
bool etl_plausible_buffer(etl_span window, size_t at, etl_buffer_shape shape, uint32_t largest,
                          etl_buffer_strength strength);

/* WMI_BUFFER_STATE of 5.1 and 5.2: three bits. Later versions have fewer states. */
enum { ETL_BUFFER_FLAGS_51_COUNT = 1 << 3 };

/*
 * A first look at two members that are at the same place in all shapes: false only where no ETL_PLAUSIBLE_BUFFER starts.
 * The search looks at every byte, and this spares it to read the other members.
 */
/*@ requires etl_readable(window);
  @ assigns \nothing; */
static inline bool etl_starts_like_buffer(etl_span window, size_t at)
{
    const uint32_t size = etl_load_u32(window, at + ETL_AT(WMI_BUFFER_HEADER_61, BufferSize));
    const uint32_t state = etl_load_u32(window, at + ETL_AT(WMI_BUFFER_HEADER_61, State));
    return size >= ETL_BUFFER_SIZE_MIN && size <= ETL_BUFFER_SIZE_MAX && state < ETL_BUFFER_FLAGS_51_COUNT;
}

#endif
