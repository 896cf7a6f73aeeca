/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens, faults and memory of a recipe that is being read.
 */
#include "reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "list.h"

enum { QUOTED_MAX = 60 }; /* bytes of a token that a message quotes */

struct build_arena_block {
    build_arena_block *before;
    size_t memory; /* bytes that were taken before it */
    max_align_t bytes[];
};

/* Faults. */

/* A message goes to terminals and logs, and a broken recipe may hold anything. */
static void clean(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void build_reading_fail(build_reading *r, const build_token *at, const char *format, ...)
{
    va_list arguments;
    *r->error = (build_recipe_error){.line = at->line, .column = at->column};
    va_start(arguments, format);
    (void)vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    clean(r->error->text);
    longjmp(r->failed, 1);
}

void build_reading_stop(build_reading *r)
{
    *r->error = (build_recipe_error){0};
    longjmp(r->failed, 1);
}

void build_reading_expected_at(build_reading *r, const build_token *at, const char *what)
{
    if (at->kind == BUILD_TOKEN_END)
        build_reading_fail(r, at, "expected %s, found the end of the recipe", what);
    const char *quote = at->kind == BUILD_TOKEN_STRING ? "" : "\"";
    const int size = (int)(at->size < QUOTED_MAX ? at->size : QUOTED_MAX);
    build_reading_fail(r, at, "expected %s, found %s%.*s%s", what, quote, size, at->text, quote);
}

void build_reading_expected(build_reading *r, const char *what)
{
    build_reading_expected_at(r, r->at, what);
}

/* Memory. */

void build_reading_work(build_reading *r, size_t size)
{
    if (size > r->work_max - r->work)
        build_reading_fail(r, r->at, "expected a recipe that makes at most %u MiB, found one that makes more",
                           (unsigned)(r->work_max >> 20));
    r->work += size;
}

void build_reading_count(build_reading *r, size_t size)
{
    if (size > BUILD_RECIPE_MEMORY_MAX - r->memory)
        build_reading_fail(r, r->at, "expected a recipe that needs at most 256 MiB, found one that needs more");
    build_reading_work(r, size);
    r->memory += size;
}

void *build_reading_memory(build_reading *r, size_t size)
{
    const size_t memory = r->memory;
    build_reading_count(r, size);
    build_arena_block *block = calloc(1, sizeof *block + size + 1);
    if (block == NULL)
        abort();
    block->before = r->arena;
    block->memory = memory;
    r->arena = block;
    return block->bytes;
}

build_arena_block *build_reading_mark(const build_reading *r)
{
    return r->arena;
}

void build_reading_release(build_reading *r, build_arena_block *mark)
{
    while (r->arena != mark) {
        build_arena_block *before = r->arena->before;
        r->memory = r->arena->memory;
        free(r->arena);
        r->arena = before;
    }
}

char *build_reading_copy(build_reading *r, const char *text, size_t size)
{
    char *copy = build_reading_memory(r, size);
    memcpy(copy, text, size);
    return copy;
}

void *build_reading_grow(build_reading *r, void *list, size_t count, size_t size)
{
    if (!build_list_is_full(count))
        return list;
    void *grown = build_reading_memory(r, build_list_room(count) * size);
    if (count != 0)
        memcpy(grown, list, count * size);
    return grown;
}

build_model *build_reading_keep(build_reading *r, build_model *model)
{
    r->models = build_list_grow(r->models, r->model_count, sizeof *r->models);
    return r->models[r->model_count++] = model;
}

void build_reading_drop(build_reading *r, build_model *model)
{
    for (size_t i = r->model_count; i-- > 0;) {
        if (r->models[i] != model)
            continue;
        r->models[i] = r->models[--r->model_count];
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

build_position build_token_spot(const build_token *token)
{
    return (build_position){token->line, token->column};
}

bool build_reading_is(const build_reading *r, const char *word_or_sign)
{
    return build_token_is(r->at, word_or_sign);
}

bool build_reading_take(build_reading *r, const char *word_or_sign)
{
    if (!build_reading_is(r, word_or_sign))
        return false;
    r->at++;
    return true;
}

void build_reading_need(build_reading *r, const char *word_or_sign)
{
    char what[32];
    (void)snprintf(what, sizeof what, "\"%s\"", word_or_sign);
    if (!build_reading_take(r, word_or_sign))
        build_reading_expected(r, what);
}

const build_token *build_reading_word(build_reading *r, const char *what)
{
    if (r->at->kind != BUILD_TOKEN_WORD)
        build_reading_expected(r, what);
    return r->at++;
}

char *build_reading_words(build_reading *r, const char *sign, const char *what)
{
    const build_token *from = build_reading_word(r, what);
    while (build_reading_take(r, sign))
        (void)build_reading_word(r, what);
    return build_reading_source(r, from, r->at);
}

char *build_reading_source(build_reading *r, const build_token *from, const build_token *end)
{
    const build_token *last = end - 1;
    char *source = build_reading_memory(r, (size_t)(last->text + last->size - from->text));
    size_t to = 0;
    for (const build_token *t = from; t < end; t++) {
        if (t != from && t->text != t[-1].text + t[-1].size)
            source[to++] = ' ';
        memcpy(source + to, t->text, t->size);
        to += t->size;
    }
    return source;
}

void build_reading_enter(build_reading *r, const build_token *at)
{
    if (++r->depth > BUILD_RECIPE_DEPTH_MAX)
        build_reading_fail(r, at, "expected at most %d blocks, parentheses or signs in one another, found more",
                           BUILD_RECIPE_DEPTH_MAX);
}

void build_reading_leave(build_reading *r)
{
    r->depth--;
}
