/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes each finding of the library as the command should, and compares it with what the command wrote. The texts of rules
 * have no characters that JSON escapes. Called by fuzz_json.
 */
#include "reported_findings.h"

#include <inttypes.h>
#include <string.h>

#include "wanted_text.h"

/* Findings that validate prints of each rule, without --all. */
#define OF_RULE 5u

void oracle_reported_add(oracle_reported *reported, const etl_reader *reader, etl_outcome outcome)
{
    for (uint32_t i = 0; i < reader->findings.count; i++) {
        if (reported->count < ORACLE_REPORTED_MAX)
            reported->findings[reported->count] = reader->findings.at[i];
        reported->count++;
    }
    if (outcome != ETL_EVENT || !reader->event.has_time)
        return;
    const int64_t time = reader->event.time;
    reported->first = reported->has_time && reported->first < time ? reported->first : time;
    reported->last = reported->has_time && reported->last > time ? reported->last : time;
    reported->has_time = true;
}

/* Rules that Windows keeps in all that it writes. */
static const bool kept_by_writer[ETL_RULE_COUNT] = {
#define ETL_WRITER_RULE(rule, held, evidence) [ETL_RULE_##rule] = held,
#include "format/writer_rules.def"
};

static etl_severity severity_of(const oracle_reported *reported, etl_rule rule)
{
    return reported->writer && kept_by_writer[rule] ? ETL_SEVERITY_ERROR : etl_rule_get(rule)->severity;
}

static uint64_t compared(const oracle_reported *reported)
{
    return reported->count < ORACLE_REPORTED_MAX ? reported->count : ORACLE_REPORTED_MAX;
}

static void put_expected(oracle_wanted *w, const etl_finding *f)
{
    const char *words[] = {[ETL_RELATION_NOT] = "anything but ",
                           [ETL_RELATION_AT_LEAST] = "at least ",
                           [ETL_RELATION_AT_MOST] = "at most ",
                           [ETL_RELATION_BITS_WITHIN] = "no bit outside "};
    if (f->relation == ETL_RELATION_KNOWN)
        oracle_want(w, "a known value");
    else
        oracle_want(w, "%s0x%" PRIx64, f->relation == ETL_RELATION_EQUAL ? "" : words[f->relation], f->expected);
}

static void put_places(oracle_wanted *w, const etl_finding *f)
{
    if (f->buffer != ETL_NO_INDEX)
        oracle_want(w, ",\"buffer\":\"%" PRIu64 "\"", f->buffer);
    if (f->event != ETL_NO_INDEX)
        oracle_want(w, ",\"event\":\"%" PRIu64 "\"", f->event);
}

static void put_members(oracle_wanted *w, const oracle_reported *reported, const etl_finding *f)
{
    const etl_rule_info *rule = etl_rule_get(f->rule);
    oracle_want(w, "\"rule\":\"%s\",\"severity\":\"%s\",\"layer\":\"%s\",\"offset\":\"%" PRIu64 "\"", rule->id,
                etl_severity_text(severity_of(reported, f->rule)), rule->layer, f->offset);
    oracle_want(w, "%s", f->space == ETL_SPACE_INFLATED ? ",\"space\":\"inflated\"" : "");
    put_places(w, f);
    if (f->relation != ETL_RELATION_NONE) {
        oracle_want(w, ",\"expected\":\"");
        put_expected(w, f);
        oracle_want(w, "\",\"actual\":\"0x%" PRIx64 "\"", f->actual);
    }
    oracle_want(w, ",\"action\":\"%s\",\"lost\":\"%" PRIu64 "\",\"message\":\"%s\"}", etl_action_text(f->action), f->lost,
                rule->statement);
}

/* The offset and its space, in words. */
static void put_offset(oracle_wanted *w, const etl_finding *f)
{
    oracle_want(w, "0x%" PRIx64, f->offset);
    if (f->space == ETL_SPACE_INFLATED)
        oracle_want(w, " of inflated buffer %" PRIu64, f->buffer);
}

static void put_values(oracle_wanted *w, const etl_finding *f)
{
    const char *value = etl_rule_get(f->rule)->value;
    if (f->relation == ETL_RELATION_NONE)
        return;
    oracle_want(w, "%s%s is 0x%" PRIx64 ", expected ", value[0] != '\0' ? ": " : "", value, f->actual);
    put_expected(w, f);
}

