/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a payload a second time, by recursion, and compares each step of the decoder with it. Called by fuzz_payload and
 * fuzz_metadata.
 */
#include <string.h>

#include "described_field.h"
#include "input_bytes.h"
#include "step_checks.h"

enum { STEP_WORK = 8, WORK_LEAST = 1024, WORK_FACTOR = 128 }; /* MET-004 */
enum { UNICODESTRING = 1, ANSISTRING = 2, BINARY = 14, POINTER = 16, SID = 19, COUNTEDSTRING = 22, COUNTEDANSISTRING = 23,
       STRUCT = 24, COUNTEDBINARY = 25, SIZET = 308, WBEMSID = 310 };
enum { DEPTH_MOST = 20, SUB_AUTHORITIES_MOST = 15, NUMBERS = 256, ALL = 0xFFFFFF };

typedef struct walk {
    oracle_watch *oracle;
    const etl_event *event;
    etl_payload payload;
    etl_findings findings;
    const etl_metadata *metadata;
    uint32_t fields_at; /* from the start of the event, like `at` and `end` */
    uint32_t at, end;
    unsigned depth;
    uint64_t steps;     /* so far */
    uint64_t work;      /* that the decoder may do */
    bool stopped;       /* the payload cannot be read further */
    bool broken;        /* the decoder does something else: nothing more is compared */
    etl_finding due;    /* the finding that says why; rule ETL_RULE_COUNT if there is none */
    bool known[NUMBERS];   /* the field of this number was read as an integer, ... */
    uint32_t value[NUMBERS]; /* ... which may be the count or the size of another */
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

/* Where the decoder reaches its limit nothing more is compared. A step reads all metadata at most twice. */
static bool is_limited(walk *w)
{
    const etl_span metadata = w->metadata->form == ETL_METADATA_FORM_TRACELOGGING ? w->metadata->fields : w->metadata->info;
    const bool limited = w->findings.count == 1 && w->findings.at[0].rule == ETL_RULE_MET_004 &&
                         (w->steps + 1) * (STEP_WORK + 2 * metadata.size) > w->work;
    if (limited)
        w->stopped = w->broken = true;
    return limited;
}

static bool same_bytes(etl_span a, etl_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static bool same_field(const walk *w, const described *d)
{
    const etl_field *f = &w->payload.field;
    const unsigned stated = w->metadata->form == ETL_METADATA_FORM_CLASSIC ? 0 : d->out; /* a table has no numbers */
    return f->in_type == d->type && same_bytes(f->name, d->name) && f->at == d->place && f->tag == d->tag &&
           f->count_form == d->count_form && f->count == d->count &&
           f->out_number == stated && oracle_out_type_is(w->metadata->form, d->out, f->out_type) &&
           f->members == d->members && f->members_at == d->members_at && f->size_form == d->size_form &&
           f->size == d->size && same_bytes(f->map, d->map) && f->optional == d->optional;
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

/* Numbers that other fields are counted by. */

static void note_number(walk *w, const described *d, uint32_t start)
{
    static const uint8_t sizes[] = {[3] = 1, [4] = 1, [5] = 2, [6] = 2, [7] = 4, [8] = 4, [20] = 4};
    if (w->metadata->form == ETL_METADATA_FORM_TRACELOGGING || d->at >= NUMBERS || d->type >= sizeof sizes ||
        sizes[d->type] == 0)
        return;
    const uint32_t value = (uint32_t)oracle_raw(w->event->bytes.at + start, sizes[d->type]);
    w->known[d->at] = true;
    w->value[d->at] = value < UINT32_MAX ? value : UINT32_MAX - 1;
}

static void forget_members(walk *w, const described *d)
{
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (w->metadata->form != ETL_METADATA_FORM_TRACELOGGING && i >= d->members_at && i - d->members_at < d->members)
            w->known[i] = false;
}

static void look_up(walk *w, uint32_t *number)
{
    if (w->stopped)
        return;
    if (*number < NUMBERS && w->known[*number])
        *number = w->value[*number];
    else
        fault(w, ETL_RULE_MET_006, w->at, ETL_RELATION_KNOWN, 0, *number);
}

/* Values. */

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
    if (!w->stopped)
        (void)needs(w, 8 + 4 * count);
    return 8 + 4 * count;
}

static uint32_t pointer_size(const walk *w)
{
    return etl_event_pointer_size(w->event);
}

/* A u32 of 0, or two pointers and a SID. */
static uint32_t wbemsid_size(walk *w)
{
    const uint32_t token = 2 * pointer_size(w);
    if (!needs(w, 4) || oracle_raw_u32(w->event->bytes.at + w->at) == 0 || !needs(w, token))
        return 4;
    w->at += token;
    const uint32_t size = sid_size(w);
    w->at -= token;
    return token + size;
}

static uint32_t counted_size(walk *w)
{
    return needs(w, 2) ? 2 + (uint32_t)oracle_raw(w->event->bytes.at + w->at, 2) : 0;
}

static uint32_t unit_of(const described *d)
{
    return d->type == UNICODESTRING ? 2 : 1;
}

/* Of the value at w->at, whole or not. */
static uint32_t value_size(walk *w, const described *d)
{
    static const uint8_t sizes[] = {[3] = 1,  [4] = 1,  [5] = 2,   [6] = 2,  [7] = 4,   [8] = 4,   [9] = 8, [10] = 8,
                                    [11] = 4, [12] = 8, [13] = 4, [15] = 16, [17] = 8, [18] = 16, [20] = 4, [21] = 8};
    if (d->size_form != ETL_SIZE_FORM_TYPE) {
        const uint64_t size = (uint64_t)d->size * unit_of(d);
        return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    }
    switch (d->type) {
    case UNICODESTRING:
    case ANSISTRING: return needs(w, unit_of(d)) ? text_size(w, unit_of(d)) : 0;
    case BINARY:
    case COUNTEDSTRING:
    case COUNTEDANSISTRING:
    case COUNTEDBINARY: return counted_size(w);
    case POINTER:
    case SIZET: return pointer_size(w);
    case SID: return sid_size(w);
    case WBEMSID: return wbemsid_size(w);
    default: break;
    }
    if (d->type >= sizeof sizes || sizes[d->type] == 0) {
        fault(w, ETL_RULE_MET_001, d->place, ETL_RELATION_KNOWN, 0, d->type);
        return 0;
    }
    return sizes[d->type];
}

/* Where the bytes of a value lie in it: behind its count, token or zeros, and in front of its NUL. */
static etl_span value_of(const walk *w, const described *d, uint32_t start, uint32_t size)
{
    const uint8_t *at = w->event->bytes.at + start;
    const bool counted = d->type == BINARY || (d->type >= COUNTEDSTRING && d->type <= COUNTEDBINARY);
    uint32_t before = 0, end = 0;
    if (d->size_form == ETL_SIZE_FORM_TYPE && counted)
        before = 2;
    if (d->type == WBEMSID)
        before = size == 4 ? 4 : 2 * pointer_size(w);
    end = size;
    if (d->type == UNICODESTRING || d->type == ANSISTRING)
        for (end = 0; end + unit_of(d) <= size && oracle_raw(at + end, unit_of(d)) != 0; end += unit_of(d))
            continue;
    return (etl_span){at + before, end - before};
}

static bool same_value(const walk *w, const described *d, uint32_t start, uint32_t size)
{
    const etl_span expected = value_of(w, d, start, size), actual = w->payload.value;
    return actual.size == expected.size && (actual.size == 0 || actual.at == expected.at);
}

/* Arrays and structures. */

/* Goes one array or structure deeper. */
static bool enters(walk *w, const described *d)
{
    if (w->depth == DEPTH_MOST)
        fault(w, ETL_RULE_MET_003, d->place, ETL_RELATION_AT_MOST, DEPTH_MOST, DEPTH_MOST + 1);
    else
        w->depth++;
    return !w->stopped;
}

static void walk_members(walk *w, uint32_t at, unsigned count, const described *of);

static void walk_value(walk *w, const described *d)
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
    } else if (d->members == 0) {
        fault(w, ETL_RULE_MET_002, d->place, ETL_RELATION_AT_LEAST, 1, 0);
    } else if (enters(w, d)) {
        step(w, ETL_PAYLOAD_STRUCT, d, start, 0);
        walk_members(w, d->members_at, d->members, d);
        w->depth--;
        forget_members(w, d);
        step(w, ETL_PAYLOAD_CLOSE, NULL, start, w->at - start);
    }
}

