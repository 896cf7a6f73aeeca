/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is expected of a structure in memory: its members as they were written, and the findings that the recipe claims.
 */
#ifndef ETLPROOF_DUMP_EXPECT_H
#define ETLPROOF_DUMP_EXPECT_H

#include "vector.h"

/* As etl_expect_vector, of a vector that has a `dump`. */
bool etl_dump_expect(const etl_vector *vector, void (*sha256)(const etl_chunk *image, char hex[65]), etl_chunk *image,
                     etl_chunk *json, const char **why, etl_spot *where);

/* The structure with the patch in it, and how many bytes of it are left. False with `*why` set if the patch is none that a
   structure can have, or lies outside it. */
bool etl_dump_patch(const etl_vector *vector, etl_dump *patched, uint32_t *left, const char **why);

#endif