static void put_line(oracle_wanted *w, const oracle_reported *reported, const etl_finding *f)
{
    oracle_want(w, "%-7s  %s at ", etl_severity_text(severity_of(reported, f->rule)), etl_rule_get(f->rule)->id);
    put_offset(w, f);
    if (f->space == ETL_SPACE_FILE && f->buffer != ETL_NO_INDEX)
        oracle_want(w, ", buffer %" PRIu64, f->buffer);
    if (f->event != ETL_NO_INDEX)
        oracle_want(w, ", event %" PRIu64, f->event);
    put_values(w, f);
    oracle_want(w, "; %s", etl_action_text(f->action));
    if (f->lost != 0)
        oracle_want(w, ", %" PRIu64 " byte%s lost", f->lost, f->lost == 1 ? "" : "s");
    oracle_want(w, "\n");
}

static const char *level_of(etl_severity severity)
{
    return severity == ETL_SEVERITY_ERROR ? "error" : severity == ETL_SEVERITY_NOTE ? "note" : "warning";
}

static void put_result(oracle_wanted *w, const oracle_reported *reported, const etl_finding *f, const char *uri)
{
    const etl_rule_info *rule = etl_rule_get(f->rule);
    oracle_want(w, "{\"ruleId\":\"%s\",\"ruleIndex\":%u,\"level\":\"%s\",\"message\":{\"text\":\"", rule->id,
                (unsigned)f->rule, level_of(severity_of(reported, f->rule)));
    oracle_want(w, "%s At ", rule->statement);
    put_offset(w, f);
    put_values(w, f);
    oracle_want(w, ". Consequence: %s.\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"%s\"}",
                rule->effect, uri);
    if (f->space == ETL_SPACE_FILE)
        oracle_want(w, ",\"region\":{\"byteOffset\":%" PRIu64 "}", f->offset);
    oracle_want(w, "}}],\"properties\":{\"offset\":\"%" PRIu64 "\",\"space\":\"%s\"", f->offset,
                f->space == ETL_SPACE_FILE ? "file" : "inflated");
    put_places(w, f);
    oracle_want(w, ",\"action\":\"%s\",\"lost\":\"%" PRIu64 "\"}}", etl_action_text(f->action), f->lost);
}

/* What the command wrote, and what of it is not compared yet. */
typedef struct reading {
    oracle_watch *oracle;
    oracle_slice text, rest;
    const char **why;
} reading;

static reading start(oracle_watch *oracle, oracle_slice text, const char **why)
{
    return (reading){.oracle = oracle, .text = text, .rest = text, .why = why};
}

static bool fails(reading *r, const char *why)
{
    *r->why = why;
    return oracle_break(r->oracle, ORACLE_PROMISE_RECORDS, r->text.size - r->rest.size);
}

static bool starts(const reading *r, const char *text)
{
    return oracle_slice_starts(r->rest, text, strlen(text));
}

static bool takes_wanted(reading *r, const oracle_wanted *w)
{
    return oracle_slice_takes(&r->rest, w->at, w->size) ||
           fails(r, "a finding of the library is not there as it should be");
}

/* Continues behind the next `mark`; false if there is none. */
static bool seeks(reading *r, const char *mark)
{
    return oracle_slice_seeks(&r->rest, mark, strlen(mark));
}

/* The list of findings ends here. */
static bool ends(reading *r)
{
    return starts(r, "]") || fails(r, "a finding that the library does not have");
}

static bool is_finding_line(const reading *r)
{
    static const char *const starts_of[] = {"{\"rec\":\"finding\"", "error  ", "limit  ", "warning  ", "note  "};
    for (size_t i = 0; i < sizeof starts_of / sizeof starts_of[0]; i++)
        if (starts(r, starts_of[i]))
            return true;
    return false;
}

/* Lines among which each finding has one, in order. */
static bool lines_hold(reading *r, const oracle_reported *reported, bool json)
{
    uint64_t count = 0;
    while (r->rest.size) {
        oracle_wanted w = {.size = 0};
        if (is_finding_line(r) && count++ < compared(reported)) {
            oracle_want(&w, "%s", json ? "{\"rec\":\"finding\"," : "");
            (json ? put_members : put_line)(&w, reported, &reported->findings[count - 1]);
            if (!takes_wanted(r, &w))
                return false;
        } else {
            (void)oracle_slice_line(&r->rest);
        }
    }
    return count == reported->count || fails(r, "there are more or fewer findings than those of the library");
}

bool oracle_reported_records(oracle_watch *oracle, const oracle_reported *reported, oracle_slice records, const char **why)
{
    reading r = start(oracle, records, why);
    return lines_hold(&r, reported, true);
}

bool oracle_reported_text(oracle_watch *oracle, const oracle_reported *reported, oracle_slice text, const char **why)
{
    reading r = start(oracle, text, why);
    return lines_hold(&r, reported, false);
}

