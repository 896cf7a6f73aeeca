/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the fields of a payload and their metadata side by side, with a stack for arrays and structures. Called for each
 * event that carries metadata.
 */
#include "etlproof/payload.h"

#include "metadata.h"
#include "span.h"
#include "values.h"

/* MET-004: a step counts as STEP_WORK, a byte of metadata as 1. */
enum { STEP_WORK = 8, WORK_FACTOR = 128, WORK_LEAST = 1024 };

/*@ requires \valid(p) && 1 <= p->depth <= ETL_PAYLOAD_DEPTH_MAX + 1;
  @ assigns \nothing;
  @ ensures \result == &p->levels[p->depth - 1]; */
static etl_payload_level *top(etl_payload *p)
{
    return &p->levels[p->depth - 1];
}

/*@ requires \valid(to) && \valid_read(from) && \separated(to, from);
  @ assigns *to; */
static void copy_field(etl_field *to, const etl_field *from)
{
    *to = *from;
}

bool etl_metadata_field(const etl_metadata *metadata, uint32_t index, etl_field *field)
{
    uint32_t work;
    switch (metadata->form) {
    case ETL_METADATA_FORM_EVENT_INFO: return etl_event_info_field(metadata, index, field, &work);
    case ETL_METADATA_FORM_CLASSIC: return etl_classic_field(metadata, index, field);
    case ETL_METADATA_FORM_TRACELOGGING: break;
    }
    return false;
}

/*@ requires \valid(p);
  @ assigns *p; */
static void clear(etl_payload *p)
{
    *p = (etl_payload){0};
}

/*@ requires etl_metadata_readable(from) && \valid(to) && \separated(to, from);
  @ assigns *to;
  @ ensures etl_metadata_readable(to) && to->form == from->form; */
static void copy_metadata(etl_metadata *to, const etl_metadata *from)
{
    *to = *from;
}

/*@ requires \valid(p) && etl_event_parts(event) && \separated(p, event);
  @ assigns *p;
  @ ensures p->at <= p->end && p->depth == 1; */
static void start(etl_payload *p, const etl_event *event)
{
    clear(p);
    p->at = event->header_size + event->items_size;
    p->end = p->at + event->data_size;
    p->work = WORK_LEAST + WORK_FACTOR * event->size;
    p->whole = true;
    p->depth = 1;
}

void etl_payload_init(etl_payload *payload, const etl_event *event, const etl_metadata *metadata)
{
    start(payload, event);
    copy_metadata(&payload->metadata, metadata);
    payload->levels[0].left = UINT32_MAX;
    if (metadata->form != ETL_METADATA_FORM_TRACELOGGING) {
        payload->metadata.fields_at = payload->at; /* findings cannot point to the description */
        payload->levels[0].left = metadata->fields_count;
    }
}

/* Takes off `work`; MET-004 if nothing is left of it. */
/*@ requires walk(p, event, findings);
  @ assigns p->work, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures \result ? p->work == \old(p->work) - work : p->work == \old(p->work) && !p->whole; */
static bool afford(etl_payload *p, const etl_event *event, uint32_t work, etl_findings *findings)
{
    if (work <= p->work) {
        p->work -= work;
        return true;
    }
    etl_walk_fail(p, event, findings, ETL_RULE_MET_004, p->metadata.fields_at);
    return false;
}

/*
 * Reads the description at `start` into p->field. `*after` is where the next one starts, `*work` the bytes that were read.
 * False at the end of the metadata.
 */
/*@ requires etl_payload_open(p) && \valid(after) && \valid(work) && \separated(p, after, work);
  @ assigns p->field, *after, *work;
  @ ensures etl_payload_open(p);
  @ ensures \result && p->metadata.form == ETL_METADATA_FORM_TRACELOGGING ==> start < *after <= p->metadata.fields.size; */
static bool describe(etl_payload *p, uint32_t start, uint32_t *after, uint32_t *work)
{
    *after = start + 1;
    *work = 0;
    bool described = false;
    switch (p->metadata.form) {
    case ETL_METADATA_FORM_TRACELOGGING:
        described = etl_tracelogging_field(&p->metadata, start, &p->field, after);
        *work = *after - start;
        break;
    case ETL_METADATA_FORM_EVENT_INFO: described = etl_event_info_field(&p->metadata, start, &p->field, work); break;
    case ETL_METADATA_FORM_CLASSIC: described = etl_classic_field(&p->metadata, start, &p->field); break;
    }
    return described;
}

/* Reads the description at `*at`, and moves `*at` behind it. False, and `*at` stays, at the end of the metadata. MET-004 */
/*@ requires walk(p, event, findings) && \valid(at) && \separated(at, p, event, findings);
  @ assigns *at, p->field, p->work, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result && p->metadata.form == ETL_METADATA_FORM_TRACELOGGING ==>
  @   \old(*at) < *at <= p->metadata.fields.size; */
