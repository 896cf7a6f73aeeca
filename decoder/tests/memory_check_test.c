/* SPDX-License-Identifier: Apache-2.0 */
/* etl_memory_check: a sound structure, then one fault at a time. The vectors of the group `layout` test all layouts and
   edges. */
#include "etlproof/etlproof.h"

#include "test.h"

#define OFFSET 0x1000
#define KERNEL UINT64_C(0xFFFFBE0123456780)

static const etl_memory_layout guid_entry = {ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY, ETL_WINDOWS_2004, ETL_ARCH_X64};
static const etl_memory_layout logger = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_6_1, ETL_ARCH_X64};
static const etl_memory_layout user_logger = {ETL_MEMORY_STRUCTURE_ETW_UM_LOGGER_CONTEXT, ETL_WINDOWS_6_3, ETL_ARCH_X86};

static etl_memory_layout layout;
static uint8_t bytes[0x1000];

static void put(uint32_t offset, uint32_t size, uint64_t value)
{
    for (uint32_t i = 0; i < size; i++)
        bytes[offset + i] = (uint8_t)(value >> 8 * i);
}

/* Finds a member, an element of it if it is an array, or a part. Returns its offset. */
static uint32_t set(const char *name, uint32_t index, const char *part_name, uint64_t value)
{
    etl_memory_member member = {0}, part = {0};
    CHECK(etl_memory_find(layout, name, &member));
    part = etl_memory_element(&member, index);
    member = part;
    if (part_name)
        CHECK(etl_memory_part_find(&member, layout.arch, part_name, &part));
    put(part.offset, part.size, value);
    return part.offset;
}

/* A sound structure. */
static void begin(etl_memory_layout of)
{
    layout = of;
    memset(bytes, 0, sizeof bytes);
    if (layout.structure == ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY) {
        set("GuidList", 0, "Flink", KERNEL);
        set("GuidList", 0, "Blink", KERNEL);
        return;
    }
    set("BufferSize", 0, NULL, 0x10000);
    set("MaximumEventSize", 0, NULL, 0x10000 - 0x48);
}

static etl_findings check(size_t size)
{
    etl_findings findings;
    findings.count = 0;
    findings.overflow = false;
    etl_memory_check(layout, (etl_span){bytes, size}, OFFSET, &findings);
    CHECK(!findings.overflow);
    return findings;
}

static void expect_none(void)
{
    CHECK_UINT(0, check(etl_memory_size(layout)).count);
}

/* One finding, and its numbers. */
static void expect(etl_rule rule, uint32_t offset, etl_relation relation, uint64_t expected, uint64_t actual)
{
    const etl_findings findings = check(etl_memory_size(layout));
    CHECK_UINT(1, findings.count);
    CHECK_TEXT(etl_rule_get(rule)->id, etl_rule_get(findings.at[0].rule)->id);
    CHECK_UINT(OFFSET + offset, findings.at[0].offset);
    CHECK_UINT(relation, findings.at[0].relation);
    CHECK_UINT(expected, findings.at[0].expected);
    CHECK_UINT(actual, findings.at[0].actual);
}

static void test_sound(void)
{
    begin(guid_entry);
    expect_none();
    begin(logger);
    expect_none();
    begin(user_logger);
    expect_none();
}

static void test_short(void)
{
    begin(guid_entry);
    const etl_findings findings = check(0x44);
    CHECK_UINT(1, findings.count);
    CHECK_UINT(ETL_RULE_LAY_002, findings.at[0].rule);
    CHECK_UINT(OFFSET + 0x44, findings.at[0].offset);
    CHECK_UINT(0, findings.at[0].lost);
    CHECK_UINT(0x1A8, findings.at[0].expected);
    CHECK_UINT(0x44, findings.at[0].actual);
    CHECK_UINT(1, check(0).count);
}

static void test_lists(void)
{
    begin(guid_entry);
    uint32_t at = set("GuidList", 0, "Blink", 0);
    expect(ETL_RULE_LAY_003, at, ETL_RELATION_NOT, 0, 0);
    set("GuidList", 0, "Blink", KERNEL + 4);
    expect(ETL_RULE_LAY_003, at, ETL_RELATION_BITS_WITHIN, ~UINT64_C(7), KERNEL + 4);
    set("GuidList", 0, "Blink", 0x12345678);
    expect(ETL_RULE_LAY_003, at, ETL_RELATION_AT_LEAST, UINT64_C(0xFFFF800000000000), 0x12345678);
    set("GuidList", 0, "Blink", UINT64_C(0xFFFF800000000000));
    expect_none();
}

