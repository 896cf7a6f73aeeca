/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that a gap calls for: slack with other bytes than 0xFF, the tail, and the reason why bytes were skipped.
 * Called by due_step.c.
 */
#include "due.h"
#include "event_bytes.h"
#include "input_bytes.h"

/* A gap of a buffer, from `at` to `end` of its data. */
typedef struct skipped {
    const etl_buffer *b;
    uint64_t base; /* of offsets */
    uint32_t at, end;
    uint64_t index; /* of the next event */
    uint32_t extent; /* before this step */
} skipped;

static skipped skipped_of(const oracle_watch *oracle, const etl_reader *reader)
{
    const etl_buffer *b = &reader->buffer;
    const uint64_t base = b->space == ETL_SPACE_FILE ? b->offset : 0;
    const uint32_t at = (uint32_t)(reader->gap.offset - base);
    return (skipped){b, base, at, at + (uint32_t)reader->gap.size, oracle->events, oracle->extent};
}

static etl_finding finding_at(const skipped *s, etl_rule rule, uint32_t at)
{
    etl_finding finding = oracle_due_at(rule, s->b->space, s->base + at);
    finding.buffer = s->b->index;
    return finding;
}

static void due_slack(oracle_due *due, const skipped *s)
{
    uint32_t at = s->at;
    while (at < s->end && s->b->data.at[at] == UINT8_MAX)
        at++;
    if (at == s->end)
        return;
    etl_finding finding = finding_at(s, ETL_RULE_BUF_015, at);
    oracle_due_values(&finding, ETL_RELATION_EQUAL, UINT8_MAX, s->b->data.at[at]);
    oracle_due_expect(due, &finding);
}

/* Where the event at `at` ends by its Size: at no place of the data if it has no whole header. */
static uint64_t stated_end(const skipped *s, uint32_t at)
{
    static const etl_context any;
    if (s->b->data.size - at < ETL_SIZE(OPAQUE_HEADER))
        return UINT64_MAX;
    return at + oracle_event_form_of(s->b->data.at + at, &any).size;
}

/* The event at `at` ends behind the extent by its Size. */
static etl_finding beyond_extent(const skipped *s, uint32_t at)
{
    etl_finding finding = finding_at(s, ETL_RULE_BUF_022, at);
    finding.event = s->index;
    oracle_due_values(&finding, ETL_RELATION_AT_MOST, s->extent, stated_end(s, at));
    return finding;
}

/* The walk left the extent for an event behind it: that event follows the gap, and ends behind the extent. */
static void due_left_extent(oracle_due *due, const skipped *s)
{
    etl_finding finding = beyond_extent(s, s->end);
    finding.action = ETL_ACTION_RESYNC;
    finding.lost = s->end - s->at;
    if (s->extent <= s->at && finding.actual <= s->b->data.size)
        oracle_due_expect(due, &finding);
}

/* Less than a header is left, or an end marker: events should fill the extent. */
static bool is_end(const skipped *s)
{
    if (s->b->extent - s->at < ETL_SIZE(OPAQUE_HEADER))
        return true;
    const uint32_t dword = oracle_raw_u32(s->b->data.at + s->at);
    return dword == 0 || dword == UINT32_MAX;
}

static void due_skipped(oracle_due *due, const skipped *s)
{
    const etl_finding *beyond = oracle_due_find(due, ETL_RULE_BUF_022);
    const etl_action action = s->end < s->b->extent ? ETL_ACTION_RESYNC : ETL_ACTION_SKIP_BUFFER;
    if (beyond && beyond->lost != 0) {
        due_left_extent(due, s);
        return;
    }
    /* An INSTANCE event of the shorter form, for which the walk moved the extent, may be none in this trace. */
    if (beyond) {
        const etl_finding finding = beyond_extent(s, s->at);
        if (finding.actual > s->extent)
            oracle_due_expect(due, &finding);
    }
    if (is_end(s)) {
        etl_finding finding = finding_at(s, ETL_RULE_MRK_006, s->at);
        finding.event = s->index;
        finding.action = action;
        finding.lost = s->end - s->at;
        oracle_due_values(&finding, ETL_RELATION_EQUAL, s->b->extent, s->at);
        oracle_due_expect(due, &finding);
        return;
    }
    const oracle_due_event event = {.data = s->b->data,
                                    .at = s->at,
                                    .extent = s->b->extent,
                                    .context = s->b->context,
                                    .space = s->b->space,
                                    .offset = s->base + s->at,
                                    .buffer = s->b->index,
                                    .index = s->index};
    oracle_due_frame(due, &event, s->end - s->at, action);
}

static void due_tail(oracle_due *due, const etl_region *gap)
{
    etl_finding finding = oracle_due_at(ETL_RULE_BUF_003, ETL_SPACE_FILE, gap->offset);
    oracle_due_values(&finding, ETL_RELATION_EQUAL, 0, gap->size);
    finding.action = ETL_ACTION_STOP;
    oracle_due_expect(due, &finding);
}

/* Why no buffer starts at bytes with this BufferSize: it is out of range, or other members are wrong (BUF-001). */
static void set_reason(etl_finding *finding, uint32_t size)
{
    const bool low = size < ETL_BUFFER_SIZE_MIN;
    if (!low && size <= ETL_BUFFER_SIZE_MAX)
        return;
    finding->rule = ETL_RULE_BUF_002;
    oracle_due_values(finding, low ? ETL_RELATION_AT_LEAST : ETL_RELATION_AT_MOST,
                      low ? ETL_BUFFER_SIZE_MIN : ETL_BUFFER_SIZE_MAX, size);
}

/* No buffer starts at the gap. Its BufferSize says why, as long as the window has it. */
static void due_no_buffer(oracle_due *due, const oracle_watch *oracle, const etl_reader *reader)
{
    const etl_region *gap = &reader->gap;
    const etl_span bytes = oracle_raw_window(reader, gap->offset, sizeof(uint32_t));
    const bool in_range = oracle_due_find(due, ETL_RULE_BUF_001) != NULL;
    const etl_finding *reported = oracle_due_find(due, in_range ? ETL_RULE_BUF_001 : ETL_RULE_BUF_002);
    etl_finding finding = oracle_due_at(ETL_RULE_BUF_001, ETL_SPACE_FILE, gap->offset);
    finding.action = gap->offset + gap->size == oracle->end ? ETL_ACTION_STOP : ETL_ACTION_RESYNC;
    finding.lost = gap->size;
    if (bytes.size == sizeof(uint32_t)) {
        set_reason(&finding, oracle_raw_u32(bytes.at));
    } else if (reported) {
        finding.rule = reported->rule;
        oracle_due_values(&finding, reported->relation, reported->expected, reported->actual);
    }
    oracle_due_expect(due, &finding);
}

void oracle_due_gap(oracle_due *due, const oracle_watch *oracle, const etl_reader *reader)
{
    const skipped s = skipped_of(oracle, reader);
    if (reader->gap.kind == ETL_REGION_TAIL)
        due_tail(due, &reader->gap);
    else if (!reader->in_buffer)
        due_no_buffer(due, oracle, reader);
    else if (reader->gap.kind == ETL_REGION_SLACK)
        due_slack(due, &s);
    else
        due_skipped(due, &s);
}
