/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `vector ID { … }` into a build_vector. Called by recipe.c. The body is parsed twice: first for the `set`s, which
 * decide the layout, then for all other statements, whose places are those of the layout.
 */
#include "recipe/vector_block.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image/file_layout.h"
#include "model/version_shape.h"
#include "recipe/assignment.h"
#include "recipe/claim_statements.h"
#include "recipe/expression.h"
#include "recipe/field_statement.h"
#include "recipe/format_names.h"
#include "recipe/growing_list.h"
#include "recipe/interpolation.h"
#include "recipe/memory_block.h"
#include "recipe/patch_statement.h"
#include "recipe/trace_block.h"
#include "recipe/vector_defaults.h"

/* Statements. */

/* One line of printable characters: lists and reports show it unchanged. */
static void parse_title(build_vector_parser *v)
{
    const build_token *at = v->parser->at;
    v->vector.title = build_expression_text(v->parser);
    for (const char *c = v->vector.title; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            build_parser_fail(v->parser, at, "expected a title of printable characters on one line, found byte 0x%02x",
                              (unsigned)(unsigned char)*c);
}

static void set_in_memory(build_vector_parser *v)
{
    v->parser->memory = NULL;
    build_memory_block_assign(v->parser, v->memory);
    v->parser->memory = v->memory;
}

/* The trace of `set` is not laid out, so that no place may be named. The second pass only skips the words. */
static void parse_set(build_vector_parser *v)
{
    build_parser *p = v->parser;
    if (v->memory != NULL) {
        set_in_memory(v);
        return;
    }
    const bool skipping = p->skipping;
    build_model *laid_out = p->laid_out;
    build_model_node node;
    const build_token *name = build_parser_word(p, "a name of the trace");
    if (!build_version_find(v->base, build_parser_copy(p, name->text, name->size), &node))
        build_parser_expected_at(p, name, "a name of the trace");
    build_parser_need(p, ".");
    p->skipping = false;
    p->laid_out = NULL;
    build_assign(p, &node);
    p->skipping = skipping;
    p->laid_out = laid_out;
}

static void give_verdict(build_vector_parser *v, build_vector_verdict verdict)
{
    if (v->has_verdict)
        build_parser_fail(v->parser, v->parser->at - 1, "expected one verdict, found a second one");
    v->has_verdict = true;
    v->vector.verdict = verdict;
}

static void parse_accept(build_vector_parser *v)
{
    give_verdict(v, BUILD_VECTOR_ACCEPT);
}

static void parse_reject(build_vector_parser *v)
{
    give_verdict(v, BUILD_VECTOR_REJECT);
}

static void parse_either(build_vector_parser *v)
{
    give_verdict(v, BUILD_VECTOR_EITHER);
    v->vector.flag = build_format_name_flag(v->parser);
}

static void parse_tells(build_vector_parser *v)
{
    v->vector.tells = true;
}

static const struct {
    const char *name;
    void (*parse)(build_vector_parser *v);
    bool of_trace;
} statements[] = {
#define BUILD_VECTOR_STATEMENT(word, parse, of_trace) {word, parse, of_trace},
#include "recipe/vector_statements.def"
};

static void read_statement(build_vector_parser *v)
{
    const bool is_trace = v->memory == NULL;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (statements[i].parse != NULL && (is_trace || !statements[i].of_trace) &&
            build_parser_take(v->parser, statements[i].name)) {
            statements[i].parse(v);
            return;
        }
    if (!build_vector_default(v->parser))
        build_parser_expected(v->parser, is_trace ? "a statement of a vector, or \"}\""
                                                  : "a statement of a vector of a structure in memory, or \"}\"");
}

/* Parses the body once. Statements other than `set` only count the second time. */
static void read_body(build_vector_parser *v, const build_token *body, build_model *laid_out, bool skipping)
{
    build_parser *p = v->parser;
    p->at = body;
    p->skipping = skipping;
    p->laid_out = laid_out;
    v->vector = (build_vector){.id = v->vector.id};
    v->has_verdict = false;
    v->patch_at = NULL;
    while (!build_parser_take(p, "}"))
        read_statement(v);
    p->skipping = false;
}

/* Ids. */

static void check_id(build_parser *p, const build_token *at, const char *id)
{
    const size_t size = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (size == 0 || id[size] != '\0')
        build_parser_fail(p, at, "expected an id of a-z, 0-9 and -, found \"%s\"", id);
    if (id[0] == '-') /* a command would take it for an option */
        build_parser_fail(p, at, "expected an id that does not start with -, found \"%s\"", id);
    if (size > BUILD_RECIPE_ID_MAX)
        build_parser_fail(p, at, "expected an id of at most %d letters, found a longer one", BUILD_RECIPE_ID_MAX);
    for (size_t i = 0; i < p->id_count; i++)
        if (strcmp(p->ids[i], id) == 0)
            build_parser_fail(p, at, "expected an id that is not taken, found \"%s\"", id);
    if (p->id_count == BUILD_RECIPE_VECTORS_MAX)
        build_parser_fail(p, at, "expected at most %d vectors in a recipe, found more", BUILD_RECIPE_VECTORS_MAX);
}

/* The parser keeps a copy that outlives the turn of a `repeat`. */
static char *read_id(build_parser *p, const build_token *at)
{
    char *id = build_interpolate_id(p, at);
    check_id(p, at, id);
    const size_t size = strlen(id) + 1;
    p->ids = build_growing_list_grow(p->ids, p->id_count, sizeof *p->ids);
    char *copy = build_growing_list_grow(NULL, 0, size);
    p->ids[p->id_count++] = memcpy(copy, id, size);
    return id;
}

/* The vector. */

/* Checks what every vector must have, and what it may not. */
static void check(const build_vector_parser *v)
{
    build_parser *p = v->parser;
    const build_vector_defaults *defaults = &p->defaults;
    if (defaults->rule == ETL_RULE_COUNT)
        build_parser_fail(p, v->id_at, "expected a rule, found none");
    const etl_rule_info *rule = etl_rule_get(defaults->rule);
    const size_t group_size = strlen(rule->group);
    if (strncmp(p->name, rule->group, group_size) != 0 || p->name[group_size] != '/')
        build_parser_fail(p, v->id_at, "expected a rule of this folder's group, found %s of group %s", rule->id,
                          rule->group);
    const bool about_payloads = strcmp(rule->layer, "payload") == 0;
    if (about_payloads != (defaults->metadata != NULL))
        build_parser_fail(p, v->id_at, about_payloads ? "expected a kind of metadata, found none"
                                                      : "expected no metadata, since the rule is not about payloads");
    if (v->vector.title == NULL || *v->vector.title == '\0')
        build_parser_fail(p, v->id_at, "expected a title, found none");
    if (!v->has_verdict)
        build_parser_fail(p, v->id_at, "expected \"accept\", \"reject\" or \"either FLAG\", found none");
    if (defaults->source == NULL)
        build_parser_fail(p, v->id_at, "expected a source, found none");
    if (v->vector.verdict == BUILD_VECTOR_REJECT && v->patch_at == NULL)
        build_parser_fail(p, v->id_at, "expected a patch, since the vector is \"reject\", found none");
}

static void complete(build_vector_parser *v)
{
    build_parser *p = v->parser;
    char line[16];
    (void)snprintf(line, sizeof line, ":%" PRIu32, v->id_at->line);
    char *recipe = build_parser_allocate(p, strlen(p->name) + strlen(line));
    (void)strcat(strcat(recipe, p->name), line);
    v->vector.recipe = recipe;
    v->vector.source = build_parser_copy(p, p->defaults.source, strlen(p->defaults.source));
    v->vector.rule = p->defaults.rule;
    v->vector.must = p->defaults.must;
    v->vector.metadata = p->defaults.metadata;
    v->vector.model = p->laid_out;
    v->vector.memory = v->memory;
}

/* A vector of a trace: its `set`s; then, with the trace laid out, the rest. */
static void read_of_trace(build_vector_parser *v, const build_token *body)
{
    build_parser *p = v->parser;
    const build_vector_defaults defaults = p->defaults;
    v->base = build_parser_keep_model(p, build_model_copy(p->defaults.trace));
    read_body(v, body, p->laid_out, true);
    p->defaults = defaults;
    build_model *laid_out = build_parser_keep_model(p, build_model_copy(v->base));
    build_model_lay_out(laid_out);
    build_trace_check(p, v->id_at, laid_out);
    build_parser_count_memory(p, (size_t)laid_out->size);
    read_body(v, body, laid_out, false);
}

/* A vector of a structure in memory: in the second pass, members have their values after all `set`s. */
static void read_of_memory(build_vector_parser *v, const build_token *body)
{
    build_parser *p = v->parser;
    const build_vector_defaults defaults = p->defaults;
    v->memory = build_parser_allocate(p, sizeof *v->memory);
    *v->memory = *p->defaults.memory;
    p->memory = v->memory;
    read_body(v, body, NULL, true);
    p->defaults = defaults;
    read_body(v, body, NULL, false);
}

static void read_vector(build_vector_parser *v)
{
    build_parser *p = v->parser;
    v->vector.id = read_id(p, v->id_at);
    build_parser_need(p, "{");
    (p->defaults.memory != NULL ? read_of_memory : read_of_trace)(v, p->at);
    check(v);
    complete(v);
    if (!p->sink(p->context, &v->vector))
        build_parser_stop(p);
    if (v->base != NULL) {
        build_parser_drop_model(p, p->laid_out);
        build_parser_drop_model(p, v->base);
    }
}

void build_vector_block(build_parser *p)
{
    build_vector_parser v = {.parser = p, .id_at = build_parser_word(p, "an id")};
    const build_vector_defaults defaults = p->defaults;
    build_model *laid_out = p->laid_out;
    const build_memory *memory = p->memory;
    build_arena_block *mark = build_parser_mark(p);
    if (defaults.trace == NULL && defaults.memory == NULL)
        build_parser_fail(p, v.id_at, "expected a trace or a structure in memory before the first vector, found none");
    read_vector(&v);
    p->laid_out = laid_out;
    p->memory = memory;
    p->defaults = defaults;
    build_parser_release(p, mark);
}
