/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a file under two limits and compares the decodes buffer by buffer. Called by fuzz_file and fuzz_buffer.
 */
#include "limit_comparison.h"

#include "decode_comparison.h"

/* Events start at multiples of this many bytes from the start of their buffer. */
#define EVENT_ALIGNMENT 8u

bool target_is_limited(const target_run *run)
{
    return (run->reader.buffer.header.buffer_flag & ETL_BUFFER_FLAG_COMPRESSED) != 0;
}

/* One of two decodes, buffer by buffer. */
typedef struct side {
    target_run run;
    uint64_t buffers;    /* buffers seen here */
    oracle_yield last, now; /* of the buffer before, and of this one so far */
    bool wary;           /* skips the rest of a buffer after a guess */
    bool guessed;        /* in this buffer, so far */
    uint32_t extent;     /* of this buffer, as its header states it */
} side;

/*
 * The limits without the one on all buffers together. Only those on each buffer give less when they are tighter: a buffer
 * that gives less leaves more of the limit on all to the next one.
 */
static etl_limits without_average(etl_limits limits)
{
    limits.average = UINT32_MAX;
    return limits;
}

/* Tighter limits than those of a run, chosen by the file's size and last bytes: from 0 to almost the same. */
static etl_limits tighter(etl_span file)
{
    uint32_t h = (uint32_t)file.size;
    for (size_t i = 0; i < 16 && i < file.size; i++)
        h = (h ^ file.at[file.size - 1 - i]) * UINT32_C(16777619);
    return (etl_limits){TARGET_LIMITS.inflated >> (h >> 8) % 20, TARGET_LIMITS.expansion >> (h >> 16) % 11, 0};
}

static void begin(side *s, bool wary, etl_span file, etl_limits limits, target_run_prepare *prepare, const void *context)
{
    s->wary = wary;
    s->guessed = false;
    target_run_begin(&s->run, file, false);
    etl_reader_init(&s->run.reader, limits);
    s->run.oracle.limits = limits;
    if (prepare)
        prepare(&s->run, context);
    s->buffers = s->run.oracle.buffers;
    s->last = s->now = (oracle_yield){0};
}

static bool is_unaligned(const etl_event *event)
{
    return event->space == ETL_SPACE_INFLATED && event->offset % EVENT_ALIGNMENT != 0;
}

/* Whether an event across the extent is read depends on what follows it, and the limits decide how much does. */
static bool crosses_extent(const side *s, const etl_event *event)
{
    return event->space == ETL_SPACE_INFLATED && event->offset + event->size > s->extent;
}

/*
 * Events that are guesses depend on where the events end, so they are not counted: an event without layout, found by a
 * search after damage, at an unaligned place or across the extent counts as an event only if it fills the rest or a valid
 * successor follows.
 * If the limits forbid what Offset states, SavedOffset is the extent.
 */
static void count(side *s, const etl_event *event)
{
    s->guessed |= event->layout == ETL_LAYOUT_OPAQUE || is_unaligned(event) || crosses_extent(s, event);
    if (event->layout == ETL_LAYOUT_OPAQUE || (s->wary && s->guessed))
        return;
    s->now.events++;
    s->now.bytes += event->size;
}

static void enter(side *s, const etl_buffer *buffer)
{
    s->buffers = s->run.oracle.buffers;
    s->last = s->now;
    s->now = (oracle_yield){.offset = buffer->offset, .size = buffer->raw.size};
    s->guessed = false;
    s->extent = buffer->extent;
}

/* Continues to the next buffer, or to the end; `last` is then the yield of the buffer before. False at the end. */
static bool read_buffer(side *s)
{
    const etl_reader *reader = &s->run.reader;
    for (uint64_t events = s->run.oracle.events; target_run_advance(&s->run); events = s->run.oracle.events) {
        if (s->run.oracle.events > events) {
            count(s, &reader->event);
        } else if (s->run.oracle.buffers > s->buffers) {
            enter(s, &reader->buffer);
            return true;
        } else {
            s->guessed |= reader->gap.kind == ETL_REGION_DAMAGED;
        }
    }
    s->last = s->now;
    return false;
}

static bool same_place(const oracle_yield *a, const oracle_yield *b)
{
    return a->offset == b->offset && a->size == b->size;
}

void target_hold_limits(etl_span file, target_run_prepare *prepare, const void *context)
{
    static side less, more;
    begin(&less, true, file, without_average(tighter(file)), prepare, context);
    begin(&more, false, file, without_average(TARGET_LIMITS), prepare, context);
    for (bool going = true; going && same_place(&less.now, &more.now);) {
        going = read_buffer(&less);
        going = read_buffer(&more) && going;
        oracle_limits(&more.run.oracle, &less.last, &more.last);
        target_run_hold(&more.run);
    }
    target_run_finish(&less.run);
    target_run_finish(&more.run);
}
