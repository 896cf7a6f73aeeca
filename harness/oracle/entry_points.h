/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles over single entry points of the decoder: each takes the arguments and the result of one call. They return false,
 * and record the promise, when one is broken.
 */
#ifndef ETLPROOF_ORACLE_ENTRY_POINTS_H
#define ETLPROOF_ORACLE_ENTRY_POINTS_H

#include "promise.h"

/*
 * event_frame.c: the findings of one call about the bytes [from, to) of space FILE. They must fit in their array; each
 * must name a reported rule of one of `layers` (texts, NULL after the last), at one of the bytes or the byte after
 * them.
 */
bool oracle_call(oracle_watch *oracle, const etl_findings *findings, const char *const *layers, uint64_t from, uint64_t to);

/* event_frame.c: arguments and results of etl_event_frame. Findings and events are of space FILE. */
typedef struct oracle_framing {
    etl_span data;
    uint32_t at, extent;
    bool framed;
    etl_event event;
    etl_findings findings;
} oracle_framing;
/* The event is as the bytes state, or there is none and the bytes state none. */
bool oracle_frame(oracle_watch *oracle, const oracle_framing *framing);
/* `plausible`: the result of etl_event_plausible for the same place. */
bool oracle_plausible(oracle_watch *oracle, const oracle_framing *framing, bool plausible);
/* `other` is of the same bytes at a distance that is a multiple of 8, with at least eight bytes after their extent. */
bool oracle_same_frame(oracle_watch *oracle, const oracle_framing *one, const oracle_framing *other);

/* header_fields.c: the fields that etl_event_read gave. */
bool oracle_fields(oracle_watch *oracle, const etl_event *event, const etl_event_fields *fields);

/* message_parts.c: offsets of the parts of a MESSAGE_TRACE_HEADER from the event's start; 0: the part is missing. */
typedef struct oracle_message_places {
    uint32_t sequence, component_id, guid, time, system_info;
    uint32_t size; /* of the header with all parts */
    uint32_t fits; /* of the header up to the last part that ends within `available` bytes */
} oracle_message_places;
oracle_message_places oracle_message_places_of(uint16_t options, uint32_t available);
/* An event of layout MESSAGE: sizes of header and payload, time stamp, pointer size. */
bool oracle_message(oracle_watch *oracle, const etl_event *event);

/* item_chain.c: the result of etl_items_measure for the chain at `at` of an event. */
typedef struct oracle_measure {
    uint32_t at, size;
    bool whole;
} oracle_measure;
bool oracle_chain(oracle_watch *oracle, const etl_event *event, oracle_measure measure);
/* item_members.c: each member of an item. */
bool oracle_item(oracle_watch *oracle, const etl_event *event, const etl_item *item);
/* self_description.c: whether metadata and traits decode as their bytes state. */
bool oracle_schema_holds(etl_span data);
bool oracle_traits_hold(etl_span data);
/* The rule that metadata or traits break, ETL_RULE_COUNT if none; `*at` becomes the offset of the last field, if any. */
etl_rule oracle_schema_rule(etl_span data, uint32_t *at);
etl_rule oracle_traits_rule(etl_span data);

/* logfile_members.c: the result of etl_logfile_read for the event at 0x48 of a buffer. */
bool oracle_logfile(oracle_watch *oracle, etl_span buffer, const etl_logfile *logfile);
/* The context and the buffer shape that the decoder derived from it. */
bool oracle_context(oracle_watch *oracle, const etl_logfile *logfile, const etl_context *context, etl_buffer_shape shape);

/* filetime.c: the result of etl_clock_filetime for a time stamp. */
bool oracle_filetime(oracle_watch *oracle, const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime);
/* Its results for two time stamps, `ticks` not after `later_ticks`. */
bool oracle_order(oracle_watch *oracle, int64_t ticks, uint64_t filetime, int64_t later_ticks, uint64_t later_filetime);
/* calendar.c: the result of etl_filetime_utc. */
bool oracle_calendar(oracle_watch *oracle, uint64_t filetime, bool known, const etl_utc *utc);

/* memory_members.c: a member of a whole or partial structure, and the member before it (zeros before the first). */
bool oracle_memory_place(oracle_watch *oracle, etl_memory_layout layout, const etl_memory_member *before,
                         const etl_memory_member *member);
/* The number in the bytes of a member of at most eight; SIGNED ones of 4 bytes are sign-extended. */
uint64_t oracle_memory_number(const uint8_t *at, const etl_memory_member *member);
/* The result of etl_memory_read for a member. */
bool oracle_memory_value(oracle_watch *oracle, etl_span structure, const etl_memory_member *member, bool whole,
                         const etl_memory_value *value);
/* The findings of etl_memory_check for a whole structure, and for the rest where it is cut off after a member. `cut` is
   an offset like those of findings. */
bool oracle_memory_cut(oracle_watch *oracle, const etl_findings *whole, const etl_findings *left, uint64_t cut);

/* memory_score.c: the results of etl_guess_score for a whole or partial structure. */
typedef struct oracle_guess_scores {
    int32_t all;          /* without a floor */
    int32_t floor, early; /* with one */
    int32_t same;         /* as the last version that has the same structure */
} oracle_guess_scores;
bool oracle_guess(oracle_watch *oracle, const etl_guess_plan *plan, etl_span structure, oracle_guess_scores scores);

#endif
