/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode --format text: a line for each thing that was read, for people; and how people are told a time.
 */
#ifndef ETLPROOF_TEXT_H
#define ETLPROOF_TEXT_H

#include "etlproof/etlproof.h"

#include "tally.h"

void etl_text_trace(etl_out *out, const etl_logfile *logfile);
void etl_text_buffer(etl_out *out, const etl_buffer *buffer);
void etl_text_event(etl_out *out, const etl_event *event, const etl_buffer *buffer, const etl_clock *clock, bool payload);
void etl_text_end(etl_out *out, const etl_tally *tally, const etl_trace *trace, etl_verdict verdict);

/* UTC where the clock says it, raw ticks otherwise. */
void etl_text_time(etl_out *out, const etl_clock *clock, int64_t ticks);

#endif
