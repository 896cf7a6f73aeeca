/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: clues and scores, on a structure that the test writes. scripts/layout-bench measures how often guesses are
   right. */
#include "etlproof/etlproof.h"
#include "memory/probes.h"

#include "test.h"

/* Offsets of ETW_GUID_ENTRY in 1903 for x64, by the page. */
enum {
    GUID_LIST = 0x00,
    REF_COUNT = 0x10,
    GUID = 0x18,
    REG_LIST = 0x28,
    PROVIDER_ENABLE_INFO = 0x50,
    ENABLE_INFO = 0x70,
    FILTER_DATA = 0x170,
    SILO_STATE = 0x178,
    SIZE = 0x190
};
#define ADDRESS UINT64_C(0xFFFFA50212345670)

static const etl_memory_layout entry = {ETL_MEMORY_STRUCTURE_ETW_GUID_ENTRY, ETL_WINDOWS_1607, ETL_ARCH_X64};

static void put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_enabled(uint8_t *info, uint8_t level, uint16_t logger, uint64_t any, uint64_t all)
{
    put(info, 1, 4);
    info[4] = level;
    put(info + 6, logger, 2);
    put(info + 0x10, any, 8);
    put(info + 0x18, all, 8);
}

/* A provider that two sessions enabled. */
static void fill(uint8_t bytes[SIZE])
{
    static const uint8_t guid[16] = {0xD1, 0xD9, 0x3E, 0xF7, 0xE6, 0xB8, 0x0D, 0x4D, 0x9B, 0x1E, 1, 2, 3, 4, 5, 6};
    memset(bytes, 0, SIZE);
    put(bytes + GUID_LIST, ADDRESS + 0x1000, 8);
    put(bytes + GUID_LIST + 8, ADDRESS + 0x2000, 8);
    put(bytes + REF_COUNT, 3, 8);
    memcpy(bytes + GUID, guid, sizeof guid);
    put(bytes + REG_LIST, ADDRESS + REG_LIST, 8);
    put(bytes + REG_LIST + 8, ADDRESS + REG_LIST, 8);
    put_enabled(bytes + PROVIDER_ENABLE_INFO, 5, 0, 0x30, 0x10);
    put_enabled(bytes + ENABLE_INFO, 4, 3, 0x10, 0x10);
    put_enabled(bytes + ENABLE_INFO + 0x20, 5, 63, 0x20, 0x30);
    put(bytes + SILO_STATE, ADDRESS + 0x3000, 8);
}

static etl_span span_of(const uint8_t bytes[SIZE])
{
    return (etl_span){bytes, SIZE};
}

static int32_t score(const uint8_t bytes[SIZE], etl_memory_layout layout)
{
    etl_guess_plan plan;
    CHECK(etl_guess_prepare(&plan, layout));
    return etl_guess_score(&plan, span_of(bytes), INT32_MIN);
}

/* The clue of the first test of a member. */
static etl_clue clue_of(const uint8_t bytes[SIZE], size_t size, const char *member)
{
    etl_guess_plan plan;
    etl_guess_prepare(&plan, entry);
    for (uint32_t i = 0; i < plan.count; i++)
        if (strcmp(plan.tests[i].member, member) == 0)
            return etl_guess_clue(&plan, i, (etl_span){bytes, size});
    return ETL_CLUE_COUNT;
}

/* The same in a copy with `value` in the `size` bytes at `offset`. */
static etl_clue clue_with(size_t offset, uint64_t value, size_t size, const char *member)
{
    uint8_t bytes[SIZE];
    fill(bytes);
    put(bytes + offset, value, size);
    return clue_of(bytes, SIZE, member);
}

