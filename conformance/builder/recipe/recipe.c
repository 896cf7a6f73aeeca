/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the text of a recipe into vectors: blocks, `repeat`, and the defaults of the vectors in them. Called by the
 * command and by the targets.
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

static void read_statements(build_parser *p, bool in_block);

/* Parses a trace and lays out a copy, for places that a `repeat` may name. */
static void read_trace(build_parser *p)
{
    p->laid_out = NULL;
    p->memory = p->defaults.memory = NULL;
    build_parser_count_work(p, BUILD_RECIPE_START_WORK);
    p->defaults.trace = build_trace_block(p);
    p->laid_out = build_parser_keep_model(p, build_model_copy(p->defaults.trace));
    build_model_lay_out(p->laid_out);
}

/* Parses a structure in memory. Its places do not depend on its values. */
static void read_memory(build_parser *p)
{
    p->laid_out = NULL;
    p->memory = NULL;
    p->defaults.trace = NULL;
    build_parser_count_work(p, BUILD_RECIPE_START_WORK);
    p->defaults.memory = p->memory = build_memory_block(p);
}

/* The loop of a `repeat`: its variables, and the elements of its list, one value each for every variable. */
typedef struct loop {
    const build_token *names[NAMES_MAX];
    size_t name_count;
    build_value *values;
    size_t count; /* elements */
} loop;

static void read_names(build_parser *p, loop *l)
{
    const bool tuple = build_parser_take(p, "(");
    do {
        if (l->name_count == NAMES_MAX)
            build_parser_fail(p, p->at, "expected at most %d loop variables, found more", NAMES_MAX);
        l->names[l->name_count++] = build_parser_word(p, "a loop variable");
    } while (tuple && build_parser_take(p, ","));
    if (tuple)
        build_parser_need(p, ")");
    build_parser_need(p, "in");
}

static build_value *add_element(build_parser *p, loop *l)
{
    if (l->count == BUILD_RECIPE_VECTORS_MAX)
        build_parser_fail(p, p->at, "expected at most %d elements, found more", BUILD_RECIPE_VECTORS_MAX);
    l->values = build_parser_grow(p, l->values, l->count, l->name_count * sizeof *l->values);
    return &l->values[l->count++ * l->name_count];
}

static void read_tuple(build_parser *p, loop *l)
{
    build_value values[NAMES_MAX];
    build_parser_need(p, "(");
    for (size_t i = 0; i < l->name_count; i++) {
        if (i != 0)
            build_parser_need(p, ",");
        values[i] = build_expression(p);
    }
    build_parser_need(p, ")");
    memcpy(add_element(p, l), values, l->name_count * sizeof values[0]);
}

/* FIRST .. LAST, places as well as plain numbers. */
static void add_range(build_parser *p, loop *l, const build_token *at, const build_value *first)
{
    build_expression_need_number(p, at, first);
    const uint64_t last = build_expression_number(p);
    const uint64_t step = build_parser_take(p, "step") ? build_expression_number(p) : 1;
    if (step == 0 || last < first->number)
        build_parser_fail(p, at, "expected a range that counts up, found %llu .. %llu step %llu",
                          (unsigned long long)first->number, (unsigned long long)last, (unsigned long long)step);
    build_value value = *first;
    for (;; value.number += step) {
        *add_element(p, l) = value;
        if (last - value.number < step)
            return;
    }
}

