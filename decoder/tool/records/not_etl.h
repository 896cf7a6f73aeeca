/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to say of an input that is no ETL file.
 */
#ifndef ETLPROOF_NOT_ETL_H
#define ETLPROOF_NOT_ETL_H

#include "io/windowed_input.h"
#include "io/output.h"

/* True if the first bytes say that it is a file of another kind: what is wrong with it as a trace is then no news. */
bool tool_is_other_kind(const tool_input *input);

/* "it is empty", "it is a gzip file; try: ...", "nothing in it reads as a buffer of events" */
void tool_put_not_etl(tool_output *out, const tool_input *input);

/* The same on standard error. */
void tool_print_not_etl(const tool_input *input);

#endif
