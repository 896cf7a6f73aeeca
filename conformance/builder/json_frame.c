/* SPDX-License-Identifier: Apache-2.0 */
#include "json_frame.h"

#include <string.h>

#include "fate.h"

static const char *flag_reason(const char *flag)
{
    static const struct {
        const char *text, *reason;
    } flags[] = {
#define ETL_FLAG(text, reason) {text, reason},
#include "flags.def"
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flags[i].text, flag) == 0)
            return flags[i].reason;
    return "";
}

/* Keys. */

void etl_frame_key(etl_chunk *out, const char *key)
{
    etl_text(out, out->size == 0 ? "{\n \"" : ",\n \"");
    etl_text(out, key);
    etl_text(out, "\": ");
}

void etl_frame_text(etl_chunk *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    etl_frame_key(out, key);
    etl_text(out, "\"");
    etl_text_utf8(out, (const uint8_t *)text, strlen(text));
    etl_text(out, "\"");
}

static void put_flags(etl_chunk *out, const etl_vector *vector)
{
    etl_frame_key(out, "flags");
    etl_object object = etl_object_open(out, NULL, "");
    if (vector->flag != NULL)
        etl_object_text(&object, vector->flag, flag_reason(vector->flag));
    etl_object_close(&object);
}

bool etl_frame_fault(const etl_vector *vector, etl_place *place)
{
    for (size_t i = 0; i < vector->finding_count; i++) {
        *place = vector->findings[i].place;
        if (vector->findings[i].rule == vector->rule)
            return true;
    }
    *place = (etl_place){.inflated = vector->patch.inflated, .offset = vector->patch.offset};
    return vector->patch.kind != ETL_PATCH_NONE;
}

static void put_fault(etl_chunk *out, const etl_fault *fault)
{
    if (fault->kind == ETL_FAULT_NONE)
        return;
    etl_frame_key(out, "offset");
    etl_text(out, "\"");
    etl_text_u64(out, fault->offset);
    etl_text(out, "\"");
    if (fault->kind == ETL_FAULT_INFLATED)
        etl_frame_text(out, "space", "inflated");
}

void etl_frame_put(etl_chunk *out, const etl_vector *vector, const etl_fault *fault, uint64_t size, const char *sha256)
{
    static const char *const verdicts[] = {
        [ETL_VECTOR_ACCEPT] = "accept", [ETL_VECTOR_REJECT] = "reject", [ETL_VECTOR_EITHER] = "either"};
    const etl_rule_info *rule = etl_rule_get(vector->rule);
    etl_frame_text(out, "id", vector->id);
    etl_frame_text(out, "title", vector->title);
    etl_frame_text(out, "group", rule->group);
    etl_frame_text(out, "rule", rule->id);
    etl_frame_text(out, "level", vector->must ? "must" : "should");
    etl_frame_text(out, "verdict", verdicts[vector->verdict]);
    put_flags(out, vector);
    if (vector->tells) {
        etl_frame_key(out, "tells");
        etl_text(out, "true");
    }
    etl_frame_text(out, "layer", rule->layer);
    etl_frame_text(out, "place", vector->place);
    put_fault(out, fault);
    etl_frame_text(out, "source", vector->source);
    etl_frame_text(out, "recipe", vector->recipe);
    etl_frame_key(out, "size");
    etl_text_u64(out, size);
    etl_frame_text(out, "sha256", sha256);
}

/* Records. */

void etl_frame_next_record(etl_chunk *out)
{
    const bool is_first = out->at[out->size - 1] == '[';
    etl_text(out, is_first ? "\n  " : ",\n  ");
}

etl_object etl_frame_finding(etl_chunk *out, const etl_claimed_finding *finding, uint64_t offset)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    etl_object object = etl_object_open(out, NULL, "");
    etl_object_text(&object, "rec", "finding");
    etl_object_text(&object, "rule", rule->id);
    etl_object_text(&object, "severity", etl_severity_text(rule->severity));
    etl_object_text(&object, "layer", rule->layer);
    etl_object_u64(&object, "offset", offset);
    return object;
}

void etl_frame_finding_end(etl_object *object, const etl_claimed_finding *finding)
{
    if (finding->expected != NULL)
        etl_object_text(object, "expected", finding->expected);
    if (finding->actual != NULL)
        etl_object_text(object, "actual", finding->actual);
    if (finding->action >= 0)
        etl_object_text(object, "action", etl_action_text((etl_action)finding->action));
    if (finding->has_lost)
        etl_object_u64(object, "lost", finding->lost);
    etl_object_close(object);
}

/* Verdict. */

uint64_t etl_frame_count(const etl_vector *vector, etl_severity severity)
{
    uint64_t count = 0;
    for (size_t i = 0; i < vector->finding_count; i++)
        count += etl_rule_get(vector->findings[i].rule)->severity == severity;
    return count;
}

void etl_frame_counts(etl_object *object, const etl_vector *vector)
{
    etl_object findings;
    if (!etl_object_nest(object, "findings", &findings))
        return;
    for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity <= ETL_SEVERITY_ERROR; severity++)
        etl_object_u64(&findings, etl_severity_text((etl_severity)severity),
                       etl_frame_count(vector, (etl_severity)severity));
    etl_object_close(&findings);
}

bool etl_frame_verdict_follows(const etl_vector *vector, bool conforms, const char **why)
{
    if (vector->verdict == ETL_VECTOR_ACCEPT && !conforms)
        return etl_fates_complain(why, "accept",
                                  "a finding of severity error or limit, or a lack of events, says otherwise");
    if (vector->verdict == ETL_VECTOR_REJECT && conforms)
        return etl_fates_complain(why, "reject", "no finding of severity error says so");
    return true;
}
