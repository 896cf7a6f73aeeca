/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutants of every vector, every regression, parts of them, and every recipe: the same seed gives the same mutant; a mutant
 * keeps its bounds, differs from the input and matches its description; and enough mutants are still traces. edit_test.c
 * tests each edit, recipe_statements_test.c whether mutants are still recipes.
 */
#include "mutator.h"

#include <stdlib.h>

#include "draft.h"
#include "member_roles.h"
#include "mutator_core.h"
#include "test.h"
#include "visit_vectors.h"

enum { SEEDS = 4, GROWTH = 4096, GUARD = 64, KEPT_MOST = 16 };

typedef struct tally {
    mutator_core *mutators[INPUT_COUNT], *again[INPUT_COUNT];
    size_t files, mutants, differ, walked, larger, smaller, members, sizes;
    size_t roles[MUTATOR_ROLES];
    uint64_t seed;
    struct {
        uint8_t *bytes;
        size_t size;
    } kept[INPUT_COUNT]; /* the last input of each kind, for crossing with the next */
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
    uint8_t *scratch = NULL;
    etl_reader_init(&reader, ETL_LIMITS_DEFAULT);
    for (;;) {
        reader.findings.count = 0;
        const etl_outcome outcome = etl_reader_next(&reader);
        if (outcome == ETL_MORE) {
            etl_reader_feed(&reader, (etl_span){bytes + reader.trace.offset, size - (size_t)reader.trace.offset}, true);
        } else if (outcome == ETL_SCRATCH) {
            free(scratch);
            scratch = malloc(reader.trace.want);
            etl_reader_lend(&reader, (etl_scratch){scratch, reader.trace.want});
        } else if (outcome == ETL_END || outcome == ETL_INTERNAL) {
            free(scratch);
            return reader.trace.buffers > 0;
        }
    }
}

static void count_roles(tally *t, const char *description)
{
    for (int role = 0; role < MUTATOR_ROLES; role++) {
        char text[32];
        snprintf(text, sizeof text, " (%s): ", mutator_role_text((mutator_role)role));
        t->roles[role] += strstr(description, text) != NULL;
    }
}

/* One edit of a member in a description: "event 3 Size (size): 0x58 -> 0xffff". */
typedef struct claim {
    char piece[16], name[64];
    unsigned number;
    unsigned long long value;
} claim;

static bool read_claim(const char *text, claim *c)
{
    return sscanf(text, "%15[a-z] %u %63s (%*[^)]): 0x%*x -> 0x%llx", c->piece, &c->number, c->name, &c->value) == 4;
}

/* One edit of a size: "stream 0 damaged, 76 -> 92 bytes", "bytes of raw bytes 1 changed, 64 -> 60". */
static bool read_size_claim(const char *text, claim *c)
{
    *c = (claim){.piece = "stream"};
    if (sscanf(text, "stream %u damaged, %*u -> %llu bytes", &c->number, &c->value) == 2)
        return true;
    *c = (claim){.piece = "raw bytes"};
    return sscanf(text, "bytes of raw bytes %u changed, %*u -> %llu", &c->number, &c->value) == 2;
}

/* Whether the text has another edit of the member, or of bytes of its piece. */
static bool is_edited(const char *text, const claim *c)
{
    char member[128], bytes[64];
    snprintf(member, sizeof member, "%s %u %s (", c->piece, c->number, c->name);
    snprintf(bytes, sizeof bytes, "bytes of %s %u changed", c->piece, c->number);
    return strstr(text, member) != NULL || strstr(text, bytes) != NULL;
}

static mutator_piece *find_claimed(const mutator_draft *draft, const claim *c)
{
    mutator_piece *p = draft->root;
    while (p != NULL && (p->number != c->number || strcmp(mutator_piece_text(p->kind), c->piece) != 0))
        p = mutator_piece_walk(p);
    return p;
}

/* NULL for a member of a nested structure: such names are not unique. */
static const etl_member_info *find_member(etl_structure_id structure, const char *name)
{
    size_t count;
    const etl_member_info *infos = etl_structure_members(structure, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(infos[i].name, name) == 0)
            return &infos[i];
    return NULL;
}

/* Adds the bytes before the piece to `*at`; false if it is in none of the pieces from `first` on, or in a stream. */
static bool find_bytes(const mutator_piece *first, const mutator_piece *piece, size_t *at)
{
    for (const mutator_piece *p = first; p != NULL; p = p->next) {
        if (p == piece)
            return true;
        *at += p->size;
        if (p->kind != MUTATOR_PIECE_STREAM && find_bytes(p->first, piece, at))
            return true;
    }
    return false;
}

/* The bytes of the piece as written; those in a stream are inflated first. Empty if they are beyond the bounds. */
static etl_span read_back(const mutator_draft *draft, etl_span written, mutator_piece *piece)
{
    static uint8_t scratch[ETL_BUFFER_SIZE_MAX];
    mutator_piece *stream = mutator_piece_holder(piece->parent, MUTATOR_PIECE_STREAM);
    const mutator_piece *first = draft->root->first;
    size_t at = 0;
    if (stream != NULL) {
        const etl_span packed = read_back(draft, written, stream);
        const etl_inflated inflated = etl_inflate(packed, (etl_scratch){scratch, sizeof scratch});
        written = (etl_span){scratch, inflated.produced};
        first = stream->first;
    }
    find_bytes(first, piece, &at);
    const bool whole = at <= written.size && piece->size <= written.size - at;
    return whole ? (etl_span){written.at + at, piece->size} : (etl_span){written.at, 0};
}
typedef struct output {
    uint8_t *bytes;
    size_t most, size;
} output;