static void test_clues(void)
{
    CHECK_UINT(ETL_CLUE_LIST_GOOD, clue_with(0, ADDRESS, 8, "GuidList"));
    CHECK_UINT(ETL_CLUE_LIST_BAD, clue_with(0, 0, 8, "GuidList"));
    CHECK_UINT(ETL_CLUE_LIST_BAD, clue_with(0, ADDRESS + 1, 8, "GuidList"));
    CHECK_UINT(ETL_CLUE_LIST_BAD, clue_with(0, UINT64_C(0x7FF712345670), 8, "GuidList"));
    CHECK_UINT(ETL_CLUE_LIST_SAME, clue_with(REF_COUNT, 3, 8, "RegListHead"));
    CHECK_UINT(ETL_CLUE_REFERENCES_GOOD, clue_with(REF_COUNT, 3, 8, "RefCount"));
    CHECK_UINT(ETL_CLUE_REFERENCES_ZERO, clue_with(REF_COUNT, 0, 8, "RefCount"));
    CHECK_UINT(ETL_CLUE_REFERENCES_BAD, clue_with(REF_COUNT, UINT64_MAX, 8, "RefCount"));
    CHECK_UINT(ETL_CLUE_GUID_GOOD, clue_with(REF_COUNT, 3, 8, "Guid"));
    CHECK_UINT(ETL_CLUE_GUID_OTHER, clue_with(GUID + 7, 0xFF, 1, "Guid"));
    CHECK_UINT(ETL_CLUE_GUID_OTHER, clue_with(GUID + 8, 0, 1, "Guid"));
    CHECK_UINT(ETL_CLUE_LINK_NULL, clue_with(FILTER_DATA, 0, 8, "FilterData"));
    CHECK_UINT(ETL_CLUE_LINK_BAD, clue_with(FILTER_DATA, 0x6F666E49, 8, "FilterData"));
    CHECK_UINT(ETL_CLUE_ANCHOR_NULL, clue_with(SILO_STATE, 0, 8, "SiloState"));
    CHECK_UINT(ETL_CLUE_ANCHOR_GOOD, clue_with(SILO_STATE, ADDRESS, 8, "SiloState"));
    CHECK_UINT(ETL_CLUE_ANCHOR_ODD, clue_with(SILO_STATE, ADDRESS + 2, 8, "SiloState"));
}

static void test_enabled(void)
{
    CHECK_UINT(ETL_CLUE_ENABLE_ON, clue_with(REF_COUNT, 3, 8, "EnableInfo"));
    CHECK_UINT(ETL_CLUE_ENABLE_BAD, clue_with(ENABLE_INFO, 2, 4, "EnableInfo"));
    CHECK_UINT(ETL_CLUE_ENABLE_BAD, clue_with(ENABLE_INFO + 6, 64, 2, "EnableInfo"));
    CHECK_UINT(ETL_CLUE_ENABLE_STALE, clue_with(ENABLE_INFO, 0, 4, "EnableInfo"));
    CHECK_UINT(ETL_CLUE_TOGETHER_RIGHT, clue_with(REF_COUNT, 3, 8, "ProviderEnableInfo"));
    CHECK_UINT(ETL_CLUE_TOGETHER_WRONG, clue_with(ENABLE_INFO + 4, 6, 1, "ProviderEnableInfo"));
    CHECK_UINT(ETL_CLUE_TOGETHER_WRONG, clue_with(ENABLE_INFO + 0x10, 0x50, 8, "ProviderEnableInfo"));
    CHECK_UINT(ETL_CLUE_TOGETHER_WRONG, clue_with(ENABLE_INFO + 0x18, 0, 8, "ProviderEnableInfo"));
    CHECK_UINT(ETL_CLUE_TOGETHER_WRONG, clue_with(PROVIDER_ENABLE_INFO, 0, 4, "ProviderEnableInfo"));
}

/* Members beyond the end of the bytes give no clue, and are not read. */
static void test_short(void)
{
    uint8_t bytes[SIZE];
    fill(bytes);
    CHECK_UINT(ETL_CLUE_NONE_UNKNOWN, clue_of(bytes, SILO_STATE + 7, "SiloState"));
    CHECK_UINT(ETL_CLUE_ANCHOR_GOOD, clue_of(bytes, SILO_STATE + 8, "SiloState"));
    etl_guess_plan plan;
    etl_guess_prepare(&plan, entry);
    CHECK_INT(0, etl_guess_score(&plan, (etl_span){NULL, 0}, INT32_MIN));
}

/* Two empty lists that imply the same address of the structure: RegListHead, and GuidList, which the test empties. */
static void test_place(void)
{
    uint8_t bytes[SIZE];
    fill(bytes);
    CHECK_UINT(ETL_CLUE_PLACE_NONE, clue_of(bytes, SIZE, ETL_GUESS_LISTS));
    put(bytes + GUID_LIST, ADDRESS + GUID_LIST, 8);
    put(bytes + GUID_LIST + 8, ADDRESS + GUID_LIST, 8);
    CHECK_UINT(ETL_CLUE_PLACE_TWO, clue_of(bytes, SIZE, ETL_GUESS_LISTS));
    put(bytes + GUID_LIST, ADDRESS + 8, 8);
    put(bytes + GUID_LIST + 8, ADDRESS + 8, 8);
    CHECK_UINT(ETL_CLUE_PLACE_NONE, clue_of(bytes, SIZE, ETL_GUESS_LISTS));
}

