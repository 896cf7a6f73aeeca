/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loop variables: {name} and {name:02x} in ids and strings.
 */
#ifndef ETLPROOF_INTERPOLATION_H
#define ETLPROOF_INTERPOLATION_H

#include "recipe/recipe_parser.h"

/* The innermost loop variable of that name; NULL if there is none. */
const build_loop_variable *build_loop_variable_find(const build_parser *p, const char *name, size_t size);
/* The id of a vector with its variables filled in; their capitals, "." and "_" become small letters and "-". */
char *build_interpolate_id(build_parser *p, const build_token *word);
/* A string with its variables filled in and its escapes resolved. */
build_value build_interpolate_string(build_parser *p, const build_token *string);

#endif
