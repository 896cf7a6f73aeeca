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
    if (!etl_metadata_field(&p->metadata, start, field, at))
        return false;
    (void)afford(p, event, *at - start, findings);
    return true;
}

/* Moves `*at` behind the members of an array without elements. What does not fit is reported when it is read itself. */
static void skip_members(etl_payload *p, const etl_event *event, uint32_t *at, etl_findings *findings)
{
    etl_field member;
    for (uint32_t left = p->field.members; left > 0 && read_field(p, event, at, &member, findings) && p->whole; left--)
        left += member.members;
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
    top(p)->next = level->next; /* what follows the last member follows the structure */
    return ETL_PAYLOAD_CLOSE;
}

/* Values. Each function sets value and size, or ends the payload. */

static void take(etl_payload *p, etl_span rest, uint32_t before, uint32_t size)
{
    p->value = etl_span_part(rest, before, size);
    p->size = before + size;
}

/* Units of `unit` bytes up to a NUL, or to the end of the payload. */
static void take_text(etl_payload *p, const etl_event *event, etl_span rest, uint32_t unit, etl_findings *findings)
{
    uint32_t size = 0;
    if (!fits(p, event, unit, findings))
        return;
    while (etl_span_has(rest, size, unit) && (unit == 2 ? etl_load_u16(rest, size) : etl_load_u8(rest, size)) != 0)
        size += unit;
    take(p, rest, 0, size);
    if (etl_span_has(rest, size, unit))
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

static void take_value(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_in_type_row type = etl_in_type_get(p->field.in_type);
    const etl_span rest = etl_span_part(event->bytes, p->at, p->end - p->at);
    switch (type.form) {
    case ETL_VALUE_FORM_FIXED: take_fixed(p, event, rest, type.size, findings); break;
    case ETL_VALUE_FORM_POINTER: take_fixed(p, event, rest, etl_event_pointer_size(event), findings); break;
    case ETL_VALUE_FORM_UTF16Z: take_text(p, event, rest, 2, findings); break;
    case ETL_VALUE_FORM_ANSIZ: take_text(p, event, rest, 1, findings); break;
    case ETL_VALUE_FORM_COUNTED: take_counted(p, event, rest, findings); break;
    case ETL_VALUE_FORM_SID: take_sid(p, event, rest, findings); break;
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

/* Opens p->field, whose first member is described at `members`. */
static etl_payload_step open_structure(etl_payload *p, const etl_event *event, uint32_t members, etl_findings *findings)
{
    if (p->field.members == 0) {
        fail(p, event, findings, ETL_RULE_MET_002, p->field.at);
        expect(findings, ETL_RELATION_AT_LEAST, 1, 0);
        return close_level(p);
    }
    const etl_payload_level level = {p->field, false, p->field.members, members, members, p->at};
    return open_level(p, event, &level, findings) ? ETL_PAYLOAD_STRUCT : close_level(p);
}

/* The same for an array; `members` counts if its elements are structures. */
static etl_payload_step open_array(etl_payload *p, const etl_event *event, uint32_t members, etl_findings *findings)
{
    const uint32_t start = p->at;
    uint32_t count = p->field.count;
    if (p->field.count_form == ETL_COUNT_FORM_CUSTOM) {
        fail(p, event, findings, ETL_RULE_MET_005, p->field.at);
        return close_level(p);
    }
    if (p->field.count_form == ETL_COUNT_FORM_STORED) {
        if (!fits(p, event, COUNT_SIZE, findings))
            return close_level(p);
        count = etl_load_u16(event->bytes, p->at);
        p->at += COUNT_SIZE;
    }
    if (count == 0)
        skip_members(p, event, &members, findings);
    if (!p->whole)
        return close_level(p);
    const etl_payload_level level = {p->field, true, count, members, members, start};
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
    if (!p->whole)
        return close_level(p);
    if (p->field.count_form != ETL_COUNT_FORM_SINGLE)
        return open_array(p, event, level->next, findings);
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, level->next, findings);
    return read_value(p, event, findings);
}

static etl_payload_step read_element(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_payload_level *level = top(p);
    p->field = level->field;
    if (p->field.in_type == ETL_IN_TYPE_STRUCT)
        return open_structure(p, event, level->members, findings);
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
