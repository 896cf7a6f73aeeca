/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the oracle over the members of records: it holds for what the command writes of two buffers and an event of each
 * layout, and breaks if one byte of a compared member is another.
 */
#include "reported_members.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_test.h"

static const etl_guid guid = {0x01020304, 0x0506, 0x0708, {9, 10, 11, 12, 13, 14, 15, 16}};
#define GUID "01020304-0506-0708-090a-0b0c0d0e0f10"

static oracle_members members;

/* A member that is skipped is between the header and the last members. */
#define SKIPPED ",\"x\":{}"
#define EVENT(index, offset, type, name) \
    "{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"" index "\",\"offset\":\"" offset "\",\"header_type\":\"" type \
    "\",\"name\":\"" name "\",\"size\":90,\"marker\":\"0xc0\",\"processor\":7"
#define DATA(offset) ",\"data_offset\":\"" offset "\",\"data_size\":21"

static const char records[] =
    "{\"rec\":\"buffer\",\"index\":\"0\",\"offset\":\"1\",\"size\":2,\"stored_size\":3,"
    "\"header\":\"WMI_BUFFER_HEADER_61\",\"compressed\":true,\"processor\":4,\"timestamp\":\"-5\","
    "\"sequence_number\":\"-6\",\"state\":3,"
    "\"state_name\":\"Flush\",\"flags\":\"0x0041\",\"flag_names\":[\"FLUSH_MARKER\",\"COMPRESSED\"],\"type\":4,"
    "\"type_name\":\"HEADER\","
    "\"saved_offset\":8,\"offset_member\":9,\"current_offset\":10,\"extent\":11,\"inflated_from\":12,\"logger_id\":13,"
    "\"reference_time\":{\"start_time\":\"-14\",\"start_perf_clock\":\"15\"}}\n"
    "{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"40\",\"size\":2,\"stored_size\":3,"
    "\"header\":\"WMI_BUFFER_HEADER_50\",\"compressed\":false,\"processor\":4,\"timestamp\":\"5\",\"state\":3,"
    "\"events_lost\":16,\"saved_offset\":8,"
    "\"offset_member\":9,\"current_offset\":10,\"extent\":11,\"logger_id\":13}\n"
    "{\"rec\":\"finding\",\"index\":\"0\"}\n"
    EVENT("0", "100", "0x02", "SYSTEM64")
    ",\"timestamp\":\"-3\",\"tid\":5,\"pid\":6,\"kernel_time\":7,\"user_time\":8,\"hook\":\"0x0102\",\"group\":1,"
    "\"type\":2,\"version\":3" SKIPPED ",\"pointer_size\":8" DATA("148") "}\n"
    EVENT("1", "101", "0x11", "PERFINFO64")
    ",\"timestamp\":\"3\",\"utc\":\"2020-02-17T09:01:35.0234567Z\",\"hook\":\"0x0f2e\",\"group\":15,\"type\":46,"
    "\"version\":3,\"pebs\":\"30\",\"pmc\":[\"31\",\"32\"]" DATA("149") ",\"data\":\"00\"}\n"
    EVENT("2", "102", "0x14", "FULL_HEADER64")
    ",\"tid\":\"4294967301\",\"provider\":\"" GUID "\",\"type\":1,\"level\":2,\"version\":3" DATA("150") "}\n"
    EVENT("3", "103", "0x15", "INSTANCE64")
    ",\"processor_time\":\"77\",\"type\":1,\"level\":2,\"version\":3,\"instance_id\":4,\"parent_instance_id\":5,"
    "\"reg_handle\":\"6\",\"parent_reg_handle\":\"7\"" DATA("151") "}\n"
    EVENT("4", "104", "0x15", "INSTANCE64")
    ",\"provider\":\"" GUID "\",\"type\":1,\"level\":2,\"version\":3,\"instance_id\":4,\"parent_instance_id\":5,"
    "\"parent_provider\":\"" GUID "\"" DATA("152") "}\n"
    "{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"5\",\"offset\":\"105\",\"space\":\"inflated\","
    "\"header_type\":\"0x13\",\"name\":\"EVENT_HEADER64\",\"size\":90,\"marker\":\"0xc0\",\"processor\":7,"
    "\"provider\":\"" GUID "\",\"id\":1,"
    "\"version\":3,\"channel\":4,\"level\":2,\"opcode\":5,\"task\":6,\"keyword\":\"0x8000000000000007\","
    "\"flags\":\"0x0008\","
    "\"property\":\"0x0009\",\"activity\":\"" GUID "\"" SKIPPED DATA("153") "}\n"
    EVENT("6", "106", "0x0f", "MESSAGE")
    ",\"message\":1,\"options\":\"0x0023\",\"sequence\":4,\"provider\":\"" GUID "\",\"component_id\":5" DATA("154") "}\n"
    EVENT("7", "107", "0x0c", "TIMED") DATA("155") "}\n"
    EVENT("8", "108", "0x04", "COMPACT64")
    ",\"hook\":\"0x0102\",\"group\":1,\"type\":2,\"version\":3,\"pmc\":[\"31\"]" DATA("156") ",\"data\":\"00\"}\n"
    "{\"rec\":\"end\"}\n";

