/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipe text to vectors. The language is described in recipes/README.md.
 */
#ifndef ETLPROOF_RECIPE_H
#define ETLPROOF_RECIPE_H

#include "model/vector.h"

/* What is wrong with a recipe, and where. */
typedef struct build_recipe_error {
    uint32_t line, column; /* from 1 */
    char text[256];        /* "expected a number, found \"victim\"" */
} build_recipe_error;

/* Bytes of all that a recipe ever makes, one after the other. What takes time counts as those it could make meanwhile. */
#define BUILD_RECIPE_WORK_MAX UINT64_C(0x40000000)

/* Takes one vector; it is freed after the call. False stops the reading. */
typedef bool (*build_recipe_sink)(void *context, const build_vector *vector);

/*
 * Reads a recipe and gives its vectors in order. `name` is "GROUP/FAMILY.recipe"; GROUP has to be the group of every rule
 * in it. `work` is what the recipe may make, in bytes: whole MiB, up to BUILD_RECIPE_WORK_MAX. False with `error` set if
 * the recipe is broken, or makes more; vectors before the fault have been given. False with line 0 if the sink said stop.
 */
bool build_recipe_read(const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink,
                       void *context, build_recipe_error *error);

#endif
