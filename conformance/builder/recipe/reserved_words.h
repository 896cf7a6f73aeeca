/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that end a list of names in a vector, or that no node of a trace may have as its name.
 */
#ifndef ETLPROOF_RESERVED_WORDS_H
#define ETLPROOF_RESERVED_WORDS_H

#include "recipe/recipe_parser.h"

/* Whether the word starts a statement of a vector. */
bool build_is_vector_statement(const build_token *word);
/* Whether a node may not have this name: it would read like a statement, a table or a record. */
bool build_is_reserved_word(const build_token *name);

#endif
