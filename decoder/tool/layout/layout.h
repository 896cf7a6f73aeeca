/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout: what its options ask for, and who answers.
 */
#ifndef ETLPROOF_LAYOUT_H
#define ETLPROOF_LAYOUT_H

#include "etlproof/memory.h"

#include "tool.h"

typedef enum etl_layout_export_form {
    ETL_LAYOUT_EXPORT_C,
    ETL_LAYOUT_EXPORT_JSON,
    ETL_LAYOUT_EXPORT_IMHEX,
    ETL_LAYOUT_EXPORT_MARKDOWN,
    ETL_LAYOUT_EXPORT_COUNT
} etl_layout_export_form;

typedef struct etl_layout_request {
    etl_memory_layout layout; /* COUNT in each part that the command line does not give */
    etl_windows from, to;     /* --diff */
    const char *file;         /* NULL where the answer needs none */
    uint64_t offset;
    bool has_offset;
    int32_t threshold;        /* --guess, --scan: points at which bytes are taken for a structure */
    bool json;
    bool evidence;            /* say of each member how sure it is */
    etl_layout_export_form form;
} etl_layout_request;

/* The answers, each with the exit code of the command. What is named after each has been given; of the rest, COUNT means
   all that there are. */
etl_exit etl_layout_decode(const etl_layout_request *request); /* structure, windows, arch, file */
etl_exit etl_layout_list(const etl_layout_request *request);   /* structure */
etl_exit etl_layout_diff(const etl_layout_request *request);   /* structure, arch, from, to */
etl_exit etl_layout_export(const etl_layout_request *request); /* form */
etl_exit etl_layout_guess(const etl_layout_request *request);  /* file */
etl_exit etl_layout_scan(const etl_layout_request *request);   /* file */

#endif
