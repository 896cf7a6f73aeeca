/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target under AFL++: persistent, with inputs in shared memory. Given files, it replays them as standalone.c does,
 * so that a reproducer needs no AFL++. Run afl-cmin and afl-tmin without @@, so that they use its fork server, and with
 * ETLPROOF_SHARE=off, since the target cannot tell them from afl-fuzz.
 */
#include <unistd.h>

#include "share.h"
#include "target.h"

__AFL_FUZZ_INIT();

/* AddressSanitizer's, where it is linked in. It sees a read past an input only where the input's allocation ends, and
   AFL++'s shared memory does not end there. */
void __asan_init(void) __attribute__((weak));

int main(int argc, char **argv)
{
    if (argc > 1)
        return engine_replay(argc - 1, argv + 1, 1);
    engine_share_begin(true);
    __AFL_INIT();
    const uint8_t *input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000))
        (__asan_init ? engine_run_copy : LLVMFuzzerTestOneInput)(input, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
}
