/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A draft without edits writes exactly what it was read from: every vector, every regression, and parts of them.
 */
#include "draft.h"

#include <stdlib.h>

#include "test.h"
#include "visit_vectors.h"

typedef struct tally {
    mutator_draft *draft;
    size_t inputs[INPUT_COUNT], structured[INPUT_COUNT];
} tally;

/* The links between pieces are consistent, and no piece is marked as changed or resized. */
static bool is_sound(const mutator_draft *draft)
{
    for (const mutator_piece *p = draft->root; p != NULL; p = mutator_piece_walk(p)) {
        for (const mutator_piece *inner = p->first; inner != NULL; inner = inner->next)
            if (inner->parent != p || (inner->next != NULL ? inner->next->before != inner : p->last != inner))
                return false;
        if (p->changed || p->resized)
            return false;
    }
    return true;
}

static void check_identity(const vector *v, void *state)
{
    tally *t = state;
    uint8_t *out = malloc(v->size + 1);
    if (out == NULL)
        abort();
    mutator_draft_read(t->draft, v->input, v->bytes, v->size);
    const size_t size = mutator_draft_write(t->draft, out, v->size + 1);
    const bool same = size == v->size && memcmp(out, v->bytes, size) == 0;
    if (!same || !is_sound(t->draft))
        printf("%s, input %d\n", v->path, (int)v->input);
    CHECK(same);
    CHECK(is_sound(t->draft));
    CHECK_UINT(v->size, mutator_piece_extent(t->draft->root));
    mutator_draft_settle(t->draft, MUTATOR_SETTLE_ALL);
    CHECK_UINT(v->size, mutator_draft_write(t->draft, out, v->size + 1));
    CHECK_BYTES(v->bytes, out, v->size);
    CHECK_UINT(v->size / 2, mutator_draft_write(t->draft, out, v->size / 2));
    t->inputs[v->input]++;
    t->structured[v->input] += t->draft->numbers[MUTATOR_PIECE_EVENT] + t->draft->numbers[MUTATOR_PIECE_ITEM] > 0;
    free(out);
}

static void check_file(const vector *v, void *state)
{
    check_identity(v, state);
    visit_parts(v, check_identity, state);
}

static void check_odd_inputs(mutator_draft *draft)
{
    static const uint8_t bytes[INPUT_CONTEXT_SIZE + 3] = {0};
    tally t = {.draft = draft};
    for (int input = 0; input < INPUT_COUNT; input++)
        for (size_t size = 0; size <= sizeof bytes; size++) {
            const vector v = {"zeros", (input_kind)input, bytes, size};
            check_identity(&v, &t);
        }
}

int main(int argc, char **argv)
{
    tally t = {.draft = mutator_draft_new()};
    CHECK(visit_files(argc - 1, argv + 1, check_file, &t) > 3000);
    for (int i = INPUT_FILE; i <= INPUT_MESSAGE; i++) {
        printf("input %d: %zu, %zu of them with structure\n", i, t.inputs[i], t.structured[i]);
        CHECK(t.structured[i] > 100);
    }
    CHECK(t.inputs[INPUT_STREAM] > 100);
    check_odd_inputs(t.draft);
    mutator_draft_free(t.draft);
    return test_result();
}
