/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: the layout tables are consistent, and members are read correctly. layout_facts_test.py compares the tables with
   their sources. */
#include "etlproof/etlproof.h"

#include "test.h"

/* Prints the layout if a check has failed since `failures` was read. */
static void of_layout(etl_memory_layout layout, const char *member, unsigned long failures)
{
    if (test_failures != failures)
        printf("  in %s of %s %s: %s\n", etl_memory_structure_get(layout.structure)->name,
               etl_windows_get(layout.windows)->text, etl_arch_text(layout.arch), member);
}

typedef void on_layout(etl_memory_layout layout);

static void each_layout(on_layout *check)
{
    etl_memory_layout at;
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (at.arch = 0; at.arch < ETL_ARCH_COUNT; at.arch++)
                check(at);
}

static bool is_taken(const etl_memory_member *member)
{
    return etl_evidence_get(member->evidence)->taken;
}

/* Taken members are ordered, aligned and within the structure, and overlap only as a union, at the same offset. */
static void members_lie_apart(etl_memory_layout layout)
{
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member;
    uint32_t start = 0, end = 0;
    while (etl_memory_next(&walk, &member)) {
        unsigned long failures = test_failures;
        CHECK(member.size > 0 && member.count > 0 && member.size % member.count == 0);
        if (is_taken(&member)) {
            CHECK(member.offset == start || member.offset >= end);
            CHECK_UINT(0, member.offset % member.align);
            CHECK(member.offset + member.size <= etl_memory_size(layout));
            start = member.offset;
            end = end > member.offset + member.size ? end : member.offset + member.size;
        }
        of_layout(layout, member.name, failures);
    }
}

/* Between members and after the last one there is only padding: bytes that no source explains are members, too. */
static void gaps_are_alignment(etl_memory_layout layout)
{
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member;
    uint32_t end = 0;
    while (etl_memory_next(&walk, &member)) {
        unsigned long failures = test_failures;
        if (!is_taken(&member))
            continue;
        if (member.offset > end)
            CHECK(member.offset - end < member.align);
        if (member.offset + member.size > end)
            end = member.offset + member.size;
        of_layout(layout, member.name, failures);
    }
    unsigned long failures = test_failures;
    CHECK(etl_memory_size(layout) - end < 2 * etl_arch_pointer_size(layout.arch));
    of_layout(layout, "the end", failures);
}

static void sizes_are_of_layouts_with_members(etl_memory_layout layout)
{
    unsigned long failures = test_failures;
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member;
    CHECK_UINT(etl_memory_size(layout) != 0, etl_memory_next(&walk, &member));
    of_layout(layout, "any", failures);
}

static void parts_fill_their_kind(etl_memory_layout layout)
{
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member, part;
    while (etl_memory_next(&walk, &member)) {
        unsigned long failures = test_failures;
        const etl_memory_member element = etl_memory_element(&member, member.count - 1);
        CHECK_UINT(member.offset + member.size, element.offset + element.size);
        uint32_t end = element.offset;
        for (uint32_t i = 0; etl_memory_part(&element, layout.arch, i, &part); i++) {
            CHECK(part.offset >= end && part.offset - end < 8);
            CHECK(part.size <= 8 && part.offset % part.size == 0);
            end = part.offset + part.size;
        }
        if (end != element.offset)
            CHECK_UINT(element.offset + element.size, end);
        of_layout(layout, member.name, failures);
    }
}

/* Whether the bits of a part have their names of the newest version, which exports use. */
static void bits_of_parts_stay_the_same(etl_memory_layout layout)
{
    etl_memory_walk walk = etl_memory_members(layout);
    etl_memory_member member, part;
    etl_memory_bits bits, newest;
    while (etl_memory_next(&walk, &member))
        for (uint32_t i = 0; etl_memory_part(&member, layout.arch, i, &part); i++)
            for (uint32_t n = 0; etl_memory_bits_of(layout, part.meaning, n, &bits); n++) {
                CHECK(etl_memory_bits_get(part.meaning, ETL_WINDOWS_COUNT - 1, n, &newest));
                CHECK_TEXT(newest.name, bits.name);
                CHECK_UINT(newest.mask, bits.mask);
            }
}

