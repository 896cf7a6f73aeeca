/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `trace { … }`: the valid trace that vectors start from.
 */
#ifndef ETLPROOF_TRACE_BLOCK_H
#define ETLPROOF_TRACE_BLOCK_H

#include "recipe/recipe_parser.h"

/* Parses the body of `trace` to a model that is not laid out yet. */
build_model *build_trace_block(build_parser *p);
/* Fails at `at` if no file can hold the laid-out trace. */
void build_trace_check(build_parser *p, const build_token *at, const build_model *laid_out);

#endif