static oracle_reported_event *add_event(uint8_t type, etl_layout layout)
{
    const size_t index = members.event_count++;
    oracle_reported_event *e = &members.events[index];
    *e = (oracle_reported_event){.buffer = 1, .offset = 100 + index, .type = type, .layout = layout, .marker = 0xC0,
                                 .processor = 7, .size = 90, .data_at = 48, .data_size = 21};
    return e;
}

static void add_hooks(void)
{
    oracle_reported_event *e = add_event(ETL_HEADER_TYPE_SYSTEM64, ETL_LAYOUT_SYSTEM);
    e->has_time = true;
    e->time = -3;
    e->pointer_size = 8;
    e->fields = (etl_event_fields){.has_thread_id = true, .has_process_id = true, .has_times = true, .thread_id = 5,
                                   .process_id = 6, .kernel_time = 7, .user_time = 8, .hook = 0x0102, .version = 3};
    e = add_event(ETL_HEADER_TYPE_PERFINFO64, ETL_LAYOUT_PERFINFO);
    e->has_time = e->has_utc = true;
    e->time = 3;
    e->utc = (etl_utc){2020, 2, 17, 9, 1, 35, 234567};
    e->fields = (etl_event_fields){
        .hook = 0x0F2E, .version = 3, .has_pebs = true, .pebs = 30, .pmc_count = 2, .pmc = {31, 32}};
}

static void add_classes(void)
{
    const etl_event_fields class = {
        .type = 1, .level = 2, .version = 3, .instance_id = 4, .parent_instance_id = 5};
    oracle_reported_event *e = add_event(ETL_HEADER_TYPE_FULL_HEADER64, ETL_LAYOUT_FULL);
    e->fields = class;
    e->fields.has_thread_id = e->fields.has_provider = true;
    e->fields.thread_id = UINT64_C(0x100000005);
    e->fields.provider = guid;
    e = add_event(ETL_HEADER_TYPE_INSTANCE64, ETL_LAYOUT_INSTANCE);
    e->fields = class;
    e->fields.has_processor_time = true;
    e->fields.processor_time = 77;
    e->fields.reg_handle = 6;
    e->fields.parent_reg_handle = 7;
    e = add_event(ETL_HEADER_TYPE_INSTANCE64, ETL_LAYOUT_INSTANCE_GUID);
    e->fields = class;
    e->fields.has_provider = true;
    e->fields.provider = e->fields.parent_provider = guid;
}

