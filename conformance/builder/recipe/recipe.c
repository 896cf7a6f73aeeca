/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recipe text to vectors: blocks, `repeat`, and what holds for the vectors in them. Called by the command and by the
 * targets.
 */
#include "recipe/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "image/file_layout.h"
#include "recipe/expression.h"
#include "recipe/growing_list.h"
#include "recipe/memory_block.h"
#include "recipe/table_lists.h"
#include "recipe/trace_block.h"
#include "recipe/vector_block.h"
#include "recipe/vector_defaults.h"

enum { NAMES_MAX = 16 }; /* variables of one `repeat` */

#define WHAT "\"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\""

static void read_statements(build_parser *r, bool in_block);

/* Parses a trace and lays out a copy, for places that a `repeat` may name. */
static void read_trace(build_parser *r)
{
    r->laid_out = NULL;
    r->memory = r->defaults.memory = NULL;
    build_parser_count_work(r, BUILD_RECIPE_START_WORK);
    r->defaults.trace = build_trace_block(r);
    r->laid_out = build_parser_keep_model(r, build_model_copy(r->defaults.trace));
    build_model_lay_out(r->laid_out);
}

/* Parses a structure in memory. Its places do not depend on its values. */
static void read_memory(build_parser *r)
{
    r->laid_out = NULL;
    r->memory = NULL;
    r->defaults.trace = NULL;
    build_parser_count_work(r, BUILD_RECIPE_START_WORK);
    r->defaults.memory = r->memory = build_memory_block(r);
}

/* The loop of a `repeat`: its variables, and the elements of its list, one value each for every variable. */
typedef struct loop {
    const build_token *names[NAMES_MAX];
    size_t name_count;
    build_value *values;
    size_t count; /* elements */
} loop;

static void read_names(build_parser *r, loop *l)
{
    const bool tuple = build_parser_take(r, "(");
    do {
        if (l->name_count == NAMES_MAX)
            build_parser_fail(r, r->at, "expected at most %d loop variables, found more", NAMES_MAX);
        l->names[l->name_count++] = build_parser_word(r, "a loop variable");
    } while (tuple && build_parser_take(r, ","));
    if (tuple)
        build_parser_need(r, ")");
    build_parser_need(r, "in");
}

static build_value *add_element(build_parser *r, loop *l)
{
    if (l->count == BUILD_RECIPE_VECTORS_MAX)
        build_parser_fail(r, r->at, "expected at most %d elements, found more", BUILD_RECIPE_VECTORS_MAX);
    l->values = build_parser_grow(r, l->values, l->count, l->name_count * sizeof *l->values);
    return &l->values[l->count++ * l->name_count];
}

static void read_tuple(build_parser *r, loop *l)
{
    build_value values[NAMES_MAX];
    build_parser_need(r, "(");
    for (size_t i = 0; i < l->name_count; i++) {
        if (i != 0)
            build_parser_need(r, ",");
        values[i] = build_expression(r);
    }
    build_parser_need(r, ")");
    memcpy(add_element(r, l), values, l->name_count * sizeof values[0]);
}

/* FIRST .. LAST, places as well as plain numbers. */
static void add_range(build_parser *r, loop *l, const build_token *at, const build_value *first)
{
    build_expression_need_number(r, at, first);
    const uint64_t last = build_expression_number(r);
    const uint64_t step = build_parser_take(r, "step") ? build_expression_number(r) : 1;
    if (step == 0 || last < first->number)
        build_parser_fail(r, at, "expected a range that counts up, found %llu .. %llu step %llu",
                          (unsigned long long)first->number, (unsigned long long)last, (unsigned long long)step);
    build_value value = *first;
    for (;; value.number += step) {
        *add_element(r, l) = value;
        if (last - value.number < step)
            return;
    }
}

