/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of a file that is not an ETL file, by its first bytes.
 */
#ifndef ETLPROOF_IO_SNIFF_H
#define ETLPROOF_IO_SNIFF_H

#include "etlproof/bytes.h"

typedef struct tool_file_kind {
    const char *what; /* "a gzip file"; NULL if no known format */
    const char *hint; /* what the user can do; may be NULL */
} tool_file_kind;

tool_file_kind tool_sniff(etl_span head);

#endif
