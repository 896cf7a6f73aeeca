/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that a `repeat` takes from the tables: header_types(), and for structures in memory layouts(…), members(…), bits(…)
 * and spare_bits(…).
 */
#ifndef ETLPROOF_TABLE_LISTS_H
#define ETLPROOF_TABLE_LISTS_H

#include "recipe/recipe_parser.h"

/* If such a list is next, takes it: `*count` elements of `width` values each. False if the next word is no such list. */
bool build_table_list(build_parser *p, size_t width, build_value **values, size_t *count);

#endif
