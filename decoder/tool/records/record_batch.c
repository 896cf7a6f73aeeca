/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies steps of the decode, and prints them later. record_threads.c calls this.
 */
#include "records/record_batch.h"

#include <string.h>

void tool_batch_begin(tool_batch *batch, const etl_reader *reader)
{
    batch->logfile = reader->trace.logfile;
    batch->buffers[0] = reader->buffer;
    batch->trace_due = false;
    batch->step_count = batch->finding_count = batch->bytes = 0;
    batch->buffer_count = 1;
}

bool tool_batch_ends_before(const tool_batch *batch, const tool_step *step)
{
    return step->trace_due || batch->step_count == TOOL_BATCH_STEPS || batch->buffer_count == TOOL_BATCH_BUFFERS ||
           batch->finding_count > TOOL_BATCH_FINDINGS - ETL_FINDINGS_MAX || batch->bytes > TOOL_BATCH_BYTES;
}

void tool_batch_add(tool_batch *batch, const tool_step *step)
{
    tool_batch_step *s = &batch->steps[batch->step_count++];
    s->outcome = step->outcome;
    s->findings = step->finding_count;
    batch->trace_due |= step->trace_due;
    if (step->outcome == ETL_EVENT) {
        s->event = *step->event;
        batch->bytes += step->event->bytes.size;
    } else if (step->outcome == ETL_BUFFER) {
        batch->buffers[batch->buffer_count++] = *step->buffer;
    }
    if (step->finding_count > 0)
        memcpy(&batch->findings[batch->finding_count], step->findings, step->finding_count * sizeof *step->findings);
    batch->finding_count += step->finding_count;
}

bool tool_batch_print(const tool_batch *batch, tool_record_printer *printer)
{
    const etl_buffer *buffer = batch->buffers;
    const etl_finding *findings = batch->findings;
    bool printed = true;
    for (size_t i = 0; i < batch->step_count && printed; i++) {
        const tool_batch_step *s = &batch->steps[i];
        buffer += s->outcome == ETL_BUFFER;
        const tool_step step = {
            .outcome = s->outcome,
            .trace_due = batch->trace_due && i == 0,
            .event = &s->event,
            .buffer = buffer,
            .logfile = &batch->logfile,
            .findings = findings,
            .finding_count = s->findings,
        };
        printed = tool_record_step_print(printer, &step);
        findings += s->findings;
    }
    return printed;
}