static void bits_lie_apart(etl_memory_meaning meaning, etl_windows since)
{
    for (etl_windows windows = since; windows < ETL_WINDOWS_COUNT; windows++) {
        etl_memory_bits bits;
        uint32_t all = 0;
        for (uint32_t i = 0; etl_memory_bits_get(meaning, windows, i, &bits); i++) {
            if (!etl_evidence_get(bits.evidence)->taken)
                continue;
            CHECK(bits.mask > all && (bits.mask & all) == 0);
            all |= bits.mask;
        }
        CHECK(all != 0);
    }
}

static void test_windows(void)
{
    CHECK_UINT(ETL_WINDOWS_6_0_LATE, etl_windows_find("6.0-late"));
    CHECK_UINT(ETL_WINDOWS_1903, etl_windows_find("1903"));
    CHECK_UINT(ETL_WINDOWS_1903, etl_windows_find("10.0.18363"));
    CHECK_UINT(ETL_WINDOWS_COUNT, etl_windows_find("10.01.18363")); /* no version, though it begins like one */
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("10.0.19041.1234"));
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("19045.2006"));
    CHECK_UINT(ETL_WINDOWS_6_1, etl_windows_find("6.1.7601.17514"));
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("10.0.19045"));
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("19041"));
    CHECK_UINT(ETL_WINDOWS_6_1, etl_windows_find("6.1.7601"));
    CHECK_UINT(ETL_WINDOWS_6_1, etl_windows_find("6.1"));
    CHECK_UINT(ETL_WINDOWS_10_0, etl_windows_find("10.0"));
    CHECK_UINT(ETL_WINDOWS_6_0_EARLY, etl_windows_find("6.0.6000"));
    CHECK_UINT(ETL_WINDOWS_10_0, etl_windows_find("1507"));
    CHECK_UINT(ETL_WINDOWS_1903, etl_windows_find("1909"));
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("22H2"));
    CHECK_UINT(ETL_WINDOWS_2004, etl_windows_find("21H2")); /* of Windows 10 */
    CHECK_UINT(ETL_WINDOWS_11_21H2, etl_windows_find("11-21H2"));
    CHECK_UINT(ETL_WINDOWS_11_21H2, etl_windows_find("10.0.22000.1"));
    CHECK_UINT(ETL_WINDOWS_11_25H2, etl_windows_find("25H2"));
    CHECK_UINT(ETL_WINDOWS_11_25H2, etl_windows_find("26200"));
    static const char *const unknown[] = {"", "6.0", "10.0.26100", "26201", "11", "6.1.", "6.1.x", "6.2.7601", "4.0", "1",
                                          "10.0.", "10.0.9999", "99999999999", "5.0 ", "10.0.18922", "18361", "18364",
                                          "9841", "6.1.9600", "10.0.22621.1", "10.0.19041.", "10.0.19041.1.1",
                                          "10.0.19041.x", "010.0.19041", "10.0.0000019041", "..", ".19041", "1.1903"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        CHECK_UINT(ETL_WINDOWS_COUNT, etl_windows_find(unknown[i]));
    CHECK_UINT(22621, etl_windows_build("10.0.22621.1"));
    CHECK_UINT(18922, etl_windows_build("18922"));
    CHECK_UINT(999999999, etl_windows_build("10.0.999999999"));
    CHECK_UINT(0, etl_windows_build("10.0.1000000000"));
    CHECK_UINT(0, etl_windows_build("22H2"));
}

static void test_names(void)
{
    CHECK_UINT(ETL_ARCH_X64, etl_arch_find("x64"));
    CHECK_UINT(ETL_ARCH_ARM64, etl_arch_find("arm64"));
    CHECK_UINT(ETL_ARCH_COUNT, etl_arch_find("arm"));
    CHECK_UINT(ETL_MEMORY_STRUCTURE_ETW_UM_LOGGER_CONTEXT, etl_memory_structure_find("ETW_UM_LOGGER_CONTEXT"));
    CHECK_UINT(ETL_MEMORY_STRUCTURE_COUNT, etl_memory_structure_find("ETW_REG_ENTRY"));
}

static void test_disagreement(void)
{
    const etl_memory_layout early = {ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY, ETL_WINDOWS_6_1, ETL_ARCH_X64};
    etl_memory_member member;
    CHECK(etl_memory_find(early, "Guid", &member));
    CHECK_UINT(0x14, member.offset);
    CHECK_UINT(ETL_EVIDENCE_DUMP, member.evidence);
    etl_memory_walk walk = etl_memory_members(early);
    uint32_t page_offset = 0;
    while (etl_memory_next(&walk, &member))
        if (member.evidence == ETL_EVIDENCE_CONTRADICTED && strcmp(member.name, "Guid") == 0)
            page_offset = member.offset;
    CHECK_UINT(0x18, page_offset);
    CHECK(!etl_memory_find(early, "SiloState", &member));
}

