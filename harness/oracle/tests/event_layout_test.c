/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over one event, for every layout: each passes on the decoder's result, and fails for each wrong
 * member.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"

/* The event is not at the start of its bytes. */
#define AT 8u
#define C0 ETL_MARKER_EVENT_TRACE
#define OF(structure) ETL_SIZE(structure)
#define TYPE(name) ETL_HEADER_TYPE_##name
#define LATEST {.pointer_size = 8, .known = true, .instance_guid = true, .compact_allowed = true}
#define OLD {.pointer_size = 4, .known = true, .thread_id_64 = true}
#define PRIVATE {.pointer_size = 8, .known = true, .instance_guid = true, .processor_time = true}

/* An event of `size` bytes, all different, with one word set; `available` bytes follow before the end of the data. */
typedef struct row {
    const char *what;
    uint8_t type, marker;
    uint16_t size;
    uint8_t word_at; /* 0: the first word, or no word if the first is Size */
    uint16_t word;
    uint8_t available;
    etl_context context;
} row;

#define PEBS_AND_TWO 0x8200
#define MESSAGE(what, size, options, available) {what, 0x55, ETL_MARKER_MESSAGE, size, 6, options, available, LATEST}

static const row rows[] = {
    {"SYSTEM", TYPE(SYSTEM64), C0, OF(SYSTEM_TRACE_HEADER), 0, 2, 0, LATEST},
    {"SYSTEM with a version that looks like counters", TYPE(SYSTEM32), C0, OF(SYSTEM_TRACE_HEADER) + 64, 0, 0x8702, 0,
     LATEST},
    {"COMPACT", TYPE(COMPACT32), C0, OF(COMPACT_TRACE_HEADER) + 3, 0, 2, 5, LATEST},
    {"PERFINFO", TYPE(PERFINFO64), C0, OF(PERFINFO_TRACE_HEADER), 0, 2, 0, LATEST},
    {"PERFINFO with counters", TYPE(PERFINFO32), C0, OF(PERFINFO_TRACE_HEADER) + 24, 0, PEBS_AND_TWO, 0, LATEST},
    {"PERFINFO with a PEBS index", TYPE(PERFINFO32), C0, OF(PERFINFO_TRACE_HEADER) + 12, 0, 0x8001, 4, LATEST},
    {"PERFINFO with seven counters", TYPE(PERFINFO64), C0, OF(PERFINFO_TRACE_HEADER) + 56, 0, 0x0700, 0, LATEST},
    {"PERFINFO with all bits of a version but that of a PEBS index", TYPE(PERFINFO64), C0, OF(PERFINFO_TRACE_HEADER) + 64,
     0, 0x7F00, 0, LATEST},
    {"PERFINFO too short for its counters", TYPE(PERFINFO64), C0, OF(PERFINFO_TRACE_HEADER) + 23, 0, PEBS_AND_TWO, 1,
     LATEST},
    {"FULL", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER), 0, 0, 0, LATEST},
    {"FULL of 5.0", TYPE(FULL_HEADER32), C0, OF(EVENT_TRACE_HEADER) + 9, 0, 0, 3, OLD},
    {"FULL of a private logger", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER) + 1, 0, 0, 8, PRIVATE},
    {"INSTANCE", TYPE(INSTANCE32), C0, OF(EVENT_INSTANCE_HEADER), 0, 0, 0, OLD},
    {"INSTANCE with GUIDs", TYPE(INSTANCE64), C0, OF(EVENT_INSTANCE_GUID_HEADER), 0, 0, 0, LATEST},
    {"EVENT", TYPE(EVENT_HEADER64), C0, OF(EVENT_HEADER), 4, 0, 0, LATEST},
    {"EVENT of a private session", TYPE(EVENT_HEADER32), C0, OF(EVENT_HEADER) + 7, 4, ETL_EVENT_FLAG_PRIVATE_SESSION, 0,
     LATEST},
    {"EVENT of a private logger", TYPE(EVENT_HEADER64), C0, OF(EVENT_HEADER) + 7, 4, 0, 1, PRIVATE},
    MESSAGE("a message without parts", OF(MESSAGE_TRACE_HEADER), 0, 0),
    MESSAGE("a message with all parts", 40, ETL_MESSAGE_OPTIONS, 0),
    MESSAGE("a message with a GUID", 24, ETL_MESSAGE_OPTION_GUID, 0),
    MESSAGE("a message with a component and no GUID", 19, ETL_MESSAGE_OPTION_COMPONENTID | ETL_MESSAGE_OPTION_GUID, 5),
    MESSAGE("a message with PERFORMANCE_TIMESTAMP and no time", 24,
            ETL_MESSAGE_OPTION_PERFORMANCE_TIMESTAMP | ETL_MESSAGE_OPTION_SYSTEMINFO, 0),
    MESSAGE("a message with only a time", 16, ETL_MESSAGE_OPTION_TIMESTAMP | ETL_MESSAGE_OPTION_POINTER32, 0),
    MESSAGE("a message with only a sequence number", 12, ETL_MESSAGE_OPTION_SEQUENCE | ETL_MESSAGE_OPTION_POINTER64, 4),
    MESSAGE("a message cut before its time", 15, ETL_MESSAGE_OPTION_SEQUENCE | ETL_MESSAGE_OPTION_TIMESTAMP, 1),
    {"TIMED", 0x77, ETL_MARKER_ULONG32_TIME, 24, 0, 0, 0, LATEST},
    {"ERROR", TYPE(ERROR), C0, OF(OPAQUE_HEADER), 0, 0, 0, LATEST},
    {"an unknown type", 0x66, C0, 17, 0, 0, 7, LATEST},
    {"the type MESSAGE, which is never stored", TYPE(MESSAGE), C0, 24, 0, 0, 0, LATEST},
    {"WNODE_HEADER", 0, 0, OF(WNODE_HEADER), 0, 0, 0, LATEST},
};

