/* SPDX-License-Identifier: Apache-2.0 */
/* logfile.c: the logfile header event of both widths. Offsets are those of FACTS 5, spelled out. */
#include "etlproof/logfile.h"

#include "test.h"
#include "test_bytes.h"

/* File offset of the buffer; offsets in the buffer of the event and of its TRACE_LOGFILE_HEADER. */
enum { ORIGIN = 0x3000, EVENT = 0x48, HEADER = EVENT + 0x20 };

/* The members that differ between the widths. */
typedef struct width {
    uint8_t type, pointer;
    size_t logger_name, log_file_name, time_zone, boot_time, perf_freq, start_time, flags, buffers_lost, size;
} width;

static const width widths[2] = {
    {1, 4, 0x38, 0x3C, 0x40, 0xF0, 0xF8, 0x100, 0x108, 0x10C, 0x110},
    {2, 8, 0x38, 0x40, 0x48, 0xF8, 0x100, 0x108, 0x110, 0x114, 0x118},
};

static etl_findings findings;
static etl_logfile logfile;

static void put_date(test_bytes *b, size_t at, uint16_t first)
{
    for (uint16_t i = 0; i < 8; i++)
        put_u16(b, at + 2u * i, (uint16_t)(first + i));
}

/* The members up to the two pointers. */
static void put_common(test_bytes *b, const width *w)
{
    put_u32(b, 0x2C, 0x00050003); /* State: the compression format is its low half */
    put_u16(b, EVENT + 0x00, 2);
    put_u16(b, EVENT + 0x02, (uint16_t)(0xC000 | w->type));
    put_u16(b, EVENT + 0x06, 0);
    put_u64(b, EVENT + 0x10, UINT64_C(0x1122334455667788));
    const size_t h = HEADER;
    put_u32(b, h + 0x00, 0x81000001);
    put_u8(b, h + 0x04, 10);
    put_u8(b, h + 0x05, 7);
    put_u8(b, h + 0x06, 1);
    put_u8(b, h + 0x07, 5);
    put_u32(b, h + 0x08, 0x81000002);
    put_u32(b, h + 0x0C, 2048);
    put_u64(b, h + 0x10, UINT64_C(0x01D500000000000B));
    put_u32(b, h + 0x18, 0x81000003);
    put_u32(b, h + 0x1C, 0x81000004);
    put_u32(b, h + 0x20, 0x81000005);
    put_u32(b, h + 0x24, 0x81000006);
    put_u32(b, h + 0x28, 0x81000007);
    put_u32(b, h + 0x2C, w->pointer);
    put_u32(b, h + 0x30, 0x81000008);
    put_u32(b, h + 0x34, 0x81000009);
    put_u32(b, h + w->logger_name, 0x8100000A);
    put_u32(b, h + w->log_file_name, 0x8100000B);
    if (w->pointer == 8) {
        put_u32(b, h + w->logger_name + 4, 0x8100000C);
        put_u32(b, h + w->log_file_name + 4, 0x8100000D);
    }
}

static void put_time_zone(test_bytes *b, size_t z)
{
    put_u32(b, z + 0x00, (uint32_t)-60);
    put_text16(b, z + 0x04, "Standard");
    put_date(b, z + 0x44, 0x100);
    put_u32(b, z + 0x54, (uint32_t)-61);
    put_text16(b, z + 0x58, "Daylight, 31 characters of them");
    put_date(b, z + 0x98, 0x200);
    put_u32(b, z + 0xA8, (uint32_t)-62);
}

/* A well-formed header buffer whose members all have different values. */
static test_bytes well_formed(const width *w)
{
    const size_t h = HEADER;
    test_bytes b = {NULL, 0};
    put_fill(&b, 0, HEADER + w->size, 0xE7);
    put_common(&b, w);
    put_time_zone(&b, h + w->time_zone);
    put_u64(&b, h + w->boot_time, UINT64_C(0x01D500000000000E));
    put_u64(&b, h + w->perf_freq, UINT64_C(0x000000008100000F));
    put_u64(&b, h + w->start_time, UINT64_C(0x01D500000000000A));
    put_u32(&b, h + w->flags, 1);
    put_u32(&b, h + w->buffers_lost, 0x81000010);
    put_text16(&b, b.size, "Logger");
    put_text16(&b, b.size, "C:\\file.etl");
    put_u16(&b, EVENT + 0x04, (uint16_t)(b.size - EVENT));
    put_fill(&b, b.size, 16, 0xFF);
    return b;
}

