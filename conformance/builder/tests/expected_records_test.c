/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode records in a vector's JSON, compared with values worked out by hand from the members that are set.
 */
#include "expect_fixture.h"

/* Header types. */

static const uint8_t guid[16] = {0x00, 0xD9, 0xFD, 0x68, 0x3E, 0x4A, 0xD1, 0x11, 0x84, 0xF4, 0, 0, 0xF8, 0x04, 0x64, 0xE3};
#define GUID "68fdd900-4a3e-11d1-84f4-0000f80464e3"

static void fill_event_header(build_structure *h)
{
    set(h, "ThreadId", 11), set(h, "ProcessId", 12), set(h, "TimeStamp", 1000001), set(h, "Id", 13), set(h, "Version", 14);
    set(h, "Channel", 15), set(h, "Level", 16), set(h, "Opcode", 17), set(h, "Task", 18), set(h, "EventProperty", 8);
    set(h, "Keyword", 0x8000000000000010), set(h, "KernelTime", 19), set(h, "UserTime", 20);
    CHECK(build_structure_set_bytes(h, "ProviderId", guid, sizeof guid) &&
          build_structure_set_bytes(h, "ActivityId", guid, sizeof guid));
}

static void test_event_header(void)
{
    test_vector b;
    open_vector(&b, 8);
    fill_event_header(&add(&b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 3)->header);
    make(&b);
    CHECK_TEXT("{\"rec\":\"event\",\"buffer\":\"1\",\"index\":\"1\",\"offset\":\"1096\",\"header_type\":\"0x13\","
               "\"name\":\"EVENT_HEADER64\",\"size\":83,\"marker\":\"0xc0\",\"processor\":0,\"timestamp\":\"1000001\","
               "\"utc\":\"2020-02-17T09:00:00.0000001Z\",\"tid\":11,\"pid\":12,\"kernel_time\":19,\"user_time\":20,"
               "\"provider\":\"" GUID "\",\"id\":13,\"version\":14,\"channel\":15,\"level\":16,\"opcode\":17,\"task\":18,"
               "\"keyword\":\"0x8000000000000010\",\"flags\":\"0x0000\",\"property\":\"0x0008\",\"activity\":\"" GUID "\","
               "\"items\":[],\"pointer_size\":8,\"data_offset\":\"1176\",\"data_size\":3,\"data\":\"d7d7d7\"}",
               event(&b, "1"));
    build_model_node node;
    CHECK(build_model_find(b.model, "e", &node));
    set(&node.event->header, "Flags", ETL_EVENT_FLAG_PRIVATE_SESSION);
    make(&b);
    CHECK_HAS("\"pid\":12,\"processor_time\":\"85899345939\",\"provider\"", event(&b, "1"));
    close_vector(&b);
}

static void test_kernel_headers(void)
{
    test_vector b;
    open_vector(&b, 8);
    build_structure *h = &add(&b, "s", ETL_HEADER_TYPE_SYSTEM32, 0)->header;
    set(h, "Version", 0x0003), set(h, "HookId", 0x0501), set(h, "ThreadId", 1), set(h, "ProcessId", 2);
    set(h, "SystemTime", 999999), set(h, "KernelTime", 3), set(h, "UserTime", 4);
    build_model_event *p = add(&b, "p", ETL_HEADER_TYPE_PERFINFO64, 1);
    p->has_pebs = true;
    p->pebs = 5;
    p->pmc_count = 2;
    p->pmc[0] = 6;
    p->pmc[1] = UINT64_MAX;
    set(&p->header, "HookId", 0x0F2E), set(&p->header, "TimeStamp", 1000000);
    make(&b);
    CHECK_HAS("\"name\":\"SYSTEM32\",\"size\":32,\"marker\":\"0xc0\",\"processor\":0,\"timestamp\":\"999999\","
              "\"utc\":\"2020-02-17T08:59:59.9999999Z\",\"tid\":1,\"pid\":2,\"kernel_time\":3,\"user_time\":4,"
              "\"hook\":\"0x0501\",\"group\":5,\"type\":1,\"version\":3,\"pointer_size\":4,"
              "\"data_offset\":\"1128\",\"data_size\":0",
              event(&b, "1"));
    CHECK_HAS("\"pebs\":\"5\",\"pmc\":[\"6\",\"18446744073709551615\"],\"pointer_size\":8,"
              "\"data_offset\":\"1168\",\"data_size\":1",
              event(&b, "2"));
    CHECK_HAS_NOT("\"tid\"", event(&b, "2"));
    p->has_pebs = false;
    set(&p->header, "Version", 2);
    make(&b);
    CHECK_HAS("\"version\":2,\"pmc\":[\"6\",\"18446744073709551615\"],\"pointer_size\":8,"
              "\"data_offset\":\"1160\"",
              event(&b, "2"));
    close_vector(&b);
}

