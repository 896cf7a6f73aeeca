/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_token: words, numbers, strings and signs of a recipe.
 */
#ifndef ETLPROOF_LEXER_H
#define ETLPROOF_LEXER_H

#include "recipe/recipe.h"

typedef enum build_token_kind {
    BUILD_TOKEN_WORD, /* a name, or a rule such as SIZ-001 */
    BUILD_TOKEN_NUMBER,
    BUILD_TOKEN_STRING, /* with its quotes; escapes and {variables} are not resolved */
    BUILD_TOKEN_SIGN,   /* one of { } ( ) [ ] , = . + - * / % | & ^ ~ or two of them: .. ++ << >> */
    BUILD_TOKEN_END
} build_token_kind;

typedef struct build_token {
    build_token_kind kind;
    const char *text; /* within the recipe, without NUL; for END, its end */
    size_t size;
    uint64_t number;
    uint32_t line, column; /* from 1; columns count bytes */
} build_token;

typedef struct build_tokens {
    build_token *at;
    size_t count; /* the last one is END */
} build_tokens;

/*
 * Splits a text, which must live as long as its tokens. The caller frees `tokens->at` in either case. False with `error`
 * set at the first character that starts no token.
 */
bool build_lex(const char *text, size_t size, build_tokens *tokens, build_recipe_error *error);

/* The value of a hexadecimal digit; BUILD_NO_DIGIT for other characters. */
enum { BUILD_NO_DIGIT = 16 };
unsigned build_lex_digit(char c);

#endif
