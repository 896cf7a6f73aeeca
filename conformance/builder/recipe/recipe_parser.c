/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens, errors and memory of a recipe that is being parsed. Called by all other files of this folder.
 */
#include "recipe/recipe_parser.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "recipe/growing_list.h"

enum { QUOTED_MAX = 60 }; /* bytes of a token that a message quotes */

struct build_arena_block {
    build_arena_block *before;
    size_t used_before; /* bytes */
    max_align_t bytes[];
};

/* Errors. */

/* Messages go to terminals and logs; a broken recipe may hold control characters. */
static void clean(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void build_parser_fail(build_parser *p, const build_token *at, const char *format, ...)
{
    va_list arguments;
    *p->error = (build_recipe_error){.line = at->line, .column = at->column};
    va_start(arguments, format);
    (void)vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
    clean(p->error->text);
    longjmp(p->failed, 1);
}

void build_parser_stop(build_parser *p)
{
    *p->error = (build_recipe_error){0};
    longjmp(p->failed, 1);
}

void build_parser_expected_at(build_parser *p, const build_token *at, const char *what)
{
    if (at->kind == BUILD_TOKEN_END)
        build_parser_fail(p, at, "expected %s, found the end of the recipe", what);
    const char *quote = at->kind == BUILD_TOKEN_STRING ? "" : "\"";
    const int size = (int)(at->size < QUOTED_MAX ? at->size : QUOTED_MAX);
    build_parser_fail(p, at, "expected %s, found %s%.*s%s", what, quote, size, at->text, quote);
}

void build_parser_expected(build_parser *p, const char *what)
{
    build_parser_expected_at(p, p->at, what);
}

/* Memory. */

void build_parser_count_work(build_parser *p, size_t size)
{
    if (size > p->work_max - p->work)
        build_parser_fail(p, p->at, "expected a recipe that makes at most %u MiB, found one that makes more",
                          (unsigned)(p->work_max >> 20));
    p->work += size;
}

void build_parser_count_memory(build_parser *p, size_t size)
{
    if (size > BUILD_RECIPE_MEMORY_MAX - p->memory_used)
        build_parser_fail(p, p->at, "expected a recipe that needs at most 256 MiB, found one that needs more");
    build_parser_count_work(p, size);
    p->memory_used += size;
}

void *build_parser_allocate(build_parser *p, size_t size)
{
    const size_t used = p->memory_used;
    build_parser_count_memory(p, size);
    build_arena_block *block = calloc(1, sizeof *block + size + 1);
    if (block == NULL)
        abort();
    block->before = p->arena;
    block->used_before = used;
    p->arena = block;
    return block->bytes;
}

build_arena_block *build_parser_mark(const build_parser *p)
{
    return p->arena;
}

void build_parser_release(build_parser *p, build_arena_block *mark)
{
    while (p->arena != mark) {
        build_arena_block *before = p->arena->before;
        p->memory_used = p->arena->used_before;
        free(p->arena);
        p->arena = before;
    }
}

char *build_parser_copy(build_parser *p, const char *text, size_t size)
{
    char *copy = build_parser_allocate(p, size);
    memcpy(copy, text, size);
    return copy;
}

void *build_parser_grow(build_parser *p, void *list, size_t count, size_t size)
{
    if (!build_growing_list_is_full(count))
        return list;
    void *grown = build_parser_allocate(p, build_growing_list_capacity(count) * size);
    if (count != 0)
        memcpy(grown, list, count * size);
    return grown;
}

build_model *build_parser_keep_model(build_parser *p, build_model *model)
{
    p->models = build_growing_list_grow(p->models, p->model_count, sizeof *p->models);
    return p->models[p->model_count++] = model;
}

void build_parser_drop_model(build_parser *p, build_model *model)
{
    for (size_t i = p->model_count; i-- > 0;) {
        if (p->models[i] != model)
            continue;
        p->models[i] = p->models[--p->model_count];
        build_model_free(model);
        return;
    }
}

/* Tokens. */

bool build_token_is(const build_token *token, const char *text)
{
    return (token->kind == BUILD_TOKEN_WORD || token->kind == BUILD_TOKEN_SIGN) && token->size == strlen(text) &&
           memcmp(token->text, text, token->size) == 0;
}

build_position build_token_position(const build_token *token)
{
    return (build_position){token->line, token->column};
}

bool build_parser_is(const build_parser *p, const char *word_or_sign)
{
    return build_token_is(p->at, word_or_sign);
}

bool build_parser_take(build_parser *p, const char *word_or_sign)
{
    if (!build_parser_is(p, word_or_sign))
        return false;
    p->at++;
    return true;
}

void build_parser_need(build_parser *p, const char *word_or_sign)
{
    char what[32];
    (void)snprintf(what, sizeof what, "\"%s\"", word_or_sign);
    if (!build_parser_take(p, word_or_sign))
        build_parser_expected(p, what);
}

const build_token *build_parser_word(build_parser *p, const char *what)
{
    if (p->at->kind != BUILD_TOKEN_WORD)
        build_parser_expected(p, what);
    return p->at++;
}

char *build_parser_words(build_parser *p, const char *sign, const char *what)
{
    const build_token *from = build_parser_word(p, what);
    while (build_parser_take(p, sign))
        (void)build_parser_word(p, what);
    return build_parser_source(p, from, p->at);
}

char *build_parser_source(build_parser *p, const build_token *from, const build_token *end)
{
    const build_token *last = end - 1;
    char *source = build_parser_allocate(p, (size_t)(last->text + last->size - from->text));
    size_t to = 0;
    for (const build_token *t = from; t < end; t++) {
        if (t != from && t->text != t[-1].text + t[-1].size)
            source[to++] = ' ';
        memcpy(source + to, t->text, t->size);
        to += t->size;
    }
    return source;
}

void build_parser_enter(build_parser *p, const build_token *at)
{
    if (++p->depth > BUILD_RECIPE_DEPTH_MAX)
        build_parser_fail(p, at, "expected at most %d blocks, parentheses or signs in one another, found more",
                          BUILD_RECIPE_DEPTH_MAX);
}

void build_parser_leave(build_parser *p)
{
    p->depth--;
}
