/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as a whole file, under every oracle: once from one window, and once more in small windows, which has to
 * give the same. Written for any engine: libFuzzer, AFL++ and the replay command call the one function.
 */
#include "run.h"
#include "target.h"

/* Above this the second decode costs more than it finds. */
#define STREAM_SIZE_MAX ((size_t)256 * 1024)

/* The input's own bytes choose the windows, so that one corpus covers streaming: 1 byte to 64 KiB, more small ones. */
static void choose_windows(etl_run *run)
{
    uint64_t h = run->file.size;
    for (size_t i = 0; i < run->file.size; i++)
        h = (h ^ run->file.at[i]) * UINT64_C(0x100000001B3);
    size_t most = (size_t)1 << (h >> 40) % 17;
    run->early = h >> 63;
    run->chunk = 1 + (size_t)(h >> 32) % most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static etl_run whole, small;
    const etl_span file = {data, size};
    bool both = size <= STREAM_SIZE_MAX;
    etl_run_begin(&whole, file, both);
    etl_run_begin(&small, file, both);
    choose_windows(&small);
    for (bool going = true; going;) {
        going = etl_run_advance(&whole);
        if (both && etl_run_advance(&small) != going)
            etl_oracle_break(&whole.oracle, ETL_PROMISE_STREAMING, whole.oracle.file_at);
        if (both)
            etl_oracle_compare(&whole.oracle, &small.oracle);
        etl_run_hold(&whole);
    }
    etl_run_finish(&whole);
    etl_run_finish(&small);
    return 0;
}