/* Counters after a SYSTEM header are payload in the expected decode. */
static void test_counters_outside_perfinfo(void)
{
    test_vector b;
    open_vector(&b, 8);
    build_model_event *s = add(&b, "s", ETL_HEADER_TYPE_SYSTEM64, 0);
    s->has_pebs = true;
    s->pebs = 0x0102;
    make(&b);
    CHECK_HAS("\"data_offset\":\"1128\",\"data_size\":8,\"data\":\"0201000000000000\"", event(&b, "1"));
    close_vector(&b);
}

static void test_message(void)
{
    test_vector b;
    open_vector(&b, 8);
    build_model_event *m = add(&b, "m", ETL_HEADER_TYPE_MESSAGE, 2);
    set(&m->header, "MessageNumber", 9);
    set(&m->header, "OptionFlags", 0x3B);
    m->message_fields = (build_message_fields){.sequence = 1, .thread_id = 2, .process_id = 3, .time = 1000010};
    memcpy(m->message_fields.guid, guid, sizeof guid);
    make(&b);
    CHECK_HAS("\"header_type\":\"0x0f\",\"name\":\"MESSAGE\",\"size\":46,\"marker\":\"0x90\",\"processor\":0,\"message\":9,"
              "\"options\":\"0x003b\",\"sequence\":1,\"provider\":\"" GUID "\",\"timestamp\":\"1000010\","
              "\"utc\":\"2020-02-17T09:00:00.0000010Z\",\"tid\":2,\"pid\":3,\"pointer_size\":8,"
              "\"data_offset\":\"1140\",\"data_size\":2",
              event(&b, "1"));
    CHECK(build_structure_set(&b.model->buffers[1].events[0].header, "OptionFlags", 0x16));
    make(&b);
    CHECK_HAS("\"options\":\"0x0016\",\"component_id\":", event(&b, "1"));
    CHECK_HAS_NOT("\"timestamp\"", event(&b, "1"));
    CHECK_HAS_NOT("\"provider\"", event(&b, "1"));
    CHECK_HAS("\"data_offset\":\"1116\"", event(&b, "1"));
    close_vector(&b);
}