enum { LARGEST = 0x1000 }; /* no structure is as large */

/* Finds a test of this kind in any structure for x64; the plan is that of the structure. NULL if there is none. */
static const etl_guess_test *test_of(etl_probe probe, etl_guess_plan *plan)
{
    etl_memory_layout at = {.arch = ETL_ARCH_X64};
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (uint32_t i = 0; etl_guess_prepare(plan, at) && i < plan->count; i++)
                if (plan->tests[i].probe == (uint8_t)probe)
                    return &plan->tests[i];
    CHECK(false);
    return NULL;
}

/* The clue of the first test of a kind: `value` in its bytes, `with` in the member that it is compared with. */
static etl_clue clue_of_kind(etl_probe probe, uint64_t value, uint32_t with)
{
    static etl_guess_plan plan;
    uint8_t bytes[LARGEST] = {0};
    const etl_guess_test *test = test_of(probe, &plan);
    if (test == NULL)
        return ETL_CLUE_COUNT;
    if (with != 0)
        put(bytes + test->with, with, 4);
    put(bytes + test->offset, value, test->size);
    return etl_guess_clue(&plan, (uint32_t)(test - plan.tests), (etl_span){bytes, sizeof bytes});
}

/* The same for a structure of 16 bytes: a dword or two words, a dword, and an address. */
static etl_clue clue_of_parts(etl_probe probe, uint32_t first, uint32_t second, uint64_t address)
{
    static etl_guess_plan plan;
    uint8_t bytes[LARGEST] = {0};
    const etl_guess_test *test = test_of(probe, &plan);
    if (test == NULL)
        return ETL_CLUE_COUNT;
    put(bytes + test->offset, first, 4);
    put(bytes + test->offset + 4, second, 4);
    put(bytes + test->offset + 8, address, 8);
    return etl_guess_clue(&plan, (uint32_t)(test - plan.tests), (etl_span){bytes, sizeof bytes});
}

static void test_numbers(void)
{
    CHECK_UINT(ETL_CLUE_HANDLE_NULL, clue_of_kind(ETL_PROBE_HANDLE, 0, 0));
    CHECK_UINT(ETL_CLUE_HANDLE_GOOD, clue_of_kind(ETL_PROBE_HANDLE, 4, 0));
    CHECK_UINT(ETL_CLUE_HANDLE_GOOD, clue_of_kind(ETL_PROBE_HANDLE, UINT64_C(0xFFFFFFFF80000004), 0));
    CHECK_UINT(ETL_CLUE_HANDLE_GOOD, clue_of_kind(ETL_PROBE_HANDLE, UINT64_MAX, 0));
    CHECK_UINT(ETL_CLUE_HANDLE_BAD, clue_of_kind(ETL_PROBE_HANDLE, UINT64_C(0xFFFF000080000004), 0));
    CHECK_UINT(ETL_CLUE_HANDLE_BAD, clue_of_kind(ETL_PROBE_HANDLE, 6, 0));
    CHECK_UINT(ETL_CLUE_PAGES_ZERO, clue_of_kind(ETL_PROBE_PAGES, 0, 0));
    CHECK_UINT(ETL_CLUE_PAGES_GOOD, clue_of_kind(ETL_PROBE_PAGES, 0x10000, 0));
    CHECK_UINT(ETL_CLUE_PAGES_BAD, clue_of_kind(ETL_PROBE_PAGES, 0x10001, 0));
    CHECK_UINT(ETL_CLUE_PEAK_ZERO, clue_of_kind(ETL_PROBE_PEAK, 0, 2));
    CHECK_UINT(ETL_CLUE_PEAK_BAD, clue_of_kind(ETL_PROBE_PEAK, 1, 2));
    CHECK_UINT(ETL_CLUE_PEAK_GOOD, clue_of_kind(ETL_PROBE_PEAK, 2, 2));
    CHECK_UINT(ETL_CLUE_PEAK_GOOD, clue_of_kind(ETL_PROBE_PEAK, 128, 2));
    CHECK_UINT(ETL_CLUE_PEAK_BAD, clue_of_kind(ETL_PROBE_PEAK, 129, 2));
}

