/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipes of structures in memory: their vectors, and the error messages of broken ones.
 */
#include "memory/memory_expected.h"
#include "recipe_fault_fixture.h"

#define LAYOUT "layout/x.recipe"
#define HEAD_LAY "recipe \"r\" source \"s\" rule LAY-001\n"
#define GUID_ENTRY "memory ETW_GUID_ENTRY \"2004\" \"x64\" { }\n"
#define IN_MEMORY(body) HEAD_LAY "memory ETW_GUID_ENTRY \"2004\" \"x64\" { " body " }\nvector v { title \"t\" accept }\n"
/* One vector with statements of its own. */
#define OF_MEMORY(body) HEAD_LAY GUID_ENTRY "vector v { title \"t\" " body " }\n"
#define KEPT(body) OF_MEMORY("accept " body)
#define EACH(names, list) HEAD_LAY GUID_ENTRY "repeat over " names " in " list " { vector v-{a} { title \"t\" accept } }\n"

static const struct {
    const char *text, *message;
} faults[] = {
    /* the structure */
    {HEAD_LAY "memory @{", "expected a value, found \"{\""},
    {HEAD_LAY "memory @ETW \"2004\" \"x64\" { }", "expected a structure of layouts/structures.def, found \"ETW\""},
    {HEAD_LAY "memory @1 \"2004\" \"x64\" { }", "expected a structure, found a number"},
    {HEAD_LAY "memory ETW_GUID_ENTRY @2004 \"x64\" { }", "expected a version of Windows, such as \"1903\", found a number"},
    {HEAD_LAY "memory @ETW_GUID_ENTRY \"6.0\" \"x64\" { }", "expected a version of windows.def, found \"6.0\""},
    {HEAD_LAY "memory @ETW_GUID_ENTRY \"2004\" \"arm\" { }", "expected \"x86\", \"x64\" or \"arm64\", found \"arm\""},
    {HEAD_LAY "memory @ETW_GUID_ENTRY \"5.1\" \"x86\" { }",
     "expected a layout that is known, found ETW_GUID_ENTRY of 5.1 for x86"},
    {HEAD_LAY "memory ETW_GUID_ENTRY \"2004\" \"x64\" @vector", "expected \"{\", found \"vector\""},
    {HEAD_LAY GUID_ENTRY "@", "expected a vector, found the end of the recipe"},
    /* members */
    {IN_MEMORY("@Guide = 1"), "expected a member of ETW_GUID_ENTRY, found \"Guide\""},
    {IN_MEMORY("@1 = 1"), "expected a member of the structure, found \"1\""},
    {IN_MEMORY("Guid @1"), "expected \"=\", found \"1\""},
    {IN_MEMORY("GuidList.@Link = 1"), "expected a part of GuidList, found \"Link\""},
    {IN_MEMORY("RefCount.@Low = 1"), "expected a part of RefCount, found \"Low\""},
    {IN_MEMORY("EnableInfo.@Level = 1"), "expected a part of EnableInfo, found \"Level\""},
    {IN_MEMORY("EnableInfo@[8].Level = 1"), "expected an index below 8, found 8"},
    {IN_MEMORY("EnableInfo[7@.Level = 1"), "expected \"]\", found \".\""},
    {IN_MEMORY("RefCount@[0] = 1"), "expected no index, since RefCount is not an array, found one"},
    {IN_MEMORY("at(@1) = 1"), "expected the offset of a member, found 0x1, where none starts"},
    /* values */
    {IN_MEMORY("EnableInfo[0].Level = @0x100"), "expected a number that fits in 1 byte, found 256"},
    {IN_MEMORY("RefCount = @\"1\""), "expected 8 bytes or a number, found a text"},
    {IN_MEMORY("RefCount = @zeros(7)"), "expected 8 bytes or a number, found bytes"},
    {IN_MEMORY("EnableInfo[0] = @1"), "expected 32 bytes, found a number"},
    {IN_MEMORY("LastEnable = @zeros(15)"), "expected 16 bytes, found bytes"},
    {IN_MEMORY("RefCount = @RefCount"), "expected a value that does not depend on the layout, found \"RefCount\""},
    {KEPT("set RefCount = value(@MatchId)"), "expected a value that does not depend on the layout, found \"MatchId\""},
    {KEPT("patch RefCount = value(@Guid)"), "expected a member that is a number, found \"Guid\""},
    {KEPT("patch RefCount = @next(Guid)"), "expected a function, found \"next\""},
    {KEPT("finding LAY-004 at @Nothing"), "expected a member of ETW_GUID_ENTRY, found \"Nothing\""},
    /* statements that only traces have */
    {KEPT("@lost Guid"), "expected a statement of a vector of a structure in memory, or \"}\", found \"lost\""},
    {KEPT("@expect Guid.size = 1"),
     "expected a statement of a vector of a structure in memory, or \"}\", found \"expect\""},
    {KEPT("patch @move Guid by 8"), "expected a member of ETW_GUID_ENTRY, found \"move\""},
    {KEPT("patch @insert at Guid = zeros(8)"), "expected a member of ETW_GUID_ENTRY, found \"insert\""},
    {KEPT("finding LAY-004 at Guid in @Guid"), "expected a value that does not depend on the layout, found \"Guid\""},
    {OF_MEMORY("patch RefCount = 1 @patch RefCount = 2 accept"),
     "expected at most one patch, found a second one (the first is on line 3)"},
    {HEAD_LAY GUID_ENTRY "vector @v { title \"t\" reject }",
     "expected a patch, since the vector is \"reject\", found none"},
    {HEAD_LAY GUID_ENTRY "vector @v { title \"t\" rule SIZ-001 accept }",
     "expected a rule of this folder's group, found SIZ-001 of group size"},
    /* lists */
    {EACH("a", "@layouts(\"ETW_GUID_ENTRY\", \"settled\")"), "expected 2 loop variables for layouts, found 1"},
    {EACH("(a, b)", "@spare_bits(\"Flags\", \"6.3\")"), "expected 1 loop variable for spare_bits, found 2"},
    {EACH("(a, b)", "@header_types()"), "expected 3 loop variables for header_types, found 2"},
    {EACH("(a, b)", "layouts(@1, \"settled\")"), "expected a string, found a number"},
    {EACH("(a, b)", "layouts(\"ETW_GUID_ENTRY\"@)"), "expected \",\", found \")\""},
    {EACH("(a, b)", "@layouts(\"ETW\", \"settled\")"), "expected a structure of layouts/structures.def, found \"ETW\""},
    {EACH("(a, b)", "@layouts(\"ETW_GUID_ENTRY\", \"misfit\")"), "expected a list with elements, found an empty one"},
    {EACH("(a, b)", "@members(\"ETW_GUID_ENTRY\", \"1\", \"x64\")"), "expected a version of windows.def, found \"1\""},
    {EACH("(a, b)", "@bits(\"Guid\", \"6.3\")"), "expected a member of WMI_LOGGER_CONTEXT, found \"Guid\""},
    {EACH("(a, b)", "@bits(\"LoggerId\", \"6.3\")"), "expected a list with elements, found an empty one"},
};

