/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of `etlproof layout`, and the functions that answer it.
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
    etl_memory_layout layout; /* COUNT in each member that the command line does not give */
    etl_windows from, to;     /* --diff */
    const char *file;         /* NULL if the answer needs no file */
    uint64_t offset;
    bool has_offset;
    int32_t threshold;        /* --guess, --scan: points from which bytes count as a structure */
    bool json;
    bool evidence;            /* print the evidence for every member */
    tool_layout_export_form form;
    const char *extract;      /* --extract: the file to write */
    bool force;               /* --extract: replace an existing file */
} tool_layout_request;

/* The answers. Each returns the exit code of the command. The members named behind each are set; in the others, COUNT
   stands for all. */
tool_exit tool_layout_decode(const tool_layout_request *request); /* structure, windows, arch, file */
tool_exit tool_layout_list(const tool_layout_request *request);   /* structure */
tool_exit tool_layout_diff(const tool_layout_request *request);   /* structure, arch, from, to */
tool_exit tool_layout_export(const tool_layout_request *request); /* form */
tool_exit tool_layout_guess(const tool_layout_request *request);  /* file */
tool_exit tool_layout_scan(const tool_layout_request *request);   /* file */
tool_exit tool_layout_extract(const tool_layout_request *request); /* structure, windows, arch, file, extract */

#endif
