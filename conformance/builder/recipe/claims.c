/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vector. Its statements are read twice: first the `set`s, which the layout follows from, then all others, whose places
 * are those of the layout.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

enum { CLAIMS_MAX = 4096 };

typedef struct vector_reading {
    etl_reading *r;
    const etl_token *id_at;
    etl_vector vector;
    etl_model *base;       /* a copy of the trace; `set` changes it */
    bool has_verdict;
    const etl_token *patch_at; /* NULL: none yet */
} vector_reading;

static const char *const statements[] = {"title", "rule", "source", "level", "set", "patch", "accept", "reject", "either", "tells", "finding", "lost",
                                         "opaque", "must", "should", "expect", "region", "events"};

static bool at_statement(const etl_reading *r)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (etl_reading_is(r, statements[i]))
            return true;
    return false;
}

/* Names and memory. */

static etl_claim *add_claim(vector_reading *v, etl_claim_kind kind)
{
    etl_vector *vector = &v->vector;
    if (vector->claims == NULL)
        vector->claims = etl_reading_memory(v->r, CLAIMS_MAX * sizeof *vector->claims);
    if (vector->claim_count == CLAIMS_MAX)
        etl_reading_fail(v->r, v->r->at, "expected at most %d claims, found more", CLAIMS_MAX);
    etl_claim *claim = &vector->claims[vector->claim_count++];
    *claim = (etl_claim){.kind = kind};
    return claim;
}

/* A name of the trace, checked unless this is the first reading. */
static char *read_node(etl_reading *r)
{
    const etl_token *name = etl_reading_word(r, "a name of the trace");
    (void)etl_places_node(r, name);
    return etl_reading_copy(r, name->text, name->size);
}

static etl_region_kind read_region(etl_reading *r)
{
    const etl_token *from = etl_reading_word(r, "a kind of region");
    while (etl_reading_take(r, "-"))
        (void)etl_reading_word(r, "a kind of region");
    const char *text = etl_reading_source(r, from, r->at);
    etl_region_kind kind = ETL_REGION_DAMAGED;
    if (!etl_tables_region(text, &kind))
        etl_reading_fail(r, from, "expected a kind of region, found \"%s\"", text);
    return kind;
}

static etl_rule read_rule(etl_reading *r)
{
    const etl_token *at = etl_reading_word(r, "a rule, such as SIZ-001");
    const char *id = etl_reading_copy(r, at->text, at->size);
    const etl_rule rule = etl_rule_find(id);
    if (rule == ETL_RULE_COUNT)
        etl_reading_fail(r, at, "expected a rule of rules.def, found \"%s\"", id);
    return rule;
}

/* Patches. */

static etl_patch *begin_patch(vector_reading *v, const etl_token *at, etl_patch_kind kind)
{
    if (v->patch_at)
        etl_reading_fail(v->r, at, "expected one patch at most, found another (the first is on line %" PRIu32 ")", v->patch_at->line);
    v->patch_at = at;
    v->vector.patch.kind = kind;
    return &v->vector.patch;
}

static void place_patch(etl_patch *patch, etl_place place)
{
    patch->inflated = place.inflated;
    patch->offset = place.offset;
}

/* The bytes stay the reading's: the patch only borrows them. */
static void fill_patch(etl_patch *patch, const void *bytes, size_t size)
{
    patch->bytes = (etl_chunk){.at = (uint8_t *)(uintptr_t)bytes, .size = size};
    patch->size = size;
}

static void read_patch_bytes(vector_reading *v, etl_patch *patch)
{
    etl_reading *r = v->r;
    const etl_token *from = r->at - 1;
    etl_reading_need(r, "at");
    place_patch(patch, etl_expression_place(r));
    v->vector.place = etl_reading_source(r, from, r->at);
    etl_reading_need(r, "=");
    const etl_value value = etl_expression_bytes(r);
    fill_patch(patch, value.bytes, value.size);
}

static void read_cut(vector_reading *v, etl_patch *patch)
{
    const etl_token *from = v->r->at - 1;
    etl_reading_need(v->r, "at");
    place_patch(patch, etl_expression_place(v->r));
    v->vector.place = etl_reading_source(v->r, from, v->r->at);
}

