/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over logfile headers of both widths and any length: each passes on the decoder's result, and fails
 * for each wrong member.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define HEADER ETL_SIZE(SYSTEM_TRACE_HEADER)
#define WIDE (HEADER + ETL_SIZE(TRACE_LOGFILE_HEADER64))
#define NARROW (HEADER + ETL_SIZE(TRACE_LOGFILE_HEADER32))
#define ZONE(member) (HEADER + ETL_AT(TRACE_LOGFILE_HEADER64, TimeZone) + ETL_AT(TIME_ZONE_INFORMATION, member))

/* Windows "6.1", with sub-version 1.5 and clock type 1. */
typedef struct version {
    uint8_t major, minor, sub, sub_minor;
    uint32_t clock, mode;
    int64_t perf_freq;
} version;

/* An event of `size` bytes in a buffer that ends `cut` bytes early: names of `first` and `second` characters. */
typedef struct row {
    const char *what;
    uint8_t type;
    uint16_t size, cut;
    uint8_t first, second;
    bool known; /* whether it must be known */
    version version;
} row;

#define OF(what, type, size, cut, first, second, known) \
    {what, type, size, cut, first, second, known, {10, 0, 1, 5, ETL_CLOCK_TYPE_PERFCOUNTER, 0, 3000000}}
#define WIDE_OF(what, size, cut, first, second, known) \
    OF(what, ETL_HEADER_TYPE_SYSTEM64, size, cut, first, second, known)

static const row rows[] = {
    WIDE_OF("a header of 64 bits", WIDE + 10, 0, 2, 1, true),
    OF("a header of 32 bits", ETL_HEADER_TYPE_SYSTEM32, NARROW + 10, 0, 2, 1, true),
    WIDE_OF("a header without names", WIDE, 0, 0, 0, true),
    WIDE_OF("a header with half a character as names", WIDE + 1, 0, 0, 0, true),
    WIDE_OF("a header with an empty name", WIDE + 2, 0, 0, 0, true),
    WIDE_OF("a header whose first name has no NUL", WIDE + 4, 0, 2, 0, true),
    WIDE_OF("a header whose second name has no NUL", WIDE + 10, 0, 2, 2, true),
    WIDE_OF("a header whose second name ends inside a character", WIDE + 11, 0, 2, 2, true),
    WIDE_OF("a header that the buffer truncates in its names", WIDE + 10, 3, 2, 1, true),
    WIDE_OF("a header one byte too short", WIDE - 1, 0, 0, 0, false),
    WIDE_OF("a header that the buffer truncates by one byte", WIDE, 1, 0, 0, false),
    WIDE_OF("a header that ends inside the last date", ZONE(DaylightDate) + 3, 0, 0, 0, false),
    WIDE_OF("a header that ends before the last date", ZONE(DaylightDate), 0, 0, 0, false),
    WIDE_OF("a header that ends inside a name of the time zone", ZONE(DaylightName) + 5, 0, 0, 0, false),
    WIDE_OF("a header that ends before the time zone", ZONE(Bias), 0, 0, 0, false),
    WIDE_OF("a header that ends one byte earlier", ZONE(Bias) - 1, 0, 0, 0, false),
    WIDE_OF("a header without TRACE_LOGFILE_HEADER", HEADER, 0, 0, 0, false),
};

static struct played_decode {
    uint8_t buffer[EVENT_AT + WIDE + 16];
    etl_span span;
    etl_logfile logfile;
    etl_context context;
    etl_buffer_shape shape;
} s;

/* A name of `count` letters A, with its NUL; later steps cut it off with the event. */
static size_t put_name(size_t at, unsigned count)
{
    for (unsigned i = 0; i < count; i++, at += 2)
        put(s.buffer + at, 2, 'A');
    put(s.buffer + at, 2, 0);
    return at + 2;
}

