/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "regions.h"

/* All that a vector's JSON is made of. */
typedef struct build {
    const etl_vector *vector;
    etl_fates fates;
    etl_tiles tiles;
    etl_overrides overrides;
    etl_chunk *out;
} build;

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

/* Overrides. */

static void collect_overrides(build *b)
{
    b->overrides.at = calloc(b->vector->claim_count + 1, sizeof *b->overrides.at);
    if (b->overrides.at == NULL)
        abort();
    for (size_t i = 0; i < b->vector->claim_count; i++) {
        const etl_claim *claim = &b->vector->claims[i];
        if (claim->kind == ETL_CLAIM_EXPECT)
            b->overrides.at[b->overrides.count++] = (etl_override){claim->node, claim->field, claim->value, false};
    }
}

static bool all_used(const build *b, const char **why)
{
    for (size_t i = 0; i < b->overrides.count; i++)
        if (!b->overrides.at[i].used)
            return etl_fates_complain(why, b->overrides.at[i].node,
                                      "there is no record of it, or no such part of it, to `expect` a field of");
    return true;
}

/* Verdict. */

static uint64_t count_findings(const etl_vector *vector, etl_severity severity)
{
    uint64_t count = 0;
    for (size_t i = 0; i < vector->finding_count; i++)
        count += etl_rule_get(vector->findings[i].rule)->severity == severity;
    return count;
}

/* What is read, in numbers. */
typedef struct tally {
    uint64_t buffers, compressed, events;
    uint64_t by_type[ETL_HEADER_TYPE_COUNT];
} tally;

static const char *end_verdict(const build *b, const tally *t)
{
    const uint64_t errors = count_findings(b->vector, ETL_SEVERITY_ERROR);
    if (t->events == 0 && !b->fates.session.known)
        return "not-etl";
    if (errors != 0)
        return "damaged";
    return count_findings(b->vector, ETL_SEVERITY_LIMIT) != 0 ? "limit" : "conforming";
}

/* All findings are listed in a recipe, so that the verdict follows from them. */
static bool verdict_follows(const build *b, const tally *t, const char **why)
{
    const bool conforms = strcmp(end_verdict(b, t), "conforming") == 0;
    if (b->vector->verdict == ETL_VECTOR_ACCEPT && !conforms)
        return etl_fates_complain(why, "accept",
                                  "a finding of severity error or limit, or a lack of events, says otherwise");
    if (b->vector->verdict == ETL_VECTOR_REJECT && conforms)
        return etl_fates_complain(why, "reject", "no finding of severity error says so");
    return true;
}

/* Records. */

static void put_node(const build *b, etl_object *object, const etl_claimed_finding *finding)
{
    etl_model_node node = {0};
    if (finding->node != NULL && etl_model_find(b->fates.model, finding->node, &node) && node.buffer != NULL) {
        const etl_buffer_fate *fate = &b->fates.buffers[node.buffer - b->fates.model->buffers];
        etl_object_u64(object, "buffer", fate->index);
        if (node.event != NULL)
            etl_object_u64(object, "event", fate->events[node.event - node.buffer->events].index);
    } else if (finding->place.inflated != NULL) {
        etl_object_u64(object, "buffer", b->fates.buffers[etl_fates_buffer(&b->fates, finding->place.inflated)].index);
    }
}

static void put_finding(const build *b, const etl_claimed_finding *finding)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    etl_object object = etl_object_open(b->out, NULL, "");
    etl_object_text(&object, "rec", "finding");
    etl_object_text(&object, "rule", rule->id);
    etl_object_text(&object, "severity", etl_severity_text(rule->severity));
    etl_object_text(&object, "layer", rule->layer);
    etl_object_u64(&object, "offset", etl_fates_place(&b->fates, &finding->place));
    if (finding->place.inflated != NULL)
        etl_object_text(&object, "space", "inflated");
    put_node(b, &object, finding);
    if (finding->expected != NULL)
        etl_object_text(&object, "expected", finding->expected);
    if (finding->actual != NULL)
        etl_object_text(&object, "actual", finding->actual);
    if (finding->action >= 0)
        etl_object_text(&object, "action", etl_action_text((etl_action)finding->action));
    if (finding->has_lost)
        etl_object_u64(&object, "lost", finding->lost);
    etl_object_close(&object);
}

static bool event_is_read(const etl_model_event *event, const etl_event_fate *fate)
{
    return !event->is_raw && !fate->gone && !fate->lost;
}

