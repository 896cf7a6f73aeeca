/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value takes of the payload: a fixed size, up to a NUL, or as many bytes as a count in front of it says.
 */
#include "values.h"

#include "types.h"

/* A SID has eight bytes and 0 to 15 sub-authorities of four. Source: winnt.h. */
enum { SID_FIXED = 8, SID_SUB_AUTHORITY = 4, SID_COUNT_AT = 1, SID_COUNT_MAX = 15 };

/*@ predicate value_at{L}(etl_payload *p, etl_event *event, etl_span rest, etl_findings *findings) =
  @   walk(p, event, findings) && etl_readable(rest) && rest.size <= p->end - p->at; */

void etl_walk_fail(etl_payload *p, const etl_event *event, etl_findings *findings, etl_rule rule, uint32_t at)
{
    (void)etl_report_event(findings, rule, event, at);
    p->whole = false;
}

void etl_walk_expect(etl_findings *findings, etl_relation relation, uint64_t expected, uint64_t actual)
{
    etl_expect(&findings->at[findings->count - 1u], relation, expected, actual);
}

bool etl_walk_fits(etl_payload *p, const etl_event *event, uint32_t size, etl_findings *findings)
{
    const uint32_t left = p->end - p->at;
    if (size <= left)
        return true;
    etl_walk_fail(p, event, findings, ETL_RULE_PAY_007, p->at);
    etl_walk_expect(findings, ETL_RELATION_AT_LEAST, size, left);
    return false;
}

/* Each of these sets value and size, or ends the walk. */

/*@ requires etl_payload_open(p) && etl_readable(rest) && before + size <= UINT32_MAX;
  @ assigns p->value, p->size;
  @ ensures etl_payload_open(p) && etl_readable(p->value) && p->size == before + size; */
static void take(etl_payload *p, etl_span rest, uint32_t before, uint32_t size)
{
    p->value = etl_span_part(rest, before, size);
    p->size = before + size;
}

/* Whole units of `unit` bytes up to a NUL, or to the end. */
/*@ requires etl_readable(bytes) && 1 <= unit <= 2;
  @ assigns \nothing;
  @ ensures etl_readable(\result) && \result.size <= bytes.size; */
static etl_span text_of(etl_span bytes, uint32_t unit)
{
    size_t size = 0;
    /*@ loop invariant 0 <= size <= bytes.size;
      @ loop assigns size;
      @ loop variant bytes.size - size; */
    while (etl_span_has(bytes, size, unit) && (unit == 2 ? etl_load_u16(bytes, size) : etl_load_u8(bytes, size)) != 0)
        size += unit;
    return etl_span_first(bytes, size);
}

/* A string up to its NUL, or to the end of the payload. */
/*@ requires value_at(p, event, rest, findings) && 1 <= unit <= 2;
  @ assigns p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures taken(p); */
static void take_text(etl_payload *p, const etl_event *event, etl_span rest, uint32_t unit, etl_findings *findings)
{
    if (!etl_walk_fits(p, event, unit, findings))
        return;
    take(p, rest, 0, (uint32_t)text_of(rest, unit).size);
    if (etl_span_has(rest, p->size, unit))
        p->size += unit;
}

/*@ requires value_at(p, event, rest, findings);
  @ assigns p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures taken(p); */
static void take_fixed(etl_payload *p, const etl_event *event, etl_span rest, uint32_t size, etl_findings *findings)
{
    if (etl_walk_fits(p, event, size, findings))
        take(p, rest, 0, size);
}

/*@ requires value_at(p, event, rest, findings);
  @ assigns p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures taken(p); */
static void take_counted(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t size = etl_load_u16(rest, 0);
    if (etl_walk_fits(p, event, COUNT_SIZE, findings) && etl_walk_fits(p, event, COUNT_SIZE + size, findings))
        take(p, rest, COUNT_SIZE, size);
}

/*@ requires value_at(p, event, rest, findings);
  @ assigns p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures taken(p); */
