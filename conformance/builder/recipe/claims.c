/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a vector says of its file: findings, and what of the trace is not read as it was written.
 */
#include <string.h>

#include "json_text.h"
#include "reading.h"

enum { CLAIMS_MAX = 4096 };

static etl_claim *add_claim(etl_vector_reading *v, etl_claim_kind kind)
{
    etl_vector *vector = &v->vector;
    if (vector->claim_count == CLAIMS_MAX)
        etl_reading_fail(v->r, v->r->at, "expected at most %d claims, found more", CLAIMS_MAX);
    vector->claims = etl_reading_grow(v->r, vector->claims, vector->claim_count, sizeof *vector->claims);
    etl_claim *claim = &vector->claims[vector->claim_count++];
    *claim = (etl_claim){.kind = kind};
    return claim;
}

static char *read_node(etl_reading *r)
{
    const etl_token *name = etl_reading_word(r, "a name of the trace");
    (void)etl_places_node(r, name);
    return etl_reading_copy(r, name->text, name->size);
}

/* Findings. */

static etl_claimed_finding *add_finding(etl_vector_reading *v)
{
    etl_vector *vector = &v->vector;
    if (vector->finding_count == CLAIMS_MAX)
        etl_reading_fail(v->r, v->r->at, "expected at most %d findings, found more", CLAIMS_MAX);
    vector->findings = etl_reading_grow(v->r, vector->findings, vector->finding_count, sizeof *vector->findings);
    etl_claimed_finding *finding = &vector->findings[vector->finding_count++];
    *finding = (etl_claimed_finding){.action = -1};
    return finding;
}

void etl_claim_finding(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    const etl_token *at = r->at;
    etl_claimed_finding *finding = add_finding(v);
    finding->rule = etl_tables_rule(r);
    if (etl_rule_get(finding->rule)->severity == ETL_SEVERITY_STRUCTURE)
        etl_reading_fail(r, at, "expected a rule that is reported, found one that says how to read");
    etl_reading_need(r, "at");
    finding->place = etl_expression_place(r);
    if (etl_reading_take(r, "in"))
        finding->node = read_node(r);
    if (etl_reading_take(r, "expected"))
        finding->expected = etl_expression_text(r);
    if (etl_reading_take(r, "actual"))
        finding->actual = etl_expression_text(r);
    if (etl_reading_take(r, "loses")) {
        finding->has_lost = true;
        finding->lost = etl_expression_number(r);
    }
    if (etl_reading_take(r, "does"))
        finding->action = (int)etl_tables_action(r);
}

/* Names. */

static bool at_name(const etl_reading *r)
{
    return r->at->kind == ETL_TOKEN_WORD && !etl_vector_statement(r->at) && !etl_reading_is(r, "as") &&
           !etl_reading_is(r, "from");
}

static void read_nodes(etl_vector_reading *v, etl_claim_kind kind)
{
    do
        add_claim(v, kind)->node = read_node(v->r);
    while (at_name(v->r));
}

void etl_claim_opaque(etl_vector_reading *v)
{
    read_nodes(v, ETL_CLAIM_OPAQUE);
}

void etl_claim_must(etl_vector_reading *v)
{
    read_nodes(v, ETL_CLAIM_MUST);
}

void etl_claim_should(etl_vector_reading *v)
{
    read_nodes(v, ETL_CLAIM_SHOULD);
}

void etl_claim_events(etl_vector_reading *v)
{
    read_nodes(v, ETL_CLAIM_ORDER);
}

void etl_claim_lost(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    etl_region_kind region = ETL_REGION_DAMAGED;
    const size_t first = v->vector.claim_count;
    read_nodes(v, ETL_CLAIM_LOST);
    const etl_token *at = r->at;
    if (etl_reading_take(r, "from")) {
        if (v->vector.claim_count != first + 1)
            etl_reading_fail(r, at, "expected one event before \"from\", found more");
        v->vector.claims[first].kind = ETL_CLAIM_LOST_FROM;
        v->vector.claims[first].from = etl_expression_place(r);
    } else if (etl_reading_take(r, "as")) {
        region = etl_tables_region(r);
    }
    for (size_t i = first; i < v->vector.claim_count; i++)
        v->vector.claims[i].region = region;
}

/* Fields and regions. */

/* A value as JSON: bytes are hex, as in the records. */
static char *json_of(etl_reading *r, const etl_value *value)
{
    etl_chunk *out = &r->text;
    out->size = 0;
    if (value->kind == ETL_VALUE_NUMBER) {
        etl_text_i64(out, (int64_t)value->number);
    } else {
        etl_text(out, "\"");
        (value->kind == ETL_VALUE_BYTES ? etl_text_dump : etl_text_utf8)(out, value->bytes, value->size);
        etl_text(out, "\"");
    }
    return etl_reading_copy(r, (const char *)out->at, out->size);
}

/* NULL for `absent`. */
static char *read_json(etl_reading *r)
{
    static const char *const words[] = {"true", "false"};
    if (etl_reading_take(r, "absent"))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (etl_reading_take(r, words[i]))
            return etl_reading_copy(r, words[i], strlen(words[i]));
    const etl_value value = etl_expression(r);
    return json_of(r, &value);
}

void etl_claim_expect(etl_vector_reading *v)
{
    etl_reading *r = v->r;
    const etl_token *name = r->at;
    const bool is_record = etl_token_is(name, "trace") || etl_token_is(name, "end");
    etl_claim *claim = add_claim(v, ETL_CLAIM_EXPECT);
    claim->node = is_record ? etl_reading_copy(r, name->text, name->size) : read_node(r);
    r->at += is_record;
    etl_reading_need(r, ".");
    claim->field = etl_reading_words(r, ".", "a field");
    etl_reading_need(r, "=");
    claim->value = read_json(r);
}

void etl_claim_region(etl_vector_reading *v)
{
    etl_claim *claim = add_claim(v, ETL_CLAIM_REGION);
    etl_expression_places(v->r, &claim->from, &claim->to);
    claim->region = etl_tables_region(v->r);
}
