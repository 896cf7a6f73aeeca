/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector. Its statements are read twice: first for the `set`s, which the layout follows from, then for all others, whose
 * places are those of the layout.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "reading.h"

/* Statements. */

static void read_title(etl_vector_reading *v)
{
    v->vector.title = etl_expression_text(v->r);
}

/* What a trace is before it is laid out has no places. In the second reading it only passes the words. */
static void read_set(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    const bool skipping = r->skipping;
    etl_model *laid = r->laid;
    etl_model_node node;
    const etl_token *name = etl_reading_word(r, "a name of the trace");
    if (!etl_model_find(v->base, etl_reading_copy(r, name->text, name->size), &node))
        etl_reading_expected_at(r, name, "a name of the trace");
    etl_reading_need(r, ".");
    r->skipping = false;
    r->laid = NULL;
    etl_assign(r, &node);
    r->skipping = skipping;
    r->laid = laid;
}

static void give_verdict(etl_vector_reading *v, etl_vector_verdict verdict)
{
    if (v->has_verdict)
        etl_reading_fail(v->r, v->r->at - 1, "expected one verdict, found another");
    v->has_verdict = true;
    v->vector.verdict = verdict;
}

static void read_accept(etl_vector_reading *v)
{
    give_verdict(v, ETL_VECTOR_ACCEPT);
}

static void read_reject(etl_vector_reading *v)
{
    give_verdict(v, ETL_VECTOR_REJECT);
}

static void read_either(etl_vector_reading *v)
{
    give_verdict(v, ETL_VECTOR_EITHER);
    v->vector.flag = etl_tables_flag(v->r);
}

static void read_tells(etl_vector_reading *v)
{
    v->vector.tells = true;
}

/* Those that hold for the rest of a block are read elsewhere. */
static const struct {
    const char *name;
    void (*read)(etl_vector_reading *v);
} statements[] = {{"source", NULL},
                  {"rule", NULL},
                  {"level", NULL},
                  {"title", read_title},
                  {"set", read_set},
                  {"patch", etl_patch_read},
                  {"accept", read_accept},
                  {"reject", read_reject},
                  {"either", read_either},
                  {"tells", read_tells},
                  {"finding", etl_claim_finding},
                  {"lost", etl_claim_lost},
                  {"opaque", etl_claim_opaque},
                  {"must", etl_claim_must},
                  {"should", etl_claim_should},
                  {"events", etl_claim_events},
                  {"expect", etl_claim_expect},
                  {"region", etl_claim_region}};

bool etl_vector_statement(const etl_token *word)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (etl_token_is(word, statements[i].name))
            return true;
    return false;
}

static void read_statement(etl_vector_reading *v)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (statements[i].read != NULL && etl_reading_take(v->r, statements[i].name)) {
            statements[i].read(v);
            return;
        }
    if (!etl_default_read(v->r))
        etl_reading_expected(v->r, "a statement of a vector, or \"}\"");
}

/* The body once; what the first reading collects beside `set` is dropped. */
static void read_body(etl_vector_reading *v, const etl_token *body, etl_model *laid, bool skipping)
{
    etl_reading *r = v->r;
    r->at = body;
    r->skipping = skipping;
    r->laid = laid;
    v->vector = (etl_vector){.id = v->vector.id};
    v->has_verdict = false;
    v->patch_at = NULL;
    while (!etl_reading_take(r, "}"))
        read_statement(v);
    r->skipping = false;
}

/* Ids. */

static void check_id(etl_reading *r, const etl_token *at, const char *id)
{
    const size_t size = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (size == 0 || id[size] != '\0')
        etl_reading_fail(r, at, "expected an id of a-z, 0-9 and -, found \"%s\"", id);
    if (id[0] == '-') /* a command would take it for an option */
        etl_reading_fail(r, at, "expected an id that does not start with -, found \"%s\"", id);
    if (size > ETL_RECIPE_ID_MAX)
        etl_reading_fail(r, at, "expected an id of at most %d letters, found a longer one", ETL_RECIPE_ID_MAX);
    for (size_t i = 0; i < r->id_count; i++)
        if (strcmp(r->ids[i], id) == 0)
            etl_reading_fail(r, at, "expected an id that is not taken, found \"%s\"", id);
    if (r->id_count == ETL_RECIPE_VECTORS_MAX)
        etl_reading_fail(r, at, "expected at most %d vectors in a recipe, found more", ETL_RECIPE_VECTORS_MAX);
}

