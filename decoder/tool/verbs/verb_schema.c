/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof schema: lists the schemas and maps that a trace carries for its events, by provider.
 */
#include "verbs/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/options.h"
#include "io/pull.h"
#include "io/sandbox.h"
#include "records/finding_text.h"
#include "records/json_writer.h"
#include "records/not_etl.h"
#include "records/tally.h"
#include "records/trace_schemas.h"

static const char help[] =
    "usage: etlproof schema [OPTIONS] FILE\n"
    "\n"
    "Lists what FILE carries to decode its events: the schema of each event of a merged trace, EventSource manifests,\n"
    "and maps with texts for values. By provider, then by Id and Version. FILE may be - for standard input. What is wrong\n"
    "with a schema follows at the end.\n"
    "\n"
    "  --json        print JSON Lines: a schema or a map a line\n"
    "  --no-limit    inflate all that compressed buffers announce (LIM-001); a hostile file may take long\n"
    "  --no-sandbox  keep the right to write files, start programs and use the network\n"
    "  --help        print this help\n"
    "\n"
    TOOL_EXIT_HELP;

enum { OPTION_JSON, OPTION_NO_LIMIT, OPTION_NO_SANDBOX };

static const tool_option options_table[] = {
    {"json", 0, NULL, OPTION_JSON},
    {"no-limit", 0, NULL, OPTION_NO_LIMIT},
    {"no-sandbox", 0, NULL, OPTION_NO_SANDBOX},
    {NULL, 0, NULL, 0},
};

/* Findings about schemas that are printed; all are counted. */
#define FINDINGS_MOST 100u

typedef struct schema_job {
    bool as_json;
    etl_limits limits;
    tool_output out;
    tool_json json;
    tool_pull pull;
    tool_tally tally;
    tool_schemas schemas;
    etl_finding findings[FINDINGS_MOST];
    uint32_t finding_count;
} schema_job;

/* Gathering. */

static void take_finding(schema_job *j, const etl_finding *finding)
{
    tool_tally_finding(&j->tally, finding);
    if (strcmp(etl_rule_get(finding->rule)->layer, "payload") == 0 && j->finding_count < FINDINGS_MOST)
        j->findings[j->finding_count++] = *finding;
}

static void gather(schema_job *j)
{
    etl_reader *reader = &j->pull.reader;
    etl_outcome outcome;
    do {
        outcome = tool_pull_next(&j->pull);
        if (outcome == ETL_EVENT) {
            tool_tally_event(&j->tally, &reader->event);
            (void)tool_schemas_take(&j->schemas, &reader->event, &reader->findings);
        } else if (outcome == ETL_BUFFER) {
            tool_tally_buffer(&j->tally, &reader->buffer);
        } else if (outcome == ETL_GAP) {
            etl_tiling_add(&j->tally.tiling, &reader->gap);
        }
        for (uint32_t i = 0; i < reader->findings.count; i++)
            take_finding(j, &reader->findings.at[i]);
    } while (outcome != ETL_END);
    tool_schemas_end(&j->schemas);
    for (size_t i = 0; i < j->schemas.fault_count; i++)
        take_finding(j, &j->schemas.faults[i]);
}

static int compare_guids(const etl_guid *a, const etl_guid *b)
{
    if (a->data1 != b->data1)
        return a->data1 < b->data1 ? -1 : 1;
    if (a->data2 != b->data2)
        return a->data2 < b->data2 ? -1 : 1;
    if (a->data3 != b->data3)
        return a->data3 < b->data3 ? -1 : 1;
    return memcmp(a->data4, b->data4, sizeof a->data4);
}

/* By provider; maps behind events; these by Id and Version. What is equal stays in the order of the trace. */
static int compare_entries(const void *left, const void *right)
{
    const etl_schema_entry *a = left, *b = right;
    const int guids = compare_guids(&a->provider, &b->provider);
    if (guids != 0)
        return guids;
    const uint64_t keys[] = {(uint64_t)a->kind << 32 | (uint32_t)a->id << 8 | a->version,
                             (uint64_t)b->kind << 32 | (uint32_t)b->id << 8 | b->version};
    if (keys[0] != keys[1])
        return keys[0] < keys[1] ? -1 : 1;
    return a->metadata.info.at < b->metadata.info.at ? -1 : a->metadata.info.at > b->metadata.info.at;
}

static size_t count_entries(const etl_schemas *set)
{
    etl_schema_entry entry;
    size_t count = 0, next = 0;
    while (etl_schemas_next(set, &next, &entry))
        count++;
    return count;
}