static void test_pointers(void)
{
    begin(guid_entry);
    uint32_t at = set("FilterData", 0, NULL, UINT64_C(0xFFFF7FFFFFFFFFFF));
    expect(ETL_RULE_LAY_004, at, ETL_RELATION_AT_LEAST, UINT64_C(0xFFFF800000000000), UINT64_C(0xFFFF7FFFFFFFFFFF));
    begin(logger);
    set("CurrentBuffer", 0, NULL, 15); /* only a reference count */
    etl_memory_member member = {0};
    CHECK(etl_memory_find(layout, "CurrentBuffer", &member));
    /* The other member of the union has no reference count. */
    expect(ETL_RULE_LAY_004, member.offset, ETL_RELATION_AT_LEAST, UINT64_C(0xFFFF800000000000), 15);
    begin(user_logger);
    at = set("LoggerName", 0, "Buffer", 0xFFFF);
    expect(ETL_RULE_LAY_004, at, ETL_RELATION_AT_LEAST, 0x10000, 0xFFFF);
    set("LoggerName", 0, "Buffer", 0xFFFFFFFF);
    expect_none();
}

static void test_strings(void)
{
    begin(logger);
    uint32_t length = set("LoggerName", 0, "Length", 10);
    uint32_t most = set("LoggerName", 0, "MaximumLength", 10);
    uint32_t buffer = set("LoggerName", 0, "Buffer", KERNEL);
    expect_none();
    put(length, 2, 12);
    expect(ETL_RULE_LAY_005, length, ETL_RELATION_AT_MOST, 10, 12);
    put(length, 2, 9);
    expect(ETL_RULE_LAY_005, length, ETL_RELATION_BITS_WITHIN, 0xFFFE, 9);
    put(length, 2, 10);
    put(most, 2, 11);
    expect(ETL_RULE_LAY_005, most, ETL_RELATION_BITS_WITHIN, 0xFFFE, 11);
    put(most, 2, 10);
    put(buffer, 8, 0);
    expect(ETL_RULE_LAY_006, buffer, ETL_RELATION_NOT, 0, 0);
}

/* Two sessions, ids 3 and 63, and their combined request. */
static void enable_two(void)
{
    static const char *const names[] = {"Level", "MatchAnyKeyword", "MatchAllKeyword", "LoggerId"};
    static const uint64_t values[][4] = {{4, 0xF0, 0x30, 3}, {5, 0x0F, 0x21, 63}};
    begin(guid_entry);
    for (uint32_t of = 0; of < 2; of++) {
        set("EnableInfo", of * 7, "IsEnabled", 1);
        for (uint32_t i = 0; i < 4; i++)
            set("EnableInfo", of * 7, names[i], values[of][i]);
    }
    set("ProviderEnableInfo", 0, "IsEnabled", 1);
    set("ProviderEnableInfo", 0, "Level", 5);
    set("ProviderEnableInfo", 0, "MatchAnyKeyword", 0xFF);
    set("ProviderEnableInfo", 0, "MatchAllKeyword", 0x20);
    set("EnableInfo", 3, "Level", 9); /* of a disabled element: ignored */
    expect_none();
}

static void test_enabled(void)
{
    enable_two();
    expect(ETL_RULE_LAY_007, set("EnableInfo", 7, "LoggerId", 64), ETL_RELATION_AT_MOST, 63, 64);
    enable_two();
    expect(ETL_RULE_LAY_008, set("EnableInfo", 7, "IsEnabled", 2), ETL_RELATION_AT_MOST, 1, 2);
    enable_two();
    expect(ETL_RULE_LAY_009, set("EnableInfo", 7, "LoggerId", 3), ETL_RELATION_NOT, 3, 3);
    enable_two();
    expect(ETL_RULE_LAY_010, set("ProviderEnableInfo", 0, "Level", 4), ETL_RELATION_EQUAL, 5, 4);
    enable_two();
    expect(ETL_RULE_LAY_011, set("ProviderEnableInfo", 0, "MatchAnyKeyword", 0xFE), ETL_RELATION_EQUAL, 0xFF, 0xFE);
    enable_two();
    expect(ETL_RULE_LAY_012, set("ProviderEnableInfo", 0, "MatchAllKeyword", 0x21), ETL_RELATION_EQUAL, 0x20, 0x21);
    enable_two();
    expect(ETL_RULE_LAY_013, set("ProviderEnableInfo", 0, "IsEnabled", 0), ETL_RELATION_EQUAL, 1, 0);
    begin(guid_entry);
    expect(ETL_RULE_LAY_013, set("ProviderEnableInfo", 0, "IsEnabled", 1), ETL_RELATION_EQUAL, 0, 1);
    set("ProviderEnableInfo", 0, "IsEnabled", 0);
    set("ProviderEnableInfo", 0, "Level", 200); /* a leftover of an earlier request */
    expect_none();
}

