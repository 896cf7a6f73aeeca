/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The promises that a decode has to keep, and the record of how it keeps them.
 */
#ifndef ETLPROOF_PROMISE_H
#define ETLPROOF_PROMISE_H

#include "etlproof/etlproof.h"

/* The promises, by the names that a failure prints. */
#define ORACLE_ORACLES(ORACLE) \
    ORACLE(INTERNAL, "internal", "no input leads to ETL_INTERNAL") \
    ORACLE(OUTCOME, "outcome", "each call gives one of the outcomes") \
    ORACLE(PROGRESS, "progress", "each step moves on: the number of steps is linear in the bytes") \
    ORACLE(WANT, "want", "a wish for input or room is not empty, and within its bound") \
    ORACLE(TILING, "tiling", "the regions of the file follow one another from 0 to its size") \
    ORACLE(INFLATED_TILING, "inflated-tiling", "events and gaps of a compressed buffer tile its data behind the header") \
    ORACLE(REGION, "region", "a region is of a known kind and not empty; a gap is slack, damage or the tail") \
    ORACLE(REGIONS, "regions", "the regions of a buffer or event are its parts in order, each of its kind and size") \
    ORACLE(BYTES, "bytes", "etl_tiling counts the bytes of each kind that the regions have") \
    ORACLE(BUFFER_INDEX, "buffer-index", "buffer indices rise by one") \
    ORACLE(BUFFER_BOUNDS, "buffer-bounds", "a buffer lies inside the file, its extent inside its data") \
    ORACLE(BUFFER_HEADER, "buffer-header", "a member of a buffer's header is its bytes, and 0 where the shape has none") \
    ORACLE(EVENT_INDEX, "event-index", "event indices rise by one through the file") \
    ORACLE(EVENT_PARTS, "event-parts", "header, items, data and lost bytes add up to the event's size") \
    ORACLE(EVENT_BOUNDS, "event-bounds", "an event lies where its offset says, inside its buffer") \
    ORACLE(EVENT_KIND, "event-kind", "layout and header type of an event are known ones") \
    ORACLE(ITEMS, "items", "extended items follow one another inside the event's items, no more than ETL_ITEMS_MAX") \
    ORACLE(CLOCK, "clock", "a calendar time has its members in range") \
    ORACLE(FINDING_COUNT, "finding-count", "a call's findings fit in their room") \
    ORACLE(FINDING_RULE, "finding-rule", "a finding names a rule that can be violated, and an action") \
    ORACLE(FINDING_PLACE, "finding-place", "a finding's offset and indices are inside what was read") \
    ORACLE(SILENT_LOSS, "silent-loss", "each step's findings say of as many bytes that they are lost as are damaged, and " \
                                       "slack and tail are where events end") \
    ORACLE(STREAMING, "streaming", "small windows give the same decode as one window") \
    ORACLE(FINDING_LAYER, "finding-layer", "a finding's rule is of a layer that the call reads") \
    ORACLE(EVENT_FRAME, "event-frame", "an event is of the type, layout, size and time that its bytes say, and left out " \
                                       "only if its size cannot be") \
    ORACLE(EVENT_REASON, "event-reason", "an event that is left out has a finding of an error that says why") \
    ORACLE(PLAUSIBLE, "plausible", "what a search would take for an event can be framed") \
    ORACLE(SAME_FRAME, "same-frame", "the same bytes elsewhere, with more behind their extent, are the same event") \
    ORACLE(EVENT_FIELDS, "event-fields", "a field is the member of its header, and 0 where the header has none") \
    ORACLE(MESSAGE, "message", "a message has the parts, in the order, that its options say") \
    ORACLE(CHAIN, "chain", "a chain of items ends where its sizes say, or at the first that cannot be") \
    ORACLE(ITEM, "item", "an item's members are its bytes, none from outside it") \
    ORACLE(LOGFILE, "logfile", "a logfile header is known if it is whole, and its members are its bytes") \
    ORACLE(CONTEXT, "context", "clock, context and shape of buffers are those of the logfile header's version and type") \
    ORACLE(FILETIME, "filetime", "a time stamp converts exactly, rounded down, whenever the result is in range") \
    ORACLE(TIME_ORDER, "time-order", "a later tick is never an earlier time") \
    ORACLE(CALENDAR, "calendar", "a calendar time is the one that counting days and years gives") \
    ORACLE(OFFSET, "offset", "neither the reader nor what it gives goes back in the file") \
    ORACLE(INFLATED, "inflated", "the bytes that are inflated, and the room for them, are linear in the compressed ones") \
    ORACLE(LIMITS, "limits", "more room by the limits gives no fewer events that take no guess, nor bytes of them") \
    ORACLE(STRICT, "strict", "what is damaged by itself is damaged to strict eyes, and nothing else turns better") \
    ORACLE(JSON, "json", "each line of the records is one JSON object in UTF-8, no key twice") \
    ORACLE(RECORDS, "records", "records are of known kinds, the end comes last, and its totals are those of the others") \
    ORACLE(MEMORY, "memory", "members of a structure in memory lie in order inside it, and read as their bytes") \
    ORACLE(MEMORY_CUT, "memory-cut", "a cut changes nothing that is found about members before it") \
    ORACLE(GUESS, "guess", "how plausible bytes are as a structure in memory is the sum of what its members say")

