/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The findings of one step that are due: each rule is reported exactly when the bytes break it, with its place and values.
 * The files due_*.c read the bytes with code of their own, and state each finding that they call for. rule_oracles.def
 * has a row for every rule: where its finding is derived, or why it cannot be.
 */
#ifndef ETLPROOF_ORACLE_DUE_H
#define ETLPROOF_ORACLE_DUE_H

#include "entry_points.h"

/* One step: the findings that were reported, and those that were accounted for so far. */
typedef struct oracle_due {
    const etl_findings *reported;
    bool taken[ETL_FINDINGS_MAX];
    etl_rule wrong;    /* the first rule whose finding is missing or differs; ETL_RULE_COUNT: none */
    uint64_t wrong_at; /* offset of its finding */
} oracle_due;

void oracle_due_begin(oracle_due *due, const etl_findings *reported);

/* A finding that changes nothing else: action CONTINUE, nothing lost, of no buffer and no event, without values. */
static inline etl_finding oracle_due_at(etl_rule rule, etl_space space, uint64_t offset)
{
    return (etl_finding){
        .rule = rule, .space = space, .offset = offset, .buffer = ETL_NO_INDEX, .event = ETL_NO_INDEX};
}

static inline void oracle_due_values(etl_finding *finding, etl_relation relation, uint64_t expected, uint64_t actual)
{
    finding->relation = relation;
    finding->expected = expected;
    finding->actual = actual;
}

/* This finding is due: one that is reported must equal it. */
void oracle_due_expect(oracle_due *due, const etl_finding *expected);
/* The reported finding of this rule that was not accounted for yet; NULL if there is none. */
const etl_finding *oracle_due_find(const oracle_due *due, etl_rule rule);
/* The bytes do not decide whether the rule is reported: if it is, its finding must equal `expected`. */
void oracle_due_allow(oracle_due *due, const etl_finding *expected);
/* No other finding was reported. Records FINDING_DUE if one is missing, differs or is not due. */
bool oracle_due_end(oracle_watch *oracle, oracle_due *due);

/* Where the findings of an event lie. */
typedef struct oracle_due_event {
    etl_span data;  /* of the buffer */
    uint32_t at;    /* of the event in it */
    bool framed;    /* false: the bytes at `at` are no event */
    uint32_t extent; /* counts only if the event is not framed */
    etl_context context;
    etl_space space;
    uint64_t offset;        /* of the event, in `space` */
    uint64_t buffer, index; /* that its findings name */
} oracle_due_event;

/* due_event.c: the findings of etl_event_frame. Not framed: the last one has `lost` and `action`, as the walk sets them. */
void oracle_due_frame(oracle_due *due, const oracle_due_event *event, uint64_t lost, etl_action action);
/* due_items.c: the findings of a chain of items that starts at `at` of an event of `size` bytes. */
void oracle_due_items(oracle_due *due, const oracle_due_event *event, uint32_t at, uint32_t size);
/* due_logfile.c: whether the buffer `raw` starts with a logfile header, whole or not. */
bool oracle_logfile_here(etl_span raw);
/* the findings of etl_logfile_read for the buffer `raw` at `origin` of the file. The members of `logfile`
   are known to equal their bytes. */
void oracle_due_logfile(oracle_due *due, etl_span raw, uint64_t origin, const etl_logfile *logfile);
/* The findings about a buffer when a logfile header was read before: `first` is its clock. */
void oracle_due_later_logfile(oracle_due *due, const etl_buffer *buffer, const etl_clock *first);
/* due_buffer.c: the findings of etl_trace_next about a buffer, except about a logfile header in it. False, and the promise
   is recorded, if its inflated bytes are not those of the stream. */
bool oracle_due_buffer(oracle_due *due, oracle_watch *oracle, const etl_reader *reader);
/* due_gap.c: the findings of a gap. */
void oracle_due_gap(oracle_due *due, const oracle_watch *oracle, const etl_reader *reader);

/* due_memory.c: the findings of etl_memory_check for the structure at `offset` of the file. */
void oracle_due_memory(oracle_due *due, etl_memory_layout layout, etl_span structure, uint64_t offset);

#endif
