/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `MEMBER = value` of a node of the trace.
 */
#ifndef ETLPROOF_ASSIGNMENT_H
#define ETLPROOF_ASSIGNMENT_H

#include "recipe/recipe_parser.h"

/* Parses an assignment and sets the member of a structure, or a property such as `data`. */
void build_assign(build_parser *p, const build_model_node *node);
/* Sets a member of a structure; fails at `at` if the value does not fit. */
void build_assign_member(build_parser *p, const build_token *at, build_structure *structure, const char *member,
                         const build_value *value);

#endif
