/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of etl_oracle_step, a file each. They return false, and note the promise, when one is broken.
 */
#ifndef ETLPROOF_PARTS_H
#define ETLPROOF_PARTS_H

#include "promise.h"

/* progress.c */
bool etl_oracle_progress(etl_oracle *oracle, etl_outcome outcome, const etl_trace *trace);
bool etl_oracle_inflated(etl_oracle *oracle, const etl_buffer *buffer);
/* findings.c */
bool etl_oracle_findings(etl_oracle *oracle, const etl_reader *reader);
/* Whether rule and action are in their tables, and the rule is one that is reported; notes no promise. */
bool etl_oracle_rule_holds(const etl_finding *finding);
/* tiling.c */
bool etl_oracle_buffer(etl_oracle *oracle, const etl_buffer *buffer);
bool etl_oracle_region(etl_oracle *oracle, const etl_region *region);
/* What a buffer or an event is made of: bytes of one kind. */
typedef struct etl_piece {
    etl_region_kind kind;
    uint64_t size; /* 0: there is none */
} etl_piece;
/* All regions of a buffer or an event. There is room for as many as there are pieces. */
bool etl_oracle_regions(etl_oracle *oracle, const etl_region *regions, size_t count, const etl_piece *pieces,
                        size_t piece_count);
/* gap.c: a region that is no part of a buffer or event. */
bool etl_oracle_gap(etl_oracle *oracle, const etl_reader *reader);
/* What the stream of a compressed buffer leaves of its input. */
bool etl_oracle_rest(etl_oracle *oracle, const etl_reader *reader);
/* buffer_header.c */
bool etl_oracle_buffer_header(etl_oracle *oracle, const etl_reader *reader);
/* event.c */
bool etl_oracle_event(etl_oracle *oracle, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock);
bool etl_oracle_utc(etl_oracle *oracle, const etl_utc *utc, uint64_t offset);
/* items.c */
bool etl_oracle_items(etl_oracle *oracle, const etl_event *event);

#endif
