/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the hash of a decode: each value that the decoder reports changes the hash, even if all other values are the same.
 * The values are set by hand, so the checks of some promises fail; only the hash is compared.
 */
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"
#include "step_checks.h"

#define BYTES 256u

/* The values of a decode, and the bytes of its buffer, which are all different. */
static struct {
    uint8_t bytes[BYTES];
    etl_buffer buffer;
    etl_event event;
    etl_clock clock;
    etl_region region;
    etl_reader reader;
} s;

typedef void change(void);
typedef void call(oracle_watch *oracle);

static void make(void)
{
    memset(&s, 0, sizeof s);
    for (unsigned i = 0; i < BYTES; i++)
        s.bytes[i] = (uint8_t)i;
    s.buffer.raw = s.buffer.data = (etl_span){s.bytes, BYTES};
    s.event = (etl_event){.offset = 0x48, .bytes = {s.bytes + 0x48, 0x90}, .size = 0x90, .layout = ETL_LAYOUT_EVENT,
                          .header_size = ETL_SIZE(EVENT_HEADER), .data_size = 0x90 - ETL_SIZE(EVENT_HEADER),
                          .type = 0x66, .has_time = true};
    s.clock.type = ETL_CLOCK_TYPE_COUNT; /* says no time: only the ticks count */
    s.region = (etl_region){ETL_REGION_SLACK, ETL_SPACE_FILE, 0, 8};
    s.reader.buffer = s.buffer;
    s.reader.findings.count = 1;
    s.reader.findings.at[0] = (etl_finding){.rule = ETL_RULE_BUF_002, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
}

static void call_buffer(oracle_watch *oracle) { oracle_buffer(oracle, &s.buffer); }
static void call_event(oracle_watch *oracle) { oracle_event(oracle, &s.event, &s.buffer, &s.clock); }
static void call_message(oracle_watch *oracle)
{
    s.event.layout = ETL_LAYOUT_MESSAGE;
    call_event(oracle);
}
/* All fields are 0 in every layout. */
static void call_blank(oracle_watch *oracle)
{
    memset(s.bytes, 0, sizeof s.bytes);
    call_event(oracle);
}
static void call_region(oracle_watch *oracle) { oracle_region(oracle, &s.region); }
static void call_findings(oracle_watch *oracle) { oracle_findings(oracle, &s.reader); }

#define CHANGE(name, statement)                                                                                            \
    static void name(void)                                                                                                 \
    {                                                                                                                      \
        statement;                                                                                                         \
    }
CHANGE(nothing, (void)s)
CHANGE(processor, s.buffer.header.processor++)
CHANGE(buffer_size, s.buffer.header.buffer_size++)
CHANGE(time_stamp, s.buffer.header.time_stamp++)
CHANGE(time_stamp_high, s.buffer.header.time_stamp += INT64_C(1) << 32)
CHANGE(inflated_from, s.buffer.inflated_from++)
CHANGE(extent, s.buffer.extent++)
CHANGE(event_type, s.event.type++)
CHANGE(pointer_size, s.bytes[0x48 + ETL_AT(MESSAGE_TRACE_HEADER, OptionFlags)] ^= ETL_MESSAGE_OPTION_POINTER32 |
                                                                               ETL_MESSAGE_OPTION_POINTER64)
CHANGE(event_marker, s.event.marker++)
CHANGE(event_layout, s.event.layout = ETL_LAYOUT_OPAQUE)
CHANGE(event_time, s.event.time++)
CHANGE(event_time_high, s.event.time += INT64_C(1) << 32)
CHANGE(thread_id, s.bytes[0x48 + ETL_AT(EVENT_HEADER, ThreadId)]++)
CHANGE(process_id, s.bytes[0x48 + ETL_AT(EVENT_HEADER, ProcessId)]++)
CHANGE(provider, s.bytes[0x48 + ETL_AT(EVENT_HEADER, ProviderId)]++)
CHANGE(extension_mask, s.bytes[0x48 + ETL_SIZE(EVENT_HEADER)]++)
CHANGE(system_time, s.clock.type = ETL_CLOCK_TYPE_SYSTEMTIME)
CHANGE(region_kind, s.region.kind = ETL_REGION_TAIL)
CHANGE(region_space, s.region.space = ETL_SPACE_INFLATED)
CHANGE(region_offset, s.region.offset++)
CHANGE(region_size, s.region.size++)
CHANGE(finding_rule, s.reader.findings.at[0].rule = ETL_RULE_BUF_001)
CHANGE(finding_action, s.reader.findings.at[0].action = ETL_ACTION_RESYNC)
CHANGE(finding_space, s.reader.findings.at[0].space = ETL_SPACE_INFLATED)
CHANGE(finding_offset, s.reader.findings.at[0].offset++)
CHANGE(finding_lost, s.reader.findings.at[0].lost++)
CHANGE(finding_buffer, s.reader.findings.at[0].buffer = 0)
CHANGE(finding_event, s.reader.findings.at[0].event = 0)
CHANGE(finding_relation, s.reader.findings.at[0].relation = ETL_RELATION_NOT)
CHANGE(finding_expected, s.reader.findings.at[0].expected++)
CHANGE(finding_actual, s.reader.findings.at[0].actual++)

static const struct {
    const char *what;
    call *made;
    change *other;
} values[] = {
    {"a buffer's processor", call_buffer, processor},
    {"a buffer's BufferSize", call_buffer, buffer_size},
    {"a buffer's time stamp", call_buffer, time_stamp},
    {"the high half of a buffer's time stamp", call_buffer, time_stamp_high},
    {"the used input of a buffer", call_buffer, inflated_from},
    {"the extent of a buffer", call_buffer, extent},
    {"an event's header type", call_event, event_type},
    {"the pointer size of a message", call_message, pointer_size},
    {"an event's marker", call_event, event_marker},
    {"an event's layout, with the same fields", call_blank, event_layout},
    {"an event's ticks, with a clock that has no time", call_event, event_time},
    {"the upper half of an event's ticks", call_event, event_time_high},
    {"an event's thread", call_event, thread_id},
    {"an event's process", call_event, process_id},
    {"an event's provider", call_event, provider},
    {"user data that may extend the logfile header", call_event, extension_mask},
    {"an event's time, with the same ticks", call_event, system_time},
    {"the kind of a region", call_region, region_kind},
    {"the space of a region", call_region, region_space},
    {"the offset of a region", call_region, region_offset},
    {"the size of a region", call_region, region_size},
    {"a finding's rule", call_findings, finding_rule},
    {"a finding's action", call_findings, finding_action},
    {"a finding's space", call_findings, finding_space},
    {"a finding's offset", call_findings, finding_offset},
    {"a finding's loss", call_findings, finding_lost},
    {"a finding's buffer", call_findings, finding_buffer},
    {"a finding's event", call_findings, finding_event},
    {"a finding's relation", call_findings, finding_relation},
    {"a finding's expected value", call_findings, finding_expected},
    {"a finding's actual value", call_findings, finding_actual},
};

static uint64_t hash_of(call *made, change *other)
{
    oracle_watch oracle;
    make();
    other();
    oracle_init(&oracle, BYTES, ETL_LIMITS_DEFAULT, false);
    made(&oracle);
    return oracle.hash;
}

/* Each bit of a value counts. */
static void test_bits(void)
{
    oracle_watch zero = {.hash = 0};
    unsigned missed = 0;
    oracle_mix(&zero, 0);
    for (unsigned bit = 0; bit < 64; bit++) {
        oracle_watch oracle = {.hash = 0};
        oracle_mix(&oracle, UINT64_C(1) << bit);
        missed += oracle.hash == zero.hash;
    }
    say(missed == 0, "a hash of each bit");
}

void test_hash(void)
{
    test_bits();
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char what[96];
        snprintf(what, sizeof what, "a hash of %s", values[i].what);
        const uint64_t hash = hash_of(values[i].made, nothing);
        say(hash == hash_of(values[i].made, nothing) && hash != hash_of(values[i].made, values[i].other), what);
    }
}
