/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracles over single entry points: each passes on the decoder's result for a few bytes, and fails on a wrong
 * one.
 */
#include <stdio.h>
#include <string.h>

#include "entry_points.h"
#include "oracle.h"
#include "oracle_test.h"

#define HEADER ETL_SIZE(EVENT_HEADER)
#define ITEM ETL_SIZE(EXTENDED_DATA_ITEM)
/* An EVENT_HEADER, one item of 8 bytes, 5 bytes of user data; another event could follow. */
#define EVENT_SIZE (HEADER + ITEM + 8u + 5u)
#define DATA_SIZE ((EVENT_SIZE + 7u) / 8u * 8u)
#define LOGFILE_AT ETL_SIZE(WMI_BUFFER_HEADER_61)
#define LOGFILE_SIZE (ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_SIZE(TRACE_LOGFILE_HEADER64) + 8u)

static const char *const layers[] = {"event", "message", "items", NULL};

static struct played_decode {
    uint8_t bytes[DATA_SIZE], message[64], buffer[LOGFILE_AT + LOGFILE_SIZE];
    oracle_framing one, other;
    etl_event_fields fields;
    etl_event message_event;
    oracle_measure measure;
    etl_findings findings; /* of the measure */
    etl_item item;
    etl_logfile logfile;
    etl_context context;
    etl_buffer_shape shape;
    etl_clock clock;
    bool known;
    uint64_t filetime;
    etl_utc utc;
} s;

static void frame(oracle_framing *f, const uint8_t *bytes, uint32_t size)
{
    f->data = (etl_span){bytes, size};
    f->at = 0;
    f->extent = size;
    f->event = (etl_event){.space = ETL_SPACE_FILE};
    f->findings.count = 0;
    f->framed = etl_event_frame(f->data, 0, size, &f->event, &f->findings);
}

static void make_event(void)
{
    put(s.bytes + ETL_AT(EVENT_HEADER, Size), 2, EVENT_SIZE);
    s.bytes[ETL_AT(EVENT_HEADER, HeaderType)] = ETL_HEADER_TYPE_EVENT_HEADER64;
    s.bytes[ETL_AT(EVENT_HEADER, MarkerFlags)] = ETL_MARKER_EVENT_TRACE;
    put(s.bytes + ETL_AT(EVENT_HEADER, Flags), 2, ETL_EVENT_FLAG_EXTENDED_INFO);
    put(s.bytes + ETL_AT(EVENT_HEADER, TimeStamp), 8, 0x0123456789ABCDEF);
    put(s.bytes + HEADER + ETL_AT(EXTENDED_DATA_ITEM, TotalSize), 2, ITEM + 8);
    put(s.bytes + HEADER + ETL_AT(EXTENDED_DATA_ITEM, ExtType), 2, ETL_ITEM_TYPE_EVENT_KEY);
    put(s.bytes + HEADER + ETL_AT(EXTENDED_DATA_ITEM, DataSize), 2, 8);
    frame(&s.one, s.bytes, DATA_SIZE);
    s.other = s.one;
    etl_event_read(&s.one.event, &s.fields);
    s.measure.at = HEADER;
    s.measure.size = etl_items_measure(&s.one.event, HEADER, &s.measure.whole, &s.findings);
    etl_items items = etl_event_items(&s.one.event);
    etl_items_next(&items, &s.item);
}

static void make_message(void)
{
    static oracle_framing framing;
    put(s.message + ETL_AT(MESSAGE_TRACE_HEADER, Size), 2, sizeof s.message);
    s.message[ETL_AT(MESSAGE_TRACE_HEADER, MarkerFlags)] = ETL_MARKER_MESSAGE;
    put(s.message + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags), 2, ETL_MESSAGE_OPTIONS);
    frame(&framing, s.message, sizeof s.message);
    s.message_event = framing.event;
}