static void walk_array(walk *w, described *d)
{
    const uint32_t start = w->at;
    unsigned count = d->count;
    if (d->count_form == ETL_COUNT_FORM_CUSTOM) {
        fault(w, ETL_RULE_MET_005, d->place, ETL_RELATION_NONE, 0, 0);
        return;
    }
    if (d->count_form == ETL_COUNT_FORM_REST)
        d->count = count = (w->end - w->at) / pointer_size(w);
    if (d->count_form == ETL_COUNT_FORM_STORED) {
        if (!needs(w, 2))
            return;
        count = oracle_raw_u16(w->event->bytes.at + w->at);
        w->at += 2;
    }
    if (!enters(w, d))
        return;
    step(w, ETL_PAYLOAD_ARRAY, d, start, 0);
    for (unsigned i = 0; i < count && !w->stopped; i++)
        walk_value(w, d);
    w->depth--;
    step(w, ETL_PAYLOAD_CLOSE, NULL, start, w->at - start);
}

/* TraceLogging: what follows a structure follows its members and theirs. */
static void skip_members(const walk *w, const described *d, uint32_t *at)
{
    described inner;
    if (w->metadata->form != ETL_METADATA_FORM_TRACELOGGING)
        return;
    for (unsigned left = d->members; left > 0; left--) {
        const uint32_t before = *at;
        if (!oracle_describe(w->metadata, at, &inner)) {
            *at = before;
            return;
        }
        left += inner.members;
    }
}

