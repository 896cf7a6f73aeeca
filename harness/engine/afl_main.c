/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target under AFL++: persistent, with inputs in shared memory. Given files, it replays them as the standalone one
 * does, so that a reproducer needs no AFL++ around it. afl-cmin and afl-tmin take it without @@, since they want its fork
 * server; with ETLPROOF_SHARE=off, since to the target they are what afl-fuzz is.
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