/* The reading keeps a copy that outlives the turn of a `repeat`. */
static char *read_id(etl_reading *r, const etl_token *at)
{
    char *id = etl_text_id(r, at);
    check_id(r, at, id);
    const size_t size = strlen(id) + 1;
    r->ids = etl_list_grow(r->ids, r->id_count, sizeof *r->ids);
    char *copy = etl_list_grow(NULL, 0, size);
    r->ids[r->id_count++] = memcpy(copy, id, size);
    return id;
}

/* The whole. */

/* What a vector has to say, and may not. */
static void check(const etl_vector_reading *v)
{
    etl_reading *r = v->r;
    const etl_defaults *defaults = &r->defaults;
    if (defaults->rule == ETL_RULE_COUNT)
        etl_reading_fail(r, v->id_at, "expected a rule, found none");
    const etl_rule_info *rule = etl_rule_get(defaults->rule);
    const size_t group_size = strlen(rule->group);
    if (strncmp(r->name, rule->group, group_size) != 0 || r->name[group_size] != '/')
        etl_reading_fail(r, v->id_at, "expected a rule of this folder's group, found %s of group %s", rule->id,
                         rule->group);
    if (v->vector.title == NULL || *v->vector.title == '\0')
        etl_reading_fail(r, v->id_at, "expected a title, found none");
    if (!v->has_verdict)
        etl_reading_fail(r, v->id_at, "expected \"accept\", \"reject\" or \"either FLAG\", found none");
    if (defaults->source == NULL)
        etl_reading_fail(r, v->id_at, "expected a source, found none");
    if (v->vector.verdict == ETL_VECTOR_REJECT && v->patch_at == NULL)
        etl_reading_fail(r, v->id_at, "expected a patch, since the vector is \"reject\", found none");
}

static void complete(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    char line[16];
    (void)snprintf(line, sizeof line, ":%" PRIu32, v->id_at->line);
    char *recipe = etl_reading_memory(r, strlen(r->name) + strlen(line));
    (void)strcat(strcat(recipe, r->name), line);
    v->vector.recipe = recipe;
    v->vector.source = etl_reading_copy(r, r->defaults.source, strlen(r->defaults.source));
    v->vector.rule = r->defaults.rule;
    v->vector.must = r->defaults.must;
    v->vector.model = r->laid;
}

static void read_vector(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    v->vector.id = read_id(r, v->id_at);
    etl_reading_need(r, "{");
    const etl_token *body = r->at;
    v->base = etl_reading_keep(r, etl_model_copy(r->defaults.trace));
    const etl_defaults defaults = r->defaults;
    read_body(v, body, r->laid, true);
    r->defaults = defaults;
    etl_model *laid = etl_reading_keep(r, etl_model_copy(v->base));
    etl_model_lay_out(laid);
    etl_trace_check(r, v->id_at, laid);
    read_body(v, body, laid, false);
    check(v);
    complete(v);
    if (!r->sink(r->context, &v->vector))
        etl_reading_stop(r);
    etl_reading_drop(r, laid);
    etl_reading_drop(r, v->base);
}

void etl_vector_read(etl_reading *r)
{
    etl_vector_reading v = {.r = r, .id_at = etl_reading_word(r, "an id")};
    const etl_defaults defaults = r->defaults;
    etl_model *laid = r->laid;
    etl_arena_block *mark = etl_reading_mark(r);
    if (defaults.trace == NULL)
        etl_reading_fail(r, v.id_at, "expected a trace before the first vector, found none");
    read_vector(&v);
    r->laid = laid;
    r->defaults = defaults;
    etl_reading_release(r, mark);
}
