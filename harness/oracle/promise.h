/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The promises that every decode must keep, and the watch that records the first one broken.
 */
#ifndef ETLPROOF_ORACLE_PROMISE_H
#define ETLPROOF_ORACLE_PROMISE_H

#include "etlproof/etlproof.h"

#include "work_count.h"

/* ORACLE(id, name, promise): the name and the sentence that a failure prints. Scripts go by the names. */
#define ORACLE_ORACLES(ORACLE) \
    ORACLE(INTERNAL, "internal", "no input makes the decoder return ETL_INTERNAL") \
    ORACLE(OUTCOME, "outcome", "each call returns one of the documented outcomes") \
    ORACLE(PROGRESS, "progress", "each step advances: the number of steps is linear in the input") \
    ORACLE(WORK, "work", "the bytes that are searched and inflated are linear in the input") \
    ORACLE(WANT, "want", "a request for input or scratch is not empty and within its bound") \
    ORACLE(TILING, "tiling", "the regions of the file follow one another from 0 to its size") \
    ORACLE(INFLATED_TILING, "inflated-tiling", "events and gaps of a compressed buffer tile its inflated data") \
    ORACLE(REGION, "region", "a region has a known kind and is not empty; a gap is slack, damaged or the tail") \
    ORACLE(REGIONS, "regions", "the regions of a buffer or event are in order, each of its kind and size") \
    ORACLE(BYTES, "bytes", "etl_tiling counts the bytes of each region kind correctly") \
    ORACLE(BUFFER_INDEX, "buffer-index", "buffer indices rise by one") \
    ORACLE(BUFFER_BOUNDS, "buffer-bounds", "a buffer lies inside the file, and its extent inside its data") \
    ORACLE(BUFFER_HEADER, "buffer-header", "buffer header members equal their bytes; a member that the shape lacks is 0") \
    ORACLE(EVENT_INDEX, "event-index", "event indices rise by one through the file") \
    ORACLE(EVENT_PARTS, "event-parts", "header, items, payload and lost bytes add up to the event's size") \
    ORACLE(EVENT_BOUNDS, "event-bounds", "an event lies at its offset, inside its buffer") \
    ORACLE(EVENT_KIND, "event-kind", "an event has a known layout and header type") \
    ORACLE(ITEMS, "items", "extended items follow one another inside the event, at most ETL_ITEMS_MAX") \
    ORACLE(CLOCK, "clock", "every member of a calendar time is in range") \
    ORACLE(FINDING_COUNT, "finding-count", "the findings of a call fit in their array") \
    ORACLE(FINDING_RULE, "finding-rule", "a finding names a rule that is reported, and a known action") \
    ORACLE(FINDING_PLACE, "finding-place", "a finding's offset and indices lie inside what was read") \
    ORACLE(FINDING_DUE, "finding-due", "a rule is reported exactly when the bytes break it, with its place and values") \
    ORACLE(SILENT_LOSS, "silent-loss", "the findings of each step report every damaged byte as lost, and slack and " \
                                       "tail follow the last event") \
    ORACLE(STREAMING, "streaming", "small windows give the same decode as one window") \
    ORACLE(FINDING_LAYER, "finding-layer", "a finding's rule belongs to a layer that the call reads") \
    ORACLE(EVENT_FRAME, "event-frame", "an event has the type, layout, size and time that its bytes state, and is " \
                                       "skipped only if its size is impossible") \
    ORACLE(EVENT_REASON, "event-reason", "a skipped event has a finding of severity error with the reason") \
    ORACLE(PLAUSIBLE, "plausible", "what a search takes for an event can be framed") \
    ORACLE(SAME_FRAME, "same-frame", "the same bytes at another place, before other bytes, are the same event") \
    ORACLE(EVENT_FIELDS, "event-fields", "a field equals the member of its header; a field that the header lacks is 0") \
    ORACLE(MESSAGE, "message", "a message has the parts that its options state, in order") \
    ORACLE(CHAIN, "chain", "a chain of items ends where its sizes state, or at the first impossible item") \
    ORACLE(ITEM, "item", "an item's members equal its own bytes") \
    ORACLE(PAYLOAD, "payload", "the fields of a payload are those that its metadata describes, with their places, and a " \
                               "finding reports the one that cannot be read") \
    ORACLE(LOGFILE, "logfile", "a whole logfile header is known, and its members equal its bytes") \
    ORACLE(CONTEXT, "context", "clock, context and buffer shape follow from the logfile header's version and type") \
    ORACLE(FILETIME, "filetime", "a time stamp converts exactly, rounded down, whenever the result is in range") \
    ORACLE(TIME_ORDER, "time-order", "a later tick is never an earlier time") \
    ORACLE(CALENDAR, "calendar", "a calendar time equals the one that counting days and years gives") \
    ORACLE(OFFSET, "offset", "the reader and the offsets that it reports never move backwards in the file") \
    ORACLE(INFLATED_BYTES, "inflated-bytes", "the bytes of a compressed buffer are those that its stream states") \
    ORACLE(INFLATED, "inflated", "inflated bytes, and the scratch for them, are linear in the compressed bytes") \
    ORACLE(LIMITS, "limits", "raising a limit never loses an event that was framed without guessing") \
    ORACLE(STRICT, "strict", "--strict turns a verdict only into damaged, and leaves damaged files damaged") \
    ORACLE(JSON, "json", "each line of the records is one JSON object in UTF-8, without duplicate keys") \
    ORACLE(RECORDS, "records", "records are of known kinds, the end record is last, and its totals match the others") \
    ORACLE(MEMORY, "memory", "members of a structure in memory lie in order inside it and equal their bytes") \
    ORACLE(MEMORY_CUT, "memory-cut", "cutting a structure changes no finding about the members before the cut") \
    ORACLE(GUESS, "guess", "the score of bytes as a structure in memory is the sum of its members' scores")