static struct played_decode {
    uint8_t bytes[128];
    oracle_framing framing;
    etl_event_fields fields;
} s;

static bool has_hook(const row *r)
{
    return r->marker == C0 && (r->type <= TYPE(COMPACT64) || r->type == TYPE(PERFINFO32) ||
                               r->type == TYPE(PERFINFO64));
}

/* `extent`: how many bytes from the start of the event the events end. */
static void make(const row *r, uint32_t extent)
{
    oracle_framing *f = &s.framing;
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < r->size; i++)
        s.bytes[AT + i] = (uint8_t)(0xA1 + i);
    s.bytes[AT + 2] = r->type;
    s.bytes[AT + 3] = r->marker;
    put(s.bytes + AT, 2, has_hook(r) ? r->word : r->size);
    if (has_hook(r))
        put(s.bytes + AT + 4, 2, r->size);
    else if (r->word_at)
        put(s.bytes + AT + r->word_at, 2, r->word);
    f->data = (etl_span){s.bytes, AT + r->size + r->available};
    f->at = AT;
    f->extent = AT + extent;
    f->event = (etl_event){.offset = 0x1000, .space = ETL_SPACE_FILE, .context = r->context};
    f->framed = etl_event_frame(f->data, f->at, f->extent, &f->event, &f->findings);
    if (f->framed)
        etl_event_read(&f->event, &s.fields);
}

typedef bool check(oracle_watch *oracle);

static bool frame_holds(oracle_watch *o) { return oracle_frame(o, &s.framing); }
static bool fields_hold(oracle_watch *o) { return oracle_fields(o, &s.framing.event, &s.fields); }
static bool message_holds(oracle_watch *o) { return oracle_message(o, &s.framing.event); }

static bool keeps(check *holds, oracle_promise expected)
{
    oracle_watch oracle;
    oracle_init(&oracle, sizeof s.bytes, ETL_LIMITS_DEFAULT, true);
    return holds(&oracle) == (expected == ORACLE_PROMISE_COUNT) && oracle.broken == expected;
}

/* Prints the member only if the check fails. */
static bool judge(const char *what, const char *member, check *holds, oracle_promise expected)
{
    const bool right = keeps(holds, expected);
    if (!right)
        printf("# %s, %s: expected %s\n", what, member, oracle_promise_name(expected));
    return right;
}

/* A member of a structure, and where its first byte is. */
typedef struct place {
    const char *name;
    size_t at;
} place;

