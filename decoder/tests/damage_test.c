/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: damage_test PATH... [--cuts N] [--flips N] [--seed S] [--largest BYTES]
 *
 * Damages real traces: cuts each at N random places and changes one byte at N random places, one at a time. Each such file
 * must decode to its end, and its regions must tile it. Every event before the damage must be read as before, and every
 * event of the buffers behind the damaged one, unless that is the header buffer, which all others depend on. If events are
 * lost, there must be a finding: an error or limit, or a warning if the file was cut.
 * PATH is a file or a directory of .etl files; larger files than --largest are skipped. Exits 77 if there is no file.
 */
#include "etlproof/etlproof.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "test.h"
#include "xpress.h"

#define FAILURES_SHOWN 20

typedef struct options {
    uint64_t cuts, flips, seed, largest;
} options;

/* What identifies an event. */
typedef struct event_row {
    uint64_t offset, buffer;
    int64_t time;
    etl_space space;
    uint32_t size;
    uint8_t type;
} event_row;

typedef struct buffer_row {
    uint64_t offset, size;
    bool compressed;
    uint32_t inflated; /* bytes, without the header */
    size_t first;      /* of the events of the file */
} buffer_row;

/* A file and its decode without damage. */
typedef struct trace {
    const char *name;
    uint8_t *bytes;
    size_t size;
    event_row *events;
    size_t event_count, event_room;
    buffer_row *buffers;
    size_t buffer_count, buffer_room;
    uint64_t warnings, errors; /* findings; errors and limits are both */
} trace;

/* The damage to a file: cut before `at`, or byte `at` changed by `change`. */
typedef struct damage {
    uint64_t at;
    uint8_t change; /* 0: cut */
} damage;

/* A decode in progress. */
typedef struct decode {
    etl_reader reader;
    etl_tiling tiling;
    uint64_t events, buffers, inflated, steps, warnings, errors;
    const char *fault; /* the first promise that was broken */
} decode;

static etl_scratch scratch; /* grows with what the reader asks for */

static void *grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size);
    if (grown == NULL)
        abort();
    return grown;
}

static etl_scratch lend(size_t want)
{
    if (want > scratch.size)
        scratch = (etl_scratch){grow(scratch.at, want), want};
    return (etl_scratch){scratch.at, want};
}

static void blame(decode *d, const char *fault)
{
    if (d->fault == NULL)
        d->fault = fault;
}

static void take_findings(decode *d)
{
    etl_findings *findings = &d->reader.findings;
    if (findings->overflow)
        blame(d, "findings overflow");
    for (uint32_t i = 0; i < findings->count; i++) {
        etl_severity severity = etl_rule_get(findings->at[i].rule)->severity;
        d->warnings += severity >= ETL_SEVERITY_WARNING;
        d->errors += severity >= ETL_SEVERITY_LIMIT;
    }
    findings->count = 0;
}

static void take_regions(decode *d, const etl_region *regions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        etl_tiling_add(&d->tiling, &regions[i]);
}

static event_row row_of(const etl_event *event, const etl_buffer *buffer)
{
    event_row row = {.offset = event->offset, .buffer = buffer->index, .time = event->has_time ? event->time : 0,
                     .space = event->space, .size = event->size, .type = event->type};
    return row;
}

static bool same_event(const event_row *a, const event_row *b)
{
    return a->offset == b->offset && a->buffer == b->buffer && a->time == b->time && a->space == b->space &&
           a->size == b->size && a->type == b->type;
}

/* Feeds the rest of the file in one window. */
static bool feed(decode *d, etl_span file)
{
    const uint64_t offset = d->reader.trace.offset;
    if (offset > file.size) {
        blame(d, "wants bytes behind the end");
        return false;
    }
    etl_reader_feed(&d->reader, (etl_span){file.at + offset, file.size - (size_t)offset}, true);
    return true;
}

/*
 * The next outcome of interest. Bounds the number of steps: an event, gap or buffer is never empty, and input and scratch
 * are asked for at most once for each byte of the file and each buffer.
 */