/* `count` entries, sorted; freed with free(). NULL if there is no memory. */
static etl_schema_entry *sorted_entries(const etl_schemas *set, size_t count)
{
    etl_schema_entry *entries = calloc(count, sizeof *entries);
    size_t next = 0;
    if (entries == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        (void)etl_schemas_next(set, &next, &entries[i]);
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
}

/* JSON. */

static void field_json(tool_json *json, uint32_t number, const etl_field *field)
{
    const char *in = etl_in_type_name(field->in_type), *out = etl_out_type_name(field->out_type);
    tool_json_object(json, NULL);
    tool_json_u32(json, "number", number);
    tool_json_utf16(json, "name", field->name);
    if (in != NULL)
        tool_json_name(json, "type", in);
    else
        tool_json_u32(json, "type", field->in_type);
    if (out != NULL)
        tool_json_name(json, "out", out);
    if (field->count_form != ETL_COUNT_FORM_SINGLE)
        tool_json_u32(json, field->count_form == ETL_COUNT_FORM_PROPERTY ? "count_in" : "count", field->count);
    if (field->size_form != ETL_SIZE_FORM_TYPE)
        tool_json_u32(json, field->size_form == ETL_SIZE_FORM_PROPERTY ? "size_in" : "size", field->size);
    if (field->map.size > 0)
        tool_json_utf16(json, "map", field->map);
    if (field->in_type == ETL_IN_TYPE_STRUCT) {
        tool_json_u32(json, "first_member", field->members_at);
        tool_json_u32(json, "members", field->members);
    }
    tool_json_object_end(json);
}

static void event_json(tool_json *json, const etl_schema_entry *entry)
{
    const etl_metadata *metadata = &entry->metadata;
    etl_field field;
    tool_json_u32(json, "id", entry->id);
    tool_json_u32(json, "version", entry->version);
    if (metadata->provider_name.size > 0)
        tool_json_utf16(json, "provider_name", metadata->provider_name);
    if (metadata->event_name.size > 0)
        tool_json_utf16(json, "event_name", metadata->event_name);
    if (metadata->opcode_name.size > 0)
        tool_json_utf16(json, "opcode_name", metadata->opcode_name);
    tool_json_u32(json, "top_level", metadata->fields_count);
    tool_json_array(json, "fields");
    for (uint32_t i = 0; etl_metadata_field(metadata, i, &field); i++)
        field_json(json, i, &field);
    tool_json_array_end(json);
}

static void map_json(tool_json *json, const etl_map *map)
{
    uint32_t value;
    etl_span text;
    tool_json_utf16(json, "map", map->name);
    tool_json_bool(json, "bits", map->bits);
    tool_json_array(json, "entries");
    for (uint32_t i = 0; etl_map_entry(map, i, &value, &text); i++) {
        tool_json_object(json, NULL);
        tool_json_u32(json, "value", value);
        tool_json_utf16(json, "text", text);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

static void entry_json(tool_json *json, const etl_schema_entry *entry)
{
    tool_json_object(json, NULL);
    tool_json_guid(json, "provider", &entry->provider);
    if (entry->process == ETL_SCHEMAS_FALLBACK)
        tool_json_name(json, "from", "manifest");
    else if (entry->process != 0)
        tool_json_u32(json, "pid", entry->process);
    if (entry->kind == ETL_SCHEMA_KIND_MAP)
        map_json(json, &entry->map);
    else
        event_json(json, entry);
    tool_json_object_end(json);
    tool_json_line(json);
}

/* Text. */

static void number_text(tool_output *out, const char *what, uint32_t number, bool in_field)
{
    tool_put_format(out, in_field ? ", %s in field %" PRIu32 : ", %s %" PRIu32, what, number);
}

static void field_text(tool_output *out, uint32_t number, const etl_field *field)
{
    const char *in = etl_in_type_name(field->in_type), *shown = etl_out_type_name(field->out_type);
    tool_put_format(out, "    %2" PRIu32 "  ", number);
    tool_put_utf16(out, field->name);
    if (in != NULL)
        tool_put_format(out, "  %s", in);
    else
        tool_put_format(out, "  type %u", field->in_type);
    if (shown != NULL)
        tool_put_format(out, " as %s", shown);
    if (field->in_type == ETL_IN_TYPE_STRUCT)
        tool_put_format(out, " of %u fields from %" PRIu32 " on", field->members, field->members_at);
    if (field->count_form != ETL_COUNT_FORM_SINGLE)
        number_text(out, "count", field->count, field->count_form == ETL_COUNT_FORM_PROPERTY);
    if (field->size_form != ETL_SIZE_FORM_TYPE)
        number_text(out, "size", field->size, field->size_form == ETL_SIZE_FORM_PROPERTY);
    if (field->map.size > 0) {
        tool_put_text(out, ", map ");
        tool_put_utf16(out, field->map);
    }
    tool_put_char(out, '\n');
}

static void event_text(tool_output *out, const etl_schema_entry *entry)
{
    const etl_metadata *metadata = &entry->metadata;
    etl_field field;
    tool_put_format(out, "  event %u version %u  ", entry->id, entry->version);
    tool_put_utf16(out, metadata->event_name);
    if (metadata->opcode_name.size > 0) {
        tool_put_char(out, '/');
        tool_put_utf16(out, metadata->opcode_name);
    }
    if (entry->process != 0 && entry->process != ETL_SCHEMAS_FALLBACK)
        tool_put_format(out, "  of process %" PRIu32, entry->process);
    else if (entry->process != 0)
        tool_put_text(out, "  from a manifest");
    tool_put_char(out, '\n');
    for (uint32_t i = 0; etl_metadata_field(metadata, i, &field); i++)
        field_text(out, i, &field);
}

static void map_text(tool_output *out, const etl_map *map)
{
    uint32_t value;
    etl_span text;
    tool_put_text(out, map->bits ? "  bits " : "  values ");
    tool_put_utf16(out, map->name);
    tool_put_char(out, '\n');
    for (uint32_t i = 0; etl_map_entry(map, i, &value, &text); i++) {
        tool_put_format(out, map->bits ? "    0x%-8" PRIx32 "  " : "    %10" PRIu32 "  ", value);
        tool_put_utf16(out, text);
        tool_put_char(out, '\n');
    }
}

static void entry_text(tool_output *out, const etl_schema_entry *entry, const etl_schema_entry *before)
{
    if (before == NULL || compare_guids(&before->provider, &entry->provider) != 0) {
        tool_put_guid(out, &entry->provider);
        tool_put_char(out, ' ');
        tool_put_utf16(out, entry->metadata.provider_name);
        tool_put_char(out, '\n');
    }
    if (entry->kind == ETL_SCHEMA_KIND_MAP)
        map_text(out, &entry->map);
    else
        event_text(out, entry);
}

/* False if there is no memory. */
static bool print_entries(schema_job *j, size_t count)
{
    etl_schema_entry *entries = sorted_entries(j->schemas.set, count);
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (j->as_json)
            entry_json(&j->json, &entries[i]);
        else
            entry_text(&j->out, &entries[i], i > 0 ? &entries[i - 1] : NULL);
    }
    free(entries);
    return true;
}

static tool_exit print_schemas(schema_job *j)
{
    const size_t count = j->schemas.set != NULL ? count_entries(j->schemas.set) : 0;
    if (count > 0 && !print_entries(j, count)) {
        tool_print_error("%s: out of memory", j->pull.input->title);
        return TOOL_EXIT_LIMIT;
    }
    for (uint32_t i = 0; i < j->finding_count && !j->as_json; i++)
        tool_put_finding(&j->out, TOOL_PROFILE_READER, &j->findings[i]);
    if (count == 0 && !j->as_json)
        tool_put_text(&j->out, "The trace carries no schema. TraceLogging events describe themselves: "
                               "decode --payload fields.\n");
    return TOOL_EXIT_CONFORMING;
}

static tool_exit list_schemas(schema_job *j, const char *file)
{
    tool_input input;
    if (!tool_input_open(&input, file))
        return TOOL_EXIT_INPUT;
    tool_output_open(&j->out);
    tool_json_open(&j->json, &j->out);
    tool_pull_open(&j->pull, &input, j->limits, &j->out, false);
    gather(j);
    const tool_verdict verdict = tool_tally_verdict(&j->tally, &j->pull.reader, false);
    tool_exit code = tool_tally_exit(&j->tally, &j->pull, verdict);
    if (j->pull.fault == TOOL_PULL_NONE && verdict == TOOL_VERDICT_NOT_ETL)
        tool_print_not_etl(&input);
    else if (j->pull.fault == TOOL_PULL_NONE)
        code = tool_exit_worse(code, print_schemas(j));
    tool_pull_close(&j->pull);
    tool_schemas_close(&j->schemas);
    tool_input_close(&input);
    return tool_exit_worse(code, tool_output_close(&j->out));
}

tool_exit tool_verb_schema(char **argv)
{
    static schema_job j;
    tool_options options;
    bool sandbox = true;
    j.limits = ETL_LIMITS_DEFAULT;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        sandbox = sandbox && id != OPTION_NO_SANDBOX;
        j.as_json = j.as_json || id == OPTION_JSON;
        if (id == OPTION_NO_LIMIT)
            j.limits = ETL_LIMITS_NONE;
    }
    if (options.files != 1)
        return tool_usage(argv[0], options.files == 0 ? "no FILE given" : "more than one FILE given", NULL);
    if (sandbox)
        tool_sandbox_enter(options.arguments, options.files);
    return list_schemas(&j, options.arguments[0]);
}