static void check_claim(tally *t, const claim *c, const mutator_draft *draft, etl_span written)
{
    mutator_piece *piece = find_claimed(draft, c);
    const etl_member_info *info = piece != NULL ? find_member(piece->structure, c->name) : NULL;
    if (info == NULL)
        return;
    const etl_span bytes = read_back(draft, written, piece);
    const mutator_piece read = {.at = bytes.at, .size = bytes.size};
    if (bytes.size == 0)
        return;
    CHECK_UINT(c->value, mutator_piece_member(&read, info->offset, etl_member_kind_size(info->kind)));
    t->members++;
}

static void check_size_claim(tally *t, const claim *c, const mutator_draft *draft)
{
    const mutator_piece *piece = find_claimed(draft, c);
    if (piece == NULL) /* in a damaged stream, which stays closed */
        return;
    CHECK_UINT(c->value, piece->size);
    t->sizes++;
}

/* Whether the text has another edit of bytes: an edit of data also shortens the slack after the data. */
static bool is_resized(const char *text)
{
    return strstr(text, "damaged, ") != NULL || strstr(text, "bytes of ") != NULL;
}

/* Checks the last edit of each member and size, unless the text was cut off, or later edits changed bytes without
   structure. */
static void check_claims(tally *t, const mutator_core *mutator, const output *o)
{
    const char *text = mutator_description(mutator);
    claim c;
    if (strlen(text) + 1 >= sizeof mutator->log.at || strstr(text, " of bytes") != NULL)
        return;
    for (const char *next; text != NULL; text = next) {
        next = strstr(text, "; ");
        next = next != NULL ? next + strlen("; ") : NULL;
        if (read_claim(text, &c) && (next == NULL || !is_edited(next, &c)))
            check_claim(t, &c, mutator->draft, (etl_span){o->bytes, o->size});
        else if (read_size_claim(text, &c) && (next == NULL || !is_resized(next)))
            check_size_claim(t, &c, mutator->draft);
    }
}

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
    if (v->input == INPUT_FILE)
        t->walked += has_buffers(a->bytes, a->size);
}

static void check_mutants(const vector *v, tally *t, size_t most)
{
    for (int i = 0; i < SEEDS; i++) {
        const uint64_t seed = t->seed++;
        output a = make_output(most), b = make_output(most);
        a.size = mutator_mutate(t->mutators[v->input], v->bytes, v->size, a.bytes, most, seed);
        b.size = mutator_mutate(t->again[v->input], v->bytes, v->size, b.bytes, most, seed);
        hold(t, v, &a, &b);
        const char *description = mutator_description(t->mutators[v->input]);
        CHECK_TEXT(mutator_description(t->again[v->input]), description);
        CHECK(description[0] != '\0');
        count_roles(t, description);
        check_claims(t, t->mutators[v->input], &a);
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
    a.size = mutator_cross(t->mutators[v->input], v->bytes, v->size, other, size, a.bytes, most, seed);
    b.size = mutator_cross(t->again[v->input], v->bytes, v->size, other, size, b.bytes, most, seed);
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
    if (v->input == INPUT_FILE) {
        t->files++;
        visit_parts(v, check_input, t);
    }
}

/* With an output of size 0, with a smaller output than the input, and with an empty input. */
static void check_bounds(tally *t)
{
    static const uint8_t bytes[INPUT_CONTEXT_SIZE + 0x60] = {0};
    for (int input = 0; input < INPUT_COUNT; input++)
        for (size_t size = 0; size <= sizeof bytes; size += 13)
            for (size_t most = 0; most <= sizeof bytes; most += 7) {
                output a = make_output(most);
                a.size = mutator_mutate(t->mutators[input], bytes, size, a.bytes, most, t->seed++);
                CHECK(a.size <= most && (a.size > 0 || most == 0));
                CHECK(untouched(a.bytes + most, GUARD));
                a.size = mutator_cross(t->mutators[input], bytes, size, bytes, size / 2, a.bytes, most, t->seed++);
                CHECK(a.size <= most && (a.size > 0 || most == 0));
                CHECK(untouched(a.bytes + most, GUARD));
                free(a.bytes);
            }
}

int main(int argc, char **argv)
{
    tally t = {.seed = 1};
    for (int i = 0; i < INPUT_COUNT; i++) {
        t.mutators[i] = mutator_new((input_kind)i);
        t.again[i] = mutator_new((input_kind)i);
    }
    const size_t visited = visit_files(argc - 1, argv + 1, check_file, &t);
    CHECK(t.files > 3000 && visited > t.files + 40);
    check_bounds(&t);
    printf("%zu mutants, %zu differ, %zu larger, %zu smaller\n", t.mutants, t.differ, t.larger, t.smaller);
    printf("%zu of %zu mutants of files have buffers\n", t.walked, t.files * (SEEDS + 1) - 1);
    printf("%zu members and %zu sizes are as described\n", t.members, t.sizes);
    CHECK_UINT(t.mutants, t.differ);
    CHECK(t.members > t.files && t.sizes > t.files / 8);
    CHECK(t.walked >= t.files * (SEEDS + 1) * 9 / 10);
    for (int role = 0; role < MUTATOR_ROLES; role++) {
        printf("role %s: %zu\n", mutator_role_text((mutator_role)role), t.roles[role]);
        CHECK((t.roles[role] > 0) == (role != MUTATOR_ROLE_NESTED));
    }
    for (int i = 0; i < INPUT_COUNT; i++) {
        mutator_free(t.mutators[i]);
        mutator_free(t.again[i]);
        free(t.kept[i].bytes);
    }
    return test_result();
}
