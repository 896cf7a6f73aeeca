/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements about the expected decode: findings, and nodes that are not decoded as they were built.
 */
#ifndef ETLPROOF_CLAIM_STATEMENTS_H
#define ETLPROOF_CLAIM_STATEMENTS_H

#include "recipe/vector_block.h"

/* Each parses what follows the word of the statement. */
void build_claim_finding(build_vector_parser *v);
void build_claim_lost(build_vector_parser *v);
void build_claim_opaque(build_vector_parser *v);
void build_claim_must(build_vector_parser *v);
void build_claim_should(build_vector_parser *v);
void build_claim_events(build_vector_parser *v);
void build_claim_expect(build_vector_parser *v);
void build_claim_region(build_vector_parser *v);

/* A value as JSON text; NULL for `absent`. */
char *build_claim_json(build_parser *p);
/* Claims that the field of the record of a node is `value`, or absent. All texts are in the parser's memory. */
void build_claim_field(build_vector_parser *v, char *node, char *field, char *value);

#endif
