/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof in-process: `etlproof decode --payload hex` of bytes in memory. The bytes themselves pick how much of them the
 * reader is given at a time, so that the same vectors show that nothing depends on it.
 */
#include "shim.h"

#include <string.h>

#include "decoding.h"

const char *etlproof_shim_describe(void)
{
    return "{\"name\":\"etlproof\",\"version\":\"" ETLPROOF_VERSION "\",\"language\":\"C\",\"order\":\"file\",\"records\":{"
           "\"trace\":[\"*\"],\"buffer\":[\"*\"],\"event\":[\"*\"],\"item\":[\"*\"],\"finding\":[\"*\"],\"end\":[\"*\"]}}";
}

/* Bytes of a window: no more than what is asked for, less and more than the headers, and the whole file. */
static size_t pick_step(const uint8_t *bytes, size_t size)
{
    static const size_t steps[] = {1, 64, 1000, 4096, SIZE_MAX};
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    return steps[(hash >> 8) % (sizeof steps / sizeof steps[0])];
}

static int verdict(etl_exit code)
{
    switch (code) {
    case ETL_EXIT_CONFORMING: return ETLPROOF_SHIM_ACCEPT;
    case ETL_EXIT_DAMAGED:
    case ETL_EXIT_NOT_ETL:
    case ETL_EXIT_LIMIT: return ETLPROOF_SHIM_REJECT;
    default: return (int)code;
    }
}

int etlproof_shim_run(const uint8_t *bytes, size_t size, etlproof_shim_out out, void *context)
{
    static etl_decoding decoding; /* too large for the stack */
    etl_input input;
    etl_out text;
    memset(&decoding, 0, sizeof decoding);
    decoding.payload = true;
    etl_out_open_memory(&text);
    etl_input_open_memory(&input, "the vector", (etl_span){bytes, size}, pick_step(bytes, size));
    etl_exit code = etl_decode(&decoding, &input, &text);
    etl_input_close(&input);
    if (text.error != 0)
        code = ETL_EXIT_OUTPUT;
    else
        out(context, text.at, text.used);
    etl_out_free(&text);
    return verdict(code);
}

void etlproof_shim_close(void)
{
}
