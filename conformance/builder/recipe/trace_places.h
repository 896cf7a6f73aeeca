/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the trace as places: nodes, their members, and functions of them such as end(victim).
 */
#ifndef ETLPROOF_TRACE_PLACES_H
#define ETLPROOF_TRACE_PLACES_H

#include "recipe/recipe_parser.h"

/* The node of that name in the laid-out trace; fails if there is none. */
build_model_node build_place_node(build_parser *p, const build_token *name);
/* Where the node starts; 0 while skipping. */
build_value build_place_start(build_parser *p, const build_model_node *node);
/* Takes ".MEMBER" after a node: sets the member's path and place, and returns its structure. NULL while skipping. */
build_structure *build_place_of_member(build_parser *p, const build_model_node *node, const char **member,
                                       build_value *place);
/* Fails at `at`: the node has no such member. Does not return. */
BUILD_NO_RETURN void build_place_fail_no_member(build_parser *p, const build_token *at, const build_model_node *node,
                                                const char *member);
/* Calls the function of that name; the current token is its "(". False if there is no such function. */
bool build_place_function(build_parser *p, const build_token *name, build_value *value);

#endif
