/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks that oracle_step runs on each outcome, a file each. Each returns false, and records the promise, when one is
 * broken.
 */
#ifndef ETLPROOF_ORACLE_STEP_CHECKS_H
#define ETLPROOF_ORACLE_STEP_CHECKS_H

#include "etlproof/schemas.h"

#include "promise.h"

/* step_progress.c */
bool oracle_progress(oracle_watch *oracle, etl_outcome outcome, const etl_trace *trace);
bool oracle_inflated(oracle_watch *oracle, const etl_buffer *buffer);
/* Counts what the last buffer inflated to, which bounds the output of those behind it. Harmless if called again. */
void oracle_stream_done(oracle_watch *oracle);
/* What `input` compressed bytes of the current buffer may inflate to. */
uint64_t oracle_output_limit(const oracle_watch *oracle, etl_limits limits, uint64_t input);
/* step_work.c: adds the work of this step; before oracle_progress, which sets where the reader is. */
bool oracle_work_step(oracle_watch *oracle, etl_outcome outcome, const etl_reader *reader, const oracle_work *step);
/* findings.c */
bool oracle_findings(oracle_watch *oracle, const etl_reader *reader);
/* Whether rule and action are in their tables, and the rule is one that is reported. Records no promise. */
bool oracle_rule_holds(const etl_finding *finding);
/* tiling.c */
bool oracle_buffer(oracle_watch *oracle, const etl_buffer *buffer);
bool oracle_region(oracle_watch *oracle, const etl_region *region);
/* A region that a buffer or an event must have at its place in the order. */
typedef struct oracle_expected_region {
    etl_region_kind kind;
    uint64_t size; /* 0: there is none */
} oracle_expected_region;
/* All regions of a buffer or an event, of which there may be at most as many as are expected. */
bool oracle_regions(oracle_watch *oracle, const etl_region *regions, size_t count, const oracle_expected_region *expected,
                    size_t expected_count);
/* gap.c: a region outside the headers and events. */
bool oracle_gap(oracle_watch *oracle, const etl_reader *reader);
/* buffer_header_members.c */
bool oracle_buffer_header(oracle_watch *oracle, const etl_reader *reader);
/* event_bounds.c */
bool oracle_event(oracle_watch *oracle, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock);
/* Whether the times are whole, as many as stated at most, and in `data`, which is a LAST_DROPPED_TIMES. */
bool oracle_dropped_times(etl_span data, const etl_last_dropped_times *dropped);
bool oracle_utc(oracle_watch *oracle, const etl_utc *utc, uint64_t offset);
/* item_walk.c */
bool oracle_items(oracle_watch *oracle, const etl_event *event);

/* payload_walk.c: the fields of an event, as `metadata` describes them. */
bool oracle_payload(oracle_watch *oracle, const etl_event *event, const etl_metadata *metadata);

/* schema_walk.c: the schemas and maps that a set took so far, which must outlive this. */
enum { ORACLE_SCHEMAS_MAX = 16 };
typedef struct oracle_schemas {
    etl_schemas *set;
    size_t used; /* bytes of its memory */
    uint32_t count;
    etl_span payloads[ORACLE_SCHEMAS_MAX]; /* that it has */
    bool maps[ORACLE_SCHEMAS_MAX];
} oracle_schemas;

/* Lets the set take what the event carries: a schema, or a map. */
bool oracle_schema_take(oracle_watch *oracle, oracle_schemas *known, const etl_event *event);
/* Whether the set finds the schema of the event, and its names. Sets `*found`, and `*metadata` if so. */
bool oracle_schema_find(oracle_watch *oracle, const oracle_schemas *known, const etl_event *event, etl_metadata *metadata,
                        bool *found);
/* The maps of the fields that the schema `metadata` describes. */
bool oracle_maps_of_fields(oracle_watch *oracle, const oracle_schemas *known, const etl_event *event,
                           const etl_metadata *metadata);
/* The texts that each map has for `value`. */
bool oracle_map_texts(oracle_watch *oracle, const oracle_schemas *known, uint32_t value);

#endif