static void test_faults(void)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        check_fault(LAYOUT, faults[i].text, faults[i].message);
}

/* Vectors. */

static etl_memory_member member_at(const build_vector *vector, const char *name)
{
    etl_memory_member member = {0};
    CHECK(build_memory_find(vector->memory->layout, name, &member));
    return member;
}

static uint64_t value_of(const build_vector *vector, const char *name)
{
    const etl_memory_member member = member_at(vector, name);
    return build_memory_get(vector->memory, &member);
}

static uint64_t u64_at(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static void check_good(const char *text, size_t count, look at, int line)
{
    looking l = {at, 0};
    build_recipe_error error = {0};
    CHECK(build_recipe_read(text, strlen(text), LAYOUT, BUILD_RECIPE_WORK_MAX, look_at, &l, &error));
    test_check_text("", error.text, __FILE__, line, "error");
    test_check_uint(count, l.count, __FILE__, line, "vectors");
}

#define GOOD_LAYOUT(text, count, at) check_good((text), (count), (at), __LINE__)

/* Values of `memory`, then of `set`, at the offsets of ETW_GUID_ENTRY of 2004 for x64. */
static void look_at_members(const build_vector *vector, size_t number)
{
    const uint8_t *bytes = vector->memory->bytes;
    (void)number;
    CHECK(vector->model == NULL);
    CHECK_UINT(0x1A8, vector->memory->size);
    CHECK_UINT(0x1234, u64_at(bytes + 0x20));
    CHECK_UINT(UINT64_C(0xFFFFFFFFFFFFFFFE), value_of(vector, "RefCount") - 0x1236);
    CHECK_BYTES("\x78\x56\x34\x12\x34\x12\x78\x56\x01\x02\x03\x04\x05\x06\x07\x08", bytes + 0x28, 16);
    CHECK_UINT(0xAA, bytes[0x80 + 2 * 0x20 + 4]);
    CHECK_UINT(0x77, bytes[0x80 + 7 * 0x20 + 6]);
    CHECK_UINT(0x55, u64_at(bytes + 0x48));
    CHECK_UINT(0x66, u64_at(bytes + 0x38));
}

/* Patches and findings see the values after all `set`s, wherever these are in the vector. */
static void look_at_patch(const build_vector *vector, size_t number)
{
    build_memory patched;
    uint32_t left;
    const char *why = "";
    (void)number;
    CHECK(build_memory_patch(vector, &patched, &left, &why));
    CHECK_UINT(0x1A8, left);
    CHECK_UINT(0x11, u64_at(vector->memory->bytes + 0x20));
    CHECK_UINT(0x11 + 0x20 + 8 + 0x30 + 0x1A8, u64_at(patched.bytes + 0x20));
    CHECK_TEXT("at(0x20)", vector->place);
    CHECK_UINT(2, vector->finding_count);
    CHECK_UINT(0x48, vector->findings[0].place.offset);
    CHECK_UINT(0x84, vector->findings[1].place.offset);
}

static void look_at_ids(const build_vector *vector, size_t number)
{
    static const char *const ids[] = {"v-6-0-early-etw-guid-entry", "v-2004-etw-guid-entry"};
    CHECK_TEXT(ids[number], vector->id);
}

/* The text of a loop variable can name a member. */
static void look_at_variables(const build_vector *vector, size_t number)
{
    static const uint32_t offsets[] = {0x00, 0x10};
    CHECK_UINT(0x4000 + number, u64_at(vector->memory->bytes + offsets[number] + 8));
    CHECK_UINT(offsets[number] + 8, vector->findings[0].place.offset);
}

static void look_at_cut(const build_vector *vector, size_t number)
{
    build_memory patched;
    uint32_t left;
    const char *why = "";
    CHECK(build_memory_patch(vector, &patched, &left, &why));
    CHECK_UINT(number == 0 ? 0x2C : 0x1A8, left);
}

static void look_at_offsets(const build_vector *vector, size_t number)
{
    if (number == 0)
        CHECK_TEXT("v-guidlist-0", vector->id);
    if (number == 8)
        CHECK_TEXT("v-enableinfo-128", vector->id);
}

enum {
    HEADER_TYPES = 0
#define ETL_HEADER_TYPE(value, name, layout, pointer_size, since, source) +1
#include "format/header_types.def"
};

static void look_at_header_types(const build_vector *vector, size_t number)
{
    if (number == 0)
        CHECK_TEXT("v-system32-1-32", vector->id);
    if (number == 5)
        CHECK_TEXT("v-instance32-11-72", vector->id);
}

static void test_vectors(void)
{
    GOOD_LAYOUT(HEAD_LAY "memory ETW_GUID_ENTRY \"2004\" \"x64\" { RefCount = 1 EnableInfo[2].Level = 0xAA\n"
                         "  Guid = \"12345678-1234-5678-0102-030405060708\" at(0x48) = 0x54 }\n"
                         "vector v { title \"t\" accept set RefCount = 0x1234 set EnableInfo[7].LoggerId = 0x77\n"
                         "  set SecurityDescriptor = u64(0x55) set at(0x38).Flink = 0x66 }",
                1, look_at_members);
    GOOD_LAYOUT(KEPT("patch at(0x20) = value(RefCount) + RefCount + size(RefCount) + end(RefCount) + 8 + file() "
                     "set RefCount = 0x11 finding LAY-004 at SecurityDescriptor finding LAY-004 at EnableInfo[0].Level"),
                1, look_at_patch);
    GOOD_LAYOUT(HEAD_LAY "repeat over version in \"6.0-early\", \"2004\" { repeat over name in \"ETW_GUID_ENTRY\" {\n"
                         "memory name version \"x86\" { } vector v-{version}-{name} { title \"t\" accept } } }",
                2, look_at_ids);
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "repeat over (list, n) in (\"GuidList\", 0), (\"SiloGuidList\", 1) {\n"
                                    "vector v-{n} { title \"t\" accept set list.Blink = 0x4000 + n\n"
                                    "finding LAY-004 at list.Blink } }",
                2, look_at_variables);
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "vector v { title \"t\" reject patch cut at Guid + 4 finding LAY-002 at Guid + 4 }\n"
                                    "vector w { title \"t\" accept patch append = zeros(8) }",
                2, look_at_cut);
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "repeat over (name, offset) in members(\"ETW_GUID_ENTRY\", \"2004\", \"x64\") {\n"
                                    "vector v-{name}-{offset} { title \"t\" accept } }",
                14, look_at_offsets);
    /* Every layout is in exactly one of the three lists: 32 in all. */
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "repeat over (a, b) in layouts(\"ETW_GUID_ENTRY\", \"settled\"),\n"
                                    "layouts(\"ETW_GUID_ENTRY\", \"contradicted\")\n"
                                    "{ vector v-{a}-{b} { title \"t\" accept } }",
                32, NULL);
    /* Without the four types of unknown or other header: TIMED, ERROR, WNODE_HEADER and MESSAGE. */
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "repeat over (name, type, header) in header_types() {\n"
                                    "vector v-{name}-{type}-{header} { title \"t\" accept } }",
                HEADER_TYPES - 4, look_at_header_types);
    GOOD_LAYOUT(HEAD_LAY GUID_ENTRY "repeat over n in spare_bits(\"Flags\", \"6.3\")\n"
                                    "{ vector v-{n} { title \"t\" accept } }",
                10, NULL);
}

