/* SPDX-License-Identifier: Apache-2.0 */
#include "layout/decode.h"

#include <inttypes.h>

#include "span.h"

static void check(etl_layout_reading *reading)
{
    etl_memory_check(reading->layout, reading->bytes, reading->offset, &reading->findings);
    for (uint32_t i = 0; i < reading->findings.count; i++)
        reading->damaged |= etl_rule_get(reading->findings.at[i].rule)->severity == ETL_SEVERITY_ERROR;
}

static void show(const etl_layout_reading *reading, bool as_json, etl_out *out)
{
    etl_json json;
    etl_json_open(&json, out);
    if (as_json)
        etl_layout_json(&json, reading);
    else
        etl_layout_text(out, reading);
}

etl_exit etl_layout_decode_input(const etl_layout_request *request, etl_input *input, etl_out *out)
{
    static etl_layout_reading reading; /* too large for every stack */
    const uint32_t size = etl_memory_size(request->layout);
    etl_span window;
    bool last = false;
    if (!etl_input_serve(input, request->offset, size, &window, &last))
        return ETL_EXIT_INPUT;
    if (window.size == 0) {
        etl_complain("%s: nothing of the structure is there: offset %" PRIu64 " (0x%" PRIx64 ") is not before the end of "
                     "the file, which has %" PRIu64 " (0x%" PRIx64 ") bytes",
                     input->title, request->offset, request->offset, input->size, input->size);
        return ETL_EXIT_NOT_ETL;
    }
    reading = (etl_layout_reading){.layout = request->layout,
                                   .title = input->title,
                                   .offset = request->offset,
                                   .bytes = window.size > size ? etl_span_first(window, size) : window,
                                   .evidence = request->evidence};
    check(&reading);
    show(&reading, request->json, out);
    return reading.damaged ? ETL_EXIT_DAMAGED : ETL_EXIT_CONFORMING;
}

etl_exit etl_layout_decode(const etl_layout_request *request)
{
    etl_input input;
    etl_out out;
    if (!etl_input_open(&input, request->file))
        return ETL_EXIT_INPUT;
    etl_out_open(&out);
    const etl_exit code = etl_layout_decode_input(request, &input, &out);
    etl_input_close(&input);
    return etl_exit_worse(code, etl_out_close(&out));
}