static void put_version(const version *v, bool wide)
{
    uint8_t *body = s.buffer + EVENT_AT + HEADER;
    body[ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion)] = v->major;
    body[ETL_AT(TRACE_LOGFILE_HEADER64, MinorVersion)] = v->minor;
    body[ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion)] = v->sub;
    body[ETL_AT(TRACE_LOGFILE_HEADER64, SubMinorVersion)] = v->sub_minor;
    put(body + ETL_AT(TRACE_LOGFILE_HEADER64, LogFileMode), 4, v->mode);
    put(body + (wide ? ETL_AT(TRACE_LOGFILE_HEADER64, PerfFreq) : ETL_AT(TRACE_LOGFILE_HEADER32, PerfFreq)), 8,
        (uint64_t)v->perf_freq);
    put(body + (wide ? ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags) : ETL_AT(TRACE_LOGFILE_HEADER32, ReservedFlags)), 4,
        v->clock);
}

static void read_again(void)
{
    etl_findings findings;
    findings.count = 0;
    etl_logfile_read(s.span, EVENT_AT, 0, &s.logfile, &findings);
    s.context = etl_logfile_context(&s.logfile);
    s.shape = etl_logfile_shape(&s.logfile);
}

/* All bytes differ, so that no two members are equal, and no name of the time zone has a NUL. */
static void make(const row *r)
{
    const bool wide = r->type == ETL_HEADER_TYPE_SYSTEM64;
    uint8_t *event = s.buffer + EVENT_AT;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < sizeof s.buffer; i++)
        s.buffer[i] = (uint8_t)(i % 251 + 1);
    event[ETL_AT(SYSTEM_TRACE_HEADER, HeaderType)] = r->type;
    event[ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags)] = ETL_MARKER_EVENT_TRACE;
    put(event + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, r->size);
    put(event + ETL_AT(SYSTEM_TRACE_HEADER, HookId), 2, ETL_HOOK_WMI_LOG_TYPE_HEADER);
    put_version(&r->version, wide);
    put_name(put_name(EVENT_AT + (wide ? WIDE : NARROW), r->first), r->second);
    s.span = (etl_span){s.buffer, EVENT_AT + r->size - r->cut};
    read_again();
}

typedef bool check(oracle_watch *oracle);

static bool logfile_holds(oracle_watch *o) { return oracle_logfile(o, s.span, &s.logfile); }
static bool context_holds(oracle_watch *o) { return oracle_context(o, &s.logfile, &s.context, s.shape); }

static bool keeps(check *holds, oracle_promise expected)
{
    oracle_watch oracle;
    oracle_init(&oracle, sizeof s.buffer, ETL_LIMITS_DEFAULT, true);
    return holds(&oracle) == (expected == ORACLE_PROMISE_COUNT) && oracle.broken == expected;
}

/* A member, and where its first byte is. */
typedef struct place {
    const char *name;
    size_t at;
} place;

#define MEMBER(name) {#name, offsetof(etl_logfile, name)}
static const place members[] = {
    MEMBER(header_type), MEMBER(pointer_size), MEMBER(buffer_size), MEMBER(major_version), MEMBER(minor_version),
    MEMBER(sub_version), MEMBER(sub_minor_version), MEMBER(provider_version), MEMBER(number_of_processors),
    MEMBER(end_time), MEMBER(timer_resolution), MEMBER(maximum_file_size), MEMBER(log_file_mode), MEMBER(buffers_written),
    MEMBER(start_buffers), MEMBER(stated_pointer_size), MEMBER(events_lost), MEMBER(cpu_speed_in_mhz),
    MEMBER(logger_name_pointer), MEMBER(log_file_name_pointer), MEMBER(time_zone.bias), MEMBER(time_zone.standard_bias),
    MEMBER(time_zone.daylight_bias), MEMBER(time_zone.standard_date.year), MEMBER(time_zone.standard_date.month),
    MEMBER(time_zone.standard_date.day_of_week), MEMBER(time_zone.standard_date.day), MEMBER(time_zone.standard_date.hour),
    MEMBER(time_zone.standard_date.minute), MEMBER(time_zone.standard_date.second),
    MEMBER(time_zone.standard_date.milliseconds), MEMBER(time_zone.daylight_date.year),
    MEMBER(time_zone.daylight_date.milliseconds), MEMBER(time_zone.standard_name.size),
    MEMBER(time_zone.daylight_name.size), MEMBER(boot_time), MEMBER(perf_freq), MEMBER(start_time), MEMBER(reserved_flags),
    MEMBER(buffers_lost), MEMBER(logger_name.size), MEMBER(log_file_name.size), MEMBER(known),
};
/* Members of a known logfile header only. */
static const place known_members[] = {MEMBER(clock.start_ticks), MEMBER(compression_format)};

