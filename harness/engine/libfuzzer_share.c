/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells the targets whether libFuzzer, or an engine with the same command line, fuzzes or runs files.
 */
#include "share.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    engine_share_begin(engine_share_is_fuzzing(*count, *arguments));
    return 0;
}
