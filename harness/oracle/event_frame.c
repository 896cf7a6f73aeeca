/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks one call of etl_event_frame: against the first bytes of the event, against what a search decides about them, and
 * against the same bytes at another place. Called by targets of single events.
 */
#include "entry_points.h"
#include "event_bytes.h"
#include "input_bytes.h"
#include "step_checks.h"

static bool is_layer(const char *text, const char *const *layers)
{
    while (*layers && strcmp(*layers, text) != 0)
        layers++;
    return *layers != NULL;
}

bool oracle_call(oracle_watch *oracle, const etl_findings *findings, const char *const *layers, uint64_t from, uint64_t to)
{
    if (findings->overflow || findings->count > ETL_FINDINGS_MAX)
        return oracle_break(oracle, ORACLE_PROMISE_FINDING_COUNT, from);
    for (uint32_t i = 0; i < findings->count; i++) {
        const etl_finding *f = &findings->at[i];
        if (!oracle_rule_holds(f))
            return oracle_break(oracle, ORACLE_PROMISE_FINDING_RULE, f->offset);
        if (!is_layer(etl_rule_get(f->rule)->layer, layers))
            return oracle_break(oracle, ORACLE_PROMISE_FINDING_LAYER, f->offset);
        if (!oracle_condition(f->space == ETL_SPACE_FILE && f->offset >= from && f->offset <= to && f->lost <= to - from,
                         etl_rule_get(f->rule)->id))
            return oracle_break(oracle, ORACLE_PROMISE_FINDING_PLACE, f->offset);
    }
    return true;
}

/* Counters and PEBS index of a PERFINFO header, where the event is long enough for them. */
static uint32_t header_size_of(const uint8_t *b, const oracle_event_form *form)
{
    const uint32_t fixed = form->header;
    if (form->layout != ETL_LAYOUT_PERFINFO)
        return fixed;
    uint32_t extra = 8u * (b[1] % 8 + b[1] / 0x80);
    return extra <= form->size - fixed ? fixed + extra : fixed;
}

/* The event ends within the extent. */
static bool padding_holds(const oracle_framing *f)
{
    const uint32_t end = f->at + f->event.size;
    const uint64_t rest = f->data.size - end, full = (8 - end % 8) % 8;
    return f->event.padding == (rest < full ? rest : full);
}

/* Regions that the layout lacks are empty, and the header is as long as the layout says. For all layouts but MESSAGE. */
static bool header_holds(const etl_event *e, const uint8_t *b, const oracle_event_form *form)
{
    const uint8_t time_at = form->time_at;
    if (e->layout == ETL_LAYOUT_MESSAGE)
        return true;
    if (!ORACLE_HOLDS(e->header_size == header_size_of(b, form)) ||
        !ORACLE_HOLDS(e->has_time == (time_at != 0)) ||
        !ORACLE_HOLDS(e->time == (time_at ? oracle_raw_i64(b + time_at) : 0)))
        return false;
    const unsigned flags = oracle_raw_u16(b + ETL_AT(EVENT_HEADER, Flags));
    bool items = e->layout == ETL_LAYOUT_EVENT && flags & ETL_EVENT_FLAG_EXTENDED_INFO;
    return items || (e->items_size == 0 && (e->lost_size == 0 || e->layout == ETL_LAYOUT_PERFINFO));
}

static bool event_holds(const oracle_framing *f, const oracle_event_form *form)
{
    const etl_event *e = &f->event;
    const uint8_t *b = f->data.at + f->at;
    if (form->layout == ETL_LAYOUT_COUNT)
        return false;
    return ORACLE_HOLDS(e->layout == form->layout) && ORACLE_HOLDS(e->type == form->type) &&
           ORACLE_HOLDS(e->marker == b[3]) && ORACLE_HOLDS(e->size == form->size) && ORACLE_HOLDS(e->size >= form->least) &&
           ORACLE_HOLDS(e->size <= f->extent - f->at) && ORACLE_HOLDS(e->bytes.at == b && e->bytes.size == e->size) &&
           ORACLE_HOLDS(padding_holds(f)) && header_holds(e, b, form);
}

/* For an opaque event, the bytes that follow decide as well; for all others its size alone. */
static bool refusal_holds(const oracle_framing *f, const oracle_event_form *form)
{
    if (form->layout == ETL_LAYOUT_COUNT || form->layout == ETL_LAYOUT_OPAQUE)
        return true;
    return ORACLE_HOLDS(form->size < form->least || form->size > f->extent - f->at);
}

static bool reason_holds(const etl_findings *findings)
{
    return findings->count > 0 && etl_rule_get(findings->at[findings->count - 1].rule)->severity == ETL_SEVERITY_ERROR;
}

bool oracle_frame(oracle_watch *oracle, const oracle_framing *f)
{
    oracle_event_form form = {.layout = ETL_LAYOUT_COUNT};
    if (f->extent - f->at >= ETL_SIZE(OPAQUE_HEADER))
        form = oracle_event_form_of(f->data.at + f->at, &f->event.context);
    if (f->framed ? !event_holds(f, &form) : !refusal_holds(f, &form))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_FRAME, f->event.offset);
    if (!f->framed && !reason_holds(&f->findings))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_REASON, f->event.offset);
    return true;
}

/* A search has no context, so it reads an INSTANCE header in the shorter of its two forms. */
static bool is_short_instance(const oracle_framing *f)
{
    const oracle_event_form form = oracle_event_form_of(f->data.at + f->at, &f->event.context);
    return form.layout == ETL_LAYOUT_INSTANCE_GUID && form.size >= ETL_SIZE(EVENT_INSTANCE_HEADER) &&
           form.size < form.header;
}

bool oracle_plausible(oracle_watch *oracle, const oracle_framing *f, bool plausible)
{
    bool fits = f->extent - f->at >= ETL_SIZE(OPAQUE_HEADER);
    if (plausible && (!fits || (!f->framed && !is_short_instance(f))))
        return oracle_break(oracle, ORACLE_PROMISE_PLAUSIBLE, f->event.offset);
    return true;
}

static bool same_event(const etl_event *a, const etl_event *b, uint64_t shift)
{
    return a->index == b->index && a->buffer == b->buffer && a->offset + shift == b->offset && a->space == b->space &&
           a->size == b->size && a->header_size == b->header_size && a->items_size == b->items_size &&
           a->data_size == b->data_size && a->lost_size == b->lost_size && a->padding <= b->padding &&
           a->type == b->type && a->marker == b->marker && a->layout == b->layout && a->has_time == b->has_time &&
           a->time == b->time;
}

static bool same_finding(const etl_finding *a, const etl_finding *b, uint64_t shift)
{
    return a->rule == b->rule && a->action == b->action && a->relation == b->relation && a->space == b->space &&
           a->offset + shift == b->offset && a->lost == b->lost && a->buffer == b->buffer && a->event == b->event &&
           a->expected == b->expected && a->actual == b->actual;
}

bool oracle_same_frame(oracle_watch *oracle, const oracle_framing *one, const oracle_framing *other)
{
    const uint64_t shift = (uint64_t)other->at - one->at;
    bool same = one->framed == other->framed && one->findings.count == other->findings.count &&
                (!one->framed || same_event(&one->event, &other->event, shift));
    for (uint32_t i = 0; same && i < one->findings.count; i++)
        same = same_finding(&one->findings.at[i], &other->findings.at[i], shift);
    return same || oracle_break(oracle, ORACLE_PROMISE_SAME_FRAME, one->event.offset);
}
