/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the records and reports that the command wrote agree. Called by fuzz_json.
 */
#include "json_records.h"

#include <string.h>

/* Members of 64 bits, which are decimal numbers in text in every record: generated from the schema. */
static const oracle_slice wide[] = {
#define WIDE(key) {key, sizeof key - 1},
#include "wide.def"
#undef WIDE
};

typedef enum record_kind {
#define TOOL_RECORD_KIND(name, text) name,
#include "tool/records/record_kinds.def"
    KINDS
} record_kind;

/* The members of one record that are compared with other records. */
typedef struct line {
    oracle_slice rec, rule, severity, action, verdict, header_type;
    bool compressed, has_fields;
    bool has_index, has_offset, has_buffer, has_event, has_timestamp;
    uint64_t index, offset, buffer, event, timestamp;
    uint64_t size;
    uint64_t buffers, compressed_buffers, events;
    uint64_t by_type[ETL_HEADER_TYPE_COUNT], findings[ETL_SEVERITY_COUNT], bytes;
    const char *why; /* NULL: nothing is wrong with a member */
} line;

typedef struct counts {
    bool trace, end;
    uint64_t buffers, compressed_buffers, buffer_at;
    uint64_t event_at; /* of the last event in its buffer, or of that buffer; 0 if it counts in the inflated bytes */
    uint64_t events, index_sum;
    uint64_t event_of_finding; /* the last event that a finding names */
    uint64_t time, next_index; /* of the last event by time: a key that sorts as its time does, and its index + 1 */
    uint64_t by_type[ETL_HEADER_TYPE_COUNT], findings[ETL_SEVERITY_COUNT];
} counts;