/* A message option states the pointer size; with neither option or both, the file does. */
static void test_message_pointers(void)
{
    static const struct {
        uint64_t options;
        const char *pointers;
    } rows[] = {
        {0, "\"pointer_size\":8,"},
        {ETL_MESSAGE_OPTION_POINTER32, "\"pointer_size\":4,"},
        {ETL_MESSAGE_OPTION_POINTER64, "\"pointer_size\":8,"},
        {ETL_MESSAGE_OPTION_POINTER32 | ETL_MESSAGE_OPTION_POINTER64, "\"pointer_size\":8,"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_vector b;
        open_vector(&b, 8);
        set(&add(&b, "m", ETL_HEADER_TYPE_MESSAGE, 2)->header, "OptionFlags", rows[i].options);
        make(&b);
        CHECK_HAS(rows[i].pointers, event(&b, "1"));
        close_vector(&b);
    }
}

/* A header announces message fields or counters that do not fit. */
static void test_extras_that_do_not_fit(void)
{
    test_vector b;
    open_vector(&b, 8);
    reject(&b);
    static uint8_t options[] = {0x03}, version[] = {0x81};
    set(&add(&b, "m", ETL_HEADER_TYPE_MESSAGE, 15)->header, "OptionFlags", 0x01);
    add(&b, "p", ETL_HEADER_TYPE_PERFINFO64, 7);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1102, .bytes = {options, 1, 1}};
    build_claim *c = claim(&b, BUILD_CLAIM_LOST_FROM, "m");
    c->from.offset = 1096 + 12;
    make(&b);
    CHECK_HAS("\"options\":\"0x0003\",\"sequence\":", event(&b, "1"));
    CHECK_HAS_NOT("\"provider\"", event(&b, "1"));
    CHECK_HAS("\"data_offset\":\"1108\",\"data_size\":0", event(&b, "1"));
    CHECK_REGION(&b, 1108, 15, "damaged", "m");
    CHECK_REGION(&b, 1123, 5, "padding", "m");
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1129, .bytes = {version, 1, 1}};
    c->node = (char[]){"p"};
    c->from.offset = 1128 + 16;
    make(&b);
    CHECK_HAS("\"type\":", event(&b, "2"));
    CHECK_HAS_NOT("\"pebs\"", event(&b, "2"));
    CHECK_HAS_NOT("\"pmc\"", event(&b, "2"));
    b.vector.claim_count = 0;
    refuse(&b, "p: the header announces more than the event holds; expected `lost EVENT from PLACE`");
    close_vector(&b);
}

static void test_old_windows(void)
{
    test_vector b;
    open_vector(&b, 4);
    set(logfile_of(&b), "MajorVersion", 5), set(logfile_of(&b), "MinorVersion", 0);
    set(&add(&b, "f", ETL_HEADER_TYPE_FULL_HEADER32, 0)->header, "ThreadId", 7);
    set(&b.model->buffers[1].events[0].header, "ProcessId", 1);
    set(&add(&b, "i", ETL_HEADER_TYPE_INSTANCE32, 0)->header, "RegHandle", UINT64_MAX);
    make(&b);
    CHECK_HAS("\"reg_handle\":\"18446744073709551615\"", event(&b, "2"));
    CHECK_HAS("\"tid\":\"4294967303\",\"kernel_time\"", event(&b, "1"));
    CHECK_HAS_NOT("\"pid\"", event(&b, "1"));
    CHECK_HAS("\"size\":56", event(&b, "2"));
    CHECK_HAS("\"header\":\"WMI_BUFFER_HEADER_50\"", line(&b, "\"rec\":\"buffer\"", 1));
    CHECK_HAS("\"events_lost\":0", line(&b, "\"rec\":\"buffer\"", 1));
    set(logfile_of(&b), "MinorVersion", 2);
    make(&b);
    CHECK_HAS("\"tid\":7,\"pid\":1", event(&b, "1"));
    CHECK_HAS("\"parent_provider\":", event(&b, "2"));
    CHECK_HAS("\"header\":\"WMI_BUFFER_HEADER_52\"", line(&b, "\"rec\":\"buffer\"", 1));
    CHECK_HAS_NOT("\"sequence_number\"", line(&b, "\"rec\":\"buffer\"", 1));
    close_vector(&b);
}

/* Trace, buffers and the logfile header. */

