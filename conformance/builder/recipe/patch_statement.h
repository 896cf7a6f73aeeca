/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `patch …`: the change of the laid-out file, and `also …`: further changes of its bytes.
 */
#ifndef ETLPROOF_PATCH_STATEMENT_H
#define ETLPROOF_PATCH_STATEMENT_H

#include "recipe/vector_block.h"

/* Parses what follows the word `patch`. */
void build_patch_statement(build_vector_parser *v);

/* Parses what follows the word `also`. */
void build_also_statement(build_vector_parser *v);

#endif
