/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The regions, the records and the common members of a vector's JSON, under patches and claims.
 */
#include "expect_fixture.h"

/* Regions. */

static void test_regions(void)
{
    test_vector b;
    open_vector(&b, 8);
    build_chunk_fill(&build_model_add_item(add(&b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 3), "i", 3)->data, 0, 4);
    build_chunk_fill(&build_model_add_raw_event(b.model, 1, "gap", ETL_REGION_DAMAGED)->data, 1, 16);
    const size_t raw = build_model_add_raw_buffer(b.model, "rest", ETL_REGION_TAIL);
    build_chunk_fill(&b.model->buffers[raw].raw, 0, 5);
    make(&b);
    CHECK_REGION(&b, 1024, 72, "buffer-header", "b");
    CHECK_REGION(&b, 1096, 80, "event-header", "e");
    CHECK_REGION(&b, 1176, 16, "items", "i");
    CHECK_REGION(&b, 1192, 3, "payload", "e");
    CHECK_REGION(&b, 1195, 5, "padding", "e");
    CHECK_REGION(&b, 1200, 16, "damaged", "gap");
    CHECK_REGION(&b, 1216, 832, "slack", "b");
    CHECK_REGION(&b, 2048, 5, "tail", "rest");
    CHECK_HAS("\"bytes\":{\"buffer-header\":\"144\",\"compressed\":\"0\",", line(&b, "\"rec\":\"end\"", 0));
    CHECK_HAS("\"damaged\":\"16\",\"tail\":\"5\"}}", line(&b, "\"rec\":\"end\"", 0));
    close_vector(&b);
}

/* A compressed buffer "b" of 96 literals (three flag words, and one that no token needs), and a plain one after it. */
static void open_compressed(test_vector *b)
{
    open_vector(b, 8);
    b->model->buffers[1].compression = BUILD_MODEL_LITERAL;
    build_chunk_fill(&b->model->buffers[1].spare, 0, 3);
    add(b, "e", ETL_HEADER_TYPE_EVENT_HEADER64, 16);
    build_model_add_event(b->model, build_model_add_buffer(b->model, "c"), "next", ETL_HEADER_TYPE_EVENT_HEADER64);
    make(b);
}

static void test_compressed(void)
{
    test_vector b;
    open_compressed(&b);
    CHECK_HAS("\"compressed\":true", line(&b, "\"offset\":\"1024\",\"size\":187", 0));
    CHECK_HAS("\"extent\":168,\"inflated_from\":108", b.line);
    CHECK_HAS("\"offset\":\"72\",\"space\":\"inflated\",\"header_type\":\"0x13\"", event(&b, "1"));
    CHECK_REGION(&b, 1096, 108, "compressed", "b");
    CHECK_REGION(&b, 1204, 7, "slack", "b");
    CHECK_TEXT("{\"space\":\"inflated\",\"offset\":\"152\",\"size\":\"16\",\"kind\":\"payload\",\"of\":\"e\"}",
               line(&b, "\"payload\"", 1));
    CHECK_HAS("\"compressed_buffers\":\"1\",\"events\":\"3\"", line(&b, "\"rec\":\"end\"", 0));
    close_vector(&b);
}