static void add_others(void)
{
    oracle_reported_event *e = add_event(ETL_HEADER_TYPE_EVENT_HEADER64, ETL_LAYOUT_EVENT);
    e->space = ETL_SPACE_INFLATED;
    e->fields = (etl_event_fields){.provider = guid, .id = 1, .version = 3, .channel = 4, .level = 2, .opcode = 5,
                                   .task = 6, .keyword = UINT64_C(0x8000000000000007), .flags = 8, .property = 9,
                                   .activity = guid};
    e = add_event(ETL_HEADER_TYPE_MESSAGE, ETL_LAYOUT_MESSAGE);
    e->fields = (etl_event_fields){.message = 1, .options = 0x23, .has_sequence = true, .sequence = 4,
                                   .has_provider = true, .provider = guid, .has_component_id = true,
                                   .component_id = 5};
    (void)add_event(ETL_HEADER_TYPE_TIMED, ETL_LAYOUT_OPAQUE);
    e = add_event(ETL_HEADER_TYPE_COMPACT64, ETL_LAYOUT_COMPACT);
    e->fields = (etl_event_fields){.hook = 0x0102, .version = 3, .pmc_count = 1, .pmc = {31}};
}

static void fill(void)
{
    const etl_buffer_header header = {.shape = ETL_BUFFER_SHAPE_61, .buffer_size = 2, .processor = 4, .time_stamp = -5,
                                      .has_sequence_number = true, .sequence_number = -6, .state = 3, .buffer_flag = 0x41,
                                      .buffer_type = 4, .saved_offset = 8, .offset = 9, .current_offset = 10,
                                      .logger_id = 13, .has_reference_time = true, .reference_start_time = -14,
                                      .reference_start_perf_clock = 15};
    members.buffers[0] = (oracle_reported_buffer){header, 1, 3, 11, 12, true};
    members.buffers[1] = (oracle_reported_buffer){header, 40, 3, 11, 12, false};
    etl_buffer_header *old = &members.buffers[1].header;
    old->shape = ETL_BUFFER_SHAPE_50;
    old->time_stamp = 5;
    old->has_sequence_number = old->has_reference_time = false;
    old->events_lost = 16;
    members.buffer_count = 2;
    members.event_count = 0;
    add_hooks();
    add_classes();
    add_others();
}

static bool holds(const char *text, size_t size)
{
    oracle_watch oracle;
    const char *why = NULL;
    oracle_init(&oracle, 1, ETL_LIMITS_DEFAULT, false);
    const bool held = oracle_members_hold(&oracle, &members, (oracle_slice){text, size}, &why);
    if (held != (why == NULL) || oracle.broken != (held ? ORACLE_PROMISE_COUNT : ORACLE_PROMISE_RECORDS) ||
        (!held && (oracle.broken_at >= size || text[oracle.broken_at] != '{')))
        say(false, "a record that differs breaks RECORDS at its start, with a reason");
    return held;
}

/* Where the text is. */
static bool is_part(const char *text, size_t at, const char *part)
{
    const char *found = strstr(text, part);
    while (found != NULL && found + strlen(part) <= text + at)
        found = strstr(found + 1, part);
    return found != NULL && found <= text + at;
}

/* Bytes that may change: members that are skipped, other records, and the kind and index, by which a record is found. */
static bool is_free(const char *text, size_t at)
{
    static const char *const parts[] = {SKIPPED,
                                        "{\"rec\":\"finding\",\"index\":\"0\"}\n",
                                        "{\"rec\":\"end\"}\n",
                                        "\"data\":\"00\"}\n",
                                        "{\"rec\":\"event\"",
                                        "{\"rec\":\"buffer\"",
                                        "\n"};
    char index[24];
    for (unsigned i = 0; i < members.event_count; i++) {
        (void)snprintf(index, sizeof index, "\"index\":\"%u\"", i);
        if (is_part(text, at, index))
            return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_part(text, at, parts[i]))
            return true;
    return false;
}

static void test_changes(void)
{
    static char copy[sizeof records];
    memcpy(copy, records, sizeof records);
    unsigned missed = 0, changed = 0;
    for (size_t at = 0; at < sizeof records - 1; at++) {
        if (is_free(records, at))
            continue;
        copy[at] ^= 1;
        missed += holds(copy, sizeof records - 1);
        changed++;
        copy[at] ^= 1;
    }
    say(changed > 2000 && missed == 0, "records: a change of each byte of a compared member breaks a promise");
}

/* A record behind those that are kept, and one whose number is too large, are not compared. */
static void test_uncompared(void)
{
    static const char more[] = "{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"9\"}\n"
                               "{\"rec\":\"buffer\",\"index\":\"2\"}\n"
                               "{\"rec\":\"buffer\",\"index\":\"18446744073709551616\"}\n";
    say(holds(more, sizeof more - 1), "records that are not kept");
}

