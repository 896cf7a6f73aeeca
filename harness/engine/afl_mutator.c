/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutator as AFL++ calls it: a shared object for AFL_CUSTOM_MUTATOR_LIBRARY, without any header of AFL++.
 * ETLPROOF_INPUT in the environment names the kind of input: file, buffer, event and so on; the default is file.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked_alloc.h"
#include "fuzz_input.h"
#include "mutator.h"
#include "random.h"
#include "structural_trim.h"

/* The functions that AFL++ looks for. */
void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *state);
size_t afl_custom_fuzz(void *state, uint8_t *in, size_t size, uint8_t **out, uint8_t *other, size_t other_size,
                       size_t most);
const char *afl_custom_describe(void *state, size_t most);
int32_t afl_custom_init_trim(void *state, uint8_t *in, size_t size);
size_t afl_custom_trim(void *state, uint8_t **candidate);
int32_t afl_custom_post_trim(void *state, uint8_t holds);

/* One call in so many crosses the input with the second input that AFL++ passes. */
enum { CROSS_SHARE = 4 };
/* Runs of the target to trim one input, about as many as AFL++'s own trimming takes. */
enum { TRIM_STEPS_MAX = 2000 };
/* A description becomes part of a file name. */
enum { DESCRIPTION_SIZE = 64 };

typedef struct afl_state {
    mutator_core *mutator;
    minimise_trim *trim;
    mutator_random random;
    uint8_t *out;
    size_t capacity;
    char description[DESCRIPTION_SIZE];
    /* The next candidate, made one step ahead: AFL++ must know in advance whether there is one. */
    const uint8_t *candidate;
    size_t candidate_size;
    int32_t step, steps;
} afl_state;

static input_kind get_input(void)
{
    input_kind input = INPUT_FILE;
    const char *name = getenv("ETLPROOF_INPUT");
    if (name == NULL || input_find(name, &input))
        return input;
    (void)fprintf(stderr, "etlproof: ETLPROOF_INPUT is %s; it has to be one of: %s\n", name, input_names());
    exit(64);
}

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    const input_kind input = get_input();
    afl_state *s = mutator_realloc(NULL, sizeof *s);
    *s = (afl_state){.mutator = mutator_new(input), .trim = minimise_trim_new(input), .random = mutator_random_seed(seed)};
    return s;
}

void afl_custom_deinit(void *state)
{
    afl_state *s = state;
    minimise_trim_free(s->trim);
    mutator_free(s->mutator);
    free(s->out);
    free(s);
}

size_t afl_custom_fuzz(void *state, uint8_t *in, size_t size, uint8_t **out, uint8_t *other, size_t other_size, size_t most)
{
    afl_state *s = state;
    if (s->out == NULL || most > s->capacity) {
        s->out = mutator_realloc(s->out, most);
        s->capacity = most;
    }
    *out = s->out;
    const uint64_t seed = mutator_random_next(&s->random);
    if (other != NULL && other_size != 0 && mutator_random_once_in(&s->random, CROSS_SHARE))
        return mutator_cross(s->mutator, in, size, other, other_size, s->out, most, seed);
    return mutator_mutate(s->mutator, in, size, s->out, most, seed);
}

/* The description of the last mutation, in letters, digits and '_'. */
const char *afl_custom_describe(void *state, size_t most)
{
    afl_state *s = state;
    const char *text = mutator_description(s->mutator);
    size_t length = 0;
    if (most > DESCRIPTION_SIZE - 1)
        most = DESCRIPTION_SIZE - 1;
    for (; *text != '\0' && length < most; text++) {
        if (isalnum((unsigned char)*text))
            s->description[length++] = *text;
        else if (length != 0 && s->description[length - 1] != '_')
            s->description[length++] = '_';
    }
    if (length != 0 && s->description[length - 1] == '_')
        length--;
    s->description[length] = '\0';
    return s->description;
}

/* Makes the next candidate. Returns the step for AFL++: less than `steps` if there is a candidate. */
static int32_t draw(afl_state *s)
{
    s->candidate_size = s->step < s->steps ? minimise_trim_next(s->trim, &s->candidate) : 0;
    return s->candidate_size != 0 ? s->step : s->steps;
}

/* The number of steps; 0 if nothing can be removed. */
int32_t afl_custom_init_trim(void *state, uint8_t *in, size_t size)
{
    afl_state *s = state;
    const size_t steps = minimise_trim_begin(s->trim, in, size);
    s->steps = steps < TRIM_STEPS_MAX ? (int32_t)steps : TRIM_STEPS_MAX;
    s->step = 0;
    return draw(s) < s->steps ? s->steps : 0;
}

size_t afl_custom_trim(void *state, uint8_t **candidate)
{
    afl_state *s = state;
    /* AFL++ only reads the candidate, although its type is not const. */
    union {
        const uint8_t *drawn;
        uint8_t *given;
    } at = {s->candidate};
    *candidate = at.given;
    return s->candidate_size;
}

int32_t afl_custom_post_trim(void *state, uint8_t holds)
{
    afl_state *s = state;
    minimise_trim_tell(s->trim, holds != 0);
    s->step++;
    return draw(s);
}