static bool read(const test_bytes *b)
{
    findings.count = 0;
    memset(&logfile, 0xA5, sizeof logfile);
    etl_logfile_read(span_of(b), EVENT, ORIGIN, &logfile, &findings);
    return logfile.known;
}

static bool is_text16(etl_span text, const char *expected)
{
    if (text.size != 2 * strlen(expected))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] != (i % 2 ? 0 : (uint8_t)expected[i / 2]))
            return false;
    return true;
}

static void check_date(const etl_systemtime *t, uint16_t first)
{
    CHECK_UINT(first, t->year);
    CHECK_UINT(first + 1u, t->month);
    CHECK_UINT(first + 2u, t->day_of_week);
    CHECK_UINT(first + 3u, t->day);
    CHECK_UINT(first + 4u, t->hour);
    CHECK_UINT(first + 5u, t->minute);
    CHECK_UINT(first + 6u, t->second);
    CHECK_UINT(first + 7u, t->milliseconds);
}

static void check_common(void)
{
    CHECK_UINT(0x81000001, logfile.buffer_size);
    CHECK_UINT(10, logfile.major_version);
    CHECK_UINT(7, logfile.minor_version);
    CHECK_UINT(1, logfile.sub_version);
    CHECK_UINT(5, logfile.sub_minor_version);
    CHECK_UINT(0x81000002, logfile.provider_version);
    CHECK_UINT(2048, logfile.number_of_processors);
    CHECK_INT(INT64_C(0x01D500000000000B), logfile.end_time);
    CHECK_UINT(0x81000003, logfile.timer_resolution);
    CHECK_UINT(0x81000004, logfile.maximum_file_size);
    CHECK_UINT(0x81000005, logfile.log_file_mode);
    CHECK_UINT(0x81000006, logfile.buffers_written);
    CHECK_UINT(0x81000007, logfile.start_buffers);
    CHECK_UINT(0x81000008, logfile.events_lost);
    CHECK_UINT(0x81000009, logfile.cpu_speed_in_mhz);
}

static void test_members(void)
{
    for (size_t i = 0; i < 2; i++) {
        const width *w = &widths[i];
        test_bytes b = well_formed(w);
        CHECK(etl_logfile_here(span_of(&b), EVENT));
        CHECK(read(&b));
        CHECK_UINT(0, findings.count);
        CHECK(logfile.known);
        CHECK_UINT(w->type, logfile.header_type);
        CHECK_UINT(w->pointer, logfile.pointer_size);
        CHECK_UINT(w->pointer, logfile.stated_pointer_size);
        check_common();
        CHECK_UINT(i ? UINT64_C(0x8100000C8100000A) : 0x8100000A, logfile.logger_name_pointer);
        CHECK_UINT(i ? UINT64_C(0x8100000D8100000B) : 0x8100000B, logfile.log_file_name_pointer);
        const etl_time_zone *z = &logfile.time_zone;
        CHECK_INT(-60, z->bias);
        CHECK_INT(-61, z->standard_bias);
        CHECK_INT(-62, z->daylight_bias);
        CHECK(is_text16(z->standard_name, "Standard"));
        CHECK(is_text16(z->daylight_name, "Daylight, 31 characters of them"));
        check_date(&z->standard_date, 0x100);
        check_date(&z->daylight_date, 0x200);
        CHECK_INT(INT64_C(0x01D500000000000E), logfile.boot_time);
        CHECK_INT(0x8100000F, logfile.perf_freq);
        CHECK_INT(INT64_C(0x01D500000000000A), logfile.start_time);
        CHECK_UINT(1, logfile.reserved_flags);
        CHECK_UINT(0x81000010, logfile.buffers_lost);
        CHECK(is_text16(logfile.logger_name, "Logger"));
        CHECK(is_text16(logfile.log_file_name, "C:\\file.etl"));
        CHECK_UINT(3, logfile.compression_format);
        CHECK_UINT(1, logfile.clock.type);
        CHECK_UINT(0x8100000F, logfile.clock.frequency);
        CHECK_INT(INT64_C(0x1122334455667788), logfile.clock.start_ticks);
        CHECK_INT(INT64_C(0x01D500000000000A), logfile.clock.start_time);
        release(&b);
    }
}

