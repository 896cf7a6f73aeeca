/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the file and the JSON of a vector: copies the model, applies the patch, plans the outcome, writes records and
 * regions. Called by the command for each vector.
 */
#include "expect/expected_decode.h"

#include <stdlib.h>
#include <string.h>

#include "expect/complaint.h"
#include "expect/expected_records.h"
#include "expect/expected_regions.h"
#include "expect/vector_json.h"
#include "image/image.h"
#include "memory/memory_expected.h"

/* The sources of a vector's JSON. */
typedef struct build {
    const build_vector *vector;
    build_outcome_plan plan;
    build_regions regions;
    build_field_overrides overrides;
    build_chunk *out;
} build;

/* Overrides. */

static void collect_overrides(build *b)
{
    b->overrides.at = calloc(b->vector->claim_count + 1, sizeof *b->overrides.at);
    if (b->overrides.at == NULL)
        abort();
    for (size_t i = 0; i < b->vector->claim_count; i++) {
        const build_claim *claim = &b->vector->claims[i];
        if (claim->kind == BUILD_CLAIM_EXPECT)
            b->overrides.at[b->overrides.count++] = (build_field_override){claim->node, claim->field, claim->value, false};
    }
}

static bool is_repeated(const build *b, size_t i)
{
    const build_field_override *at = b->overrides.at;
    for (size_t before = 0; before < i; before++)
        if (strcmp(at[before].node, at[i].node) == 0 && strcmp(at[before].field, at[i].field) == 0)
            return true;
    return false;
}

/* Each `expect` sets one field; a second one for the same field would write its key twice. */
static bool all_used_once(const build *b, const char **why)
{
    for (size_t i = 0; i < b->overrides.count; i++) {
        const build_field_override *override = &b->overrides.at[i];
        if (!override->used)
            return build_complain(why, override->node,
                                  "`expect` sets a field of a record or an object that does not exist");
        if (is_repeated(b, i))
            return build_complain(why, override->node, "two `expect` statements set the same field");
    }
    return true;
}

/* Verdict. */

/* What is decoded, in numbers. */
typedef struct tally {
    uint64_t buffers, compressed, events;
    uint64_t by_type[ETL_HEADER_TYPE_COUNT];
} tally;

static const char *end_verdict(const build *b, const tally *t)
{
    const uint64_t errors = build_vector_json_count_findings(b->vector, ETL_SEVERITY_ERROR);
    if (t->events == 0 && !b->plan.session.known)
        return "not-etl";
    if (errors != 0)
        return "damaged";
    return build_vector_json_count_findings(b->vector, ETL_SEVERITY_LIMIT) != 0 ? "limit" : "conforming";
}

/* A recipe lists all findings, so that the verdict follows from them. */
static bool verdict_follows(const build *b, const tally *t, const char **why)
{
    return build_vector_json_check_verdict(b->vector, strcmp(end_verdict(b, t), "conforming") == 0, why);
}

/* Records. */

static void put_node(const build *b, build_json_object *object, const build_claimed_finding *finding)
{
    build_model_node node = {0};
    if (finding->node != NULL && build_model_find(b->plan.model, finding->node, &node) && node.buffer != NULL) {
        const build_buffer_outcome *outcome = &b->plan.buffers[node.buffer - b->plan.model->buffers];
        build_json_object_u64(object, "buffer", outcome->index);
        if (node.event != NULL)
            build_json_object_u64(object, "event", outcome->events[node.event - node.buffer->events].index);
    } else if (finding->place.inflated != NULL) {
        build_json_object_u64(object, "buffer",
                              b->plan.buffers[build_model_buffer_index(b->plan.model, finding->place.inflated)].index);
    }
}

static void put_finding(const build *b, const build_claimed_finding *finding)
{
    build_json_object object =
        build_vector_json_open_finding(b->out, finding, build_outcome_plan_place(&b->plan, &finding->place));
    if (finding->place.inflated != NULL)
        build_json_object_text(&object, "space", "inflated");
    put_node(b, &object, finding);
    build_vector_json_close_finding(&object, finding);
}