static etl_outcome next(decode *d, etl_span file)
{
    for (;;) {
        etl_region regions[ETL_EVENT_REGIONS > ETL_BUFFER_REGIONS ? ETL_EVENT_REGIONS : ETL_BUFFER_REGIONS];
        etl_outcome outcome = etl_reader_next(&d->reader);
        take_findings(d);
        if (++d->steps > 2 * (file.size + d->inflated) + 2 * d->buffers + 16) {
            blame(d, "too many steps");
            return ETL_END;
        }
        switch (outcome) {
        case ETL_MORE:
            if (!feed(d, file))
                return ETL_END;
            continue;
        case ETL_SCRATCH:
            etl_reader_lend(&d->reader, lend(d->reader.trace.want));
            continue;
        case ETL_BUFFER:
            d->buffers++;
            d->inflated += d->reader.buffer.compressed ? d->reader.buffer.data.size : 0;
            take_regions(d, regions, etl_buffer_regions(&d->reader.buffer, regions));
            return outcome;
        case ETL_EVENT:
            d->events++;
            take_regions(d, regions, etl_event_regions(&d->reader.event, regions));
            return outcome;
        case ETL_GAP:
            take_regions(d, &d->reader.gap, 1);
            return outcome;
        case ETL_END:
            if (d->tiling.broken || d->tiling.next != file.size)
                blame(d, "regions do not tile the file");
            return outcome;
        default:
            blame(d, "an internal error");
            return ETL_END;
        }
    }
}

static void begin(decode *d)
{
    *d = (decode){.events = 0};
    etl_reader_init(&d->reader, ETL_LIMITS_DEFAULT);
}

static void remember_buffer(trace *t, const etl_buffer *buffer)
{
    if (t->buffer_count == t->buffer_room) {
        t->buffer_room = t->buffer_room * 2 + 64;
        t->buffers = grow(t->buffers, t->buffer_room * sizeof *t->buffers);
    }
    t->buffers[t->buffer_count++] = (buffer_row){
        .offset = buffer->offset,
        .size = buffer->raw.size,
        .compressed = buffer->compressed,
        .inflated = buffer->compressed ? (uint32_t)buffer->data.size - ETL_BUFFER_SIZE_MIN : 0,
        .first = t->event_count,
    };
}

static void remember_event(trace *t, const decode *d)
{
    if (t->event_count == t->event_room) {
        t->event_room = t->event_room * 2 + 1024;
        t->events = grow(t->events, t->event_room * sizeof *t->events);
    }
    t->events[t->event_count++] = row_of(&d->reader.event, &d->reader.buffer);
}

/* Decodes the undamaged file, for comparison. samples_test.py compares that decode with the manifest. */
static void decode_whole(trace *t)
{
    static decode d;
    begin(&d);
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END;) {
        outcome = next(&d, (etl_span){t->bytes, t->size});
        if (outcome == ETL_BUFFER)
            remember_buffer(t, &d.reader.buffer);
        else if (outcome == ETL_EVENT)
            remember_event(t, &d);
    }
    t->warnings = d.warnings;
    t->errors = d.errors;
    CHECK_TEXT(NULL, d.fault);
    CHECK(t->event_count > 0);
}

/* The end, in the events' space of a buffer, of the bytes that damage at `at` leaves unchanged. */
static uint64_t intact_end(const trace *t, const buffer_row *buffer, uint64_t at)
{
    uint64_t data = buffer->offset + ETL_BUFFER_SIZE_MIN;
    if (at < data)
        return 0;
    if (!buffer->compressed)
        return at;
    etl_inflated inflated = etl_inflate((etl_span){t->bytes + data, (size_t)(at - data)}, lend(buffer->inflated));
    return ETL_BUFFER_SIZE_MIN + inflated.produced;
}