/* The buffer is compressed anew, and the buffers after it move. */
static void test_patch_of_inflated_bytes(void)
{
    test_vector b;
    open_compressed(&b);
    static uint8_t id[] = {0x34, 0x12}, longer[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    b.model->buffers[1].compression = BUILD_MODEL_GREEDY;
    build_model_lay_out(b.model);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .inflated = &b.model->buffers[1], .offset = 72 + 0x28};
    b.vector.patch.bytes = (build_chunk){id, sizeof id, sizeof id};
    b.finding = (build_claimed_finding){.rule = ETL_RULE_BUF_007, .action = -1};
    b.finding.place.offset = b.model->buffers[2].offset + 4;
    b.vector.finding_count = 1;
    make(&b);
    CHECK_HAS("\"id\":4660", event(&b, "1"));
    CHECK_TEXT("\"offset\": \"112\"", line(&b, "\"offset\": ", 0));
    CHECK_TEXT("\"space\": \"inflated\"", line(&b, "\"space\": ", 0));
    const size_t before = b.image.size;
    b.vector.patch.offset = 72 + 80;
    b.vector.patch.bytes = (build_chunk){longer, sizeof longer, sizeof longer};
    make(&b);
    CHECK(b.image.size > before);
    char offset[64];
    (void)snprintf(offset, sizeof offset, "\"offset\":\"%zu\"", b.image.size - HEADER_BUFFER + 4);
    CHECK_HAS(offset, line(&b, "\"rec\":\"finding\"", 0));
    b.finding.place = (build_place){.inflated = &b.model->buffers[1], .offset = 80};
    make(&b);
    CHECK_HAS("\"offset\":\"80\",\"space\":\"inflated\",\"buffer\":\"1\"}", line(&b, "\"rec\":\"finding\"", 0));
    /* A further change of the same buffer: both hold. */
    b.vector.also[0] = b.vector.patch;
    b.vector.also[0].offset = 72 + 0x28;
    b.vector.also[0].bytes = (build_chunk){id, sizeof id, sizeof id};
    b.vector.also_count = 1;
    make(&b);
    CHECK_HAS("\"id\":4660", event(&b, "1"));
    CHECK(b.image.size > before);
    close_vector(&b);
}

/* All bytes of the stream are used but the flag word after 32 tokens, whatever the form of the tokens. */
static void check_used(const uint8_t *bytes, size_t size, const char *used)
{
    test_vector b;
    open_vector(&b, 8);
    b.model->buffers[1].compression = BUILD_MODEL_GREEDY;
    build_chunk_add(&build_model_add_raw_event(b.model, 1, "raw", ETL_REGION_DAMAGED)->data, bytes, size);
    make(&b);
    CHECK_HAS(used, line(&b, "\"rec\":\"buffer\"", 1));
    CHECK_TEXT("4", line(&b, "\"kind\":\"slack\",\"of\":\"b\"", 0)[0] != '\0' ? (b.line[26] = '\0', b.line + 25) : "");
    close_vector(&b);
}

static void test_used_stream_bytes(void)
{
    uint8_t bytes[432];
    memset(bytes, 'z', sizeof bytes);
    for (size_t i = 0; i < 30; i++)
        bytes[i] = (uint8_t)i;
    check_used(bytes, sizeof bytes, "\"inflated_from\":41}"); /* 31 literals and a match of 401 bytes */
    memset(bytes + 28, 'x', 21);
    memset(bytes + 49, 'y', 31);
    check_used(bytes, 80, "\"inflated_from\":40}"); /* 30 literals, matches of 20 and 30 bytes */
}

/* Claims. */

static void three_events(test_vector *b)
{
    open_vector(b, 8);
    add(b, "e1", ETL_HEADER_TYPE_EVENT_HEADER64, 3);
    add(b, "e2", ETL_HEADER_TYPE_EVENT_HEADER64, 8);
    add(b, "e3", ETL_HEADER_TYPE_EVENT_HEADER64, 1);
}

/* What only the profile of writers reports is no part of the decode, and does not count against the verdict. */
static void test_writer(void)
{
    test_vector b;
    three_events(&b);
    make(&b);
    CHECK_TEXT("", line(&b, "\"writer\"", 0));
    b.finding = (build_claimed_finding){.rule = ETL_RULE_WRT_014, .action = ETL_ACTION_CONTINUE, .node = (char[]){"e2"}};
    b.finding.place.offset = 1190;
    b.vector.finding_count = 1;
    make(&b);
    CHECK_HAS("\n ],\n \"writer\": [\n  {\"rec\":\"finding\",\"rule\":\"WRT-014\",\"severity\":\"note\","
              "\"layer\":\"event\",\"offset\":\"1190\",\"buffer\":\"1\",\"event\":\"2\",\"action\":\"continue\"}\n ]\n}",
              (const char *)b.json.at);
    CHECK_TEXT("", line(&b, "\"rec\":\"finding\"", 1));
    CHECK_HAS("\"verdict\":\"conforming\"", line(&b, "\"rec\":\"end\"", 0));
    CHECK_HAS("\"findings\":{\"note\":\"0\",", line(&b, "\"rec\":\"end\"", 0));
    close_vector(&b);
}