#define FIELD(name) {#name, offsetof(etl_event_fields, name)}
static const place fields[] = {
    FIELD(has_thread_id), FIELD(has_process_id), FIELD(has_times), FIELD(has_processor_time), FIELD(thread_id),
    FIELD(process_id), FIELD(kernel_time), FIELD(user_time), FIELD(processor_time), FIELD(hook), FIELD(version_word),
    FIELD(has_pebs), FIELD(pebs), FIELD(pmc_count), FIELD(pmc), FIELD(pmc[6]), FIELD(version), FIELD(type), FIELD(level),
    FIELD(flags), FIELD(property), FIELD(id), FIELD(channel), FIELD(opcode), FIELD(task), FIELD(keyword), FIELD(activity),
    FIELD(has_provider), FIELD(provider), FIELD(instance_id), FIELD(parent_instance_id), FIELD(parent_provider),
    FIELD(reg_handle), FIELD(parent_reg_handle), FIELD(message), FIELD(options), FIELD(has_sequence),
    FIELD(has_component_id), FIELD(sequence), FIELD(component_id),
};

#define MEMBER(name) {#name, offsetof(etl_event, name)}
/* Fields of every event; of all but messages; of an EVENT with items only. */
static const place of_all[] = {MEMBER(size), MEMBER(padding), MEMBER(type), MEMBER(marker), MEMBER(layout),
                               MEMBER(bytes.at), MEMBER(bytes.size)};
static const place of_header[] = {MEMBER(header_size), MEMBER(has_time), MEMBER(time), MEMBER(items_size)};
static const place of_message[] = {MEMBER(header_size), MEMBER(has_time), MEMBER(time), MEMBER(items_size),
                                   MEMBER(lost_size)};
static const place of_lost[] = {MEMBER(lost_size)};

static void flip(void *structure, const place *member)
{
    uint8_t *byte = (uint8_t *)structure + member->at;
    *byte ^= 1;
}

static bool judge_members(const row *r, void *structure, const place *members, size_t count, check *holds,
                          oracle_promise promise)
{
    bool right = true;
    for (size_t i = 0; i < count; i++) {
        flip(structure, &members[i]);
        right = judge(r->what, members[i].name, holds, promise) && right;
        flip(structure, &members[i]);
    }
    return right;
}

#define MEMBERS(structure, members, holds, promise) \
    judge_members(r, structure, members, sizeof members / sizeof members[0], holds, promise)

static bool row_holds(const row *r)
{
    etl_event *event = &s.framing.event;
    make(r, r->size);
    if (!s.framing.framed)
        return false;
    bool right = judge(r->what, "as framed", frame_holds, ORACLE_PROMISE_COUNT) &&
                 judge(r->what, "as read", fields_hold, ORACLE_PROMISE_COUNT) &&
                 MEMBERS(&s.fields, fields, fields_hold, ORACLE_PROMISE_EVENT_FIELDS) &&
                 MEMBERS(event, of_all, frame_holds, ORACLE_PROMISE_EVENT_FRAME);
    if (event->layout == ETL_LAYOUT_MESSAGE)
        return right && judge(r->what, "as parted", message_holds, ORACLE_PROMISE_COUNT) &&
               MEMBERS(event, of_message, message_holds, ORACLE_PROMISE_MESSAGE);
    right = right && MEMBERS(event, of_header, frame_holds, ORACLE_PROMISE_EVENT_FRAME);
    /* Where counters do not fit, the rest of the event is lost, so `lost_size` of PERFINFO is free. */
    return right && MEMBERS(event, of_lost, frame_holds,
                            event->layout == ETL_LAYOUT_PERFINFO ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_EVENT_FRAME);
}

/* The frame alone does not decide the size of items in an EVENT with EXTENDED_INFO. */
static void test_items(void)
{
    static const row r = {"EVENT with items", TYPE(EVENT_HEADER64), C0, OF(EVENT_HEADER) + 8, 4,
                          ETL_EVENT_FLAG_EXTENDED_INFO, 0, LATEST};
    make(&r, r.size);
    s.framing.event.items_size += 8;
    s.framing.event.lost_size += 8;
    say(keeps(frame_holds, ORACLE_PROMISE_COUNT), r.what);
}

