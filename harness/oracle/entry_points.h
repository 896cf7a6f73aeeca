/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Oracles over single entry points of the decoder: each is shown what went in and what came out. They return false, and
 * note the promise, when one is broken.
 */
#ifndef ETLPROOF_DIRECT_H
#define ETLPROOF_DIRECT_H

#include "promise.h"

/*
 * event_frame.c: what one call found about the bytes [from, to) of space FILE: as much as there is room for, each of a rule that
 * can be violated, of one of `layers` (texts, NULL behind the last), and at one of the bytes or the one behind them.
 */
bool oracle_call(oracle_watch *oracle, const etl_findings *findings, const char *const *layers, uint64_t from, uint64_t to);

/* event_frame.c: the call of etl_event_frame, and what it made. Findings and events are of space FILE. */
typedef struct oracle_framing {
    etl_span data;
    uint32_t at, extent;
    bool framed;
    etl_event event;
    etl_findings findings;
} oracle_framing;
/* It is the event that the bytes say, or there is none that they say. */
bool oracle_frame(oracle_watch *oracle, const oracle_framing *framing);
/* `plausible` is what etl_event_plausible said of the place. */
bool oracle_plausible(oracle_watch *oracle, const oracle_framing *framing, bool plausible);
/* `other` is of the same bytes at a place that is a multiple of 8 away, with eight bytes or more behind their extent. */
bool oracle_same_frame(oracle_watch *oracle, const oracle_framing *one, const oracle_framing *other);

/* header_fields.c: the members of its header. */
bool oracle_fields(oracle_watch *oracle, const etl_event *event, const etl_event_fields *fields);

/* message_parts.c: where the parts of a MESSAGE_TRACE_HEADER are, from the event's start; 0: not there. */
typedef struct oracle_message_places {
    uint32_t sequence, component_id, guid, time, system_info;
    uint32_t size; /* of the header with all parts */
    uint32_t fits; /* of the header up to the last part that ends within `room` */
} oracle_message_places;
oracle_message_places oracle_message_places_of(uint16_t options, uint32_t available);
/* An event of layout MESSAGE: sizes of header and rest, time stamp, pointer size. */
bool oracle_message(oracle_watch *oracle, const etl_event *event);

/* item_chain.c: what etl_items_measure said of the chain at `at` of an event. */
typedef struct oracle_measure {
    uint32_t at, size;
    bool whole;
} oracle_measure;
bool oracle_chain(oracle_watch *oracle, const etl_event *event, oracle_measure measure, const etl_findings *findings);
/* item_members.c: an item's members, one by one. */
bool oracle_item(oracle_watch *oracle, const etl_event *event, const etl_item *item);
/* self_description.c: whether metadata and traits read as their bytes say. */
bool oracle_schema_holds(etl_span data);
bool oracle_traits_hold(etl_span data);

/* logfile_members.c: the logfile header that etl_logfile_read made of the event at 0x48 of a buffer. */
bool oracle_logfile(oracle_watch *oracle, etl_span buffer, const etl_logfile *logfile);
/* What follows from it. */
bool oracle_context(oracle_watch *oracle, const etl_logfile *logfile, const etl_context *context, etl_buffer_shape shape);

/* filetime.c: what etl_clock_filetime said of a time stamp. */
bool oracle_filetime(oracle_watch *oracle, const etl_clock *clock, int64_t ticks, bool known, uint64_t filetime);
/* What it said of two, `ticks` not after `later_ticks`. */
bool oracle_order(oracle_watch *oracle, int64_t ticks, uint64_t filetime, int64_t later_ticks, uint64_t later_filetime);
/* calendar.c: what etl_filetime_utc said. */
bool oracle_calendar(oracle_watch *oracle, uint64_t filetime, bool known, const etl_utc *utc);

/* memory_members.c: a member that is taken, and the one before it (zeros before the first), of a structure or of a part of one. */
bool oracle_memory_place(oracle_watch *oracle, etl_memory_layout layout, const etl_memory_member *before,
                         const etl_memory_member *member);
/* What etl_memory_read said of a member. */
bool oracle_memory_value(oracle_watch *oracle, etl_span structure, const etl_memory_member *member, bool whole,
                         const etl_memory_value *value);
/* What etl_memory_check found of all of a structure, and of what is left where it is cut off behind a member; `cut` counts
   as the offsets of findings do. */
bool oracle_memory_cut(oracle_watch *oracle, const etl_findings *whole, const etl_findings *left, uint64_t cut);

/* memory_score.c: what etl_guess_score said of a structure, of all or what is there of it. */
typedef struct oracle_guess_scores {
    int32_t all;          /* without a floor */
    int32_t floor, early; /* with one */
    int32_t same;         /* as the last version that has the structure just so */
} oracle_guess_scores;
bool oracle_guess(oracle_watch *oracle, const etl_guess_plan *plan, etl_span structure, oracle_guess_scores scores);

#endif
