/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pull iterator of the command: etl_reader over a file, with its windows and its scratch memory.
 */
#ifndef ETLPROOF_IO_PULL_H
#define ETLPROOF_IO_PULL_H

#include "etlproof/etlproof.h"

#include "io/output.h"
#include "io/progress_line.h"
#include "io/windowed_input.h"

/* Why reading ended before the end of the file. */
typedef enum tool_pull_fault {
    TOOL_PULL_NONE,
    TOOL_PULL_READ,   /* read error; standard error has the reason */
    TOOL_PULL_MEMORY, /* no memory to inflate into */
    TOOL_PULL_BUG     /* the decoder broke one of its promises */
} tool_pull_fault;

typedef struct tool_pull {
    etl_reader reader;
    tool_input *input;
    tool_output *out; /* flushed before reading waits for input */
    tool_progress progress;
    uint8_t *scratch;
    size_t scratch_size;
    tool_pull_fault fault;
    bool findings_overflow;
} tool_pull;

/* `beside_output`: standard output is written meanwhile (io/progress_line.h). */
void tool_pull_open(tool_pull *pull, tool_input *input, etl_limits limits, tool_output *out, bool beside_output);

/*
 * Returns the next outcome of the reader: BUFFER, EVENT, GAP or END; MORE or SCRATCH only if that call left findings.
 * reader.findings has the findings of this call. After END, `fault` is NONE if the file was read to its end.
 */
etl_outcome tool_pull_next(tool_pull *pull);

/*
 * After a compressed buffer: the memory that it was inflated to, which the caller then keeps as long as it needs the
 * buffer, and frees. The next one gets memory of its own.
 */
uint8_t *tool_pull_take_scratch(tool_pull *pull);

void tool_pull_close(tool_pull *pull);

#endif