static bool judge_members(const row *r, const place *places, size_t count)
{
    bool right = true;
    for (size_t i = 0; i < count; i++) {
        uint8_t *byte = (uint8_t *)&s.logfile + places[i].at;
        *byte ^= 1;
        if (!keeps(logfile_holds, ORACLE_PROMISE_LOGFILE)) {
            printf("# %s, %s: expected logfile\n", r->what, places[i].name);
            right = false;
        }
        *byte ^= 1;
    }
    return right;
}

static bool row_holds(const row *r)
{
    make(r);
    return s.logfile.known == r->known && keeps(logfile_holds, ORACLE_PROMISE_COUNT) &&
           judge_members(r, members, sizeof members / sizeof members[0]) &&
           (!r->known || judge_members(r, known_members, sizeof known_members / sizeof known_members[0]));
}

static void first_name_elsewhere(void) { s.logfile.logger_name.at += 2; }
static void second_name_elsewhere(void) { s.logfile.log_file_name.at -= 2; }
static void first_name_of_nothing(void) { s.logfile.logger_name = (etl_span){NULL, 0}; }
static void first_name_past_end(void) { s.logfile.logger_name.size = 1000; }
static void first_name_to_next(void) { s.logfile.logger_name.size += 2; }
static void first_name_shorter(void) { s.logfile.logger_name.size -= 2; }
static void second_name_shorter(void) { s.logfile.log_file_name.size -= 2; }
static void second_name_of_half(void) { s.logfile.log_file_name.size = 1; }
static void standard_elsewhere(void) { s.logfile.time_zone.standard_name.at += 2; }
static void daylight_elsewhere(void) { s.logfile.time_zone.daylight_name.at += 2; }
static void standard_too_long(void) { s.logfile.time_zone.standard_name.size += 2; }
static void daylight_too_long(void) { s.logfile.time_zone.daylight_name.size += 2; }
static void other_marker(void) { s.buffer[EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags)] = ETL_MARKER_MESSAGE; }
static void other_hook(void) { s.buffer[EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, HookId)] = 1; }
static void other_type(void) { s.buffer[EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, HeaderType)] = ETL_HEADER_TYPE_COMPACT32; }
static void less_than_header(void) { put(s.buffer + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, HEADER - 1); }
static void short_buffer(void) { s.span.size = EVENT_AT + HEADER - 1; }
static void other_marker_read(void) { other_marker(), read_again(); }
static void other_hook_read(void) { other_hook(), read_again(); }
static void other_type_read(void) { other_type(), read_again(); }
static void less_than_header_read(void) { less_than_header(), read_again(); }
static void short_buffer_read(void) { short_buffer(), read_again(); }
static void known_of_nothing(void) { other_hook_read(), s.logfile.known = true; }