/* What follows the records in memory does not count: here, each end of the last event before `data`. */
static void test_ends(void)
{
    const char *event = strstr(records, EVENT("8", "108", "0x04", "COMPACT64"));
    const size_t from = (size_t)(event - records) + sizeof "{\"rec\":\"event\"" - 1;
    const size_t to = (size_t)(strstr(event, ",\"data\":") - records);
    unsigned missed = 0;
    for (size_t size = from; size <= to; size++)
        missed += holds(records, size);
    say(missed == 0, "records: an end inside the compared members breaks a promise");
    say(holds(records, to + 1), "records: an end behind the compared members");
    static const char index[] = "{\"rec\":\"event\",\"buffer\":\"10\",\"index\":\"099\"}\n";
    const size_t last = (size_t)(strstr(index, "99") - index);
    say(!holds(index, last), "records: an index that ends with the records");
    say(holds(index, last + 1), "records: an index of the last event and more");
}

static void test_collected(void)
{
    static uint8_t bytes[ETL_SIZE(OPAQUE_HEADER)];
    etl_reader reader = {
        .buffer = {.offset = 3, .extent = 4, .inflated_from = 5, .compressed = true, .raw = {bytes, 0x10008}}};
    reader.trace.logfile.clock = (etl_clock){.type = ETL_CLOCK_TYPE_SYSTEMTIME};
    reader.buffer.header.processor = 6;
    reader.event = (etl_event){.buffer = 7, .offset = 8, .layout = ETL_LAYOUT_OPAQUE, .type = 9, .marker = 10, .size = 11,
                               .header_size = 12, .items_size = 13, .data_size = 14, .bytes = {bytes, sizeof bytes}};
    members.buffer_count = members.event_count = 0;
    oracle_members_add(&members, &reader, ETL_GAP);
    say(members.buffer_count == 0 && members.event_count == 0, "a gap has no record");
    oracle_members_add(&members, &reader, ETL_BUFFER);
    const oracle_reported_buffer *b = &members.buffers[0];
    say(members.buffer_count == 1 && members.event_count == 0 && b->offset == 3 && b->extent == 4 &&
            b->inflated_from == 5 && b->compressed && b->stored_size == 0x10008 && b->header.processor == 6,
        "a buffer is kept");
    oracle_members_add(&members, &reader, ETL_EVENT);
    const oracle_reported_event *e = &members.events[0];
    say(members.event_count == 1 && e->buffer == 7 && e->offset == 8 && e->type == 9 && e->marker == 10 && e->size == 11 &&
            e->data_at == 25 && e->data_size == 14 && e->processor == 6 && !e->has_time && !e->has_utc,
        "an event is kept");
    reader.event.has_time = true;
    reader.event.time = INT64_C(132264040950234567);
    oracle_members_add(&members, &reader, ETL_EVENT);
    e = &members.events[1];
    say(e->has_time && e->time == reader.event.time && e->has_utc && e->utc.year == 2020 && e->utc.fraction == 234567,
        "the time of an event is kept");
    reader.event.type = ETL_HEADER_TYPE_COMPACT64;
    reader.event.layout = ETL_LAYOUT_COMPACT;
    oracle_members_add(&members, &reader, ETL_EVENT);
    say(members.events[2].layout == ETL_LAYOUT_COMPACT && members.events[2].pointer_size == 8,
        "the layout and the pointer size of an event are kept");
    for (unsigned i = 0; i < ORACLE_MEMBERS_MAX + 1; i++) {
        oracle_members_add(&members, &reader, ETL_EVENT);
        oracle_members_add(&members, &reader, ETL_BUFFER);
    }
    say(members.event_count == ORACLE_MEMBERS_MAX && members.buffer_count == ORACLE_MEMBERS_MAX,
        "only the first are kept");
}

void test_record_members(void)
{
    fill();
    say(holds(records, sizeof records - 1), "records: hold as they are");
    test_changes();
    test_uncompared();
    test_ends();
    test_collected();
}
