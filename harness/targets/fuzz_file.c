/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as a whole file, in one window, under every oracle, at offset 0 and around offset 2^32; if it has
 * compressed buffers, again under tighter limits. While fuzzing, an input gets one of the two offsets, and only a share of
 * inputs the limits. fuzz_stream tests files in several windows.
 */
#include "limit_comparison.h"
#include "share.h"
#include "target.h"

/* Returns whether the file has compressed buffers. */
static bool decode(etl_span file, bool far)
{
    static target_run run;
    bool limited = false;
    target_run_begin(&run, file, true);
    if (far)
        target_run_far(&run);
    while (target_run_advance(&run))
        limited |= target_is_limited(&run);
    target_run_finish(&run);
    return limited;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const etl_span file = {data, size};
    const engine_share share = engine_share_of(file);
    bool limited = false;
    for (unsigned i = 0; i < 2; i++)
        if (engine_share_has(share, i, 2))
            limited |= decode(file, i == 1);
    if (limited && engine_share_has(share, 0, ENGINE_SHARE))
        target_hold_limits(file, NULL, NULL);
    return 0;
}