/* Faults in the decoder's result for the first row, or in its bytes. */
static const struct {
    const char *what;
    oracle_promise promise;
    void (*spoil)(void);
} spoils[] = {
    {"a logger's name that starts late", ORACLE_PROMISE_LOGFILE, first_name_elsewhere},
    {"a file name that starts early", ORACLE_PROMISE_LOGFILE, second_name_elsewhere},
    {"no logger's name", ORACLE_PROMISE_LOGFILE, first_name_of_nothing},
    {"a logger's name past the event", ORACLE_PROMISE_LOGFILE, first_name_past_end},
    {"a logger's name that includes its NUL", ORACLE_PROMISE_LOGFILE, first_name_to_next},
    {"a logger's name that ends early", ORACLE_PROMISE_LOGFILE, first_name_shorter},
    {"a file name that ends early", ORACLE_PROMISE_LOGFILE, second_name_shorter},
    {"a file name of half a character", ORACLE_PROMISE_LOGFILE, second_name_of_half},
    {"a standard name that starts late", ORACLE_PROMISE_LOGFILE, standard_elsewhere},
    {"a daylight name that starts late", ORACLE_PROMISE_LOGFILE, daylight_elsewhere},
    {"a standard name of 33 characters", ORACLE_PROMISE_LOGFILE, standard_too_long},
    {"a daylight name of 33 characters", ORACLE_PROMISE_LOGFILE, daylight_too_long},
    {"a logfile header with another marker", ORACLE_PROMISE_LOGFILE, other_marker},
    {"a logfile header with another hook", ORACLE_PROMISE_LOGFILE, other_hook},
    {"a logfile header with another type", ORACLE_PROMISE_LOGFILE, other_type},
    {"a logfile header with a Size less than its header", ORACLE_PROMISE_LOGFILE, less_than_header},
    {"a logfile header in a buffer too short", ORACLE_PROMISE_LOGFILE, short_buffer},
    {"another marker in place of the logfile header", ORACLE_PROMISE_COUNT, other_marker_read},
    {"another hook in place of the logfile header", ORACLE_PROMISE_COUNT, other_hook_read},
    {"another type in place of the logfile header", ORACLE_PROMISE_COUNT, other_type_read},
    {"a Size less than a header in place of the logfile header", ORACLE_PROMISE_COUNT, less_than_header_read},
    {"a buffer too short for the logfile header", ORACLE_PROMISE_COUNT, short_buffer_read},
    {"a missing logfile header reported as known", ORACLE_PROMISE_LOGFILE, known_of_nothing},
};

#define PERFCOUNTER ETL_CLOCK_TYPE_PERFCOUNTER
#define SYSTEMTIME ETL_CLOCK_TYPE_SYSTEMTIME
#define CPUCYCLE ETL_CLOCK_TYPE_CPUCYCLE
#define SHAPE(number) ETL_BUFFER_SHAPE_##number

/* Clock, context and buffer shape of each version, by the documents of the format. */
static const struct version_row {
    const char *what;
    version version;
    uint32_t clock;
    etl_buffer_shape shape;
    bool instance_guid, thread_id_64, compact_allowed, processor_time;
} versions[] = {
    {"5.0", {5, 0, 1, 0, 1, 0, 7}, PERFCOUNTER, SHAPE(50), false, true, false, false},
    {"5.0 with another clock", {5, 0, 1, 0, 3, 0, 7}, SYSTEMTIME, SHAPE(50), false, true, false, false},
    {"5.1", {5, 1, 1, 0, 1, 0, 7}, PERFCOUNTER, SHAPE(50), false, false, false, false},
    {"5.2", {5, 2, 1, 1, 0, 0, 7}, SYSTEMTIME, SHAPE(52), true, false, false, false},
    {"6.0", {6, 0, 1, 2, 3, 0, 7}, CPUCYCLE, SHAPE(60), true, false, false, false},
    {"6.1", {6, 1, 1, 3, 2, 0, 7}, SYSTEMTIME, SHAPE(61), true, false, false, false},
    {"6.2", {6, 2, 1, 4, 1, 0, 0}, PERFCOUNTER, SHAPE(61), true, false, true, false},
    {"10.0", {10, 0, 1, 5, 1, 0, -7}, PERFCOUNTER, SHAPE(61), true, false, true, false},
    {"an old sub-version", {6, 3, 0, 0xFF, 1, 0, 7}, PERFCOUNTER, SHAPE(61), false, false, true, false},
    {"a private logger", {10, 0, 1, 5, 1, ETL_LOGGER_MODE_PRIVATE_LOGGER_MODE, 7}, PERFCOUNTER, SHAPE(61), true, false,
     true, true},
    {"a private logger in its process", {10, 0, 1, 5, 1, ETL_LOGGER_MODE_PRIVATE_IN_PROC, 7}, PERFCOUNTER, SHAPE(61), true,
     false, true, true},
    {"a version before the first", {4, 0, 1, 0, 3, 0, 7}, CPUCYCLE, SHAPE(61), false, false, true, false},
    {"a version after the last", {11, 0, 1, 5, 1, 0, 7}, PERFCOUNTER, SHAPE(61), true, false, true, false},
};

