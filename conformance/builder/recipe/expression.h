/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions, and the checks of what they evaluate to.
 */
#ifndef ETLPROOF_EXPRESSION_H
#define ETLPROOF_EXPRESSION_H

#include "recipe/recipe_parser.h"

build_value build_expression(build_parser *p);
uint64_t build_expression_number(build_parser *p);
/* A number that fits in `size` bytes, signed or unsigned. */
uint64_t build_expression_number_of(build_parser *p, size_t size);
/* A number that is a place of the trace, or a plain file offset. */
build_place build_expression_place(build_parser *p);
/* `A .. B`: two places in the same bytes, B not before A. */
void build_expression_places(build_parser *p, build_place *from, build_place *to);
build_value build_expression_bytes(build_parser *p);
/* A string without NUL, in the parser's memory. */
char *build_expression_text(build_parser *p);
/* Fail at `at` if the value is not a number, or the number does not fit in `size` bytes (not checked while skipping). */
void build_expression_need_number(build_parser *p, const build_token *at, const build_value *value);
void build_expression_need_fit(build_parser *p, const build_token *at, uint64_t number, size_t size);
/* "a number", "a text" or "bytes", for messages. */
const char *build_expression_kind(const build_value *value);

#endif
