/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `vector ID { … }`: one vector.
 */
#ifndef ETLPROOF_VECTOR_BLOCK_H
#define ETLPROOF_VECTOR_BLOCK_H

#include "recipe/recipe_parser.h"

/* The state of a vector that is being parsed. */
typedef struct build_vector_parser {
    build_parser *parser;
    const build_token *id_at;
    build_vector vector;
    build_model *base;    /* a copy of the trace, not laid out, which `set` changes */
    build_memory *memory; /* or of the structure in memory */
    bool has_verdict;
    const build_token *patch_at; /* NULL: no patch yet */
} build_vector_parser;

/* Parses what follows the word `vector`, and gives the vector to the sink. */
void build_vector_block(build_parser *p);

#endif