static bool buffer_is_read(const build *b, size_t i)
{
    return !b->fates.model->buffers[i].is_raw && !b->fates.buffers[i].gone && !b->fates.buffers[i].lost;
}

static void count_buffer(const build *b, size_t i, tally *t)
{
    const etl_model_buffer *buffer = &b->fates.model->buffers[i];
    t->buffers++;
    t->compressed += etl_record_is_compressed(&b->fates, i);
    for (size_t n = 0; n < buffer->event_count; n++) {
        const etl_event_fate *fate = &b->fates.buffers[i].events[n];
        if (!event_is_read(&buffer->events[n], fate))
            continue;
        t->events++;
        t->by_type[fate->written.type]++;
    }
}

static void put_types(etl_object *object, const tally *t)
{
    etl_object types;
    if (!etl_object_nest(object, "events_by_header_type", &types))
        return;
    for (unsigned type = 0; type < ETL_HEADER_TYPE_COUNT; type++) {
        const char digits[] = "0123456789abcdef";
        const char key[] = {'0', 'x', digits[type >> 4], digits[type & 15], '\0'};
        if (t->by_type[type] != 0)
            etl_object_u64(&types, key, t->by_type[type]);
    }
    etl_object_close(&types);
}

static void put_counts(const build *b, etl_object *object)
{
    etl_object findings, bytes;
    if (etl_object_nest(object, "findings", &findings)) {
        for (unsigned severity = ETL_SEVERITY_STRUCTURE + 1; severity <= ETL_SEVERITY_ERROR; severity++)
            etl_object_u64(&findings, etl_severity_text((etl_severity)severity),
                           count_findings(b->vector, (etl_severity)severity));
        etl_object_close(&findings);
    }
    if (etl_object_nest(object, "bytes", &bytes)) {
        for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
            etl_object_u64(&bytes, etl_region_text((etl_region_kind)kind),
                           etl_tiles_bytes(&b->tiles, (etl_region_kind)kind, 0, UINT64_MAX));
        etl_object_close(&bytes);
    }
}

static void put_end(build *b, const tally *t)
{
    etl_object object = etl_object_open(b->out, &b->overrides, "end");
    etl_object_text(&object, "rec", "end");
    etl_object_text(&object, "verdict", end_verdict(b, t));
    etl_object_u64(&object, "buffers", t->buffers);
    etl_object_u64(&object, "compressed_buffers", t->compressed);
    etl_object_u64(&object, "events", t->events);
    put_types(&object, t);
    put_counts(b, &object);
    etl_object_close(&object);
}

/* Goes to the next record, on a line of its own. */
static void next_record(build *b)
{
    const bool is_first = b->out->at[b->out->size - 1] == '[';
    etl_text(b->out, is_first ? "\n  " : ",\n  ");
}

static void put_buffer(build *b, size_t i)
{
    const etl_model_buffer *buffer = &b->fates.model->buffers[i];
    const etl_buffer_fate *fate = &b->fates.buffers[i];
    const uint64_t used = etl_tiles_bytes(&b->tiles, ETL_REGION_COMPRESSED, buffer->offset, buffer->size);
    next_record(b);
    etl_record_of_buffer(&b->fates, i, used, &b->overrides, b->out);
    for (size_t n = 0; n < buffer->event_count; n++) {
        if (!event_is_read(&buffer->events[fate->order[n]], &fate->events[fate->order[n]]))
            continue;
        next_record(b);
        etl_record_of_event(&b->fates, i, fate->order[n], &b->overrides, b->out);
    }
}

static void put_records(build *b, const tally *t)
{
    if (b->fates.session.known) {
        next_record(b);
        etl_record_of_trace(&b->fates, &b->overrides, b->out);
    }
    for (size_t i = 0; i < b->fates.model->buffer_count; i++)
        if (buffer_is_read(b, i))
            put_buffer(b, i);
    for (size_t i = 0; i < b->vector->finding_count; i++) {
        next_record(b);
        put_finding(b, &b->vector->findings[i]);
    }
    next_record(b);
    put_end(b, t);
}

/* Places. */

static bool has_place(build *b, const etl_place *place, const char **why)
{
    if (etl_fates_has_place(&b->fates, place, why))
        return true;
    b->fates.where = place->spot;
    return false;
}

/* All that findings and regions name. */
static bool has_places(build *b, const char **why)
{
    const etl_vector *v = b->vector;
    for (size_t i = 0; i < v->finding_count; i++)
        if (!has_place(b, &v->findings[i].place, why))
            return false;
    for (size_t i = 0; i < v->claim_count; i++)
        if (v->claims[i].kind == ETL_CLAIM_REGION &&
            (!has_place(b, &v->claims[i].from, why) || !has_place(b, &v->claims[i].to, why)))
            return false;
    return true;
}

