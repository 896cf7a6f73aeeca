/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a recipe, by its statements. What is no recipe is edited by the words that it has, up to the first that is none.
 */
#ifndef ETLPROOF_MUTATOR_RECIPE_STATEMENTS_H
#define ETLPROOF_MUTATOR_RECIPE_STATEMENTS_H

#include "edit.h"

/* Changes `size` bytes in place, which may become more, up to `edit->most`, or less. Returns how many they are then. */
size_t mutator_statements_change(mutator_edit *edit, uint8_t *bytes, size_t size);

/* The same; a statement of `other`, which may not overlap, is put in. */
size_t mutator_statements_cross(mutator_edit *edit, uint8_t *bytes, size_t size, const uint8_t *other, size_t other_size);

#endif
