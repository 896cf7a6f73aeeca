/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode --format text: one line a record; and the text of a timestamp.
 */
#ifndef ETLPROOF_RECORDS_RECORD_TEXT_H
#define ETLPROOF_RECORDS_RECORD_TEXT_H

#include "etlproof/etlproof.h"

#include "records/record.h"
#include "records/tally.h"

void tool_text_trace(tool_output *out, const etl_logfile *logfile);
void tool_text_buffer(tool_output *out, const etl_buffer *buffer);
void tool_text_event(tool_output *out, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock,
                     tool_payload_form payload, const tool_schemas *schemas);
void tool_text_end(tool_output *out, const tool_tally *tally, const etl_trace *trace, tool_verdict verdict);

/* Prints UTC if the clock can be converted, raw ticks otherwise. */
void tool_text_time(tool_output *out, const etl_clock *clock, int64_t ticks);

#endif