#define CONTEXT(name) {#name, offsetof(etl_context, name)}
static const place context_members[] = {CONTEXT(pointer_size), CONTEXT(known), CONTEXT(instance_guid),
                                        CONTEXT(thread_id_64), CONTEXT(compact_allowed), CONTEXT(processor_time)};

static bool context_members_hold(void)
{
    bool right = true;
    for (size_t i = 0; i < sizeof context_members / sizeof context_members[0]; i++) {
        uint8_t *byte = (uint8_t *)&s.context + context_members[i].at;
        *byte ^= 1;
        right = keeps(context_holds, ORACLE_PROMISE_CONTEXT) && right;
        *byte ^= 1;
    }
    return right;
}

/* The frequency counts unless the clock is system time. */
static bool clock_members_hold(uint32_t type)
{
    etl_clock *clock = &s.logfile.clock;
    const bool counts = type != ETL_CLOCK_TYPE_SYSTEMTIME;
    clock->frequency++;
    bool right = keeps(context_holds, counts ? ORACLE_PROMISE_CONTEXT : ORACLE_PROMISE_COUNT);
    clock->frequency--;
    clock->start_time++;
    right = right && keeps(context_holds, ORACLE_PROMISE_CONTEXT);
    clock->start_time--;
    clock->type ^= 1;
    return right && keeps(context_holds, ORACLE_PROMISE_CONTEXT);
}

static bool version_holds(const struct version_row *v)
{
    row r = rows[0];
    r.version = v->version;
    make(&r);
    const etl_context *c = &s.context;
    if (s.logfile.clock.type != v->clock || s.shape != v->shape || c->instance_guid != v->instance_guid ||
        c->thread_id_64 != v->thread_id_64 || c->compact_allowed != v->compact_allowed ||
        c->processor_time != v->processor_time || !keeps(context_holds, ORACLE_PROMISE_COUNT) || !context_members_hold())
        return false;
    s.shape = (etl_buffer_shape)(s.shape ^ 1);
    const bool right = keeps(context_holds, ORACLE_PROMISE_CONTEXT);
    s.shape = (etl_buffer_shape)(s.shape ^ 1);
    return right && clock_members_hold(v->clock);
}

/* Without a logfile header, a file counts as of the latest version, and its clock is not checked. */
static void test_unknown(void)
{
    make(&rows[9]);
    s.logfile.major_version = 5;
    s.logfile.sub_version = 0;
    s.logfile.clock.type++;
    s.context = etl_logfile_context(&s.logfile);
    s.shape = etl_logfile_shape(&s.logfile);
    say(!s.logfile.known && s.context.instance_guid && s.shape == ETL_BUFFER_SHAPE_61 &&
            keeps(context_holds, ORACLE_PROMISE_COUNT) && context_members_hold(),
        "the context without a logfile header");
}

/* The address of an empty name does not matter. */
static void test_empty(void)
{
    make(&rows[4]);
    s.logfile.logger_name = s.logfile.log_file_name = (etl_span){NULL, 0};
    say(keeps(logfile_holds, ORACLE_PROMISE_COUNT), "empty names without address");
}

void test_logfile(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        say(row_holds(&rows[i]), rows[i].what);
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        make(&rows[0]);
        spoils[i].spoil();
        say(keeps(logfile_holds, spoils[i].promise), spoils[i].what);
    }
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        say(version_holds(&versions[i]), versions[i].what);
    test_unknown();
    test_empty();
}
