/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that make bytes, such as hex("01 02") and u32(7).
 */
#ifndef ETLPROOF_BYTE_FUNCTIONS_H
#define ETLPROOF_BYTE_FUNCTIONS_H

#include "recipe/recipe_parser.h"

enum { BUILD_GUID_BYTES = 16 };

/* Calls the function of that name; the current token is its "(". False if there is no such function. */
bool build_byte_function(build_parser *p, const build_token *name, build_value *value);
/* A new value of `size` zero bytes; fails at `at` if they are too many. */
build_value build_byte_value_make(build_parser *p, const build_token *at, size_t size);
/* The GUID of 16 bytes or of a text such as "68fdd900-4a3e-11d1-84f4-0000f80464e3"; fails at `at` on other values. */
void build_value_to_guid(build_parser *p, const build_token *at, const build_value *value, uint8_t guid[BUILD_GUID_BYTES]);

#endif
