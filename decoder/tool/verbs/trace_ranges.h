/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of the traces in a file that holds more than one (LFH-011). verb_recover.c calls this.
 */
#ifndef ETLPROOF_VERBS_TRACE_RANGES_H
#define ETLPROOF_VERBS_TRACE_RANGES_H

#include "verbs/recovery_passes.h"

typedef struct tool_trace_ranges {
    tool_trace_range *at; /* in file order; together they are the whole file */
    size_t count, capacity;
} tool_trace_ranges;

/* Surveys each trace of the input. Returns CONFORMING, or why a survey ended early. */
tool_exit tool_trace_ranges_find(tool_trace_ranges *ranges, tool_recovery *recovering, tool_input *input,
                                 etl_limits limits);

/* Prints on standard error how many traces FILE holds and where they start. */
void tool_trace_ranges_print(const tool_trace_ranges *ranges, const char *file);

void tool_trace_ranges_free(tool_trace_ranges *ranges);

#endif
