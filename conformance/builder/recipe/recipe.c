/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recipe as blocks: what holds for the vectors in them, and `repeat`.
 */
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "reading.h"

enum { NAMES_MAX = 16 }; /* variables of one `repeat` */

#define WHAT "\"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\""

static void read_statements(etl_reading *r, bool in_block);

bool etl_default_read(etl_reading *r)
{
    if (etl_reading_take(r, "source")) {
        r->defaults.source = etl_expression_text(r);
    } else if (etl_reading_take(r, "rule")) {
        r->defaults.rule = etl_tables_rule(r);
    } else if (etl_reading_take(r, "level")) {
        r->defaults.must = etl_reading_is(r, "must");
        if (!etl_reading_take(r, "must") && !etl_reading_take(r, "should"))
            etl_reading_expected(r, "\"must\" or \"should\"");
    } else {
        return false;
    }
    return true;
}

/* A trace, and the same laid out, for places that a `repeat` may name. */
static void read_trace(etl_reading *r)
{
    r->laid = NULL;
    r->dump = r->defaults.dump = NULL;
    etl_reading_work(r, ETL_RECIPE_START_WORK);
    r->defaults.trace = etl_trace_read(r);
    r->laid = etl_reading_keep(r, etl_model_copy(r->defaults.trace));
    etl_model_lay_out(r->laid);
}

/* A structure in memory: its places are the same whatever it holds. */
static void read_memory(etl_reading *r)
{
    r->laid = NULL;
    r->dump = NULL;
    r->defaults.trace = NULL;
    etl_reading_work(r, ETL_RECIPE_START_WORK);
    r->defaults.dump = r->dump = etl_recipe_memory(r);
}

/* The loop of a `repeat`: its variables, and the elements of its list, one value each for every variable. */
typedef struct loop {
    const etl_token *names[NAMES_MAX];
    size_t name_count;
    etl_value *values;
    size_t count; /* elements */
} loop;

static void read_names(etl_reading *r, loop *l)
{
    const bool tuple = etl_reading_take(r, "(");
    do {
        if (l->name_count == NAMES_MAX)
            etl_reading_fail(r, r->at, "expected at most %d loop variables, found more", NAMES_MAX);
        l->names[l->name_count++] = etl_reading_word(r, "a loop variable");
    } while (tuple && etl_reading_take(r, ","));
    if (tuple)
        etl_reading_need(r, ")");
    etl_reading_need(r, "in");
}

static etl_value *add_element(etl_reading *r, loop *l)
{
    if (l->count == ETL_RECIPE_VECTORS_MAX)
        etl_reading_fail(r, r->at, "expected at most %d elements, found more", ETL_RECIPE_VECTORS_MAX);
    l->values = etl_reading_grow(r, l->values, l->count, l->name_count * sizeof *l->values);
    return &l->values[l->count++ * l->name_count];
}

static void read_tuple(etl_reading *r, loop *l)
{
    etl_value values[NAMES_MAX];
    etl_reading_need(r, "(");
    for (size_t i = 0; i < l->name_count; i++) {
        if (i != 0)
            etl_reading_need(r, ",");
        values[i] = etl_expression(r);
    }
    etl_reading_need(r, ")");
    memcpy(add_element(r, l), values, l->name_count * sizeof values[0]);
}

/* FIRST .. LAST, places as well as plain numbers. */
static void add_range(etl_reading *r, loop *l, const etl_token *at, const etl_value *first)
{
    etl_expression_need_number(r, at, first);
    const uint64_t last = etl_expression_number(r);
    const uint64_t step = etl_reading_take(r, "step") ? etl_expression_number(r) : 1;
    if (step == 0 || last < first->number)
        etl_reading_fail(r, at, "expected a range that goes up, found another");
    etl_value value = *first;
    for (;; value.number += step) {
        *add_element(r, l) = value;
        if (last - value.number < step)
            return;
    }
}

