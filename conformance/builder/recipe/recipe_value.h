/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_value: what an expression of a recipe evaluates to.
 */
#ifndef ETLPROOF_RECIPE_VALUE_H
#define ETLPROOF_RECIPE_VALUE_H

#include "model/model.h"

typedef enum build_value_kind { BUILD_VALUE_NUMBER, BUILD_VALUE_TEXT, BUILD_VALUE_BYTES } build_value_kind;

/* A number may be a place: an offset in the file, or in the inflated bytes of `inflated`. */
typedef struct build_value {
    build_value_kind kind;
    uint64_t number;
    const build_model_buffer *inflated; /* of a laid-out trace; other copies have it under the same name */
    uint8_t *bytes;                     /* of TEXT too, followed by a NUL */
    size_t size;
} build_value;

static inline build_value build_value_of_number(uint64_t number)
{
    const build_value value = {.kind = BUILD_VALUE_NUMBER, .number = number};
    return value;
}

#endif
