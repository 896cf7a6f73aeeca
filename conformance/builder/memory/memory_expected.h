/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is expected of a structure in memory: its members as they were written, and the findings that the recipe claims.
 */
#ifndef ETLPROOF_DUMP_EXPECT_H
#define ETLPROOF_DUMP_EXPECT_H

#include "model/vector.h"

/* As build_expected_decode, of a vector that has a `dump`. */
bool build_memory_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                                  build_chunk *image, build_chunk *json, const char **why, build_position *where);

/* The structure with the patch in it, and how many bytes of it are left. False with `*why` set if the patch is none that a
   structure can have, or lies outside it. */
bool build_memory_patch(const build_vector *vector, build_memory *patched, uint32_t *left, const char **why);

#endif
