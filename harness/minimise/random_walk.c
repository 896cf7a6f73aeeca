/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes smaller mutants of the last input that still failed. Called by minimise_candidates.c in its last phase.
 */
#include "random_walk.h"

#include <stdlib.h>
#include <string.h>

#include "checked_alloc.h"

/* The first seed is arbitrary. A walk returns to its start after so many steps. */
enum { SEED = 1, WALK = 4096 };
/* One candidate in so many is as long as the input that held: these hold often, and a failing run takes far longer than
   others. */
enum { WALKS = 16 };
/* Bytes that a mutant may grow by before it is cut, and the most runs that are cut out of it. */
enum { GROWTH = 16, CUTS_MOST = 3 };
/* Cut runs are powers of two below 2 to this, or of any length. */
enum { POWERS = 5 };

minimise_random_walk minimise_random_walk_new(mutator_core *mutator, size_t most)
{
    return (minimise_random_walk){
        .mutator = mutator, .random = mutator_random_seed(SEED), .walk = mutator_realloc(NULL, most + 1)};
}

void minimise_random_walk_free(minimise_random_walk *search)
{
    free(search->walk);
}

void minimise_random_walk_begin(minimise_random_walk *search, const uint8_t *held, size_t size)
{
    memcpy(search->walk, held, size);
    search->steps = 0;
}

void minimise_random_walk_tell(minimise_random_walk *search, const uint8_t *candidate, size_t size)
{
    memcpy(search->walk, candidate, size);
}

/* Removes a run, mostly of the length of a number. Returns the remaining size. */
static size_t cut(mutator_random *random, uint8_t *bytes, size_t size)
{
    size_t run = mutator_random_once_in(random, 4) ? mutator_random_small(random, size)
                                               : (size_t)1 << mutator_random_below(random, POWERS);
    if (run > size)
        run = size;
    const size_t from = mutator_random_below(random, size - run + 1);
    memmove(bytes + from, bytes + from + run, size - from - run);
    return size - run;
}

size_t minimise_random_walk_next(minimise_random_walk *search, const uint8_t *held, size_t size, uint8_t *out, size_t most)
{
    enum { SHORTER, CUT, CUT_ONLY, WAYS, AS_LONG = WAYS };
    mutator_random *random = &search->random;
    if (++search->steps % WALK == 0)
        minimise_random_walk_begin(search, held, size);
    const uint8_t *from = mutator_random_once_in(random, 2) ? held : search->walk;
    const size_t way = mutator_random_once_in(random, WALKS) ? AS_LONG : mutator_random_below(random, WAYS);
    const size_t grown = size + GROWTH < most ? size + GROWTH : most;
    const size_t limit = way == SHORTER ? size - 1 : way == AS_LONG ? size : grown;
    size_t made = size;
    if (way == CUT_ONLY)
        memcpy(out, from, size);
    else
        made = mutator_mutate(search->mutator, from, size, out, limit, mutator_random_next(random));
    size_t cuts = way == CUT || way == CUT_ONLY ? 1 + mutator_random_below(random, CUTS_MOST) : 0;
    for (; made != 0 && (cuts != 0 || made > size); cuts -= cuts != 0)
        made = cut(random, out, made);
    return made;
}
