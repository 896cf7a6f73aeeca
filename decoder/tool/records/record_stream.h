/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All decode records of an input, as JSON Lines or text.
 */
#ifndef ETLPROOF_RECORDS_RECORD_STREAM_H
#define ETLPROOF_RECORDS_RECORD_STREAM_H

#include "io/command.h"
#include "io/windowed_input.h"
#include "records/record_step.h"

/*
 * Writes the records of `input` to `out`. Returns the exit code of the command before `out` is closed. Prints an error that
 * is not a finding, and why an input is not an ETL file, on standard error. There is no end record after INPUT, INTERNAL,
 * OUTPUT, or LIMIT because memory ran out. Use each stream for one input only.
 */
tool_exit tool_record_stream_write(tool_record_stream *d, tool_input *input, tool_output *out);

#endif