static bool read_field(etl_payload *p, const etl_event *event, uint32_t *at, etl_findings *findings)
{
    uint32_t after, work;
    if (!describe(p, *at, &after, &work))
        return false;
    if (p->metadata.form != ETL_METADATA_FORM_TRACELOGGING)
        p->field.at = p->at;
    *at = after;
    (void)afford(p, event, work, findings);
    return true;
}

/* Moves `*at` behind the descriptions of `count` members and of all members in them. Changes p->field. */
/*@ requires walk(p, event, findings) && \valid(at) && \separated(at, p, event, findings);
  @ requires p->metadata.form == ETL_METADATA_FORM_TRACELOGGING;
  @ assigns *at, p->field, p->work, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work); */
static void skip_fields(etl_payload *p, const etl_event *event, uint32_t count, uint32_t *at, etl_findings *findings)
{
    /*@ loop invariant etl_payload_open(p) && etl_list(findings) && p->work <= \at(p->work, Pre);
      @ loop invariant p->metadata.form == ETL_METADATA_FORM_TRACELOGGING;
      @ loop invariant p->metadata.fields.size == \at(p->metadata.fields.size, Pre);
      @ loop assigns left, *at, p->field, p->work, p->whole, *findings;
      @ loop variant \at(p->metadata.fields.size, Pre) - *at; */
    for (uint32_t left = count; left > 0 && read_field(p, event, at, findings) && p->whole; left--)
        left += p->field.members;
}

/* Moves `*at` behind the members of an array without elements. What does not fit is reported when it is read itself. */
/*@ requires walk(p, event, findings) && \valid(at) && \separated(at, p, event, findings);
  @ requires p->metadata.form == ETL_METADATA_FORM_TRACELOGGING;
  @ assigns *at, p->field, p->work, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work); */
static void skip_members(etl_payload *p, const etl_event *event, uint32_t *at, etl_findings *findings)
{
    const etl_field array = p->field;
    skip_fields(p, event, array.members, at, findings);
    copy_field(&p->field, &array);
}

/* Properties that are the count or the size of others: not in TraceLogging metadata. */

/* Keeps the value of property `index`, which was read. A value of 2^32 - 1 counts as one less: both are too large. */
/*@ requires \valid(p) && etl_readable(p->value);
  @ assigns p->numbers[0 .. ETL_PAYLOAD_NUMBERS_MAX - 1]; */
static void remember(etl_payload *p, uint32_t index)
{
    uint32_t value;
    if (index < ETL_PAYLOAD_NUMBERS_MAX && etl_payload_number(p, &value))
        p->numbers[index] = value < UINT32_MAX ? value + 1 : value;
}

/* The members of a structure count for its own members only. */
/*@ requires \valid(p) && \valid_read(structure) && \separated(structure, &p->numbers[0 .. ETL_PAYLOAD_NUMBERS_MAX - 1]);
  @ assigns p->numbers[0 .. ETL_PAYLOAD_NUMBERS_MAX - 1]; */
static void forget(etl_payload *p, const etl_field *structure)
{
    if (p->metadata.form == ETL_METADATA_FORM_TRACELOGGING)
        return;
    /*@ loop invariant 0 <= n <= structure->members;
      @ loop assigns n, p->numbers[0 .. ETL_PAYLOAD_NUMBERS_MAX - 1];
      @ loop variant structure->members - n; */
    for (uint32_t n = 0; n < structure->members && structure->members_at + n < ETL_PAYLOAD_NUMBERS_MAX; n++)
        p->numbers[structure->members_at + n] = 0;
}

/* The value of property `index`; MET-006, and the index, if it was not read before as an integer. */
/*@ requires walk(p, event, findings);
  @ assigns p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings); */
static uint32_t look_up(etl_payload *p, const etl_event *event, uint32_t index, etl_findings *findings)
{
    if (!p->whole)
        return index;
    if (index < ETL_PAYLOAD_NUMBERS_MAX && p->numbers[index] > 0)
        return p->numbers[index] - 1;
    etl_walk_fail(p, event, findings, ETL_RULE_MET_006, p->at);
    etl_walk_expect(findings, ETL_RELATION_KNOWN, 0, index);
    return index;
}

/*@ requires walk(p, event, findings);
  @ assigns p->field, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings); */
static void look_up_numbers(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (p->field.count_form == ETL_COUNT_FORM_PROPERTY)
        p->field.count = look_up(p, event, p->field.count, findings);
    if (p->field.size_form == ETL_SIZE_FORM_PROPERTY)
        p->field.size = look_up(p, event, p->field.size, findings);
}

