/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a recipe, by its statements. Text that is not a recipe is edited by its words, up to the first invalid one.
 */
#ifndef ETLPROOF_MUTATOR_RECIPE_STATEMENTS_H
#define ETLPROOF_MUTATOR_RECIPE_STATEMENTS_H

#include "edit.h"

/* Changes `size` bytes in place; they may become fewer, or more up to `edit->most`. Returns the new size. */
size_t mutator_statements_change(mutator_edit *edit, uint8_t *bytes, size_t size);

/* The same with a statement of `other`, which must not overlap, inserted. */
size_t mutator_statements_cross(mutator_edit *edit, uint8_t *bytes, size_t size, const uint8_t *other, size_t other_size);

#endif