static void test_lost(void)
{
    test_vector b;
    three_events(&b);
    reject(&b);
    b.finding.node = (char[]){"e2"};
    b.finding.place.offset = 1188;
    b.finding.rule = ETL_RULE_SIZ_001;
    b.finding.expected = (char[]){"at least 0x50"};
    b.finding.has_lost = true;
    b.finding.lost = 88;
    b.finding.action = ETL_ACTION_RESYNC;
    claim(&b, BUILD_CLAIM_LOST, "e2");
    make(&b);
    CHECK_HAS("\"offset\":\"1272\"", event(&b, "2"));
    CHECK_TEXT("", event(&b, "3"));
    CHECK_REGION(&b, 1184, 88, "damaged", "e2");
    CHECK_TEXT("{\"rec\":\"finding\",\"rule\":\"SIZ-001\",\"severity\":\"error\",\"layer\":\"event\",\"offset\":\"1188\","
               "\"buffer\":\"1\",\"event\":\"2\",\"expected\":\"at least 0x50\",\"action\":\"resync\",\"lost\":\"88\"}",
               line(&b, "\"rec\":\"finding\"", 0));
    CHECK_HAS("\"verdict\":\"damaged\",\"buffers\":\"2\",\"compressed_buffers\":\"0\",\"events\":\"3\","
              "\"events_by_header_type\":{\"0x02\":\"1\",\"0x13\":\"2\"},"
              "\"findings\":{\"note\":\"0\",\"warning\":\"0\",\"limit\":\"0\",\"error\":\"1\"}",
              line(&b, "\"rec\":\"end\"", 0));
    b.claims[0].node = (char[]){"header"};
    make(&b);
    CHECK_HAS("\"index\":\"0\",\"offset\":\"1024\"", line(&b, "\"rec\":\"buffer\"", 0));
    CHECK_HAS("\"buffer\":\"0\",\"index\":\"0\",\"offset\":\"1096\"", line(&b, "\"rec\":\"event\"", 0));
    b.claims[0].node = (char[]){"b"};
    b.claims[0].region = ETL_REGION_TAIL;
    b.finding.node = NULL;
    make(&b);
    CHECK_HAS("\"buffers\":\"1\"", line(&b, "\"rec\":\"end\"", 0));
    CHECK_REGION(&b, 1024, 1024, "tail", "b");
    close_vector(&b);
}

static void test_lost_from(void)
{
    test_vector b;
    three_events(&b);
    build_chunk_fill(&build_model_add_item(&b.model->buffers[1].events[1], "i1", 3)->data, 0, 4);
    build_chunk_fill(&build_model_add_item(&b.model->buffers[1].events[1], "i2", 3)->data, 0, 4);
    reject(&b);
    claim(&b, BUILD_CLAIM_LOST_FROM, "e2")->from.offset = 1184 + 80 + 16;
    make(&b);
    CHECK_HAS("\"items\":[{\"type\":\"0x3\",\"name\":\"TS_ID\",\"offset\":\"1264\"", event(&b, "2"));
    CHECK_HAS("\"data\":\"00000000\"}],\"pointer_size\":8,"
              "\"data_offset\":\"1280\",\"data_size\":0,\"data\":\"\"",
              event(&b, "2"));
    CHECK_REGION(&b, 1280, 24, "damaged", "e2");
    b.claims[0].from.offset = 1183;
    refuse(&b, "e2: `lost from` needs an event and a place within it");
    b.claims[0].from.offset = 1184 + 80 + 32 + 8 + 1;
    refuse(&b, "e2: `lost from` needs an event and a place within it");
    close_vector(&b);
}

/* Without a whole logfile header there is no trace record and no clock; lost members are 0. */
static void test_logfile_lost_from(void)
{
    test_vector b;
    three_events(&b);
    reject(&b);
    set(logfile_of(&b), "EventsLost", 5), set(logfile_of(&b), "CpuSpeedInMHz", 6);
    claim(&b, BUILD_CLAIM_LOST_FROM, "logfile")->from.offset = 72 + 0x20 + 0x37;
    make(&b);
    CHECK_HAS("\"events_lost\":5,\"cpu_speed_in_mhz\":0,", event(&b, "0"));
    CHECK_HAS("\"boot_time\":\"0\",\"perf_freq\":\"0\"", event(&b, "0"));
    CHECK_TEXT("", line(&b, "\"rec\":\"trace\"", 0));
    CHECK_HAS_NOT("\"utc\"", event(&b, "1"));
    close_vector(&b);
}