static void make_logfile(void)
{
    uint8_t *event = s.buffer + LOGFILE_AT, *body = event + ETL_SIZE(SYSTEM_TRACE_HEADER);
    etl_findings findings;
    findings.count = 0;
    event[ETL_AT(SYSTEM_TRACE_HEADER, HeaderType)] = ETL_HEADER_TYPE_SYSTEM64;
    event[ETL_AT(SYSTEM_TRACE_HEADER, MarkerFlags)] = ETL_MARKER_EVENT_TRACE;
    put(event + ETL_AT(SYSTEM_TRACE_HEADER, Size), 2, LOGFILE_SIZE);
    body[ETL_AT(TRACE_LOGFILE_HEADER64, MajorVersion)] = 10;
    body[ETL_SIZE(TRACE_LOGFILE_HEADER64)] = 'a'; /* LoggerName; LogFileName is empty */
    put(body + ETL_AT(TRACE_LOGFILE_HEADER64, PerfFreq), 8, 3000000);
    put(body + ETL_AT(TRACE_LOGFILE_HEADER64, StartTime), 8, 132000000000000000);
    put(body + ETL_AT(TRACE_LOGFILE_HEADER64, ReservedFlags), 4, ETL_CLOCK_TYPE_PERFCOUNTER);
    etl_logfile_read((etl_span){s.buffer, sizeof s.buffer}, LOGFILE_AT, 0, &s.logfile, &findings);
    s.context = etl_logfile_context(&s.logfile);
    s.shape = etl_logfile_shape(&s.logfile);
    s.clock = s.logfile.clock;
    s.known = etl_clock_filetime(&s.clock, 1000, &s.filetime);
    etl_filetime_utc(s.filetime, &s.utc);
}

/* An event that cannot be framed: its marker is unknown. */
static void make_refused(void)
{
    s.bytes[ETL_AT(EVENT_HEADER, MarkerFlags)] = 0xF0;
    frame(&s.one, s.bytes, DATA_SIZE);
}

