/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Default values of structures in memory, in every layout.
 */
#include "memory/memory_structure.h"
#include "test.h"

enum { LEAVES_MAX = 512 };

/* The leaves of a structure: members and parts with one value that share no byte with an earlier one. */
typedef struct leaves {
    etl_memory_member at[LEAVES_MAX];
    size_t count;
} leaves;

static void add_leaf(leaves *l, const etl_memory_member *leaf)
{
    for (size_t i = 0; i < l->count; i++)
        if (leaf->offset < l->at[i].offset + l->at[i].size && l->at[i].offset < leaf->offset + leaf->size)
            return; /* a union */
    CHECK(l->count < LEAVES_MAX);
    l->at[l->count++] = *leaf;
}

static void add_element(leaves *l, const etl_memory_member *element, etl_arch arch)
{
    etl_memory_member part;
    if (!build_memory_part(element, arch, 0, &part))
        add_leaf(l, element);
    for (uint32_t i = 0; build_memory_part(element, arch, i, &part); i++)
        add_leaf(l, &part);
}

static void collect(leaves *l, etl_memory_layout layout)
{
    etl_memory_member member;
    l->count = 0;
    for (size_t row = 0; build_memory_next(layout, &row, &member);)
        for (uint32_t i = 0; i < member.count; i++) {
            const etl_memory_member element = build_memory_element(&member, i);
            add_element(l, &element, layout.arch);
        }
}

/* Parts of TRACE_ENABLE_INFO that share values: few values are possible, or the value is the union of other parts. */
static bool may_repeat(const etl_memory_member *leaf)
{
    static const char *const names[] = {"IsEnabled", "Level", "MatchAnyKeyword", "MatchAllKeyword", "Reserved1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], leaf->name) == 0)
            return true;
    return leaf->size == 1;
}

static bool is_same(const build_memory *memory, const etl_memory_member *a, const etl_memory_member *b)
{
    return a->size == b->size && memcmp(memory->bytes + a->offset, memory->bytes + b->offset, a->size) == 0;
}

static void check_distinct(const build_memory *memory, const leaves *l)
{
    for (size_t i = 0; i < l->count; i++)
        for (size_t n = 0; n < i; n++)
            if (!may_repeat(&l->at[i]) && !may_repeat(&l->at[n]) && is_same(memory, &l->at[i], &l->at[n])) {
                CHECK(false);
                printf("  %s and %s hold the same\n", l->at[i].name, l->at[n].name);
            }
}

static void check_padding(const build_memory *memory, const leaves *l)
{
    static bool has_member[BUILD_MEMORY_MAX];
    memset(has_member, 0, sizeof has_member);
    for (size_t i = 0; i < l->count; i++)
        memset(has_member + l->at[i].offset, 1, l->at[i].size);
    for (uint32_t i = 0; i < BUILD_MEMORY_MAX; i++)
        CHECK(has_member[i] || memory->bytes[i] == 0);
}

static void check_layout(etl_memory_layout layout)
{
    static build_memory memory;
    static leaves l;
    const unsigned long failures = test_failures;
    memset(&memory, 0x55, sizeof memory);
    build_memory_fill(&memory, layout);
    CHECK(memory.size <= BUILD_MEMORY_MAX);
    collect(&l, layout);
    CHECK(l.count > 20);
    check_distinct(&memory, &l);
    check_padding(&memory, &l);
    if (test_failures != failures)
        printf("  in %s of %s for %s\n", etl_memory_structure_get(layout.structure)->name,
               etl_windows_get(layout.windows)->text, etl_arch_text(layout.arch));
}

static void test_layouts(void)
{
    unsigned count = 0, disputed[3] = {0};
    etl_memory_layout at;
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (at.arch = 0; at.arch < ETL_ARCH_COUNT; at.arch++)
                if (etl_memory_size(at) != 0) {
                    check_layout(at);
                    disputed[build_memory_dispute_of(at)]++;
                    count++;
                }
    CHECK_UINT(100, count);
    CHECK_UINT(9, disputed[BUILD_MEMORY_CONTRADICTED]);
    CHECK_UINT(25, disputed[BUILD_MEMORY_MISFIT]);
}

/* Only members whose spelling differs between sources have another name, not those whose offset differs. */
static void test_other_name(void)
{
    etl_memory_layout layout = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_1803, ETL_ARCH_X64};
    etl_memory_member member;
    CHECK(build_memory_find(layout, "RelativeTimerDueTime", &member));
    CHECK_TEXT("RelativeTimeDueTime", build_memory_other_name(layout, &member));
    for (size_t row = 0; build_memory_next(layout, &row, &member);)
        CHECK(strcmp(member.name, "RelativeTimerDueTime") == 0 || build_memory_other_name(layout, &member) == NULL);
    layout.windows = ETL_WINDOWS_2004;
    CHECK(build_memory_find(layout, "GetCpuClock", &member) && build_memory_other_name(layout, &member) == NULL);
}

static void test_numbers(void)
{
    static build_memory memory;
    const etl_memory_member number = {.kind = ETL_MEMORY_KIND_UNSIGNED, .offset = 8, .size = 4, .count = 1};
    const etl_memory_member is_signed = {.kind = ETL_MEMORY_KIND_SIGNED, .offset = 8, .size = 4, .count = 1};
    build_memory_put(&memory, &number, UINT64_C(0x1122334485667788));
    CHECK_BYTES("\0\x88\x77\x66\x85\0", memory.bytes + 7, 6);
    CHECK_UINT(0x85667788, build_memory_get(&memory, &number));
    CHECK_UINT(UINT64_C(0xFFFFFFFF85667788), build_memory_get(&memory, &is_signed));
    CHECK(build_memory_is_number(&number));
}

/* The names of a member's bits depend on the version and on the structure. */
static void test_bits(void)
{
    etl_memory_bits bits;
    const etl_memory_layout kernel = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_6_3, ETL_ARCH_X64};
    const etl_memory_layout user = {ETL_MEMORY_STRUCTURE_ETW_UM_LOGGER_CONTEXT, ETL_WINDOWS_6_3, ETL_ARCH_X64};
    CHECK(build_memory_bits(kernel, ETL_MEMORY_MEANING_FLAGS, 13, &bits));
    CHECK_TEXT("SpareFlags1", bits.name);
    CHECK(bits.spare);
    CHECK(!build_memory_bits(user, ETL_MEMORY_MEANING_FLAGS, 0, &bits));
    CHECK(build_memory_bits(user, ETL_MEMORY_MEANING_LOGGER_MODE, 30, &bits));
    CHECK_UINT(0x40000000, bits.mask);
    CHECK(bits.spare);
    CHECK(!build_memory_bits(kernel, ETL_MEMORY_MEANING_NONE, 0, &bits));
}

int main(void)
{
    test_layouts();
    test_other_name();
    test_numbers();
    test_bits();
    return test_result();
}
