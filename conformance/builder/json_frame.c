/* SPDX-License-Identifier: Apache-2.0 */
#include "json_frame.h"

#include <string.h>

#include "fate.h"

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

void build_frame_key(build_chunk *out, const char *key)
{
    build_text(out, out->size == 0 ? "{\n \"" : ",\n \"");
    build_text(out, key);
    build_text(out, "\": ");
}

void build_frame_text(build_chunk *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    build_frame_key(out, key);
    build_text(out, "\"");
    build_text_utf8(out, (const uint8_t *)text, strlen(text));
    build_text(out, "\"");
}

static void put_flags(build_chunk *out, const build_vector *vector)
{
    build_frame_key(out, "flags");
    build_object object = build_object_open(out, NULL, "");
    if (vector->flag != NULL)
        build_object_text(&object, vector->flag, flag_reason(vector->flag));
    build_object_close(&object);
}

bool build_frame_fault(const build_vector *vector, build_place *place)
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
    build_frame_key(out, "offset");
    build_text(out, "\"");
    build_text_u64(out, fault->offset);
    build_text(out, "\"");
    if (fault->kind == BUILD_FAULT_INFLATED)
        build_frame_text(out, "space", "inflated");
}

void build_frame_put(build_chunk *out, const build_vector *vector, const build_fault *fault, uint64_t size,
                     const char *sha256)
{
    static const char *const verdicts[] = {
        [BUILD_VECTOR_ACCEPT] = "accept", [BUILD_VECTOR_REJECT] = "reject", [BUILD_VECTOR_EITHER] = "either"};
    const etl_rule_info *rule = etl_rule_get(vector->rule);
    build_frame_text(out, "id", vector->id);
    build_frame_text(out, "title", vector->title);
    build_frame_text(out, "group", rule->group);
    build_frame_text(out, "rule", rule->id);
    build_frame_text(out, "level", vector->must ? "must" : "should");
    build_frame_text(out, "verdict", verdicts[vector->verdict]);
    put_flags(out, vector);
    if (vector->tells) {
        build_frame_key(out, "tells");
        build_text(out, "true");
    }
    build_frame_text(out, "layer", rule->layer);
    build_frame_text(out, "place", vector->place);
    put_fault(out, fault);
    build_frame_text(out, "source", vector->source);
    build_frame_text(out, "recipe", vector->recipe);
    build_frame_key(out, "size");
    build_text_u64(out, size);
    build_frame_text(out, "sha256", sha256);
}

/* Records. */

void build_frame_next_record(build_chunk *out)
{
    const bool is_first = out->at[out->size - 1] == '[';
    build_text(out, is_first ? "\n  " : ",\n  ");
}

build_object build_frame_finding(build_chunk *out, const build_claimed_finding *finding, uint64_t offset)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    build_object object = build_object_open(out, NULL, "");
    build_object_text(&object, "rec", "finding");
    build_object_text(&object, "rule", rule->id);
    build_object_text(&object, "severity", etl_severity_text(rule->severity));
    build_object_text(&object, "layer", rule->layer);
    build_object_u64(&object, "offset", offset);
    return object;
}

void build_frame_finding_end(build_object *object, const build_claimed_finding *finding)
{
    if (finding->expected != NULL)
        build_object_text(object, "expected", finding->expected);
    if (finding->actual != NULL)
        build_object_text(object, "actual", finding->actual);
    if (finding->action >= 0)
        build_object_text(object, "action", etl_action_text((etl_action)finding->action));
    if (finding->has_lost)
        build_object_u64(object, "lost", finding->lost);
    build_object_close(object);
}

/* Verdict. */

uint64_t build_frame_count(const build_vector *vector, etl_severity severity)
{
    uint64_t count = 0;
    for (size_t i = 0; i < vector->finding_count; i++)
        count += etl_rule_get(vector->findings[i].rule)->severity == severity;
    return count;
}

void build_frame_counts(build_object *object, const build_vector *vector)
{
    build_object findings;
    if (!build_object_nest(object, "findings", &findings))
        return;
    for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity <= ETL_SEVERITY_ERROR; severity++)
        build_object_u64(&findings, etl_severity_text((etl_severity)severity),
                         build_frame_count(vector, (etl_severity)severity));
    build_object_close(&findings);
}

bool build_frame_verdict_follows(const build_vector *vector, bool conforms, const char **why)
{
    if (vector->verdict == BUILD_VECTOR_ACCEPT && !conforms)
        return build_fates_complain(why, "accept",
                                    "a finding of severity error or limit, or a lack of events, says otherwise");
    if (vector->verdict == BUILD_VECTOR_REJECT && conforms)
        return build_fates_complain(why, "reject", "no finding of severity error says so");
    return true;
}
