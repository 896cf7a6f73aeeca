/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks one call of etl_event_frame: against the first bytes of the event, against what a search decides about them, and
 * against the same bytes at another place. Called by targets of single events.
 */
#include "entry_points.h"
#include "step_checks.h"
#include "input_bytes.h"

static const struct {
    uint8_t size, size_at, time_at;
} layouts[ETL_LAYOUT_COUNT] = {
#define ETL_LAYOUT(name, structure, time_at) [ETL_LAYOUT_##name] = {ETL_SIZE(structure), ETL_AT(structure, Size), time_at},
#include "format/layouts.def"
};

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

static const uint8_t type_layouts[ETL_HEADER_TYPE_COUNT] = {
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) [value] = ETL_LAYOUT_##layout,
#include "format/header_types.def"
};

/* The event layout of a header type under marker 0xC0; OPAQUE for types without layout, and for MESSAGE, which is not
   stored so. */
static etl_layout layout_of_type(uint8_t type, const etl_context *context)
{
    etl_layout layout = (etl_layout)type_layouts[type];
    if (layout == ETL_LAYOUT_INSTANCE && context->instance_guid)
        return ETL_LAYOUT_INSTANCE_GUID;
    return layout == ETL_LAYOUT_MESSAGE ? ETL_LAYOUT_OPAQUE : layout;
}

/* Header type and event layout by the third and fourth byte; layout COUNT if these bytes start no event. */
static etl_layout layout_of(const uint8_t *b, const etl_context *context, uint8_t *type)
{
    switch (b[3]) {
    case ETL_MARKER_EVENT_TRACE:
        *type = b[2];
        return layout_of_type(b[2], context);
    case ETL_MARKER_MESSAGE:
        *type = ETL_HEADER_TYPE_MESSAGE;
        return ETL_LAYOUT_MESSAGE;
    case ETL_MARKER_ULONG32_TIME:
        *type = ETL_HEADER_TYPE_TIMED;
        return ETL_LAYOUT_OPAQUE;
    default:
        *type = ETL_HEADER_TYPE_WNODE_HEADER;
        return b[3] & ETL_MARKER_FLAG_TRACE_HEADER_FLAG ? ETL_LAYOUT_COUNT : ETL_LAYOUT_OPAQUE;
    }
}

/* Whether the first dword is the size of a WNODE_HEADER. */
static bool is_wnode(const uint8_t *b)
{
    return !(b[3] & ETL_MARKER_FLAG_TRACE_HEADER_FLAG);
}

static uint32_t size_of(const uint8_t *b, etl_layout layout)
{
    return is_wnode(b) ? oracle_raw_u32(b) : oracle_raw_u16(b + layouts[layout].size_at);
}

/* Counters and PEBS index of a PERFINFO header, where the event is long enough for them. */
static uint32_t header_size_of(const uint8_t *b, etl_layout layout, uint32_t size)
{
    uint32_t fixed = layouts[layout].size;
    if (layout != ETL_LAYOUT_PERFINFO)
        return fixed;
    uint32_t extra = 8u * (b[1] % 8 + b[1] / 0x80);
    return extra <= size - fixed ? fixed + extra : fixed;
}

/* The event ends within the extent. */
static bool padding_holds(const oracle_framing *f)
{
    const uint32_t end = f->at + f->event.size;
    const uint64_t rest = f->data.size - end, full = (8 - end % 8) % 8;
    return f->event.padding == (rest < full ? rest : full);
}

/* Regions that the layout lacks are empty, and the header is as long as the layout says. For all layouts but MESSAGE. */
static bool header_holds(const etl_event *e, const uint8_t *b)
{
    const uint8_t time_at = layouts[e->layout].time_at;
    if (e->layout == ETL_LAYOUT_MESSAGE)
        return true;
    if (!ORACLE_HOLDS(e->header_size == header_size_of(b, e->layout, e->size)) ||
        !ORACLE_HOLDS(e->has_time == (time_at != 0)) ||
        !ORACLE_HOLDS(e->time == (time_at ? oracle_raw_i64(b + time_at) : 0)))
        return false;
    const unsigned flags = oracle_raw_u16(b + ETL_AT(EVENT_HEADER, Flags));
    bool items = e->layout == ETL_LAYOUT_EVENT && flags & ETL_EVENT_FLAG_EXTENDED_INFO;
    return items || (e->items_size == 0 && (e->lost_size == 0 || e->layout == ETL_LAYOUT_PERFINFO));
}

static bool event_holds(const oracle_framing *f, etl_layout layout, uint8_t type)
{
    const etl_event *e = &f->event;
    const uint8_t *b = f->data.at + f->at;
    if (layout == ETL_LAYOUT_COUNT)
        return false;
    uint32_t least = is_wnode(b) ? ETL_SIZE(WNODE_HEADER) : layouts[layout].size;
    return ORACLE_HOLDS(e->layout == layout) && ORACLE_HOLDS(e->type == type) && ORACLE_HOLDS(e->marker == b[3]) &&
           ORACLE_HOLDS(e->size == size_of(b, layout)) && ORACLE_HOLDS(e->size >= least) &&
           ORACLE_HOLDS(e->size <= f->extent - f->at) && ORACLE_HOLDS(e->bytes.at == b && e->bytes.size == e->size) &&
           ORACLE_HOLDS(padding_holds(f)) && header_holds(e, b);
}

/* For an opaque event, the bytes that follow decide as well; for all others its size alone. */
static bool refusal_holds(const oracle_framing *f, etl_layout layout)
{
    if (layout == ETL_LAYOUT_COUNT || layout == ETL_LAYOUT_OPAQUE)
        return true;
    uint32_t size = size_of(f->data.at + f->at, layout);
    return ORACLE_HOLDS(size < layouts[layout].size || size > f->extent - f->at);
}

static bool reason_holds(const etl_findings *findings)
{
    return findings->count > 0 && etl_rule_get(findings->at[findings->count - 1].rule)->severity == ETL_SEVERITY_ERROR;
}

bool oracle_frame(oracle_watch *oracle, const oracle_framing *f)
{
    uint8_t type = 0;
    etl_layout layout = ETL_LAYOUT_COUNT;
    if (f->extent - f->at >= ETL_SIZE(OPAQUE_HEADER))
        layout = layout_of(f->data.at + f->at, &f->event.context, &type);
    if (f->framed ? !event_holds(f, layout, type) : !refusal_holds(f, layout))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_FRAME, f->event.offset);
    if (!f->framed && !reason_holds(&f->findings))
        return oracle_break(oracle, ORACLE_PROMISE_EVENT_REASON, f->event.offset);
    return true;
}

/* A search has no context, so it reads an INSTANCE header in the shorter of its two forms. */
static bool is_short_instance(const oracle_framing *f)
{
    uint8_t type;
    const uint8_t *b = f->data.at + f->at;
    return layout_of(b, &f->event.context, &type) == ETL_LAYOUT_INSTANCE_GUID &&
           size_of(b, ETL_LAYOUT_INSTANCE_GUID) >= ETL_SIZE(EVENT_INSTANCE_HEADER) &&
           size_of(b, ETL_LAYOUT_INSTANCE_GUID) < ETL_SIZE(EVENT_INSTANCE_GUID_HEADER);
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
