/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of steps of the decode, copied from the reader so that another thread can print them. The copies point into the
 * file and into inflated memory, which must outlive the batch.
 */
#ifndef ETLPROOF_RECORDS_RECORD_BATCH_H
#define ETLPROOF_RECORDS_RECORD_BATCH_H

#include "records/record_step.h"

/* A batch is full when it has one of these; its records then stay in the processor's cache. */
#define TOOL_BATCH_STEPS 1024u
#define TOOL_BATCH_BUFFERS 64u
#define TOOL_BATCH_FINDINGS (4u * ETL_FINDINGS_MAX)
#define TOOL_BATCH_BYTES ((size_t)1 << 20) /* of events */

typedef struct tool_batch_step {
    etl_outcome outcome;
    uint32_t findings;
    etl_event event; /* with ETL_EVENT */
} tool_batch_step;

typedef struct tool_batch {
    etl_logfile logfile;
    bool trace_due; /* with its first step */
    tool_batch_step steps[TOOL_BATCH_STEPS];
    size_t step_count;
    etl_buffer buffers[TOOL_BATCH_BUFFERS]; /* that of the first event, then those of the steps ETL_BUFFER */
    size_t buffer_count;
    etl_finding findings[TOOL_BATCH_FINDINGS];
    size_t finding_count;
    size_t bytes; /* of the events */
} tool_batch;

/* Empties the batch, for steps from here on. */
void tool_batch_begin(tool_batch *batch, const etl_reader *reader);

/* Whether the step belongs into the next batch: this one is full, or the logfile header is known only now. */
bool tool_batch_ends_before(const tool_batch *batch, const tool_step *step);

void tool_batch_add(tool_batch *batch, const tool_step *step);

/* Prints the records of all steps. False if output or memory failed. */
bool tool_batch_print(const tool_batch *batch, tool_record_printer *printer);

#endif
