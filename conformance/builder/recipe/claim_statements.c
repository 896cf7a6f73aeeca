/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses `finding`, `lost`, `expect`, … into the claims of a vector. Called by vector_block.c, once the trace is laid out.
 */
#include "recipe/claim_statements.h"

#include <string.h>

#include "json/json_text.h"
#include "recipe/expression.h"
#include "recipe/format_names.h"
#include "recipe/reserved_words.h"
#include "recipe/trace_places.h"

enum { CLAIMS_MAX = 4096 };

static build_claim *add_claim(build_vector_parser *v, build_claim_kind kind)
{
    build_vector *vector = &v->vector;
    if (vector->claim_count == CLAIMS_MAX)
        build_parser_fail(v->parser, v->parser->at, "expected at most %d claims, found more", CLAIMS_MAX);
    vector->claims = build_parser_grow(v->parser, vector->claims, vector->claim_count, sizeof *vector->claims);
    build_claim *claim = &vector->claims[vector->claim_count++];
    *claim = (build_claim){.kind = kind};
    return claim;
}

static char *read_node(build_parser *p)
{
    const build_token *name = build_parser_word(p, "a name of the trace");
    (void)build_place_node(p, name);
    return build_parser_copy(p, name->text, name->size);
}

/* Findings. */

static build_claimed_finding *add_finding(build_vector_parser *v)
{
    build_vector *vector = &v->vector;
    if (vector->finding_count == CLAIMS_MAX)
        build_parser_fail(v->parser, v->parser->at, "expected at most %d findings, found more", CLAIMS_MAX);
    vector->findings = build_parser_grow(v->parser, vector->findings, vector->finding_count, sizeof *vector->findings);
    build_claimed_finding *finding = &vector->findings[vector->finding_count++];
    *finding = (build_claimed_finding){.action = -1};
    return finding;
}

static void read_values(build_parser *p, build_claimed_finding *finding)
{
    if (build_parser_take(p, "without")) {
        build_parser_need(p, "values");
        finding->has_no_values = true;
        return;
    }
    if (build_parser_take(p, "expected"))
        finding->expected = build_expression_text(p);
    if (build_parser_take(p, "actual"))
        finding->actual = build_expression_text(p);
}

void build_claim_finding(build_vector_parser *v)
{
    build_parser *p = v->parser;
    const build_token *at = p->at;
    build_claimed_finding *finding = add_finding(v);
    finding->rule = build_format_name_rule(p);
    if (etl_rule_get(finding->rule)->severity == ETL_SEVERITY_STRUCTURE)
        build_parser_fail(p, at, "expected a rule with findings, found a rule of how to read");
    build_parser_need(p, "at");
    finding->place = build_expression_place(p);
    if (build_parser_take(p, "in"))
        finding->node = read_node(p);
    read_values(p, finding);
    if (build_parser_take(p, "loses")) {
        finding->has_lost = true;
        finding->lost = build_expression_number(p);
    }
    if (build_parser_take(p, "does"))
        finding->action = (int)build_format_name_action(p);
}

/* Names. */

static bool at_name(const build_parser *p)
{
    return p->at->kind == BUILD_TOKEN_WORD && !build_is_vector_statement(p->at) && !build_parser_is(p, "as") &&
           !build_parser_is(p, "from");
}

static void read_nodes(build_vector_parser *v, build_claim_kind kind)
{
    do
        add_claim(v, kind)->node = read_node(v->parser);
    while (at_name(v->parser));
}

void build_claim_opaque(build_vector_parser *v)
{
    read_nodes(v, BUILD_CLAIM_OPAQUE);
}

void build_claim_must(build_vector_parser *v)
{
    read_nodes(v, BUILD_CLAIM_MUST);
}

void build_claim_should(build_vector_parser *v)
{
    read_nodes(v, BUILD_CLAIM_SHOULD);
}

void build_claim_events(build_vector_parser *v)
{
    read_nodes(v, BUILD_CLAIM_ORDER);
}

void build_claim_lost(build_vector_parser *v)
{
    build_parser *p = v->parser;
    etl_region_kind region = ETL_REGION_DAMAGED;
    const size_t first = v->vector.claim_count;
    read_nodes(v, BUILD_CLAIM_LOST);
    const build_token *at = p->at;
    if (build_parser_take(p, "from")) {
        if (v->vector.claim_count != first + 1)
            build_parser_fail(p, at, "expected one event before \"from\", found more");
        v->vector.claims[first].kind = BUILD_CLAIM_LOST_FROM;
        v->vector.claims[first].from = build_expression_place(p);
    } else if (build_parser_take(p, "as")) {
        region = build_format_name_region(p);
    }
    for (size_t i = first; i < v->vector.claim_count; i++)
        v->vector.claims[i].region = region;
}

/* Fields and regions. */

/* A value as JSON: bytes are hex, as in the records. */
static char *json_of(build_parser *p, const build_value *value)
{
    build_chunk *out = &p->text;
    out->size = 0;
    if (value->kind == BUILD_VALUE_NUMBER) {
        build_json_i64(out, (int64_t)value->number);
    } else {
        build_json_raw(out, "\"");
        (value->kind == BUILD_VALUE_BYTES ? build_json_dump : build_json_utf8)(out, value->bytes, value->size);
        build_json_raw(out, "\"");
    }
    return build_parser_copy(p, (const char *)out->at, out->size);
}

char *build_claim_json(build_parser *p)
{
    static const char *const words[] = {"true", "false"};
    if (build_parser_take(p, "absent"))
        return NULL;
    if (build_parser_take(p, "json"))
        return build_expression_text(p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (build_parser_take(p, words[i]))
            return build_parser_copy(p, words[i], strlen(words[i]));
    const build_value value = build_expression(p);
    return json_of(p, &value);
}

void build_claim_field(build_vector_parser *v, char *node, char *field, char *value)
{
    build_claim *claim = add_claim(v, BUILD_CLAIM_EXPECT);
    claim->node = node;
    claim->field = field;
    claim->value = value;
}

void build_claim_expect(build_vector_parser *v)
{
    build_parser *p = v->parser;
    const build_token *name = p->at;
    const bool is_record = build_token_is(name, "trace") || build_token_is(name, "end");
    char *node = is_record ? build_parser_copy(p, name->text, name->size) : read_node(p);
    p->at += is_record;
    build_parser_need(p, ".");
    char *field = build_parser_words(p, ".", "a field");
    build_parser_need(p, "=");
    build_claim_field(v, node, field, build_claim_json(p));
}

void build_claim_region(build_vector_parser *v)
{
    build_claim *claim = add_claim(v, BUILD_CLAIM_REGION);
    build_expression_places(v->parser, &claim->from, &claim->to);
    claim->region = build_format_name_region(v->parser);
}
