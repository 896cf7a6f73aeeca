/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutator as libFuzzer calls it. Compiled once for each target, with ETLPROOF_TARGET_INPUT, the kind of its input.
 *
 * A share of the calls goes to LLVMFuzzerMutate, so that libFuzzer still uses the dictionary and the values it has seen
 * in comparisons: in the presets only those by memcmp and similar functions; all of them in builds that trace
 * comparisons, as OSS-Fuzz does. With ETLPROOF_MUTATOR=off in the environment all calls go there, to compare the two.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked_alloc.h"
#include "mutator.h"
#include "random.h"

/* libFuzzer's own function, and the functions that libFuzzer looks for. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t most, unsigned seed);

/* One call in so many uses libFuzzer's own mutation alone; another uses both, one after the other. */
enum { OWN_SHARE = 4, BOTH_SHARE = 8 };
/* libFuzzer asks for a crossing as often as for a mutation; one request in so many is granted. */
enum { CROSS_SHARE = 4 };

/* NULL if it is switched off. */
static mutator_core *get_mutator(void)
{
    static mutator_core *mutator;
    static int asked;
    if (asked)
        return mutator;
    const char *state = getenv("ETLPROOF_MUTATOR");
    if (state == NULL || strcmp(state, "on") == 0) {
        mutator = mutator_new(ETLPROOF_TARGET_INPUT);
    } else if (strcmp(state, "off") != 0) {
        (void)fprintf(stderr, "etlproof: ETLPROOF_MUTATOR is %s; it has to be on or off\n", state);
        exit(64);
    }
    asked = 1;
    return mutator;
}

/* A copy of the input, which the result would overwrite. */
static const uint8_t *set_aside(const uint8_t *data, size_t size)
{
    static uint8_t *copy;
    static size_t capacity;
    if (size > capacity || copy == NULL) {
        copy = mutator_realloc(copy, size);
        capacity = size;
    }
    if (size != 0)
        memcpy(copy, data, size);
    return copy;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutator_core *mutator = get_mutator();
    mutator_random random = mutator_random_seed(seed);
    if (mutator == NULL || mutator_random_once_in(&random, OWN_SHARE))
        return LLVMFuzzerMutate(data, size, most);
    const uint64_t own_seed = mutator_random_next(&random);
    size = mutator_mutate(mutator, set_aside(data, size), size, data, most, own_seed);
    return mutator_random_once_in(&random, BOTH_SHARE) ? LLVMFuzzerMutate(data, size, most) : size;
}

/* 0 makes libFuzzer try another mutation. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    mutator_core *mutator = get_mutator();
    mutator_random random = mutator_random_seed(seed);
    if (mutator == NULL || !mutator_random_once_in(&random, CROSS_SHARE))
        return 0;
    return mutator_cross(mutator, data, size, other, other_size, out, most, mutator_random_next(&random));
}
