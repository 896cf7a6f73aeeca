/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0 (OASIS), for code-scanning views: each finding is a result at a byte offset.
 */
#include "validate.h"

#include <ctype.h>
#include <string.h>

#include "finding_text.h"
#include "not_etl.h"
#include "paths.h"

static const char *level(etl_rule rule)
{
    switch (etl_rule_get(rule)->severity) {
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
static void text_object(etl_json *json, const char *key, const char *text)
{
    etl_json_object(json, key);
    etl_json_text(json, "text", text);
    etl_json_object_end(json);
}

static void rules(etl_json *json)
{
    etl_json_array(json, "rules");
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++) {
        const etl_rule_info *rule = etl_rule_get((etl_rule)i);
        etl_json_object(json, NULL);
        etl_json_text(json, "id", rule->id);
        text_object(json, "shortDescription", rule->statement);
        text_object(json, "fullDescription", rule->effect);
        etl_json_object(json, "defaultConfiguration");
        etl_json_text(json, "level", level((etl_rule)i));
        etl_json_object_end(json);
        etl_json_object_end(json);
    }
    etl_json_array_end(json);
}

void etl_sarif_open(etl_json *json)
{
    etl_json_object(json, NULL);
    etl_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    etl_json_text(json, "version", "2.1.0");
    etl_json_array(json, "runs");
    etl_json_object(json, NULL);
    etl_json_object(json, "tool");
    etl_json_object(json, "driver");
    etl_json_text(json, "name", "etlproof");
    etl_json_text(json, "version", ETLPROOF_VERSION);
    rules(json);
    etl_json_object_end(json);
    etl_json_object_end(json);
    etl_json_array(json, "results");
}

/* What the URI of a path begins with, where it is not relative (RFC 8089, appendix E). What follows is returned. */
static const char *uri_start(etl_out *out, const char *path)
{
#if defined(_WIN32)
    if (isalpha((unsigned char)path[0]) && path[1] == ':' && strspn(path + 2, etl_path_slashes) != 0) {
        etl_out_text(out, "file:///");
        etl_out_char(out, path[0]);
        etl_out_char(out, ':');
        return path + 2;
    }
#endif
    if (strspn(path, etl_path_slashes) != 0)
        etl_out_text(out, "file://");
    return path;
}

/* The path as a URI reference: what is not plain in one is percent-encoded, and so is a colon, which would end a scheme. */
static void uri(etl_json *json, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    etl_json_string(json, "uri");
    for (path = uri_start(json->out, path); *path != '\0'; path++) {
        if (strchr(etl_path_slashes, *path) != NULL) {
            etl_out_char(json->out, '/');
        } else if (strchr(plain, *path) != NULL) {
            etl_out_char(json->out, *path);
        } else {
            etl_out_char(json->out, '%');
            etl_out_hex(json->out, (unsigned char)*path, 2);
        }
    }
    etl_json_string_end(json);
}

/* `finding` is NULL where the whole file is meant. Offsets in inflated buffers are no offsets in the file. */
static void location(etl_json *json, const char *path, const etl_finding *finding)
{
    etl_json_array(json, "locations");
    etl_json_object(json, NULL);
    etl_json_object(json, "physicalLocation");
    etl_json_object(json, "artifactLocation");
    uri(json, path);
    etl_json_object_end(json);
    if (finding != NULL && finding->space == ETL_SPACE_FILE) {
        etl_json_object(json, "region");
        etl_json_number(json, "byteOffset", finding->offset);
        etl_json_object_end(json);
    }
    etl_json_object_end(json);
    etl_json_object_end(json);
    etl_json_array_end(json);
}

static void message(etl_json *json, const etl_finding *finding)
{
    const etl_rule_info *rule = etl_rule_get(finding->rule);
    char expected[ETL_FINDING_TEXT_MAX], actual[ETL_FINDING_TEXT_MAX];
    etl_json_object(json, "message");
    etl_json_string(json, "text");
    etl_out_format(json->out, "%s At ", rule->statement);
    etl_out_finding_place(json->out, finding);
    if (etl_finding_texts(finding, expected, actual))
        etl_out_format(json->out, ": expected %s, found %s", expected, actual);
    etl_out_format(json->out, ". Consequence: %s.", rule->effect);
    etl_json_string_end(json);
    etl_json_object_end(json);
}

static void properties(etl_json *json, const etl_finding *finding)
{
    etl_json_object(json, "properties");
    etl_json_u64(json, "offset", finding->offset);
    etl_json_text(json, "space", finding->space == ETL_SPACE_INFLATED ? "inflated" : "file");
    if (finding->buffer != ETL_NO_INDEX)
        etl_json_u64(json, "buffer", finding->buffer);
    if (finding->event != ETL_NO_INDEX)
        etl_json_u64(json, "event", finding->event);
    etl_json_text(json, "action", etl_action_text(finding->action));
    etl_json_u64(json, "lost", finding->lost);
    etl_json_object_end(json);
}

static void result_open(etl_json *json, etl_rule rule)
{
    etl_json_object(json, NULL);
    etl_json_text(json, "ruleId", etl_rule_get(rule)->id);
    etl_json_u32(json, "ruleIndex", (uint32_t)rule);
    etl_json_text(json, "level", level(rule));
}

static void result(etl_json *json, const char *path, const etl_finding *finding)
{
    result_open(json, finding->rule);
    message(json, finding);
    location(json, path, finding);
    properties(json, finding);
    etl_json_object_end(json);
}

/* Findings of a rule that were counted but not kept: one result for all of them, at no place but the file. */
static void unkept(etl_json *json, const char *path, const etl_inventory *inventory, etl_rule rule)
{
    uint64_t count = inventory->findings_of_rule[rule];
    for (uint32_t i = 0; i < inventory->kept_count; i++)
        count -= inventory->kept[i].rule == rule;
    if (count == 0)
        return;
    result_open(json, rule);
    etl_json_object(json, "message");
    etl_json_string(json, "text");
    etl_out_text(json->out, etl_rule_get(rule)->statement);
    etl_out_text(json->out, " Besides what other results name, this is broken ");
    etl_out_count(json->out, count);
    etl_out_text(json->out, " times more; 'etlproof decode' lists every finding.");
    etl_json_string_end(json);
    etl_json_object_end(json);
    location(json, path, NULL);
    etl_json_number(json, "occurrenceCount", count);
    etl_json_object_end(json);
}

static void not_etl(etl_json *json, const etl_input *input)
{
    etl_json_object(json, NULL);
    etl_json_text(json, "level", "error");
    etl_json_object(json, "message");
    etl_json_string(json, "text");
    etl_out_text(json->out, "This is not an ETL file: ");
    etl_out_not_etl(json->out, input);
    etl_json_string_end(json);
    etl_json_object_end(json);
    location(json, input->name, NULL);
    etl_json_object_end(json);
}

void etl_sarif_file(etl_json *json, const etl_validation *validation)
{
    const etl_inventory *inventory = validation->inventory;
    if (validation->verdict == ETL_VERDICT_NOT_ETL)
        not_etl(json, validation->input);
    for (uint32_t i = 0; i < inventory->kept_count; i++)
        result(json, validation->input->name, &inventory->kept[i]);
    for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
        unkept(json, validation->input->name, inventory, (etl_rule)rule);
}

void etl_sarif_close(etl_json *json, bool failed)
{
    etl_json_array_end(json);
    etl_json_array(json, "invocations");
    etl_json_object(json, NULL);
    etl_json_bool(json, "executionSuccessful", !failed);
    etl_json_object_end(json);
    etl_json_array_end(json);
    etl_json_object_end(json);
    etl_json_array_end(json);
    etl_json_object_end(json);
    etl_json_line(json);
}
