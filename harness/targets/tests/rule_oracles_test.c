/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: rule_oracles_test FOLDER...
 *
 * Measures what the oracles notice of findings: decodes every file under FOLDER, and in each step drops, changes or adds
 * one finding, of the library or of the profile for writers. Prints a table of rules and changes. Fails if a rule has no
 * row in rule_oracles.def, if a change is not noticed that the row does not list, or if one that it lists is always
 * noticed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/writer_check.h"
#include "due_writer.h"
#include "oracle.h"
#include "target.h"
#include "target_limits.h"

/* CHANGE(name, statement): one change of a finding `f`. */
#define CHANGES(CHANGE) \
    CHANGE(ACTION, f->action = f->action == ETL_ACTION_CONTINUE ? ETL_ACTION_STOP : ETL_ACTION_CONTINUE) \
    CHANGE(RELATION, f->relation = f->relation == ETL_RELATION_EQUAL ? ETL_RELATION_NOT : ETL_RELATION_EQUAL) \
    CHANGE(SPACE, f->space = f->space == ETL_SPACE_FILE ? ETL_SPACE_INFLATED : ETL_SPACE_FILE) \
    CHANGE(OFFSET, f->offset++) \
    CHANGE(LOST, f->lost++) \
    CHANGE(BUFFER, f->buffer++) \
    CHANGE(EVENT, f->event++) \
    CHANGE(EXPECTED, f->expected++) \
    CHANGE(ACTUAL, f->actual++)

/* Besides these a finding is dropped, or added where none is due. */
enum {
#define CHANGE(name, statement) CHANGE_##name,
    CHANGES(CHANGE)
#undef CHANGE
    CHANGE_DROPPED,
    CHANGE_ADDED,
    CHANGE_COUNT
};

static const char *const change_names[CHANGE_COUNT] = {
#define CHANGE(name, statement) [CHANGE_##name] = #name,
    CHANGES(CHANGE)
#undef CHANGE
    [CHANGE_DROPPED] = "DROPPED",
    [CHANGE_ADDED] = "ADDED"};

/* rule_oracles.def: the changes that no oracle notices in all cases, and why. */
#define NONE 0u
#define OPEN(name) (1u << CHANGE_##name)
static const struct {
    bool listed;
    unsigned open;
} rows[ETL_RULE_COUNT] = {
#define RULE_ORACLE(rule, file, open, reason) [ETL_RULE_##rule] = {true, open},
#include "rule_oracles.def"
};

static uint64_t tried[ETL_RULE_COUNT][CHANGE_COUNT], noticed[ETL_RULE_COUNT][CHANGE_COUNT];
static unsigned next_rule; /* to be added */

static void change_finding(etl_finding *f, int change)
{
    switch (change) {
#define CHANGE(name, statement) case CHANGE_##name: statement; break;
        CHANGES(CHANGE)
#undef CHANGE
    default: break;
    }
}

/* A step, and what it takes to judge its findings again. */
typedef struct step {
    oracle_watch before;
    etl_outcome outcome;
    etl_reader *reader;
    etl_findings *findings;              /* the reader's, or those of the profile for writers */
    const oracle_writer *writer_before; /* NULL: of the reader */
} step;

static bool writer_holds(const step *s, oracle_watch *watch, oracle_writer *writer)
{
    oracle_due due;
    oracle_due_begin(&due, s->findings);
    if (s->outcome == ETL_BUFFER && s->reader->trace.logfile.known)
        oracle_due_writer_buffer(&due, writer, &s->reader->buffer);
    else if (s->outcome == ETL_EVENT)
        oracle_due_writer_event(&due, &s->reader->event);
    return oracle_due_end(watch, &due);
}

/* On copies of what the oracles remember from before the step. */
static bool step_holds(const step *s)
{
    static oracle_writer writer;
    oracle_watch watch = s->before;
    if (s->writer_before != NULL) {
        writer = *s->writer_before;
        return writer_holds(s, &watch, &writer);
    }
    return oracle_step(&watch, s->outcome, s->reader) && oracle_due_step(&watch, s->outcome, s->reader);
}

static void try_change(const step *s, etl_rule rule, int change)
{
    tried[rule][change]++;
    noticed[rule][change] += !step_holds(s);
}

static void try_finding(const step *s, uint32_t index)
{
    etl_findings *findings = s->findings;
    const etl_finding original = findings->at[index];
    for (int change = 0; change < CHANGE_DROPPED; change++) {
        change_finding(&findings->at[index], change);
        try_change(s, original.rule, change);
        findings->at[index] = original;
    }
    const etl_finding last = findings->at[findings->count - 1];
    findings->at[index] = last;
    findings->count--;
    try_change(s, original.rule, CHANGE_DROPPED);
    findings->count++;
    findings->at[findings->count - 1] = last;
    findings->at[index] = original;
}