static void test_logfile(void)
{
    test_vector b;
    open_vector(&b, 4);
    build_structure *l = logfile_of(&b);
    set(l, "ProviderVersion", 19041), set(l, "EventsLost", 3), set(l, "BuffersLost", 4), set(l, "NumberOfProcessors", 6);
    set(l, "LogFileMode", 0x80000001), set(l, "TimeZone.Bias", (uint64_t)-60), set(l, "TimeZone.StandardDate.Month", 10);
    set(l, "PerfFreq", 10000000), set(l, "EndTime", 0);
    build_chunk *names = &b.model->buffers[0].events[0].names;
    names->size = 0;
    build_chunk_add(names, "a\0\0\xD8\"\0\0\0b\0\x3D\xD8\0\xDE\0\0", 16);
    make(&b);
    CHECK_TEXT("{\"rec\":\"trace\",\"windows\":\"10.0.19041\",\"pointer_size\":4,\"clock_type\":1,"
               "\"clock_frequency\":\"10000000\",\"logger_mode\":\"0x80000001\",\"processors\":6,\"buffer_size\":1024,"
               "\"buffers_written\":2,\"events_lost\":3,\"buffers_lost\":4,\"start_utc\":\"2020-02-17T09:00:00.0000000Z\","
               "\"logger_name\":\"a\\ud800\\\"\","
               "\"log_file_name\":\"b\xF0\x9F\x98\x80\"}",
               line(&b, "\"rec\":\"trace\"", 0));
    const char *record = event(&b, "0");
    CHECK_HAS("\"logfile\":{\"buffer_size\":1024,\"major_version\":10,\"minor_version\":0,", record);
    CHECK_HAS("\"end_time\":\"0\",\"timer_resolution\"", record);
    CHECK_HAS("\"time_zone\":{\"bias\":-60,", record);
    CHECK_HAS("\"standard_date\":{\"year\":0,\"month\":10,\"day_of_week\":", record);
    CHECK_HAS("\"start_time\":\"132264036000000000\",\"start_time_utc\":\"2020-02-17T09:00:00.0000000Z\"", record);
    close_vector(&b);
}

static void test_buffer(void)
{
    test_vector b;
    open_vector(&b, 8);
    add(&b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 0);
    build_structure *h = &b.model->buffers[1].header;
    set(h, "TimeStamp", (uint64_t)-1), set(h, "SequenceNumber", 9), set(h, "State", 3), set(h, "BufferFlag", 0x31);
    set(h, "BufferType", 0), set(h, "CurrentOffset", 5), set(h, "LoggerId", 7), set(h, "ProcessorIndex", 0x0F03);
    set(h, "StartTime", 2), set(h, "StartPerfClock", (uint64_t)-2), set(h, "SavedOffset", 0);
    make(&b);
    CHECK_TEXT("{\"rec\":\"buffer\",\"index\":\"1\",\"offset\":\"1024\",\"size\":1024,\"stored_size\":1024,"
               "\"header\":\"WMI_BUFFER_HEADER_61\",\"compressed\":false,\"processor\":1795,\"timestamp\":\"-1\","
               "\"sequence_number\":\"9\",\"state\":3,\"flags\":\"0x0031\",\"type\":0,\"saved_offset\":0,"
               "\"offset_member\":152,\"current_offset\":5,\"logger_id\":7,\"extent\":152,"
               "\"reference_time\":{\"start_time\":\"2\",\"start_perf_clock\":\"-2\"}}",
               line(&b, "\"offset\":\"1024\",\"size\":1024,\"stored", 0));
    set(h, "BufferFlag", 0), set(h, "Offset", 0x47);
    make(&b);
    CHECK_HAS("\"processor\":3,", event(&b, "1"));
    CHECK_HAS("\"offset_member\":71,\"current_offset\":5,\"logger_id\":7,\"extent\":1024}",
              line(&b, "\"offset_member\":71", 0));
    CHECK_HAS_NOT("reference_time", line(&b, "\"offset_member\":71", 0));
    set(h, "SavedOffset", 152);
    make(&b);
    CHECK_HAS("\"extent\":152}", line(&b, "\"offset_member\":71", 0));
    set(h, "SavedOffset", 80), set(h, "Offset", 144);
    make(&b);
    CHECK_HAS("\"extent\":144}", line(&b, "\"offset_member\":144", 0));
    close_vector(&b);
}

/* Times. */

static void check_utc(test_vector *b, uint64_t ticks, const char *utc)
{
    set(&b->model->buffers[1].events[0].header, "TimeStamp", ticks);
    make(b);
    if (utc == NULL)
        CHECK_HAS_NOT("\"utc\"", event(b, "1"));
    else
        CHECK_HAS(utc, event(b, "1"));
}