/* A list from the format's tables. */
static bool read_list(build_parser *p, loop *l)
{
    build_value *values;
    size_t count;
    if (!build_table_list(p, l->name_count, &values, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(add_element(p, l), values + i * l->name_count, l->name_count * sizeof *values);
    return true;
}

static void read_element(build_parser *p, loop *l)
{
    if (read_list(p, l))
        return;
    if (l->name_count > 1) {
        read_tuple(p, l);
        return;
    }
    const build_token *at = p->at;
    const build_value value = build_expression(p);
    if (build_parser_take(p, ".."))
        add_range(p, l, at, &value);
    else
        *add_element(p, l) = value;
}

static void push(build_parser *p, const build_token *name, const build_value *value)
{
    p->variables = build_growing_list_grow(p->variables, p->variable_count, sizeof *p->variables);
    p->variables[p->variable_count++] = (build_loop_variable){name, *value};
}

/* Parses the body once for each element. What it sets holds until its end. */
static void run(build_parser *p, const loop *l)
{
    const build_token *body = p->at;
    const build_vector_defaults defaults = p->defaults;
    build_model *laid_out = p->laid_out;
    const build_memory *memory = p->memory;
    const size_t variables = p->variable_count;
    for (size_t i = 0; i < l->count; i++) {
        const size_t models = p->model_count;
        build_arena_block *mark = build_parser_mark(p);
        if (++p->turns > BUILD_RECIPE_TURNS_MAX)
            build_parser_fail(p, body, "expected at most %d turns of all repeats, found more", BUILD_RECIPE_TURNS_MAX);
        p->at = body;
        for (size_t n = 0; n < l->name_count; n++)
            push(p, l->names[n], &l->values[i * l->name_count + n]);
        read_statements(p, true);
        build_parser_count_work(p, (size_t)(p->at - body) * BUILD_RECIPE_WORD_WORK);
        p->variable_count = variables;
        p->defaults = defaults;
        p->laid_out = laid_out;
        p->memory = memory;
        build_parser_release(p, mark);
        while (p->model_count > models)
            build_parser_drop_model(p, p->models[p->model_count - 1]);
    }
}

static void read_repeat(build_parser *p)
{
    loop l = {.name_count = 0};
    build_parser_enter(p, p->at - 1);
    build_parser_need(p, "over");
    read_names(p, &l);
    do
        read_element(p, &l);
    while (build_parser_take(p, ","));
    build_parser_need(p, "{");
    run(p, &l);
    build_parser_leave(p);
}

static bool read_statement(build_parser *p)
{
    if (build_parser_take(p, "trace"))
        read_trace(p);
    else if (build_parser_take(p, "memory"))
        read_memory(p);
    else if (build_parser_take(p, "vector"))
        build_vector_block(p);
    else if (build_parser_take(p, "repeat"))
        read_repeat(p);
    else
        return build_vector_default(p);
    return true;
}

static void read_statements(build_parser *p, bool in_block)
{
    while (in_block ? !build_parser_take(p, "}") : p->at->kind != BUILD_TOKEN_END)
        if (!read_statement(p))
            build_parser_expected(p, in_block ? WHAT ", \"vector\" or \"}\"" : WHAT " or \"vector\"");
}

static void read_recipe(build_parser *p)
{
    build_parser_need(p, "recipe");
    (void)build_expression_text(p);
    read_statements(p, false);
    if (p->id_count == 0)
        build_parser_expected(p, "a vector");
}

static void release(build_parser *p)
{
    build_parser_release(p, NULL);
    while (p->model_count)
        build_parser_drop_model(p, p->models[p->model_count - 1]);
    for (size_t i = 0; i < p->id_count; i++)
        free(p->ids[i]);
    free(p->ids);
    free(p->models);
    free(p->variables);
    free(p->tokens.at);
    build_chunk_free(&p->text);
    build_chunk_free(&p->fields);
}

bool build_recipe_read(const char *text, size_t size, const char *name, uint64_t work, build_recipe_sink sink,
                       void *context, build_recipe_error *error)
{
    build_parser *p = calloc(1, sizeof *p);
    if (p == NULL)
        abort();
    p->name = name;
    p->work_max = work;
    p->sink = sink;
    p->context = context;
    p->error = error;
    p->defaults = (build_vector_defaults){.rule = ETL_RULE_COUNT, .must = true};
    *error = (build_recipe_error){0};
    bool read = build_lex(text, size, &p->tokens, error);
    p->at = p->tokens.at;
    if (read && setjmp(p->failed) == 0)
        read_recipe(p);
    else
        read = false;
    release(p);
    free(p);
    return read;
}