/* No further description of a member of the structure `of`, or, if it is NULL, of a field of the event. */
static void end_of_metadata(walk *w, uint32_t at, unsigned read, unsigned count, const described *of)
{
    if (at < w->metadata->fields.size)
        w->stopped = true; /* PAY-001 of the item */
    else if (of)
        fault(w, ETL_RULE_MET_002, of->place, ETL_RELATION_AT_MOST, read, count);
}

static void walk_field(walk *w, described *d)
{
    if (d->count_form == ETL_COUNT_FORM_PROPERTY)
        look_up(w, &d->count);
    if (d->size_form == ETL_SIZE_FORM_PROPERTY)
        look_up(w, &d->size);
    if (w->stopped)
        return;
    const uint32_t start = w->at;
    if (d->count_form != ETL_COUNT_FORM_SINGLE)
        walk_array(w, d);
    else
        walk_value(w, d);
    if (d->count_form == ETL_COUNT_FORM_SINGLE && !w->stopped)
        note_number(w, d, start);
}

/* Fields from `at` on: the members of a structure, or all of the event. */
static void walk_members(walk *w, uint32_t at, unsigned count, const described *of)
{
    described d;
    for (unsigned i = 0; (count == ALL || i < count) && !w->stopped; i++) {
        const uint32_t start = at;
        if (!oracle_describe(w->metadata, &at, &d)) {
            end_of_metadata(w, start, i, count, of);
            return;
        }
        d.place = w->metadata->form == ETL_METADATA_FORM_TRACELOGGING ? w->fields_at + d.at : w->at;
        skip_members(w, &d, &at);
        if (d.optional && w->at == w->end)
            return;
        walk_field(w, &d);
    }
}

bool oracle_payload(oracle_watch *oracle, const etl_event *event, const etl_metadata *metadata)
{
    static walk w;
    const bool counted = metadata->form != ETL_METADATA_FORM_TRACELOGGING;
    w = (walk){.oracle = oracle, .event = event, .metadata = metadata, .fields_at = metadata->fields_at};
    w.due.rule = ETL_RULE_COUNT;
    w.at = event->header_size + event->items_size;
    w.end = w.at + event->data_size;
    w.work = WORK_LEAST + (uint64_t)WORK_FACTOR * event->size;
    etl_payload_init(&w.payload, event, metadata);
    walk_members(&w, 0, counted ? metadata->fields_count : ALL, NULL);
    const bool whole = !w.stopped;
    step(&w, ETL_PAYLOAD_END, NULL, w.at, 0);
    if (!w.broken && (w.payload.whole != whole || w.payload.at != w.at))
        break_promise(&w, w.at);
    return oracle->broken == ORACLE_PROMISE_COUNT;
}
