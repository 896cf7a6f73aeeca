/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the input as a whole file, in one window, under every oracle; if it has compressed buffers, again under tighter
 * limits (while fuzzing, only a share of inputs). fuzz_stream tests files in several windows.
 */
#include "limit_comparison.h"
#include "share.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static target_run run;
    const etl_span file = {data, size};
    bool limited = false;
    target_run_begin(&run, file, true);
    while (target_run_advance(&run))
        limited |= target_is_limited(&run);
    target_run_finish(&run);
    if (limited && engine_share_has(engine_share_of(file), 0, ENGINE_SHARE))
        target_hold_limits(file, NULL, NULL);
    return 0;
}
