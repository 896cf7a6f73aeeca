/* SPDX-License-Identifier: Apache-2.0 */
#include "lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    etl_tokens *tokens;
    size_t room;
    etl_recipe_error *error;
} lexer;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static uint32_t column_of(const lexer *l, const char *at)
{
    return (uint32_t)(at - l->line_start) + 1;
}

static bool fail(const lexer *l, const char *at, const char *text)
{
    *l->error = (etl_recipe_error){.line = l->line, .column = column_of(l, at)};
    (void)snprintf(l->error->text, sizeof l->error->text, "%s", text);
    return false;
}

static void add(lexer *l, etl_token_kind kind, const char *at, size_t size, uint64_t number)
{
    if (l->tokens->count == l->room) {
        l->room = l->room * 2 + 256;
        etl_token *grown = realloc(l->tokens->at, l->room * sizeof *grown);
        if (grown == NULL)
            abort();
        l->tokens->at = grown;
    }
    l->tokens->at[l->tokens->count++] = (etl_token){kind, at, size, number, l->line, column_of(l, at)};
}

/* Spaces and comments. */
static void skip_blank(lexer *l)
{
    for (; l->at < l->end; l->at++) {
        if (*l->at == '#')
            while (l->at + 1 < l->end && l->at[1] != '\n')
                l->at++;
        else if (*l->at == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        } else if (*l->at != ' ' && *l->at != '\t' && *l->at != '\r')
            return;
    }
}

/* SIZ-001 is one word, where SIZ - 1 would be three. */
static size_t rule_size(const lexer *l)
{
    const char *s = l->at;
    bool shaped = l->end - s >= 7 && is_capital(s[0]) && is_capital(s[1]) && is_capital(s[2]) && s[3] == '-' && is_digit(s[4]) &&
                  is_digit(s[5]) && is_digit(s[6]);
    return shaped && (l->end - s == 7 || (!is_digit(s[7]) && !is_letter(s[7]))) ? 7 : 0;
}

static bool lex_word(lexer *l)
{
    const char *start = l->at;
    size_t size = rule_size(l);
    while (size == 0 && l->at < l->end && (is_letter(*l->at) || is_digit(*l->at)))
        l->at++;
    l->at += size;
    add(l, ETL_TOKEN_WORD, start, (size_t)(l->at - start), 0);
    return true;
}

static int digit_of(char c, int base)
{
    int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
    return digit < base ? digit : -1;
}

static bool lex_number(lexer *l)
{
    const char *start = l->at;
    const int base = l->end - l->at > 2 && l->at[0] == '0' && l->at[1] == 'x' ? 16 : 10;
    uint64_t number = 0;
    l->at += base == 16 ? 2 : 0;
    for (; l->at < l->end && (is_letter(*l->at) || is_digit(*l->at)); l->at++) {
        const int digit = digit_of(*l->at, base);
        if (digit < 0)
            return fail(l, l->at, "expected a digit of the number, found something else");
        if (number > (UINT64_MAX - (unsigned)digit) / (unsigned)base)
            return fail(l, start, "expected a number of 64 bits, found a larger one");
        number = number * (unsigned)base + (unsigned)digit;
    }
    add(l, ETL_TOKEN_NUMBER, start, (size_t)(l->at - start), number);
    return true;
}

static bool lex_string(lexer *l)
{
    const char *start = l->at++;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at += *l->at == '\\' && l->at + 1 < l->end && l->at[1] != '\n' ? 2 : 1;
    if (l->at >= l->end || *l->at != '"')
        return fail(l, start, "expected a string that ends on its line, found no closing quote");
    l->at++;
    add(l, ETL_TOKEN_STRING, start, (size_t)(l->at - start), 0);
    return true;
}

static bool lex_sign(lexer *l)
{
    static const char *const pairs[] = {"..", "++", "<<", ">>"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (l->end - l->at < 2 || memcmp(l->at, pairs[i], 2) != 0)
            continue;
        add(l, ETL_TOKEN_SIGN, l->at, 2, 0);
        l->at += 2;
        return true;
    }
    if (*l->at == '\0' || strchr("{}(),=.+-*/%|&^~:", *l->at) == NULL)
        return fail(l, l->at, "expected a word, a number, a string or a sign, found a character that starts none");
    add(l, ETL_TOKEN_SIGN, l->at++, 1, 0);
    return true;
}

/* After these words comes a name with signs in it: the id of a vector with its {variables}, a flag, an action. */
static bool raw_follows(const lexer *l)
{
    static const char *const words[] = {"vector", "either", "does"};
    if (l->tokens->count == 0)
        return false;
    const etl_token *last = &l->tokens->at[l->tokens->count - 1];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (last->kind == ETL_TOKEN_WORD && last->size == strlen(words[i]) && memcmp(last->text, words[i], last->size) == 0)
            return true;
    return false;
}

static bool lex_raw(lexer *l)
{
    const char *start = l->at;
    while (l->at < l->end && strchr(" \t\r\n", *l->at) == NULL)
        l->at++;
    add(l, ETL_TOKEN_WORD, start, (size_t)(l->at - start), 0);
    return true;
}

static bool lex_one(lexer *l)
{
    if (raw_follows(l))
        return lex_raw(l);
    if (is_letter(*l->at))
        return lex_word(l);
    if (is_digit(*l->at))
        return lex_number(l);
    return *l->at == '"' ? lex_string(l) : lex_sign(l);
}

bool etl_lex(const char *text, size_t size, etl_tokens *tokens, etl_recipe_error *error)
{
    lexer l = {text, text + size, text, 1, tokens, 0, error};
    *tokens = (etl_tokens){NULL, 0};
    for (skip_blank(&l); l.at < l.end; skip_blank(&l))
        if (!lex_one(&l))
            return false;
    add(&l, ETL_TOKEN_END, l.at, 0, 0);
    return true;
}