/* A list from the format's tables. */
static bool read_list(build_parser *r, loop *l)
{
    build_value *values;
    size_t count;
    if (!build_table_list(r, l->name_count, &values, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(add_element(r, l), values + i * l->name_count, l->name_count * sizeof *values);
    return true;
}

static void read_element(build_parser *r, loop *l)
{
    if (read_list(r, l))
        return;
    if (l->name_count > 1) {
        read_tuple(r, l);
        return;
    }
    const build_token *at = r->at;
    const build_value value = build_expression(r);
    if (build_parser_take(r, ".."))
        add_range(r, l, at, &value);
    else
        *add_element(r, l) = value;
}

static void push(build_parser *r, const build_token *name, const build_value *value)
{
    r->variables = build_growing_list_grow(r->variables, r->variable_count, sizeof *r->variables);
    r->variables[r->variable_count++] = (build_loop_variable){name, *value};
}

/* Parses the body once for each element. What it sets holds until its end. */
static void run(build_parser *r, const loop *l)
{
    const build_token *body = r->at;
    const build_vector_defaults defaults = r->defaults;
    build_model *laid_out = r->laid_out;
    const build_memory *memory = r->memory;
    const size_t variables = r->variable_count;
    for (size_t i = 0; i < l->count; i++) {
        const size_t models = r->model_count;
        build_arena_block *mark = build_parser_mark(r);
        if (++r->turns > BUILD_RECIPE_TURNS_MAX)
            build_parser_fail(r, body, "expected at most %d turns of all repeats, found more", BUILD_RECIPE_TURNS_MAX);
        r->at = body;
        for (size_t n = 0; n < l->name_count; n++)
            push(r, l->names[n], &l->values[i * l->name_count + n]);
        read_statements(r, true);
        build_parser_count_work(r, (size_t)(r->at - body) * BUILD_RECIPE_WORD_WORK);
        r->variable_count = variables;
        r->defaults = defaults;
        r->laid_out = laid_out;
        r->memory = memory;
        build_parser_release(r, mark);
        while (r->model_count > models)
            build_parser_drop_model(r, r->models[r->model_count - 1]);
    }
}

static void read_repeat(build_parser *r)
{
    loop l = {.name_count = 0};
    build_parser_enter(r, r->at - 1);
    build_parser_need(r, "over");
    read_names(r, &l);
    do
        read_element(r, &l);
    while (build_parser_take(r, ","));
    build_parser_need(r, "{");
    run(r, &l);
    build_parser_leave(r);
}

static bool read_statement(build_parser *r)
{
    if (build_parser_take(r, "trace"))
        read_trace(r);
    else if (build_parser_take(r, "memory"))
        read_memory(r);
    else if (build_parser_take(r, "vector"))
        build_vector_block(r);
    else if (build_parser_take(r, "repeat"))
        read_repeat(r);
    else
        return build_vector_default(r);
    return true;
}

static void read_statements(build_parser *r, bool in_block)
{
    while (in_block ? !build_parser_take(r, "}") : r->at->kind != BUILD_TOKEN_END)
        if (!read_statement(r))
            build_parser_expected(r, in_block ? WHAT ", \"vector\" or \"}\"" : WHAT " or \"vector\"");
}

static void read_recipe(build_parser *r)
{
    build_parser_need(r, "recipe");
    (void)build_expression_text(r);
    read_statements(r, false);
    if (r->id_count == 0)
        build_parser_expected(r, "a vector");
}

static void release(build_parser *r)
{
    build_parser_release(r, NULL);
    while (r->model_count)
        build_parser_drop_model(r, r->models[r->model_count - 1]);
    for (size_t i = 0; i < r->id_count; i++)
        free(r->ids[i]);
    free(r->ids);
    free(r->models);
    free(r->variables);
    free(r->tokens.at);
    build_chunk_free(&r->text);
}

bool build_recipe_read(const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink,
                       void *context, build_recipe_error *error)
{
    build_parser *r = calloc(1, sizeof *r);
    if (r == NULL)
        abort();
    r->name = name;
    r->work_max = work;
    r->sink = sink;
    r->context = context;
    r->error = error;
    r->defaults = (build_vector_defaults){.rule = ETL_RULE_COUNT, .must = true};
    *error = (build_recipe_error){0};
    bool read = build_lex(text, size, &r->tokens, error);
    r->at = r->tokens.at;
    if (read && setjmp(r->failed) == 0)
        read_recipe(r);
    else
        read = false;
    release(r);
    free(r);
    return read;
}