/* The name of a time zone may fill its member, without NUL. */
static void test_long_zone_name(void)
{
    test_bytes b = well_formed(&widths[1]);
    put_fill(&b, HEADER + 0x48 + 0x04, 64, 'x');
    put_fill(&b, HEADER + 0x48 + 0x58, 64, 'y');
    CHECK(read(&b));
    CHECK_UINT(64, logfile.time_zone.standard_name.size);
    CHECK_UINT(64, logfile.time_zone.daylight_name.size);
    release(&b);
}

/* Cut at every byte of the fixed part, by Size and by the end of the buffer (LFH-002). */
static void test_cut(void)
{
    for (size_t i = 0; i < 4; i++) {
        const width *w = &widths[i % 2];
        test_bytes whole = well_formed(w);
        for (uint32_t size = 0; size < w->size; size++) {
            test_bytes b = copy_of(&whole, i < 2 ? whole.size : HEADER + size);
            if (i < 2)
                put_u16(&b, EVENT + 4, (uint16_t)(0x20 + size));
            CHECK(!read(&b));
            CHECK_UINT(1, findings.count);
            CHECK_UINT(ETL_RULE_LFH_002, findings.at[0].rule);
            CHECK_UINT(ORIGIN + EVENT + 4, findings.at[0].offset);
            CHECK_UINT(ETL_RELATION_AT_LEAST, findings.at[0].relation);
            CHECK_UINT(0x20 + w->size, findings.at[0].expected);
            CHECK_UINT(0x20 + size, findings.at[0].actual);
            CHECK(!logfile.known);
            CHECK_UINT(w->pointer, logfile.pointer_size);
            /* Members before the cut are read, those past it are 0. */
            CHECK_UINT(size >= 4 ? 0x81000001 : 0, logfile.buffer_size);
            CHECK_UINT(size >= 7 ? 1 : 0, logfile.sub_version);
            CHECK_INT(size >= 0x18 ? INT64_C(0x01D500000000000B) : 0, logfile.end_time);
            CHECK_UINT(size >= 0x38 ? 0x81000009 : 0, logfile.cpu_speed_in_mhz);
            CHECK_UINT(0, logfile.clock.type | logfile.clock.frequency);
            CHECK_UINT(size >= w->size - 8, logfile.start_time != 0);
            CHECK_UINT(size >= w->size - 4, logfile.reserved_flags != 0);
            CHECK_UINT(0, logfile.buffers_lost | logfile.logger_name.size);
            release(&b);
        }
        release(&whole);
    }
}

/* Names end with a NUL within the event, or with the event (LFH-003). */
static void test_names(void)
{
    const size_t first = HEADER + 0x118, second = first + 14, end = second + 24;
    test_bytes whole = well_formed(&widths[1]);
    for (size_t size = first; size <= end; size++) {
        test_bytes b = copy_of(&whole, whole.size);
        put_u16(&b, EVENT + 4, (uint16_t)(size - EVENT));
        CHECK(read(&b));
        CHECK_UINT(size == end ? 0 : 1, findings.count);
        if (size < end) {
            CHECK_UINT(ETL_RULE_LFH_003, findings.at[0].rule);
            CHECK_UINT(ORIGIN + (size < second ? first : second), findings.at[0].offset);
        }
        size_t logger = size >= second ? 12 : (size - first) / 2 * 2;
        size_t file = size >= end ? 22 : size >= second ? (size - second) / 2 * 2 : 0;
        CHECK_UINT(logger < 12 ? logger : 12, logfile.logger_name.size);
        CHECK_UINT(file < 22 ? file : 22, logfile.log_file_name.size);
        release(&b);
    }
    release(&whole);
}

/* A change of one number of a well-formed header, and the rule that it breaks. */
typedef struct change {
    size_t at, bytes; /* in TRACE_LOGFILE_HEADER64 */
    uint64_t value;
    etl_rule rule; /* ETL_RULE_COUNT: none */
    etl_relation relation;
    uint64_t expected, actual;
} change;

