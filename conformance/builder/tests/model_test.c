/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laid-out bytes of models. Offsets and values of the format's tables are typed here again.
 */
#include "model_fixture.h"

static void test_structure_bytes(void)
{
    build_model *model = build_model_new(8);
    build_structure *logfile = &model->buffers[0].events[0].logfile;
    uint32_t at;
    etl_member_kind kind;
    uint8_t date[16] = {1, 2, 3};
    CHECK(build_structure_find(logfile, "TimeZone.DaylightDate.Month", &at, &kind));
    CHECK_UINT(0x48 + 0x98 + 2, at);
    CHECK_UINT(ETL_MEMBER_KIND_U16, kind);
    CHECK(!build_structure_find(logfile, "TimeZone.Year", &at, &kind));
    CHECK(!build_structure_find(logfile, "BufferSize.Year", &at, &kind));
    CHECK(!build_structure_find(logfile, "Time", &at, &kind));
    CHECK_INT(-60, (int64_t)build_structure_get(logfile, "TimeZone.Bias"));
    CHECK(build_structure_set(logfile, "TimeZone.Bias", 480));
    CHECK_INT(480, (int64_t)build_structure_get(logfile, "TimeZone.Bias"));
    CHECK(build_structure_is_given(logfile, "TimeZone"));
    CHECK(!build_structure_is_given(logfile, "BufferSize"));
    CHECK_INT(-60, (int64_t)build_structure_get(logfile, "TimeZone.DaylightBias"));
    CHECK(!build_structure_set(logfile, "TimeZone", 1));
    CHECK(!build_structure_set_bytes(logfile, "TimeZone.StandardDate", date, 15));
    CHECK(build_structure_set_bytes(logfile, "TimeZone.StandardDate", date, 16));
    CHECK_UINT(0x0201, build_structure_get(logfile, "TimeZone.StandardDate.Year"));
    CHECK(!build_structure_is_given(logfile, "EndTime"));
    CHECK(build_structure_set(logfile, "EndTime", 0));
    CHECK(build_structure_is_given(logfile, "EndTime"));
    CHECK(!build_structure_is_given(logfile, "StartTime"));
    build_model_free(model);
}

static void check_header_buffer(const build_chunk *image)
{
    CHECK_UINT(0x400, number_at(image, 0x00, 4));
    CHECK_UINT(0x198, number_at(image, 0x04, 4)); /* SavedOffset: 0x48 + 0x20 + 0x118 + 22 bytes of names, padded */
    CHECK_UINT(0, number_at(image, 0x10, 8));
    CHECK_UINT(0, number_at(image, 0x18, 8));
    CHECK_UINT(3, number_at(image, 0x2C, 4));
    CHECK_UINT(0x198, number_at(image, 0x30, 4));
    CHECK_UINT(0x0021, number_at(image, 0x34, 2));
    CHECK_UINT(4, number_at(image, 0x36, 2));
    CHECK_UINT(0xC0020002, number_at(image, 0x48, 4));
    CHECK_UINT(0x20 + 0x118 + 22, number_at(image, 0x4C, 2));
    CHECK_UINT(0, number_at(image, 0x4E, 2));
    CHECK_UINT(1000000, number_at(image, 0x58, 8));
    CHECK_UINT(0x400, number_at(image, 0x68, 4));
    CHECK_UINT(0x0501000A, number_at(image, 0x6C, 4));
    CHECK_UINT(19041, number_at(image, 0x70, 4));
    CHECK_UINT(4, number_at(image, 0x74, 4));
    CHECK_UINT(1, number_at(image, 0x88, 4));
    CHECK_UINT(2, number_at(image, 0x8C, 4)); /* BuffersWritten */
    CHECK_UINT(8, number_at(image, 0x94, 4));
    CHECK_UINT('t', number_at(image, 0x68 + 0x118, 4));
    CHECK_UINT('C', number_at(image, 0x68 + 0x118 + 4, 2));
    CHECK_UINT(0xFF, number_at(image, 0x198, 1));
    CHECK_UINT(0xFF, number_at(image, 0x3FF, 1));
}

