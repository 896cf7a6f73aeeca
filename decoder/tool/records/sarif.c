/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of `etlproof validate --sarif`: a SARIF 2.1.0 (OASIS) log, in which each finding is a result at a byte offset.
 */
#include "records/validation.h"

#include <ctype.h>
#include <string.h>

#include "io/paths.h"
#include "records/finding_text.h"
#include "records/not_etl.h"

static const char *level(tool_profile profile, etl_rule rule)
{
    switch (tool_profile_severity(profile, rule)) {
    case ETL_SEVERITY_ERROR: return "error";
    case ETL_SEVERITY_LIMIT:
    case ETL_SEVERITY_WARNING: return "warning";
    case ETL_SEVERITY_NOTE: return "note";
    case ETL_SEVERITY_STRUCTURE:
    case ETL_SEVERITY_COUNT: break;
    }
    return "none";
}

/* { "text": ... } */
static void text_object(tool_json *json, const char *key, const char *text)
{
    tool_json_object(json, key);
    tool_json_text(json, "text", text);
    tool_json_object_end(json);
}

static void rules(tool_json *json)
{
    tool_json_array(json, "rules");
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++) {
        const etl_rule_info *rule = etl_rule_get((etl_rule)i);
        tool_json_object(json, NULL);
        tool_json_text(json, "id", rule->id);
        text_object(json, "shortDescription", rule->statement);
        text_object(json, "fullDescription", rule->effect);
        tool_json_object(json, "defaultConfiguration");
        tool_json_text(json, "level", level(TOOL_PROFILE_READER, (etl_rule)i));
        tool_json_object_end(json);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

void tool_sarif_open(tool_json *json)
{
    tool_json_object(json, NULL);
    tool_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tool_json_text(json, "version", "2.1.0");
    tool_json_array(json, "runs");
    tool_json_object(json, NULL);
    tool_json_object(json, "tool");
    tool_json_object(json, "driver");
    tool_json_text(json, "name", "etlproof");
    tool_json_text(json, "version", ETLPROOF_VERSION);
    rules(json);
    tool_json_object_end(json);
    tool_json_object_end(json);
    tool_json_array(json, "results");
}

/* Prints the start of the URI of an absolute path (RFC 8089, appendix E). Returns the rest of the path. */
static const char *uri_start(tool_output *out, const char *path)
{
#if defined(_WIN32)
    if (isalpha((unsigned char)path[0]) && path[1] == ':' && strspn(path + 2, tool_path_slashes) != 0) {
        tool_put_text(out, "file:///");
        tool_put_char(out, path[0]);
        tool_put_char(out, ':');
        return path + 2;
    }
#endif
    if (strspn(path, tool_path_slashes) != 0)
        tool_put_text(out, "file://");
    return path;
}

/* Prints the path as a URI reference. Reserved characters are percent-encoded, the colon too: it would end a scheme. */
static void uri(tool_json *json, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    tool_json_string(json, "uri");
    for (path = uri_start(json->out, path); *path != '\0'; path++) {
        if (strchr(tool_path_slashes, *path) != NULL) {
            tool_put_char(json->out, '/');
        } else if (strchr(plain, *path) != NULL) {
            tool_put_char(json->out, *path);
        } else {
            tool_put_char(json->out, '%');
            tool_put_hex(json->out, (unsigned char)*path, 2);
        }
    }
    tool_json_string_end(json);
}

/* `finding` is NULL for the whole file. An offset inside an inflated buffer is not an offset in the file. */
static void location(tool_json *json, const char *path, const etl_finding *finding)
{
    tool_json_array(json, "locations");
    tool_json_object(json, NULL);
    tool_json_object(json, "physicalLocation");
    tool_json_object(json, "artifactLocation");
    uri(json, path);
    tool_json_object_end(json);
    if (finding != NULL && finding->space == ETL_SPACE_FILE) {
        tool_json_object(json, "region");
        tool_json_number(json, "byteOffset", finding->offset);
        tool_json_object_end(json);
    }
    tool_json_object_end(json);
    tool_json_object_end(json);
    tool_json_array_end(json);
}

static void message(tool_json *json, const etl_finding *finding)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    tool_json_object(json, "message");
    tool_json_string(json, "text");
    tool_put_format(json->out, "%s At ", rule->statement);
    tool_put_finding_place(json->out, finding);
    tool_put_finding_values(json->out, finding, rule->value);
    tool_put_format(json->out, ". Consequence: %s.", rule->effect);
    tool_json_string_end(json);
    tool_json_object_end(json);
}