/* A list that the format's tables make. */
static bool read_list(etl_reading *r, loop *l)
{
    etl_value *values;
    size_t count;
    if (!etl_recipe_list(r, l->name_count, &values, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(add_element(r, l), values + i * l->name_count, l->name_count * sizeof *values);
    return true;
}

static void read_element(etl_reading *r, loop *l)
{
    if (read_list(r, l))
        return;
    if (l->name_count > 1) {
        read_tuple(r, l);
        return;
    }
    const etl_token *at = r->at;
    const etl_value value = etl_expression(r);
    if (etl_reading_take(r, ".."))
        add_range(r, l, at, &value);
    else
        *add_element(r, l) = value;
}

static void push(etl_reading *r, const etl_token *name, const etl_value *value)
{
    r->variables = etl_list_grow(r->variables, r->variable_count, sizeof *r->variables);
    r->variables[r->variable_count++] = (etl_variable){name, *value};
}

/* The body once for each element; what it says holds until its end. */
static void run(etl_reading *r, const loop *l)
{
    const etl_token *body = r->at;
    const etl_defaults defaults = r->defaults;
    etl_model *laid = r->laid;
    const etl_dump *dump = r->dump;
    const size_t variables = r->variable_count;
    for (size_t i = 0; i < l->count; i++) {
        const size_t models = r->model_count;
        etl_arena_block *mark = etl_reading_mark(r);
        if (++r->turns > ETL_RECIPE_TURNS_MAX)
            etl_reading_fail(r, body, "expected at most %d turns of all repeats, found more", ETL_RECIPE_TURNS_MAX);
        r->at = body;
        for (size_t n = 0; n < l->name_count; n++)
            push(r, l->names[n], &l->values[i * l->name_count + n]);
        read_statements(r, true);
        etl_reading_work(r, (size_t)(r->at - body) * ETL_RECIPE_WORD_WORK);
        r->variable_count = variables;
        r->defaults = defaults;
        r->laid = laid;
        r->dump = dump;
        etl_reading_release(r, mark);
        while (r->model_count > models)
            etl_reading_drop(r, r->models[r->model_count - 1]);
    }
}

static void read_repeat(etl_reading *r)
{
    loop l = {.name_count = 0};
    etl_reading_enter(r, r->at - 1);
    etl_reading_need(r, "over");
    read_names(r, &l);
    do
        read_element(r, &l);
    while (etl_reading_take(r, ","));
    etl_reading_need(r, "{");
    run(r, &l);
    etl_reading_leave(r);
}

static bool read_statement(etl_reading *r)
{
    if (etl_reading_take(r, "trace"))
        read_trace(r);
    else if (etl_reading_take(r, "memory"))
        read_memory(r);
    else if (etl_reading_take(r, "vector"))
        etl_vector_read(r);
    else if (etl_reading_take(r, "repeat"))
        read_repeat(r);
    else
        return etl_default_read(r);
    return true;
}

static void read_statements(etl_reading *r, bool in_block)
{
    while (in_block ? !etl_reading_take(r, "}") : r->at->kind != ETL_TOKEN_END)
        if (!read_statement(r))
            etl_reading_expected(r, in_block ? WHAT ", \"vector\" or \"}\"" : WHAT " or \"vector\"");
}

static void read_recipe(etl_reading *r)
{
    etl_reading_need(r, "recipe");
    (void)etl_expression_text(r);
    read_statements(r, false);
    if (r->id_count == 0)
        etl_reading_expected(r, "a vector");
}

static void release(etl_reading *r)
{
    etl_reading_release(r, NULL);
    while (r->model_count)
        etl_reading_drop(r, r->models[r->model_count - 1]);
    for (size_t i = 0; i < r->id_count; i++)
        free(r->ids[i]);
    free(r->ids);
    free(r->models);
    free(r->variables);
    free(r->tokens.at);
    etl_chunk_free(&r->text);
}

bool etl_recipe_read(const char *text, size_t size, const char *name, uint64_t work, etl_recipe_sink sink, void *context,
                     etl_recipe_error *error)
{
    etl_reading *r = calloc(1, sizeof *r);
    if (r == NULL)
        abort();
    r->name = name;
    r->work_max = work;
    r->sink = sink;
    r->context = context;
    r->error = error;
    r->defaults = (etl_defaults){.rule = ETL_RULE_COUNT, .must = true};
    *error = (etl_recipe_error){0};
    bool read = etl_lex(text, size, &r->tokens, error);
    r->at = r->tokens.at;
    if (read && setjmp(r->failed) == 0)
        read_recipe(r);
    else
        read = false;
    release(r);
    free(r);
    return read;
}