static void read_append(vector_reading *v, etl_patch *patch)
{
    patch->offset = v->r->laid ? v->r->laid->size : 0;
    v->vector.place = etl_reading_source(v->r, v->r->at - 1, v->r->at);
    etl_reading_need(v->r, "=");
    const etl_value value = etl_expression_bytes(v->r);
    fill_patch(patch, value.bytes, value.size);
}

static void read_remove(vector_reading *v, etl_patch *patch)
{
    const etl_token *from = v->r->at - 1;
    place_patch(patch, etl_expression_place(v->r));
    etl_reading_need(v->r, "..");
    const etl_token *to_at = v->r->at;
    const etl_place to = etl_expression_place(v->r);
    v->vector.place = etl_reading_source(v->r, from, v->r->at);
    if (!v->r->skipping && (to.inflated != patch->inflated || to.offset <= patch->offset))
        etl_reading_fail(v->r, to_at, "expected a place behind the first one, found another");
    patch->size = to.offset - patch->offset;
}

static void read_move(vector_reading *v, etl_patch *patch)
{
    etl_reading *r = v->r;
    const etl_token *from = r->at - 1, *name = etl_reading_word(r, "an event");
    const etl_model_node node = etl_places_node(r, name);
    if (!r->skipping && node.event == NULL)
        etl_reading_fail(r, name, "expected an event, found a buffer");
    const etl_value start = etl_places_start(r, &node);
    place_patch(patch, (etl_place){start.inflated, start.number});
    patch->size = node.event ? node.event->size : 0;
    etl_reading_need(r, "by");
    patch->by = (int64_t)etl_expression_number(r);
    v->vector.place = etl_reading_source(r, from, r->at);
}

/* A value as the member stores it: assigned to a copy of its structure, and taken from there. */
static void read_patch_member(vector_reading *v, etl_patch *patch)
{
    etl_reading *r = v->r;
    const etl_token *name = etl_reading_word(r, "\"bytes\", \"cut\", \"append\", \"insert\", \"remove\", \"move\" or a name of the trace");
    const etl_model_node node = etl_places_node(r, name);
    const char *member;
    etl_value place;
    etl_reading_need(r, ".");
    const etl_part *part = etl_places_member(r, &node, &member, &place);
    v->vector.place = etl_reading_source(r, name, r->at);
    etl_reading_need(r, "=");
    const etl_token *value_at = r->at;
    const etl_value value = etl_expression(r);
    if (part == NULL)
        return;
    etl_part *copy = etl_reading_memory(r, sizeof *copy);
    uint32_t offset = 0;
    etl_member_kind kind = ETL_MEMBER_KIND_U8;
    *copy = *part;
    etl_trace_assign(r, value_at, copy, member, &value);
    (void)etl_part_find(copy, member, &offset, &kind);
    place_patch(patch, (etl_place){place.inflated, place.number});
    fill_patch(patch, copy->bytes + offset, etl_member_kind_size(kind));
}

static void read_patch(vector_reading *v)
{
    const etl_token *at = v->r->at - 1;
    if (etl_reading_take(v->r, "bytes"))
        read_patch_bytes(v, begin_patch(v, at, ETL_PATCH_BYTES));
    else if (etl_reading_take(v->r, "cut"))
        read_cut(v, begin_patch(v, at, ETL_PATCH_CUT));
    else if (etl_reading_take(v->r, "append"))
        read_append(v, begin_patch(v, at, ETL_PATCH_INSERT));
    else if (etl_reading_take(v->r, "insert"))
        read_patch_bytes(v, begin_patch(v, at, ETL_PATCH_INSERT));
    else if (etl_reading_take(v->r, "remove"))
        read_remove(v, begin_patch(v, at, ETL_PATCH_REMOVE));
    else if (etl_reading_take(v->r, "move"))
        read_move(v, begin_patch(v, at, ETL_PATCH_MOVE));
    else
        read_patch_member(v, begin_patch(v, at, ETL_PATCH_BYTES));
}

