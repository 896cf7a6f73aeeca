/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is that is no ETL file, by its first bytes.
 */
#ifndef ETLPROOF_SNIFF_H
#define ETLPROOF_SNIFF_H

#include "etlproof/bytes.h"

typedef struct tool_file_kind {
    const char *what; /* "a gzip file"; NULL if the bytes say nothing */
    const char *hint; /* what to do with it; NULL if there is nothing to say */
} tool_file_kind;

tool_file_kind tool_sniff(etl_span head);

#endif