static etl_finding *add_finding(etl_findings *findings, etl_rule rule)
{
    etl_finding *finding = &findings->at[findings->count++];
    *finding = (etl_finding){.rule = rule, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
    return finding;
}

static void nothing(void) {}
static void event_longer(void) { s.one.event.size = s.one.event.size + 1; }
static void event_type(void) { s.one.event.type = ETL_HEADER_TYPE_EVENT_HEADER32; }
static void event_layout(void) { s.one.event.layout = ETL_LAYOUT_FULL; }
static void event_marker(void) { s.one.event.marker = ETL_MARKER_MESSAGE; }
static void event_header(void) { s.one.event.header_size += 8; }
static void event_time(void) { s.one.event.time++; }
static void event_timeless(void) { s.one.event.has_time = false; }
static void event_padding(void) { s.one.event.padding = 0; }
static void event_bytes(void) { s.one.event.bytes.at++; }
static void event_refused(void) { s.one.framed = false; }
static void refused_unsaid(void) { make_refused(), s.one.findings.count = 0; }
static void refused_with_note(void) { make_refused(), s.one.findings.at[0].rule = ETL_RULE_BUF_006; }
static void not_there(void) { make_refused(), s.one.framed = true; }

static bool frame_holds(oracle_watch *o) { return oracle_frame(o, &s.one); }

static bool refused_is_plausible(oracle_watch *o)
{
    make_refused();
    return oracle_plausible(o, &s.one, true);
}

static bool plausible_holds(oracle_watch *o) { return oracle_plausible(o, &s.one, true); }

static void other_size(void) { s.other.event.size++; }
static void other_refused(void) { s.other.framed = false; }
static void other_place(void) { s.other.event.data_size--; }
static void other_finding(void) { add_finding(&s.other.findings, ETL_RULE_EXT_005); }

static void findings_differ(void)
{
    add_finding(&s.one.findings, ETL_RULE_EXT_005);
    add_finding(&s.other.findings, ETL_RULE_EXT_005)->actual = 1;
}

static bool same_holds(oracle_watch *o) { return oracle_same_frame(o, &s.one, &s.other); }

static void finding_of_layer(void) { add_finding(&s.one.findings, ETL_RULE_LFH_001); }
static void finding_after(void) { add_finding(&s.one.findings, ETL_RULE_EXT_005)->offset = EVENT_SIZE + 1; }
static void finding_inflated(void) { add_finding(&s.one.findings, ETL_RULE_EXT_005)->space = ETL_SPACE_INFLATED; }
static void finding_of_structure(void) { add_finding(&s.one.findings, ETL_RULE_PAY_006); }
static void findings_overflow(void) { s.one.findings.overflow = true; }
static bool call_holds(oracle_watch *o) { return oracle_call(o, &s.one.findings, layers, 0, EVENT_SIZE); }

static void field_wrong(void) { s.fields.keyword ^= UINT64_C(1) << 63; }
static void field_guid(void) { s.fields.activity.data4[7]++; }
static void field_of_other_layout(void) { s.fields.pmc[6] = 1; }
static void field_not_there(void) { s.fields.has_sequence = true; }
static bool fields_hold(oracle_watch *o) { return oracle_fields(o, &s.one.event, &s.fields); }

static void message_header(void) { s.message_event.header_size -= 8; }
static void message_time(void) { s.message_event.has_time = false; }
static void message_lost(void) { s.message_event.lost_size = 1; }
static bool message_holds(oracle_watch *o) { return oracle_message(o, &s.message_event); }

static void chain_long(void) { s.measure.size += 8; }
static void chain_short(void) { s.measure.size -= 8; }
static void chain_cut(void) { s.measure.whole = false; }
static bool chain_holds(oracle_watch *o) { return oracle_chain(o, &s.one.event, s.measure); }

static void item_type(void) { s.item.type++; }
static void item_size(void) { s.item.size += 8; }
static void item_layout(void) { s.item.layout = ETL_ITEM_LAYOUT_BYTES; }
static void item_linkage(void) { s.item.linkage = true; }
static void item_data(void) { s.item.data.size++; }
static bool item_holds(oracle_watch *o) { return oracle_item(o, &s.one.event, &s.item); }

static void logfile_unknown(void) { s.logfile.known = false; }
static void logfile_member(void) { s.logfile.buffers_written++; }
static void logfile_moved(void) { s.logfile.boot_time++; }
static void logfile_pointer(void) { s.logfile.log_file_name_pointer++; }
static void logfile_zone(void) { s.logfile.time_zone.daylight_date.milliseconds++; }
static void logfile_zone_name(void) { s.logfile.time_zone.standard_name.size = 2; }
static void logfile_name_short(void) { s.logfile.logger_name.size = 0; }
static void logfile_name_long(void) { s.logfile.logger_name.size = 4; }
static void logfile_name_outside(void) { s.logfile.log_file_name.size = 8; }
static void logfile_start(void) { s.logfile.clock.start_ticks++; }
static void logfile_format(void) { s.logfile.compression_format++; }

static bool logfile_holds(oracle_watch *o)
{
    return oracle_logfile(o, (etl_span){s.buffer, sizeof s.buffer}, &s.logfile);
}

static void context_pointers(void) { s.context.pointer_size = 4; }
static void context_instance(void) { s.context.instance_guid = !s.context.instance_guid; }
static void context_compact(void) { s.context.compact_allowed = false; }
static void context_private(void) { s.context.processor_time = true; }
static void context_shape(void) { s.shape = ETL_BUFFER_SHAPE_60; }
static void context_clock(void) { s.logfile.clock.type = ETL_CLOCK_TYPE_SYSTEMTIME; }
static void context_frequency(void) { s.logfile.clock.frequency++; }
static bool context_holds(oracle_watch *o) { return oracle_context(o, &s.logfile, &s.context, s.shape); }

static void time_late(void) { s.filetime++; }
static void time_early(void) { s.filetime--; }
static void time_unknown(void) { s.known = false; }
static void time_of_raw(void) { s.clock.type = ETL_CLOCK_TYPE_RAW; }
static void time_without_frequency(void) { s.clock.frequency = 0; }
static bool filetime_holds(oracle_watch *o) { return oracle_filetime(o, &s.clock, 1000, s.known, s.filetime); }
static bool order_breaks(oracle_watch *o) { return oracle_order(o, 1, 11, 2, 10); }
static bool order_holds(oracle_watch *o) { return oracle_order(o, 1, 10, 2, 10); }

static void utc_day(void) { s.utc.day++; }
static void utc_hour(void) { s.utc.hour = (uint8_t)((s.utc.hour + 1) % 24); }
static void utc_fraction(void) { s.utc.fraction++; }
static bool calendar_holds(oracle_watch *o) { return oracle_calendar(o, s.filetime, s.known, &s.utc); }
static bool calendar_of_10000(oracle_watch *o) { return oracle_calendar(o, 2650467744000000000, true, &s.utc); }

static const struct row {
    const char *what;
    oracle_promise promise; /* COUNT: none is broken */
    void (*spoil)(void);
    bool (*holds)(oracle_watch *oracle);
} rows[] = {
    {"an event as framed", ORACLE_PROMISE_COUNT, nothing, frame_holds},
    {"an event longer than its Size", ORACLE_PROMISE_EVENT_FRAME, event_longer, frame_holds},
    {"an event of another type", ORACLE_PROMISE_EVENT_FRAME, event_type, frame_holds},
    {"an event of another layout", ORACLE_PROMISE_EVENT_FRAME, event_layout, frame_holds},
    {"an event of another marker", ORACLE_PROMISE_EVENT_FRAME, event_marker, frame_holds},
    {"an event whose header is longer than its structure", ORACLE_PROMISE_EVENT_FRAME, event_header, frame_holds},
    {"an event with another time", ORACLE_PROMISE_EVENT_FRAME, event_time, frame_holds},
    {"an event without its time", ORACLE_PROMISE_EVENT_FRAME, event_timeless, frame_holds},
    {"an event without its padding", ORACLE_PROMISE_EVENT_FRAME, event_padding, frame_holds},
    {"an event of other bytes", ORACLE_PROMISE_EVENT_FRAME, event_bytes, frame_holds},
    {"an event reported as none", ORACLE_PROMISE_EVENT_FRAME, event_refused, frame_holds},
    {"an event reported where there is none", ORACLE_PROMISE_EVENT_FRAME, not_there, frame_holds},
    {"no event reported where there is none", ORACLE_PROMISE_COUNT, make_refused, frame_holds},
    {"no event, without a finding", ORACLE_PROMISE_EVENT_REASON, refused_unsaid, frame_holds},
    {"no event, with only a note", ORACLE_PROMISE_EVENT_REASON, refused_with_note, frame_holds},
    {"an event that is plausible", ORACLE_PROMISE_COUNT, nothing, plausible_holds},
    {"no event, but plausible", ORACLE_PROMISE_PLAUSIBLE, nothing, refused_is_plausible},
    {"the same event twice", ORACLE_PROMISE_COUNT, nothing, same_holds},
    {"another size at another place", ORACLE_PROMISE_SAME_FRAME, other_size, same_holds},
    {"other parts at another place", ORACLE_PROMISE_SAME_FRAME, other_place, same_holds},
    {"no event at another place", ORACLE_PROMISE_SAME_FRAME, other_refused, same_holds},
    {"another finding at another place", ORACLE_PROMISE_SAME_FRAME, other_finding, same_holds},
    {"a finding with another actual value at another place", ORACLE_PROMISE_SAME_FRAME, findings_differ, same_holds},
    {"the findings of a call", ORACLE_PROMISE_COUNT, nothing, call_holds},
    {"a finding of a layer that the call does not read", ORACLE_PROMISE_FINDING_LAYER, finding_of_layer, call_holds},
    {"a finding after the event", ORACLE_PROMISE_FINDING_PLACE, finding_after, call_holds},
    {"a finding in another space", ORACLE_PROMISE_FINDING_PLACE, finding_inflated, call_holds},
    {"a finding of a rule that cannot be violated", ORACLE_PROMISE_FINDING_RULE, finding_of_structure, call_holds},
    {"findings of a call that overflowed", ORACLE_PROMISE_FINDING_COUNT, findings_overflow, call_holds},
    {"the fields of an event", ORACLE_PROMISE_COUNT, nothing, fields_hold},
    {"a field with another value", ORACLE_PROMISE_EVENT_FIELDS, field_wrong, fields_hold},
    {"a GUID with another last byte", ORACLE_PROMISE_EVENT_FIELDS, field_guid, fields_hold},
    {"a field that the layout lacks", ORACLE_PROMISE_EVENT_FIELDS, field_of_other_layout, fields_hold},
    {"a missing field reported as present", ORACLE_PROMISE_EVENT_FIELDS, field_not_there, fields_hold},
    {"a message with all parts", ORACLE_PROMISE_COUNT, nothing, message_holds},
    {"a message with one part fewer", ORACLE_PROMISE_MESSAGE, message_header, message_holds},
    {"a message without its time", ORACLE_PROMISE_MESSAGE, message_time, message_holds},
    {"a message with lost bytes that fit", ORACLE_PROMISE_MESSAGE, message_lost, message_holds},
    {"a chain as measured", ORACLE_PROMISE_COUNT, nothing, chain_holds},
    {"a chain too long", ORACLE_PROMISE_CHAIN, chain_long, chain_holds},
    {"a chain too short", ORACLE_PROMISE_CHAIN, chain_short, chain_holds},
    {"a whole chain reported as truncated", ORACLE_PROMISE_CHAIN, chain_cut, chain_holds},
    {"an item as read", ORACLE_PROMISE_COUNT, nothing, item_holds},
    {"an item of another type", ORACLE_PROMISE_ITEM, item_type, item_holds},
    {"an item of another size", ORACLE_PROMISE_ITEM, item_size, item_holds},
    {"an item of another layout", ORACLE_PROMISE_ITEM, item_layout, item_holds},
    {"an item with a link that it lacks", ORACLE_PROMISE_ITEM, item_linkage, item_holds},
    {"an item with more data than DataSize states", ORACLE_PROMISE_ITEM, item_data, item_holds},
    {"a logfile header as read", ORACLE_PROMISE_COUNT, nothing, logfile_holds},
    {"a logfile header reported as unknown", ORACLE_PROMISE_LOGFILE, logfile_unknown, logfile_holds},
    {"a member with another value", ORACLE_PROMISE_LOGFILE, logfile_member, logfile_holds},
    {"a member after the pointers with another value", ORACLE_PROMISE_LOGFILE, logfile_moved, logfile_holds},
    {"a pointer with another value", ORACLE_PROMISE_LOGFILE, logfile_pointer, logfile_holds},
    {"another daylight date", ORACLE_PROMISE_LOGFILE, logfile_zone, logfile_holds},
    {"a time zone's name past its NUL", ORACLE_PROMISE_LOGFILE, logfile_zone_name, logfile_holds},
    {"a logger's name cut off", ORACLE_PROMISE_LOGFILE, logfile_name_short, logfile_holds},
    {"a logger's name past its NUL", ORACLE_PROMISE_LOGFILE, logfile_name_long, logfile_holds},
    {"a file name outside the event", ORACLE_PROMISE_LOGFILE, logfile_name_outside, logfile_holds},
    {"a clock with another start", ORACLE_PROMISE_LOGFILE, logfile_start, logfile_holds},
    {"another compression format", ORACLE_PROMISE_LOGFILE, logfile_format, logfile_holds},
    {"the context of a logfile header", ORACLE_PROMISE_COUNT, nothing, context_holds},
    {"a context with another pointer size", ORACLE_PROMISE_CONTEXT, context_pointers, context_holds},
    {"a context with other INSTANCE headers", ORACLE_PROMISE_CONTEXT, context_instance, context_holds},
    {"a context without COMPACT headers", ORACLE_PROMISE_CONTEXT, context_compact, context_holds},
    {"a context of a private logger", ORACLE_PROMISE_CONTEXT, context_private, context_holds},
    {"another buffer shape", ORACLE_PROMISE_CONTEXT, context_shape, context_holds},
    {"a clock of another type", ORACLE_PROMISE_CONTEXT, context_clock, context_holds},
    {"a clock of another frequency", ORACLE_PROMISE_CONTEXT, context_frequency, context_holds},
    {"a time as converted", ORACLE_PROMISE_COUNT, nothing, filetime_holds},
    {"a time 100 ns late", ORACLE_PROMISE_FILETIME, time_late, filetime_holds},
    {"a time 100 ns early", ORACLE_PROMISE_FILETIME, time_early, filetime_holds},
    {"a time in range reported as unknown", ORACLE_PROMISE_FILETIME, time_unknown, filetime_holds},
    {"a time of a RAW clock", ORACLE_PROMISE_FILETIME, time_of_raw, filetime_holds},
    {"a time of a clock without frequency", ORACLE_PROMISE_FILETIME, time_without_frequency, filetime_holds},
    {"two ticks with one time", ORACLE_PROMISE_COUNT, nothing, order_holds},
    {"a later tick with an earlier time", ORACLE_PROMISE_TIME_ORDER, nothing, order_breaks},
    {"a calendar time", ORACLE_PROMISE_COUNT, nothing, calendar_holds},
    {"a calendar time with another day", ORACLE_PROMISE_CALENDAR, utc_day, calendar_holds},
    {"a calendar time with another hour", ORACLE_PROMISE_CALENDAR, utc_hour, calendar_holds},
    {"a calendar time with another fraction", ORACLE_PROMISE_CALENDAR, utc_fraction, calendar_holds},
    {"a calendar time in range reported as unknown", ORACLE_PROMISE_CALENDAR, time_unknown, calendar_holds},
    {"a calendar time in the year 10000", ORACLE_PROMISE_CALENDAR, nothing, calendar_of_10000},
};

/* Where a promise of this decode breaks: at its start, unless a part of it is wrong. */
static uint64_t place_of(oracle_promise promise)
{
    if (promise == ORACLE_PROMISE_CHAIN || promise == ORACLE_PROMISE_ITEM)
        return HEADER;
    if (promise == ORACLE_PROMISE_LOGFILE || promise == ORACLE_PROMISE_CONTEXT)
        return LOGFILE_AT;
    return promise == ORACLE_PROMISE_FINDING_PLACE ? s.one.findings.at[s.one.findings.count - 1].offset : 0;
}

void test_direct(bool fired[ORACLE_PROMISE_COUNT])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        oracle_watch oracle;
        memset(&s, 0, sizeof s);
        make_event();
        make_message();
        make_logfile();
        oracle_init(&oracle, DATA_SIZE, ETL_LIMITS_DEFAULT, true);
        rows[i].spoil();
        bool held = rows[i].holds(&oracle);
        bool right = oracle.broken == rows[i].promise && held == (oracle.broken == ORACLE_PROMISE_COUNT) &&
                     (held || oracle.broken_at == place_of(oracle.broken));
        say(right, rows[i].what);
        if (!right)
            printf("# expected %s, got %s\n", oracle_promise_name(rows[i].promise), oracle_promise_name(oracle.broken));
        if (oracle.broken < ORACLE_PROMISE_COUNT)
            fired[oracle.broken] = true;
    }
}
