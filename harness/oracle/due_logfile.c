/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings that a logfile header calls for: about its members, and about a second one with another clock. Called by
 * due_step.c and by fuzz_logfile.
 */
#include "due.h"
#include "input_bytes.h"

#define EVENT_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define BODY_AT (EVENT_AT + ETL_SIZE(SYSTEM_TRACE_HEADER))

/* Processors that the 11 bits of a ProcessorIndex can count. */
#define PROCESSORS_MOST 2048

/* The offset of a member that is behind the pointers: `wide` if these have 64 bits. */
#define MEMBER_AT(wide, member) \
    ((wide) ? ETL_AT(TRACE_LOGFILE_HEADER64, member) : ETL_AT(TRACE_LOGFILE_HEADER32, member))

static uint64_t event_member(etl_span raw, uint32_t at, unsigned size)
{
    return oracle_raw_get(raw, EVENT_AT + at, size);
}

bool oracle_logfile_here(etl_span raw)
{
    const uint64_t marker = event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 2);
    return (marker == 0xC001 || marker == 0xC002) &&
           event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, HookId), 2) == ETL_HOOK_WMI_LOG_TYPE_HEADER &&
           event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, Size), 2) >= ETL_SIZE(SYSTEM_TRACE_HEADER);
}

static bool is_wide(etl_span raw)
{
    return event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 1) == ETL_HEADER_TYPE_SYSTEM64;
}

/* The bytes of TRACE_LOGFILE_HEADER and the names: up to the end of the event or of the buffer. */
static etl_span body_of(etl_span raw)
{
    const uint64_t end = EVENT_AT + event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, Size), 2);
    const uint64_t size = end < raw.size ? end : raw.size;
    return size > BODY_AT ? (etl_span){raw.at + BODY_AT, (size_t)size - BODY_AT} : (etl_span){NULL, 0};
}

/* The findings so far, and where those of a logfile header lie. */
typedef struct header {
    oracle_due *due;
    uint64_t at; /* offset of TRACE_LOGFILE_HEADER in the file */
} header;

static void expect(const header *h, etl_rule rule, uint32_t member, etl_relation relation, uint64_t expected,
                   uint64_t actual)
{
    etl_finding finding = oracle_due_at(rule, ETL_SPACE_FILE, h->at + member);
    oracle_due_values(&finding, relation, expected, actual);
    oracle_due_expect(h->due, &finding);
}

static void expect_range(const header *h, etl_rule rule, uint32_t member, uint64_t least, uint64_t most, uint64_t actual)
{
    if (actual < least)
        expect(h, rule, member, ETL_RELATION_AT_LEAST, least, actual);
    else if (actual > most)
        expect(h, rule, member, ETL_RELATION_AT_MOST, most, actual);
}

static void due_missing(oracle_due *due, etl_span raw, uint64_t origin)
{
    const uint64_t marker = event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, HeaderType), 2);
    const uint64_t hook = event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, HookId), 2);
    etl_finding finding = oracle_due_at(ETL_RULE_LFH_001, ETL_SPACE_FILE, origin + EVENT_AT);
    if (marker != 0xC001 && marker != 0xC002)
        oracle_due_values(&finding, ETL_RELATION_EQUAL, 0xC002, marker);
    else if (hook != ETL_HOOK_WMI_LOG_TYPE_HEADER)
        oracle_due_values(&finding, ETL_RELATION_EQUAL, ETL_HOOK_WMI_LOG_TYPE_HEADER, hook);
    else
        oracle_due_values(&finding, ETL_RELATION_AT_LEAST, ETL_SIZE(SYSTEM_TRACE_HEADER),
                          event_member(raw, ETL_AT(SYSTEM_TRACE_HEADER, Size), 2));
    oracle_due_expect(due, &finding);
}

static void due_version(const header *h, const etl_logfile *l)
{
    const uint32_t sub = l->sub_version * 256u + l->sub_minor_version;
    expect_range(h, ETL_RULE_LFH_005, ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), 5, 10, l->major_version);
    if (l->major_version >= 5 && l->major_version <= 10)
        expect_range(h, ETL_RULE_LFH_005, ETL_AT(TRACE_LOGFILE_HEADER64, SubVersion), 0, 0x200, sub);
}

static void due_clock(const header *h, const etl_logfile *l)
{
    if (l->clock.type > ETL_CLOCK_TYPE_CPUCYCLE)
        expect(h, ETL_RULE_TIM_001, MEMBER_AT(l->pointer_size == 8, ReservedFlags), ETL_RELATION_AT_MOST,
               ETL_CLOCK_TYPE_CPUCYCLE, l->reserved_flags);
    if (l->clock.type == ETL_CLOCK_TYPE_PERFCOUNTER && l->perf_freq < 1)
        expect(h, ETL_RULE_TIM_002, MEMBER_AT(l->pointer_size == 8, PerfFreq), ETL_RELATION_AT_LEAST, 1,
               (uint64_t)l->perf_freq);
    if (l->clock.type == ETL_CLOCK_TYPE_CPUCYCLE && l->cpu_speed_in_mhz < 1)
        expect(h, ETL_RULE_TIM_002, ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz), ETL_RELATION_AT_LEAST, 1, 0);
    const uint32_t end_at = ETL_AT(TRACE_LOGFILE_HEADER64, EndTime);
    if (l->end_time == 0)
        expect(h, ETL_RULE_LFH_010, end_at, ETL_RELATION_NOT, 0, 0);
    else if (l->end_time < l->start_time)
        expect(h, ETL_RULE_TIM_005, end_at, ETL_RELATION_AT_LEAST, (uint64_t)l->start_time, (uint64_t)l->end_time);
}