static const change changes[] = {
    {0x04, 1, 4, ETL_RULE_LFH_005, ETL_RELATION_AT_LEAST, 5, 4},
    {0x04, 1, 6, ETL_RULE_COUNT, 0, 0, 0},
    {0x04, 1, 11, ETL_RULE_LFH_005, ETL_RELATION_AT_MOST, 10, 11},
    {0x04, 1, 255, ETL_RULE_LFH_005, ETL_RELATION_AT_MOST, 10, 255},
    {0x06, 2, 0x0002, ETL_RULE_COUNT, 0, 0, 0}, /* sub-version 2.0 */
    {0x06, 2, 0x0102, ETL_RULE_LFH_005, ETL_RELATION_AT_MOST, 0x200, 0x201},
    {0x06, 2, 0x0003, ETL_RULE_LFH_005, ETL_RELATION_AT_MOST, 0x200, 0x300},
    {0x06, 2, 0xFF01, ETL_RULE_COUNT, 0, 0, 0},
    {0x0C, 4, 0, ETL_RULE_LFH_006, ETL_RELATION_AT_LEAST, 1, 0},
    {0x0C, 4, 1, ETL_RULE_COUNT, 0, 0, 0},
    {0x0C, 4, 2049, ETL_RULE_LFH_006, ETL_RELATION_AT_MOST, 2048, 2049},
    {0x0C, 4, 0xFFFFFFFF, ETL_RULE_LFH_006, ETL_RELATION_AT_MOST, 2048, 0xFFFFFFFF},
    {0x10, 8, 0, ETL_RULE_LFH_010, ETL_RELATION_NOT, 0, 0},
    {0x10, 8, UINT64_C(0x01D500000000000A), ETL_RULE_COUNT, 0, 0, 0}, /* as early as StartTime */
    {0x10, 8, UINT64_C(0x01D5000000000009), ETL_RULE_TIM_005, ETL_RELATION_AT_LEAST, UINT64_C(0x01D500000000000A),
     UINT64_C(0x01D5000000000009)},
    {0x2C, 4, 4, ETL_RULE_LFH_004, ETL_RELATION_EQUAL, 8, 4},
    {0x2C, 4, 0, ETL_RULE_LFH_004, ETL_RELATION_EQUAL, 8, 0},
    {0x100, 8, 0, ETL_RULE_TIM_002, ETL_RELATION_AT_LEAST, 1, 0},
    {0x100, 8, UINT64_MAX, ETL_RULE_TIM_002, ETL_RELATION_AT_LEAST, 1, UINT64_MAX},
    {0x100, 8, 1, ETL_RULE_COUNT, 0, 0, 0},
    {0x110, 4, 0, ETL_RULE_COUNT, 0, 0, 0},
    {0x110, 4, 2, ETL_RULE_COUNT, 0, 0, 0},
    {0x110, 4, 3, ETL_RULE_COUNT, 0, 0, 0},
    {0x110, 4, 4, ETL_RULE_TIM_001, ETL_RELATION_AT_MOST, 3, 4},
    {0x110, 4, 0xFFFFFFFF, ETL_RULE_TIM_001, ETL_RELATION_AT_MOST, 3, 0xFFFFFFFF},
};

static void put_change(test_bytes *b, const change *c)
{
    for (size_t i = 0; i < c->bytes; i++)
        put_u8(b, HEADER + c->at + i, (uint8_t)(c->value >> (8 * i)));
}

static void test_changes(void)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const change *c = &changes[i];
        test_bytes b = well_formed(&widths[1]);
        put_change(&b, c);
        CHECK(read(&b));
        CHECK_UINT(c->rule != ETL_RULE_COUNT, findings.count);
        if (findings.count == 1 && c->rule != ETL_RULE_COUNT) {
            const etl_finding *f = &findings.at[0];
            CHECK_TEXT(etl_rule_get(c->rule)->id, etl_rule_get(f->rule)->id);
            CHECK_UINT(ORIGIN + HEADER + c->at, f->offset);
            CHECK_UINT(c->relation, f->relation);
            CHECK_UINT(c->expected, f->expected);
            CHECK_UINT(c->actual, f->actual);
        }
        release(&b);
    }
}

/* Clock type 1 needs PerfFreq, and 3 needs CpuSpeedInMHz; others need neither. Before 6.0, 1 is the performance counter and
 * any other value is system time. */