/* The size of an event decides whether it is skipped. */
static const struct size_row {
    const char *what;
    row event;
    uint16_t extent;
    bool framed; /* whether it must be framed */
    oracle_promise otherwise;
} sizes[] = {
    {"an event that fills the extent", {"", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER) + 8, 0, 0, 0, LATEST},
     OF(EVENT_TRACE_HEADER) + 8, true, ORACLE_PROMISE_EVENT_FRAME},
    {"an event of only its header", {"", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER), 0, 0, 16, LATEST},
     OF(EVENT_TRACE_HEADER) + 16, true, ORACLE_PROMISE_EVENT_FRAME},
    {"an event past the extent", {"", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER) + 8, 0, 0, 0, LATEST},
     OF(EVENT_TRACE_HEADER) + 7, false, ORACLE_PROMISE_EVENT_FRAME},
    {"an event shorter than its header", {"", TYPE(SYSTEM64), C0, OF(SYSTEM_TRACE_HEADER) - 1, 0, 0, 9, LATEST},
     OF(SYSTEM_TRACE_HEADER) + 8, false, ORACLE_PROMISE_EVENT_FRAME},
    {"a WNODE_HEADER shorter than its structure", {"", 0, 0, OF(WNODE_HEADER) - 1, 0, 0, 1, LATEST}, OF(WNODE_HEADER),
     false, ORACLE_PROMISE_EVENT_FRAME},
    {"fewer than the first eight bytes", {"", TYPE(ERROR), C0, 8, 0, 0, 0, LATEST}, 7, false,
     ORACLE_PROMISE_EVENT_FRAME},
    {"an unknown marker", {"", TYPE(WNODE_HEADER), 0xF0, 16, 0, 0, 0, LATEST}, 16, false, ORACLE_PROMISE_EVENT_FRAME},
    /* For an event without layout, the bytes that follow decide too. */
    {"an event without layout", {"", TYPE(ERROR), C0, 16, 0, 0, 0, LATEST}, 16, true, ORACLE_PROMISE_COUNT},
};

/* All members agree with one another, but with another layout or a larger size. */
static void test_agreed(void)
{
    static const row opaque = {"", TYPE(ERROR), C0, 16, 0, 0, 0, LATEST};
    static const row full = {"", TYPE(FULL_HEADER64), C0, OF(EVENT_TRACE_HEADER) + 1, 0, 0, 7, LATEST};
    etl_event *event = &s.framing.event;
    make(&opaque, opaque.size);
    event->layout = ETL_LAYOUT_MESSAGE;
    say(keeps(frame_holds, ORACLE_PROMISE_EVENT_FRAME), "an event without layout that is framed as a message");
    make(&full, full.size + 7);
    event->size++;
    event->bytes.size++;
    event->padding--;
    say(keeps(frame_holds, ORACLE_PROMISE_EVENT_FRAME), "an event whose sizes are all one byte larger");
}

/* The size of a WNODE_HEADER is all of its first dword. */
static void test_large(void)
{
    enum { LARGE = 0x10000 + ETL_SIZE(WNODE_HEADER) };
    static uint8_t bytes[LARGE];
    oracle_framing *f = &s.framing;
    memset(&s, 0, sizeof s);
    bytes[0] = ETL_SIZE(WNODE_HEADER);
    bytes[2] = 1;
    *f = (oracle_framing){.data = {bytes, LARGE}, .extent = LARGE, .event = {.space = ETL_SPACE_FILE, .context = LATEST}};
    f->framed = etl_event_frame(f->data, 0, LARGE, &f->event, &f->findings);
    say(f->framed && f->event.size == LARGE && keeps(frame_holds, ORACLE_PROMISE_COUNT),
        "a WNODE_HEADER of more than 64 KiB");
}

/* Sets the members that the first bytes state, whether or not the event is valid. */
static void state(const row *r)
{
    etl_event *e = &s.framing.event;
    e->type = r->marker ? r->type : TYPE(WNODE_HEADER);
    e->marker = r->marker;
    e->layout = r->type == TYPE(FULL_HEADER64) ? ETL_LAYOUT_FULL
                : r->type == TYPE(SYSTEM64)    ? ETL_LAYOUT_SYSTEM
                                                         : ETL_LAYOUT_OPAQUE;
    e->bytes = (etl_span){s.bytes + AT, r->size};
    e->size = r->size;
    e->padding = (8 - r->size % 8u) % 8;
    e->header_size = e->layout == ETL_LAYOUT_FULL     ? OF(EVENT_TRACE_HEADER)
                     : e->layout == ETL_LAYOUT_SYSTEM ? OF(SYSTEM_TRACE_HEADER)
                                                      : OF(OPAQUE_HEADER);
    e->has_time = e->layout != ETL_LAYOUT_OPAQUE;
    for (unsigned i = 8; e->has_time && i-- > 0;)
        e->time = (int64_t)((uint64_t)e->time << 8 | s.bytes[AT + 0x10 + i]);
}