static void test_numbers(void)
{
    begin(logger);
    expect(ETL_RULE_LAY_007, set("LoggerId", 0, NULL, 64), ETL_RELATION_AT_MOST, 63, 64);
    begin(user_logger);
    set("LoggerId", 0, NULL, 0x8001); /* the limit of the kernel does not apply to NTDLL */
    expect_none();
    begin(logger);
    expect(ETL_RULE_LAY_015, set("MaximumEventSize", 0, NULL, 0xFFB9), ETL_RELATION_AT_MOST, 0xFFB8, 0xFFB9);
    expect(ETL_RULE_LAY_014, set("BufferSize", 0, NULL, 0x3FF), ETL_RELATION_AT_LEAST, 0x400, 0x3FF);
    expect(ETL_RULE_LAY_014, set("BufferSize", 0, NULL, 0x401), ETL_RELATION_BITS_WITHIN, ~UINT64_C(0x3FF), 0x401);
    expect(ETL_RULE_LAY_014, set("BufferSize", 0, NULL, 0x1000400), ETL_RELATION_AT_MOST, 0x1000000, 0x1000400);
    begin(logger);
    expect(ETL_RULE_LAY_016, set("ClockType", 0, NULL, 4), ETL_RELATION_AT_MOST, 3, 4);
    begin(logger);
    set("MinimumBuffers", 0, NULL, 5);
    expect_none();
    uint32_t at = set("MinimumBuffers", 0, NULL, 6);
    set("MaximumBuffers", 0, NULL, 5);
    expect(ETL_RULE_LAY_018, at, ETL_RELATION_AT_MOST, 5, 6);
    etl_memory_member most = {0};
    CHECK(etl_memory_find(layout, "MaximumBuffers", &most));
    CHECK_UINT(2, check(most.offset + most.size).count); /* the cut is another finding */
    CHECK_UINT(1, check(most.offset + most.size - 1).count);
    begin(logger);
    at = set("BuffersAvailable", 0, NULL, 3);
    set("NumberOfBuffers", 0, NULL, 3);
    expect_none();
    put(at, 4, UINT32_MAX);
    expect(ETL_RULE_LAY_019, at, ETL_RELATION_AT_MOST, 3, UINT32_MAX);
    begin(guid_entry);
    expect(ETL_RULE_LAY_020, set("RefCount", 0, NULL, UINT64_MAX), ETL_RELATION_AT_MOST, INT64_MAX, UINT64_MAX);
}

static void test_bits(void)
{
    begin(logger);
    expect(ETL_RULE_LAY_017, set("LoggerMode", 0, NULL, 0x40000001), ETL_RELATION_BITS_WITHIN, 0xBFFFFFFF, 0x40000001);
    begin(logger);
    set("Flags", 0, NULL, UINT32_MAX); /* 6.1 has no spare bits */
    expect_none();
    const etl_memory_layout later = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_6_2, ETL_ARCH_X86};
    begin(later);
    expect(ETL_RULE_LAY_017, set("Flags", 0, NULL, 0x2000), ETL_RELATION_BITS_WITHIN, 0x01FF1FFF, 0x2000);
    begin(later);
    expect(ETL_RULE_LAY_017, set("RequestFlag", 0, NULL, 0x1000), ETL_RELATION_BITS_WITHIN, 0xFFF, 0x1000);
    begin(user_logger);
    set("RequestFlag", 0, NULL, 0x1000); /* its bits are unknown */
    expect_none();
}

int main(void)
{
    test_sound();
    test_short();
    test_lists();
    test_pointers();
    test_strings();
    test_enabled();
    test_numbers();
    test_bits();
    return test_result();
}