static void test_times(void)
{
    test_vector b;
    open_vector(&b, 8);
    add(&b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 0);
    set(&b.model->buffers[0].events[0].header, "SystemTime", 100);
    set(logfile_of(&b), "PerfFreq", 3);
    check_utc(&b, 101, "2020-02-17T09:00:00.3333333Z");
    check_utc(&b, 99, "2020-02-17T08:59:59.6666666Z"); /* -0.33333333: rounded towards the past */
    check_utc(&b, 100 + 3 * 86400 * 12, "2020-02-29T09:00:00.0000000Z");
    check_utc(&b, UINT64_C(0x7FFFFFFFFFFFFFFF), NULL);
    set(logfile_of(&b), "PerfFreq", 1);
    check_utc(&b, 100 + UINT64_C(1831448003771), NULL); /* 2^64 and 0.0448384 seconds */
    set(logfile_of(&b), "PerfFreq", (uint64_t)-1);
    check_utc(&b, 100, NULL);
    CHECK_HAS("\"clock_frequency\":\"0\"", line(&b, "\"rec\":\"trace\"", 0));
    set(logfile_of(&b), "PerfFreq", 0);
    check_utc(&b, 100, NULL);
    set(logfile_of(&b), "ReservedFlags", ETL_CLOCK_TYPE_CPUCYCLE);
    set(logfile_of(&b), "CpuSpeedInMHz", 4);
    check_utc(&b, 107, "2020-02-17T09:00:00.0000017Z");
    set(logfile_of(&b), "ReservedFlags", ETL_CLOCK_TYPE_SYSTEMTIME);
    check_utc(&b, 0, "1601-01-01T00:00:00.0000000Z");
    check_utc(&b, (uint64_t)-1, NULL);
    check_utc(&b, UINT64_C(2650467743999999999), "9999-12-31T23:59:59.9999999Z");
    check_utc(&b, UINT64_C(2650467744000000000), NULL);
    set(logfile_of(&b), "ReservedFlags", 0);
    check_utc(&b, 100, NULL);
    close_vector(&b);
}

/* Items. */

static const char *item(test_vector *b, uint16_t type, const void *data, size_t size)
{
    build_model_free(b->model);
    b->model = b->vector.model = build_model_new(8);
    build_model_add_buffer(b->model, "b");
    build_model_item *i = build_model_add_item(add(b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 1), "i", type);
    build_chunk_add(&i->data, data, size);
    make(b);
    return event(b, "1");
}

#define BLOB(text) (text), sizeof(text) - 1
#define TWO "\x01\x00\x00\x00\x00\x00\x00\x80\x02\x00\x00\x00\x00\x00\x00\x00"

