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
    ETL_TOKEN_STRING, /* `text` is between the quotes, escapes as they are */
    ETL_TOKEN_SIGN,   /* one of { } ( ) , = . + - * / % | & ^ ~ or two of them: .. ++ << >> */
    ETL_TOKEN_END
} etl_token_kind;

typedef struct etl_token {
    etl_token_kind kind;
    const char *text; /* in the recipe, not terminated */
    size_t size;
    uint64_t number;
    uint32_t line, column; /* from 1 */
} etl_token;

typedef struct etl_tokens {
    etl_token *at;
    size_t count; /* the last one is END */
} etl_tokens;

/* All tokens of a text, which has to live as long as they do. False with `error` set at the first that is none. */
bool etl_lex(const char *text, size_t size, etl_tokens *tokens, etl_recipe_error *error);

#endif
