/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A draft that nobody edited writes what it was read from: on every vector, every regression, and parts of them.
 */
#include "draft.h"

#include <stdlib.h>

#include "test.h"
#include "vectors.h"

typedef struct tally {
    etl_draft *draft;
    size_t inputs[ETL_INPUT_COUNT], structured[ETL_INPUT_COUNT];
} tally;

/* The pieces nest as draft.h says, and each is told from those around it. */
static bool is_sound(const etl_draft *draft)
{
    for (const etl_piece *p = draft->root; p != NULL; p = etl_piece_walk(p)) {
        for (const etl_piece *inner = p->first; inner != NULL; inner = inner->next)
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
    etl_draft_read(t->draft, v->input, v->bytes, v->size);
    const size_t size = etl_draft_write(t->draft, out, v->size + 1);
    const bool same = size == v->size && memcmp(out, v->bytes, size) == 0;
    if (!same || !is_sound(t->draft))
        printf("%s, input %d\n", v->path, (int)v->input);
    CHECK(same);
    CHECK(is_sound(t->draft));
    CHECK_UINT(v->size, etl_piece_extent(t->draft->root));
    etl_draft_settle(t->draft, ETL_SETTLE_ALL);
    CHECK_UINT(v->size, etl_draft_write(t->draft, out, v->size + 1));
    CHECK_BYTES(v->bytes, out, v->size);
    CHECK_UINT(v->size / 2, etl_draft_write(t->draft, out, v->size / 2));
    t->inputs[v->input]++;
    t->structured[v->input] += t->draft->numbers[ETL_PIECE_EVENT] + t->draft->numbers[ETL_PIECE_ITEM] > 0;
    free(out);
}

static void check_file(const vector *v, void *state)
{
    check_identity(v, state);
    visit_parts(v, check_identity, state);
}

static void check_odd_inputs(etl_draft *draft)
{
    static const uint8_t bytes[ETL_INPUT_CONTEXT_SIZE + 3] = {0};
    tally t = {.draft = draft};
    for (int input = 0; input < ETL_INPUT_COUNT; input++)
        for (size_t size = 0; size <= sizeof bytes; size++) {
            const vector v = {"zeros", (etl_input)input, bytes, size};
            check_identity(&v, &t);
        }
}

int main(int argc, char **argv)
{
    tally t = {.draft = etl_draft_new()};
    CHECK(visit_files(argc - 1, argv + 1, check_file, &t) > 3000);
    for (int i = ETL_INPUT_FILE; i <= ETL_INPUT_MESSAGE; i++) {
        printf("input %d: %zu, %zu of them with structure\n", i, t.inputs[i], t.structured[i]);
        CHECK(t.structured[i] > 100);
    }
    CHECK(t.inputs[ETL_INPUT_STREAM] > 100);
    check_odd_inputs(t.draft);
    etl_draft_free(t.draft);
    return test_result();
}