static void test_items(void)
{
    test_vector b;
    open_vector(&b, 8);
    CHECK_HAS("\"flags\":\"0x0001\"", item(&b, 1, guid, 16));
    CHECK_HAS("\"items\":[{\"type\":\"0x1\",\"name\":\"RELATED_ACTIVITYID\",\"offset\":\"1176\",\"size\":24,"
              "\"guid\":\"" GUID "\",\"data\":\"00d9fd683e4ad11184f40000f80464e3\"}],"
              "\"pointer_size\":8,\"data_offset\":\"1200\",\"data_size\":1",
              event(&b, "1"));
    CHECK_HAS("\"size\":24,\"data\":\"0100", item(&b, 1, TWO, 15));
    CHECK_HAS("\"sid\":\"S-1-5-18\"", item(&b, 2, BLOB("\1\1\0\0\0\0\0\5\22\0\0\0")));
    CHECK_HAS("\"sid\":\"S-1-0x010000000005\"", item(&b, 2, BLOB("\1\0\1\0\0\0\0\5")));
    CHECK_HAS_NOT("\"sid\"", item(&b, 2, BLOB("\1\2\0\0\0\0\0\5\22\0\0\0")));
    CHECK_HAS("\"value\":2147483648", item(&b, 3, BLOB("\0\0\0\x80")));
    CHECK_HAS("\"value\":\"9223372036854775809\"", item(&b, 7, TWO, 8));
    CHECK_HAS("\"values\":[\"9223372036854775809\",\"2\"]", item(&b, 8, TWO, 16));
    CHECK_HAS("\"instance_id\":1,\"parent_instance_id\":2147483648,"
              "\"parent_guid\":\"00000002-0000-0000-0100-000000000080\"",
              item(&b, 4, TWO "\x01\x00\x00\x00\x00\x00\x00\x80", 24));
    CHECK_HAS("\"match_id\":\"9223372036854775809\",\"addresses\":[\"0x2\",\"0x0\"]", item(&b, 5, TWO, 16));
    CHECK_HAS("\"addresses\":[\"0x2\"]", item(&b, 6, TWO, 16));
    CHECK_HAS("\"stack_key\":\"0x2\"", item(&b, 0x11, TWO, 12));
    CHECK_HAS("\"stack_key\":\"0x5050505\"", item(&b, 0x11, BLOB("00000000\5\5\5\5!!!!")));
    CHECK_HAS("\"stack_key\":\"0x606060605050505\"", item(&b, 0x12, BLOB("00000000\5\5\5\5\6\6\6\6")));
    CHECK_HAS_NOT("\"stack_key\"", item(&b, 0x11, BLOB("00000000000000000000")));
    CHECK_HAS_NOT("\"values\"", item(&b, 8, TWO, 9));
    CHECK_HAS("\"text\":\"a\\\\xff\xC3\xA4\\u0001\\\\xc0\\\\x80\\u007f\"",
              item(&b, 0x10, BLOB("a\xFF\xC3\xA4\1\xC0\x80\x7F")));
    CHECK_HAS("{\"type\":\"0x13\",\"offset\":\"1176\",\"size\":16,\"data\":\"61\"}", item(&b, 0x13, BLOB("a")));
    close_vector(&b);
}

static void test_self_description(void)
{
    test_vector b;
    open_vector(&b, 8);
    CHECK_HAS("\"schema\":{\"tag\":2113536,\"name\":\"ab\",\"fields\":[{\"name\":\"x\",\"in_type\":36,\"out_type\":4,"
              "\"tag\":266338304,\"count\":513},{\"name\":\"\",\"in_type\":98,\"out_type\":0,\"tag\":0,\"count\":0}]}",
              item(&b, 0xB,
                   BLOB("\x15\0\x81\1"
                        "ab\0"
                        "x\0\xA4\x84\x7F\1\2"
                        "\0\x62\3\0...!!")));
    CHECK_HAS("\"fields\":[{\"name\":\"x\",\"in_type\":4,", item(&b, 0xB, BLOB("\x0B\0\0a\0x\0\4y\0\x84")));
    CHECK_HAS("\"count\":0}]}", event(&b, "1"));
    CHECK_HAS("\"tag\":2097152,\"name\":\"\",\"fields\":[]", item(&b, 0xB, BLOB("\x9\0\x81\x80\x80\x80\x81\1\0")));
    CHECK_HAS("\"fields\":[]", item(&b, 0xB, BLOB("\x0A\0\0\0a\0\x60\2\0!")));
    CHECK_HAS_NOT("schema\"", item(&b, 0xB, BLOB("\6\0\0ab")));
    CHECK_HAS("\"traits\":{\"name\":\"P\",\"decode\":\"33323130-3534-3736-3839-616263646566\"}",
              item(&b, 0xC,
                   BLOB("\x1B\0P\0"
                        "\4\0\1x"
                        "\x13\0\2"
                        "0123456789abcdef")));
    CHECK_HAS_NOT("traits\"", item(&b, 0xC, BLOB("\7\0P\0\2\0\1")));
    close_vector(&b);
}

int main(void)
{
    test_event_header();
    test_kernel_headers();
    test_counters_outside_perfinfo();
    test_message();
    test_message_pointers();
    test_extras_that_do_not_fit();
    test_old_windows();
    test_logfile();
    test_buffer();
    test_times();
    test_items();
    test_self_description();
    return test_result();
}