static void take_sid(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint8_t count = etl_load_u8(rest, SID_COUNT_AT);
    if (!etl_walk_fits(p, event, SID_FIXED, findings))
        return;
    if (count > SID_COUNT_MAX) {
        etl_walk_fail(p, event, findings, ETL_RULE_PAY_008, p->at + SID_COUNT_AT);
        etl_walk_expect(findings, ETL_RELATION_AT_MOST, SID_COUNT_MAX, count);
        return;
    }
    take_fixed(p, event, rest, SID_FIXED + SID_SUB_AUTHORITY * (uint32_t)count, findings);
}

/* A value whose size the field has. A string ends at its first NUL, if it has one. */
/*@ requires value_at(p, event, rest, findings);
  @ assigns p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures taken(p); */
static void take_sized(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t unit = p->field.in_type == ETL_IN_TYPE_UNICODESTRING ? 2 : 1;
    const uint32_t units = p->field.size;
    const uint32_t size = units <= UINT32_MAX / unit ? units * unit : UINT32_MAX;
    if (!etl_walk_fits(p, event, size, findings))
        return;
    take(p, rest, 0, size);
    if (p->field.in_type != ETL_IN_TYPE_BINARY)
        p->value = text_of(p->value, unit);
}

/* A SID behind `token` bytes. */
/*@ requires value_at(p, event, rest, findings);
  @ assigns p->at, p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->at == \old(p->at);
  @ ensures p->whole ==> etl_readable(p->value);
  @ ensures p->whole ==> p->size <= p->end - p->at; */
static void take_token_sid(etl_payload *p, const etl_event *event, etl_span rest, uint32_t token, etl_findings *findings)
{
    const uint32_t start = p->at;
    if (!etl_walk_fits(p, event, token, findings))
        return;
    p->at += token;
    take_sid(p, event, etl_span_from(rest, token), findings);
    /*@ assert p->at == start + token; */
    /*@ assert p->whole ==> token + p->size <= p->end - start; */
    p->at = start;
    p->size += token;
}

/*@ requires value_at(p, event, rest, findings);
  @ assigns p->at, p->value, p->size, p->whole, *findings;
  @ ensures etl_payload_open(p);
  @ ensures etl_list(findings);
  @ ensures p->at == \old(p->at);
  @ ensures taken(p); */
static void take_wbemsid(etl_payload *p, const etl_event *event, etl_span rest, etl_findings *findings)
{
    const uint32_t token = 2u * etl_event_pointer_size(event);
    if (!etl_walk_fits(p, event, 4, findings))
        return;
    if (etl_load_u32(rest, 0) == 0)
        take(p, rest, 4, 0);
    else
        take_token_sid(p, event, rest, token, findings);
}

void etl_walk_take_value(etl_payload *p, const etl_event *event, etl_findings *findings)
{
    const etl_in_type_row type = etl_in_type_get(p->field.in_type);
    const etl_span rest = etl_span_part(event->bytes, p->at, p->end - p->at);
    if (p->field.size_form != ETL_SIZE_FORM_TYPE) {
        take_sized(p, event, rest, findings);
        return;
    }
    switch (type.form) {
    case ETL_VALUE_FORM_FIXED: take_fixed(p, event, rest, type.size, findings); return;
    case ETL_VALUE_FORM_POINTER: take_fixed(p, event, rest, etl_event_pointer_size(event), findings); return;
    case ETL_VALUE_FORM_UTF16Z: take_text(p, event, rest, 2, findings); return;
    case ETL_VALUE_FORM_ANSIZ: take_text(p, event, rest, 1, findings); return;
    case ETL_VALUE_FORM_COUNTED: take_counted(p, event, rest, findings); return;
    case ETL_VALUE_FORM_SID: take_sid(p, event, rest, findings); return;
    case ETL_VALUE_FORM_WBEMSID: take_wbemsid(p, event, rest, findings); return;
    case ETL_VALUE_FORM_NONE:
    case ETL_VALUE_FORM_STRUCT: break;
    }
    etl_walk_fail(p, event, findings, ETL_RULE_MET_001, p->field.at);
    etl_walk_expect(findings, ETL_RELATION_KNOWN, 0, p->field.in_type);
}
