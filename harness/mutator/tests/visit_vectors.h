/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs for tests of the mutator: the golden vectors, the regressions, recipes, and parts of the files.
 */
#ifndef ETLPROOF_TEST_MUTATOR_VISIT_VECTORS_H
#define ETLPROOF_TEST_MUTATOR_VISIT_VECTORS_H

#include "draft.h"

/* An input; its bytes have an allocation of their own, so that a sanitizer detects a read past them. */
typedef struct vector {
    const char *path;
    input_kind input;
    const uint8_t *bytes;
    size_t size;
} vector;

typedef void vector_visitor(const vector *v, void *state);

/* Calls `visit` with each .etl and .recipe file in the directories, in the order of their names. Returns their number. */
size_t visit_files(int count, char **directories, vector_visitor *visit, void *state);

/* Calls `visit` with parts of the file, of every kind that it has, as targets for parts take them. Returns their number. */
size_t visit_parts(const vector *file, vector_visitor *visit, void *state);

#endif
