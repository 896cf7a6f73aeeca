/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `finding`, `lost`, `expect`, … to the claims of a vector. Called by vector_block.c, once the trace is laid out.
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
        build_parser_fail(v->r, v->r->at, "expected at most %d claims, found more", CLAIMS_MAX);
    vector->claims = build_parser_grow(v->r, vector->claims, vector->claim_count, sizeof *vector->claims);
    build_claim *claim = &vector->claims[vector->claim_count++];
    *claim = (build_claim){.kind = kind};
    return claim;
}

static char *read_node(build_parser *r)
{
    const build_token *name = build_parser_word(r, "a name of the trace");
    (void)build_place_node(r, name);
    return build_parser_copy(r, name->text, name->size);
}

/* Findings. */

static build_claimed_finding *add_finding(build_vector_parser *v)
{
    build_vector *vector = &v->vector;
    if (vector->finding_count == CLAIMS_MAX)
        build_parser_fail(v->r, v->r->at, "expected at most %d findings, found more", CLAIMS_MAX);
    vector->findings = build_parser_grow(v->r, vector->findings, vector->finding_count, sizeof *vector->findings);
    build_claimed_finding *finding = &vector->findings[vector->finding_count++];
    *finding = (build_claimed_finding){.action = -1};
    return finding;
}

void build_claim_finding(build_vector_parser *v)
{
    build_parser *r = v->r;
    const build_token *at = r->at;
    build_claimed_finding *finding = add_finding(v);
    finding->rule = build_format_name_rule(r);
    if (etl_rule_get(finding->rule)->severity == ETL_SEVERITY_STRUCTURE)
        build_parser_fail(r, at, "expected a rule with findings, found a rule of how to read");
    build_parser_need(r, "at");
    finding->place = build_expression_place(r);
    if (build_parser_take(r, "in"))
        finding->node = read_node(r);
    if (build_parser_take(r, "expected"))
        finding->expected = build_expression_text(r);
    if (build_parser_take(r, "actual"))
        finding->actual = build_expression_text(r);
    if (build_parser_take(r, "loses")) {
        finding->has_lost = true;
        finding->lost = build_expression_number(r);
    }
    if (build_parser_take(r, "does"))
        finding->action = (int)build_format_name_action(r);
}

/* Names. */

static bool at_name(const build_parser *r)
{
    return r->at->kind == BUILD_TOKEN_WORD && !build_is_vector_statement(r->at) && !build_parser_is(r, "as") &&
           !build_parser_is(r, "from");
}

static void read_nodes(build_vector_parser *v, build_claim_kind kind)
{
    do
        add_claim(v, kind)->node = read_node(v->r);
    while (at_name(v->r));
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
    build_parser *r = v->r;
    etl_region_kind region = ETL_REGION_DAMAGED;
    const size_t first = v->vector.claim_count;
    read_nodes(v, BUILD_CLAIM_LOST);
    const build_token *at = r->at;
    if (build_parser_take(r, "from")) {
        if (v->vector.claim_count != first + 1)
            build_parser_fail(r, at, "expected one event before \"from\", found more");
        v->vector.claims[first].kind = BUILD_CLAIM_LOST_FROM;
        v->vector.claims[first].from = build_expression_place(r);
    } else if (build_parser_take(r, "as")) {
        region = build_format_name_region(r);
    }
    for (size_t i = first; i < v->vector.claim_count; i++)
        v->vector.claims[i].region = region;
}

/* Fields and regions. */

/* A value as JSON: bytes are hex, as in the records. */
static char *json_of(build_parser *r, const build_value *value)
{
    build_chunk *out = &r->text;
    out->size = 0;
    if (value->kind == BUILD_VALUE_NUMBER) {
        build_json_i64(out, (int64_t)value->number);
    } else {
        build_json_raw(out, "\"");
        (value->kind == BUILD_VALUE_BYTES ? build_json_dump : build_json_utf8)(out, value->bytes, value->size);
        build_json_raw(out, "\"");
    }
    return build_parser_copy(r, (const char *)out->at, out->size);
}

/* NULL for `absent`. */
static char *read_json(build_parser *r)
{
    static const char *const words[] = {"true", "false"};
    if (build_parser_take(r, "absent"))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (build_parser_take(r, words[i]))
            return build_parser_copy(r, words[i], strlen(words[i]));
    const build_value value = build_expression(r);
    return json_of(r, &value);
}

void build_claim_expect(build_vector_parser *v)
{
    build_parser *r = v->r;
    const build_token *name = r->at;
    const bool is_record = build_token_is(name, "trace") || build_token_is(name, "end");
    build_claim *claim = add_claim(v, BUILD_CLAIM_EXPECT);
    claim->node = is_record ? build_parser_copy(r, name->text, name->size) : read_node(r);
    r->at += is_record;
    build_parser_need(r, ".");
    claim->field = build_parser_words(r, ".", "a field");
    build_parser_need(r, "=");
    claim->value = read_json(r);
}

void build_claim_region(build_vector_parser *v)
{
    build_claim *claim = add_claim(v, BUILD_CLAIM_REGION);
    build_expression_places(v->r, &claim->from, &claim->to);
    claim->region = build_format_name_region(v->r);
}