static void test_plain(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_EVENT_HEADER64);
    build_chunk_fill(&event_of(model, "first")->padding, 0xEE, 3);
    build_chunk_fill(&model->buffers[1].slack, 0xDD, 2);
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK_UINT(0x800, image.size);
    CHECK_UINT(0x800, model->size);
    check_header_buffer(&image);
    const size_t b = 0x400;
    CHECK_UINT(1, number_at(&image, b + 0x18, 8));
    CHECK_UINT(0x48 + 0x58 + 0x58 + 0x60, number_at(&image, b + 0x30, 4));
    CHECK_UINT(0x0020, number_at(&image, b + 0x34, 2));
    CHECK_UINT(0, number_at(&image, b + 0x36, 2));
    CHECK(number_at(&image, b + 0x10, 8) > 1003000);
    CHECK_UINT(0x51, number_at(&image, b + 0x48, 2));
    CHECK_UINT(0xC013, number_at(&image, b + 0x4A, 2));
    CHECK_UINT(0, number_at(&image, b + 0x4C, 2));
    CHECK_UINT(1001000, number_at(&image, b + 0x58, 8));
    CHECK_UINT(0x11, number_at(&image, b + 0x48 + 0x50, 1));
    CHECK_UINT(0x00000000EEEEEE, number_at(&image, b + 0x48 + 0x51, 7));
    CHECK_UINT(0x58, number_at(&image, b + 0xA0, 2));
    CHECK_UINT(0x5D, number_at(&image, b + 0xF8, 2));
    CHECK_UINT(1003000, number_at(&image, b + 0xF8 + 0x10, 8));
    CHECK_UINT(0xFFFFDDDD000000, number_at(&image, b + 0xF8 + 0x5D, 7));
    const build_model_event *third = event_of(model, "third");
    CHECK_UINT(0xF8, third->at);
    CHECK_UINT(0x50, third->header_size);
    CHECK_UINT(13, third->data_size);
    CHECK_UINT(0x5D, third->size);
    CHECK_UINT(3, third->padding_size);
    build_chunk_free(&image);
    build_model_free(model);
}

/* Headers get the shape of the version, whether the version is set before or after them. */
static void check_shape(unsigned major, unsigned minor, bool late, etl_structure_id buffer, unsigned sub_version,
                        size_t instance)
{
    build_model *model = build_model_new(8);
    if (!late) {
        set(model, "logfile", "MajorVersion", major);
        set(model, "logfile", "MinorVersion", minor);
    }
    build_model_add_event(model, build_model_add_buffer(model, "b"), "e", ETL_HEADER_TYPE_INSTANCE64);
    set(model, "b", "TimeStamp", 77);
    set(model, "e", "InstanceId", 78);
    if (late) {
        set(model, "logfile", "MajorVersion", major);
        set(model, "logfile", "MinorVersion", minor);
    }
    build_model_lay_out(model);
    CHECK_UINT(buffer, model->buffers[0].header.id);
    CHECK_UINT(buffer, model->buffers[1].header.id);
    CHECK_UINT(instance, event_of(model, "e")->header_size);
    CHECK_UINT(77, get(model, "b", "TimeStamp"));
    CHECK_UINT(78, get(model, "e", "InstanceId"));
    CHECK_UINT(sub_version, get(model, "logfile", "SubVersion") << 8 | get(model, "logfile", "SubMinorVersion"));
    build_model_free(model);
}

static void test_shapes(void)
{
    for (int late = 0; late < 2; late++) {
        check_shape(5, 0, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_50, 0x0100, 0x38);
        check_shape(5, 1, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_50, 0x0100, 0x38);
        check_shape(5, 2, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_52, 0x0102, 0x48);
        check_shape(6, 0, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_60, 0x0104, 0x48);
        check_shape(6, 1, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_61, 0x0105, 0x48);
        check_shape(10, 0, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_61, 0x0105, 0x48);
        check_shape(11, 0, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_61, 0x0105, 0x48);
        check_shape(4, 0, late, ETL_STRUCTURE_WMI_BUFFER_HEADER_61, 0x0105, 0x48);
    }
}

static void check_instance(unsigned sub, unsigned minor, size_t size, const char *member)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_INSTANCE32);
    set(model, "logfile", "SubVersion", sub);
    set(model, "logfile", "SubMinorVersion", minor);
    set(model, "second", member, 5);
    build_model_lay_out(model);
    CHECK_UINT(size, event_of(model, "second")->header_size);
    CHECK_UINT(5, get(model, "second", member));
    build_model_free(model);
}

