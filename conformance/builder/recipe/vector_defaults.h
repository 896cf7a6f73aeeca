/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `source`, `rule`, `metadata` and `level`, which hold for the vectors that follow in their block.
 */
#ifndef ETLPROOF_VECTOR_DEFAULTS_H
#define ETLPROOF_VECTOR_DEFAULTS_H

#include "recipe/recipe_parser.h"

/* Parses one of the four statements; false if the current token starts none of them. */
bool build_vector_default(build_parser *p);

#endif
