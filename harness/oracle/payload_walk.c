/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the payload of a TraceLogging event a second time, by recursion, and compares each step of the decoder with it.
 * Called by fuzz_payload.
 */
#include <string.h>

#include "input_bytes.h"
#include "step_checks.h"

/* In the bytes of a type; source: TraceLoggingProvider.h. */
enum { TYPE = 0x1F, CHAIN = 0x80, COUNTS = 0x60, FIXED = 0x20, STORED = 0x40, CUSTOM = 0x60 };
enum { STEP_WORK = 8, WORK_LEAST = 1024, WORK_FACTOR = 128 }; /* MET-004 */
enum { STRUCT = 24, SID = 19, TYPES = 26, DEPTH_MOST = 20, SUB_AUTHORITIES_MOST = 15, ALL = 0xFFFF };

typedef struct described {
    uint32_t at;   /* in the metadata */
    uint32_t name; /* size of its name */
    unsigned type, out, count_bits, count, tag;
} described;

typedef struct walk {
    oracle_watch *oracle;
    const etl_event *event;
    etl_payload payload;
    etl_findings findings;
    etl_span fields;
    uint32_t fields_at; /* from the start of the event, like `at` and `end` */
    uint32_t at, end;
    unsigned depth;
    uint64_t steps;     /* so far */
    uint64_t work;      /* that the decoder may do */
    bool stopped;       /* the payload cannot be read further */
    bool broken;        /* the decoder does something else: nothing more is compared */
    etl_finding due;    /* the finding that says why; rule ETL_RULE_COUNT if there is none */
} walk;

static void break_promise(walk *w, uint32_t at)
{
    w->broken = w->stopped = true;
    oracle_break(w->oracle, ORACLE_PROMISE_PAYLOAD, w->event->offset + at);
}

/* The payload ends here; the decoder has to say so in its next step. */
static void fault(walk *w, etl_rule rule, uint32_t at, etl_relation relation, uint64_t expected, uint64_t actual)
{
    w->stopped = true;
    w->due = (etl_finding){.rule = rule,
                           .action = ETL_ACTION_CONTINUE,
                           .relation = relation,
                           .space = w->event->space,
                           .offset = w->event->offset + at,
                           .buffer = w->event->buffer,
                           .event = w->event->index,
                           .expected = expected,
                           .actual = actual};
}

static bool is_due(const walk *w)
{
    const etl_finding *f = &w->findings.at[0], *due = &w->due;
    if (w->findings.count == 0 || w->findings.count > 1)
        return w->findings.count == 0 && due->rule == ETL_RULE_COUNT;
    return f->rule == due->rule && f->action == due->action && f->relation == due->relation && f->space == due->space &&
           f->offset == due->offset && f->lost == due->lost && f->buffer == due->buffer && f->event == due->event &&
           f->expected == due->expected && f->actual == due->actual;
}

/* Where the decoder reaches its limit nothing more is compared. A step reads all metadata at most once. */
static bool is_limited(walk *w)
{
    const bool limited = w->findings.count == 1 && w->findings.at[0].rule == ETL_RULE_MET_004 &&
                         (w->steps + 1) * (STEP_WORK + w->fields.size) > w->work;
    if (limited)
        w->stopped = w->broken = true;
    return limited;
}

static bool same_field(const walk *w, const described *d)
{
    static const etl_count_form forms[] = {ETL_COUNT_FORM_SINGLE, ETL_COUNT_FORM_FIXED, ETL_COUNT_FORM_STORED};
    const etl_field *f = &w->payload.field;
    const bool structure = d->type == STRUCT;
    return f->in_type == d->type && f->name.size == d->name && f->at == w->fields_at + d->at && f->tag == d->tag &&
           (d->name == 0 || memcmp(f->name.at, w->fields.at + d->at, d->name) == 0) &&
           f->count_form == forms[d->count_bits / FIXED] && f->count == (d->count_bits == FIXED ? d->count : 0) &&
           f->out_type == (structure ? 0 : d->out) && f->members == (structure ? d->out : 0);
}

/* Takes a step of the decoder, which must be this one, of the field `d`; NULL: of none. */
static void step(walk *w, etl_payload_step expected, const described *d, uint32_t start, uint32_t size)
{
    if (w->broken)
        return;
    if (++w->steps * (STEP_WORK / 2) > w->work + STEP_WORK) /* half of the steps may be CLOSE, which is no work */
        break_promise(w, start);
    const etl_payload_step actual = etl_payload_next(&w->payload, w->event, &w->findings);
    if (is_limited(w))
        return;
    const bool unplaced = expected == ETL_PAYLOAD_ARRAY || expected == ETL_PAYLOAD_STRUCT || expected == ETL_PAYLOAD_END;
    const bool placed = unplaced || (w->payload.offset == start && w->payload.size == size);
    if (actual != expected || !placed || !is_due(w) || (d != NULL && !same_field(w, d)))
        break_promise(w, start);
}

