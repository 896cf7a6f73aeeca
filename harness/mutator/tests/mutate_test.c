/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutants of every vector, every regression, parts of them, and every recipe: the same seed makes the same mutant, it keeps
 * to its bounds, it differs from the input, and enough of them are still traces. What each edit does on its own is in
 * edit_test.c, what is still a recipe in statements_test.c.
 */
#include "mutator.h"

#include <stdlib.h>

#include "draft.h"
#include "roles.h"
#include "test.h"
#include "vectors.h"

enum { SEEDS = 4, GROWTH = 4096, GUARD = 64, KEPT_MOST = 16 };

typedef struct tally {
    etl_mutator *mutators[ETL_INPUT_COUNT], *again[ETL_INPUT_COUNT];
    size_t files, mutants, differ, walked, larger, smaller;
    size_t roles[ETL_ROLES];
    uint64_t seed;
    struct {
        uint8_t *bytes;
        size_t size;
    } kept[ETL_INPUT_COUNT]; /* the last input of each kind, to be crossed with the next */
} tally;

static bool untouched(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xA5)
            return false;
    return true;
}

/* The decoder finds buffers in it: the verdict is not "not an ETL file". */
static bool has_buffers(const uint8_t *bytes, size_t size)
{
    static etl_reader reader;
    uint8_t *room = NULL;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (;;) {
        reader.findings.count = 0;
        const etl_outcome outcome = etl_reader_next(&reader);
        if (outcome == ETL_MORE) {
            etl_reader_feed(&reader, (etl_span){bytes + reader.trace.offset, size - (size_t)reader.trace.offset}, true);
        } else if (outcome == ETL_ROOM) {
            free(room);
            room = malloc(reader.trace.want);
            etl_reader_lend(&reader, (etl_room){room, reader.trace.want});
        } else if (outcome == ETL_END || outcome == ETL_INTERNAL) {
            free(room);
            return reader.trace.buffers > 0;
        }
    }
}

static void count_roles(tally *t, const char *description)
{
    for (int role = 0; role < ETL_ROLES; role++) {
        char text[32];
        snprintf(text, sizeof text, " (%s): ", etl_role_text((etl_role)role));
        t->roles[role] += strstr(description, text) != NULL;
    }
}

typedef struct output {
    uint8_t *bytes;
    size_t most, size;
} output;

static output make_output(size_t most)
{
    output o = {malloc(most + GUARD), most, 0};
    if (o.bytes == NULL)
        abort();
    memset(o.bytes, 0xA5, most + GUARD);
    return o;
}

static void hold(tally *t, const vector *v, const output *a, const output *b)
{
    CHECK_UINT(a->size, b->size);
    CHECK(a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
    CHECK(a->size <= a->most && a->size > 0);
    CHECK(untouched(a->bytes + a->most, GUARD));
    t->mutants++;
    t->differ += a->size != v->size || memcmp(a->bytes, v->bytes, a->size) != 0;
    t->larger += a->size > v->size;
    t->smaller += a->size < v->size;
    if (v->input == ETL_INPUT_FILE)
        t->walked += has_buffers(a->bytes, a->size);
}

static void check_mutants(const vector *v, tally *t, size_t most)
{
    for (int i = 0; i < SEEDS; i++) {
        const uint64_t seed = t->seed++;
        output a = make_output(most), b = make_output(most);
        a.size = etl_mutator_mutate(t->mutators[v->input], v->bytes, v->size, a.bytes, most, seed);
        b.size = etl_mutator_mutate(t->again[v->input], v->bytes, v->size, b.bytes, most, seed);
        hold(t, v, &a, &b);
        const char *description = etl_mutator_description(t->mutators[v->input]);
        CHECK_TEXT(etl_mutator_description(t->again[v->input]), description);
        CHECK(description[0] != '\0');
        count_roles(t, description);
        free(a.bytes);
        free(b.bytes);
    }
}

static void check_cross(const vector *v, tally *t)
{
    const uint64_t seed = t->seed++;
    const size_t most = v->size + GROWTH;
    output a = make_output(most), b = make_output(most);
    const uint8_t *other = t->kept[v->input].bytes;
    const size_t size = t->kept[v->input].size;
    a.size = etl_mutator_cross(t->mutators[v->input], v->bytes, v->size, other, size, a.bytes, most, seed);
    b.size = etl_mutator_cross(t->again[v->input], v->bytes, v->size, other, size, b.bytes, most, seed);
    hold(t, v, &a, &b);
    free(a.bytes);
    free(b.bytes);
}

static void check_input(const vector *v, void *state)
{
    tally *t = state;
    check_mutants(v, t, v->size + GROWTH);
    if (t->kept[v->input].bytes != NULL)
        check_cross(v, t);
    free(t->kept[v->input].bytes);
    t->kept[v->input].bytes = malloc(v->size + 1);
    memcpy(t->kept[v->input].bytes, v->bytes, v->size);
    t->kept[v->input].size = v->size;
}

static void check_file(const vector *v, void *state)
{
    tally *t = state;
    check_input(v, t);
    if (v->input == ETL_INPUT_FILE) {
        t->files++;
        visit_parts(v, check_input, t);
    }
}

/* Without room, with room for less than there is, and of nothing at all. */
static void check_bounds(tally *t)
{
    static const uint8_t bytes[ETL_INPUT_CONTEXT_SIZE + 0x60] = {0};
    for (int input = 0; input < ETL_INPUT_COUNT; input++)
        for (size_t size = 0; size <= sizeof bytes; size += 13)
            for (size_t most = 0; most <= sizeof bytes; most += 7) {
                output a = make_output(most);
                a.size = etl_mutator_mutate(t->mutators[input], bytes, size, a.bytes, most, t->seed++);
                CHECK(a.size <= most && (a.size > 0 || most == 0));
                CHECK(untouched(a.bytes + most, GUARD));
                a.size = etl_mutator_cross(t->mutators[input], bytes, size, bytes, size / 2, a.bytes, most, t->seed++);
                CHECK(a.size <= most && (a.size > 0 || most == 0));
                CHECK(untouched(a.bytes + most, GUARD));
                free(a.bytes);
            }
}

int main(int argc, char **argv)
{
    tally t = {.seed = 1};
    for (int i = 0; i < ETL_INPUT_COUNT; i++) {
        t.mutators[i] = etl_mutator_new((etl_input)i);
        t.again[i] = etl_mutator_new((etl_input)i);
    }
    const size_t visited = visit_files(argc - 1, argv + 1, check_file, &t);
    CHECK(t.files > 3000 && visited > t.files + 40);
    check_bounds(&t);
    printf("%zu mutants, %zu differ, %zu larger, %zu smaller\n", t.mutants, t.differ, t.larger, t.smaller);
    printf("%zu of %zu mutants of files have buffers\n", t.walked, t.files * (SEEDS + 1) - 1);
    CHECK_UINT(t.mutants, t.differ);
    CHECK(t.walked >= t.files * (SEEDS + 1) * 9 / 10);
    for (int role = 0; role < ETL_ROLES; role++) {
        printf("role %s: %zu\n", etl_role_text((etl_role)role), t.roles[role]);
        CHECK((t.roles[role] > 0) == (role != ETL_ROLE_NESTED));
    }
    for (int i = 0; i < ETL_INPUT_COUNT; i++) {
        etl_mutator_free(t.mutators[i]);
        etl_mutator_free(t.again[i]);
        free(t.kept[i].bytes);
    }
    return test_result();
}