/* UNICODE_STRING: Length, MaximumLength, padding, Buffer. RTL_BITMAP: SizeOfBitMap, padding, Buffer. */
static void test_parts(void)
{
    CHECK_UINT(ETL_CLUE_STRING_GOOD, clue_of_parts(ETL_PROBE_STRING, 0x00060004, 0, ADDRESS));
    CHECK_UINT(ETL_CLUE_STRING_ODD, clue_of_parts(ETL_PROBE_STRING, 0x00060004, 1, ADDRESS));
    CHECK_UINT(ETL_CLUE_STRING_BAD, clue_of_parts(ETL_PROBE_STRING, 0x00040006, 0, ADDRESS));
    CHECK_UINT(ETL_CLUE_BITMAP_NONE, clue_of_parts(ETL_PROBE_BITMAP, 0, 0, 0));
    CHECK_UINT(ETL_CLUE_BITMAP_GOOD, clue_of_parts(ETL_PROBE_BITMAP, 8, 0, ADDRESS));
    CHECK_UINT(ETL_CLUE_BITMAP_BAD, clue_of_parts(ETL_PROBE_BITMAP, 8, 0, ADDRESS + 1));
    CHECK_UINT(ETL_CLUE_BITMAP_BAD, clue_of_parts(ETL_PROBE_BITMAP, 0, 0, ADDRESS));
    CHECK_UINT(ETL_CLUE_BITMAP_BAD, clue_of_parts(ETL_PROBE_BITMAP, 0x1000000, 0, ADDRESS));
}

/* A structure with several lists. The first has two links that differ; `agreeing` more are empty, at one address. */
static etl_clue place_of(uint32_t agreeing)
{
    static etl_guess_plan plan;
    uint8_t bytes[LARGEST] = {0};
    uint32_t lists = 0;
    etl_memory_layout at = {.structure = ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, .arch = ETL_ARCH_X64};
    for (; at.windows < ETL_WINDOWS_COUNT && lists < 4; at.windows++) {
        memset(bytes, 0, sizeof bytes);
        lists = 0;
        for (uint32_t i = 0; etl_guess_prepare(&plan, at) && i < plan.count; i++) {
            const uint32_t offset = plan.tests[i].offset;
            if (plan.tests[i].probe != ETL_PROBE_LIST || lists > agreeing)
                continue;
            put(bytes + offset, ADDRESS + offset, 8);
            put(bytes + offset + 8, ADDRESS + offset + (lists++ == 0 ? 0x100 : 0), 8);
        }
        if (lists == agreeing + 1)
            break;
    }
    CHECK_UINT(agreeing + 1, lists);
    for (uint32_t i = 0; i < plan.count; i++)
        if (strcmp(plan.tests[i].member, ETL_GUESS_LISTS) == 0)
            return etl_guess_clue(&plan, i, (etl_span){bytes, sizeof bytes});
    return ETL_CLUE_COUNT;
}

static void test_places(void)
{
    CHECK_UINT(ETL_CLUE_PLACE_NONE, place_of(1));
    CHECK_UINT(ETL_CLUE_PLACE_TWO, place_of(2));
    CHECK_UINT(ETL_CLUE_PLACE_MORE, place_of(3));
}

/* Of all layouts, that of the structure has the best score, and so has the same one for ARM64. */
static void test_best(void)
{
    uint8_t bytes[SIZE];
    fill(bytes);
    const int32_t own = score(bytes, entry);
    etl_memory_layout at;
    CHECK(own > 60 * ETL_GUESS_BIT);
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (at.arch = 0; at.arch < ETL_ARCH_COUNT; at.arch++)
                if (etl_memory_size(at) != 0 && !(at.structure == entry.structure && at.arch != ETL_ARCH_X86 &&
                                                  at.windows >= ETL_WINDOWS_1607 && at.windows <= ETL_WINDOWS_1903))
                    CHECK(score(bytes, at) < own);
}

static void test_nothing_else(void)
{
    uint8_t bytes[SIZE];
    uint32_t state = 1;
    memset(bytes, 0, SIZE);
    CHECK(score(bytes, entry) < 10 * ETL_GUESS_BIT);
    memset(bytes, 'e', SIZE);
    CHECK(score(bytes, entry) < 0);
    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(state >> 24);
    }
    CHECK(score(bytes, entry) < 0);
}

