/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `patch …`: the one change of the laid-out file.
 */
#ifndef ETLPROOF_PATCH_STATEMENT_H
#define ETLPROOF_PATCH_STATEMENT_H

#include "recipe/vector_block.h"

/* Parses what follows the word `patch`. */
void build_patch_statement(build_vector_parser *v);

#endif