/* Takes a byte of the metadata; false at its end. */
static bool take(const walk *w, uint32_t *at, unsigned size, unsigned *value)
{
    if (*at > w->fields.size || size > w->fields.size - *at)
        return false;
    *value = (unsigned)oracle_raw_get(w->fields, *at, size);
    *at += size;
    return true;
}

/* False if it does not fit; `*at` moves behind it. */
static bool take_described(const walk *w, uint32_t *at, described *d)
{
    unsigned byte = 1, size = 0;
    *d = (described){.at = *at};
    for (d->name = 0; byte != 0; d->name++)
        if (!take(w, at, 1, &byte))
            return false;
    d->name--;
    if (!take(w, at, 1, &byte))
        return false;
    d->type = byte & TYPE;
    d->count_bits = byte & COUNTS;
    if ((byte & CHAIN) != 0) {
        if (!take(w, at, 1, &byte))
            return false;
        d->out = byte & ~(unsigned)CHAIN;
        for (unsigned n = 0; (byte & CHAIN) != 0; n++) {
            if (!take(w, at, 1, &byte))
                return false;
            if (n < 4)
                d->tag |= (byte & ~(unsigned)CHAIN) << (21 - 7 * n);
        }
    }
    if (d->count_bits == FIXED)
        return take(w, at, 2, &d->count);
    return d->count_bits != CUSTOM || (take(w, at, 2, &size) && size <= w->fields.size - *at && ((*at += size), true));
}

static bool needs(walk *w, uint32_t size)
{
    if (size > w->end - w->at)
        fault(w, ETL_RULE_PAY_007, w->at, ETL_RELATION_AT_LEAST, size, w->end - w->at);
    return !w->stopped;
}

static uint32_t text_size(const walk *w, uint32_t unit)
{
    uint32_t size = 0;
    for (; w->end - w->at - size >= unit; size += unit)
        if (oracle_raw(w->event->bytes.at + w->at + size, unit) == 0)
            return size + unit;
    return size;
}

static uint32_t sid_size(walk *w)
{
    if (!needs(w, 8))
        return 0;
    const unsigned count = w->event->bytes.at[w->at + 1];
    if (count > SUB_AUTHORITIES_MOST)
        fault(w, ETL_RULE_PAY_008, w->at + 1, ETL_RELATION_AT_MOST, SUB_AUTHORITIES_MOST, count);
    return 8 + 4 * count;
}

static uint32_t counted_size(walk *w)
{
    return needs(w, 2) ? 2 + (uint32_t)oracle_raw(w->event->bytes.at + w->at, 2) : 0;
}

/* Of the value at w->at, whole or not. */
static uint32_t value_size(walk *w, const described *d)
{
    static const uint8_t sizes[TYPES] = {[3] = 1,  [4] = 1,  [5] = 2,  [6] = 2,  [7] = 4,   [8] = 4,  [9] = 8,
                                         [10] = 8, [11] = 4, [12] = 8, [13] = 4, [15] = 16, [17] = 8,
                                         [18] = 16, [20] = 4, [21] = 8};
    switch (d->type) {
    case 1: return needs(w, 2) ? text_size(w, 2) : 0;
    case 2: return needs(w, 1) ? text_size(w, 1) : 0;
    case 14:
    case 22:
    case 23:
    case 25: return counted_size(w);
    case 16: return w->event->type == ETL_HEADER_TYPE_EVENT_HEADER32 ? 4 : 8;
    case SID: return sid_size(w);
    default: break;
    }
    if (d->type >= TYPES || sizes[d->type] == 0) {
        fault(w, ETL_RULE_MET_001, w->fields_at + d->at, ETL_RELATION_KNOWN, 0, d->type);
        return 0;
    }
    return sizes[d->type];
}