/* Errors of the vector as a whole. */

static void no_hash(const build_chunk *image, char hex[65])
{
    (void)image;
    memset(hex, '0', 64);
    hex[64] = '\0';
}

static bool refuse(void *context, const build_vector *vector)
{
    const char *why = "";
    build_chunk image, json;
    build_position where;
    CHECK(!build_memory_expected_decode(vector, no_hash, &image, &json, &why, &where));
    CHECK_TEXT(context, why);
    build_chunk_free(&image);
    build_chunk_free(&json);
    return true;
}

static void check_refused(const char *text, const char *why)
{
    build_recipe_error error;
    char expected[256];
    (void)snprintf(expected, sizeof expected, "%s", why);
    CHECK(build_recipe_read(text, strlen(text), LAYOUT, BUILD_RECIPE_WORK_MAX, refuse, expected, &error));
}

static void test_refused(void)
{
    check_refused(OF_MEMORY("reject patch RefCount = 1 finding LAY-004 at RefCount"),
                  "reject: expected a finding of severity error, found none");
    check_refused(KEPT("finding LAY-005 at RefCount"),
                  "accept: contradicted by a finding of severity error or limit, or by a trace without events");
    check_refused(KEPT("patch bytes at file() - 1 = zeros(2)"), "patch: reaches beyond the structure");
    check_refused(KEPT("patch cut at file() + 1"), "patch: reaches beyond the structure");
    check_refused(KEPT("finding LAY-004 at file() + 1"), "finding: is outside the structure");
}

int main(void)
{
    test_faults();
    test_vectors();
    test_refused();
    return test_result();
}
