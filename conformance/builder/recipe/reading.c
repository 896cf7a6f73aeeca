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

struct etl_arena_block {
    etl_arena_block *before;
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

void etl_reading_fail(etl_reading *r, const etl_token *at, const char *format, ...)
{
    va_list arguments;
    *r->error = (etl_recipe_error){.line = at->line, .column = at->column};
    va_start(arguments, format);
    (void)vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    clean(r->error->text);
    longjmp(r->failed, 1);
}

void etl_reading_stop(etl_reading *r)
{
    *r->error = (etl_recipe_error){0};
    longjmp(r->failed, 1);
}

void etl_reading_expected_at(etl_reading *r, const etl_token *at, const char *what)
{
    if (at->kind == ETL_TOKEN_END)
        etl_reading_fail(r, at, "expected %s, found the end of the recipe", what);
    const char *quote = at->kind == ETL_TOKEN_STRING ? "" : "\"";
    const int size = (int)(at->size < QUOTED_MAX ? at->size : QUOTED_MAX);
    etl_reading_fail(r, at, "expected %s, found %s%.*s%s", what, quote, size, at->text, quote);
}

void etl_reading_expected(etl_reading *r, const char *what)
{
    etl_reading_expected_at(r, r->at, what);
}

/* Memory. */

void etl_reading_work(etl_reading *r, size_t size)
{
    if (size > r->work_max - r->work)
        etl_reading_fail(r, r->at, "expected a recipe that makes at most %u MiB, found one that makes more",
                         (unsigned)(r->work_max >> 20));
    r->work += size;
}

void etl_reading_count(etl_reading *r, size_t size)
{
    if (size > ETL_RECIPE_MEMORY_MAX - r->memory)
        etl_reading_fail(r, r->at, "expected a recipe that needs at most 256 MiB, found one that needs more");
    etl_reading_work(r, size);
    r->memory += size;
}

void *etl_reading_memory(etl_reading *r, size_t size)
{
    const size_t memory = r->memory;
    etl_reading_count(r, size);
    etl_arena_block *block = calloc(1, sizeof *block + size + 1);
    if (block == NULL)
        abort();
    block->before = r->arena;
    block->memory = memory;
    r->arena = block;
    return block->bytes;
}

etl_arena_block *etl_reading_mark(const etl_reading *r)
{
    return r->arena;
}

void etl_reading_release(etl_reading *r, etl_arena_block *mark)
{
    while (r->arena != mark) {
        etl_arena_block *before = r->arena->before;
        r->memory = r->arena->memory;
        free(r->arena);
        r->arena = before;
    }
}

char *etl_reading_copy(etl_reading *r, const char *text, size_t size)
{
    char *copy = etl_reading_memory(r, size);
    memcpy(copy, text, size);
    return copy;
}

void *etl_reading_grow(etl_reading *r, void *list, size_t count, size_t size)
{
    if (!etl_list_is_full(count))
        return list;
    void *grown = etl_reading_memory(r, etl_list_room(count) * size);
    if (count != 0)
        memcpy(grown, list, count * size);
    return grown;
}

etl_model *etl_reading_keep(etl_reading *r, etl_model *model)
{
    r->models = etl_list_grow(r->models, r->model_count, sizeof *r->models);
    return r->models[r->model_count++] = model;
}

void etl_reading_drop(etl_reading *r, etl_model *model)
{
    for (size_t i = r->model_count; i-- > 0;) {
        if (r->models[i] != model)
            continue;
        r->models[i] = r->models[--r->model_count];
        etl_model_free(model);
        return;
    }
}

/* Tokens. */

bool etl_token_is(const etl_token *token, const char *text)
{
    return (token->kind == ETL_TOKEN_WORD || token->kind == ETL_TOKEN_SIGN) && token->size == strlen(text) &&
           memcmp(token->text, text, token->size) == 0;
}

etl_spot etl_token_spot(const etl_token *token)
{
    return (etl_spot){token->line, token->column};
}

bool etl_reading_is(const etl_reading *r, const char *word_or_sign)
{
    return etl_token_is(r->at, word_or_sign);
}

bool etl_reading_take(etl_reading *r, const char *word_or_sign)
{
    if (!etl_reading_is(r, word_or_sign))
        return false;
    r->at++;
    return true;
}

void etl_reading_need(etl_reading *r, const char *word_or_sign)
{
    char what[32];
    (void)snprintf(what, sizeof what, "\"%s\"", word_or_sign);
    if (!etl_reading_take(r, word_or_sign))
        etl_reading_expected(r, what);
}

const etl_token *etl_reading_word(etl_reading *r, const char *what)
{
    if (r->at->kind != ETL_TOKEN_WORD)
        etl_reading_expected(r, what);
    return r->at++;
}

char *etl_reading_words(etl_reading *r, const char *sign, const char *what)
{
    const etl_token *from = etl_reading_word(r, what);
    while (etl_reading_take(r, sign))
        (void)etl_reading_word(r, what);
    return etl_reading_source(r, from, r->at);
}

char *etl_reading_source(etl_reading *r, const etl_token *from, const etl_token *end)
{
    const etl_token *last = end - 1;
    char *source = etl_reading_memory(r, (size_t)(last->text + last->size - from->text));
    size_t to = 0;
    for (const etl_token *t = from; t < end; t++) {
        if (t != from && t->text != t[-1].text + t[-1].size)
            source[to++] = ' ';
        memcpy(source + to, t->text, t->size);
        to += t->size;
    }
    return source;
}

void etl_reading_enter(etl_reading *r, const etl_token *at)
{
    if (++r->depth > ETL_RECIPE_DEPTH_MAX)
        etl_reading_fail(r, at, "expected at most %d blocks, parentheses or signs in one another, found more",
                         ETL_RECIPE_DEPTH_MAX);
}

void etl_reading_leave(etl_reading *r)
{
    r->depth--;
}