/* The innermost array or structure ends, or the payload. */
/*@ requires etl_payload_open(p);
  @ assigns *p;
  @ ensures etl_payload_open(p) && p->depth <= \old(p->depth) && p->work == \old(p->work);
  @ ensures \result == ETL_PAYLOAD_END || (\result == ETL_PAYLOAD_CLOSE && p->depth < \old(p->depth)); */
static etl_payload_step close_level(etl_payload *p)
{
    const etl_payload_level *level = top(p);
    if (p->depth == 1)
        return ETL_PAYLOAD_END;
    p->offset = level->start;
    p->size = p->at - p->offset;
    p->depth--;
    if (p->metadata.form == ETL_METADATA_FORM_TRACELOGGING)
        top(p)->next = level->next; /* what follows the last member follows the structure */
    if (!level->elements)
        forget(p, &level->field);
    return ETL_PAYLOAD_CLOSE;
}

/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth);
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_value(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    etl_walk_take_value(p, event, findings);
    if (!p->whole)
        return close_level(p);
    p->offset = p->at;
    p->at += p->size;
    return ETL_PAYLOAD_VALUE;
}

/* Arrays and structures. */

/* True if there is room for another level; MET-003 otherwise. */
/*@ requires walk(p, event, findings);
  @ assigns p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings) && (\result ==> p->depth <= ETL_PAYLOAD_DEPTH_MAX); */
static bool has_room(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (p->depth > ETL_PAYLOAD_DEPTH_MAX) {
        etl_walk_fail(p, event, findings, ETL_RULE_MET_003, p->field.at);
        etl_walk_expect(findings, ETL_RELATION_AT_MOST, ETL_PAYLOAD_DEPTH_MAX, ETL_PAYLOAD_DEPTH_MAX + 1);
        return false;
    }
    return true;
}

/*@ requires \valid(level) && \valid_read(field) && \separated(level, field);
  @ assigns *level; */
static void fill(etl_payload_level *level, const etl_field *field, bool elements, uint32_t left, uint32_t next,
                 uint32_t start)
{
    copy_field(&level->field, field);
    level->elements = elements;
    level->left = left;
    level->next = next;
    level->start = start;
}

/* Opens a level for p->field. */
/*@ requires etl_payload_open(p) && p->depth <= ETL_PAYLOAD_DEPTH_MAX;
  @ assigns *p;
  @ ensures etl_payload_open(p) && p->depth == \old(p->depth) + 1 && p->work == \old(p->work); */
static void open_level(etl_payload *p, bool elements, uint32_t left, uint32_t next, uint32_t start)
{
    p->depth++;
    fill(top(p), &p->field, elements, left, next, start);
}

/* True if p->field has members; MET-002 otherwise. */
/*@ requires walk(p, event, findings);
  @ assigns p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings); */
static bool has_members(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (p->field.members == 0) {
        etl_walk_fail(p, event, findings, ETL_RULE_MET_002, p->field.at);
        etl_walk_expect(findings, ETL_RELATION_AT_LEAST, 1, 0);
        return false;
    }
    return true;
}

/* Opens p->field, a structure. */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step open_structure(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (!has_members(p, event, findings) || !has_room(p, event, findings))
        return close_level(p);
    open_level(p, false, p->field.members, p->field.members_at, p->at);
    return ETL_PAYLOAD_STRUCT;
}

/* Pointers up to the end of the payload. Only classic events have them: their pointers have a size. */
/*@ requires etl_payload_open(p) && \valid_read(event) && etl_readable(event->bytes);
  @ assigns \nothing; */
static uint32_t rest_of(const etl_payload *p, const etl_event *event)
{
    const uint32_t size = etl_event_pointer_size(event);
    return size != 0 ? (p->end - p->at) / size : 0;
}

/* Reads the number of elements in front of them. False if the payload ends before it does. */
/*@ requires walk(p, event, findings) && \valid(count) && \separated(count, p, event, findings);
  @ assigns *count, p->at, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings); */
static bool read_count(etl_payload *p, const etl_event *event, uint32_t *count, etl_findings *findings)
{
    if (!etl_walk_fits(p, event, COUNT_SIZE, findings))
        return false;
    *count = etl_load_u16(event->bytes, p->at);
    p->at += COUNT_SIZE;
    return true;
}

/* Sets the number of elements of p->field, an array. False if it is not known, or if the payload ends before it. MET-005 */
/*@ requires walk(p, event, findings) && \valid(count) && \separated(count, p, event, findings);
  @ assigns *count, p->field, p->at, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings); */
static bool count_elements(etl_payload *p, const etl_event *event, uint32_t *count, etl_findings *findings)
{
    if (p->field.count_form == ETL_COUNT_FORM_STORED)
        return read_count(p, event, count, findings);
    if (p->field.count_form == ETL_COUNT_FORM_REST)
        p->field.count = rest_of(p, event);
    else if (p->field.count_form == ETL_COUNT_FORM_CUSTOM)
        etl_walk_fail(p, event, findings, ETL_RULE_MET_005, p->field.at);
    *count = p->field.count;
    return p->whole;
}

