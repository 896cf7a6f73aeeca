/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipe text to vectors. The language is described in conformance/recipes/README.md.
 */
#ifndef ETLPROOF_RECIPE_H
#define ETLPROOF_RECIPE_H

#include "model/vector.h"

/* An error in a recipe. */
typedef struct build_recipe_error {
    uint32_t line, column; /* from 1 */
    char text[256];        /* "expected a number, found \"victim\"" */
} build_recipe_error;

/* The most bytes that a recipe may make in all. Slow operations count as the bytes that could be made in their time. */
#define BUILD_RECIPE_WORK_MAX UINT64_C(0x40000000)

/* Takes one vector, which is freed after the call. Returning false stops the parsing. */
typedef bool (*build_recipe_sink)(void *context, const build_vector *vector);

/*
 * Parses a recipe and gives its vectors to the sink, in order. `name` is "GROUP/FAMILY.recipe", and GROUP must be the group
 * of every rule in it. `work` is the most that the recipe may make, in bytes: whole MiB, up to BUILD_RECIPE_WORK_MAX. False
 * with `error` set if the recipe is broken or makes more; vectors before the error have been given. False with line 0 if
 * the sink stopped the parsing.
 */
bool build_recipe_read(const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink,
                       void *context, build_recipe_error *error);

#endif