static void test_instance(void)
{
    check_instance(1, 0, 0x38, "RegHandle");
    check_instance(0, 9, 0x38, "ParentRegHandle");
    check_instance(1, 1, 0x48, "ParentInstanceId");
    check_instance(2, 0, 0x48, "ParentInstanceId");
}

static void test_processors(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_PERFINFO64);
    set(model, "b", "ProcessorIndex", 300);
    build_model_lay_out(model);
    CHECK_UINT(301, get(model, "logfile", "NumberOfProcessors"));
    set(model, "logfile", "MajorVersion", 6);
    set(model, "logfile", "MinorVersion", 1);
    build_model_lay_out(model);
    CHECK_UINT(0, get(model, "b", "BufferFlag"));
    CHECK_UINT(0x0800, get(model, "header", "ProcessorIndex")); /* Alignment is 8 */
    CHECK_UINT(300 % 256 + 1, get(model, "logfile", "NumberOfProcessors"));
    build_model_free(model);
}

static void test_items(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_EVENT_HEADER64);
    build_model_event *event = event_of(model, "second");
    build_model_item *item = build_model_add_item(event, "schema", ETL_ITEM_TYPE_EVENT_SCHEMA_TL);
    build_chunk_fill(&item->data, 0x44, 5);
    build_chunk_fill(&item->padding, 0x55, 1);
    build_chunk_fill(&build_model_add_item(event, "key", ETL_ITEM_TYPE_EVENT_KEY)->data, 0x66, 8);
    set(model, "second", "Flags", ETL_EVENT_FLAG_NO_CPUTIME);
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    const size_t at = 0x400 + 0xA0;
    CHECK_UINT(0x50 + 16 + 16 + 8, number_at(&image, at, 2));
    CHECK_UINT(0x0011, number_at(&image, at + 4, 2));
    CHECK_UINT(0x00050001000B0010, number_at(&image, at + 0x50, 8));
    CHECK_UINT(0x0000554444444444, number_at(&image, at + 0x58, 8));
    CHECK_UINT(0x00080000000A0010, number_at(&image, at + 0x60, 8));
    CHECK_UINT(0x2222222222222222, number_at(&image, at + 0x70, 8));
    CHECK_UINT(32, event->items_size);
    CHECK_UINT(0xA0 + 0x60, event->items[1].at);
    CHECK_UINT(16, event->items[1].size);
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_counters(uint8_t type, size_t header, bool has_counters)
{
    build_model *model = small_trace(type);
    build_model_event *event = event_of(model, "second");
    event->has_pebs = true;
    event->pebs = UINT64_C(0x0102030405060708);
    event->pmc_count = 2;
    event->pmc[0] = 21;
    event->pmc[1] = 22;
    build_model_lay_out(model);
    CHECK_UINT(header + (has_counters ? 24 : 0), event->header_size);
    if (has_counters) {
        build_chunk image = build_image_make(model);
        const size_t at = 0x400 + event->at;
        CHECK_UINT(0x8202, number_at(&image, at, 2));
        CHECK_UINT(event->pebs, number_at(&image, at + header, 8));
        CHECK_UINT(21, number_at(&image, at + header + 8, 8));
        CHECK_UINT(22, number_at(&image, at + header + 16, 8));
        build_chunk_free(&image);
    }
    build_model_free(model);
}

/* All 256 option words: message fields in the documented order of MESSAGE_TRACE_HEADER. */
static void test_message(void)
{
    for (unsigned options = 0; options < 256; options++) {
        build_model *model = small_trace(ETL_HEADER_TYPE_MESSAGE);
        build_model_event *event = event_of(model, "second");
        event->message_fields.sequence = 0x5E5E5E5E;
        event->message_fields.component_id = 0xC0C0C0C0;
        set(model, "second", "OptionFlags", options);
        build_model_lay_out(model);
        build_chunk image = build_image_make(model);
        size_t at = 0x400 + event->at;
        CHECK_UINT(0x90, number_at(&image, at + 3, 1));
        CHECK_UINT(0, number_at(&image, at + 2, 1));
        at += 8;
        if (options & 0x01)
            CHECK_UINT(0x5E5E5E5E, number_at(&image, (at += 4) - 4, 4));
        if (options & 0x04)
            CHECK_UINT(0xC0C0C0C0, number_at(&image, (at += 4) - 4, 4));
        else if (options & 0x02)
            CHECK_BYTES(event->message_fields.guid, image.at + (at += 16) - 16, 16);
        if (options & 0x18)
            CHECK_UINT(options & 0x08 ? 1002000 : 0, number_at(&image, (at += 8) - 8, 8));
        if (options & 0x20) {
            CHECK_UINT(event->message_fields.thread_id, number_at(&image, (at += 4) - 4, 4));
            CHECK_UINT(event->message_fields.process_id, number_at(&image, (at += 4) - 4, 4));
        }
        CHECK_UINT(0x2222222222222222, number_at(&image, at, 8));
        CHECK_UINT(at + 8 - 0x400 - event->at, event->size);
        CHECK_UINT(event->size, number_at(&image, 0x400 + event->at, 2));
        build_chunk_free(&image);
        build_model_free(model);
    }
}