/* A type dump of the version contradicts the claim. */
static void test_claims(void)
{
    etl_memory_layout layout = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_10_0, ETL_ARCH_X64};
    etl_memory_claim claim;
    CHECK(!etl_memory_claimed(layout, &claim));
    layout.windows = ETL_WINDOWS_1511;
    CHECK(etl_memory_claimed(layout, &claim));
    CHECK_UINT(ETL_WINDOWS_10_0, claim.layout.windows);
    CHECK_UINT(ETL_ARCH_X64, claim.layout.arch);
    CHECK_UINT(0x398, etl_memory_size(claim.layout));
    CHECK_UINT(ETL_EVIDENCE_CONTRADICTED, claim.evidence);
    layout.arch = ETL_ARCH_X86;
    CHECK(etl_memory_claimed(layout, &claim));
    CHECK_UINT(ETL_EVIDENCE_SUPERSEDED, claim.evidence);
    layout.windows = ETL_WINDOWS_2004;
    CHECK(etl_memory_claimed(layout, &claim));
    layout.structure = ETL_MEMORY_STRUCTURE_ETW_UM_LOGGER_CONTEXT;
    CHECK(!etl_memory_claimed(layout, &claim));
}

static void test_read(void)
{
    static const uint8_t bytes[] = {0xFE, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const etl_span all = {bytes, sizeof bytes};
    etl_memory_value value;
    CHECK(etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_SIGNED, .size = 4}, &value));
    CHECK_INT(-2, (int64_t)value.number);
    CHECK(etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_UNSIGNED, .size = 4}, &value));
    CHECK_UINT(0xFFFFFFFE, value.number);
    CHECK(etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_UNSIGNED, .offset = 4, .size = 2}, &value));
    CHECK_UINT(0x0201, value.number);
    CHECK(etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_POINTER, .offset = 8, .size = 8}, &value));
    CHECK_UINT(UINT64_C(0x0C0B0A0908070605), value.number);
    CHECK(etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_GUID, .size = 16}, &value));
    CHECK_UINT(0xFFFFFFFE, value.guid.data1);
    CHECK_UINT(0x0201, value.guid.data2);
    CHECK(!etl_memory_read(all, &(etl_memory_member){.kind = ETL_MEMORY_KIND_GUID, .offset = 1, .size = 16}, &value));
    CHECK_UINT(15, value.bytes.size);
    CHECK_UINT(0, value.guid.data1);
}

static void test_parts(void)
{
    const etl_memory_layout layout = {ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY, ETL_WINDOWS_2004, ETL_ARCH_X64};
    etl_memory_member array, part;
    CHECK(etl_memory_find(layout, "EnableInfo", &array));
    CHECK_UINT(8, array.count);
    const etl_memory_member third = etl_memory_element(&array, 2);
    CHECK(etl_memory_part_find(&third, layout.arch, "LoggerId", &part));
    CHECK_UINT(0x80 + 2 * 0x20 + 6, part.offset);
    CHECK_UINT(2, part.size);
    CHECK(!etl_memory_part_find(&third, layout.arch, "Flink", &part));
}

int main(void)
{
    each_layout(members_lie_apart);
    each_layout(gaps_are_alignment);
    each_layout(sizes_are_of_layouts_with_members);
    each_layout(parts_fill_their_kind);
    each_layout(bits_of_parts_stay_the_same);
    bits_lie_apart(ETL_MEMORY_MEANING_FLAGS, ETL_WINDOWS_6_1);
    bits_lie_apart(ETL_MEMORY_MEANING_FLAGS2, ETL_WINDOWS_11_21H2);
    bits_lie_apart(ETL_MEMORY_MEANING_REQUEST_FLAG, ETL_WINDOWS_6_1);
    bits_lie_apart(ETL_MEMORY_MEANING_LAST_ENABLED, ETL_WINDOWS_6_1);
    test_windows();
    test_names();
    test_disagreement();
    test_claims();
    test_read();
    test_parts();
    return test_result();
}