static bool time_range_holds(reading *r, const oracle_reported *reported)
{
    oracle_wanted w = {.size = 0};
    if (!reported->has_time)
        return true;
    oracle_want(&w, "\"first\":\"%" PRIi64 "\",\"last\":\"%" PRIi64 "\"", reported->first, reported->last);
    return (seeks(r, ",\"time_range\":{") && oracle_slice_starts(r->rest, w.at, w.size)) ||
           fails(r, "the time range is not that of the events");
}

bool oracle_reported_json(oracle_watch *oracle, const oracle_reported *reported, oracle_slice json, const char **why)
{
    reading r = start(oracle, json, why);
    if (!time_range_holds(&r, reported))
        return false;
    if (reported->count > ORACLE_REPORTED_MAX)
        return true;
    if (!seeks(&r, ",\"findings\":["))
        return fails(&r, "no findings");
    for (uint64_t i = 0; i < reported->count; i++) {
        oracle_wanted w = {.size = 0};
        oracle_want(&w, "%s{", i > 0 ? "," : "");
        put_members(&w, reported, &reported->findings[i]);
        if (!takes_wanted(&r, &w))
            return false;
    }
    return ends(&r);
}

bool oracle_reported_sarif(oracle_watch *oracle, const oracle_reported *reported, oracle_slice sarif, const char *uri,
                           const char **why)
{
    reading r = start(oracle, sarif, why);
    if (reported->count > ORACLE_REPORTED_MAX)
        return true;
    if (!seeks(&r, ",\"results\":["))
        return fails(&r, "no results");
    /* The first result of a file that is no trace is that verdict, without a rule. */
    const bool other = starts(&r, "{\"level\"");
    if (other && !seeks(&r, "}}}]}"))
        return fails(&r, "a result without an end");
    for (uint64_t i = 0; i < reported->count; i++) {
        oracle_wanted w = {.size = 0};
        oracle_want(&w, "%s", i > 0 || other ? "," : "");
        put_result(&w, reported, &reported->findings[i], uri);
        if (!takes_wanted(&r, &w))
            return false;
    }
    return ends(&r);
}

/* The findings of one rule, under its statement. */
static bool rule_holds(reading *r, const oracle_reported *reported, etl_rule rule, bool all)
{
    const etl_rule_info *info = etl_rule_get(rule);
    uint64_t count = 0;
    for (uint64_t i = 0; i < reported->count; i++) {
        const etl_finding *f = &reported->findings[i];
        oracle_wanted w = {.size = 0};
        if (f->rule != rule || (count++ >= OF_RULE && !all))
            continue;
        if (count == 1)
            oracle_want(&w, "  %s %s: %s\n    effect: %s\n", etl_severity_text(severity_of(reported, rule)), info->id,
                        info->statement, info->effect);
        oracle_want(&w, "    ");
        put_line(&w, reported, f);
        if (!takes_wanted(r, &w))
            return false;
    }
    oracle_wanted more = {.size = 0};
    if (count <= OF_RULE || all)
        return true;
    oracle_want(&more, "    and %" PRIu64 " more of %s\n", count - OF_RULE, info->id);
    return takes_wanted(r, &more);
}

/* Where the findings start: the first line that names a rule. */
static bool seeks_findings(reading *r, const oracle_reported *reported)
{
    for (; r->rest.size; (void)oracle_slice_line(&r->rest))
        for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++) {
            const etl_rule_info *info = etl_rule_get((etl_rule)rule);
            oracle_wanted w = {.size = 0};
            oracle_want(&w, "  %s %s: ", etl_severity_text(severity_of(reported, (etl_rule)rule)), info->id);
            if (oracle_slice_starts(r->rest, w.at, w.size))
                return true;
        }
    return false;
}

/* Of a file of another kind only that is said: what an ETL file would lack is no finding about it. */
static bool is_of_another_kind(oracle_slice text)
{
    static const char said[] = "the input: not an ETL file: it looks like ";
    return oracle_slice_starts(text, said, sizeof said - 1);
}

bool oracle_reported_validation(oracle_watch *oracle, const oracle_reported *reported, oracle_slice text, bool all,
                                const char **why)
{
    reading r = start(oracle, text, why);
    if (reported->count > ORACLE_REPORTED_MAX)
        return true;
    const bool due = reported->count > 0 && !is_of_another_kind(text);
    if (seeks_findings(&r, reported) != due)
        return fails(&r, "findings that the library does not have, or none");
    if (!due)
        return true;
    for (unsigned severity = ETL_SEVERITY_COUNT; --severity > ETL_SEVERITY_STRUCTURE;)
        for (unsigned rule = 0; rule < ETL_RULE_COUNT; rule++)
            if (severity_of(reported, (etl_rule)rule) == (etl_severity)severity &&
                !rule_holds(&r, reported, (etl_rule)rule, all))
                return false;
    return r.rest.size == 0 || fails(&r, "a finding that the library does not have");
}