/* Those of the expected decode, or those `of_writer`. */
static void put_findings(const build *b, bool of_writer)
{
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        if (build_vector_json_is_of_writer(&b->vector->findings[i]) != of_writer)
            continue;
        build_vector_json_next_record(b->out);
        put_finding(b, &b->vector->findings[i]);
    }
}

static void count_buffer(const build *b, size_t i, tally *t)
{
    const build_model_buffer *buffer = &b->plan.model->buffers[i];
    t->buffers++;
    t->compressed += build_record_is_compressed(&b->plan, i);
    for (size_t n = 0; n < buffer->event_count; n++) {
        const build_event_outcome *outcome = &b->plan.buffers[i].events[n];
        if (!build_outcome_plan_decodes_event(&b->plan, i, n))
            continue;
        t->events++;
        t->by_type[outcome->view.type]++;
    }
}

static void put_types(build_json_object *object, const tally *t)
{
    build_json_object types;
    if (!build_json_object_nest(object, "events_by_header_type", &types))
        return;
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++) {
        const char digits[] = "0123456789abcdef";
        const char key[] = {'0', 'x', digits[type >> 4], digits[type & 15], '\0'};
        if (t->by_type[type] != 0)
            build_json_object_u64(&types, key, t->by_type[type]);
    }
    build_json_object_close(&types);
}

static void put_counts(const build *b, build_json_object *object)
{
    build_json_object bytes;
    build_vector_json_put_findings(object, b->vector);
    if (build_json_object_nest(object, "bytes", &bytes)) {
        for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
            build_json_object_u64(&bytes, etl_region_text((etl_region_kind)kind),
                                  build_regions_count_bytes(&b->regions, (etl_region_kind)kind));
        build_json_object_close(&bytes);
    }
}

static void put_end(build *b, const tally *t)
{
    build_json_object object = build_json_object_open(b->out, &b->overrides, "end");
    build_json_object_text(&object, "rec", "end");
    build_json_object_text(&object, "verdict", end_verdict(b, t));
    build_json_object_u64(&object, "buffers", t->buffers);
    build_json_object_u64(&object, "compressed_buffers", t->compressed);
    build_json_object_u64(&object, "events", t->events);
    put_types(&object, t);
    put_counts(b, &object);
    build_json_object_close(&object);
}

static void put_buffer(build *b, size_t i, size_t *next_region)
{
    const build_model_buffer *buffer = &b->plan.model->buffers[i];
    const build_buffer_outcome *outcome = &b->plan.buffers[i];
    const uint64_t used = build_regions_count_compressed(&b->regions, buffer, next_region);
    build_vector_json_next_record(b->out);
    build_record_of_buffer(&b->plan, i, used, &b->overrides, b->out);
    for (size_t n = 0; n < buffer->event_count; n++) {
        if (!build_outcome_plan_decodes_event(&b->plan, i, outcome->order[n]))
            continue;
        build_vector_json_next_record(b->out);
        build_record_of_event(&b->plan, i, outcome->order[n], &b->overrides, b->out);
    }
}

static void put_records(build *b, const tally *t)
{
    if (b->plan.session.known) {
        build_vector_json_next_record(b->out);
        build_record_of_trace(&b->plan, &b->overrides, b->out);
    }
    size_t next_region = 0;
    for (size_t i = 0; i < b->plan.model->buffer_count; i++)
        if (build_outcome_plan_decodes_buffer(&b->plan, i))
            put_buffer(b, i, &next_region);
    put_findings(b, false);
    build_vector_json_next_record(b->out);
    put_end(b, t);
}