#define NO_DATE                                                                                                            \
    "{\"year\":0,\"month\":0,\"day_of_week\":0,\"day\":0,\"hour\":0,\"minute\":0,\"second\":0,\"milliseconds\":0}"

/* The time zone is lost member by member; a truncated name keeps its whole characters. */
static void test_time_zone_lost_from(void)
{
    const size_t zone = 72 + ETL_SIZE(SYSTEM_TRACE_HEADER) + ETL_AT(TRACE_LOGFILE_HEADER64, TimeZone);
    test_vector b;
    three_events(&b);
    reject(&b);
    build_claim *lost = claim(&b, BUILD_CLAIM_LOST_FROM, "logfile");
    lost->from.offset = zone + 3; /* in Bias */
    make(&b);
    CHECK_HAS("\"time_zone\":{\"bias\":0,\"standard_name\":\"\",\"standard_date\":" NO_DATE, event(&b, "0"));
    lost->from.offset = zone + 4 + 5; /* in the third character of StandardName */
    make(&b);
    CHECK_HAS("\"time_zone\":{\"bias\":-60,\"standard_name\":\"@t\",\"standard_date\":" NO_DATE, event(&b, "0"));
    lost->from.offset = zone + 0x44 + 6 + 1; /* in StandardDate.Day */
    make(&b);
    CHECK_HAS("\"standard_name\":\"@tzres.dll,-322\",\"standard_date\":"
              "{\"year\":0,\"month\":10,\"day_of_week\":0,\"day\":0,",
              event(&b, "0"));
    lost->from.offset = zone + 0xAC - 1; /* in DaylightBias */
    make(&b);
    CHECK_HAS("\"daylight_name\":\"@tzres.dll,-321\",\"daylight_date\":{\"year\":0,\"month\":3,", event(&b, "0"));
    CHECK_HAS("\"daylight_bias\":0}", event(&b, "0"));
    close_vector(&b);
}

static void test_opaque(void)
{
    test_vector b;
    three_events(&b);
    reject(&b);
    static uint8_t kind[] = {0x0D};
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1186, .bytes = {kind, 1, 1}};
    claim(&b, BUILD_CLAIM_OPAQUE, "e2");
    make(&b);
    CHECK_HAS("\"header_type\":\"0x0d\",\"name\":\"ERROR\",\"size\":88,\"marker\":\"0xc0\",\"processor\":0,"
              "\"data_offset\":\"1192\",\"data_size\":80,",
              event(&b, "2"));
    b.vector.patch.kind = BUILD_PATCH_NONE;
    make(&b);
    CHECK_HAS("\"header_type\":\"0x13\"", event(&b, "2"));
    CHECK_HAS("\"processor\":0,\"pointer_size\":8,\"data_offset\":\"1192\"", event(&b, "2"));
    close_vector(&b);
}

static void test_expect(void)
{
    test_vector b;
    three_events(&b);
    build_claim *c = claim(&b, BUILD_CLAIM_EXPECT, "e2");
    c->field = (char[]){"pid"};
    c->value = (char[]){"77"};
    c = claim(&b, BUILD_CLAIM_EXPECT, "e2");
    c->field = (char[]){"utc"};
    c = claim(&b, BUILD_CLAIM_EXPECT, "end");
    c->field = (char[]){"bytes.tail"};
    c->value = (char[]){"\"9\""};
    c = claim(&b, BUILD_CLAIM_EXPECT, "b");
    c->field = (char[]){"more"};
    c->value = (char[]){"[1]"};
    make(&b);
    CHECK_HAS("\"pid\":77,", event(&b, "2"));
    CHECK_HAS_NOT("\"utc\"", event(&b, "2"));
    CHECK_HAS("\"utc\"", event(&b, "1"));
    CHECK_HAS("\"tail\":\"9\"}", line(&b, "\"rec\":\"end\"", 0));
    CHECK_HAS(",\"more\":[1]}", line(&b, "\"rec\":\"buffer\"", 1));
    c->node = (char[]){"e9"};
    refuse(&b, "e9: `expect` sets a field of a record or an object that does not exist");
    c->node = (char[]){"e2"};
    c->field = (char[]){"logfile.perf_freq"};
    refuse(&b, "e2: `expect` sets a field of a record or an object that does not exist");
    c->field = (char[]){"pid"};
    refuse(&b, "e2: two `expect` statements set the same field");
    close_vector(&b);
}