static void properties(tool_json *json, const etl_finding *finding)
{
    tool_json_object(json, "properties");
    tool_json_u64(json, "offset", finding->offset);
    tool_json_text(json, "space", finding->space == ETL_SPACE_INFLATED ? "inflated" : "file");
    if (finding->buffer != ETL_NO_INDEX)
        tool_json_u64(json, "buffer", finding->buffer);
    if (finding->event != ETL_NO_INDEX)
        tool_json_u64(json, "event", finding->event);
    tool_json_text(json, "action", etl_action_text(finding->action));
    tool_json_u64(json, "lost", finding->lost);
    tool_json_object_end(json);
}

static void result_open(tool_json *json, tool_profile profile, etl_rule rule)
{
    tool_json_object(json, NULL);
    tool_json_text(json, "ruleId", etl_rule_get(rule)->id);
    tool_json_u32(json, "ruleIndex", (uint32_t)rule);
    tool_json_text(json, "level", level(profile, rule));
}

static void result(tool_json *json, tool_profile profile, const char *path, const etl_finding *finding)
{
    result_open(json, profile, finding->rule);
    message(json, finding);
    location(json, path, finding);
    properties(json, finding);
    tool_json_object_end(json);
}

/* One result, at the whole file, for all findings of a rule that were counted but not kept. */
static void unkept(tool_json *json, const char *path, const tool_inventory *inventory, etl_rule rule)
{
    uint64_t count = inventory->findings_of_rule[rule];
    for (uint32_t i = 0; i < inventory->kept_count; i++)
        count -= inventory->kept[i].rule == rule;
    if (count == 0)
        return;
    result_open(json, inventory->tally.profile, rule);
    tool_json_object(json, "message");
    tool_json_string(json, "text");
    tool_put_text(json->out, etl_rule_get(rule)->statement);
    tool_put_text(json->out, " Besides what other results name, this is broken ");
    tool_put_count(json->out, count);
    tool_put_text(json->out, " times more; 'etlproof decode' lists every finding.");
    tool_json_string_end(json);
    tool_json_object_end(json);
    location(json, path, NULL);
    tool_json_number(json, "occurrenceCount", count);
    tool_json_object_end(json);
}

static void not_etl(tool_json *json, const tool_input *input)
{
    tool_json_object(json, NULL);
    tool_json_text(json, "level", "error");
    tool_json_object(json, "message");
    tool_json_string(json, "text");
    tool_put_text(json->out, "This is not an ETL file: ");
    tool_put_not_etl(json->out, input);
    tool_json_string_end(json);
    tool_json_object_end(json);
    location(json, input->name, NULL);
    tool_json_object_end(json);
}

void tool_sarif_file(tool_json *json, const tool_validation *validation)
{
    const tool_inventory *inventory = validation->inventory;
    if (validation->verdict == TOOL_VERDICT_NOT_ETL)
        not_etl(json, validation->input);
    for (uint32_t i = 0; i < inventory->kept_count; i++)
        result(json, inventory->tally.profile, validation->input->name, &inventory->kept[i]);
    for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
        unkept(json, validation->input->name, inventory, (etl_rule)rule);
}

void tool_sarif_close(tool_json *json, bool failed)
{
    tool_json_array_end(json);
    tool_json_array(json, "invocations");
    tool_json_object(json, NULL);
    tool_json_bool(json, "executionSuccessful", !failed);
    tool_json_object_end(json);
    tool_json_array_end(json);
    tool_json_object_end(json);
    tool_json_array_end(json);
    tool_json_object_end(json);
    tool_json_line(json);
}
