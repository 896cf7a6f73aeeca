/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugs etlproof into the runner's host: `etlproof decode --payload both` of bytes in memory, or `etlproof layout --format
 * json` of a structure. The reader gets the bytes in windows whose size depends on the bytes, so that the vectors also test
 * that the size of the window does not matter.
 */
#include "shim.h"

#include <string.h>

#include "layout/layout_decode.h"
#include "records/manifest_xml.h"
#include "records/record_stream.h"

#define DESCRIPTION(metadata)                                                                                              \
    "{\"name\":\"etlproof\",\"version\":\"" ETLPROOF_VERSION "\",\"language\":\"C\",\"order\":\"file\"," metadata          \
    "\"records\":{\"trace\":[\"*\"],\"buffer\":[\"*\"],\"event\":[\"*\"],\"item\":[\"*\"],\"field\":[\"*\"],"              \
    "\"member\":[\"*\"],\"finding\":[\"*\"],\"end\":[\"*\"]}}"

const char *etlproof_shim_describe(void)
{
    return manifest_xml_supported() ? DESCRIPTION("")
                                    : DESCRIPTION("\"metadata\":[\"tracelogging\",\"trace-event-info\",\"classic\"],");
}

/* Sizes of windows: only what the reader asks for, less and more than the headers, and the whole file. */
static size_t pick_step(const uint8_t *bytes, size_t size)
{
    static const size_t steps[] = {1, 64, 1000, 4096, SIZE_MAX};
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    return steps[(hash >> 8) % (sizeof steps / sizeof steps[0])];
}

static int verdict(tool_exit code)
{
    switch (code) {
    case TOOL_EXIT_CONFORMING: return ETLPROOF_SHIM_ACCEPT;
    case TOOL_EXIT_DAMAGED:
    case TOOL_EXIT_NOT_ETL:
    case TOOL_EXIT_LIMIT: return ETLPROOF_SHIM_REJECT;
    default: return (int)code;
    }
}

static tool_exit decode_trace(tool_input *input, tool_output *text)
{
    static tool_record_stream decoding; /* too large for the stack */
    memset(&decoding, 0, sizeof decoding);
    decoding.payload = TOOL_PAYLOAD_BOTH;
    decoding.limits = ETL_LIMITS_DEFAULT;
    return tool_record_stream_write(&decoding, input, text);
}

static tool_exit decode_structure(const etlproof_shim_file *file, tool_input *input, tool_output *text)
{
    const etl_memory_layout layout = {etl_memory_structure_find(file->structure), etl_windows_find(file->windows),
                                      etl_arch_find(file->arch)};
    if (layout.structure == ETL_MEMORY_STRUCTURE_COUNT || layout.windows == ETL_WINDOWS_COUNT ||
        layout.arch == ETL_ARCH_COUNT)
        return TOOL_EXIT_USAGE;
    return tool_layout_decode_input(&(tool_layout_request){.layout = layout, .json = true}, input, text);
}

int etlproof_shim_run(const etlproof_shim_file *file, etlproof_shim_out out, void *context)
{
    tool_input input;
    tool_output text;
    tool_output_open_memory(&text);
    tool_input_open_memory(&input, "the vector", (etl_span){file->bytes, file->size}, pick_step(file->bytes, file->size));
    tool_exit code = file->structure != NULL ? decode_structure(file, &input, &text) : decode_trace(&input, &text);
    tool_input_close(&input);
    if (text.error != 0)
        code = TOOL_EXIT_OUTPUT;
    else
        out(context, text.at, text.used);
    tool_output_free(&text);
    return verdict(code);
}

void etlproof_shim_close(void)
{
}