static void test_region_and_order(void)
{
    test_vector b;
    three_events(&b);
    build_claim *c = claim(&b, BUILD_CLAIM_REGION, "");
    c->from.offset = 1270;
    c->to.offset = 1300;
    c->region = ETL_REGION_SLACK;
    claim(&b, BUILD_CLAIM_ORDER, "e3");
    claim(&b, BUILD_CLAIM_ORDER, "e1");
    make(&b);
    CHECK_REGION(&b, 1264, 6, "payload", "e2");
    CHECK_REGION(&b, 1270, 2, "slack", "e2");
    CHECK_REGION(&b, 1272, 28, "slack", "e3");
    CHECK_HAS("\"offset\":\"1272\"", event(&b, "1"));
    CHECK_HAS("\"offset\":\"1096\"", event(&b, "2"));
    CHECK_HAS("\"offset\":\"1184\"", event(&b, "3"));
    close_vector(&b);
}

/* Events after the fault in its buffer should be recovered; a recipe may ask for more or less. */
static void test_recovery(void)
{
    static uint8_t zero[] = {0};
    test_vector b;
    three_events(&b);
    reject(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1184 + 0x60, .bytes = {zero, 1, 1}};
    make(&b);
    CHECK_HAS_NOT("recovery", event(&b, "1"));
    CHECK_HAS_NOT("recovery", event(&b, "2"));
    CHECK_HAS("\"recovery\":\"should\"}", event(&b, "3"));
    CHECK_HAS_NOT("recovery", line(&b, "\"rec\":\"buffer\"", 1));
    claim(&b, BUILD_CLAIM_MUST, "e3");
    claim(&b, BUILD_CLAIM_SHOULD, "e1");
    b.vector.patch.offset = 1024 + 0x38;
    make(&b);
    CHECK_HAS("\"recovery\":\"should\"}", event(&b, "1"));
    CHECK_HAS("\"recovery\":\"should\"}", event(&b, "2"));
    CHECK_HAS_NOT("recovery", event(&b, "3"));
    CHECK_HAS("\"recovery\":\"should\"}", line(&b, "\"rec\":\"buffer\"", 1));
    close_vector(&b);
}

/* Patches that move bytes. */

static void cut_at(test_vector *b, uint64_t offset)
{
    b->vector.patch = (build_patch){.kind = BUILD_PATCH_CUT, .offset = offset};
    make(b);
}

static void test_cut(void)
{
    test_vector b;
    three_events(&b);
    reject(&b);
    cut_at(&b, 1024 + 0x47);
    CHECK_HAS("\"buffers\":\"1\"", line(&b, "\"rec\":\"end\"", 0));
    CHECK_REGION(&b, 1024, 71, "tail", NULL);
    cut_at(&b, 1181); /* in the padding of e1 */
    CHECK_HAS("\"stored_size\":157,", line(&b, "\"rec\":\"buffer\"", 1));
    CHECK_HAS("\"extent\":157}", b.line);
    CHECK_REGION(&b, 1179, 2, "padding", "e1");
    CHECK_HAS_NOT("recovery", event(&b, "1"));
    CHECK_TEXT("", event(&b, "2"));
    cut_at(&b, 1271); /* in e2 */
    CHECK_REGION(&b, 1184, 87, "damaged", "e2");
    CHECK_TEXT("", event(&b, "2"));
    cut_at(&b, 1272);
    CHECK_HAS("\"offset\":\"1184\"", event(&b, "2"));
    cut_at(&b, 20);
    CHECK_HAS("\"verdict\":\"not-etl\",\"buffers\":\"0\"", line(&b, "\"rec\":\"end\"", 0));
    CHECK_TEXT("", line(&b, "\"rec\":\"trace\"", 0));
    close_vector(&b);
}

static void test_insert_before_an_item(void)
{
    static uint8_t bytes[16];
    test_vector b;
    three_events(&b);
    build_model_event *e3 = &b.model->buffers[1].events[2];
    build_chunk_fill(&build_model_add_item(e3, "i", 9)->data, 0, 8);
    e3->data.size = 0;
    reject(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_INSERT, .offset = 1184, .bytes = {bytes, 16, 16}};
    make(&b);
    CHECK_HAS("\"items\":[{\"type\":\"0x9\",\"name\":\"PSM_KEY\",\"offset\":\"1368\"", event(&b, "3"));
    close_vector(&b);
}

