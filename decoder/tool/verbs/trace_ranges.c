/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where each trace of a file starts, by surveys that stop at the next logfile header with another clock.
 * verb_recover.c calls this.
 */
#include "verbs/trace_ranges.h"

#include <inttypes.h>
#include <stdlib.h>

/* Offsets that the message lists. */
enum { LISTED_MOST = 100 };

static bool add(tool_trace_ranges *ranges, tool_trace_range range)
{
    if (ranges->count == ranges->capacity) {
        const size_t capacity = 2 * ranges->capacity + 16;
        tool_trace_range *at = realloc(ranges->at, capacity * sizeof *at);
        if (at == NULL)
            return false;
        ranges->at = at;
        ranges->capacity = capacity;
    }
    ranges->at[ranges->count++] = range;
    return true;
}

tool_exit tool_trace_ranges_find(tool_trace_ranges *ranges, tool_recovery *r, tool_input *input, etl_limits limits)
{
    tool_trace_range range = {0};
    *ranges = (tool_trace_ranges){0};
    do {
        range = (tool_trace_range){.offset = range.offset + range.size, .size = UINT64_MAX};
        const tool_exit code = tool_recovery_survey_range(r, input, limits, &range);
        if (r->pull.fault != TOOL_PULL_NONE || code == TOOL_EXIT_INTERNAL)
            return code;
        if (!add(ranges, range)) {
            tool_print_error("%s: out of memory", input->title);
            return TOOL_EXIT_LIMIT;
        }
    } while (range.followed);
    return TOOL_EXIT_CONFORMING;
}

void tool_trace_ranges_print(const tool_trace_ranges *ranges, const char *file)
{
    const size_t listed = ranges->count < LISTED_MOST ? ranges->count : LISTED_MOST;
    tool_output text;
    tool_output_open_memory(&text);
    for (size_t i = 0; i < listed; i++) {
        if (i > 0)
            tool_put_text(&text, i + 1 == ranges->count ? " and " : ", ");
        tool_put_format(&text, "0x%" PRIx64, ranges->at[i].offset);
    }
    if (listed < ranges->count)
        tool_put_text(&text, ", ...");
    tool_print_error("recover: %s: holds %" PRIu64 " traces, which start at %.*s; --split writes each to a file of its own",
                     file, (uint64_t)ranges->count, (int)text.used, text.at);
    tool_output_free(&text);
}

void tool_trace_ranges_free(tool_trace_ranges *ranges)
{
    free(ranges->at);
    *ranges = (tool_trace_ranges){0};
}
