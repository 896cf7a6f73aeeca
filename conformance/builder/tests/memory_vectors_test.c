/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library reads every vector of a structure in memory: its values are those that were written, and its findings
 * those that the recipe claims. Each structure has an allocation of its own, so that a sanitizer catches reads beyond
 * it. The arguments are recipes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "memory/memory_expected.h"
#include "etlproof/etlproof.h"
#include "recipe/recipe.h"
#include "test.h"

/* A vector, and the bytes that the decoder gets. */
typedef struct subject {
    const build_vector *vector;
    build_memory memory; /* patched */
    uint32_t left;
    etl_span bytes;
} subject;

static unsigned long structures, members;

static void check_number(const subject *s, const etl_memory_member *written, const etl_memory_member *read)
{
    etl_memory_value value;
    const bool whole = written->offset + written->size <= s->left;
    CHECK_UINT(whole, etl_memory_read(s->bytes, read, &value));
    if (!whole)
        return;
    CHECK_UINT(written->size, value.bytes.size);
    CHECK(value.bytes.at == s->bytes.at + written->offset);
    if (build_memory_is_number(written))
        CHECK_UINT(build_memory_get(&s->memory, written), value.number);
}

static void check_same(const etl_memory_member *written, const etl_memory_member *read)
{
    CHECK_TEXT(written->name, read->name);
    CHECK_UINT(written->kind, read->kind);
    CHECK_UINT(written->meaning, read->meaning);
    CHECK_UINT(written->offset, read->offset);
    CHECK_UINT(written->size, read->size);
    CHECK_UINT(written->count, read->count);
}

static void check_element(const subject *s, const etl_memory_member *written, const etl_memory_member *read)
{
    const etl_arch arch = s->memory.layout.arch;
    etl_memory_member w, r;
    uint32_t i = 0;
    check_same(written, read);
    check_number(s, written, read);
    for (; build_memory_part(written, arch, i, &w); i++) {
        CHECK(etl_memory_part(read, arch, i, &r));
        check_same(&w, &r);
        check_number(s, &w, &r);
    }
    CHECK(!etl_memory_part(read, arch, i, &r));
}

/* The next member that a reader decodes. */
static bool next_taken(etl_memory_walk *walk, etl_memory_member *member)
{
    while (etl_memory_next(walk, member))
        if (etl_evidence_get(member->evidence)->taken)
            return true;
    return false;
}

static void check_members(const subject *s)
{
    etl_memory_walk walk = etl_memory_members(s->memory.layout);
    etl_memory_member written, read;
    for (size_t row = 0; build_memory_next(s->memory.layout, &row, &written);) {
        CHECK(next_taken(&walk, &read));
        check_same(&written, &read);
        members++;
        for (uint32_t i = 0; i < written.count; i++) {
            const etl_memory_member w = build_memory_element(&written, i), r = etl_memory_element(&read, i);
            check_element(s, &w, &r);
        }
    }
    CHECK(!next_taken(&walk, &read));
}

/* Whether a finding is claimed; `claimed` are the claims without a finding so far. */
static bool take_claim(const subject *s, const etl_finding *finding, bool *claimed)
{
    for (size_t i = 0; i < s->vector->finding_count; i++) {
        const build_claimed_finding *claim = &s->vector->findings[i];
        const uint64_t at = claim->place.offset < s->left ? claim->place.offset : s->left;
        if (!claimed[i] || claim->rule != finding->rule || at != finding->offset ||
            (claim->has_lost && claim->lost != finding->lost))
            continue;
        claimed[i] = false;
        return true;
    }
    return false;
}

static void check_findings(const subject *s)
{
    static etl_findings found; /* too large for the stack */
    bool claimed[64] = {0};
    const size_t count = s->vector->finding_count;
    CHECK(count <= sizeof claimed / sizeof claimed[0]);
    for (size_t i = 0; i < count; i++)
        claimed[i] = true;
    found = (etl_findings){0};
    etl_memory_check(s->memory.layout, s->bytes, 0, &found);
    CHECK_UINT(count, found.count);
    for (uint32_t i = 0; i < found.count; i++)
        if (!take_claim(s, &found.at[i], claimed)) {
            CHECK(false);
            printf("  %s at 0x%lx is reported but not claimed\n", etl_rule_get(found.at[i].rule)->id,
                   (unsigned long)found.at[i].offset);
        }
}

static bool look(void *context, const build_vector *vector)
{
    static subject s;
    const char *why = "";
    const unsigned long failures = test_failures;
    (void)context;
    s = (subject){.vector = vector};
    CHECK(vector->memory != NULL && build_memory_patch(vector, &s.memory, &s.left, &why));
    const bool longer = vector->patch.kind == BUILD_PATCH_INSERT;
    const size_t size = s.left + (longer ? vector->patch.bytes.size : 0);
    uint8_t *bytes = malloc(size != 0 ? size : 1);
    if (bytes == NULL)
        abort();
    memcpy(bytes, s.memory.bytes, s.left);
    if (longer)
        memcpy(bytes + s.left, vector->patch.bytes.at, vector->patch.bytes.size);
    s.bytes = (etl_span){bytes, size};
    check_members(&s);
    check_findings(&s);
    free(bytes);
    structures++;
    if (test_failures != failures)
        printf("  in %s\n", vector->id);
    return true;
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    for (int i = 1; i < argc; i++) {
        build_recipe_error error = {0};
        FILE *file = fopen(argv[i], "rb");
        const size_t size = file != NULL ? fread(text, 1, sizeof text, file) : 0;
        CHECK(size != 0 && size < sizeof text);
        if (file != NULL)
            (void)fclose(file);
        if (!build_recipe_read(text, size, "layout/x.recipe", BUILD_RECIPE_WORK_MAX, look, NULL, &error))
            printf("%s:%u:%u: %s\n", argv[i], (unsigned)error.line, (unsigned)error.column, error.text);
        CHECK_TEXT("", error.text);
    }
    CHECK(structures > 92 && members > structures);
    printf("%lu structures, %lu members\n", structures, members);
    return test_result();
}