/* The number of events that end before the damage. */
static size_t intact_events(const trace *t, uint64_t at)
{
    size_t b = t->buffer_count;
    while (b > 0 && t->buffers[b - 1].offset > at)
        b--;
    if (b == 0)
        return 0;
    const buffer_row *buffer = &t->buffers[b - 1];
    size_t last = b < t->buffer_count ? t->buffers[b].first : t->event_count;
    if (at >= buffer->offset + buffer->size)
        return last;
    uint64_t end = intact_end(t, buffer, at);
    size_t count = buffer->first;
    while (count < last && t->events[count].offset + t->events[count].size <= end)
        count++;
    return count;
}

/*
 * A changed size that leads to the start of another event makes a well-formed file, whose loss cannot be detected. A
 * changed byte of a compressed stream may do the same, since it may change any size; a byte of the buffer header, which is
 * plain, may not.
 */
static bool may_be_size(const trace *t, damage what)
{
    size_t b = t->buffer_count, e = t->event_count;
    while (b > 0 && t->buffers[b - 1].offset > what.at)
        b--;
    if (what.change == 0 || b == 0)
        return false;
    if (t->buffers[b - 1].compressed)
        return what.at >= t->buffers[b - 1].offset + ETL_BUFFER_SIZE_MIN;
    while (e > 0 && (t->events[e - 1].space != ETL_SPACE_FILE || t->events[e - 1].offset > what.at))
        e--;
    return e > 0 && what.at - t->events[e - 1].offset < ETL_SIZE(OPAQUE_HEADER);
}

/* The first event behind the damaged buffer, from which on all events must be read; past the last if none must be. */
static size_t first_behind(const trace *t, damage what)
{
    size_t b = t->buffer_count;
    while (b > 0 && t->buffers[b - 1].offset > what.at)
        b--;
    return what.change == 0 || b < 2 || b == t->buffer_count ? t->event_count : t->buffers[b].first;
}

/* True if both are the same event of the same buffer; their indexes may differ. */
static bool found_again(const trace *t, const event_row *was, event_row is, const etl_buffer *buffer)
{
    is.buffer = was->buffer;
    return t->buffers[was->buffer].offset == buffer->offset && same_event(was, &is);
}

/* Decodes the damaged file; returns the fault or NULL. `*kept` counts the events that were read, at most all. */
static const char *check_damaged(const trace *t, damage what, etl_span file, size_t intact, uint64_t *kept)
{
    static decode d;
    size_t behind = first_behind(t, what);
    begin(&d);
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END;) {
        outcome = next(&d, file);
        if (outcome != ETL_EVENT)
            continue;
        event_row row = row_of(&d.reader.event, &d.reader.buffer);
        behind += behind < t->event_count && found_again(t, &t->events[behind], row, &d.reader.buffer);
        if (d.events <= intact && !same_event(&t->events[d.events - 1], &row))
            blame(&d, "an event before the damage is not as it was");
    }
    if (d.events < intact)
        blame(&d, "an event before the damage is missing");
    if (behind < t->event_count)
        blame(&d, "an event of a buffer behind the damaged one is missing");
    /* Of a header that is cut, too little is left to tell an error from a tail. */
    bool told = what.change == 0 ? d.warnings > t->warnings : d.errors > t->errors;
    bool fewer = d.events < t->event_count && !told;
    if (fewer && file.size != 0 && !may_be_size(t, what)) /* an empty file is no trace, and has no place to report */
        blame(&d, "events are lost without a finding");
    *kept += d.events < t->event_count ? d.events : t->event_count;
    return d.fault;
}