/* Findings. */

static etl_claimed_finding *add_finding(vector_reading *v)
{
    etl_vector *vector = &v->vector;
    if (vector->findings == NULL)
        vector->findings = etl_reading_memory(v->r, CLAIMS_MAX * sizeof *vector->findings);
    if (vector->finding_count == CLAIMS_MAX)
        etl_reading_fail(v->r, v->r->at, "expected at most %d findings, found more", CLAIMS_MAX);
    etl_claimed_finding *finding = &vector->findings[vector->finding_count++];
    *finding = (etl_claimed_finding){.action = -1};
    return finding;
}

static int read_action(etl_reading *r)
{
    const etl_token *at = etl_reading_word(r, "an action");
    const char *text = etl_reading_copy(r, at->text, at->size);
    etl_action action;
    if (!etl_tables_action(text, &action))
        etl_reading_fail(r, at, "expected an action of actions.def, found \"%s\"", text);
    return (int)action;
}

static void read_finding(vector_reading *v)
{
    etl_reading *r = v->r;
    const etl_token *at = r->at;
    etl_claimed_finding *finding = add_finding(v);
    finding->rule = read_rule(r);
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
        finding->action = read_action(r);
}

/* Claims. */

static void read_lost(vector_reading *v)
{
    etl_reading *r = v->r;
    const size_t first = v->vector.claim_count;
    do {
        etl_claim *claim = add_claim(v, ETL_CLAIM_LOST);
        claim->node = read_node(r);
        claim->region = ETL_REGION_DAMAGED;
    } while (r->at->kind == ETL_TOKEN_WORD && !at_statement(r) && !etl_reading_is(r, "as") && !etl_reading_is(r, "from"));
    const etl_token *at = r->at;
    if (etl_reading_take(r, "from")) {
        if (v->vector.claim_count != first + 1)
            etl_reading_fail(r, at, "expected one event before \"from\", found more");
        v->vector.claims[first].kind = ETL_CLAIM_LOST_FROM;
        v->vector.claims[first].from = etl_expression_place(r);
    } else if (etl_reading_take(r, "as")) {
        const etl_region_kind region = read_region(r);
        for (size_t i = first; i < v->vector.claim_count; i++)
            v->vector.claims[i].region = region;
    }
}

static void read_nodes(vector_reading *v, etl_claim_kind kind)
{
    do
        add_claim(v, kind)->node = read_node(v->r);
    while (v->r->at->kind == ETL_TOKEN_WORD && !at_statement(v->r));
}

static char *json_text(etl_reading *r, const etl_value *value)
{
    static const char digits[] = "0123456789abcdef";
    char *out = etl_reading_memory(r, value->size * 6 + 3);
    size_t to = 0;
    out[to++] = '"';
    for (size_t i = 0; i < value->size; i++) {
        const uint8_t byte = value->bytes[i];
        if (value->kind == ETL_VALUE_BYTES) {
            out[to++] = digits[byte >> 4];
            out[to++] = digits[byte & 15];
        } else if (byte < 0x20) {
            to += (size_t)snprintf(out + to, 7, "\\u%04x", byte);
        } else {
            if (byte == '"' || byte == '\\')
                out[to++] = '\\';
            out[to++] = (char)byte;
        }
    }
    out[to] = '"';
    return out;
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
    if (value.kind != ETL_VALUE_NUMBER)
        return json_text(r, &value);
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, (int64_t)value.number);
    return etl_reading_copy(r, text, strlen(text));
}

static void read_expect(vector_reading *v)
{
    etl_reading *r = v->r;
    const bool record = etl_reading_is(r, "trace") || etl_reading_is(r, "end");
    etl_claim *claim = add_claim(v, ETL_CLAIM_EXPECT);
    const etl_token *name = r->at;
    claim->node = record ? etl_reading_copy(r, name->text, name->size) : read_node(r);
    r->at += record;
    etl_reading_need(r, ".");
    const etl_token *from = etl_reading_word(r, "a field");
    while (etl_reading_take(r, "."))
        (void)etl_reading_word(r, "a field");
    claim->field = etl_reading_source(r, from, r->at);
    etl_reading_need(r, "=");
    claim->value = read_json(r);
}

