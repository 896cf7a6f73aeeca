/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits the text of a recipe into tokens. Called at the start of a recipe, and by the mutator, which compiles this file
 * alone.
 */
#include "recipe/lexer.h"

#include <stdio.h>
#include <string.h>

#include "recipe/growing_list.h"

typedef struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    build_tokens *tokens;
    build_recipe_error *error;
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7F;
}

static uint32_t column_of(const lexer *l, const char *at)
{
    return (uint32_t)(at - l->line_start) + 1;
}

static bool fail(const lexer *l, const char *at, const char *text)
{
    *l->error = (build_recipe_error){.line = l->line, .column = column_of(l, at)};
    (void)snprintf(l->error->text, sizeof l->error->text, "expected %s", text);
    return false;
}

/* Fails with the byte in the message, as a number if it is not printable. */
static bool fail_on_byte(const lexer *l, const char *at, const char *what)
{
    char text[128];
    const unsigned byte = (unsigned char)*at;
    if (byte > ' ' && byte < 0x7F)
        (void)snprintf(text, sizeof text, "%s, found '%c'", what, *at);
    else
        (void)snprintf(text, sizeof text, "%s, found byte 0x%02x", what, byte);
    return fail(l, at, text);
}

static void add(lexer *l, build_token_kind kind, const char *at, size_t size, uint64_t number)
{
    l->tokens->at = build_growing_list_grow(l->tokens->at, l->tokens->count, sizeof *l->tokens->at);
    l->tokens->at[l->tokens->count++] = (build_token){kind, at, size, number, l->line, column_of(l, at)};
}

/* Spaces and comments. */
static void skip_blank(lexer *l)
{
    for (; l->at < l->end && (is_blank(*l->at) || *l->at == '#'); l->at++) {
        if (*l->at == '#')
            while (l->at + 1 < l->end && l->at[1] != '\n')
                l->at++;
        if (*l->at == '\n') {
            l->line++;
            l->line_start = l->at + 1;
        }
    }
}

/* SIZ-001 is one word, unlike SIZ - 1. */
static size_t rule_size(const lexer *l)
{
    const char *s = l->at;
    const bool shaped = l->end - s >= 7 && is_capital(s[0]) && is_capital(s[1]) && is_capital(s[2]) && s[3] == '-' &&
                        is_digit(s[4]) && is_digit(s[5]) && is_digit(s[6]);
    return shaped && (l->end - s == 7 || (!is_digit(s[7]) && !is_letter(s[7]))) ? 7 : 0;
}

static bool lex_word(lexer *l)
{
    const char *start = l->at;
    l->at += rule_size(l);
    while (l->at < l->end && (is_letter(*l->at) || is_digit(*l->at)))
        l->at++;
    add(l, BUILD_TOKEN_WORD, start, (size_t)(l->at - start), 0);
    return true;
}

unsigned build_lex_digit(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : BUILD_NO_DIGIT;
}

static bool lex_number(lexer *l)
{
    const char *start = l->at;
    const bool is_hex =
        l->end - start > 2 && start[0] == '0' && start[1] == 'x' && build_lex_digit(start[2]) != BUILD_NO_DIGIT;
    const unsigned base = is_hex ? 16 : 10;
    uint64_t number = 0;
    l->at += is_hex ? 2 : 0;
    for (; l->at < l->end && (is_letter(*l->at) || is_digit(*l->at)); l->at++) {
        const unsigned digit = build_lex_digit(*l->at);
        if (digit >= base)
            return fail_on_byte(l, l->at, "a digit of the number");
        if (number > (UINT64_MAX - digit) / base)
            return fail(l, start, "a number of at most 64 bits, found a larger one");
        number = number * base + digit;
    }
    add(l, BUILD_TOKEN_NUMBER, start, (size_t)(l->at - start), number);
    return true;
}

static bool lex_string(lexer *l)
{
    const char *start = l->at++;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n') {
        if (is_control(*l->at))
            return fail_on_byte(l, l->at, "a string of printable characters");
        l->at += *l->at == '\\' && l->end - l->at > 1 && !is_control(l->at[1]) ? 2 : 1;
    }
    if (l->at >= l->end || *l->at != '"')
        return fail(l, start, "a string that ends on its line, found no closing quote");
    l->at++;
    add(l, BUILD_TOKEN_STRING, start, (size_t)(l->at - start), 0);
    return true;
}

static bool lex_sign(lexer *l)
{
    static const char *const pairs[] = {"..", "++", "<<", ">>"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (l->end - l->at < 2 || memcmp(l->at, pairs[i], 2) != 0)
            continue;
        add(l, BUILD_TOKEN_SIGN, l->at, 2, 0);
        l->at += 2;
        return true;
    }
    if (*l->at == '\0' || strchr("{}()[],=.+-*/%|&^~", *l->at) == NULL)
        return fail_on_byte(l, l->at, "a word, a number, a string or a sign");
    add(l, BUILD_TOKEN_SIGN, l->at++, 1, 0);
    return true;
}

/* A name with signs in it follows these words: the id of a vector with its {variables}, a flag, an action. */
static bool raw_follows(const lexer *l)
{
    static const char *const words[] = {"vector", "either", "does"};
    if (l->tokens->count == 0)
        return false;
    const build_token *last = &l->tokens->at[l->tokens->count - 1];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (last->kind == BUILD_TOKEN_WORD && last->size == strlen(words[i]) &&
            memcmp(last->text, words[i], last->size) == 0)
            return true;
    return false;
}

static bool lex_raw(lexer *l)
{
    const char *start = l->at;
    for (; l->at < l->end && !is_blank(*l->at); l->at++)
        if (is_control(*l->at))
            return fail_on_byte(l, l->at, "a name");
    add(l, BUILD_TOKEN_WORD, start, (size_t)(l->at - start), 0);
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

bool build_lex(const char *text, size_t size, build_tokens *tokens, build_recipe_error *error)
{
    lexer l = {text, text + size, text, 1, tokens, error};
    *tokens = (build_tokens){NULL, 0};
    for (skip_blank(&l); l.at < l.end; skip_blank(&l))
        if (!lex_one(&l))
            return false;
    add(&l, BUILD_TOKEN_END, l.at, 0, 0);
    return true;
}
