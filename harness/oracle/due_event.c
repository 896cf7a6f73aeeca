/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that the first bytes of an event call for: about its marker, type and Size, and about the parts of its
 * header. Called by due_step.c and due_gap.c, and by targets of single events.
 */
#include "due.h"
#include "event_bytes.h"
#include "input_bytes.h"

static etl_finding finding_at(const oracle_due_event *e, etl_rule rule, uint32_t place)
{
    etl_finding finding = oracle_due_at(rule, e->space, e->offset + place);
    finding.buffer = e->buffer;
    finding.event = e->index;
    return finding;
}

static void expect(oracle_due *due, const oracle_due_event *e, etl_rule rule, uint32_t place, etl_relation relation,
                   uint64_t expected, uint64_t actual)
{
    etl_finding finding = finding_at(e, rule, place);
    oracle_due_values(&finding, relation, expected, actual);
    oracle_due_expect(due, &finding);
}

/* The rest of the event cannot be read. */
static void expect_rest_lost(oracle_due *due, etl_finding finding, uint64_t lost)
{
    finding.action = ETL_ACTION_SKIP_REST;
    finding.lost = lost;
    oracle_due_expect(due, &finding);
}

/* A Size that no event of this form can have here. */
static etl_finding wrong_size(const oracle_due_event *e, const oracle_event_form *form)
{
    const uint32_t rest = e->extent - e->at;
    etl_finding finding = finding_at(e, ETL_RULE_SIZ_002, form->size_at);
    if (form->size >= form->least) {
        oracle_due_values(&finding, ETL_RELATION_AT_MOST, rest, form->size);
        return finding;
    }
    finding.rule = form->size == 0 ? ETL_RULE_SIZ_003 : ETL_RULE_SIZ_001;
    oracle_due_values(&finding, ETL_RELATION_AT_LEAST, form->least, form->size);
    return finding;
}

/* The finding about an event without published layout, whether it is framed or not. */
static etl_finding opaque(const oracle_due_event *e, const oracle_event_form *form)
{
    const bool fits = form->size >= form->least && form->size <= e->extent - e->at;
    if (form->wnode) {
        etl_finding finding = finding_at(e, ETL_RULE_MRK_002, 0);
        oracle_due_values(&finding, ETL_RELATION_AT_LEAST, UINT64_C(0x80000000), oracle_raw_u32(e->data.at + e->at));
        return finding;
    }
    if (form->stored && !e->framed && !fits)
        return wrong_size(e, form);
    etl_finding finding = finding_at(e, ETL_RULE_TYP_008, ETL_AT(OPAQUE_HEADER, HeaderType));
    if (form->stored)
        finding.rule = e->framed ? ETL_RULE_TYP_001 : ETL_RULE_SIZ_007;
    oracle_due_values(&finding, ETL_RELATION_KNOWN, 0, form->type);
    return finding;
}

static etl_finding refusal(const oracle_due_event *e, const oracle_event_form *form)
{
    if (form->layout == ETL_LAYOUT_OPAQUE)
        return opaque(e, form);
    if (form->layout != ETL_LAYOUT_COUNT)
        return wrong_size(e, form);
    etl_finding finding = finding_at(e, ETL_RULE_MRK_003, ETL_AT(OPAQUE_HEADER, MarkerFlags));
    oracle_due_values(&finding, ETL_RELATION_KNOWN, 0, e->data.at[e->at + 3]);
    return finding;
}

/* A PERFINFO header is followed by a PEBS index and by counters, eight bytes each. */
static void due_counters(oracle_due *due, const oracle_due_event *e, const oracle_event_form *form)
{
    const uint8_t high = e->data.at[e->at + 1];
    const uint32_t counters = 8u * (high % 8 + high / 0x80), rest = form->size - form->header;
    if (counters <= rest)
        return;
    etl_finding finding = finding_at(e, ETL_RULE_TYP_006, ETL_AT(PERFINFO_TRACE_HEADER, Version));
    oracle_due_values(&finding, ETL_RELATION_AT_MOST, rest, counters);
    expect_rest_lost(due, finding, rest);
}

static void due_message(oracle_due *due, const oracle_due_event *e, const oracle_event_form *form)
{
    const uint32_t options_at = ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags);
    const uint16_t options = oracle_raw_u16(e->data.at + e->at + options_at);
    const oracle_message_places places = oracle_message_places_of(options, form->size);
    if ((options & 0xC0) == 0xC0)
        expect(due, e, ETL_RULE_MSG_004, options_at, ETL_RELATION_NOT, 0xC0, 0xC0);
    if (options > 0xFF)
        expect(due, e, ETL_RULE_MSG_005, options_at, ETL_RELATION_BITS_WITHIN, 0xFF, options);
    if (places.size <= form->size)
        return;
    etl_finding finding = finding_at(e, ETL_RULE_MSG_001, 0);
    oracle_due_values(&finding, ETL_RELATION_AT_LEAST, places.size, form->size);
    expect_rest_lost(due, finding, form->size - places.fits);
}

static void due_parts(oracle_due *due, const oracle_due_event *e, const oracle_event_form *form)
{
    switch (form->layout) {
    case ETL_LAYOUT_PERFINFO: due_counters(due, e, form); break;
    case ETL_LAYOUT_MESSAGE: due_message(due, e, form); break;
    case ETL_LAYOUT_COMPACT:
        if (!e->context.compact_allowed)
            expect(due, e, ETL_RULE_TYP_004, ETL_AT(COMPACT_TRACE_HEADER, HeaderType), ETL_RELATION_NONE, 0, 0);
        break;
    case ETL_LAYOUT_EVENT:
        if (oracle_raw_u16(e->data.at + e->at + ETL_AT(EVENT_HEADER, Flags)) & ETL_EVENT_FLAG_EXTENDED_INFO)
            oracle_due_items(due, e, form->header, form->size);
        break;
    default: break;
    }
}

void oracle_due_frame(oracle_due *due, const oracle_due_event *e, uint64_t lost, etl_action action)
{
    const oracle_event_form form = oracle_event_form_of(e->data.at + e->at, &e->context);
    if (!e->framed) {
        etl_finding finding = refusal(e, &form);
        finding.lost = lost;
        finding.action = action;
        oracle_due_expect(due, &finding);
    } else if (form.layout == ETL_LAYOUT_OPAQUE) {
        const etl_finding finding = opaque(e, &form);
        oracle_due_expect(due, &finding);
    } else {
        due_parts(due, e, &form);
    }
}