/* A given time stays, even 0; a default follows the clock. */
static void test_message_time(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_MESSAGE);
    event_of(model, "first")->message_fields.time = 0;
    build_model_lay_out(model);
    CHECK_UINT(0, event_of(model, "first")->message_fields.time);
    CHECK_UINT(1002000, event_of(model, "second")->message_fields.time);
    set(model, "logfile", "ReservedFlags", ETL_CLOCK_TYPE_SYSTEMTIME);
    build_model_lay_out(model);
    CHECK_UINT(0, event_of(model, "first")->message_fields.time);
    CHECK_UINT(UINT64_C(132264036000002000), event_of(model, "second")->message_fields.time);
    build_model_free(model);
}

static void check_type(unsigned type, size_t header, size_t size_at, uint32_t marker)
{
    build_model *model = small_trace((uint8_t)type);
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    const build_model_event *event = event_of(model, "first");
    CHECK_UINT(header, event->header_size);
    CHECK_UINT(header + 1, number_at(&image, 0x448 + size_at, 2));
    CHECK_UINT(marker, number_at(&image, 0x44A, 2));
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_types(void)
{
    static const uint8_t sizes[0x16] = {
        [0x01] = 0x20, [0x02] = 0x20, [0x03] = 0x18, [0x04] = 0x18, [0x0A] = 0x30, [0x0B] = 0x48, [0x0F] = 0x28,
        [0x10] = 0x10, [0x11] = 0x10, [0x12] = 0x50, [0x13] = 0x50, [0x14] = 0x30, [0x15] = 0x48};
    for (unsigned type = 0; type < 256; type++) {
        const size_t header = type < sizeof sizes && sizes[type] != 0 ? sizes[type] : 8;
        const bool size_at_4 = (type >= 1 && type <= 4) || type == 0x10 || type == 0x11;
        check_type(type, header, size_at_4 ? 4 : 0, type == 0x0F ? 0x9000 : 0xC000 | type);
    }
    test_counters(ETL_HEADER_TYPE_PERFINFO64, 0x10, true);
    test_counters(ETL_HEADER_TYPE_SYSTEM32, 0x20, true);
    test_counters(ETL_HEADER_TYPE_COMPACT64, 0x18, true);
    test_counters(ETL_HEADER_TYPE_FULL_HEADER64, 0x30, false);
}

/* Given members are written; only BufferSize moves anything, and only if the buffer fits. */
static void test_given(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_FULL_HEADER64);
    set(model, "b", "BufferSize", 0x600);
    set(model, "header", "BufferSize", 0x200);
    set(model, "b", "SavedOffset", 0);
    set(model, "second", "Size", 3);
    set(model, "logfile", "BuffersWritten", 99);
    set(model, "logfile", "SystemTime", 5);
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK_UINT(0x800, image.size);
    CHECK_UINT(0x600, get(model, "logfile", "BufferSize"));
    CHECK_UINT(0, number_at(&image, 0x204, 4));
    CHECK_UINT(model->buffers[1].extent, number_at(&image, 0x230, 4));
    CHECK_UINT(3, number_at(&image, 0x200 + event_of(model, "second")->at, 2));
    CHECK_UINT(0x38, event_of(model, "second")->size);
    CHECK_UINT(99, number_at(&image, 0x8C, 4));
    CHECK_UINT(5, number_at(&image, 0x58, 8));
    build_chunk_free(&image);
    set(model, "b", "BufferSize", 0x48);
    build_model_lay_out(model);
    CHECK_UINT(0x400, model->buffers[1].size);
    CHECK_UINT(0x48, get(model, "b", "BufferSize"));
    set(model, "b", "BufferSize", UINT32_MAX);
    build_model_lay_out(model);
    CHECK_UINT(0x400, model->buffers[1].size);
    set(model, "logfile", "BufferSize", 0x1000);
    build_model_lay_out(model);
    CHECK_UINT(0x200, model->buffers[0].size);
    CHECK_UINT(0x1000, model->buffers[1].size);
    build_model_free(model);
}

