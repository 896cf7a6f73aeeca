/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the fields of a payload and their metadata side by side, with a stack for arrays and structures. Called for each
 * event that carries metadata.
 */
#include "etlproof/payload.h"

#include "metadata.h"
#include "report.h"
#include "span.h"
#include "types.h"

/* MET-004: a step counts as STEP_WORK, a byte of metadata as 1. */
enum { STEP_WORK = 8, WORK_FACTOR = 128, WORK_LEAST = 1024 };

/* A SID has eight bytes and 0 to 15 sub-authorities of four. Source: winnt.h. */
enum { SID_FIXED = 8, SID_SUB_AUTHORITY = 4, SID_COUNT_AT = 1, SID_COUNT_MAX = 15 };

/* Bytes of the count in front of a value or an array. */
enum { COUNT_SIZE = 2 };

static etl_payload_level *top(etl_payload *p)
{
    return &p->levels[p->depth - 1];
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

void etl_payload_init(etl_payload *payload, const etl_event *event, const etl_metadata *metadata)
{
    *payload = (etl_payload){0};
    payload->metadata = *metadata;
    payload->at = event->header_size + event->items_size;
    payload->end = payload->at + event->data_size;
    payload->work = WORK_LEAST + WORK_FACTOR * event->size;
    payload->whole = true;
    payload->depth = 1;
    payload->levels[0] = (etl_payload_level){.left = UINT32_MAX};
    if (metadata->form != ETL_METADATA_FORM_TRACELOGGING) {
        payload->metadata.fields_at = payload->at; /* findings cannot point to the description */
        payload->levels[0].left = metadata->fields_count;
    }
}

/* Ends the payload: nothing is left of all that is open. */
static void stop(etl_payload *p)
{
    p->whole = false;
    for (uint32_t i = 0; i < p->depth; i++)
        p->levels[i].left = 0;
}

/* Ends it with a finding about the metadata or the payload, whose bytes are not lost: they have no field. */
static void fail(etl_payload *p, const etl_event *event, etl_findings *findings, etl_rule rule, uint32_t at)
{
    (void)etl_report_event(findings, rule, event, at);
    stop(p);
}

static void expect(etl_findings *findings, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_expect(&findings->at[findings->count - 1u], relation, expected, actual);
}

/* True if `size` bytes are left; PAY-007 otherwise. */
static bool fits(etl_payload *p, const etl_event *event, uint32_t size, etl_findings *findings)
{
    const uint32_t left = p->end - p->at;
    if (size <= left)
        return true;
    fail(p, event, findings, ETL_RULE_PAY_007, p->at);
    expect(findings, ETL_RELATION_AT_LEAST, size, left);
    return false;
}

/* Takes off `work`; MET-004 if nothing is left of it. */
static bool afford(etl_payload *p, const etl_event *event, uint32_t work, etl_findings *findings)
{
    if (work <= p->work) {
        p->work -= work;
        return true;
    }
    fail(p, event, findings, ETL_RULE_MET_004, p->metadata.fields_at);
    return false;
}

/*
 * Reads the description at `*at`, and moves `*at` behind it. False, and nothing is read, at the end of the metadata.
 * MET-004
 */
static bool read_field(etl_payload *p, const etl_event *event, uint32_t *at, etl_field *field, etl_findings *findings)
{
    const uint32_t start = *at;
    uint32_t work = 0;
    bool described = false;
    *at = start + 1;
    switch (p->metadata.form) {
    case ETL_METADATA_FORM_TRACELOGGING:
        described = etl_tracelogging_field(&p->metadata, start, field, at);
        work = *at - start;
        break;
    case ETL_METADATA_FORM_EVENT_INFO: described = etl_event_info_field(&p->metadata, start, field, &work); break;
    case ETL_METADATA_FORM_CLASSIC: described = etl_classic_field(&p->metadata, start, field); break;
    }
    if (!described) {
        *at = start;
        return false;
    }
    if (p->metadata.form != ETL_METADATA_FORM_TRACELOGGING)
        field->at = p->at;
    (void)afford(p, event, work, findings);
    return true;
}

/* Moves `*at` behind the members of an array without elements. What does not fit is reported when it is read itself. */
static void skip_members(etl_payload *p, const etl_event *event, uint32_t *at, etl_findings *findings)
{
    etl_field member;
    for (uint32_t left = p->field.members; left > 0 && read_field(p, event, at, &member, findings) && p->whole; left--)
        left += member.members;
}

/* Properties that are the count or the size of others: not in TraceLogging metadata. */

/* Keeps the value of property `index`, which was read. A value of 2^32 - 1 counts as one less: both are too large. */
static void remember(etl_payload *p, uint32_t index)
{
    uint32_t value;
    if (index < ETL_PAYLOAD_NUMBERS_MAX && etl_payload_number(p, &value))
        p->numbers[index] = value < UINT32_MAX ? value + 1 : value;
}

/* The members of a structure count for its own members only. */
static void forget(etl_payload *p, const etl_field *structure)
{
    if (p->metadata.form == ETL_METADATA_FORM_TRACELOGGING)
        return;
    for (uint32_t n = 0; n < structure->members && structure->members_at + n < ETL_PAYLOAD_NUMBERS_MAX; n++)
        p->numbers[structure->members_at + n] = 0;
}

/* Replaces the index of a property by its value; MET-006 if it was not read before as an integer. */
static void look_up(etl_payload *p, const etl_event *event, uint32_t *number, etl_findings *findings)
{
    const uint32_t index = *number;
    if (!p->whole)
        return;
    if (index < ETL_PAYLOAD_NUMBERS_MAX && p->numbers[index] > 0) {
        *number = p->numbers[index] - 1;
        return;
    }
    fail(p, event, findings, ETL_RULE_MET_006, p->at);
    expect(findings, ETL_RELATION_KNOWN, 0, index);
}

static void look_up_numbers(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (p->field.count_form == ETL_COUNT_FORM_PROPERTY)
        look_up(p, event, &p->field.count, findings);
    if (p->field.size_form == ETL_SIZE_FORM_PROPERTY)
        look_up(p, event, &p->field.size, findings);
}

/* The innermost array or structure ends, or the payload. */
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

/* Values. Each function sets value and size, or ends the payload. */

static void take(etl_payload *p, etl_span rest, uint32_t before, uint32_t size)
{
    p->value = etl_span_part(rest, before, size);
    p->size = before + size;
}

/* Whole units of `unit` bytes up to a NUL, or to the end. */
static etl_span text_of(etl_span bytes, uint32_t unit)
{
    size_t size = 0;
    while (etl_span_has(bytes, size, unit) && (unit == 2 ? etl_load_u16(bytes, size) : etl_load_u8(bytes, size)) != 0)
        size += unit;
    return etl_span_first(bytes, size);
}

/* A string up to its NUL, or to the end of the payload. */
static void take_text(etl_payload *p, const etl_event *event, etl_span rest, uint32_t unit, etl_findings *findings)
{
    if (!fits(p, event, unit, findings))
        return;
    take(p, rest, 0, (uint32_t)text_of(rest, unit).size);
    if (etl_span_has(rest, p->size, unit))
        p->size += unit;
}

static void take_fixed(etl_payload *p, const etl_event *event, etl_span rest, uint32_t size, etl_findings *findings)
{
    if (fits(p, event, size, findings))
        take(p, rest, 0, size);
}

static void take_counted(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t size = etl_load_u16(rest, 0);
    if (fits(p, event, COUNT_SIZE, findings) && fits(p, event, COUNT_SIZE + size, findings))
        take(p, rest, COUNT_SIZE, size);
}

static void take_sid(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint8_t count = etl_load_u8(rest, SID_COUNT_AT);
    if (!fits(p, event, SID_FIXED, findings))
        return;
    if (count > SID_COUNT_MAX) {
        fail(p, event, findings, ETL_RULE_PAY_008, p->at + SID_COUNT_AT);
        expect(findings, ETL_RELATION_AT_MOST, SID_COUNT_MAX, count);
        return;
    }
    take_fixed(p, event, rest, SID_FIXED + SID_SUB_AUTHORITY * (uint32_t)count, findings);
}

/* A value whose size the field has. A string ends at its first NUL, if it has one. */
static void take_sized(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t unit = p->field.in_type == ETL_IN_TYPE_UNICODESTRING ? 2 : 1;
    const uint32_t units = p->field.size;
    const uint32_t size = units <= UINT32_MAX / unit ? units * unit : UINT32_MAX;
    if (!fits(p, event, size, findings))
        return;
    take(p, rest, 0, size);
    if (p->field.in_type != ETL_IN_TYPE_BINARY)
        p->value = text_of(p->value, unit);
}

static void take_wbemsid(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t token = 2u * etl_event_pointer_size(event);
    if (!fits(p, event, 4, findings))
        return;
    if (etl_load_u32(rest, 0) == 0) {
        take(p, rest, 4, 0);
        return;
    }
    if (!fits(p, event, token, findings))
        return;
    p->at += token;
    take_sid(p, event, etl_span_from(rest, token), findings);
    p->at -= token;
    p->size += token;
}

static void take_value(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_in_type_row type = etl_in_type_get(p->field.in_type);
    const etl_span rest = etl_span_part(event->bytes, p->at, p->end - p->at);
    if (p->field.size_form != ETL_SIZE_FORM_TYPE) {
        take_sized(p, event, rest, findings);
        return;
    }
    switch (type.form) {
    case ETL_VALUE_FORM_FIXED: take_fixed(p, event, rest, type.size, findings); break;
    case ETL_VALUE_FORM_POINTER: take_fixed(p, event, rest, etl_event_pointer_size(event), findings); break;
    case ETL_VALUE_FORM_UTF16Z: take_text(p, event, rest, 2, findings); break;
    case ETL_VALUE_FORM_ANSIZ: take_text(p, event, rest, 1, findings); break;
    case ETL_VALUE_FORM_COUNTED: take_counted(p, event, rest, findings); break;
    case ETL_VALUE_FORM_SID: take_sid(p, event, rest, findings); break;
    case ETL_VALUE_FORM_WBEMSID: take_wbemsid(p, event, rest, findings); break;
    case ETL_VALUE_FORM_NONE:
    case ETL_VALUE_FORM_STRUCT:
        fail(p, event, findings, ETL_RULE_MET_001, p->field.at);
        expect(findings, ETL_RELATION_KNOWN, 0, p->field.in_type);
        break;
    }
}

static etl_payload_step read_value(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    take_value(p, event, findings);
    if (!p->whole)
        return close_level(p);
    p->offset = p->at;
    p->at += p->size;
    return ETL_PAYLOAD_VALUE;
}

/* Arrays and structures. */

/* Opens p->field; MET-003 if there is no room for it. */
static bool open_level(etl_payload *p, const etl_event *event, const etl_payload_level *level, etl_findings *findings)
{
    if (p->depth > ETL_PAYLOAD_DEPTH_MAX) {
        fail(p, event, findings, ETL_RULE_MET_003, p->field.at);
        expect(findings, ETL_RELATION_AT_MOST, ETL_PAYLOAD_DEPTH_MAX, ETL_PAYLOAD_DEPTH_MAX + 1);
        return false;
    }
    p->levels[p->depth++] = *level;
    return true;
}

/* Opens p->field, a structure. */
static etl_payload_step open_structure(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    if (p->field.members == 0) {
        fail(p, event, findings, ETL_RULE_MET_002, p->field.at);
        expect(findings, ETL_RELATION_AT_LEAST, 1, 0);
        return close_level(p);
    }
    const etl_payload_level level = {p->field, false, p->field.members, p->field.members_at, p->at};
    return open_level(p, event, &level, findings) ? ETL_PAYLOAD_STRUCT : close_level(p);
}

/* Opens p->field, an array. */
static etl_payload_step open_array(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const uint32_t start = p->at;
    uint32_t count = p->field.count, after = top(p)->next;
    if (p->field.count_form == ETL_COUNT_FORM_CUSTOM) {
        fail(p, event, findings, ETL_RULE_MET_005, p->field.at);
        return close_level(p);
    }
    if (p->field.count_form == ETL_COUNT_FORM_REST)
        p->field.count = count = (p->end - p->at) / etl_event_pointer_size(event);
    if (p->field.count_form == ETL_COUNT_FORM_STORED) {
        if (!fits(p, event, COUNT_SIZE, findings))
            return close_level(p);
        count = etl_load_u16(event->bytes, p->at);
        p->at += COUNT_SIZE;
    }
    if (count == 0 && p->metadata.form == ETL_METADATA_FORM_TRACELOGGING)
        skip_members(p, event, &after, findings);
    if (!p->whole)
        return close_level(p);
    const etl_payload_level level = {p->field, true, count, after, start};
    return open_level(p, event, &level, findings) ? ETL_PAYLOAD_ARRAY : close_level(p);
}

/* The metadata ends: of the event itself, or before all members of a structure. */
static etl_payload_step end_metadata(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_payload_level *level = top(p);
    const uint32_t described = level->field.members - 1u - level->left;
    if (level->next < p->metadata.fields.size) {
        stop(p); /* the description does not fit: PAY-001 of the item */
    } else if (p->depth > 1) {
        fail(p, event, findings, ETL_RULE_MET_002, level->field.at);
        expect(findings, ETL_RELATION_AT_MOST, described, level->field.members);
    }
    return close_level(p);
}

static etl_payload_step read_member(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    etl_payload_level *level = top(p);
    if (!read_field(p, event, &level->next, &p->field, findings))
        return end_metadata(p, event, findings);
    if (p->field.optional && p->at == p->end) {
        level->left = 0;
        return close_level(p);
    }
    look_up_numbers(p, event, findings);
    if (!p->whole)
        return close_level(p);
    if (p->field.count_form != ETL_COUNT_FORM_SINGLE)
        return open_array(p, event, findings);
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, findings);
    const etl_payload_step step = read_value(p, event, findings);
    if (step == ETL_PAYLOAD_VALUE && p->metadata.form != ETL_METADATA_FORM_TRACELOGGING)
        remember(p, level->next - 1);
    return step;
}

static etl_payload_step read_element(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_payload_level *level = top(p);
    p->field = level->field;
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, findings);
    return read_value(p, event, findings);
}

etl_payload_step etl_payload_next(etl_payload *payload, const etl_event *event, etl_findings *findings)
{
    etl_payload_level *level = top(payload);
    if (level->left == 0 || !afford(payload, event, STEP_WORK, findings))
        return close_level(payload);
    level->left--;
    return level->elements ? read_element(payload, event, findings) : read_member(payload, event, findings);
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