/* Scoring stops once the score is below the floor. */
static void test_floor(void)
{
    uint8_t bytes[SIZE];
    etl_guess_plan plan;
    memset(bytes, 'e', SIZE);
    etl_guess_prepare(&plan, entry);
    const int32_t whole = etl_guess_score(&plan, span_of(bytes), INT32_MIN);
    const int32_t part = etl_guess_score(&plan, span_of(bytes), -ETL_GUESS_BIT);
    CHECK(part < -ETL_GUESS_BIT && part > whole);
}

static void test_classes(void)
{
    etl_memory_layout layout = entry;
    CHECK_UINT(ETL_WINDOWS_1903, etl_memory_same_until(layout));
    layout.windows = ETL_WINDOWS_2004;
    CHECK_UINT(ETL_WINDOWS_11_25H2, etl_memory_same_until(layout));
    layout.windows = ETL_WINDOWS_6_2; /* x64 moves Guid in 6.3, x86 does not */
    CHECK_UINT(ETL_WINDOWS_6_2, etl_memory_same_until(layout));
    layout.arch = ETL_ARCH_X86;
    CHECK_UINT(ETL_WINDOWS_6_3, etl_memory_same_until(layout));
}

static bool are_alike(etl_memory_layout a, etl_memory_layout b, const uint8_t bytes[SIZE], size_t size)
{
    etl_guess_plan plans[2];
    etl_guess_prepare(&plans[0], a);
    etl_guess_prepare(&plans[1], b);
    const etl_span span = {bytes, size};
    CHECK_UINT(etl_guess_alike(&plans[0], &plans[1], span), etl_guess_alike(&plans[1], &plans[0], span));
    return etl_guess_alike(&plans[0], &plans[1], span);
}

/* The first release of Windows 10 appends ServerSilo, which is usually null, to the layout of 8.1; 1607 has SiloState
   there, which never is null. Without bytes, versions may have the same score; structures and architectures never have.
   */
static void test_alike(void)
{
    const etl_memory_layout old = {entry.structure, ETL_WINDOWS_6_3, ETL_ARCH_X64};
    const etl_memory_layout first = {entry.structure, ETL_WINDOWS_10_0, ETL_ARCH_X64};
    const etl_memory_layout other = {ETL_MEMORY_STRUCTURE_WMI_LOGGER_CONTEXT, ETL_WINDOWS_6_3, ETL_ARCH_X64};
    const etl_memory_layout x86 = {entry.structure, ETL_WINDOWS_6_3, ETL_ARCH_X86};
    uint8_t bytes[SIZE];
    fill(bytes);
    CHECK(are_alike(entry, entry, bytes, SIZE));
    CHECK(!are_alike(old, first, bytes, SIZE));
    CHECK(!are_alike(first, entry, bytes, SIZE));
    CHECK(are_alike(old, first, bytes, SILO_STATE));
    CHECK(!are_alike(old, first, bytes, SILO_STATE + 1));
    put(bytes + SILO_STATE, 0, 8);
    CHECK(are_alike(old, first, bytes, SIZE));
    CHECK(!are_alike(first, entry, bytes, SIZE));
    put(bytes + SILO_STATE + 7, 1, 1);
    CHECK(!are_alike(old, first, bytes, SIZE));
    CHECK(are_alike(old, first, bytes, 0));
    CHECK(!are_alike(old, other, bytes, 0));
    CHECK(!are_alike(old, x86, bytes, 0));
}

/* Every layout with a size has tests, within the layout and fewer than the maximum; a layout without size has none. */
static void test_plans(void)
{
    etl_memory_layout at;
    for (at.structure = 0; at.structure < ETL_MEMORY_STRUCTURE_COUNT; at.structure++)
        for (at.windows = 0; at.windows < ETL_WINDOWS_COUNT; at.windows++)
            for (at.arch = 0; at.arch < ETL_ARCH_COUNT; at.arch++) {
                etl_guess_plan plan;
                CHECK_UINT(etl_memory_size(at) != 0, etl_guess_prepare(&plan, at));
                CHECK((plan.count > 10) == (plan.size != 0) && plan.count < ETL_GUESS_TESTS_MAX);
                for (uint32_t i = 0; i < plan.count; i++)
                    CHECK((uint32_t)plan.tests[i].offset + plan.tests[i].size <= plan.size);
            }
}

int main(void)
{
    test_clues();
    test_enabled();
    test_short();
    test_place();
    test_numbers();
    test_parts();
    test_places();
    test_best();
    test_nothing_else();
    test_floor();
    test_classes();
    test_alike();
    test_plans();
    return test_result();
}