/* As count_elements(); and moves `*after` behind the members of an array without elements. */
/*@ requires walk(p, event, findings) && \valid(count) && \valid(after);
  @ requires \separated(count, after, p, event, findings);
  @ assigns *count, *after, p->field, p->at, p->work, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work); */
static bool begin_array(etl_payload *p, const etl_event *event, uint32_t *count, uint32_t *after, etl_findings *findings)
{
    if (!count_elements(p, event, count, findings))
        return false;
    if (*count == 0 && p->metadata.form == ETL_METADATA_FORM_TRACELOGGING)
        skip_members(p, event, after, findings);
    return p->whole;
}

/* Opens p->field, an array. */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step open_array(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const uint32_t start = p->at;
    uint32_t count, after = top(p)->next;
    if (!begin_array(p, event, &count, &after, findings) || !has_room(p, event, findings))
        return close_level(p);
    open_level(p, true, count, after, start);
    return ETL_PAYLOAD_ARRAY;
}

/* The metadata ends: of the event itself, or before all members of a structure. */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth);
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step end_metadata(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_payload_level *level = top(p);
    const uint32_t described = level->field.members - 1u - level->left;
    if (level->next < p->metadata.fields.size) {
        p->whole = false; /* the description does not fit: PAY-001 of the item */
    } else if (p->depth > 1) {
        etl_walk_fail(p, event, findings, ETL_RULE_MET_002, level->field.at);
        etl_walk_expect(findings, ETL_RELATION_AT_MOST, described, level->field.members);
    }
    return close_level(p);
}

/* Reads what p->field describes. `index`: of the field among those of its metadata, unless that is TraceLogging's. */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_described(etl_payload *p, const etl_event *event, uint32_t index, etl_findings *findings)
{
    if (p->field.count_form != ETL_COUNT_FORM_SINGLE)
        return open_array(p, event, findings);
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, findings);
    const etl_payload_step step = read_value(p, event, findings);
    if (step == ETL_PAYLOAD_VALUE && p->metadata.form != ETL_METADATA_FORM_TRACELOGGING)
        remember(p, index);
    return step;
}

/* Reads what p->field describes, unless it is optional and the payload ends. `next`: the field behind it. */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_present(etl_payload *p, const etl_event *event, uint32_t next, etl_findings *findings)
{
    etl_payload_level *level = top(p);
    level->next = next;
    if (p->field.optional && p->at == p->end) {
        level->left = 0;
        return close_level(p);
    }
    look_up_numbers(p, event, findings);
    return p->whole ? read_described(p, event, next - 1, findings) : close_level(p);
}

/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_member(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    uint32_t next = top(p)->next;
    if (!read_field(p, event, &next, findings))
        return end_metadata(p, event, findings);
    return read_present(p, event, next, findings);
}

/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_element(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    copy_field(&p->field, &top(p)->field);
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, findings);
    return read_value(p, event, findings);
}

/* Counts a step of the innermost level. False at its end, or if the payload ends. MET-004 */
/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->depth == \old(p->depth);
  @ ensures p->work == \old(p->work) - (\result ? STEP_WORK : 0); */
static bool advance(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    etl_payload_level *level = top(p);
    if (!p->whole || level->left == 0 || !afford(p, event, STEP_WORK, findings))
        return false;
    level->left--;
    return true;
}

/*@ requires walk(p, event, findings);
  @ assigns *p, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->work <= \old(p->work);
  @ ensures \result != ETL_PAYLOAD_END ==> p->depth <= \old(p->depth) + 1;
  @ ensures \result == ETL_PAYLOAD_VALUE ==> etl_readable(p->value); */
static etl_payload_step read_next(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    return top(p)->elements ? read_element(p, event, findings) : read_member(p, event, findings);
}

etl_payload_step etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings)
{
    return advance(payload, event, findings) ? read_next(payload, event, findings) : close_level(payload);
}

bool etl_payload_number(const etl_payload *payload, uint32_t *number)
{
    switch (payload->field.in_type) {
    case ETL_IN_TYPE_INT8:
    case ETL_IN_TYPE_UINT8: *number = etl_load_u8(payload->value, 0); return true;
    case ETL_IN_TYPE_INT16:
    case ETL_IN_TYPE_UINT16: *number = etl_load_u16(payload->value, 0); return true;
    case ETL_IN_TYPE_INT32:
    case ETL_IN_TYPE_UINT32:
    case ETL_IN_TYPE_HEXINT32: *number = etl_load_u32(payload->value, 0); return true;
    default: return false;
    }
}