/* The bytes of a value lie behind its count and in front of its NUL. */
static bool same_value(const walk *w, const described *d, uint32_t start, uint32_t size)
{
    const bool counted = d->type == 14 || d->type == 22 || d->type == 23 || d->type == 25;
    const uint32_t unit = d->type == 1 ? 2 : d->type == 2 ? 1 : 0;
    const uint8_t *at = w->event->bytes.at + start;
    const bool ended = unit != 0 && size >= unit && oracle_raw(at + size - unit, unit) == 0;
    return w->payload.value.size == size - (counted ? 2 : 0) - (ended ? unit : 0) &&
           (w->payload.value.size == 0 || w->payload.value.at == at + (counted ? 2 : 0));
}

/* Goes one array or structure deeper. */
static bool enters(walk *w, const described *d)
{
    if (w->depth == DEPTH_MOST)
        fault(w, ETL_RULE_MET_003, w->fields_at + d->at, ETL_RELATION_AT_MOST, DEPTH_MOST, DEPTH_MOST + 1);
    else
        w->depth++;
    return !w->stopped;
}

static void walk_members(walk *w, uint32_t at, unsigned count, const described *of);

static void walk_value(walk *w, const described *d, uint32_t members)
{
    const uint32_t start = w->at;
    if (d->type != STRUCT) {
        const uint32_t size = value_size(w, d);
        if (w->stopped || !needs(w, size))
            return;
        step(w, ETL_PAYLOAD_VALUE, d, start, size);
        w->at += size;
        if (!w->broken && !same_value(w, d, start, size))
            break_promise(w, start);
    } else if (d->out == 0) {
        fault(w, ETL_RULE_MET_002, w->fields_at + d->at, ETL_RELATION_AT_LEAST, 1, 0);
    } else if (enters(w, d)) {
        step(w, ETL_PAYLOAD_STRUCT, d, start, 0);
        walk_members(w, members, d->out, d);
        w->depth--;
        step(w, ETL_PAYLOAD_CLOSE, NULL, start, w->at - start);
    }
}

static void walk_array(walk *w, const described *d, uint32_t members)
{
    const uint32_t start = w->at;
    unsigned count = d->count;
    if (d->count_bits == CUSTOM) {
        fault(w, ETL_RULE_MET_005, w->fields_at + d->at, ETL_RELATION_NONE, 0, 0);
        return;
    }
    if (d->count_bits == STORED) {
        if (!needs(w, 2))
            return;
        count = oracle_raw_u16(w->event->bytes.at + w->at);
        w->at += 2;
    }
    if (!enters(w, d))
        return;
    step(w, ETL_PAYLOAD_ARRAY, d, start, 0);
    for (unsigned i = 0; i < count && !w->stopped; i++)
        walk_value(w, d, members);
    w->depth--;
    step(w, ETL_PAYLOAD_CLOSE, NULL, start, w->at - start);
}

/* Fields from `at` on: the members of a structure, or all of the event. */
static void walk_members(walk *w, uint32_t at, unsigned count, const described *of)
{
    described d, inner;
    for (unsigned i = 0; (count == ALL || i < count) && !w->stopped; i++) {
        const uint32_t start = at;
        if (!take_described(w, &at, &d)) {
            if (start < w->fields.size)
                w->stopped = true; /* PAY-001 of the item */
            else if (count != ALL)
                fault(w, ETL_RULE_MET_002, w->fields_at + of->at, ETL_RELATION_AT_MOST, i, count);
            return;
        }
        const uint32_t members = at;
        for (unsigned left = d.type == STRUCT ? d.out : 0; left > 0; left--) {
            const uint32_t before = at;
            if (!take_described(w, &at, &inner)) {
                at = before;
                break;
            }
            left += inner.type == STRUCT ? inner.out : 0;
        }
        if (d.count_bits != 0)
            walk_array(w, &d, members);
        else
            walk_value(w, &d, members);
    }
}

bool oracle_payload(oracle_watch *oracle, const etl_event *event)
{
    static walk w;
    etl_metadata metadata;
    if (!etl_metadata_read(event, &metadata))
        return true;
    w = (walk){.oracle = oracle, .event = event, .fields = metadata.fields, .fields_at = metadata.fields_at};
    w.due.rule = ETL_RULE_COUNT;
    w.at = event->header_size + event->items_size;
    w.end = w.at + event->data_size;
    w.work = WORK_LEAST + (uint64_t)WORK_FACTOR * event->size;
    etl_payload_init(&w.payload, event, &metadata);
    walk_members(&w, 0, ALL, NULL);
    const bool whole = !w.stopped;
    step(&w, ETL_PAYLOAD_END, NULL, w.at, 0);
    if (!w.broken && (w.payload.whole != whole || w.payload.at != w.at))
        break_promise(&w, w.at);
    return oracle->broken == ORACLE_PROMISE_COUNT;
}
