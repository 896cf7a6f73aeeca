/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof explain: prints rules from the tables of the decoder, with their source and the vectors that cover them.
 */
#include "verbs/verbs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "etlproof/format.h"

#include "io/options.h"
#include "records/json_writer.h"
#include "records/profile.h"

static const char help[] =
    "usage: etlproof explain [--json] [RULE|GROUP...]\n"
    "\n"
    "Explains rules such as BUF-002, which validate and decode report. Lists the rules of a GROUP such as BUF, or all\n"
    "rules without an argument. 'writer' is what a violation is to 'validate --profile writer', and why.\n"
    "\n"
    "  --json   print one JSON object a rule, each on its own line\n"
    "  --help   print this help\n"
    "\n"
    "Exit status: 0 success, 64 usage error or unknown rule, 74 cannot write.\n";

enum { OPTION_JSON };

static const tool_option options_table[] = {
    {"json", 0, NULL, OPTION_JSON},
    {NULL, 0, NULL, 0},
};

/* The vectors of the conformance suite that cover each rule, one row a recipe. */
static const struct {
    etl_rule rule;
    const char *recipe;
    uint32_t vectors, violating;
    const char *example;
} coverage[] = {
#define ETL_RULE_VECTORS(id, recipe, vectors, violating, example) {ETL_RULE_##id, recipe, vectors, violating, example},
#include "format/rule_vectors.def"
};

enum { COVERAGE = sizeof coverage / sizeof coverage[0] };

/* True if the rule has this id, or this group at the start of its id: in upper or lower case, with `-` or `_`. */
static bool is_named(const etl_rule_info *rule, const char *name)
{
    size_t i = 0;
    for (; name[i] != '\0' && rule->id[i] != '\0'; i++)
        if ((name[i] == '_' ? '-' : toupper((unsigned char)name[i])) != rule->id[i])
            return false;
    return name[i] == '\0' && (rule->id[i] == '\0' || (i > 0 && rule->id[i] == '-'));
}

/* How many rules have the name; `*last` is the last of them. */
static unsigned count_named(const char *name, const etl_rule_info **last)
{
    unsigned count = 0;
    for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++) {
        if (!is_named(etl_rule_get((etl_rule)rule), name))
            continue;
        *last = etl_rule_get((etl_rule)rule);
        count++;
    }
    return count;
}

static void vectors_json(tool_json *json, const etl_rule_info *rule)
{
    tool_json_array(json, "vectors");
    for (size_t i = 0; i < COVERAGE; i++) {
        if (etl_rule_get(coverage[i].rule) != rule)
            continue;
        tool_json_object(json, NULL);
        tool_json_text(json, "recipe", coverage[i].recipe);
        tool_json_u32(json, "vectors", coverage[i].vectors);
        tool_json_u32(json, "violating", coverage[i].violating);
        tool_json_text(json, "example", coverage[i].example);
        tool_json_object_end(json);
    }
    tool_json_array_end(json);
}

static void vectors_text(tool_output *out, const etl_rule_info *rule)
{
    const char *label = "vectors";
    const char *kind = rule->severity == ETL_SEVERITY_STRUCTURE ? "detect a misreading" : "violate the rule";
    for (size_t i = 0; i < COVERAGE; i++) {
        if (etl_rule_get(coverage[i].rule) != rule)
            continue;
        tool_put_format(out, "  %-11s  %s: %" PRIu32 ", of which %" PRIu32 " %s (example: %s)\n", label, coverage[i].recipe,
                        coverage[i].vectors, coverage[i].violating, kind, coverage[i].example);
        label = "";
    }
}

static const tool_writer_rule *writer_rule_of(const etl_rule_info *rule)
{
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++)
        if (etl_rule_get((etl_rule)i) == rule)
            return tool_writer_rule_get((etl_rule)i);
    return NULL;
}

static void writer_json(tool_json *json, const tool_writer_rule *writer)
{
    if (writer == NULL)
        return;
    tool_json_object(json, "writer");
    tool_json_bool(json, "held", writer->held);
    tool_json_text(json, "evidence", writer->evidence);
    tool_json_object_end(json);
}

