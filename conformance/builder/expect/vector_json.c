/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the JSON members that all vectors have, their findings and their verdict. Called by expected_decode.c for traces
 * and by memory_expected.c for structures in memory.
 */
#include "expect/vector_json.h"

#include <string.h>

#include "expect/complaint.h"

static const char *flag_reason(const char *flag)
{
    static const struct {
        const char *text, *reason;
    } flags[] = {
#define BUILD_FLAG(text, reason) {text, reason},
#include "flags.def"
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flags[i].text, flag) == 0)
            return flags[i].reason;
    return "";
}

/* Keys. */

void build_vector_json_key(build_chunk *out, const char *key)
{
    build_json_raw(out, out->size == 0 ? "{\n \"" : ",\n \"");
    build_json_raw(out, key);
    build_json_raw(out, "\": ");
}

void build_vector_json_text(build_chunk *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    build_vector_json_key(out, key);
    build_json_raw(out, "\"");
    build_json_utf8(out, (const uint8_t *)text, strlen(text));
    build_json_raw(out, "\"");
}

static void put_flags(build_chunk *out, const build_vector *vector)
{
    build_vector_json_key(out, "flags");
    build_json_object object = build_json_object_open(out, NULL, "");
    if (vector->flag != NULL)
        build_json_object_text(&object, vector->flag, flag_reason(vector->flag));
    build_json_object_close(&object);
}

bool build_vector_json_fault_place(const build_vector *vector, build_place *place)
{
    for (size_t i = 0; i < vector->finding_count; i++) {
        *place = vector->findings[i].place;
        if (vector->findings[i].rule == vector->rule)
            return true;
    }
    *place = (build_place){.inflated = vector->patch.inflated, .offset = vector->patch.offset};
    return vector->patch.kind != BUILD_PATCH_NONE;
}

static void put_fault(build_chunk *out, const build_fault *fault)
{
    if (fault->kind == BUILD_FAULT_NONE)
        return;
    build_vector_json_key(out, "offset");
    build_json_raw(out, "\"");
    build_json_u64(out, fault->offset);
    build_json_raw(out, "\"");
    if (fault->kind == BUILD_FAULT_INFLATED)
        build_vector_json_text(out, "space", "inflated");
}

void build_vector_json_put_head(build_chunk *out, const build_vector *vector, const build_fault *fault, uint64_t size,
                                const char *sha256)
{
    static const char *const verdicts[] = {
        [BUILD_VECTOR_ACCEPT] = "accept", [BUILD_VECTOR_REJECT] = "reject", [BUILD_VECTOR_EITHER] = "either"};
    const etl_rule_info *rule = etl_rule_get(vector->rule);
    build_vector_json_text(out, "id", vector->id);
    build_vector_json_text(out, "title", vector->title);
    build_vector_json_text(out, "group", rule->group);
    build_vector_json_text(out, "rule", rule->id);
    build_vector_json_text(out, "level", vector->must ? "must" : "should");
    build_vector_json_text(out, "verdict", verdicts[vector->verdict]);
    put_flags(out, vector);
    if (vector->tells) {
        build_vector_json_key(out, "tells");
        build_json_raw(out, "true");
    }
    build_vector_json_text(out, "layer", rule->layer);
    build_vector_json_text(out, "metadata", vector->metadata);
    build_vector_json_text(out, "place", vector->place);
    put_fault(out, fault);
    build_vector_json_text(out, "source", vector->source);
    build_vector_json_text(out, "recipe", vector->recipe);
    build_vector_json_key(out, "size");
    build_json_u64(out, size);
    build_vector_json_text(out, "sha256", sha256);
}

/* Records. */

void build_vector_json_next_record(build_chunk *out)
{
    const bool is_first = out->at[out->size - 1] == '[';
    build_json_raw(out, is_first ? "\n  " : ",\n  ");
}

build_json_object build_vector_json_open_finding(build_chunk *out, const build_claimed_finding *finding, uint64_t offset)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    build_json_object object = build_json_object_open(out, NULL, "");
    build_json_object_text(&object, "rec", "finding");
    build_json_object_text(&object, "rule", rule->id);
    build_json_object_text(&object, "severity", etl_severity_text(rule->severity));
    build_json_object_text(&object, "layer", rule->layer);
    build_json_object_u64(&object, "offset", offset);
    return object;
}

static void put_value(build_json_object *object, const char *key, const build_claimed_finding *finding, const char *value)
{
    if (finding->has_no_values)
        build_json_object_null(object, key);
    else if (value != NULL)
        build_json_object_text(object, key, value);
}

void build_vector_json_close_finding(build_json_object *object, const build_claimed_finding *finding)
{
    put_value(object, "expected", finding, finding->expected);
    put_value(object, "actual", finding, finding->actual);
    if (finding->action >= 0)
        build_json_object_text(object, "action", etl_action_text((etl_action)finding->action));
    if (finding->has_lost)
        build_json_object_u64(object, "lost", finding->lost);
    build_json_object_close(object);
}

/* Verdict. */

bool build_vector_json_is_of_writer(const build_claimed_finding *finding)
{
    return strcmp(etl_rule_get(finding->rule)->group, "writer") == 0;
}

uint64_t build_vector_json_count_findings(const build_vector *vector, etl_severity severity)
{
    uint64_t count = 0;
    for (size_t i = 0; i < vector->finding_count; i++)
        count += !build_vector_json_is_of_writer(&vector->findings[i]) &&
                 etl_rule_get(vector->findings[i].rule)->severity == severity;
    return count;
}

void build_vector_json_put_findings(build_json_object *object, const build_vector *vector)
{
    build_json_object findings;
    if (!build_json_object_nest(object, "findings", &findings))
        return;
    for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity <= ETL_SEVERITY_ERROR; severity++)
        build_json_object_u64(&findings, etl_severity_text((etl_severity)severity),
                              build_vector_json_count_findings(vector, (etl_severity)severity));
    build_json_object_close(&findings);
}

bool build_vector_json_check_verdict(const build_vector *vector, bool conforms, const char **why)
{
    if (vector->verdict == BUILD_VECTOR_ACCEPT && !conforms)
        return build_complain(why, "accept",
                              "contradicted by a finding of severity error or limit, or by a trace without events");
    if (vector->verdict == BUILD_VECTOR_REJECT && conforms)
        return build_complain(why, "reject", "expected a finding of severity error, found none");
    return true;
}
