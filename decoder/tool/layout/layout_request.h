/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof layout: what its options ask for, and who answers.
 */
#ifndef ETLPROOF_LAYOUT_LAYOUT_REQUEST_H
#define ETLPROOF_LAYOUT_LAYOUT_REQUEST_H

#include "etlproof/memory.h"

#include "io/command.h"

typedef enum tool_layout_export_form {
    TOOL_LAYOUT_EXPORT_C,
    TOOL_LAYOUT_EXPORT_JSON,
    TOOL_LAYOUT_EXPORT_IMHEX,
    TOOL_LAYOUT_EXPORT_MARKDOWN,
    TOOL_LAYOUT_EXPORT_COUNT
} tool_layout_export_form;

typedef struct tool_layout_request {
    etl_memory_layout layout; /* COUNT in each part that the command line does not give */
    etl_windows from, to;     /* --diff */
    const char *file;         /* NULL where the answer needs none */
    uint64_t offset;
    bool has_offset;
    int32_t threshold;        /* --guess, --scan: points at which bytes are taken for a structure */
    bool json;
    bool evidence;            /* say of each member how sure it is */
    tool_layout_export_form form;
} tool_layout_request;

/* The answers, each with the exit code of the command. What is named after each has been given; of the rest, COUNT means
   all that there are. */
tool_exit tool_layout_decode(const tool_layout_request *request); /* structure, windows, arch, file */
tool_exit tool_layout_list(const tool_layout_request *request);   /* structure */
tool_exit tool_layout_diff(const tool_layout_request *request);   /* structure, arch, from, to */
tool_exit tool_layout_export(const tool_layout_request *request); /* form */
tool_exit tool_layout_guess(const tool_layout_request *request);  /* file */
tool_exit tool_layout_scan(const tool_layout_request *request);   /* file */

#endif