static void inflict(const trace *t, damage what, uint64_t *kept)
{
    size_t intact = intact_events(t, what.at);
    const char *fault;
    if (what.change == 0) {
        /* A copy of just that size: the address sanitizer sees a read past it. */
        uint8_t *copy = grow(NULL, what.at != 0 ? what.at : 1);
        memcpy(copy, t->bytes, what.at);
        fault = check_damaged(t, what, (etl_span){copy, what.at}, intact, kept);
        free(copy);
    } else {
        t->bytes[what.at] ^= what.change;
        fault = check_damaged(t, what, (etl_span){t->bytes, t->size}, intact, kept);
        t->bytes[what.at] ^= what.change;
    }
    test_checks++;
    if (fault != NULL && ++test_failures <= FAILURES_SHOWN) {
        printf("%s: %s at %" PRIu64, t->name, what.change == 0 ? "cut" : "byte changed", what.at);
        if (what.change != 0)
            printf(" by ^ 0x%02x", what.change);
        printf(": %s (%zu of %zu events are before it)\n", fault, intact, t->event_count);
    }
}

static uint64_t random_place(uint64_t *state, size_t size)
{
    uint64_t high = xpress_random(state, UINT32_C(1) << 16);
    return (high << 16 | xpress_random(state, UINT32_C(1) << 16)) % size;
}

static void damage_trace(trace *t, const options *o)
{
    uint64_t kept = 0, state = o->seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    unsigned long failures = test_failures;
    for (const char *c = t->name; *c != '\0'; c++)
        state = (state ^ (uint64_t)(unsigned char)*c) * UINT64_C(0x100000001B3);
    decode_whole(t);
    for (uint64_t i = 0; i < o->cuts; i++)
        inflict(t, (damage){random_place(&state, t->size), 0}, &kept);
    for (uint64_t i = 0; i < o->flips; i++) {
        uint64_t at = random_place(&state, t->size);
        inflict(t, (damage){at, (uint8_t)(1 + xpress_random(&state, 255))}, &kept);
    }
    printf("%s: %" PRIu64 " cuts, %" PRIu64 " flips, %lu failures; %" PRIu64 " of %" PRIu64 " events read\n", t->name,
           o->cuts, o->flips, test_failures - failures, kept, (o->cuts + o->flips) * t->event_count);
    fflush(stdout);
}

/* False if the file is skipped. */
static bool damage_file(const char *path, const options *o)
{
    const char *slash = strrchr(path, '/');
    trace t = {.name = slash != NULL ? slash + 1 : path};
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size <= 0 || (uint64_t)status.st_size > o->largest)
        return false;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    t.size = (size_t)status.st_size;
    t.bytes = grow(NULL, t.size);
    bool whole = fread(t.bytes, 1, t.size, file) == t.size;
    fclose(file);
    CHECK(whole);
    if (whole)
        damage_trace(&t, o);
    free(t.bytes);
    free(t.events);
    free(t.buffers);
    return true;
}

static int is_trace(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".etl") == 0;
}

static unsigned damage_path(const char *path, const options *o)
{
    struct dirent **entries;
    unsigned files = 0;
    int count = scandir(path, &entries, is_trace, alphasort);
    if (count < 0)
        return damage_file(path, o);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        files += damage_file(name, o);
        free(entries[i]);
    }
    free(entries);
    return files;
}

static uint64_t *option(options *o, const char *name)
{
    return strcmp(name, "--cuts") == 0    ? &o->cuts
           : strcmp(name, "--flips") == 0 ? &o->flips
           : strcmp(name, "--seed") == 0  ? &o->seed
           : strcmp(name, "--largest") == 0 ? &o->largest
                                            : NULL;
}

int main(int argc, char **argv)
{
    options o = {.cuts = 500, .flips = 1000, .seed = 1, .largest = UINT64_MAX};
    unsigned files = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            continue;
        uint64_t *value = option(&o, argv[i]);
        if (value == NULL || i + 1 == argc) {
            fprintf(stderr, "usage: damage_test PATH... [--cuts N] [--flips N] [--seed S] [--largest BYTES]\n");
            return 64;
        }
        *value = strtoull(argv[++i], NULL, 0);
    }
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            i++;
        else
            files += damage_path(argv[i], &o);
    }
    free(scratch.at);
    if (files == 0) {
        printf("SKIPPED: no traces\n");
        return 77;
    }
    printf("%u files\n", files);
    return test_result();
}