/* The findings that only `etlproof validate --profile writer` reports. */
static void put_writer(const build *b)
{
    bool any = false;
    for (size_t i = 0; i < b->vector->finding_count; i++)
        any |= build_vector_json_is_of_writer(&b->vector->findings[i]);
    if (!any)
        return;
    build_vector_json_key(b->out, "writer");
    build_json_raw(b->out, "[");
    put_findings(b, true);
    build_json_raw(b->out, "\n ]");
}

/* Places. */

static bool has_place(build *b, const build_place *place, const char **why)
{
    if (build_outcome_plan_has_place(&b->plan, place, why))
        return true;
    b->plan.position = place->position;
    return false;
}

/* Checks all places that findings and regions name. */
static bool has_places(build *b, const char **why)
{
    const build_vector *v = b->vector;
    for (size_t i = 0; i < v->finding_count; i++)
        if (!has_place(b, &v->findings[i].place, why))
            return false;
    for (size_t i = 0; i < v->claim_count; i++)
        if (v->claims[i].kind == BUILD_CLAIM_REGION &&
            (!has_place(b, &v->claims[i].from, why) || !has_place(b, &v->claims[i].to, why)))
            return false;
    return true;
}

/* The two files. */

static build_fault fault_of(const build *b)
{
    build_place place;
    if (!build_vector_json_fault_place(b->vector, &place))
        return (build_fault){BUILD_FAULT_NONE, 0};
    return (build_fault){place.inflated != NULL ? BUILD_FAULT_INFLATED : BUILD_FAULT_IN_FILE,
                         build_outcome_plan_place(&b->plan, &place)};
}

static bool put_vector(build *b, const char *sha256, const char **why)
{
    tally t = {0};
    for (size_t i = 0; i < b->plan.model->buffer_count; i++)
        if (build_outcome_plan_decodes_buffer(&b->plan, i))
            count_buffer(b, i, &t);
    if (!has_places(b, why) || !verdict_follows(b, &t, why) || !build_regions_make(&b->regions, &b->plan, why))
        return false;
    const build_fault fault = fault_of(b);
    build_vector_json_put_head(b->out, b->vector, &fault, b->plan.image->size, sha256);
    build_vector_json_key(b->out, "regions");
    build_json_raw(b->out, "[");
    build_regions_put_json(&b->regions, b->out);
    build_json_raw(b->out, "\n ]");
    build_vector_json_key(b->out, "expect");
    build_json_raw(b->out, "[");
    put_records(b, &t);
    build_json_raw(b->out, "\n ]");
    put_writer(b);
    build_json_raw(b->out, "\n}\n");
    return all_used_once(b, why);
}

/* Makes all faults of the vector, its patch last, since that may move bytes. */
static bool apply_patches(const build_vector *vector, build_chunk *image, build_model *model, const char **why,
                          build_position *where)
{
    for (size_t i = 0; i < vector->also_count; i++) {
        *where = vector->also[i].position;
        if (!build_image_patch(image, model, &vector->also[i], why))
            return false;
    }
    *where = vector->patch.position;
    return build_image_patch(image, model, &vector->patch, why);
}

bool build_expected_decode(const build_vector *vector, void (*sha256)(const build_chunk *image, char hex[65]),
                           build_chunk *image, build_chunk *json, const char **why, build_position *where)
{
    if (vector->memory != NULL)
        return build_memory_expected_decode(vector, sha256, image, json, why, where);
    char hex[65];
    build b = {.vector = vector, .out = json};
    build_model *model = build_model_copy(vector->model);
    *image = build_image_make(model);
    *json = (build_chunk){0};
    bool done = apply_patches(vector, image, model, why, where);
    if (done) {
        collect_overrides(&b);
        sha256(image, hex);
        done = build_outcome_plan_make(&b.plan, vector, model, image, why) && put_vector(&b, hex, why);
        *where = b.plan.position;
        build_regions_free(&b.regions);
        build_outcome_plan_free(&b.plan);
        free(b.overrides.at);
    }
    build_model_free(model);
    return done;
}
