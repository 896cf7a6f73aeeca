/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target under AFL++: persistent, with inputs in shared memory. Given files, it replays them as the standalone one
 * does, so that a reproducer needs no AFL++ around it and afl-cmin, afl-tmin and afl-showmap work with a file argument and
 * without.
 */
#include <unistd.h>

#include "share.h"
#include "target.h"

__AFL_FUZZ_INIT();

int main(int argc, char **argv)
{
    if (argc > 1)
        return etl_replay(argc - 1, argv + 1, 1);
    etl_share_begin(true);
    __AFL_INIT();
    const uint8_t *input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000))
        LLVMFuzzerTestOneInput(input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
}