static void test_insert(void)
{
    static uint8_t bytes[16];
    test_vector b;
    three_events(&b);
    reject(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_INSERT, .offset = 1024, .bytes = {bytes, 16, 16}};
    make(&b);
    CHECK_UINT(2064, b.image.size);
    CHECK_REGION(&b, 1024, 16, "damaged", NULL);
    CHECK_HAS("\"offset\":\"1112\"", event(&b, "1"));
    CHECK_HAS_NOT("recovery", event(&b, "1"));
    b.vector.patch.offset = 1184;
    make(&b);
    CHECK_REGION(&b, 1184, 16, "damaged", "e1");
    CHECK_HAS("\"offset\":\"1200\"", event(&b, "2"));
    CHECK_HAS("\"recovery\"", event(&b, "2"));
    b.vector.patch.offset = 2048;
    make(&b);
    CHECK_REGION(&b, 2048, 16, "tail", NULL);
    close_vector(&b);
}

static void test_remove(void)
{
    static uint8_t bytes[16];
    test_vector b;
    three_events(&b);
    reject(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 1184, .size = 88};
    make(&b);
    CHECK_UINT(1960, b.image.size);
    CHECK_HAS("\"offset\":\"1184\"", event(&b, "2"));
    CHECK_HAS("\"data_size\":1", event(&b, "2"));
    CHECK_TEXT("", event(&b, "3"));
    claim(&b, BUILD_CLAIM_LOST, "e3");
    make(&b);
    CHECK_REGION(&b, 1184, 88, "damaged", "e3");
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_INSERT, .offset = 1360, .bytes = {bytes, 16, 16}};
    make(&b);
    CHECK_REGION(&b, 1272, 88, "damaged", "e3");
    b.vector.claim_count = 0;
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 1024, .size = 1024};
    make(&b);
    CHECK_HAS("\"buffers\":\"1\"", line(&b, "\"rec\":\"end\"", 0));
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 0, .size = 1024};
    make(&b);
    CHECK_HAS("\"offset\":\"72\"", event(&b, "0"));
    CHECK_HAS_NOT("recovery", event(&b, "0"));
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 1024 + 8, .size = 2048 - 1032};
    refuse(&b, "b: the patch leaves less than a buffer; expected `lost` for it");
    close_vector(&b);
}

static void test_move(void)
{
    test_vector b;
    three_events(&b);
    reject(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_MOVE, .offset = 1184, .size = 88, .by = -5};
    make(&b);
    CHECK_HAS("\"offset\":\"1179\"", event(&b, "2"));
    CHECK_HAS("\"offset\":\"1272\"", event(&b, "3"));
    CHECK_TEXT("", line(&b, "\"padding\",\"of\":\"e1\"", 0));
    CHECK_REGION(&b, 1267, 5, "padding", "e2");
    b.vector.patch.by = -8;
    refuse(&b, "e2: starts inside the event before it; expected `lost` for one of them");
    close_vector(&b);
}

/* A patched Size is followed, as far as the next event allows. */
static void test_patched_size(void)
{
    static uint8_t size[] = {0x51, 0};
    test_vector b;
    three_events(&b);
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1096, .bytes = {size, 2, 2}};
    make(&b);
    CHECK_HAS("\"data_size\":1,\"data\":\"d7\"", event(&b, "1"));
    CHECK_REGION(&b, 1177, 7, "padding", "e1");
    size[0] = 88 + 88; /* over the next */
    refuse(&b, "e2: starts inside the event before it; expected `lost` for one of them");
    claim(&b, BUILD_CLAIM_LOST, "e2");
    make(&b);
    CHECK_HAS("\"size\":176", event(&b, "1"));
    CHECK_HAS("\"offset\":\"1272\"", event(&b, "2"));
    CHECK_TEXT("", line(&b, "\"kind\":\"damaged\"", 0));
    size[0] = 88 + 85;
    make(&b);
    CHECK_REGION(&b, 1269, 3, "padding", "e1");
    b.vector.claim_count = 0;
    size[0] = 0x4F;
    refuse(&b, "e1: Size is less than the header or leads out of the buffer; expected `lost` for the event");
    close_vector(&b);
}