typedef enum oracle_promise {
#define ORACLE_ROW(name, text, promise) ORACLE_PROMISE_##name,
    ORACLE_ORACLES(ORACLE_ROW)
#undef ORACLE_ROW
    ORACLE_PROMISE_COUNT /* as a value: none is broken */
} oracle_promise;

/* What is damaged, and what findings say of it. */
typedef struct oracle_loss {
    uint64_t damaged; /* bytes of regions */
    uint64_t at;      /* offset of the last of these */
    uint64_t told;    /* bytes that findings of errors and limits say are lost */
} oracle_loss;

typedef struct oracle_watch {
    uint64_t size;     /* bytes of the input */
    etl_limits limits; /* that the reader was given */
    bool deep;         /* hash the bytes of events too, for oracle_compare */

    oracle_promise broken; /* the first, or ORACLE_PROMISE_COUNT */
    uint64_t broken_at; /* offset, in the file or in the inflated buffer */
    const char *failed_condition; /* text of the condition that did not hold; "" if there is none */

    uint64_t steps;
    uint64_t scratch_requests;    /* that were asked for since the last buffer */
    uint64_t scratch;     /* the largest of those */
    uint64_t offset;   /* that the reader has come to */
    uint64_t inflated; /* bytes of all inflated buffers */
    uint64_t file_at;  /* where the next region of the file has to start */
    uint64_t inflated_at, inflated_end; /* of what the current buffer inflates to; both 0 if it is not compressed */
    uint64_t buffers, events;
    oracle_loss loss[2]; /* in the file, and in inflated buffers */
    uint64_t bytes[ETL_REGION_COUNT]; /* of regions of the file, by kind */
    etl_tiling tiling;                /* the decoder's count of these */
    uint64_t hash; /* of all that the decode said, in order */
} oracle_watch;

const char *oracle_promise_name(oracle_promise promise);
const char *oracle_promise_text(oracle_promise promise);

/* Notes that a promise is broken, if it is the first. Returns false, for those who check. */
bool oracle_break(oracle_watch *oracle, oracle_promise promise, uint64_t offset);

/* Prints the stack as the first promise breaks, for scripts/triage: the check that failed is still on it, but not when the
   process ends. Only with a sanitizer, and with ETLPROOF_STACK in the environment. */
void oracle_print_stack(void);

/*
 * One part of a check. A promise says what is wrong; in which respect, the first part that does not hold does, by its text.
 * Only for parts that break the promise if they do not hold.
 */
#define ORACLE_HOLDS(check) oracle_condition((check), #check)

/* The text of the last part that did not hold, which the next broken promise takes; "" if there is none. */
extern const char *oracle_failed_condition;

static inline bool oracle_condition(bool holds, const char *text)
{
    if (!holds)
        oracle_failed_condition = text;
    return holds;
}

/* Mixes a value, or bytes, into the hash. */
void oracle_mix(oracle_watch *oracle, uint64_t value);
void oracle_mix_bytes(oracle_watch *oracle, etl_span bytes);

#endif