/* All plain buffers are as large as the largest. */
static void test_common_size(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_FULL_HEADER64);
    build_chunk_fill(&event_of(model, "first")->data, 1, 0x400);
    build_model_lay_out(model);
    CHECK_UINT(0x800, model->buffers[0].size);
    CHECK_UINT(0x800, model->buffers[1].size);
    CHECK_UINT(0x800, get(model, "logfile", "BufferSize"));
    build_model_free(model);
}

static void test_raw_events(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_PERFINFO64);
    build_chunk_fill(&build_model_add_raw_event(model, 1, "gap", ETL_REGION_DAMAGED)->data, 0x12, 5);
    build_model_add_event(model, 1, "fourth", ETL_HEADER_TYPE_PERFINFO64);
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK_UINT(0x1212121212, number_at(&image, 0x400 + event_of(model, "gap")->at, 8));
    CHECK_UINT(event_of(model, "gap")->at + 8, event_of(model, "fourth")->at);
    CHECK_UINT(1004000, get(model, "fourth", "TimeStamp"));
    CHECK(part_of(model, "gap", "Size") == NULL);
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_32_bit(void)
{
    build_model *model = build_model_new(8);
    set(model, "logfile", "EventsLost", 5);
    model->pointer_size = 4;
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK_UINT(0xC0010002, number_at(&image, 0x48, 4));
    CHECK_UINT(0x20 + 0x110 + 22, number_at(&image, 0x4C, 2));
    CHECK_UINT(4, number_at(&image, 0x94, 4));
    CHECK_UINT(5, number_at(&image, 0x98, 4));
    CHECK_INT(-60, (int32_t)number_at(&image, 0xA8, 4));
    CHECK_UINT(10000000, number_at(&image, 0x68 + 0xF8, 8));
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_no_logfile(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_PERFINFO64);
    build_model_node node;
    build_model_drop_logfile(model);
    CHECK(!build_model_find(model, "logfile", &node));
    CHECK(node.buffer == NULL);
    build_model_lay_out(model);
    CHECK_UINT(0x400, model->size);
    CHECK_UINT(0, get(model, "b", "BufferType"));
    build_model_add_logfile(model, build_model_add_buffer(model, "own"), "mine");
    build_model_lay_out(model);
    CHECK_UINT(ETL_BUFFER_TYPE_HEADER, get(model, "own", "BufferType"));
    CHECK_UINT(2, get(model, "mine", "BuffersWritten"));
    build_model_free(model);
}

static void test_copy(void)
{
    build_model *model = compressed_trace();
    build_chunk_fill(&build_model_add_item(event_of(model, "first"), "item", 1)->data, 1, 16);
    build_model_lay_out(model);
    build_model *copy = build_model_copy(model);
    build_chunk image = build_image_make(model);
    set(model, "first", "Id", 0x4242);
    event_of(model, "first")->items[0].data.at[0] = 9;
    build_model_add_event(model, 1, "more", ETL_HEADER_TYPE_PERFINFO64);
    build_model_lay_out(model);
    build_chunk again = build_image_make(copy);
    CHECK_UINT(image.size, again.size);
    CHECK_BYTES(image.at, again.at, image.size);
    build_chunk_free(&again);
    build_model_lay_out(copy);
    again = build_image_make(copy);
    CHECK_UINT(image.size, again.size);
    CHECK_BYTES(image.at, again.at, image.size);
    build_chunk_free(&again);
    build_chunk_free(&image);
    build_model_free(copy);
    build_model_free(model);
}

int main(void)
{
    test_structure_bytes();
    test_plain();
    test_shapes();
    test_instance();
    test_processors();
    test_items();
    test_message();
    test_message_time();
    test_types();
    test_given();
    test_common_size();
    test_raw_events();
    test_32_bit();
    test_no_logfile();
    test_copy();
    return test_result();
}