/* Two names of UTF-16, each with its NUL. */
static void due_names(const header *h, etl_span body, uint32_t at)
{
    for (unsigned name = 0; name < 2; name++) {
        const uint32_t start = at;
        while (at + 2 <= body.size && oracle_raw_u16(body.at + at) != 0)
            at += 2;
        at += 2;
        if (at <= body.size)
            continue;
        expect(h, ETL_RULE_LFH_003, start, ETL_RELATION_NONE, 0, 0);
        return;
    }
}

void oracle_due_logfile(oracle_due *due, etl_span raw, uint64_t origin, const etl_logfile *l)
{
    const header h = {due, origin + BODY_AT};
    if (!oracle_logfile_here(raw)) {
        due_missing(due, raw, origin);
        return;
    }
    const etl_span body = body_of(raw);
    const uint32_t fixed = l->pointer_size == 8 ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32);
    if (body.size < fixed) {
        etl_finding finding =
            oracle_due_at(ETL_RULE_LFH_002, ETL_SPACE_FILE, origin + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, Size));
        oracle_due_values(&finding, ETL_RELATION_AT_LEAST, fixed + ETL_SIZE(SYSTEM_TRACE_HEADER),
                          body.size + ETL_SIZE(SYSTEM_TRACE_HEADER));
        oracle_due_expect(due, &finding);
        return;
    }
    due_version(&h, l);
    if (l->stated_pointer_size != l->pointer_size)
        expect(&h, ETL_RULE_LFH_004, ETL_AT(TRACE_LOGFILE_HEADER64, PointerSize), ETL_RELATION_EQUAL, l->pointer_size,
               l->stated_pointer_size);
    expect_range(&h, ETL_RULE_LFH_006, ETL_AT(TRACE_LOGFILE_HEADER64, NumberOfProcessors), 1, PROCESSORS_MOST,
                 l->number_of_processors);
    due_clock(&h, l);
    due_names(&h, body, fixed);
}

/* The clock that a later logfile header states. */
static etl_clock clock_of(etl_span raw, etl_span body)
{
    const bool wide = is_wide(raw);
    const uint64_t major = oracle_raw_get(body, ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion), 1);
    const uint64_t perf_freq = oracle_raw_get(body, MEMBER_AT(wide, PerfFreq), 8);
    etl_clock clock = {.type = (uint32_t)oracle_raw_get(body, MEMBER_AT(wide, ReservedFlags), 4)};
    if (major == 5) /* before 6.0 */
        clock.type = clock.type == 1 ? ETL_CLOCK_TYPE_PERFCOUNTER : ETL_CLOCK_TYPE_SYSTEMTIME;
    clock.start_time = oracle_raw_i64(body.at + MEMBER_AT(wide, StartTime));
    clock.start_ticks = oracle_raw_i64(raw.at + EVENT_AT + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime));
    clock.frequency = perf_freq > INT64_MAX ? 0 : perf_freq;
    if (clock.type == ETL_CLOCK_TYPE_CPUCYCLE)
        clock.frequency = oracle_raw_get(body, ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz), 4);
    return clock;
}

/* The member by which two clocks differ first: start time, type, frequency, ticks; LFH-012 if they are one. */
static etl_finding difference(const etl_clock *first, const etl_clock *later, uint64_t event, bool wide)
{
    const uint64_t body = event + ETL_SIZE(SYSTEM_TRACE_HEADER);
    const uint32_t frequency = later->type == ETL_CLOCK_TYPE_CPUCYCLE ? ETL_AT(TRACE_LOGFILE_HEADER64, CpuSpeedInMHz)
                                                                      : MEMBER_AT(wide, PerfFreq);
    const struct {
        uint64_t offset, first, later;
    } members[] = {
        {body + MEMBER_AT(wide, StartTime), (uint64_t)first->start_time, (uint64_t)later->start_time},
        {body + MEMBER_AT(wide, ReservedFlags), first->type, later->type},
        {body + frequency, first->frequency, later->frequency},
        {event + ETL_AT(SYSTEM_TRACE_HEADER, SystemTime), (uint64_t)first->start_ticks, (uint64_t)later->start_ticks},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].first == members[i].later)
            continue;
        etl_finding finding = oracle_due_at(ETL_RULE_LFH_011, ETL_SPACE_FILE, members[i].offset);
        oracle_due_values(&finding, ETL_RELATION_EQUAL, members[i].first, members[i].later);
        return finding;
    }
    return oracle_due_at(ETL_RULE_LFH_012, ETL_SPACE_FILE, event);
}

void oracle_due_later_logfile(oracle_due *due, const etl_buffer *buffer, const etl_clock *first)
{
    const etl_span raw = buffer->raw, body = body_of(raw);
    const bool wide = is_wide(raw);
    if (!oracle_logfile_here(raw))
        return;
    etl_finding finding = oracle_due_at(ETL_RULE_LFH_012, ETL_SPACE_FILE, buffer->offset + EVENT_AT);
    if (body.size >= (wide ? ETL_SIZE(TRACE_LOGFILE_HEADER64) : ETL_SIZE(TRACE_LOGFILE_HEADER32))) {
        const etl_clock later = clock_of(raw, body);
        finding = difference(first, &later, buffer->offset + EVENT_AT, wide);
    }
    finding.buffer = buffer->index;
    oracle_due_expect(due, &finding);
}