static void test_clocks(void)
{
    static const struct {
        uint8_t major;
        uint32_t flags, type;
        uint64_t perf_freq;
        uint32_t mhz;
        uint64_t frequency;
        uint32_t findings;
    } rows[] = {
        {10, 0, 0, 0, 0, 0, 0},      {10, 1, 1, 1, 0, 1, 0},       {10, 1, 1, 1000, 0, 1000, 0},    {10, 1, 1, 0, 7, 0, 1},
        {10, 2, 2, 0, 0, 0, 0},      {10, 3, 3, 0, 2600, 2600, 0}, {10, 3, 3, 1000, 0, 0, 1},       {6, 0, 0, 0, 0, 0, 0},
        {6, 1, 1, 1000, 0, 1000, 0}, {5, 0, 2, 0, 0, 0, 0},        {5, 1, 1, 1000, 0, 1000, 0},     {5, 1, 1, 0, 0, 0, 1},
        {5, 2, 2, 0, 0, 0, 0},       {5, 3, 2, 0, 0, 0, 0},        {10, 1, 1, UINT64_MAX, 7, 0, 1},
        {5, 4, 2, 0, 0, 0, 0},       {5, UINT32_MAX, 2, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const size_t r = i / 2;
        const width *w = &widths[i % 2];
        test_bytes b = well_formed(w);
        put_u8(&b, HEADER + 0x04, rows[r].major);
        put_u8(&b, HEADER + 0x05, 0);
        put_u32(&b, HEADER + w->flags, rows[r].flags);
        put_u64(&b, HEADER + w->perf_freq, rows[r].perf_freq);
        put_u32(&b, HEADER + 0x34, rows[r].mhz);
        CHECK(read(&b));
        CHECK_UINT(rows[r].type, logfile.clock.type);
        if (rows[r].type == 1 || rows[r].type == 3)
            CHECK_UINT(rows[r].frequency, logfile.clock.frequency);
        CHECK_UINT(rows[r].findings, findings.count);
        if (findings.count == 1) {
            CHECK_UINT(ETL_RULE_TIM_002, findings.at[0].rule);
            CHECK_UINT(ORIGIN + HEADER + (rows[r].type == 1 ? w->perf_freq : 0x34), findings.at[0].offset);
            CHECK_UINT(ETL_RELATION_AT_LEAST, findings.at[0].relation);
            CHECK_UINT(1, findings.at[0].expected);
        }
        release(&b);
    }
}

/* The context for reading events, by Windows version and sub-version (FACTS 3: TYP-003, TYP-004, ThreadId of 5.0). */
static void test_contexts(void)
{
    static const struct {
        uint8_t major, minor, sub, sub_minor;
        bool instance_guid, thread_id_64, compact;
    } rows[] = {
        {5, 0, 1, 0, false, true, false}, {5, 1, 1, 0, false, false, false}, {5, 2, 1, 2, true, false, false},
        {6, 0, 1, 4, true, false, false}, {6, 1, 1, 5, true, false, false},  {6, 2, 2, 0, true, false, true},
        {6, 3, 1, 5, true, false, true},  {10, 0, 1, 5, true, false, true},  {10, 0, 2, 0, true, false, true},
        {10, 0, 1, 1, true, false, true}, {10, 0, 1, 0, false, false, true}, {10, 0, 0, 9, false, false, true},
        {10, 0, 0, 0, false, false, true},
    };
    static const struct {
        uint32_t mode;
        bool processor_time;
    } modes[] = {{0, false}, {0x800, true}, {0x20000, true}, {0x20800, true}, {0xFFFDF7FF, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            const width *w = &widths[(i + m) % 2];
            test_bytes b = well_formed(w);
            put_u8(&b, HEADER + 0x04, rows[i].major);
            put_u8(&b, HEADER + 0x05, rows[i].minor);
            put_u8(&b, HEADER + 0x06, rows[i].sub);
            put_u8(&b, HEADER + 0x07, rows[i].sub_minor);
            put_u32(&b, HEADER + 0x20, modes[m].mode);
            CHECK(read(&b));
            etl_context c = etl_logfile_context(&logfile);
            CHECK(c.known);
            CHECK_UINT(w->pointer, c.pointer_size);
            CHECK(c.instance_guid == rows[i].instance_guid);
            CHECK(c.thread_id_64 == rows[i].thread_id_64);
            CHECK(c.compact_allowed == rows[i].compact);
            CHECK(c.processor_time == modes[m].processor_time);
            release(&b);
        }
    }
}

/* LFH-005: a file of an unknown version is read as one of the latest version. */
static void test_odd_version(void)
{
    static const uint8_t majors[] = {0, 4, 11, 255};
    for (size_t i = 0; i < sizeof majors; i++) {
        test_bytes b = well_formed(&widths[1]);
        put_u8(&b, HEADER + 0x04, majors[i]);
        CHECK(read(&b));
        etl_context c = etl_logfile_context(&logfile);
        CHECK(c.compact_allowed && c.instance_guid && !c.thread_id_64);
        put_u32(&b, HEADER + 0x110, 3);
        CHECK(read(&b));
        CHECK_UINT(3, logfile.clock.type);
        release(&b);
    }
}

/* A file without logfile header is read as one of the latest version. */
static void test_unknown(void)
{
    static const etl_logfile none = {0};
    etl_context c = etl_logfile_context(&none);
    CHECK(!c.known && c.instance_guid && !c.thread_id_64 && c.compact_allowed && !c.processor_time);
    CHECK_UINT(0, c.pointer_size);
}

/* The conditions for the first event to be a logfile header (LFH-001). */
static void test_here(void)
{
    static const struct {
        size_t at;
        uint8_t value;
        bool here;
    } rows[] = {{2, 1, true}, {2, 3, false}, {2, 0x13, false}, {3, 0x90, false}, {6, 1, false}, {7, 1, false},
                {4, 0x20, true}, {4, 0x1F, false}, {0, 9, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_bytes b = well_formed(&widths[1]);
        put_u16(&b, EVENT + 4, 0x20); /* the shortest; 0x1F is too short for its own header */
        put_u8(&b, EVENT + rows[i].at, rows[i].value);
        CHECK(etl_logfile_here(span_of(&b), EVENT) == rows[i].here);
        CHECK(!read(&b));
        CHECK_UINT(1, findings.count);
        CHECK_UINT(rows[i].here ? ETL_RULE_LFH_002 : ETL_RULE_LFH_001, findings.at[0].rule);
        const etl_finding *f = &findings.at[0];
        if (!rows[i].here) {
            CHECK_UINT(ORIGIN + EVENT, f->offset);
            CHECK(f->relation != ETL_RELATION_EQUAL || f->expected != f->actual);
            const size_t member = rows[i].at & ~(size_t)1; /* the word with the fault */
            CHECK_UINT((uint32_t)b.at[EVENT + member] | (uint32_t)b.at[EVENT + member + 1] << 8, f->actual);
        }
        release(&b);
    }
}

static void test_extension(void)
{
    test_bytes whole = {NULL, 0};
    for (uint32_t i = 0; i < 9; i++)
        put_u32(&whole, (size_t)i * 4, 0x81000000 + i);
    put_u32(&whole, 36, 0xEEEEEEEE);
    for (size_t size = 0; size <= whole.size; size++) {
        test_bytes b = copy_of(&whole, size);
        etl_header_extension e;
        CHECK(etl_header_extension_read(span_of(&b), &e) == (size >= 0x20));
        for (uint32_t i = 0; i < 8; i++)
            CHECK_UINT(size >= 0x20 ? 0x81000000 + i : 0, e.group_mask[i]);
        CHECK(e.has_version == (size >= 0x24));
        CHECK_UINT(size >= 0x24 ? 0x81000008 : 0, e.version);
        release(&b);
    }
    release(&whole);
}

/* The times that are stated, or the whole ones that are there. */
static void test_dropped_times(void)
{
    enum { HEAD = ETL_SIZE_LAST_DROPPED_TIMES, TIMES = 2 * 8 + 3 };
    for (uint32_t stated = 0; stated < 4; stated++) {
        test_bytes whole = {NULL, 0};
        put_fill(&whole, 0, HEAD + TIMES, 0x77);
        put_u32(&whole, 0, stated);
        for (size_t size = 0; size <= whole.size; size++) {
            test_bytes b = copy_of(&whole, size);
            etl_last_dropped_times dropped;
            CHECK(etl_last_dropped_times_read(span_of(&b), &dropped) == (size >= HEAD));
            const size_t there = size < HEAD ? 0 : (size - HEAD) / 8;
            CHECK_UINT(8 * (stated < there ? stated : there), dropped.times.size);
            CHECK(size < HEAD || dropped.count == stated);
            release(&b);
        }
        release(&whole);
    }
}

int main(void)
{
    test_members();
    test_long_zone_name();
    test_cut();
    test_names();
    test_changes();
    test_clocks();
    test_contexts();
    test_odd_version();
    test_unknown();
    test_here();
    test_extension();
    test_dropped_times();
    return test_result();
}
