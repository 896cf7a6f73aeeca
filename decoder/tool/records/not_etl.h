/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The message for an input that is not an ETL file.
 */
#ifndef ETLPROOF_RECORDS_NOT_ETL_H
#define ETLPROOF_RECORDS_NOT_ETL_H

#include "io/output.h"
#include "io/windowed_input.h"

/* True if the first bytes are those of another file format. Its findings as a trace are then not worth printing. */
bool tool_is_other_kind(const tool_input *input);

/* "the file is empty", "it looks like a gzip file; try: ...", "it holds no event buffer" */
void tool_put_not_etl(tool_output *out, const tool_input *input);

/* Prints "FILE: not an ETL file: ..." on standard error. */
void tool_print_not_etl(const tool_input *input);

#endif