static void test_sizes(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct size_row *r = &sizes[i];
        make(&r->event, r->extent);
        bool right = s.framing.framed == r->framed && keeps(frame_holds, ORACLE_PROMISE_COUNT);
        s.framing.framed = !r->framed;
        s.framing.findings.at[0].rule = ETL_RULE_BUF_002; /* an error, where the decoder reported none */
        s.framing.findings.count = 1;
        if (s.framing.framed)
            state(&r->event);
        say(right && keeps(frame_holds, r->otherwise), r->what);
    }
}

static bool plausible(oracle_watch *o) { return oracle_plausible(o, &s.framing, true); }
static bool not_plausible(oracle_watch *o) { return oracle_plausible(o, &s.framing, false); }

/* A search does not know which INSTANCE header the file has. */
static void test_plausible(void)
{
    static const struct {
        const char *what;
        row event;
        uint16_t extent;
        check *holds;
        oracle_promise promise;
    } places[] = {
        {"an INSTANCE header of the other form", {"", TYPE(INSTANCE64), C0, OF(EVENT_INSTANCE_HEADER), 0, 0, 0, LATEST},
         OF(EVENT_INSTANCE_HEADER), plausible, ORACLE_PROMISE_COUNT},
        {"an INSTANCE header shorter than either", {"", TYPE(INSTANCE64), C0, OF(EVENT_INSTANCE_HEADER) - 1, 0, 0, 1,
         LATEST}, OF(EVENT_INSTANCE_HEADER), plausible, ORACLE_PROMISE_PLAUSIBLE},
        {"an INSTANCE header with GUIDs past the extent", {"", TYPE(INSTANCE64), C0, OF(EVENT_INSTANCE_GUID_HEADER), 0,
         0, 0, LATEST}, OF(EVENT_INSTANCE_HEADER), plausible, ORACLE_PROMISE_PLAUSIBLE},
        {"a FULL header as long as an INSTANCE header", {"", TYPE(FULL_HEADER64), C0, OF(EVENT_INSTANCE_HEADER), 0, 0,
         0, LATEST}, OF(EVENT_INSTANCE_HEADER) - 1, plausible, ORACLE_PROMISE_PLAUSIBLE},
        {"an event of eight bytes", {"", TYPE(ERROR), C0, 8, 0, 0, 0, LATEST}, 8, plausible, ORACLE_PROMISE_COUNT},
        {"an INSTANCE header one byte too short for GUIDs", {"", TYPE(INSTANCE64), C0, OF(EVENT_INSTANCE_GUID_HEADER) - 1,
         0, 0, 1, LATEST}, OF(EVENT_INSTANCE_GUID_HEADER), plausible, ORACLE_PROMISE_COUNT},
        {"no event, and not plausible", {"", TYPE(ERROR), C0, 8, 0, 0, 0, LATEST}, 7, not_plausible,
         ORACLE_PROMISE_COUNT},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        make(&places[i].event, places[i].extent);
        say(keeps(places[i].holds, places[i].promise), places[i].what);
    }
    make(&places[4].event, 7);
    s.framing.framed = true;
    say(keeps(plausible, ORACLE_PROMISE_PLAUSIBLE), "an event of fewer than eight bytes, reported as plausible");
}

static oracle_framing elsewhere;
static bool same_holds(oracle_watch *o) { return oracle_same_frame(o, &s.framing, &elsewhere); }

/* The members in which the two events, and the two findings, must agree. */
static const place of_event[] = {MEMBER(index), MEMBER(buffer), MEMBER(offset), MEMBER(space), MEMBER(size),
                                 MEMBER(header_size), MEMBER(items_size), MEMBER(data_size), MEMBER(lost_size),
                                 MEMBER(type), MEMBER(marker), MEMBER(layout), MEMBER(has_time), MEMBER(time)};
#define FINDING(name) {#name, offsetof(etl_finding, name)}
static const place of_finding[] = {FINDING(rule), FINDING(action), FINDING(relation), FINDING(space), FINDING(offset),
                                   FINDING(lost), FINDING(buffer), FINDING(event), FINDING(expected), FINDING(actual)};