static void read_region_claim(vector_reading *v)
{
    etl_claim *claim = add_claim(v, ETL_CLAIM_REGION);
    claim->from = etl_expression_place(v->r);
    etl_reading_need(v->r, "..");
    claim->to = etl_expression_place(v->r);
    claim->region = read_region(v->r);
}

/* Carried out again in the second reading, to the same effect, since that is how its words are passed over. */
static void read_set(vector_reading *v)
{
    const bool skipping = v->r->skipping;
    v->r->skipping = false;
    etl_trace_set(v->r, v->base);
    v->r->skipping = skipping;
}

static void give_verdict(vector_reading *v, etl_vector_verdict verdict)
{
    if (v->has_verdict)
        etl_reading_fail(v->r, v->r->at - 1, "expected one verdict, found another");
    v->has_verdict = true;
    v->vector.verdict = verdict;
}

static void read_either(vector_reading *v)
{
    give_verdict(v, ETL_VECTOR_EITHER);
    const etl_token *at = etl_reading_word(v->r, "a flag");
    const char *text = etl_reading_copy(v->r, at->text, at->size);
    v->vector.flag = etl_tables_flag(text);
    if (v->vector.flag == NULL)
        etl_reading_fail(v->r, at, "expected a flag of flags.def, found \"%s\"", text);
}

static bool read_verdict(vector_reading *v)
{
    if (etl_reading_take(v->r, "accept"))
        give_verdict(v, ETL_VECTOR_ACCEPT);
    else if (etl_reading_take(v->r, "reject"))
        give_verdict(v, ETL_VECTOR_REJECT);
    else if (etl_reading_take(v->r, "either"))
        read_either(v);
    else
        return false;
    return true;
}

static bool read_claim(vector_reading *v)
{
    if (etl_reading_take(v->r, "finding"))
        read_finding(v);
    else if (etl_reading_take(v->r, "lost"))
        read_lost(v);
    else if (etl_reading_take(v->r, "opaque"))
        read_nodes(v, ETL_CLAIM_OPAQUE);
    else if (etl_reading_take(v->r, "must"))
        read_nodes(v, ETL_CLAIM_MUST);
    else if (etl_reading_take(v->r, "should"))
        read_nodes(v, ETL_CLAIM_SHOULD);
    else if (etl_reading_take(v->r, "events"))
        read_nodes(v, ETL_CLAIM_ORDER);
    else if (etl_reading_take(v->r, "expect"))
        read_expect(v);
    else if (etl_reading_take(v->r, "region"))
        read_region_claim(v);
    else
        return false;
    return true;
}

static void read_statement(vector_reading *v)
{
    etl_reading *r = v->r;
    if (etl_reading_take(r, "title"))
        v->vector.title = etl_expression_text(r);
    else if (etl_reading_take(r, "set"))
        read_set(v);
    else if (etl_reading_take(r, "patch"))
        read_patch(v);
    else if (etl_reading_take(r, "tells"))
        v->vector.tells = true;
    else if (!etl_default_read(r) && !read_verdict(v) && !read_claim(v))
        etl_reading_expected(r, "a statement of a vector, or \"}\"");
}

static void read_statements(vector_reading *v)
{
    while (!etl_reading_take(v->r, "}"))
        read_statement(v);
}

/* What a vector has to say, and may not. */
static void check(const vector_reading *v)
{
    etl_reading *r = v->r;
    const etl_defaults *defaults = &r->defaults;
    const char *group = etl_rule_get(defaults->rule)->group;
    if (v->vector.title == NULL)
        etl_reading_fail(r, v->id_at, "expected a title, found none");
    if (!v->has_verdict)
        etl_reading_fail(r, v->id_at, "expected \"accept\", \"reject\" or \"either FLAG\", found none");
    if (defaults->source == NULL)
        etl_reading_fail(r, v->id_at, "expected a source, found none");
    if (strncmp(r->name, group, strlen(group)) != 0 || r->name[strlen(group)] != '/')
        etl_reading_fail(r, v->id_at, "expected a rule of this folder's group, found %s of group %s",
                         etl_rule_get(defaults->rule)->id, group);
    if (v->vector.verdict == ETL_VECTOR_REJECT && v->patch_at == NULL)
        etl_reading_fail(r, v->id_at, "expected a patch, since the vector is \"reject\", found none");
}