/* Adds the next rule of the table that is reported at all: where the step is, without values. */
static void try_added(const step *s)
{
    etl_findings *findings = s->findings;
    const etl_reader *reader = s->reader;
    const etl_rule rule = (etl_rule)(next_rule++ % ETL_RULE_COUNT);
    const bool of_event = s->outcome == ETL_EVENT;
    if (etl_rule_get(rule)->severity == ETL_SEVERITY_STRUCTURE || s->outcome == ETL_MORE || s->outcome == ETL_SCRATCH)
        return;
    findings->at[findings->count++] = (etl_finding){
        .rule = rule,
        .space = of_event ? reader->event.space : ETL_SPACE_FILE,
        .offset = of_event ? reader->event.offset : s->outcome == ETL_BUFFER ? reader->buffer.offset : reader->trace.offset,
        .buffer = ETL_NO_INDEX,
        .event = ETL_NO_INDEX};
    try_change(s, rule, CHANGE_ADDED);
    findings->count--;
}

static void fail(const oracle_watch *watch)
{
    fprintf(stderr, "oracle %s broken at offset 0x%" PRIx64 " of a sound decode; not so: %s\n",
            oracle_promise_name(watch->broken), watch->broken_at, watch->failed_condition);
    abort();
}

static void try_changes(const step *s)
{
    for (uint32_t i = 0; i < s->findings->count; i++)
        try_finding(s, i);
    try_added(s);
}

static void take_step(oracle_watch *watch, etl_outcome outcome, etl_reader *reader)
{
    const step s = {*watch, outcome, reader, &reader->findings, NULL};
    if (!oracle_step(watch, outcome, reader) || !oracle_due_step(watch, outcome, reader))
        fail(watch);
    try_changes(&s);
}

/* The same step, as validate --profile writer takes it. */
static void take_writer_step(const oracle_watch *watch, tool_writer_check *check, oracle_writer *writer,
                             etl_outcome outcome, etl_reader *reader)
{
    static oracle_writer before;
    etl_findings findings = {0};
    const step s = {*watch, outcome, reader, &findings, &before};
    before = *writer;
    if (outcome == ETL_BUFFER)
        tool_writer_check_buffer(check, reader, &findings);
    else if (outcome == ETL_EVENT)
        tool_writer_check_event(&reader->event, &findings);
    oracle_watch after = *watch;
    if (!writer_holds(&s, &after, writer))
        fail(&after);
    if (findings.count > 0)
        try_changes(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t scratch[(1u << 20) + ETL_BUFFER_SIZE_MIN];
    static etl_reader reader;
    static tool_writer_check check;
    static oracle_writer writer;
    oracle_watch watch;
    check = (tool_writer_check){0};
    writer = (oracle_writer){0};
    etl_reader_init(&reader, TARGET_LIMITS);
    oracle_init(&watch, size, TARGET_LIMITS, false);
    for (etl_outcome outcome = ETL_MORE; outcome != ETL_END;) {
        outcome = etl_reader_next(&reader);
        take_step(&watch, outcome, &reader);
        take_writer_step(&watch, &check, &writer, outcome, &reader);
        reader.findings.count = 0;
        if (outcome == ETL_MORE)
            etl_reader_feed(&reader, (etl_span){data + reader.trace.offset, size - (size_t)reader.trace.offset}, true);
        else if (outcome == ETL_SCRATCH)
            etl_reader_lend(&reader, (etl_scratch){scratch, reader.trace.want});
    }
    return 0;
}

/* False if the row of a rule states something else than was measured. */
static bool judge(etl_rule rule)
{
    bool holds = true;
    for (int change = 0; change < CHANGE_COUNT; change++) {
        const bool all = noticed[rule][change] == tried[rule][change], open = rows[rule].open >> change & 1;
        if (tried[rule][change] == 0 || all != open)
            continue;
        printf("# %s, %s: %" PRIu64 " of %" PRIu64 " noticed, %s\n", etl_rule_get(rule)->id, change_names[change],
               noticed[rule][change], tried[rule][change],
               open ? "but rule_oracles.def lists it" : "which rule_oracles.def does not list");
        holds = false;
    }
    if (!rows[rule].listed)
        printf("# %s: no row in rule_oracles.def\n", etl_rule_get(rule)->id);
    return holds && rows[rule].listed;
}

static void print_row(etl_rule rule)
{
    printf("%-8s", etl_rule_get(rule)->id);
    for (int change = 0; change < CHANGE_COUNT; change++)
        printf(" %5" PRIu64 "/%-5" PRIu64, noticed[rule][change], tried[rule][change]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bool holds = true;
    const int replayed = engine_replay(argc - 1, argv + 1, 1);
    printf("%-8s", "rule");
    for (int change = 0; change < CHANGE_COUNT; change++)
        printf(" %-11s", change_names[change]);
    printf("\n");
    for (size_t rule = 0; rule < ETL_RULE_COUNT; rule++) {
        if (etl_rule_get((etl_rule)rule)->severity == ETL_SEVERITY_STRUCTURE)
            continue;
        print_row((etl_rule)rule);
        holds &= judge((etl_rule)rule);
    }
    return replayed != 0 ? replayed : holds ? 0 : 1;
}
