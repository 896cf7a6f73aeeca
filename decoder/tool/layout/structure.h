/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure of memory, as it was read: what both forms of etlproof layout show.
 */
#ifndef ETLPROOF_LAYOUT_STRUCTURE_H
#define ETLPROOF_LAYOUT_STRUCTURE_H

#include "etlproof/finding.h"
#include "etlproof/memory.h"

#include "io/output.h"
#include "io/windowed_input.h"
#include "layout/layout_request.h"
#include "records/json_writer.h"

typedef struct tool_structure {
    etl_memory_layout layout;
    const char *title;   /* of the file */
    uint64_t offset;     /* of the structure in it */
    etl_span bytes;      /* of the structure: all, or what of it lies within the file */
    etl_findings findings;
    bool damaged;        /* one of them is an error */
    bool evidence;       /* say of every member how sure its place is */
} tool_structure;

/* Reads the structure from the input and shows it. */
tool_exit tool_layout_decode_input(const tool_layout_request *request, tool_input *input, tool_output *out);

void tool_structure_text(tool_output *out, const tool_structure *reading);
void tool_structure_json(tool_json *json, const tool_structure *reading);

#endif