static void test_same_frame(void)
{
    static const row same = {"the same event at another place", TYPE(PERFINFO64), C0, OF(PERFINFO_TRACE_HEADER) + 23, 0,
                             PEBS_AND_TWO, 1, LATEST};
    const row *const r = &same;
    make(r, r->size);
    s.framing.findings.at[0] = (etl_finding){.rule = ETL_RULE_BUF_002, .offset = 0x1004};
    s.framing.findings.count = 1;
    elsewhere = s.framing;
    elsewhere.at += 0x40;
    elsewhere.event.offset += 0x40;
    elsewhere.findings.at[0].offset += 0x40;
    say(judge(r->what, "unchanged", same_holds, ORACLE_PROMISE_COUNT) &&
            MEMBERS(&elsewhere.event, of_event, same_holds, ORACLE_PROMISE_SAME_FRAME) &&
            MEMBERS(&elsewhere.findings.at[0], of_finding, same_holds, ORACLE_PROMISE_SAME_FRAME),
        r->what);
    const oracle_framing before = s.framing;
    s.framing = elsewhere;
    elsewhere = before;
    say(keeps(same_holds, ORACLE_PROMISE_COUNT), "the same event at an earlier place");
    elsewhere = s.framing;
    s.framing = before;
    s.framing.findings.count = elsewhere.findings.count = 2;
    s.framing.findings.at[1] = s.framing.findings.at[0];
    elsewhere.findings.at[1] = elsewhere.findings.at[0];
    say(keeps(same_holds, ORACLE_PROMISE_COUNT), "an event and its two findings");
    elsewhere.findings.at[1].lost++;
    say(keeps(same_holds, ORACLE_PROMISE_SAME_FRAME), "an event and its findings, of which the second differs");
    s.framing.findings.count = elsewhere.findings.count = 1;
    elsewhere.at += 8;
    say(keeps(same_holds, ORACLE_PROMISE_SAME_FRAME), "an event and its finding, both at a wrong distance");
    elsewhere.at -= 8;
    elsewhere.event.padding++;
    say(keeps(same_holds, ORACLE_PROMISE_COUNT), "more padding where more bytes follow");
    elsewhere.event.padding = 0;
    say(s.framing.event.padding > 0 && keeps(same_holds, ORACLE_PROMISE_SAME_FRAME),
        "less padding where more bytes follow");
    s.framing.framed = elsewhere.framed = false;
    say(keeps(same_holds, ORACLE_PROMISE_COUNT), "no event in either place, with different fields");
}

static uint64_t call_from;
static bool call_holds(oracle_watch *o)
{
    static const char *const layers[] = {"event", "items", NULL};
    return oracle_call(o, &s.framing.findings, layers, call_from, 100);
}

static void test_call(void)
{
    static const struct {
        const char *what;
        uint32_t count;
        uint64_t offset, lost;
        oracle_promise promise;
    } calls[] = {
        {"a finding at the first byte", 1, 60, 0, ORACLE_PROMISE_COUNT},
        {"a finding at the byte after the last", 1, 100, 0, ORACLE_PROMISE_COUNT},
        {"a finding before the first byte", 1, 59, 0, ORACLE_PROMISE_FINDING_PLACE},
        {"a finding that reports all bytes as lost", 1, 60, 40, ORACLE_PROMISE_COUNT},
        {"a finding that reports more bytes as lost than there are", 1, 60, 41, ORACLE_PROMISE_FINDING_PLACE},
        {"as many findings as fit", ETL_FINDINGS_MAX, 60, 0, ORACLE_PROMISE_COUNT},
        {"more findings of a call than fit", ETL_FINDINGS_MAX + 1, 60, 0, ORACLE_PROMISE_FINDING_COUNT},
    };
    call_from = 60;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        memset(&s, 0, sizeof s);
        for (size_t n = 0; n < ETL_FINDINGS_MAX; n++)
            s.framing.findings.at[n] =
                (etl_finding){.rule = ETL_RULE_EXT_005, .offset = calls[i].offset, .lost = calls[i].lost};
        s.framing.findings.count = calls[i].count;
        say(keeps(call_holds, calls[i].promise), calls[i].what);
    }
    s.framing.findings.count = 2;
    s.framing.findings.at[1].offset = 59;
    say(keeps(call_holds, ORACLE_PROMISE_FINDING_PLACE), "a second finding before the first byte");
}

void test_layouts(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        say(row_holds(&rows[i]), rows[i].what);
    test_items();
    test_agreed();
    test_large();
    test_sizes();
    test_plausible();
    test_same_frame();
    test_call();
}