static void writer_text(tool_output *out, const tool_writer_rule *writer)
{
    if (writer != NULL)
        tool_put_format(out, "  writer       %s: %s\n", writer->held ? "error" : "as for readers", writer->evidence);
}

static void rule_json(tool_json *json, const etl_rule_info *rule)
{
    tool_json_object(json, NULL);
    tool_json_text(json, "rule", rule->id);
    tool_json_text(json, "group", rule->group);
    tool_json_text(json, "layer", rule->layer);
    tool_json_text(json, "severity", etl_severity_text(rule->severity));
    tool_json_text(json, "statement", rule->statement);
    tool_json_text(json, "effect", rule->effect);
    tool_json_text(json, "source", rule->source);
    writer_json(json, writer_rule_of(rule));
    vectors_json(json, rule);
    tool_json_object_end(json);
    tool_json_line(json);
}

static void rule_text(tool_output *out, const etl_rule_info *rule)
{
    tool_put_format(out,
                    "%s: %s\n\n  severity     %s\n  group        %s\n  layer        %s\n  effect       %s\n"
                    "  source       %s\n",
                    rule->id, rule->statement, etl_severity_text(rule->severity), rule->group, rule->layer, rule->effect,
                    rule->source);
    writer_text(out, writer_rule_of(rule));
    vectors_text(out, rule);
}

static void rule_row(tool_output *out, const etl_rule_info *rule)
{
    tool_put_format(out, "%s  %-9s  %s\n", rule->id, etl_severity_text(rule->severity), rule->statement);
}

/* Lists the rules of a group, or all rules if `group` is NULL. */
static void list(tool_output *out, const char *group, bool as_json)
{
    tool_json json;
    tool_json_open(&json, out);
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++) {
        const etl_rule_info *rule = etl_rule_get((etl_rule)i);
        if (group != NULL && !is_named(rule, group))
            continue;
        if (as_json)
            rule_json(&json, rule);
        else
            rule_row(out, rule);
    }
}

static void explain(tool_output *out, const char *name, bool as_json)
{
    const etl_rule_info *rule = NULL;
    if (count_named(name, &rule) == 1 && !as_json)
        rule_text(out, rule);
    else
        list(out, name, as_json);
}

/* Names the group that is meant, or all rules if the name resembles no group. */
static tool_exit unknown_name(const char *verb, const char *name)
{
    enum { GROUP_SIZE = 4 }; /* "BUF" */
    char groups[ETL_RULE_COUNT][GROUP_SIZE], given[GROUP_SIZE + 1] = "", message[96];
    const char *names[ETL_RULE_COUNT];
    for (unsigned i = 0; i < ETL_RULE_COUNT; i++) {
        (void)snprintf(groups[i], GROUP_SIZE, "%s", etl_rule_get((etl_rule)i)->id);
        names[i] = groups[i];
    }
    for (size_t i = 0; i < GROUP_SIZE && isalpha((unsigned char)name[i]); i++)
        given[i] = (char)toupper((unsigned char)name[i]);
    const char *close = tool_closest(given, names, ETL_RULE_COUNT);
    (void)snprintf(message, sizeof message, "no such rule or group; 'etlproof explain%s%s' lists %s",
                   close != NULL ? " " : "", close != NULL ? close : "", close != NULL ? "that group" : "all rules");
    return tool_usage(verb, message, name);
}

tool_exit tool_verb_explain(char **argv)
{
    bool as_json = false;
    tool_options options;
    tool_options_open(&options, argv[0], argv + 1, options_table, help);
    for (int id; (id = tool_options_next(&options)) != TOOL_OPTION_END;) {
        if (id == TOOL_OPTION_STOP)
            return options.exit;
        as_json = true;
    }
    const etl_rule_info *found;
    for (int i = 0; i < options.files; i++)
        if (count_named(options.arguments[i], &found) == 0)
            return unknown_name(argv[0], options.arguments[i]);
    tool_output out;
    tool_output_open(&out);
    if (options.files == 0)
        list(&out, NULL, as_json);
    for (int i = 0; i < options.files; i++) {
        if (i > 0 && !as_json)
            tool_put_char(&out, '\n');
        explain(&out, options.arguments[i], as_json);
    }
    return tool_output_close(&out);
}
