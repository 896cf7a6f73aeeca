/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: damage_test PATH... [--cuts N] [--flips N] [--seed S] [--largest BYTES]
 *
 * Damages real traces: each is cut at N random offsets and has one byte changed at N random offsets, one damage at a time.
 * Each damaged file must decode to its end, and its regions must tile it. All events before the damage must be unchanged,
 * and so must the events of later buffers, unless the header buffer is damaged, which determines how all are read. If
 * events are missing, there must be a finding of severity error or limit, or for a cut file at least a warning.
 * PATH is a file or a folder of .etl files; --largest skips larger files. Exits 77 if there is no file to damage.
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

/* The properties of an event that damage elsewhere must not change. */
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
    size_t first;      /* index of its first event */
} buffer_row;

/* A file and the decode of it without damage. */
typedef struct trace {
    const char *name;
    uint8_t *bytes;
    size_t size;
    event_row *events;
    size_t event_count, event_room;
    buffer_row *buffers;
    size_t buffer_count, buffer_room;
    uint64_t warnings, errors; /* findings; `errors` counts limits too */
} trace;

/* The damage to a file: cut before `at`, or byte `at` changed by `change`. */
typedef struct damage {
    size_t at;
    uint8_t change; /* 0: cut */
} damage;

/* A decode and its checks. */
typedef struct decode {
    etl_reader reader;
    etl_tiling tiling;
    uint64_t events, buffers, inflated, steps, warnings, errors;
    const char *fault; /* the first broken promise */
} decode;

static etl_scratch scratch; /* grows to the largest request */

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

/* Feeds the rest of the file. False if the reader wants bytes past its end. */
static bool feed(decode *d, etl_span file)
{
    const uint64_t offset = d->reader.trace.offset;
    if (offset > file.size) {
        blame(d, "wants bytes past the end");
        return false;
    }
    etl_reader_feed(&d->reader, (etl_span){file.at + offset, file.size - (size_t)offset}, true);
    return true;
}

/*
 * Returns the next event, gap, buffer or end. Each step is one of these, none of them empty, or a request for input or
 * scratch memory, so the number of steps is limited by the size of the file and the number of buffers.
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

/* The decode that the damaged ones are compared with. samples_test.py compares it with the manifest. */
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

/* End of the bytes of a buffer that damage at `at` leaves unchanged, as an offset in the space of its events. */
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

/* Number of events that lie completely before the damage. */
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
 * True if the damage may change a Size to lead to the start of another event: the file is then well-formed, and no reader
 * can detect the loss. A byte of a compressed stream can change any Size, but the header before the stream cannot.
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

/* The first event of the buffers after the damaged one, which must all be read; event_count if there is no such event.
   */
static size_t first_behind(const trace *t, damage what)
{
    size_t b = t->buffer_count;
    while (b > 0 && t->buffers[b - 1].offset > what.at)
        b--;
    return what.change == 0 || b < 2 || b == t->buffer_count ? t->event_count : t->buffers[b].first;
}

/* True for the same event in the same buffer; their indexes may differ. */
static bool found_again(const trace *t, const event_row *was, event_row is, const etl_buffer *buffer)
{
    is.buffer = was->buffer;
    return t->buffers[was->buffer].offset == buffer->offset && same_event(was, &is);
}

/* Decodes the damaged file. Returns the fault or NULL. Adds the number of events that were read to `*kept`. */
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
            blame(&d, "an event before the damage changed");
    }
    if (d.events < intact)
        blame(&d, "an event before the damage is missing");
    if (behind < t->event_count)
        blame(&d, "an event of a buffer after the damaged one is missing");
    /* A cut header is too short to tell an error from a tail, so a warning is enough. */
    bool reported = what.change == 0 ? d.warnings > t->warnings : d.errors > t->errors;
    bool fewer = d.events < t->event_count && !reported;
    if (fewer && file.size != 0 && !may_be_size(t, what)) /* an empty file has no offset for a finding */
        blame(&d, "events are lost without a finding");
    *kept += d.events < t->event_count ? d.events : t->event_count;
    return d.fault;
}

static void inflict(const trace *t, damage what, uint64_t *kept)
{
    size_t intact = intact_events(t, what.at);
    const char *fault;
    if (what.change == 0) {
        /* A copy of exactly that size, so that AddressSanitizer detects a read past its end. */
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
        printf("%s: %s at %zu", t->name, what.change == 0 ? "cut" : "byte changed", what.at);
        if (what.change != 0)
            printf(" by ^ 0x%02x", what.change);
        printf(": %s (%zu of %zu events are before it)\n", fault, intact, t->event_count);
    }
}

static size_t random_place(uint64_t *state, size_t size)
{
    uint64_t high = xpress_random(state, UINT32_C(1) << 16);
    return (size_t)((high << 16 | xpress_random(state, UINT32_C(1) << 16)) % size);
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
        size_t at = random_place(&state, t->size);
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
