/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns findings into text: validate, decode --format text, layout and SARIF messages.
 */
#include "records/finding_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* These texts are the values of `expected` in decode records: changing one breaks the expected decodes. */
static void print_relation(etl_relation relation, uint64_t value, char text[TOOL_FINDING_TEXT_MAX])
{
    const size_t size = TOOL_FINDING_TEXT_MAX;
    switch (relation) {
    case ETL_RELATION_NONE: text[0] = '\0'; return;
    case ETL_RELATION_EQUAL: (void)snprintf(text, size, "0x%" PRIx64, value); return;
    case ETL_RELATION_NOT: (void)snprintf(text, size, "anything but 0x%" PRIx64, value); return;
    case ETL_RELATION_AT_LEAST: (void)snprintf(text, size, "at least 0x%" PRIx64, value); return;
    case ETL_RELATION_AT_MOST: (void)snprintf(text, size, "at most 0x%" PRIx64, value); return;
    case ETL_RELATION_BITS_WITHIN: (void)snprintf(text, size, "no bit outside 0x%" PRIx64, value); return;
    case ETL_RELATION_KNOWN: (void)snprintf(text, size, "a known value"); return;
    }
}

bool tool_finding_texts(const etl_finding *finding, char expected[TOOL_FINDING_TEXT_MAX],
                        char actual[TOOL_FINDING_TEXT_MAX])
{
    print_relation(finding->relation, finding->expected, expected);
    (void)snprintf(actual, TOOL_FINDING_TEXT_MAX, "0x%" PRIx64, finding->actual);
    return finding->relation != ETL_RELATION_NONE;
}

void tool_put_severity(tool_output *out, etl_severity severity, size_t width)
{
    const char *text = etl_severity_text(severity);
    const tool_colour colour = severity >= ETL_SEVERITY_LIMIT     ? TOOL_RED
                               : severity == ETL_SEVERITY_WARNING ? TOOL_YELLOW
                                                                  : TOOL_CYAN;
    tool_put_coloured(out, colour, text);
    tool_put_spaces(out, strlen(text) < width ? width - strlen(text) : 0);
}

void tool_put_finding_rule(tool_output *out, tool_profile profile, etl_rule rule)
{
    const etl_rule_info *info = etl_rule_get(rule);
    tool_put_text(out, "  ");
    tool_put_severity(out, tool_profile_severity(profile, rule), 0);
    tool_put_format(out, " %s: %s\n    effect: %s\n", info->id, info->statement, info->effect);
}

void tool_put_finding_place(tool_output *out, const etl_finding *finding)
{
    tool_put_format(out, "0x%" PRIx64, finding->offset);
    if (finding->space == ETL_SPACE_INFLATED)
        tool_put_format(out, " of inflated buffer %" PRIu64, finding->buffer);
}

void tool_put_finding_begin(tool_output *out, tool_profile profile, const etl_finding *finding)
{
    tool_put_severity(out, tool_profile_severity(profile, finding->rule), 7);
    tool_put_format(out, "  %s at ", etl_rule_get(finding->rule)->id);
    tool_put_finding_place(out, finding);
    if (finding->space == ETL_SPACE_FILE && finding->buffer != ETL_NO_INDEX)
        tool_put_format(out, ", buffer %" PRIu64, finding->buffer);
    if (finding->event != ETL_NO_INDEX)
        tool_put_format(out, ", event %" PRIu64, finding->event);
}

void tool_put_finding_values(tool_output *out, const etl_finding *finding, const char *value)
{
    char expected[TOOL_FINDING_TEXT_MAX], actual[TOOL_FINDING_TEXT_MAX];
    if (!tool_finding_texts(finding, expected, actual))
        return;
    if (value[0] != '\0')
        tool_put_format(out, ": %s", value);
    tool_put_format(out, " is %s, expected %s", actual, expected);
}

void tool_put_finding_end(tool_output *out, const etl_finding *finding)
{
    tool_put_format(out, "; %s", etl_action_text(finding->action));
    if (finding->lost > 0)
        tool_put_format(out, ", %" PRIu64 " byte%s lost", finding->lost, finding->lost == 1 ? "" : "s");
    tool_put_char(out, '\n');
}

void tool_put_finding(tool_output *out, tool_profile profile, const etl_finding *finding)
{
    tool_put_finding_begin(out, profile, finding);
    tool_put_finding_values(out, finding, etl_rule_get(finding->rule)->value);
    tool_put_finding_end(out, finding);
}
