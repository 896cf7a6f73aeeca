/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipe text to words, numbers, strings and signs.
 */
#ifndef ETLPROOF_LEXER_H
#define ETLPROOF_LEXER_H

#include "recipe.h"

typedef enum etl_token_kind {
    ETL_TOKEN_WORD,   /* a name, or a rule such as SIZ-001 */
    ETL_TOKEN_NUMBER,
    ETL_TOKEN_STRING, /* with its quotes, escapes and {variables} as they are */
    ETL_TOKEN_SIGN,   /* one of { } ( ) [ ] , = . + - * / % | & ^ ~ or two of them: .. ++ << >> */
    ETL_TOKEN_END
} etl_token_kind;

typedef struct etl_token {
    etl_token_kind kind;
    const char *text; /* in the recipe, not terminated; of END, its end */
    size_t size;
    uint64_t number;
    uint32_t line, column; /* from 1; columns count bytes */
} etl_token;

typedef struct etl_tokens {
    etl_token *at;
    size_t count; /* the last one is END */
} etl_tokens;

/*
 * All tokens of a text, which has to live as long as they do. The caller frees `tokens->at`, whatever is returned. False
 * with `error` set at the first thing that is no token.
 */
bool etl_lex(const char *text, size_t size, etl_tokens *tokens, etl_recipe_error *error);

/* What a digit of base 16 or less stands for; ETL_NO_DIGIT if it is none. */
enum { ETL_NO_DIGIT = 16 };
unsigned etl_lex_digit(char c);

#endif
