/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fields`: what the payload of an event holds, as the records print it.
 */
#ifndef ETLPROOF_FIELD_STATEMENT_H
#define ETLPROOF_FIELD_STATEMENT_H

#include "recipe/vector_block.h"

/* Parses what follows the word. */
void build_field_statement(build_vector_parser *v);

#endif
