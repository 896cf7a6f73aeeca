/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does nothing: the cost of the engine and the sanitizers alone, to which scripts/fuzz-bench compares the targets.
 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