/* An unsigned number in text, at most `most`, without leading zeros. */
static bool read_digits(oracle_slice text, uint64_t most, uint64_t *value)
{
    if (text.size == 0 || (text.at[0] == '0' && text.size > 1))
        return false;
    *value = 0;
    for (size_t i = 0; i < text.size; i++) {
        const uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (text.at[i] < '0' || text.at[i] > '9' || *value > (most - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* From -`least` to `most`; negative numbers in two's complement. */
static bool read_integer(oracle_slice text, uint64_t least, uint64_t most, uint64_t *value)
{
    if (text.size == 0 || text.at[0] != '-')
        return read_digits(text, most, value);
    if (!read_digits((oracle_slice){text.at + 1, text.size - 1}, least, value) || *value == 0)
        return false;
    *value = ~*value + 1;
    return true;
}

static bool is_wide(oracle_slice key)
{
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (key.size == wide[i].size && oracle_slice_starts(key, wide[i].at, key.size))
            return true;
    return false;
}

static bool wrong(line *l, const char *why)
{
    l->why = why;
    return false;
}

/* "0x0f": two lower-case digits. */
static bool read_type(oracle_slice text, unsigned *type)
{
    static const char digits[] = "0123456789abcdef";
    if (text.size != 4 || text.at[0] != '0' || text.at[1] != 'x')
        return false;
    const char *high = memchr(digits, text.at[2], 16), *low = memchr(digits, text.at[3], 16);
    if (!high || !low)
        return false;
    *type = (unsigned)(high - digits) << 4 | (unsigned)(low - digits);
    return true;
}

static etl_rule rule_of(oracle_slice text)
{
    unsigned rule = 0;
    while (rule < ETL_RULE_COUNT && !oracle_slice_is(text, etl_rule_get((etl_rule)rule)->id))
        rule++;
    return (etl_rule)rule;
}

static etl_severity severity_of(oracle_slice text)
{
    unsigned severity = ETL_SEVERITY_STRUCTURE + 1;
    while (severity < ETL_SEVERITY_COUNT && !oracle_slice_is(text, etl_severity_text((etl_severity)severity)))
        severity++;
    return (etl_severity)severity;
}

static bool is_region(oracle_slice text)
{
    for (unsigned kind = 0; kind < ETL_REGION_COUNT; kind++)
        if (oracle_slice_is(text, etl_region_text((etl_region_kind)kind)))
            return true;
    return false;
}

static bool is_action(oracle_slice text)
{
    for (unsigned action = 0; action < ETL_ACTION_COUNT; action++)
        if (oracle_slice_is(text, etl_action_text((etl_action)action)))
            return true;
    return false;
}

/* A member of an object: those of the end record are totals. */
static bool take_total(line *l, const oracle_json_value *v, bool decimal, uint64_t number)
{
    const oracle_slice table = v->keys[0], key = v->keys[1];
    unsigned type;
    if (!decimal && (oracle_slice_is(table, "events_by_header_type") || oracle_slice_is(table, "findings") ||
                     oracle_slice_is(table, "bytes")))
        return wrong(l, "a total that is not a decimal number in text");
    if (oracle_slice_is(table, "events_by_header_type")) {
        if (!read_type(key, &type) || number == 0)
            return wrong(l, "an unknown header type, or one without events");
        l->by_type[type] = number;
    } else if (oracle_slice_is(table, "findings")) {
        if (severity_of(key) == ETL_SEVERITY_COUNT)
            return wrong(l, "an unknown severity");
        l->findings[severity_of(key)] = number;
    } else if (oracle_slice_is(table, "bytes")) {
        if (!is_region(key) || number > UINT64_MAX - l->bytes)
            return wrong(l, "an unknown region kind, or too many bytes");
        l->bytes += number;
    }
    return true;
}

static void take_number(line *l, oracle_slice key, uint64_t number)
{
    const struct {
        const char *name;
        uint64_t *to;
        bool *has;
    } members[] = {
        {"index", &l->index, &l->has_index},
        {"offset", &l->offset, &l->has_offset},
        {"buffer", &l->buffer, &l->has_buffer},
        {"event", &l->event, &l->has_event},
        {"timestamp", &l->timestamp, &l->has_timestamp},
        {"size", &l->size, NULL},
        {"buffers", &l->buffers, NULL},
        {"compressed_buffers", &l->compressed_buffers, NULL},
        {"events", &l->events, NULL},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!oracle_slice_is(key, members[i].name))
            continue;
        *members[i].to = number;
        if (members[i].has)
            *members[i].has = true;
    }
}

static void take_text(line *l, oracle_slice key, oracle_slice text)
{
    const struct {
        const char *name;
        oracle_slice *to;
    } members[] = {{"rec", &l->rec},           {"rule", &l->rule},       {"severity", &l->severity},
                   {"action", &l->action},     {"verdict", &l->verdict}, {"header_type", &l->header_type}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (oracle_slice_is(key, members[i].name))
            *members[i].to = text;
}

/* The value of a field of a payload, which may be a fraction. */
static bool is_field_value(const oracle_json_value *v)
{
    return oracle_slice_is(v->keys[0], "fields") && oracle_slice_is(v->keys[v->depth - 1], "value");
}

static bool take_value(void *context, const oracle_json_value *v)
{
    line *l = context;
    const oracle_slice key = v->keys[v->depth - 1];
    uint64_t number = 0;
    l->has_fields = l->has_fields || oracle_slice_is(v->keys[0], "fields");
    if (v->kind == ORACLE_JSON_NUMBER && !is_field_value(v) &&
        !read_integer(v->text, UINT64_C(1) << 31, UINT32_MAX, &number))
        return wrong(l, "a number of more than 32 bits");
    const bool decimal = v->kind == ORACLE_JSON_TEXT && read_integer(v->text, UINT64_C(1) << 63, UINT64_MAX, &number);
    if (is_wide(key) && !decimal)
        return wrong(l, "a 64-bit member that is not a decimal number in text");
    if (v->depth == 2)
        return take_total(l, v, decimal, number);
    if (v->depth > 2)
        return true;
    if (decimal || oracle_slice_is(key, "size"))
        take_number(l, key, number);
    if (v->kind == ORACLE_JSON_TEXT)
        take_text(l, key, v->text);
    if (v->kind == ORACLE_JSON_WORD && oracle_slice_is(key, "compressed"))
        l->compressed = oracle_slice_is(v->text, "true");
    return true;
}

static const char *add_buffer(counts *c, const line *l)
{
    if (!l->has_index || l->index != c->buffers)
        return "buffers are not numbered from 0";
    if (!l->has_offset || (c->buffers > 0 && l->offset <= c->buffer_at))
        return "a buffer does not start after the one before it";
    c->buffer_at = l->offset;
    c->event_at = l->compressed ? 0 : l->offset;
    c->buffers++;
    c->compressed_buffers += l->compressed;
    return NULL;
}

/* An event without a time stays after the one that it follows in the file. */
static const char *add_by_time(counts *c, const line *l)
{
    const uint64_t time = l->has_timestamp ? l->timestamp ^ UINT64_C(1) << 63 : c->time;
    if (!l->has_timestamp && l->index != c->next_index)
        return "an event without a time does not follow its predecessor";
    if (time < c->time || (time == c->time && l->index < c->next_index))
        return "events are not sorted by time, then by index";
    c->time = time;
    c->next_index = l->index + 1;
    return NULL;
}

static const char *add_event(counts *c, const line *l, bool by_time)
{
    unsigned type;
    if (!l->has_index || (!by_time && l->index != c->events))
        return "events are not numbered from 0";
    if (!l->has_buffer || l->buffer >= c->buffers || (!by_time && l->buffer != c->buffers - 1))
        return "an event does not belong to the last buffer";
    if (!l->has_offset || (!by_time && l->offset <= c->event_at))
        return "an event does not start after the one before it, or the start of its buffer";
    if (!read_type(l->header_type, &type))
        return "an event has no header type";
    c->event_at = l->offset;
    c->by_type[type]++;
    c->events++;
    c->index_sum += l->index;
    return by_time ? add_by_time(c, l) : NULL;
}

/* A finding may precede its buffer or event; by time, all findings precede all events. */
static const char *add_place(counts *c, const line *l, bool by_time)
{
    if (l->has_buffer && l->buffer > c->buffers)
        return "a finding of a buffer without a record";
    if (l->has_event && !by_time && l->event > c->events)
        return "a finding of an event before its record";
    if (l->has_event && l->event > c->event_of_finding)
        c->event_of_finding = l->event;
    return NULL;
}

static const char *add_finding(counts *c, const line *l, bool by_time)
{
    const etl_rule rule = rule_of(l->rule);
    if (rule == ETL_RULE_COUNT)
        return "a finding has no rule";
    if (!oracle_slice_is(l->severity, etl_severity_text(etl_rule_get(rule)->severity)))
        return "a finding's severity is not that of its rule";
    if (!l->has_offset || !is_action(l->action))
        return "a finding has no offset, or no action";
    c->findings[etl_rule_get(rule)->severity]++;
    return add_place(c, l, by_time);
}

/* Whether the verdict follows from the findings; `not-etl` needs no finding. */
static bool verdict_fits(const counts *c, const line *l)
{
    if (c->events == 0 && !c->trace)
        return oracle_slice_is(l->verdict, "not-etl");
    return oracle_slice_is(l->verdict, c->findings[ETL_SEVERITY_ERROR]   ? "damaged"
                                       : c->findings[ETL_SEVERITY_LIMIT] ? "limit"
                                                                         : "conforming");
}

/* 0 + 1 + ... + (n - 1) */
static uint64_t sum_below(uint64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

static const char *add_end(counts *c, const line *l, uint64_t size)
{
    c->end = true;
    if (l->buffers != c->buffers || l->compressed_buffers != c->compressed_buffers || l->events != c->events)
        return "the totals do not match the records";
    if (memcmp(l->by_type, c->by_type, sizeof l->by_type) != 0)
        return "the events by header type do not match the records";
    if (memcmp(l->findings, c->findings, sizeof l->findings) != 0)
        return "the findings by severity do not match the records";
    if (c->index_sum != sum_below(c->events))
        return "an event is missing or duplicated";
    if (c->event_of_finding > c->events)
        return "a finding of an event without a record";
    if (l->bytes != size)
        return "the bytes by kind do not add up to the size of the file";
    return verdict_fits(c, l) ? NULL : "the verdict does not follow from the findings";
}

static const char *add_trace(counts *c)
{
    if (c->trace)
        return "a second trace record";
    c->trace = true;
    return NULL;
}

static record_kind kind_of(oracle_slice text)
{
    static const char *const texts[] = {
#define TOOL_RECORD_KIND(name, text) text,
#include "tool/records/record_kinds.def"
    };
    record_kind kind = 0;
    while (kind < KINDS && !oracle_slice_is(text, texts[kind]))
        kind++;
    return kind;
}

/*
 * The longest line for a record: far more than a record of its kind needs, and linear in the bytes that it describes.
 * Those of an event are its own bytes; those of a trace are the names, which are in one event. Names and places of fields
 * are written again for each element of an array, as often as MET-004 allows.
 */
static uint64_t longest_line(record_kind kind, const line *l)
{
    const uint64_t bytes = kind == EVENT ? l->size : kind == TRACE ? UINT16_MAX : 0;
    return l->has_fields ? 65536 + 4096 * bytes : 8192 + 128 * bytes;
}

static const char *add_record(counts *c, const line *l, uint64_t size, bool by_time)
{
    const record_kind kind = kind_of(l->rec);
    if (c->end)
        return "a record after the end";
    if (by_time && c->events > 0 && kind != EVENT && kind != END)
        return "a record after the sorted events";
    /* Without a default: the compiler asks for a case where the decoder writes a kind that has none. */
    switch (kind) {
    case TRACE: return add_trace(c);
    case BUFFER: return add_buffer(c, l);
    case EVENT: return add_event(c, l, by_time);
    case FINDING: return add_finding(c, l, by_time);
    case END: return add_end(c, l, size);
    case KINDS: break;
    }
    return "a record of unknown kind";
}

/* The next line without its end; false if it has none. */
static bool next_line(oracle_slice *text, oracle_slice *found)
{
    const char *end = memchr(text->at, '\n', text->size);
    if (!end)
        return false;
    *found = (oracle_slice){text->at, (size_t)(end - text->at)};
    *text = (oracle_slice){end + 1, text->size - found->size - 1};
    return true;
}

bool oracle_records(oracle_watch *oracle, oracle_slice text, bool by_time, const char **why)
{
    counts c = {0};
    oracle_slice rest = text, found;
    size_t at;
    while (rest.size > 0) {
        const uint64_t offset = (uint64_t)(rest.at - text.at);
        line l = {.why = NULL};
        *why = "an unterminated line";
        if (!next_line(&rest, &found))
            return oracle_break(oracle, ORACLE_PROMISE_JSON, offset);
        if (!oracle_json_object(found, take_value, &l, why, &at)) {
            if (!l.why)
                return oracle_break(oracle, ORACLE_PROMISE_JSON, offset + at);
            *why = l.why;
            return oracle_break(oracle, ORACLE_PROMISE_RECORDS, offset + at);
        }
        *why = add_record(&c, &l, oracle->size, by_time);
        if (!*why && found.size > longest_line(kind_of(l.rec), &l))
            *why = "a record is too long for its bytes";
        if (*why)
            return oracle_break(oracle, ORACLE_PROMISE_RECORDS, offset);
    }
    *why = "no end record";
    return c.end || oracle_break(oracle, ORACLE_PROMISE_RECORDS, text.size);
}

/* A member of the output of validate: its counts of findings by severity are `findings` of the end record. */
static bool take_summary(void *context, const oracle_json_value *v)
{
    static const char totals[] = "findings";
    oracle_json_value taken = *v;
    if (oracle_slice_is(v->keys[0], "findings_by_severity"))
        taken.keys[0] = (oracle_slice){totals, sizeof totals - 1};
    return take_value(context, &taken);
}

/* The results of a SARIF log, in runs[].results[]: each stands for one finding, or for the number it states. */
static bool take_result(void *context, const oracle_json_value *v)
{
    uint64_t *count = context, number = 0;
    if (v->depth != 5 || !oracle_slice_is(v->keys[3], "results"))
        return true;
    *count += oracle_slice_is(v->keys[4], "ruleIndex");
    if (oracle_slice_is(v->keys[4], "occurrenceCount") && read_digits(v->text, UINT64_MAX, &number))
        *count += number - 1;
    return true;
}

static bool read_line(oracle_watch *oracle, oracle_slice text, oracle_json_sink *sink, void *context, const char **why)
{
    oracle_slice found;
    size_t at = 0;
    *why = "not one line";
    const bool one = next_line(&text, &found) && text.size == 0;
    return (one && oracle_json_object(found, sink, context, why, &at)) ||
           oracle_break(oracle, ORACLE_PROMISE_JSON, at);
}

static oracle_slice last_line(oracle_slice text)
{
    size_t start = 0;
    for (size_t at = 0; at + 1 < text.size; at++)
        if (text.at[at] == '\n')
            start = at + 1;
    return (oracle_slice){text.at + start, text.size - start};
}

static bool same_totals(const line *a, const line *b)
{
    return a->buffers == b->buffers && a->compressed_buffers == b->compressed_buffers && a->events == b->events &&
           a->bytes == b->bytes && memcmp(a->by_type, b->by_type, sizeof a->by_type) == 0 &&
           memcmp(a->findings, b->findings, sizeof a->findings) == 0 && a->verdict.size == b->verdict.size &&
           memcmp(a->verdict.at, b->verdict.at, a->verdict.size) == 0;
}

/* The text after the verdict. */
static oracle_slice rest_of(const line *l, oracle_slice text)
{
    const char *from = l->verdict.at + l->verdict.size;
    return (oracle_slice){from, text.size - (size_t)(from - text.at)};
}

bool oracle_summaries(oracle_watch *oracle, oracle_slice records, oracle_slice lenient, oracle_slice strict,
                      const char **why)
{
    line end = {0}, a = {0}, b = {0};
    if (!read_line(oracle, last_line(records), take_value, &end, why) ||
        !read_line(oracle, lenient, take_summary, &a, why) || !read_line(oracle, strict, take_summary, &b, why))
        return false;
    *why = "the totals of validate differ from the end record";
    if (a.size != oracle->size || a.verdict.size == 0 || !same_totals(&end, &a))
        return oracle_break(oracle, ORACLE_PROMISE_RECORDS, 0);
    *why = "validate --strict changes more than the verdict";
    if (b.verdict.size == 0)
        return oracle_break(oracle, ORACLE_PROMISE_STRICT, 0);
    const oracle_slice rest = rest_of(&a, lenient), strict_rest = rest_of(&b, strict);
    return (rest.size == strict_rest.size && memcmp(rest.at, strict_rest.at, rest.size) == 0) ||
           oracle_break(oracle, ORACLE_PROMISE_STRICT, 0);
}

bool oracle_sarif(oracle_watch *oracle, oracle_slice records, oracle_slice sarif, const char **why)
{
    line end = {0};
    uint64_t results = 0;
    if (!read_line(oracle, last_line(records), take_value, &end, why) ||
        !read_line(oracle, sarif, take_result, &results, why))
        return false;
    for (size_t i = 0; i < ETL_SEVERITY_COUNT; i++)
        results -= end.findings[i];
    *why = "the number of SARIF results differs from that of the findings";
    return results == 0 || oracle_break(oracle, ORACLE_PROMISE_RECORDS, 0);
}
