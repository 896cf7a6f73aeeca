/* SPDX-License-Identifier: Apache-2.0 */
#include "shrink_vectors.h"

#include <stdlib.h>

bool anything(const uint8_t *at, size_t size)
{
    (void)at;
    return size != 0;
}

bool odd_sum(const uint8_t *at, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + at[i];
    return (sum >> 3) % 3 == 0;
}

typedef struct job {
    shrinker *shrink;
    size_t share, most, visited;
    tally sum;
} job;

static void shrink_vector(const vector *v, void *state)
{
    job *j = state;
    if (j->visited++ % j->share != 0 || v->size > j->most)
        return;
    const shrunk r = j->shrink(v->input, v->bytes, v->size, odd_sum);
    j->sum.inputs++;
    j->sum.before += v->size;
    j->sum.after += r.size;
    j->sum.tries += r.tries;
    j->sum.bound += r.bound;
    j->sum.wrong += r.size != v->size && !odd_sum(r.at, r.size);
    free(r.at);
}

static void shrink_file(const vector *v, void *state)
{
    shrink_vector(v, state);
    visit_parts(v, shrink_vector, state);
}

tally shrink_vectors(int count, char **directories, shrinker *shrink, size_t share, size_t most)
{
    job j = {.shrink = shrink, .share = share, .most = most};
    j.sum.files = visit_files(count, directories, shrink_file, &j);
    return j.sum;
}
