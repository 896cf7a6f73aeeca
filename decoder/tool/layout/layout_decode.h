/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One structure read from memory, for the text and the JSON form of `etlproof layout`.
 */
#ifndef ETLPROOF_LAYOUT_LAYOUT_DECODE_H
#define ETLPROOF_LAYOUT_LAYOUT_DECODE_H

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
    etl_span bytes;      /* of the structure; fewer than its size at the end of the file */
    etl_findings findings;
    bool damaged;        /* one of the findings is an error */
    bool evidence;       /* print the evidence for every member */
} tool_structure;

/* Reads the structure from the input, checks it and prints it. Returns the exit code. */
tool_exit tool_layout_decode_input(const tool_layout_request *request, tool_input *input, tool_output *out);

void tool_structure_text(tool_output *out, const tool_structure *reading);
void tool_structure_json(tool_json *json, const tool_structure *reading);

#endif
