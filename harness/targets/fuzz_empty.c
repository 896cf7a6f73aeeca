/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does nothing: what an engine and the sanitizers cost by themselves, for scripts/fuzz-bench to hold the targets against.
 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
