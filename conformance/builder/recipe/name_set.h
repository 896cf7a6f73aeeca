/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds to the names of the trace that is being read.
 */
#ifndef ETLPROOF_NAME_SET_H
#define ETLPROOF_NAME_SET_H

#include "recipe/recipe_parser.h"

/* False if the set has the name. `name` must live as long as the set, which lives as long as the arena. */
bool build_name_set_add(build_parser *p, build_name_set *set, const char *name);

#endif