/* The common members. */

static void test_common_members(void)
{
    test_vector b;
    three_events(&b);
    b.vector.verdict = BUILD_VECTOR_EITHER;
    b.vector.flag = "clock-rounding";
    b.vector.tells = true;
    b.vector.must = false;
    b.vector.place = (char[]){"e1.Size"};
    static uint8_t size[] = {0x52, 0};
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_BYTES, .offset = 1096, .bytes = {size, 2, 2}};
    make(&b);
    const char *start = "{\n \"id\": \"an-id\",\n \"title\": \"A \\\"title\\\"\",\n \"group\": \"size\",\n"
                        " \"rule\": \"SIZ-004\",\n \"level\": \"should\",\n \"verdict\": \"either\",\n"
                        " \"flags\": {\"clock-rounding\":\"It is";
    CHECK(strncmp(start, (const char *)b.json.at, strlen(start)) == 0);
    const char *rest = strstr((const char *)b.json.at, ",\n \"tells\": true");
    const char *more = ",\n \"tells\": true,\n \"layer\": \"event\",\n \"place\": \"e1.Size\",\n \"offset\": \"1096\",\n"
                       " \"source\": \"here\",\n \"recipe\": \"size/x.recipe:7\",\n \"size\": 2048,\n \"sha256\": \"ffff";
    CHECK(rest != NULL && strncmp(more, rest, strlen(more)) == 0);
    CHECK_HAS("\",\n \"regions\": [\n  {\"offset\":\"0\"", (const char *)b.json.at);
    CHECK_HAS("}\n ],\n \"expect\": [\n  {\"rec\":\"trace\"", (const char *)b.json.at);
    CHECK_HAS("}\n ]\n}\n", (const char *)b.json.at);
    CHECK_HAS("\"verdict\":\"conforming\"", line(&b, "\"rec\":\"end\"", 0));
    /* The fault is where the first finding of the vector's rule is. */
    b.finding = (build_claimed_finding){.rule = ETL_RULE_SIZ_002, .action = -1, .place.offset = 7};
    b.vector.finding_count = 1;
    make(&b);
    CHECK_TEXT("\"offset\": \"1096\"", line(&b, "\"offset\": ", 0));
    CHECK_HAS("\"verdict\":\"damaged\"", line(&b, "\"rec\":\"end\"", 0));
    CHECK(strstr(line(&b, "\"rec\":\"finding\"", 0), "null") == NULL);
    b.finding.has_no_values = true;
    make(&b);
    CHECK_HAS("\"expected\":null,\"actual\":null", line(&b, "\"rec\":\"finding\"", 0));
    b.finding.rule = ETL_RULE_SIZ_004;
    make(&b);
    CHECK_TEXT("\"offset\": \"7\"", line(&b, "\"offset\": ", 0));
    close_vector(&b);
}

static void test_contradictions(void)
{
    test_vector b;
    three_events(&b);
    b.vector.verdict = BUILD_VECTOR_REJECT;
    refuse(&b, "reject: expected a finding of severity error, found none");
    reject(&b);
    b.vector.verdict = BUILD_VECTOR_ACCEPT;
    refuse(&b, "accept: contradicted by a finding of severity error or limit, or by a trace without events");
    b.vector.finding_count = 0;
    claim(&b, BUILD_CLAIM_LOST, "nobody");
    refuse(&b, "nobody: the trace has no event or buffer of that name");
    b.vector.claim_count = 0;
    b.vector.patch = (build_patch){.kind = BUILD_PATCH_MOVE, .offset = 1185, .size = 8, .by = 1};
    refuse(&b, "patch: moves bytes that are not an event");
    close_vector(&b);
}

int main(void)
{
    test_regions();
    test_compressed();
    test_patch_of_inflated_bytes();
    test_used_stream_bytes();
    test_writer();
    test_lost();
    test_lost_from();
    test_logfile_lost_from();
    test_time_zone_lost_from();
    test_opaque();
    test_expect();
    test_region_and_order();
    test_recovery();
    test_cut();
    test_insert_before_an_item();
    test_insert();
    test_remove();
    test_move();
    test_patched_size();
    test_common_members();
    test_contradictions();
    return test_result();
}
