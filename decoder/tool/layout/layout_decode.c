/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one structure from an input, checks it, and prints it as text or JSON. `etlproof layout` and the host of the
 * conformance suite call this.
 */
#include "layout/layout_decode.h"

#include <inttypes.h>

#include "span.h"

static void check(tool_structure *reading)
{
    etl_memory_check(reading->layout, reading->bytes, reading->offset, &reading->findings);
    for (uint32_t i = 0; i < reading->findings.count; i++)
        reading->damaged |= etl_rule_get(reading->findings.at[i].rule)->severity == ETL_SEVERITY_ERROR;
}

static void show(const tool_structure *reading, bool as_json, tool_output *out)
{
    tool_json json;
    tool_json_open(&json, out);
    if (as_json)
        tool_structure_json(&json, reading);
    else
        tool_structure_text(out, reading);
}

tool_exit tool_layout_decode_input(const tool_layout_request *request, tool_input *input, tool_output *out)
{
    static tool_structure reading; /* too large for every stack */
    const uint32_t size = etl_memory_size(request->layout);
    etl_span window;
    bool last = false;
    if (!tool_input_serve(input, request->offset, size, &window, &last))
        return TOOL_EXIT_INPUT;
    if (window.size == 0) {
        tool_print_error("%s: offset %" PRIu64 " (0x%" PRIx64 ") is past the end of the file, which has %" PRIu64
                         " (0x%" PRIx64 ") bytes",
                         input->title, request->offset, request->offset, input->size, input->size);
        return TOOL_EXIT_NOT_ETL;
    }
    reading = (tool_structure){.layout = request->layout,
                               .title = input->title,
                               .offset = request->offset,
                               .bytes = window.size > size ? etl_span_first(window, size) : window,
                               .evidence = request->evidence};
    check(&reading);
    show(&reading, request->json, out);
    return reading.damaged ? TOOL_EXIT_DAMAGED : TOOL_EXIT_CONFORMING;
}

tool_exit tool_layout_decode(const tool_layout_request *request)
{
    tool_input input;
    tool_output out;
    if (!tool_input_open(&input, request->file))
        return TOOL_EXIT_INPUT;
    tool_output_open(&out);
    const tool_exit code = tool_layout_decode_input(request, &input, &out);
    tool_input_close(&input);
    return tool_exit_worse(code, tool_output_close(&out));
}
