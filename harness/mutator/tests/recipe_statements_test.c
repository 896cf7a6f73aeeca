/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an empty input, edits of statements reach recipes that the builder accepts, and every phrase occurs in some of them.
 * mutate_test.c checks the bounds of mutants.
 */
#include "recipe_statements.h"

#include <stdio.h>

#include "mutator.h"
#include "recipe/recipe.h"
#include "test.h"

enum { MOST = 4096, STEPS = 24000, WALK_MOST = 500 };

static bool ignore(void *context, const build_vector *made)
{
    (void)context;
    (void)made;
    return true;
}

/* Whether the builder accepts the text; it needs a group for the rules. */
static bool is_recipe(const uint8_t *bytes, size_t size)
{
    build_recipe_error error;
    return build_recipe_read((const char *)bytes, size, "size/walk.recipe", BUILD_RECIPE_WORK_MAX, ignore, NULL, &error);
}

static const char *const phrases[] = {
#define MUTATOR_PHRASE(kind, text) text,
#include "recipe_phrases.def"
};
enum { PHRASES = sizeof phrases / sizeof phrases[0] };

/* The longest run of a phrase without <words>. */
static size_t find_plain(const char *phrase, const char **start)
{
    size_t longest = 0;
    while (*phrase != '\0') {
        const size_t size = strcspn(phrase, "<");
        if (size > longest) {
            longest = size;
            *start = phrase;
        }
        phrase += size;
        phrase += *phrase == '<' ? strcspn(phrase, ">") + 1 : 0;
    }
    return longest;
}

static bool has(const uint8_t *text, size_t size, const char *part, size_t part_size)
{
    for (size_t at = 0; at + part_size <= size; at++)
        if (memcmp(text + at, part, part_size) == 0)
            return true;
    return false;
}

/* A walk from an empty input, one mutation a step, that continues from valid recipes; counts how many have each phrase. */
static size_t walk(mutator_core *mutator, size_t seen[PHRASES])
{
    static uint8_t now[MOST], next[MOST];
    size_t size = 0, recipes = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        const size_t next_size = mutator_mutate(mutator, now, size, next, MOST, step);
        if (!is_recipe(next, next_size))
            continue;
        recipes++;
        for (size_t i = 0; i < PHRASES; i++) {
            const char *plain = NULL;
            const size_t plain_size = find_plain(phrases[i], &plain);
            if (plain_size == 0) /* only of other phrases */
                seen[i]++;
            else
                seen[i] += has(next, next_size, plain, plain_size);
        }
        size = next_size < WALK_MOST ? next_size : 0;
        memcpy(now, next, size);
    }
    return recipes;
}

int main(void)
{
    mutator_core *mutator = mutator_new(INPUT_RECIPE);
    size_t seen[PHRASES] = {0};
    const size_t recipes = walk(mutator, seen);
    printf("%zu of %d mutants are recipes\n", recipes, STEPS);
    CHECK(recipes > STEPS / 10);
    for (size_t i = 0; i < PHRASES; i++) {
        printf("%6zu with %s\n", seen[i], phrases[i]);
        CHECK(seen[i] > 0);
    }
    mutator_free(mutator);
    return test_result();
}
