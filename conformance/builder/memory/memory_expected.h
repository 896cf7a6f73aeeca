/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file and the expected decode of a vector of a structure in memory: its members as written, and the findings that the
 * recipe claims.
 */
#ifndef ETLPROOF_MEMORY_EXPECTED_H
#define ETLPROOF_MEMORY_EXPECTED_H

#include "model/vector.h"

/* As build_expected_decode, for a vector with `memory`. */
bool build_memory_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                                  build_chunk *image, build_chunk *json, const char **why, build_position *where);

/*
 * Applies the vector's patch to a copy of its structure; `*left` is the number of bytes that remain. False with `*why` set
 * if the patch moves bytes or lies outside the structure.
 */
bool build_memory_patch(const build_vector *vector, build_memory *patched, uint32_t *left, const char **why);

#endif
