/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens, faults and memory of a recipe that is being read.
 */
#include "reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct etl_arena_block {
    etl_arena_block *before;
    max_align_t bytes[];
};

void etl_reading_fail(etl_reading *r, const etl_token *at, const char *format, ...)
{
    va_list arguments;
    *r->error = (etl_recipe_error){.line = at->line, .column = at->column};
    va_start(arguments, format);
    (void)vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    longjmp(r->failed, 1);
}

void etl_reading_stop(etl_reading *r)
{
    *r->error = (etl_recipe_error){0};
    longjmp(r->failed, 1);
}

void etl_reading_expected(etl_reading *r, const char *what)
{
    const etl_token *t = r->at;
    if (t->kind == ETL_TOKEN_END)
        etl_reading_fail(r, t, "expected %s, found the end of the recipe", what);
    const char *quote = t->kind == ETL_TOKEN_STRING ? "" : "\"";
    etl_reading_fail(r, t, "expected %s, found %s%.*s%s", what, quote, (int)(t->size < 60 ? t->size : 60), t->text, quote);
}

void *etl_reading_memory(etl_reading *r, size_t size)
{
    etl_arena_block *block = calloc(1, sizeof *block + size + 1);
    if (block == NULL)
        abort();
    block->before = r->arena;
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
        free(r->arena);
        r->arena = before;
    }
}

char *etl_reading_copy(etl_reading *r, const char *text, size_t size)
{
    char *copy = etl_reading_memory(r, size + 1);
    memcpy(copy, text, size);
    return copy;
}

bool etl_token_is(const etl_token *token, const char *text)
{
    return (token->kind == ETL_TOKEN_WORD || token->kind == ETL_TOKEN_SIGN) && token->size == strlen(text) &&
           memcmp(token->text, text, token->size) == 0;
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

char *etl_reading_source(etl_reading *r, const etl_token *from, const etl_token *end)
{
    const etl_token *last = end - 1;
    return etl_reading_copy(r, from->text, (size_t)(last->text + last->size - from->text));
}

void etl_reading_enter(etl_reading *r, const etl_token *at)
{
    if (++r->depth > ETL_RECIPE_DEPTH_MAX)
        etl_reading_fail(r, at, "expected at most %d blocks or parentheses in one another, found more", ETL_RECIPE_DEPTH_MAX);
}

void etl_reading_leave(etl_reading *r)
{
    r->depth--;
}

etl_model *etl_reading_keep(etl_reading *r, etl_model *model)
{
    if (r->model_count == r->model_room) {
        r->model_room = r->model_room * 2 + 16;
        etl_model **grown = realloc(r->models, r->model_room * sizeof *grown);
        if (grown == NULL)
            abort();
        r->models = grown;
    }
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
