/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of a function that makes bytes, with its arguments: what byte_functions.c hands to the function.
 */
#ifndef ETLPROOF_BYTE_CALL_H
#define ETLPROOF_BYTE_CALL_H

#include "recipe/byte_functions.h"

enum { BUILD_CALL_ARGUMENTS_MAX = 256 };

typedef struct build_call {
    build_parser *parser;
    const build_token *name;
    const build_token **tokens; /* where each argument starts */
    build_value *arguments;
    size_t count;
} build_call;

/* Each of these fails at the argument, or at the name, if the call does not have what is asked for. */
void build_call_need_count(const build_call *c, size_t least, size_t most);
/* A number of at most `size` bytes. */
uint64_t build_call_number(const build_call *c, size_t i, size_t size);
const build_value *build_call_text(const build_call *c, size_t i);
/* Bytes; `expected` says which, such as "field(name, type)". */
const build_value *build_call_bytes(const build_call *c, size_t i, const char *expected);
void build_call_guid(const build_call *c, size_t i, uint8_t guid[BUILD_GUID_BYTES]);

/* Makes `*value` of `size` zero bytes and returns these. */
uint8_t *build_call_reserve(const build_call *c, build_value *value, size_t size);
/* Stores a number, its low byte first. */
void build_call_put(uint8_t *to, uint64_t value, size_t size);

#endif