typedef enum oracle_promise {
#define ORACLE_ROW(name, text, promise) ORACLE_PROMISE_##name,
    ORACLE_ORACLES(ORACLE_ROW)
#undef ORACLE_ROW
    ORACLE_PROMISE_COUNT /* as a value: no promise is broken */
} oracle_promise;

/* Damage, and what findings report of it. */
typedef struct oracle_loss {
    uint64_t damaged; /* bytes of regions */
    uint64_t at;      /* offset of the last of these */
    uint64_t told;    /* bytes that findings of errors and limits report as lost */
} oracle_loss;

/* Watches one decode, or the calls on one input. */
typedef struct oracle_watch {
    uint64_t size;     /* bytes of the input */
    uint64_t base;     /* offset of the first of them in the file; 0, or else oracle_shift sets it */
    uint64_t end;      /* offset of the end of the file */
    etl_limits limits; /* of the reader */
    bool deep;         /* hash the bytes of events too, for oracle_compare */

    oracle_promise broken; /* the first, or ORACLE_PROMISE_COUNT */
    uint64_t broken_at; /* offset, in the file or in the inflated buffer */
    const char *failed_condition; /* text of the condition that did not hold; "" if there is none */

    uint64_t steps;
    uint64_t scratch_requests; /* since the last buffer */
    uint64_t scratch;  /* bytes of the largest of those requests */
    uint64_t requests; /* for input, since the reader last moved */
    uint64_t windows;  /* requests for input in all */
    oracle_work work;  /* so far */
    uint64_t offset;   /* where the reader is */
    uint64_t inflated; /* bytes of all inflated buffers */
    uint64_t input_before, output_before; /* of all streams before the current one that were inflated, in bytes */
    uint64_t input, output; /* of the current one; both 0 if the buffer was not inflated */
    uint64_t file_at;  /* where the next region of the file must start */
    uint64_t inflated_at, inflated_end; /* of what the current buffer inflates to; both 0 if it is not compressed */
    uint64_t buffers, events;
    bool has_compressed; /* a compressed buffer came before */
    bool has_flagged;    /* a buffer with flag COMPRESSED came before, or is this one */
    bool logfile_known; /* the reader has the logfile header of the trace */
    uint32_t extent;    /* of the current buffer, before this step */
    bool has_time;      /* an event of this buffer had a time stamp ... */
    int64_t last_time;  /* ... and this is the last one */
    oracle_loss loss[2]; /* in the file, and in inflated buffers */
    uint64_t bytes[ETL_REGION_COUNT]; /* of regions of the file, by kind */
    etl_tiling tiling;                /* the decoder's count of the same */
    uint64_t hash; /* of all that the decode reported, in order */
} oracle_watch;

const char *oracle_promise_name(oracle_promise promise);
const char *oracle_promise_text(oracle_promise promise);

/* Records a broken promise, if it is the first. Returns false, for the checks that call it. */
bool oracle_break(oracle_watch *oracle, oracle_promise promise, uint64_t offset);

/* Prints the stack as the first promise breaks, for scripts/triage: the check that failed is still on it, but not when the
   process ends. Only with a sanitizer, and with ETLPROOF_STACK in the environment. */
void oracle_print_stack(void);

/*
 * One condition of a check. The failure names the first condition that does not hold, by its text. Use it only where the
 * promise is broken if the condition does not hold.
 */
#define ORACLE_HOLDS(check) oracle_condition((check), #check)

/* The text of the last condition that did not hold, which the next broken promise takes; "" if there is none. */
extern const char *oracle_failed_condition;

static inline bool oracle_condition(bool holds, const char *text)
{
    if (!holds)
        oracle_failed_condition = text;
    return holds;
}

/* An offset of `space`, counted from the start of the input, for the hash. */
static inline uint64_t oracle_relative(const oracle_watch *oracle, etl_space space, uint64_t offset)
{
    return space == ETL_SPACE_FILE ? offset - oracle->base : offset;
}

/* Mixes a value, or bytes, into the hash. */
void oracle_mix(oracle_watch *oracle, uint64_t value);
void oracle_mix_bytes(oracle_watch *oracle, etl_span bytes);

#endif