static void check_id(etl_reading *r, const etl_token *at, const char *id)
{
    for (const char *c = id; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '-')
            etl_reading_fail(r, at, "expected an id of a-z, 0-9 and -, found \"%s\"", id);
    if (*id == '\0')
        etl_reading_fail(r, at, "expected an id, found an empty one");
    for (size_t i = 0; i < r->id_count; i++)
        if (strcmp(r->ids[i], id) == 0)
            etl_reading_fail(r, at, "expected an id that is not taken, found \"%s\"", id);
}

static char *keep_id(etl_reading *r, const etl_token *at)
{
    char *id = etl_text_fill_in(r, at, at->text, at->size);
    check_id(r, at, id);
    if (r->id_count == r->id_room) {
        r->id_room = r->id_room * 2 + 64;
        char **grown = realloc(r->ids, r->id_room * sizeof *grown);
        if (grown == NULL)
            abort();
        r->ids = grown;
    }
    if (r->id_count == ETL_RECIPE_VECTORS_MAX)
        etl_reading_fail(r, at, "expected at most %d vectors in a recipe, found more", ETL_RECIPE_VECTORS_MAX);
    const size_t size = strlen(id) + 1;
    r->ids[r->id_count] = malloc(size);
    if (r->ids[r->id_count] == NULL)
        abort();
    memcpy(r->ids[r->id_count++], id, size);
    return id;
}

static void complete(vector_reading *v)
{
    etl_reading *r = v->r;
    char line[16];
    (void)snprintf(line, sizeof line, ":%" PRIu32, v->id_at->line);
    char *recipe = etl_reading_memory(r, strlen(r->name) + strlen(line) + 1);
    (void)strcat(strcat(recipe, r->name), line);
    v->vector.recipe = recipe;
    v->vector.source = etl_reading_copy(r, r->defaults.source, strlen(r->defaults.source));
    v->vector.rule = r->defaults.rule;
    v->vector.must = r->defaults.must;
    v->vector.model = r->laid;
}

/* Reads the body once; what the first reading collects beside `set` is dropped. */
static void read_body(vector_reading *v, const etl_token *body, etl_model *laid)
{
    etl_reading *r = v->r;
    r->at = body;
    r->skipping = laid == NULL;
    r->laid = laid;
    char *id = v->vector.id;
    v->vector = (etl_vector){.id = id};
    v->has_verdict = false;
    v->patch_at = NULL;
    read_statements(v);
    r->skipping = false;
}

void etl_vector_read(etl_reading *r)
{
    vector_reading v = {.r = r, .id_at = etl_reading_word(r, "an id")};
    const etl_defaults defaults = r->defaults;
    etl_model *before = r->laid;
    etl_arena_block *mark = etl_reading_mark(r);
    if (defaults.trace == NULL)
        etl_reading_fail(r, v.id_at, "expected a trace before the first vector, found none");
    v.vector.id = keep_id(r, v.id_at);
    etl_reading_need(r, "{");
    const etl_token *body = r->at;
    v.base = etl_reading_keep(r, etl_model_copy(defaults.trace));
    read_body(&v, body, NULL);
    etl_model *laid = etl_reading_keep(r, etl_model_copy(v.base));
    etl_model_lay_out(laid);
    read_body(&v, body, laid);
    if (r->defaults.rule == ETL_RULE_COUNT)
        etl_reading_fail(r, v.id_at, "expected a rule, found none");
    check(&v);
    complete(&v);
    if (!r->sink(r->context, &v.vector))
        etl_reading_stop(r);
    etl_reading_drop(r, laid);
    etl_reading_drop(r, v.base);
    r->laid = before;
    r->defaults = defaults;
    etl_reading_release(r, mark);
}
