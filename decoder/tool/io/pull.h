/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's loop over an input: windows and room are served here, the verbs see what was read.
 */
#ifndef ETLPROOF_PULL_H
#define ETLPROOF_PULL_H

#include "etlproof/etlproof.h"

#include "io/windowed_input.h"
#include "io/output.h"
#include "io/progress_line.h"

/* Why the loop ended before the file. */
typedef enum tool_pull_fault {
    TOOL_PULL_NONE,
    TOOL_PULL_READ,   /* the input; standard error says why */
    TOOL_PULL_MEMORY, /* no room to inflate into */
    TOOL_PULL_BUG     /* the decoder broke a promise of its own */
} tool_pull_fault;

typedef struct tool_pull {
    etl_reader reader;
    tool_input *input;
    tool_output *out; /* flushed before the loop waits for input */
    tool_progress progress;
    uint8_t *scratch;
    size_t scratch_size;
    tool_pull_fault fault;
    bool findings_overflow;
} tool_pull;

void tool_pull_open(tool_pull *pull, tool_input *input, etl_limits limits, tool_output *out, bool beside_output);

/*
 * What the reader gives next: BUFFER, EVENT, GAP, END; MORE or ROOM only where such a call left findings.
 * reader.findings holds those of this call. After END, `fault` says whether the file was read to its end.
 */
etl_outcome tool_pull_next(tool_pull *pull);

void tool_pull_close(tool_pull *pull);

#endif