/* The whole. */

/* A key of the outermost object, on a line of its own. */
static void put_key(etl_chunk *out, const char *key)
{
    etl_text(out, out->size == 0 ? "{\n \"" : ",\n \"");
    etl_text(out, key);
    etl_text(out, "\": ");
}

static void put_text(etl_chunk *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    put_key(out, key);
    etl_text(out, "\"");
    etl_text_utf8(out, (const uint8_t *)text, strlen(text));
    etl_text(out, "\"");
}

static void put_flags(build *b)
{
    put_key(b->out, "flags");
    etl_object object = etl_object_open(b->out, NULL, "");
    if (b->vector->flag != NULL)
        etl_object_text(&object, b->vector->flag, flag_reason(b->vector->flag));
    etl_object_close(&object);
}

/* Where the fault is: the first finding of the vector's rule, or what was patched. */
static void put_fault(build *b)
{
    const etl_vector *v = b->vector;
    const etl_place patched = {.inflated = v->patch.inflated, .offset = v->patch.offset};
    const etl_place *place = v->patch.kind != ETL_PATCH_NONE ? &patched : NULL;
    for (size_t i = v->finding_count; i-- > 0;)
        if (v->findings[i].rule == v->rule)
            place = &v->findings[i].place;
    if (place == NULL)
        return;
    put_key(b->out, "offset");
    etl_text(b->out, "\"");
    etl_text_u64(b->out, etl_fates_place(&b->fates, place));
    etl_text(b->out, "\"");
    if (place->inflated != NULL)
        put_text(b->out, "space", "inflated");
}

static void put_frame(build *b, const char *sha256)
{
    static const char *const verdicts[] = {
        [ETL_VECTOR_ACCEPT] = "accept", [ETL_VECTOR_REJECT] = "reject", [ETL_VECTOR_EITHER] = "either"};
    const etl_vector *v = b->vector;
    const etl_rule_info *rule = etl_rule_get(v->rule);
    put_text(b->out, "id", v->id);
    put_text(b->out, "title", v->title);
    put_text(b->out, "group", rule->group);
    put_text(b->out, "rule", rule->id);
    put_text(b->out, "level", v->must ? "must" : "should");
    put_text(b->out, "verdict", verdicts[v->verdict]);
    put_flags(b);
    if (v->tells) {
        put_key(b->out, "tells");
        etl_text(b->out, "true");
    }
    put_text(b->out, "layer", rule->layer);
    put_text(b->out, "place", v->place);
    put_fault(b);
    put_text(b->out, "source", v->source);
    put_text(b->out, "recipe", v->recipe);
    put_key(b->out, "size");
    etl_text_u64(b->out, b->fates.image->size);
    put_text(b->out, "sha256", sha256);
}

static bool put_vector(build *b, const char *sha256, const char **why)
{
    tally t = {0};
    for (size_t i = 0; i < b->fates.model->buffer_count; i++)
        if (buffer_is_read(b, i))
            count_buffer(b, i, &t);
    if (!has_places(b, why) || !verdict_follows(b, &t, why) || !etl_tiles_make(&b->tiles, &b->fates, why))
        return false;
    put_frame(b, sha256);
    put_key(b->out, "regions");
    etl_text(b->out, "[");
    etl_tiles_json(&b->tiles, b->out);
    etl_text(b->out, "\n ]");
    put_key(b->out, "expect");
    etl_text(b->out, "[");
    put_records(b, &t);
    etl_text(b->out, "\n ]\n}\n");
    return all_used(b, why);
}

bool etl_expect_vector(const etl_vector *vector, void (*sha256)(const etl_chunk *image, char hex[65]), etl_chunk *image,
                       etl_chunk *json, const char **why, etl_spot *where)
{
    char hex[65];
    build b = {.vector = vector, .out = json};
    etl_model *model = etl_model_copy(vector->model);
    *image = etl_image_make(model);
    *json = (etl_chunk){0};
    *where = vector->patch.spot;
    bool done = etl_image_patch(image, model, &vector->patch, why);
    if (done) {
        collect_overrides(&b);
        sha256(image, hex);
        done = etl_fates_make(&b.fates, vector, model, image, why) && put_vector(&b, hex, why);
        *where = b.fates.where;
        etl_tiles_free(&b.tiles);
        etl_fates_free(&b.fates);
        free(b.overrides.at);
    }
    etl_model_free(model);
    return done;
}
